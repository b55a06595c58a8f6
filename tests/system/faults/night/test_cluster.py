"""Fifty faults of a cluster, with and without Redis."""

from __future__ import annotations

from pathlib import Path

import pytest

from databases import Postgres, Redis
from system.faults.people import TABLES, drawn
from system.faults.test_cluster import break_all

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("bus", ["postgresql", "redis"])
async def test_fifty_faults(
    bus: str, tmp_path: Path, postgres: Postgres, request: pytest.FixtureRequest
) -> None:
    redis: Redis | None = request.getfixturevalue("redis") if bus == "redis" else None
    await break_all(tmp_path, postgres, redis, drawn(), len(TABLES), faults=50)
