"""The tables, and their migrations.

``migrations/`` leads from an empty database to these tables; a test compares the two.
"""

from __future__ import annotations

import logging

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.util import CommandError

from escadaria.store import StoreUnavailable

log = logging.getLogger(__name__)

tables = sa.MetaData()

_OPEN = sa.text("NOT archived")
_OPEN_AND_DUE = sa.text("NOT archived AND due IS NOT NULL")

matches = sa.Table(
    "match",
    tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("archived", sa.Boolean, nullable=False),
    sa.Column("due", sa.Double),
)
# Partial indexes: the number of archived matches only grows.
sa.Index("match_created", matches.c.created, sqlite_where=_OPEN, postgresql_where=_OPEN)
sa.Index("match_due", matches.c.due, sqlite_where=_OPEN_AND_DUE, postgresql_where=_OPEN_AND_DUE)

events = sa.Table(
    "event",
    tables,
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("previous", sa.Integer),  # version - 1, or NULL: the foreign key refuses a gap
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("hidden", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["match", "previous"], ["event.match", "event.version"]),
    sa.CheckConstraint("version = coalesce(previous, 0) + 1", name="event_follows"),
)

snapshots = sa.Table(
    "snapshot",
    tables,
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)

items = sa.Table(
    "item",
    tables,
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
)
sa.Index("item_expires", items.c.expires)

workers = sa.Table(
    "worker",
    tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("expires", sa.Double, nullable=False),
)

# A lease is valid as long as its worker: one row is renewed for all leases of a worker.
leases = sa.Table(
    "lease",
    tables,
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("worker", sa.Text, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
)
sa.Index("lease_worker", leases.c.worker)

presences = sa.Table(
    "presence",
    tables,
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("worker", sa.Text, primary_key=True),
    sa.Column("members", sa.Text, nullable=False),
)
sa.Index("presence_worker", presences.c.worker)

meta = sa.Table(
    "meta",
    tables,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


def migrate(connection: sa.Connection) -> None:
    """Create or migrate the tables, in the transaction of this connection."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "escadaria.store:migrations")
    before = _revision(connection)
    try:
        command.upgrade(config, "head")
    except CommandError as error:  # an unknown revision
        raise StoreUnavailable("the database was made by a later version of Escadaria") from error
    after = _revision(connection)
    if after != before:
        log.info("the tables were migrated", extra={"before": before or "none", "after": after})


def _revision(connection: sa.Connection) -> str:
    """The revision of the database; empty for a new one."""
    return MigrationContext.configure(connection).get_current_revision() or ""
