"""A server process for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from serving import Server, running


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The process that most tests share."""
    with running(Server(tmp_path_factory.mktemp("server"), log_level="debug")) as server:
        yield server


@pytest.fixture(scope="session")
def url(live: Server) -> str:
    """The URL of the shared server."""
    return live.url
