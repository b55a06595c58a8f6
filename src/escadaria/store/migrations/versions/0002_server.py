"""Deadlines, snapshots, values that expire, a key, and plain names in events."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

RENAMED = (
    # The kind of an event before and after, and a field of it before and after.
    ("did", "acted", "deed", "action"),
    ("created", "created", "rules", "settings"),
    ("configured", "configured", "rules", "settings"),
    ("was_set_up", "position_set", "position", "position"),
)


def upgrade() -> None:
    op.add_column("match", sa.Column("due", sa.Double))
    op.drop_index("match_open", "match")
    for name, column, where in (
        ("match_created", "created", "NOT archived"),
        ("match_due", "due", "NOT archived AND due IS NOT NULL"),
    ):
        op.create_index(name, "match", [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))
    # Old matches have no stored deadline: each open one is loaded once to compute it.
    op.execute("UPDATE match SET due = created WHERE NOT archived")
    op.create_table(
        "snapshot",
        sa.Column("match", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "item",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("expires", sa.Double, nullable=False),
    )
    op.create_index("item_expires", "item", ["expires"])
    meta = op.create_table(
        "meta", sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False)
    )
    op.bulk_insert(meta, [{"name": "key", "value": secrets.token_hex(32)}])
    if op.get_bind().dialect.name == "postgresql":
        # PostgreSQL's column statistics contain sample values, which would survive the deletion of a name.
        for table, column in (
            ("event", "body"),
            ("event", "hidden"),
            ("snapshot", "body"),
            ("item", "value"),
        ):
            op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
    for kind, new_kind, field, new_field in RENAMED:
        _rename(f'{{"kind":"{kind}",', f'{{"kind":"{new_kind}",', f'"{field}":', f'"{new_field}":')


def _rename(before: str, after: str, field: str, new_field: str) -> None:
    """Rename in all bodies that begin with ``before``.

    A quotation mark inside a text is escaped in JSON, so the field's name never matches what players wrote.
    """
    rename = sa.text(
        "UPDATE event SET body = :after || replace(substr(body, :rest), :field, :new_field)"
        " WHERE substr(body, 1, :length) = :before"
    )
    length = len(before)
    names = {"before": before, "after": after, "field": field, "new_field": new_field}
    op.get_bind().execute(rename, {**names, "length": length, "rest": length + 1})
