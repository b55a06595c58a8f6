"""The full rules of each game, in the order in which a family reads them; every ruling is told.

Only the order, the rulings and the examples are here. The words are in ``i18n``, under the keys below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from escadaria.table import Table
from escadaria.teaching.cast import Start


@dataclass(frozen=True)
class Example:
    """A position to look at, and what may happen in it."""

    caption: str
    start: Start
    setup: tuple[str, ...] = ()
    """Events that lead from the start to the position that is shown."""
    tries: tuple[str, ...] = ()
    """Events, each from the position that is shown."""

    def table(self) -> Table:
        """A table at the position that is shown."""
        return self.start.table(self.setup)


@dataclass(frozen=True)
class Paragraph:
    """One to four sentences."""

    text: str
    rulings: tuple[str, ...]
    example: Example | None = None


@dataclass(frozen=True)
class Section:
    """Paragraphs under a heading."""

    title: str
    paragraphs: tuple[Paragraph, ...]


def _section(game: str, name: str, *paragraphs: tuple[str, str, Example | None]) -> Section:
    """Paragraphs given by name, rulings and example; their texts are ``rules.GAME.NAME``."""
    return Section(
        f"rules.{game}.title.{name}",
        tuple(
            Paragraph(f"rules.{game}.{text}", tuple(rulings.split()), example)
            for text, rulings, example in paragraphs
        ),
    )


# Rapido.


def _rapido(name: str, cast: str, position: str, *tries: str) -> Example:
    return Example(
        f"rules.rapido.{name}.example", Start("rapido", position, tuple(cast.split())), tries=tries
    )


_RAPIDO = (
    _section(
        "rapido",
        "race",
        ("aim", "R1 R15", None),
        ("kit", "R1", None),
        (
            "stairs",
            "R3",
            _rapido(
                "stairs", "Ana Bento Clara Davi", "turn=0 phase=first value=0 steps=7,12,7,3 tower=2:2:51"
            ),
        ),
        ("dice", "R2", None),
        (
            "tower",
            "R4",
            _rapido(
                "tower",
                "Ana Bento Clara Davi Eva",
                "turn=4 phase=first value=0 steps=4,9,6,8,5 tower=0:1,0:2,3:0:64,5:3:42",
            ),
        ),
    ),
    _section(
        "rapido",
        "turn",
        ("turn", "R5 R6", None),
        (
            "score",
            "R7",
            _rapido(
                "score",
                "Ana Bento Clara",
                "turn=0 phase=decide value=31 steps=5,6,2 tower=4:1:63",
                "0 place 1",
            ),
        ),
        ("roll", "R8", None),
        (
            "value",
            "R9",
            _rapido(
                "value",
                "Ana Bento Clara",
                "turn=0 phase=first value=0 steps=3,4,2 tower=-",
                "0 roll [26]",
                "0 roll [7X]",
            ),
        ),
        (
            "double",
            "R10",
            _rapido(
                "double",
                "Ana Bento Clara",
                "turn=1 phase=first value=0 steps=6,4,5 tower=2:2:51",
                "1 roll [33]",
            ),
        ),
        (
            "first_cross",
            "R11",
            _rapido(
                "first_cross",
                "Ana Bento Clara",
                "turn=2 phase=first value=0 steps=3,4,2 tower=1:0:43",
                "2 roll [X5]",
                "2 roll [XX]",
            ),
        ),
        (
            "later_cross",
            "R12",
            _rapido(
                "later_cross",
                "Ana Bento Clara",
                "turn=0 phase=decide value=31 steps=8,9,6 tower=3:2:64",
                "0 again [X5]",
                "0 again [XX]",
            ),
        ),
    ),
    _section(
        "rapido",
        "tower",
        (
            "place",
            "R13",
            _rapido(
                "place",
                "Ana Bento Clara Davi",
                "turn=0 phase=decide value=53 steps=6,8,7,4 tower=1:3:41,3:2:64",
                "0 place 4",
            ),
        ),
        (
            "throw",
            "R14",
            _rapido(
                "throw",
                "Fábio Clara Ana Bento Eva",
                "turn=0 phase=decide value=62 steps=9,12,8,10,7 tower=1:4:43,3:3:51,4:2:71",
                "0 place 5",
                "0 place 2",
                "0 place 0",
            ),
        ),
        ("out", "R7 R14", None),
    ),
    _section(
        "rapido",
        "end",
        (
            "end",
            "R15",
            _rapido(
                "end",
                "Ana Bento Clara",
                "turn=0 phase=decide value=21 steps=13,18,16 tower=5:1:72",
                "0 place 2",
            ),
        ),
    ),
    _section(
        "rapido",
        "two",
        (
            "two",
            "R16 R19",
            _rapido("two", "Ana Bento", "turn=0 phase=first value=0 steps=5,7 tower=2:1:61,3:0:53"),
        ),
        (
            "two_score",
            "R18",
            _rapido(
                "two_score",
                "Ana Bento",
                "turn=1 phase=decide value=32 steps=5,7 tower=2:0:72,4:0:64",
                "1 place 1",
            ),
        ),
        (
            "two_throw",
            "R17",
            _rapido(
                "two_throw",
                "Ana Bento",
                "turn=0 phase=decide value=64 steps=5,7 tower=3:1:52,4:0:31",
                "0 place 1",
            ),
        ),
    ),
)


# Chain.

_KEEP = "chain=-/0/open loose=-"
"""The end of a position in which a turn starts."""


def _chain(
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


_CHAIN = (
    _section(
        "chain",
        "race",
        ("aim", "C1", None),
        ("kit", "C2", None),
        (
            "track",
            "C3",
            _chain(
                "track",
                "turn=0 phase=keep hands=3,2,4 pool=15 discs=6+18,0+11,23+34 "
                f"stacks=6:0,11:1,18:0,23:2 {_KEEP}",
                cast="Ana Bento Clara",
            ),
        ),
        ("start", "C4 C5", None),
    ),
    _section(
        "chain",
        "win",
        (
            "stuck",
            "C7",
            _chain(
                "stuck",
                "turn=1 phase=decide hands=2,3 pool=11 discs=15+22,9+15 stacks=9:1,15:0+1,22:0 "
                "chain=245/5/up loose=-",
                "1 move 15",
            ),
        ),
        (
            "win",
            "C6",
            _chain(
                "win",
                "turn=1 phase=decide hands=3,2 pool=11 discs=20+34,16+20 stacks=16:1,20:0+1 "
                "chain=34/4/up loose=-",
                "1 move 16",
            ),
        ),
    ),
    _section(
        "chain",
        "turn",
        (
            "discard",
            "C8",
            _chain(
                "discard",
                f"turn=0 phase=keep hands=5,2 pool=9 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                "0 keep 3 [4] [6] [5]",
            ),
        ),
        (
            "build",
            "C9 C10",
            _chain(
                "build",
                "turn=0 phase=build hands=4,2 pool=10 discs=0+9,0+4 stacks=4:1,9:0 chain=4/4/open loose=356",
            ),
        ),
        (
            "direction",
            "C11",
            _chain(
                "direction",
                f"turn=0 phase=keep hands=4,2 pool=10 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                setup=("0 keep 4 [4] [3] [6] [5]", "0 link 6", "0 link 5", "0 link 3"),
            ),
        ),
        (
            "open",
            "C11",
            _chain(
                "open",
                f"turn=1 phase=keep hands=4,2 pool=10 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                setup=("1 keep 2 [3] [3]", "1 link 3"),
            ),
        ),
        (
            "stop",
            "C12",
            _chain(
                "stop",
                "turn=0 phase=decide hands=4,2 pool=10 discs=0+8,0+4 stacks=4:1,8:0 chain=2345/5/up loose=-",
                "0 move 8",
            ),
        ),
        (
            "lengthen",
            "C13",
            _chain(
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
            _chain(
                "failure",
                f"turn=1 phase=keep hands=4,3 pool=9 discs=0+9,0+4 stacks=4:1,9:0 {_KEEP}",
                "1 keep 3 [4] [2] [5]",
            ),
        ),
        ("honest", "C14", None),
    ),
    _section(
        "chain",
        "board",
        (
            "centre",
            "C15",
            _chain(
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
            _chain(
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
            _chain(
                "cover",
                "turn=0 phase=decide hands=4,2 pool=10 discs=0+12,9+16 stacks=9:1,12:0,16:1 "
                "chain=2345/5/up loose=-",
                "0 move 12",
            ),
        ),
    ),
    _section(
        "chain",
        "ours",
        (
            "balanced",
            "C18",
            _chain(
                "balanced",
                f"turn=0 phase=keep hands=2,3 pool=11 discs=0+0,0+0 stacks=- {_KEEP}",
                balanced=True,
            ),
        ),
    ),
)


RULES: Mapping[str, tuple[Section, ...]] = {"rapido": _RAPIDO, "chain": _CHAIN}
"""The rules by the game's name."""
