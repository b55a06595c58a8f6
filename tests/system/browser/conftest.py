"""Fixtures: a server, a browser, and a new browser context for each person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from escadaria.server.pages import STATIC
from server.coached import write_chain_solution, write_solution
from serving import Server, running
from system.browser.people import Person
from system.browser.setup import chromium, memory

ROOT = Path(__file__).parents[3]

Come = Callable[..., Person]
"""Opens a context: ``page`` has options of the browser, the other arguments are for local storage."""


# All of the package's, not of the session's: while Playwright runs, its event loop is the running one, so it
# must be gone before other folders' tests use asyncio.
@pytest.fixture(scope="package")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server of most tests; at the end its log must have no errors."""
    if not (STATIC / "index.html").is_file():
        pytest.fail("the web client is not built: run the tests by `python3 run.py test`, or build web/")
    with running(Server(tmp_path_factory.mktemp("server"))) as server:
        write_solution(server.cache)
        write_chain_solution(server.cache)
        yield server


@pytest.fixture(scope="package")
def url(live: Server) -> str:
    """The URL of the server."""
    return live.url


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    try:
        with chromium() as browser:
            yield browser
    except LookupError as missing:
        pytest.fail(str(missing))


@pytest.fixture
def come_to(browser: Browser) -> Iterator[Callable[..., Person]]:
    """Opens a browser context for a person on a server; fails if the browser reports an error."""
    people: list[Person] = []

    def come_to(url: str, page: dict[str, Any] | None = None, **remembered: Any) -> Person:
        context = browser.new_context(
            storage_state=memory(url, **remembered), **{"locale": "en-GB", **(page or {})}
        )
        people.append(Person(context, url, remembered.get("language") or "en"))
        return people[-1]

    yield come_to
    troubles = [trouble for person in people for trouble in person.troubles.serious()]
    for person in people:
        person.context.close()
    assert not troubles


@pytest.fixture
def come(come_to: Callable[..., Person], url: str) -> Come:
    """Opens a browser context for a person on the server of most tests."""
    return lambda **arguments: come_to(url, **arguments)
