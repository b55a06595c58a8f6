"""All screens of the web client, each with the steps to reach it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from playwright.sync_api import expect

from system.browser.people import Person
from system.browser.setup import Table, asked, joined, opened, played, practising

SIX = "turn=0 phase=decide value=54 steps=48,0,12,12,30,7 tower=1:3:41,2:1:52,4:2:63,5:5:73"
TWO = "turn=0 phase=decide value=54 steps=9,5 tower=2:1:52,3:0:54,5:1:64"
DECIDE = "turn=0 phase=decide value=54 steps=9,5,12 tower=2:1:52,4:2:63"
EVALUATED = "turn=0 phase=decide value=54 steps=1,2 tower=2:1:52,3:0:54,5:1:64"
STARTS = "turn=0 phase=first value=0 steps=1,2 tower=2:1:52,3:0:54"
EMPTY = "chain=-/0/open loose=-"
SMALL = "turn=0 {} discs=2+9,4+9 stacks=2:0,4:1,9:1+0 {}"
KEEPS = SMALL.format("phase=keep hands=3,2 pool=11", EMPTY)
DECIDES = SMALL.format("phase=decide hands=3,2 pool=11", "chain=345/5/up loose=-")
CHAIN = "turn=0 {} discs=2+15,4+0,15+34 stacks=2:0,4:1,15:2+0 {}"


@dataclass(frozen=True)
class Screen:
    """The path of a screen, its seats, and the steps to prepare it."""

    path: str
    seats: tuple[Table, ...] = ()
    first: Callable[[Person], None] | None = None

    def show(self, person: Person) -> None:
        person.go(self.path)
        if self.first:
            self.first(person)


RACE, BOARD = "players=2&finish=5", "players=2&board=18"
"""The options of games that the coach of the tests can evaluate."""


def there(page: str, options: str, text: str) -> str:
    """The path of a position."""
    return f"/{page}#{options}&at={quote(text)}"


def at(table: Table, first: Callable[[Person], None] | None = None) -> Screen:
    return Screen(table.path, (table,), first)


def rapido(url: str) -> Table:
    return practising(url, "rapido", DECIDE, 3, "Ana")


def chain(url: str, phase: str, dice: str) -> Table:
    return practising(url, "chain", CHAIN.format(phase, dice), 3, "Ana")


def real(url: str, game: str, position: str = "") -> Table:
    """A table with real dice, where they are to be entered."""
    people = [{"name": name} for name in ("Ana", "Maximiliane", "Rui")]
    start = {"start_from": position} if position else {}
    settings = {"dice": "real", "practice": bool(position)}
    return opened(url, game, 3, people=people, settings=settings, start=True, **start)


def waiting(url: str) -> Screen:
    """Wait for another player's turn."""
    host = opened(url, people=[{"name": "Ana"}], settings={"grace": None})  # no bot takes over
    guest = joined(url, host, "Maximiliane")
    asked(url, host, "start")
    return at(guest)


def lobby(url: str) -> Table:
    table = opened(url, "chain", 4, people=[{"name": "Ana"}], settings={"clock": 60})
    joined(url, table, "Maximiliane")
    return table


def won(person: Person) -> None:
    expect(person.winner).to_be_visible()
    person.ready()


