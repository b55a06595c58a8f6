"""The interface of a game: pure functions over immutable positions, with explicit chance.

Names follow OpenSpiel. A seat is a number from 0; seat 0 starts. Players' names, colours and clocks belong
to the table, not to the game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar, TypeVarTuple

CHANCE = -1
"""``current_player`` of a chance node."""

TERMINAL = -4
"""``current_player`` of a finished game."""


class GameError(ValueError):
    """The base of all errors of games. ``code`` is stable; the message is for people."""

    code = "game_error"

    def __init__(self, message: str, *, ruling: str = "") -> None:
        super().__init__(f"{message} ({ruling})" if ruling else message)
        self.ruling = ruling


class InvalidText(GameError):
    """A text that cannot be parsed as an action, a position or a board."""

    code = "invalid_text"


class IllegalAction(GameError):
    """An action that is not legal in this position."""

    code = "illegal_action"


class BadOptions(GameError):
    """An unknown game, or invalid options."""

    code = "bad_options"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: int
    """The winning seat."""
    ruling: str
    """The ruling that decided the game."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One effect of an action, as data; front ends turn it into sentences and animations."""

    ruling: ClassVar[str]
    """The ruling that caused it."""

    seat: int
    """The seat that acted or was affected."""

    @property
    def kind(self) -> str:
        """A stable name, such as ``threw_out`` for ``ThrewOut``."""
        return _kind(type(self).__name__)

    def data(self) -> dict[str, Any]:
        """The fact's fields by name, without its kind and ruling."""
        return {name: getattr(self, name) for name in self.__match_args__}  # faster than fields()


F = TypeVarTuple("F")


class Note(Protocol):
    """Takes the facts of a transition: the class of each fact, and its fields."""

    def __call__(self, fact: Callable[[*F], Fact], /, *fields: *F) -> None: ...


class Noted(list[Fact]):
    """The facts of a transition, in order."""

    def __call__(self, fact: Callable[[*F], Fact], /, *fields: *F) -> None:
        self.append(fact(*fields))


def unnoted(fact: Callable[[*F], Fact], /, *fields: *F) -> None:
    """A ``Note`` where facts are not wanted: they are not even created."""


def kind_of(fact: type[Fact]) -> str:
    """The stable name of a kind of fact."""
    return _kind(fact.__name__)


