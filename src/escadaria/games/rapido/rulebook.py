"""The rules of Rapido in reading order, the origin of each ruling, and the components."""

from __future__ import annotations

from escadaria.teaching.cast import Start
from escadaria.teaching.rules import Component, Example, Origin, Ruling, component, ruling, section


def _example(name: str, cast: str, position: str, *tries: str) -> Example:
    return Example(
        f"rules.rapido.{name}.example", Start("rapido", position, tuple(cast.split())), tries=tries
    )


def _ruling(number: str, *origins: Origin, noted: bool = False) -> Ruling:
    return ruling("rapido", number, *origins, noted=noted)


def _component(name: str, *counts: int) -> Component:
    return component("rapido", name, *counts)


RULINGS = (
    _ruling("R1", "printed"),
    _ruling("R2", "printed", "picture"),
    _ruling("R3", "printed", "picture", "open"),
    _ruling("R4", "printed"),
    _ruling("R5", "printed", "open"),
    _ruling("R6", "printed"),
    _ruling("R7", "printed", "open"),
    _ruling("R8", "printed"),
    _ruling("R9", "printed", noted=True),
    _ruling("R10", "printed", "open"),
    _ruling("R11", "printed"),
    _ruling("R12", "printed"),
    _ruling("R13", "printed"),
    _ruling("R14", "printed"),
    _ruling("R15", "printed"),
    _ruling("R16", "printed", noted=True),
    _ruling("R17", "printed", noted=True),
    _ruling("R18", "printed", noted=True),
    _ruling("R19", "printed"),
)

COMPONENTS = (
    _component("stairs", 1, 1, 1, 1, 1),
    _component("tower", 1, 1, 1, 1, 1),
    _component("dice", 4, 3, 4, 5, 6),
    _component("markers", 4, 3, 4, 5, 6),
    _component("pieces", 2, 3, 4, 5, 6),
)

SECTIONS = (
    section(
        "rapido",
        "race",
        ("aim", "R1 R15", None),
        ("kit", "R1", None),
        (
            "stairs",
            "R3",
            _example(
                "stairs", "Ana Bento Clara Davi", "turn=0 phase=first value=0 steps=7,12,7,3 tower=2:2:51"
            ),
        ),
        ("dice", "R2", None),
        (
            "tower",
            "R4",
            _example(
                "tower",
                "Ana Bento Clara Davi Eva",
                "turn=4 phase=first value=0 steps=4,9,6,8,5 tower=0:1,0:2,3:0:64,5:3:42",
            ),
        ),
    ),
    section(
        "rapido",
        "turn",
        ("turn", "R5 R6", None),
        (
            "score",
            "R7",
            _example(
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
            _example(
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
            _example(
                "double",
                "Ana Bento Clara",
                "turn=1 phase=first value=0 steps=6,4,5 tower=2:2:51",
                "1 roll [33]",
            ),
        ),
        (
            "first_cross",
            "R11",
            _example(
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
            _example(
                "later_cross",
                "Ana Bento Clara",
                "turn=0 phase=decide value=31 steps=8,9,6 tower=3:2:64",
                "0 again [X5]",
                "0 again [XX]",
            ),
        ),
    ),
    section(
        "rapido",
        "tower",
        (
            "place",
            "R13",
            _example(
                "place",
                "Ana Bento Clara Davi",
                "turn=0 phase=decide value=53 steps=6,8,7,4 tower=1:3:41,3:2:64",
                "0 place 4",
            ),
        ),
        (
            "throw",
            "R14",
            _example(
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
    section(
        "rapido",
        "end",
        (
            "end",
            "R15",
            _example(
                "end",
                "Ana Bento Clara",
                "turn=0 phase=decide value=21 steps=13,18,16 tower=5:1:72",
                "0 place 2",
            ),
        ),
    ),
    section(
        "rapido",
        "two",
        (
            "two",
            "R16 R19",
            _example("two", "Ana Bento", "turn=0 phase=first value=0 steps=5,7 tower=2:1:61,3:0:53"),
        ),
        (
            "two_score",
            "R18",
            _example(
                "two_score",
                "Ana Bento",
                "turn=1 phase=decide value=32 steps=5,7 tower=2:0:72,4:0:64",
                "1 place 1",
            ),
        ),
        (
            "two_throw",
            "R17",
            _example(
                "two_throw",
                "Ana Bento",
                "turn=0 phase=decide value=64 steps=5,7 tower=3:1:52,4:0:31",
                "0 place 1",
            ),
        ),
    ),
)
