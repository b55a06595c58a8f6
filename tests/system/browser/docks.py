"""The decisions of both games at practice tables, and what must be seen of each on every screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, ViewportSize, expect

from system.browser.conftest import Come
from system.browser.looks import CUT, SCROLLS, TARGET, out_of_view
from system.browser.people import Person
from system.browser.screens import DECIDES, EVALUATED
from system.browser.setup import SIDE, Table, practising

RAPIDO = "turn=0 phase=decide value=62 steps={} tower={}"
SIX_STEPS = "9,12,8,13,9,3"
NONE = "-/0/open"
TWO_DISCS = "discs=15+30,19+22 stacks=15:0,19:1,22:1,30:0"
SIX_DISCS = "discs=15+30,19+22,16+34,5+19,12+25,0+25 stacks=5:3,12:4,15:0,16:2,19:1+3,22:1,25:5+4,30:0"
TWO_WAYS = "turn=0 phase=decide hands=3,2 pool=11 discs=2+9,4+9 stacks=2:0,4:1,9:1+0 chain=346/6/open loose=-"


@dataclass(frozen=True)
class Dock:
    """A decision of the first seat."""

    game: str
    players: int
    position: str
    options: dict[str, Any] = field(default_factory=dict)
    bars: bool = False
    """Whether the chances of winning are shown."""
    desk: bool = True
    """Whether it is checked on a desk."""


def chain(players: int, phase: str, hand: int, chain: str = NONE, loose: str = "-") -> Dock:
    """The first seat is to play; the others have three dice each."""
    pool = 8 * players - hand - 3 * (players - 1)
    hands = ",".join([str(hand)] + ["3"] * (players - 1))
    discs = TWO_DISCS if players == 2 else SIX_DISCS
    position = f"turn=0 phase={phase} hands={hands} pool={pool} {discs} chain={chain} loose={loose}"
    return Dock("chain", players, position)


DOCKS = {
    "rapido-two": Dock("rapido", 2, RAPIDO.format("9,5", "3:0:54,4:1:41")),
    "rapido-six": Dock("rapido", 6, RAPIDO.format(SIX_STEPS, "0:3,0:5,4:1:61,5:2:53")),
    "rapido-open": Dock("rapido", 6, RAPIDO.format(SIX_STEPS, "0:1,0:2,0:3")),  # all fields are free
    "rapido-chances": Dock("rapido", 2, EVALUATED, {"finish": 5}, bars=True),
    "chain-keep": chain(2, "keep", 5),
    "chain-keep-many": chain(6, "keep", 13),
    "chain-build": chain(6, "build", 5, "2/2/open", "1356"),
    "chain-build-six": chain(2, "build", 7, "2/2/open", "133566"),
    "chain-build-many": chain(6, "build", 13, "3/3/open", "112233445566"),
    "chain-decide": chain(6, "decide", 4, "3456/3/down"),
    "chain-decide-open": chain(2, "decide", 3, "146/6/open"),
    "chain-decide-five": chain(2, "decide", 5, "12245/4/up"),
    "chain-decide-never": chain(2, "decide", 4, "4666/6/open"),
    "chain-decide-many": chain(6, "decide", 12, "112234445566/5/up"),
    "chain-chances": Dock("chain", 2, DECIDES, {"board": "18"}, bars=True),
    "chain-chances-two-ways": Dock("chain", 2, TWO_WAYS, {"board": "18"}, bars=True, desk=False),
}  # fmt: skip


def opened(url: str, dock: Dock) -> Table:
    return practising(url, dock.game, dock.position, dock.players, "Ana", **dock.options)


def seated(come: Come, url: str, dock: Dock, size: ViewportSize, language: str = "", **wish: Any) -> Person:
    """A person whose decision this is."""
    return at(come, [opened(url, dock)], size, language, bars=dock.bars, **wish)


def at(
    come: Come, tables: Sequence[Table], size: ViewportSize, language: str = "", **settings: Any
) -> Person:
    """A person with seats at these tables, whose turn it is at the first one."""
    person = come(page={"viewport": size, "has_touch": True}, seats=tables, language=language, **settings)
    person.go(tables[0].path)
    assert person.asked()
    return person


def chips(person: Person) -> Locator:
    return person.turn.locator("[data-action]")


SHARE = re.compile(r"\d\s?%")


def problems(
    come: Come, url: str, dock: Dock, sizes: Sequence[ViewportSize], language: str
) -> dict[str, list[str]]:
    """At each size: controls that are not in view, too small, or cut, and a page that scrolls."""
    sizes = [size for size in sizes if dock.desk or size["width"] < 1000]
    person = seated(come, url, dock, sizes[0], language)
    turn, page = person.turn, person.page
    found: dict[str, list[str]] = {}
    for size in sizes:
        page.set_viewport_size(size)
        person.see()
        controls = turn.locator(":is([data-action], .buttons button, [type=range])").locator("visible=true")
        least = TARGET if size["height"] > 500 else 36  # six beside each other on a small phone on its side
        wrong = out_of_view(controls, least) + page.evaluate(CUT)
        if size == SIDE:
            expect(person.board).to_be_in_viewport(ratio=1)
        if page.evaluate(SCROLLS):
            wrong.append("the page scrolls")
        if dock.game == "chain":
            boxes = [box for chip in chips(person).all() if (box := chip.bounding_box())]
            rows = {round(box["y"]) for box in boxes}
            if len(boxes) > 6 or len(rows) > (2 if size["width"] > 1080 else 1):
                wrong.append(f"{len(boxes)} choices in {len(rows)} rows")
        found[f"{size['width']}x{size['height']}"] = wrong
    if dock.bars:
        expect(turn.locator(".win.best").first).to_be_visible()
        for choice in [*person.choices.all(), *person.risky.all()]:
            expect(choice).to_have_accessible_name(SHARE)
            expect(choice.get_by_text(SHARE).locator("visible=true").first).to_be_visible()
    return {size: wrong for size, wrong in found.items() if wrong}


def places(come: Come, url: str, game: str, size: ViewportSize) -> set[str]:
    """The places of the board and the main button in all decisions of six players."""
    tables = [opened(url, dock) for dock in DOCKS.values() if (dock.game, dock.players) == (game, 6)]
    person = at(come, tables, size)
    board = person.board
    found = set()
    for table in tables:
        person.sit(table)
        found.add(f"{board.bounding_box()} {person.main.bounding_box()}")
    return found
