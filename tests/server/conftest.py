"""Servers and clients for all tests of this folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from serving import PATIENCE, Inside, Server, running, serving


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The process that most tests share."""
    with running(Server(tmp_path_factory.mktemp("server"), log_level="debug")) as server:
        yield server


@pytest.fixture(scope="session")
def url(live: Server) -> str:
    """The URL of the shared server."""
    return live.url


@pytest.fixture(scope="session")
def http(url: str) -> Iterator[httpx.Client]:
    """A client of the shared server. It keeps no connection, which the server could just be closing."""
    limits = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE, limits=limits) as client:
        yield client


@pytest.fixture(scope="package", autouse=True)
def quick_stops() -> Iterator[None]:
    """uvicorn's loops in this process look every hundredth of a second whether to stop, not every tenth."""
    quick = SimpleNamespace(**vars(asyncio) | {"sleep": lambda _: asyncio.sleep(0.01)})  # polls
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("uvicorn.server.asyncio", quick)
        yield


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Inside]:
    """A server in the event loop of the test."""
    async with serving(tmp_path) as server:
        yield server
