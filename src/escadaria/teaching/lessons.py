"""A guided first game of each game: scripted dice, other players' turns, and what the learner is asked to do.

A step plays what there is to watch, then the guide says something, then mostly the learner acts. A scene
starts from a position of its own, so that a lesson reaches the interesting moments fast. The words are in
``i18n``, under the keys below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from escadaria.table import Table
from escadaria.teaching.cast import Start

LEARNER = 0
"""The learner's seat."""


@dataclass(frozen=True)
class Step:
    """Watch, listen, act."""

    say: str
    """What the guide says."""
    ask: tuple[str, ...] = ()
    """The right answers as events of the learner, with the dice that fall upon them; none: just go on."""
    hint: str = ""
    """What the guide says to an answer that is possible but not wanted; empty if there is none."""
    watch: tuple[str, ...] = ()
    """Events of the others, played before the guide speaks."""


@dataclass(frozen=True)
class Scene:
    """Steps from one starting position. Only the last may have several answers."""

    title: str
    start: Start
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        assert all(len(step.ask) <= 1 for step in self.steps[:-1]), f"{self.title}: the way parts too early"

    def table(self, number: int, watched: tuple[str, ...] = ()) -> Table:
        """A table at which the steps before this one have been played, and then what was watched."""
        before = [event for step in self.steps[:number] for event in (*step.watch, *step.ask)]
        return self.start.table((*before, *watched))


def _scene(game: str, name: str, cast: str, position: str, *steps: tuple[str, str, str]) -> Scene:
    """Steps given by name, answers and what is watched before; events stand between semicolons.

    The texts are ``lesson.GAME.SCENE.STEP``, with ``.hint`` where a name ends with a question mark.
    """
    key = f"lesson.{game}.{name}"
    return Scene(
        key,
        Start(game, position, tuple(cast.split())),
        tuple(
            Step(
                f"{key}.{step.removesuffix('?')}",
                _events(ask),
                f"{key}.{step.removesuffix('?')}.hint" if step.endswith("?") else "",
                _events(watch),
            )
            for step, ask, watch in steps
        ),
    )


def _events(text: str) -> tuple[str, ...]:
    return tuple(event.strip() for event in text.split(";") if event.strip())


_RAPIDO = (
    _scene(
        "rapido",
        "begin",
        "Ana Bento Clara",
        "turn=0 phase=first value=0 steps=0,0,0 tower=-",
        ("roll", "0 roll [26]", ""),
        ("place?", "0 place 4", ""),
        ("score", "0 roll [75]", "1 roll [35]; 1 place 3; 2 roll [42]; 2 place 5"),
        ("throw?", "0 place 2", ""),
        ("others", "0 roll [36]", "1 roll [43]; 1 place 4; 2 roll [16]; 2 place 1"),
        ("choose?", "0 place 0; 0 place 2; 0 place 3; 0 place 4; 0 place 5", ""),
    ),
    _scene(
        "rapido",
        "dare",
        "Ana Bento Clara",
        "turn=0 phase=first value=0 steps=9,11,8 tower=2:2:51",
        ("roll", "0 roll [1X]", ""),
        ("again?", "0 again [33]", ""),
        ("double?", "0 again [X5]", ""),
        ("cross", "", ""),
    ),
    _scene(
        "rapido",
        "finish",
        "Ana Bento Clara",
        "turn=0 phase=first value=0 steps=17,18,15 tower=2:2:61,4:1:72",
        ("roll", "0 roll [75]", ""),
        ("place?", "0 place 3", ""),
        ("won", "", "1 roll [21]; 1 place 5; 2 roll [46]; 2 place 1"),
    ),
)

_CHAIN = (
    _scene(
        "chain",
        "begin",
        "Ana Bento",
        "turn=0 phase=keep hands=2,2 pool=12 discs=0+0,0+0 stacks=- chain=-/0/open loose=-",
        ("keep?", "0 keep 2 [4] [6]", ""),
        ("link", "0 link 6", ""),
        ("down?", "0 down [5]", ""),
        ("more?", "0 down [3]", ""),
        ("move?", "0 move 0", ""),
        ("fail?", "0 keep 3 [6] [2] [5]", "1 keep 2 [2] [5]; 1 link 5; 1 up [3]"),
        ("order", "0 link 5", ""),
        ("last", "0 link 2", ""),
        ("arrow?", "0 move 4", ""),
        ("landed", "", ""),
    ),
    _scene(
        "chain",
        "cover",
        "Ana Bento",
        "turn=0 phase=decide hands=4,3 pool=9 discs=12+20,3+16 stacks=3:1,12:0,16:1,20:0 "
        "chain=2345/5/up loose=-",
        ("choose?", "0 move 12; 0 move 20", ""),
    ),
    _scene(
        "chain",
        "centre",
        "Ana Bento",
        "turn=0 phase=decide hands=3,3 pool=10 discs=30+34,20+33 stacks=20:1,30:0,33:1 "
        "chain=236/6/open loose=-",
        ("down?", "0 down [4]", ""),
        ("move?", "0 move 30", ""),
        ("won", "", "1 keep 3 [2] [3] [5]; 1 link 3; 1 link 5; 1 move 33"),
    ),
)

LESSONS: Mapping[str, tuple[Scene, ...]] = {"rapido": _RAPIDO, "chain": _CHAIN}
"""The lessons by the game's name."""