@cache
def _kind(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game, with all that a front end needs to offer it."""

    name: str
    default: bool | int | str
    """The type of the default is the type of the option: bool, int or str."""
    ruling: str
    low: int = 0
    """The minimum; only for ints."""
    high: int = 0
    """The maximum; only for ints."""
    choices: tuple[str, ...] = ()
    """The allowed values; only for strings."""
    free_text: bool = False
    """Whether other texts than the choices are allowed too (a custom board)."""

    def check(self, value: object) -> None:
        """:raises BadOptions: if the value has the wrong type or is out of range."""
        if type(value) is not type(self.default):
            raise BadOptions(f"{self.name} must be {self.allowed}, not {value!r}", ruling=self.ruling)
        if type(value) is int and not self.low <= value <= self.high:
            raise BadOptions(f"{self.name} must be {self.allowed}, not {value}", ruling=self.ruling)
        if self.choices and not self.free_text and value not in self.choices:
            raise BadOptions(f"{self.name} must be {self.allowed}, not {value!r}", ruling=self.ruling)

    def read(self, text: str) -> int | str:
        """Parse a value from its text form, as in records and on the command line.

        :raises BadOptions: if the text is not a valid value.
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
        """The inverse of ``read``."""
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

    @property
    def allowed(self) -> str:
        """The allowed values in words, for an error message."""
        if isinstance(self.default, bool):
            return "True or False"
        if isinstance(self.default, int):
            return f"a whole number from {self.low} to {self.high}"
        return ("text, or one of " if self.free_text else "one of ") + ", ".join(self.choices)


class Word(Enum):
    """An enumeration whose members print as code, so that ``eval(repr(position))`` works."""

    __hash__ = object.__hash__  # members are singletons; Enum would hash the name each time

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class Position(Protocol):
    """The state of a game, without history."""

    @property
    def turn(self) -> int:
        """The seat whose turn it is, also at a chance node; the winner when the game is over."""


S = TypeVar("S", bound=Position)
A = TypeVar("A")
E = TypeVar("E", bound=Enum)
T = TypeVar("T")


class Game(Protocol[S, A]):
    """The rules, as pure functions of immutable positions, without random numbers, clocks or I/O.

    ``apply`` takes an outcome of the dice at a chance node and a decision at a decision node. Two games of
    one class are equal if their options are.
    """

    name: ClassVar[str]
    rules_version: ClassVar[int]
    """Incremented when a record of an older version would replay differently."""
    OPTIONS: ClassVar[tuple[Option, ...]]
    """All options, ``players`` first; the constructor takes them by name."""
    FACTS: ClassVar[tuple[type[Fact], ...]]
    """All kinds of facts that ``facts`` can return."""

    @property
    def players(self) -> int:
        """The number of seats."""

    @property
    def colours(self) -> int:
        """The number of colours of each seat (R1, R16, C2)."""

    @property
    def options(self) -> dict[str, int | str]:
        """The options of this game by name; ``load(name, **options)`` creates an equal game."""

    @property
    def actions(self) -> tuple[A, ...]:
        """All decisions of the game; the index is the action id in adapters."""

    def initial_state(self) -> S:
        """The position before the first turn; seat 0 starts."""

    def current_player(self, state: S) -> int:
        """The seat to decide, or CHANCE, or TERMINAL."""

    def legal_actions(self, state: S) -> tuple[A, ...]:
        """The legal decisions, in the order of ``actions``; empty at other nodes."""

    def chance_outcomes(self, state: S) -> tuple[tuple[A, Fraction], ...]:
        """The outcomes of the dice with their probabilities, which sum to 1; empty at other nodes."""

    def apply(self, state: S, action: A) -> S:
        """The position after a decision or an outcome of the dice.

        :raises IllegalAction: if the action is not legal here.
        """

    def outcome(self, state: S) -> Outcome | None:
        """The winner and the ruling, or None if the game is not over.

        At the end the position's ``turn`` is the winner's seat.
        """

    def facts(self, state: S, action: A) -> tuple[Fact, ...]:
        """The effects of ``action`` in ``state``, in order.

        :raises IllegalAction: as ``apply`` does.
        """

    def parse(self, text: str) -> A:
        """The decision or outcome of the dice with this text; ``str`` is the inverse.

        :raises InvalidText: if there is none.
        """

    def parse_state(self, text: str) -> S:
        """The position with this text; ``str`` is the inverse.

        :raises InvalidText: if the text cannot be parsed, or the position breaks a ruling.
        """


AnyGame = Game[Any, Any]
"""A game of any type, for code that works with all games."""


def check_options(options: Iterable[Option], values: Mapping[str, object]) -> None:
    """Check each option's type and range. :raises BadOptions: for the first invalid one."""
    for option in options:
        option.check(values[option.name])


def play_out(
    game: Game[S, A], state: S, decide: Callable[[S], A], roll: Callable[[S], A]
) -> Iterator[tuple[A, S]]:
    """Play until the game ends; yield each action and the position after it."""
    while (seat := game.current_player(state)) != TERMINAL:
        action = roll(state) if seat == CHANCE else decide(state)
        state = game.apply(state, action)
        yield action, state


def read_position(game: Game[S, A], given: S | str) -> S:
    """A position to start from, given as itself or as text.

    :raises InvalidText: if it is not a position of this game.
    :raises BadOptions: if the game is over in it.
    """
    state = game.parse_state(str(given))
    if game.current_player(state) == TERMINAL:
        raise BadOptions(f"a match cannot start where it is over: {state}")
    return state


def refusal(game: Game[S, A], state: S, number: int, where: str = "") -> IllegalAction:
    """The error for an action that is not legal: names the action, the legal ones and the position.

    :param number: its place among ``game.actions``; may be out of range.
    :param where: the game, for environments with many.
    """
    numbers = {action: place for place, action in enumerate(game.actions)}
    known = f" ({game.actions[number]})" if 0 <= number < len(numbers) else ""
    legal = ", ".join(f"{numbers[action]} ({action})" for action in game.legal_actions(state))
    return IllegalAction(
        f"{where}seat {state.turn}: action {number}{known} is not legal, legal are {legal}: {state}"
    )


# Text forms. A position is a line of key=value words.


def read_fields(text: str, keys: tuple[str, ...]) -> dict[str, str]:
    """Parse ``key=value`` words, which must have exactly these keys, each once.

    :raises InvalidText: if a word is unexpected or missing; the message names it.
    """
    if len(text) > 1000:
        raise InvalidText(f"a position is one short line, this text has {len(text)} characters")
    fields: dict[str, str] = {}
    for word in text.split():
        key, _, value = word.partition("=")
        if key not in keys or key in fields or word == key:
            raise InvalidText(f"{word!r} does not belong there: a position reads {form(keys)}")
        if not value:
            raise InvalidText(f"{word!r} has no value; write {key}=- for an empty list")
        fields[key] = value
    for key in keys:
        if key not in fields:
            raise InvalidText(f"{key} is missing: a position reads {form(keys)}")
    return fields


def form(keys: tuple[str, ...]) -> str:
    """The form of a line with these keys, for error messages."""
    return " ".join(f"{key}=…" for key in keys)


def read_number(text: str, name: str, low: int, high: int, ruling: str) -> int:
    """Parse a whole number within bounds. :raises InvalidText: otherwise."""
    if re.fullmatch(r"[0-9]{1,4}", text) and low <= int(text) <= high and str(int(text)) == text:
        return int(text)
    raise InvalidText(f"{name} must be a whole number from {low} to {high}, not {text!r}", ruling=ruling)


def read_enum(kind: type[E], name: str, text: str, ruling: str) -> E:
    """The enumeration member with this value. :raises InvalidText: if there is none."""
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
    """A copy of the tuple with one item replaced."""
    return (*items[:index], item, *items[index + 1 :])
