"""Fixtures: a server, a browser, and a new browser context for each person."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from escadaria.i18n import load
from escadaria.printing import CannotPrint
from escadaria.server.http.pages import STATIC
from server.coached import write_chain_solution, write_solution
from serving import Server, running
from system.browser.people import Person
from system.browser.screens import SCREENS, Screen
from system.browser.setup import DESK, chromium, memory

ROOT = Path(__file__).parents[3]

Come = Callable[..., Person]
"""Brings a person: ``page`` has options of the browser, the other arguments are for local storage."""

Screens = Callable[[str], Screen]


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
def screens(url: str) -> Screens:
    """Prepares each screen once."""
    return functools.cache(lambda name: SCREENS[name](url))


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    try:
        with chromium() as browser:
            yield browser
    except CannotPrint as missing:
        pytest.fail(f"{missing} (`python3 run.py test` installs it, as root)")


Free = dict[str, list[Person]]


@pytest.fixture(scope="package")
def free(browser: Browser) -> Free:
    """People whose browser contexts can be used again, by the options of the context."""
    return {}


@pytest.fixture
def come_to(browser: Browser, free: Free) -> Iterator[Callable[..., Person]]:
    """Brings a person to a server, and fails if the browser reports an error.

    ``fresh`` opens a new browser context, which takes a second. It is needed where nothing may be cached,
    and by tests that change the browser: its clock, its frames on the wire, or the scripts of a page.
    """
    people: list[tuple[Person, str]] = []

    def come_to(
        url: str, page: dict[str, Any] | None = None, fresh: bool = False, **remembered: Any
    ) -> Person:
        options = {"locale": "en-GB", "color_scheme": "light", "viewport": DESK, **(page or {})}
        storage = memory(url, **remembered)
        key = "" if fresh else f"{url} {options['locale']} {options.get('has_touch')}"
        if free.get(key):
            person = free[key].pop()
            person.start_over(storage, options["viewport"], options["color_scheme"])
        else:
            person = Person(browser.new_context(storage_state=storage, **options), url)
        person.texts = load(remembered.get("language") or "en")
        people.append((person, key))
        return person

    yield come_to
    troubles = [trouble for person, _ in people for trouble in person.troubles.serious()]
    for person, key in people:
        if key and not troubles:
            person.page.unroute_all()
            free.setdefault(key, []).append(person)
        else:
            person.context.close()
    assert not troubles


@pytest.fixture
def come(come_to: Callable[..., Person], url: str) -> Come:
    """Brings a person to the server of most tests."""
    return lambda **arguments: come_to(url, **arguments)
