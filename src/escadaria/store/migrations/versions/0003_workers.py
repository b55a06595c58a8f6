"""Workers, their leases, and who is connected to them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "worker",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("expires", sa.Double, nullable=False),
    )
    op.create_table(
        "lease",
        sa.Column("match", sa.Text, primary_key=True),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
    )
    op.create_table(
        "presence",
        sa.Column("match", sa.Text, primary_key=True),
        sa.Column("worker", sa.Text, primary_key=True),
        sa.Column("members", sa.Text, nullable=False),
    )
    for table in ("lease", "presence"):
        op.create_index(f"{table}_worker", table, ["worker"])
