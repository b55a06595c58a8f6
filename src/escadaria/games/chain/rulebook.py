"""The rules of Chain in reading order, the origin of each ruling, and the components."""

from __future__ import annotations

from escadaria.teaching.cast import Start
from escadaria.teaching.rules import Component, Example, Origin, Ruling, component, ruling, section

_KEEP = "chain=-/0/open loose=-"
"""The end of a position in which a turn starts."""


def _example(
    name: str,
    position: str,
    *tries: str,
    cast: str = "Ana Bento",
    setup: tuple[str, ...] = (),
    balanced: bool = False,
) -> Example:
    options: dict[str, int | str] = {"balanced": True} if balanced else {}
    start = Start("chain", position, tuple(cast.split()), options)
    return Example(f"rules.chain.{name}.example", start, setup, tries)


def _ruling(number: str, *origins: Origin) -> Ruling:
    return ruling("chain", number, *origins)


def _component(name: str, *counts: int) -> Component:
    return component("chain", name, *counts)


RULINGS = (
    _ruling("C1", "printed", "open"),
    _ruling("C2", "printed", "open"),
    _ruling("C3", "printed", "picture", "open"),
    _ruling("C4", "printed"),
    _ruling("C5", "printed"),
    _ruling("C6", "printed"),
    _ruling("C7", "printed"),
    _ruling("C8", "printed", "open"),
    _ruling("C9", "printed"),
    _ruling("C10", "printed", "open"),
    _ruling("C11", "printed", "open"),
    _ruling("C12", "printed"),
    _ruling("C13", "printed", "open"),
    _ruling("C14", "printed", "open"),
    _ruling("C15", "printed"),
    _ruling("C16", "printed"),
    _ruling("C17", "printed", "open"),
    _ruling("C18", "open"),
)

COMPONENTS = (
    _component("board", 1, 1, 1, 1, 1),
    _component("discs", 4, 6, 8, 10, 12),
    _component("coloured", 2, 3, 4, 5, 6),
    _component("black", 2, 3, 4, 5, 6),
    _component("pool", 12, 18, 24, 30, 36),
)

SECTIONS = (
    section(
        "chain",
        "race",
        ("aim", "C1", None),
        ("kit", "C2", None),
        (
            "track",
            "C3",
            _example(
                "track",
                "turn=0 phase=keep hands=3,2,4 pool=15 discs=6+18,0+11,23+34 "
                f"stacks=6:0,11:1,18:0,23:2 {_KEEP}",
                cast="Ana Bento Clara",
            ),
        ),
        ("start", "C4 C5", None),
    ),
    section(
        "chain",
        "win",
        (
            "stuck",
            "C7",
            _example(
                "stuck",
                "turn=1 phase=decide hands=2,3 pool=11 discs=15+22,9+15 stacks=9:1,15:0+1,22:0 "
                "chain=245/5/up loose=-",
                "1 move 15",
            ),
        ),
        (
            "win",
            "C6",
            _example(
                "win",
                "turn=1 phase=decide hands=3,2 pool=11 discs=20+34,16+20 stacks=16:1,20:0+1 "
                "chain=34/4/up loose=-",
                "1 move 16",
            ),
        ),
    ),
    section(
        "chain",
        "turn",
        (
            "discard",
            "C8",
            _example(
                "discard",
                f"turn=0 phase=keep hands=5,2 pool=9 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                "0 keep 3 [4] [6] [5]",
            ),
        ),
        (
            "build",
            "C9 C10",
            _example(
                "build",
                "turn=0 phase=build hands=4,2 pool=10 discs=0+9,0+4 stacks=4:1,9:0 chain=4/4/open loose=356",
            ),
        ),
        (
            "direction",
            "C11",
            _example(
                "direction",
                f"turn=0 phase=keep hands=4,2 pool=10 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                setup=("0 keep 4 [4] [3] [6] [5]", "0 link 6", "0 link 5", "0 link 3"),
            ),
        ),
        (
            "open",
            "C11",
            _example(
                "open",
                f"turn=1 phase=keep hands=4,2 pool=10 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                setup=("1 keep 2 [3] [3]", "1 link 3"),
            ),
        ),
        (
            "stop",
            "C12",
            _example(
                "stop",
                "turn=0 phase=decide hands=4,2 pool=10 discs=0+8,0+4 stacks=4:1,8:0 chain=2345/5/up loose=-",
                "0 move 8",
            ),
        ),
        (
            "lengthen",
            "C13",
            _example(
                "lengthen",
                f"turn=0 phase=keep hands=3,2 pool=11 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                "0 down [2]",
                "0 down [5]",
                setup=("0 keep 3 [6] [5] [3]", "0 link 5", "0 link 3"),
            ),
        ),
        ("named", "C13", None),
        (
            "failure",
            "C14",
            _example(
                "failure",
                f"turn=1 phase=keep hands=4,3 pool=9 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                "1 keep 3 [4] [2] [5]",
            ),
        ),
        ("honest", "C14", None),
    ),
    section(
        "chain",
        "board",
        (
            "centre",
            "C15",
            _example(
                "centre",
                "turn=0 phase=decide hands=5,2 pool=9 discs=29+30,4+20 stacks=4:1,20:1,29:0,30:0 "
                "chain=12345/5/up loose=-",
                "0 move 29",
                "0 move 30",
            ),
        ),
        (
            "arrows",
            "C16",
            _example(
                "arrows",
                "turn=0 phase=decide hands=5,2 pool=9 discs=5+9,0+4 stacks=4:1,5:0,9:0 "
                "chain=12345/5/up loose=-",
                "0 move 9",
                "0 move 5",
            ),
        ),
        (
            "cover",
            "C17",
            _example(
                "cover",
                "turn=0 phase=decide hands=4,2 pool=10 discs=0+12,9+16 stacks=9:1,12:0,16:1 "
                "chain=2345/5/up loose=-",
                "0 move 12",
            ),
        ),
    ),
    section(
        "chain",
        "ours",
        (
            "balanced",
            "C18",
            _example(
                "balanced",
                f"turn=0 phase=keep hands=2,3 pool=11 discs=0+0,0+0 stacks=- {_KEEP}",
                balanced=True,
            ),
        ),
    ),
)
