"""The tables: SQL scripts, each of which leads from one version of the database to the next.

The table ``alembic_version`` has the version; it is named after the program that ran the first scripts.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from importlib.resources import files

from escadaria.store import StoreUnavailable
from escadaria.store.database import Database, Session

log = logging.getLogger(__name__)

HEAD = "0004"
"""The newest version, which the last script makes."""


def is_current(session: Session) -> bool:
    """Whether the tables are of the newest version."""
    return _version(session) == HEAD


def prepare(database: Database, session: Session) -> bytes:
    """Create or migrate the tables if necessary, and return the key of the database."""
    if not is_current(session):
        database.migrating = True
        session.begin_migration()  # if several servers start together, one migrates and the others wait
        version = _version(session)
        if version > HEAD:
            raise StoreUnavailable("the database was made by a later version of Escadaria")
        if version < HEAD:
            _migrate(session, version)
        session.commit()
    [(key,)] = session.run("SELECT value FROM meta WHERE name = 'key'")
    return bytes.fromhex(key)


def _migrate(session: Session, version: str) -> None:
    for statement in _statements(version, session.dialect):
        session.run(statement)
    session.run("INSERT INTO meta VALUES ('key', ?) ON CONFLICT DO NOTHING", (secrets.token_hex(32),))
    session.run("CREATE TABLE IF NOT EXISTS alembic_version (version_num TEXT NOT NULL PRIMARY KEY)")
    session.run("DELETE FROM alembic_version")
    session.run("INSERT INTO alembic_version VALUES (?)", (HEAD,))
    log.info("the tables were migrated", extra={"before": version or "none", "after": HEAD})


def _version(session: Session) -> str:
    """The version of the database; empty for a new one."""
    if not session.has_table("alembic_version"):
        return ""
    [(version,)] = session.run("SELECT version_num FROM alembic_version")
    return str(version)


def _statements(version: str, dialect: str) -> Iterator[str]:
    """The statements of the scripts after a version; some scripts are for one kind of database only."""
    for script in sorted(files(__name__).iterdir(), key=lambda script: script.name.removesuffix(".sql")):
        name, *dialects, suffix = script.name.split(".")
        if suffix == "sql" and name[:4] > version and dialects in ([], [dialect]):
            yield from script.read_text("utf-8").rstrip(";\n").split(";\n")
