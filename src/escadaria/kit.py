"""A kit: a game with everything that comes with it. Only the rules are required.

Each part is a module of the game's package. It is found by its file name and imported on first use, so that
loading a game imports only its rules. A protocol below says what the module must define. A part that is
missing has a generic default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from escadaria.game import AnyGame

if TYPE_CHECKING:  # the protocols name types of all layers
    from escadaria.adapters.observation import Parts
    from escadaria.adapters.rendering import Sheet
    from escadaria.arena.batches import PlayBatch
    from escadaria.bots import Maker
    from escadaria.coach.analysis import Relevance
    from escadaria.coach.evaluators import SeatValues
    from escadaria.compute.steps import Games
    from escadaria.compute.work import Work
    from escadaria.solutions import Solution
    from escadaria.strategy import Strategy
    from escadaria.terminal import pictures


class Bots(Protocol):
    """``bots``. Default: random play and rollouts."""

    @property
    def BOTS(self) -> Mapping[str, Maker]:
        """Makers by name: ``simple`` or one of the levels. Missing names get a generic bot."""


class Values(Protocol):
    """``values``: the values of positions. Default: the coach plays rollouts.

    It may also define ``turn_start(state)``: the position as if its turn started now, if that is evaluated
    faster.
    """

    def shipped(self, game: Any, /) -> SeatValues | None:
        """The shipped evaluator of this game; None if there is none."""


class SolutionFiles(Protocol):
    """``solution``: how a solution is stored. Default: none."""

    def file_name(self, game: Any, /) -> str: ...

    def opened(self, game: Any, about: Mapping[str, Any], arrays: Mapping[str, Any], /) -> Solution: ...


class Solver(Protocol):
    """``compiled.solver``. Default: none."""

    def needs(self, game: Any, /) -> tuple[int, int]:
        """Bytes of memory and of disk."""

    def solve(self, game: Any, work: Work, threads: int, /) -> None:
        """Compute the solution, from ``work.resume()`` on, and hand it to ``work.finish``."""

    def seconds_left(self, phase: str, residual: float, took: float, /) -> float:
        """A rough estimate, from the seconds that the last sweep took."""


class Compiled(Protocol):
    """``compiled.games``: many games at the same time. Default: bots play by the rules in Python."""

    @property
    def POLICIES(self) -> Mapping[str, int]:
        """The bots that it can play, with their codes."""

    @property
    def play_batch(self) -> PlayBatch: ...

    def games(self, game: Any, number: int, bots: Sequence[str], /) -> Games:
        """Games that wait for decisions from outside, in which these bots may play."""


class Search(Protocol):
    """``compiled.search``. Default: no bot that is stronger than a master."""

    def grandmaster(self, game: Any, /) -> Callable[[Any, Any], Any]:
        """A bot that searches. If there is an exact solution, the game's master plays instead."""


class Benchmark(Protocol):
    """``benchmark``. Default: neither ratings nor regret."""

    @property
    def SHORT(self) -> Mapping[str, int | str]:
        """The options of a short game, which is solved in seconds."""

    @property
    def ANCHORS(self) -> Mapping[int, Mapping[str, float]]:
        """By number of players: the ratings of the pool."""


class Observation(Protocol):
    """``observation``. Default: the position's fields in one row."""

    @property
    def FIELDS(self) -> Mapping[str, str]:
        """The parts in order, each with its size and meaning."""

    def parts(self, game: Any, state: Any, seat: int, /) -> Parts:
        """The position from this seat's view."""


class Picture(Protocol):
    """``picture``: the position in the terminal. Default: its text."""

    def draw(self, scene: pictures.Scene, /) -> pictures.Picture: ...


class Drawing(Protocol):
    """``drawing``: the position as an image. Default: its text."""

    def draw(self, sheet: Sheet, state: Any, /) -> None:
        """Draw the position below the row of players."""

    def note(self, state: Any, seat: int, /) -> str:
        """The text beside a seat."""


class Heuristics(Protocol):
    """``heuristics``: heuristics and charts. Default: none."""

    def advice(self) -> Mapping[int, Strategy]:
        """By number of players."""


class Explanations(Protocol):
    """``explanations``: facts that explain why a decision was better. Default: none."""

    @property
    def GOOD(self) -> Relevance:
        """Facts in favour of the best action, the strongest first."""

    @property
    def BAD(self) -> Relevance:
        """Facts against the action played, the strongest first."""


class Sequences(Protocol):
    """``sequences``: series of decisions without a roll between them, each one choice. Default: none."""

    def sequences(self, game: Any, state: Any, /) -> tuple[Sequence[tuple[Any, ...]], bool]:
        """The series, the first as a proposal, and whether these are all."""


P = TypeVar("P", covariant=True)


class Part(Generic[P]):
    """A part of a kit: a function that imports its module, or None if the package has no such module."""

    def __init__(self, module: str) -> None:
        self.module = module

    def __get__(self, kit: Kit | None, owner: type[Kit]) -> Callable[[], P] | None:
        if kit is None or not kit.package or not _exists(f"{kit.package}.{self.module}"):
            return None
        return cast(Callable[[], P], partial(import_module, f"{kit.package}.{self.module}"))


@cache
def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor its folder
        return False


@dataclass(frozen=True, kw_only=True)
class Kit:
    """A game and its parts. Other packages register theirs in the entry-point group ``escadaria.games``."""

    game: type[AnyGame]
    """The rules."""
    package: str = ""
    """The package with the parts. ``data/rulebook.toml`` in it has the rules with examples, and
    ``data/lesson.toml`` a guided first game. Default: none."""
    texts: str = ""
    """A package with ``en.po`` and files for other languages. Default: the identifiers as texts."""
    counted: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What simulations count by seat: from a name to the kind of fact and its field with the seat."""
    at_end: tuple[str, ...] = ()
    """Fields of the last position, by seat, that simulations report."""
    shows_risk: bool = False
    """Whether front ends show the probability that the turn continues after a roll."""
    most_rolls: int = 64
    """The maximum number of rolls between two decisions."""

    bots = Part[Bots]("bots")
    values = Part[Values]("values")
    solution = Part[SolutionFiles]("solution")
    solver = Part[Solver]("compiled.solver")
    compiled = Part[Compiled]("compiled.games")
    search = Part[Search]("compiled.search")
    benchmark = Part[Benchmark]("benchmark")
    observation = Part[Observation]("observation")
    picture = Part[Picture]("picture")
    drawing = Part[Drawing]("drawing")
    heuristics = Part[Heuristics]("heuristics")
    explanations = Part[Explanations]("explanations")
    sequences = Part[Sequences]("sequences")
