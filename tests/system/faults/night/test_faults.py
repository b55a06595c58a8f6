"""Hundreds of kills and stops on both databases, and fifty faults of a cluster with and without Redis."""

from __future__ import annotations

from pathlib import Path

import pytest

from databases import Postgres, Redis
from system.faults.people import TABLES, drawn
from system.faults.test_cluster import break_all
from system.faults.test_kills import kill_often, stop_often

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The settings for a server on either database."""
    if request.param == "sqlite":
        return {}
    postgres: Postgres = request.getfixturevalue("postgres")
    return {"database": postgres.empty()}


async def test_two_hundred_kills(tmp_path: Path, database: dict[str, str]) -> None:
    await kill_often(tmp_path, 200, drawn(), len(TABLES), **database)


async def test_twenty_stops(tmp_path: Path, database: dict[str, str]) -> None:
    await stop_often(tmp_path, 20, drawn(), len(TABLES), **database)


@pytest.mark.parametrize("bus", ["postgresql", "redis"])
async def test_fifty_faults(
    bus: str, tmp_path: Path, postgres: Postgres, request: pytest.FixtureRequest
) -> None:
    redis: Redis | None = request.getfixturevalue("redis") if bus == "redis" else None
    await break_all(tmp_path, postgres, redis, drawn(), len(TABLES), faults=50)
