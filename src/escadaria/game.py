"""The contract that both games keep: pure functions over immutable positions, chance explicit.

Names are OpenSpiel's where it has one. A seat is a number from 0; seat 0 starts. Who sits
there, which colour they chose and whose clock runs is the table's business, not the game's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

CHANCE = -1
"""What ``current_player`` says where the dice are to fall."""

TERMINAL = -4
"""What ``current_player`` says when the game is over."""


class GameError(ValueError):
    """Something that was asked for cannot be done. ``code`` is stable; the message is for people."""

    code = "game_error"

    def __init__(self, message: str, *, ruling: str = "") -> None:
        super().__init__(f"{message} ({ruling})" if ruling else message)
        self.ruling = ruling


class InvalidText(GameError):
    """A text that cannot be read as an action, a position or a board."""

    code = "invalid_text"


class IllegalAction(GameError):
    """An action that exists, but not in this position."""

    code = "illegal_action"


class BadOptions(GameError):
    """A game that does not exist, or options that it does not have."""

    code = "bad_options"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: int
    """The winning seat."""
    ruling: str
    """The ruling by which it won."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened, as data; front ends make sentences and animations of it."""

    ruling: ClassVar[str]
    """The ruling that made it happen."""

    seat: int
    """The seat it happened to, or that did it."""

    @property
    def kind(self) -> str:
        """A stable name: ``ThrewOut`` is ``threw_out``."""
        return _kind(type(self).__name__)

    def data(self) -> dict[str, Any]:
        """The fact's fields by name, without its kind and ruling."""
        return {name: getattr(self, name) for name in self.__match_args__}  # all fields, and quicker


def kind_of(fact: type[Fact]) -> str:
    """The stable name of a kind of fact."""
    return _kind(fact.__name__)


