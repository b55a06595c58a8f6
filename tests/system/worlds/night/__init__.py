"""A hundred thousand worlds."""
