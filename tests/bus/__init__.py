"""The bus between workers, over memory, PostgreSQL and Redis."""