@cache
def _kind(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: all that a front end needs to offer it."""

    name: str
    default: int | str
    """The type of the default is the type of the option: bool, int or str."""
    ruling: str
    low: int = 0
    """The least whole number allowed; only for ints."""
    high: int = 0
    """The greatest whole number allowed; only for ints."""
    choices: tuple[str, ...] = ()
    """The names to choose from; only for strings."""
    free_text: bool = False
    """Whether a text that is none of the choices may be given too (a board of one's own)."""

    def check(self, value: object) -> None:
        """:raises BadOptions: if the value has the wrong type or is out of range."""
        if type(value) is not type(self.default):
            raise BadOptions(f"{self.name} must be {self.allowed}, not {value!r}", ruling=self.ruling)
        if type(value) is int and not self.low <= value <= self.high:
            raise BadOptions(f"{self.name} must be {self.allowed}, not {value}", ruling=self.ruling)
        if self.choices and not self.free_text and value not in self.choices:
            raise BadOptions(f"{self.name} must be {self.allowed}, not {value!r}", ruling=self.ruling)

    def read(self, text: str) -> int | str:
        """The value from its text form, as records and command lines have it.

        :raises BadOptions: if it is none.
        """
        value: int | str = text
        if isinstance(self.default, bool):
            value = {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
        elif isinstance(self.default, int):
            value = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else text
        self.check(value)
        return value

    @staticmethod
    def write(value: object) -> str:
        """The text form that ``read`` reads."""
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

    @property
    def allowed(self) -> str:
        """What may be given, in words for an error message."""
        if isinstance(self.default, bool):
            return "True or False"
        if isinstance(self.default, int):
            return f"a whole number from {self.low} to {self.high}"
        return ("text, or one of " if self.free_text else "one of ") + ", ".join(self.choices)


class Word(Enum):
    """An enumeration whose members print as code, so that a position's ``repr`` makes it again."""

    __hash__ = object.__hash__  # each member is there once; Enum would hash its name at every look-up

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class Position(Protocol):
    """What every position has. It holds what decides the future and nothing else."""

    @property
    def turn(self) -> int:
        """The seat whose turn it is, also while the dice fall; the winner when the game is over."""


S = TypeVar("S", bound=Position)
A = TypeVar("A")
E = TypeVar("E", bound=Enum)
T = TypeVar("T")


class Game(Protocol[S, A]):
    """The rules, as pure functions of immutable positions: no dice, clock or I/O inside.

    Chance nodes and decision nodes are alike: ``apply`` takes an outcome of the dice at the
    one and a decision at the other. Two games are equal when their options are.
    """

    name: ClassVar[str]
    rules_version: ClassVar[int]
    """Rises when a record of the older version would replay differently."""
    OPTIONS: ClassVar[tuple[Option, ...]]
    """Every option, ``players`` first; the constructor takes them by name."""
    FACTS: ClassVar[tuple[type[Fact], ...]]
    """Every kind of fact that ``facts`` may tell."""

    @property
    def players(self) -> int:
        """How many seats there are."""

    @property
    def colours(self) -> int:
        """How many colours each seat has (R1, R16, C2)."""

    @property
    def options(self) -> dict[str, int | str]:
        """The options of this game by name; ``load(name, **options)`` makes it again."""

    @property
    def actions(self) -> tuple[A, ...]:
        """Every decision there is; the index is its number in adapters."""

    def initial_state(self) -> S:
        """The position before the first turn; seat 0 starts."""

    def current_player(self, state: S) -> int:
        """The seat to decide, or CHANCE, or TERMINAL."""

    def legal_actions(self, state: S) -> tuple[A, ...]:
        """What the seat to decide may do, in the order of ``actions``; empty at other nodes."""

    def chance_outcomes(self, state: S) -> tuple[tuple[A, Fraction], ...]:
        """The outcomes of the dice with their probabilities, which sum to 1; empty at other nodes."""

    def apply(self, state: S, action: A) -> S:
        """The position after a decision or an outcome of the dice.

        :raises IllegalAction: if it is neither legal nor possible here.
        """

    def outcome(self, state: S) -> Outcome | None:
        """Who won and by which ruling, or None while the game goes on."""

    def facts(self, state: S, action: A) -> tuple[Fact, ...]:
        """What happens when ``action`` is applied to ``state``, in order.

        :raises IllegalAction: as ``apply`` does.
        """

    def parse(self, text: str) -> A:
        """The decision or outcome of the dice with this text; ``str`` is the inverse.

        :raises InvalidText: if there is none.
        """

    def parse_state(self, text: str) -> S:
        """The position with this text; ``str`` is the inverse.

        :raises InvalidText: if it cannot be read, or breaks a ruling.
        """


AnyGame = Game[Any, Any]
"""A game whose positions and actions are taken as they come: what front ends work with."""


def check_options(options: Iterable[Option], values: Mapping[str, object]) -> None:
    """Check each option's type and range. :raises BadOptions: naming the first that is wrong."""
    for option in options:
        option.check(values[option.name])


def play_out(
    game: Game[S, A], state: S, decide: Callable[[S], A], roll: Callable[[S], A]
) -> Iterator[tuple[A, S]]:
    """Each action and the position after it, until the game ends."""
    while (seat := game.current_player(state)) != TERMINAL:
        action = roll(state) if seat == CHANCE else decide(state)
        state = game.apply(state, action)
        yield action, state


# Text forms. A position is a line of key=value words; both games read theirs with these.


def read_fields(text: str, keys: tuple[str, ...]) -> dict[str, str]:
    """The values of ``key=value`` words, which must be just these keys, each once.

    :raises InvalidText: naming the word that is wrong or missing.
    """
    if len(text) > 1000:
        raise InvalidText(f"a position is one short line, this text has {len(text)} characters")
    fields: dict[str, str] = {}
    for word in text.split():
        key, _, value = word.partition("=")
        if key not in keys or key in fields or not value:
            raise InvalidText(f"{word!r} does not belong there: a position reads {form(keys)}")
        fields[key] = value
    for key in keys:
        if key not in fields:
            raise InvalidText(f"{key} is missing: a position reads {form(keys)}")
    return fields


def form(keys: tuple[str, ...]) -> str:
    """How a line of these keys reads, for error messages."""
    return " ".join(f"{key}=…" for key in keys)


def read_number(text: str, name: str, low: int, high: int, ruling: str) -> int:
    """A whole number within bounds. :raises InvalidText: otherwise."""
    if re.fullmatch(r"[0-9]{1,4}", text) and low <= int(text) <= high and str(int(text)) == text:
        return int(text)
    raise InvalidText(f"{name} must be a whole number from {low} to {high}, not {text!r}", ruling=ruling)


def read_enum(kind: type[E], name: str, text: str, ruling: str) -> E:
    """The member of an enumeration with this text. :raises InvalidText: if there is none."""
    try:
        return kind(text)
    except ValueError:
        allowed = ", ".join(member.value for member in kind)
        raise InvalidText(f"{name} must be one of {allowed}, not {text!r}", ruling=ruling) from None


def read_list(text: str, separator: str) -> list[str]:
    """The parts of a list; ``-`` is the empty list."""
    return [] if text == "-" else text.split(separator)


def write_list(parts: Iterable[object], separator: str) -> str:
    """The inverse of ``read_list``."""
    return separator.join(map(str, parts)) or "-"


def replaced(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """The tuple with one item exchanged: how positions change."""
    return (*items[:index], item, *items[index + 1 :])
