"""Matches and their events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("archived", sa.Boolean, nullable=False),
    )
    op.create_index(
        "match_open",
        "match",
        ["id"],
        sqlite_where=sa.text("NOT archived"),
        postgresql_where=sa.text("NOT archived"),
    )
    op.create_table(
        "event",
        sa.Column("match", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("previous", sa.Integer),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("hidden", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["match", "previous"], ["event.match", "event.version"]),
        sa.CheckConstraint("version = coalesce(previous, 0) + 1", name="event_follows"),
    )