def middle(person: Person) -> None:
    slider = person.named("slider", "web.replay.slider")
    slider.fill(str(int(slider.get_attribute("max") or 0) // 2))


def evaluated_table(url: str) -> Table:
    return practising(url, "rapido", EVALUATED, 2, "Ana", finish=5)


def finished(url: str) -> Table:
    return played(url, "rapido", 2, finish=5)


def analysed(person: Person) -> None:
    expect(person.named("heading", "web.coach.title", exact=True)).to_be_visible()
    person.ready()


def analysed_middle(person: Person) -> None:
    analysed(person)
    middle(person)
    expect(person.page.get_by_role("img", name=person.like("web.coach.curve"))).to_be_visible()


def replay(table: Table) -> Screen:
    return Screen(f"/replay/{table.match}", (), analysed_middle)


def real_result(url: str) -> Table:
    """A match that the entered dice have ended."""
    table = real(url, "rapido", "turn=0 phase=first value=0 steps=18,9,12 tower=-")
    asked(url, table, "act", action="roll", dice=["33"], version=5)
    return table


HELD = """(set => {
  window.setTimeout = (call, ms) => {
    const run = () => (ms > 500 && document.querySelector('.turn-dock .word') ? set(run, 50) : call());
    return set(run, ms);
  };
})(setTimeout)"""
"""Until the next page, nothing that waits goes on while a word is shown large."""


def staged(*faces: str) -> Callable[[Person], None]:
    """Enter real dice, and wait until what they do is shown large, here until it is tapped away."""

    def show(person: Person) -> None:
        moves = {"speed": 2, "muted": True, "name": "Ana"}
        kept = json.dumps(json.dumps(moves))
        person.page.evaluate(f"localStorage.setItem('escadaria.settings', {kept})")
        person.page.reload()
        person.ready()
        person.page.evaluate(HELD)
        back = person.page.locator(".call").get_by_role("button")
        if back.is_enabled():  # from the screenshot before
            back.click()
        keys = ("web.rapido.die", "web.real.die", "web.real.die.black")
        rows = person.turn.get_by_role("group", name=person.like(*keys))
        expect(rows).to_have_count(len(faces))
        for row, face in zip(rows.all(), faces, strict=True):
            row.get_by_role("button", name=face, exact=True).click()
        person.click("web.real.enter")
        expect(person.page.locator(".turn-dock .word").first).to_be_visible()

    return show


def log(person: Person) -> None:
    size = person.page.viewport_size
    if size and size["width"] <= 1080:
        if size["width"] <= 820 and size["height"] > 500:
            settings(person)
        person.named("button", "web.log").click()


def bars(person: Person) -> None:
    person.click("web.coach.bars")
    expect(person.choices.first).to_contain_text(person.say("web.coach.wins"))


def evaluated_chain(url: str) -> Table:
    return practising(url, "chain", DECIDES, 2, "Ana", board="18")


def explored(person: Person) -> None:
    """Wait until all rolls are shown."""
    expect(person.page.get_by_role("radio", name=person.like("web.strategy.roll")).first).to_be_visible()
    person.ready()


def position(person: Person) -> None:
    expect(person.named("heading", "web.position.worth")).to_be_visible()


def worth(person: Person) -> None:
    position(person)
    person.reads("web.coach.source.exact")


def printable(person: Person) -> None:
    """Wait for the rules, which come last."""
    expect(person.page.get_by_role("heading", name=person.like("web.rules.of"))).to_be_visible()


def editing(person: Person) -> None:
    """Scroll to the board editor."""
    person.named("group", "chain.option.board").last.scroll_into_view_if_needed()


def settings(person: Person) -> None:
    person.named("button", "web.settings").click()


def help(person: Person) -> None:
    size = person.page.viewport_size
    if size and size["width"] <= 560 and size["height"] <= 720:  # a short phone has it in the menu
        settings(person)
    person.named("button", "web.help").click()


def resign(person: Person) -> None:
    settings(person)
    person.page.get_by_role("dialog").get_by_role("button", name=person.say("web.resign")).click()


SCREENS: dict[str, Callable[[str], Screen]] = {
    "home": lambda _: Screen("/"),
    "home-unfinished": lambda url: Screen("/", (rapido(url),)),
    "settings": lambda _: Screen("/", (), settings),
    "new-rapido": lambda _: Screen("/new/rapido?how=bots"),
    "new-chain": lambda _: Screen("/new/chain?how=online"),
    "new-real": lambda _: Screen("/new/rapido?how=real"),
    "new-board": lambda _: Screen("/new/chain?how=device&board=34 7>11 10>5", (), editing),
    "new-device": lambda _: Screen("/new/rapido?how=device"),
    "lobby": lambda url: at(lobby(url)),
    "lobby-guest": lambda url: Screen(lobby(url).path),
    "rapido-roll": lambda url: at(
        practising(url, "rapido", DECIDE.replace("decide value=54", "first value=0"), 3, "Ana")
    ),
    "rapido-decide": lambda url: at(rapido(url)),
    "rapido-waiting": waiting,
    "rapido-two": lambda url: at(
        practising(url, "rapido", TWO, 2, "Ana")
    ),
    "rapido-six": lambda url: at(
        practising(url, "rapido", SIX, 6, "Ana", "Maximiliane", finish=50)
    ),
    "chain-keep": lambda url: at(chain(url, "phase=keep hands=6,4,2 pool=12", EMPTY)),
    "chain-build": lambda url: at(chain(url, "phase=build hands=6,4,2 pool=12", "chain=34/4/up loose=1356")),
    "chain-decide": lambda url: at(chain(url, "phase=decide hands=4,4,2 pool=14", "chain=2345/5/up loose=-")),
    "rapido-real": lambda url: at(real(url, "rapido")),
    "chain-real": lambda url: at(real(url, "chain", CHAIN.format("phase=roll hands=9,2,2 pool=11", EMPTY))),
    "rapido-staged": lambda url: at(
        real(url, "rapido", DECIDE.replace("decide value=54", "later value=0")), staged("X", "5")
    ),
    "chain-staged": lambda url: at(
        real(url, "chain", CHAIN.format("phase=lengthen hands=5,4,2 pool=13", "chain=2345/5/up loose=-")),
        staged("1"),
    ),
    "after-real": lambda url: at(real_result(url), won),
    "log": lambda url: at(rapido(url), log),
    "help": lambda url: at(rapido(url), help),
    "resign": lambda url: at(rapido(url), resign),
    "after-rapido": lambda url: at(played(url, "rapido", 4), analysed),
    "after-chain": lambda url: at(played(url, "chain", 3, board="short"), analysed),
    "replay": lambda url: replay(played(url, "chain", 2, board="short")),
    "after-analysed": lambda url: at(finished(url), analysed),
    "replay-analysed": lambda url: replay(finished(url)),
    "rapido-bars": lambda url: at(evaluated_table(url), bars),
    "position-rapido": lambda _: Screen(there("position/rapido", RACE, EVALUATED), (), worth),
    "position-chain": lambda _: Screen("/position/chain", (), position),
    "position-chain-two": lambda _: Screen(there("position/chain", BOARD, DECIDES), (), worth),
    "chain-bars": lambda url: at(evaluated_chain(url), bars),
    "strategy-rapido": lambda _: Screen(there("strategy/rapido", RACE, STARTS), (), explored),
    "strategy-chain": lambda _: Screen(there("strategy/chain", BOARD, KEEPS), (), explored),
    "replay-open": lambda _: Screen("/replay"),
    "learn-rapido": lambda _: Screen("/learn/rapido"),
    "learn-chain": lambda _: Screen("/learn/chain#step=4"),
    "rules-rapido": lambda _: Screen("/rules/rapido"),
    "rules-chain": lambda _: Screen("/rules/chain"),
    "about": lambda _: Screen("/about"),
    "print-rapido": lambda _: Screen("/print/rapido", (), printable),
    "print-chain": lambda _: Screen("/print/chain?paper=letter&board=short", (), printable),
    "guest": lambda url: Screen(rapido(url).path),
    "closed": lambda _: Screen("/t/nosuchmatch12"),
    "lost": lambda _: Screen("/nowhere"),
}  # fmt: skip
