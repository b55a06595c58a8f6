"""People who play in a browser. They find elements by accessible role and name."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    StorageState,
    ViewportSize,
    expect,
)

from escadaria.i18n import Texts, load
from system.browser.setup import PATIENCE, Table

MAIN = {
    "rapido": ("web.rapido.roll", "web.rapido.place"),
    "chain": (
        "web.chain.roll", "web.chain.keep", "chain.action.link", "web.chain.link_all", "web.chain.link_these",
        "web.chain.move",
    ),
}  # fmt: skip
"""Texts of the main button of a turn."""
RISKY = {"rapido": ("web.rapido.again",), "chain": ("chain.action.up", "chain.action.down")}

REMEMBER = """items => {
  localStorage.clear();
  sessionStorage.clear();
  for (const { name, value } of items) localStorage.setItem(name, value);
}"""
COMPLETE = """async ([texts, patience]) => {
  const shown = (it) => it.checkVisibility({ visibilityProperty: true });
  const loads = (it) => !it.childElementCount && texts.includes(it.textContent.trim()) && shown(it);
  const complete = () =>
    [...document.querySelectorAll('h1')].some(shown) &&
    !document.querySelector('[data-later]') &&
    ![...document.querySelectorAll('body *')].some(loads);
  const until = performance.now() + 1000 * patience;
  while (!complete() && performance.now() < until) await new Promise((done) => setTimeout(done, 10));
  return complete();
}"""
"""Whether a heading is visible and nothing is loading any more, at the latest after some seconds."""

expect.set_options(timeout=PATIENCE * 1000)


def pattern(texts: Texts, *keys: str) -> re.Pattern[str]:
    """Matches text that starts with one of the texts, with any values for their placeholders."""
    forms = [re.escape(form) for key in keys for form in texts.messages[key].forms]
    forms = [re.sub("[\u00a0\u202f]", r"\\s", form) for form in forms]  # accessible names have plain spaces
    return re.compile("^(?:" + "|".join(re.sub(r"\\\{.+?\\\}", "(.+?)", form) for form in forms) + ")")


class Troubles:
    """The errors that a browser reports, and the hosts that it contacts."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.found: list[str] = []
        self.forgiven: list[str] = []
        context.on("console", self._console)
        context.on("weberror", lambda error: self.found.append(f"page error: {error.error}"))
        context.on("request", lambda request: self._visit(request.url))
        context.on("requestfailed", self._failed)
        context.on("page", lambda page: page.on("websocket", lambda socket: self._visit(socket.url)))

    def clear(self) -> None:
        self.found.clear()
        self.forgiven.clear()

    def forgive(self, *expressions: str) -> None:
        """Accept these errors: an unreachable server, an unknown match."""
        self.forgiven += expressions

    def serious(self) -> list[str]:
        return [text for text in self.found if not any(re.search(it, text) for it in self.forgiven)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.found.append(f"console {message.type}: {message.text} ({message.location.get('url')})")

    def _visit(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.netloc != self.host and parts.scheme not in ("data", "blob", "about"):
            self.found.append(f"another host: {url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page has been closed
            self.found.append(f"failed: {request.url}: {request.failure}")


class Person:
    """A person with their own browser context."""

    def __init__(self, context: BrowserContext, url: str, language: str = "en") -> None:
        context.set_default_timeout(PATIENCE * 1000)
        self.context = context
        self.url = url
        self.texts = load(language)
        self.troubles = Troubles(context, url)
        self.page: Page = context.new_page()

    def say(self, key: str, **args: Any) -> str:
        return self.texts(key, **args)

    def like(self, *keys: str) -> re.Pattern[str]:
        return pattern(self.texts, *keys)

    def go(self, path: str) -> Person:
        """Open a path, and wait until the page has content."""
        self.page.goto(self.url + path)
        self.ready()
        return self

    def sit(self, table: Table) -> Person:
        """Open a table, and wait for this person's turn."""
        self.go(table.path)
        assert self.asked()
        return self

    def start_over(self, storage: StorageState, size: ViewportSize, theme: Literal["light", "dark"]) -> None:
        """Use this browser context as if it were a new one, except for its cache."""
        self.page.goto(f"{self.url}/robots.txt")  # no screen of the client
        self.page.evaluate(REMEMBER, storage["origins"][0]["localStorage"])
        self.page.set_viewport_size(size)
        self.page.emulate_media(color_scheme=theme, media="null")
        self.troubles.clear()

    def ready(self) -> None:
        """Wait until the screen is complete."""
        texts = [self.say("web.loading"), self.say("web.fair.checking")]
        assert self.page.evaluate(COMPLETE, [texts, PATIENCE]), "the screen is not complete"

    def named(self, role: Any, key: str, exact: bool = False, **args: Any) -> Locator:
        """What has a role, and a text in its name."""
        return self.page.get_by_role(role, name=self.say(key, **args), exact=exact)

    def card(self, game: str) -> Locator:
        """A game on the first screen."""
        return self.named("article", f"{game}.name")

    def button(self, key: str, **args: Any) -> Locator:
        """The button or link whose name starts with a text."""
        name = re.compile("^" + re.escape(self.say(key, **args)))
        return self.page.get_by_role("button", name=name).or_(self.page.get_by_role("link", name=name))

    def click(self, key: str, **args: Any) -> None:
        self.button(key, **args).first.click()

    def press(self, key: str) -> None:
        """Press a key as people do: after what it is meant for was painted."""
        self.see()
        self.page.keyboard.press(key)

    def see(self) -> None:
        """Wait until what is there was painted: what is pressed before does nothing."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def reads(self, key: str, **args: Any) -> None:
        """Assert that a text is visible."""
        expect(self.page.get_by_text(self.say(key, **args)).first).to_be_visible()

    # The table.

    @property
    def turn(self) -> Locator:
        return self.named("region", "web.turn", exact=True)

    @property
    def log(self) -> Locator:
        return self.named("region", "web.log", exact=True)

    @property
    def board(self) -> Locator:
        return self.named("region", "web.board", exact=True)

    @property
    def players(self) -> Locator:
        return self.named("list", "web.players").get_by_role("listitem")

    def open_settings(self) -> Locator:
        """Open the menu and return it."""
        self.named("button", "web.settings").click()
        return self.named("dialog", "web.settings")

    @property
    def main(self) -> Locator:
        """The main button of a turn; there is none while others play."""
        keys = [key for keys in MAIN.values() for key in keys]
        return self.turn.get_by_role("button", name=self.like(*keys), disabled=False)

    @property
    def risky(self) -> Locator:
        keys = [key for keys in RISKY.values() for key in keys]
        return self.turn.get_by_role("button", name=self.like(*keys), disabled=False)

    @property
    def choices(self) -> Locator:
        return self.turn.get_by_role("radio", disabled=False)

    @property
    def winner(self) -> Locator:
        name = re.compile(self.like("web.winner", "web.winner.you").pattern + "$")
        return self.turn.get_by_role("heading", name=name)

    def asked(self) -> bool:
        """Wait for this person's turn; False if the match is over."""
        expect(self.main.or_(self.winner).first).to_be_visible()
        return not self.winner.is_visible()

    def decide(self, chance: random.Random) -> None:
        """Choose one of the possible actions, usually the common one; call it when ``asked`` is True."""
        if chance.random() < 0.25 and (others := self.choices.count()):
            self.choices.nth(chance.randrange(others)).click()
            if not self.asked():
                return
        if chance.random() < 0.15 and self.risky.count():
            self.risky.first.click()
        else:
            self.main.first.click()

    def play(self, seed: int = 1) -> None:
        """Play all own seats to the end."""
        chance = random.Random(seed)
        while self.asked():
            self.decide(chance)


def play_together(people: Sequence[Person], seed: int = 1, most: int = 1000) -> None:
    """Play to the end, or at most a number of decisions, each person in their own browser."""
    chance = random.Random(seed)
    moved = time.monotonic()  # to give up if nobody can act
    while most > 0 and not all(person.winner.is_visible() for person in people):
        assert time.monotonic() < moved + PATIENCE, "no player can act"
        for person in people:
            if person.main.first.is_visible():
                person.decide(chance)
                moved = time.monotonic()
                most -= 1
