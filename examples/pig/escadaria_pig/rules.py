"""The rules of Pig. P1: roll as often as you like. P2: a 1 loses the turn. P3: hold. P4: the goal wins."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import ClassVar

from escadaria.game import (
    CHANCE,
    TERMINAL,
    Fact,
    IllegalAction,
    InvalidText,
    Option,
    Outcome,
    check_options,
    read_fields,
    read_number,
    replaced,
)

FACES = ("1", "2", "3", "4", "5", "6")


@dataclass(frozen=True, slots=True)
class State:
    """A position."""

    turn: int
    rolling: bool  # a roll is due
    pot: int  # the points of the turn so far
    scores: tuple[int, ...]  # by seat

    def __str__(self) -> str:
        scores = ",".join(map(str, self.scores))
        return f"turn={self.turn} rolling={int(self.rolling)} pot={self.pot} scores={scores}"


@dataclass(frozen=True, slots=True)
class Rolled(Fact):
    ruling = "P1"
    number: int


@dataclass(frozen=True, slots=True)
class Lost(Fact):
    ruling = "P2"
    points: int


@dataclass(frozen=True, slots=True)
class Held(Fact):
    ruling = "P3"
    points: int


@dataclass(frozen=True)
class Pig:
    """The game; see ``escadaria.game.Game`` for the methods."""

    players: int = 2
    goal: int = 100

    name: ClassVar[str] = "pig"
    rules_version: ClassVar[int] = 1
    colours = 1
    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("players", default=2, low=2, high=6, ruling="P1"),
        Option("goal", default=100, low=5, high=500, ruling="P4"),
    )
    FACTS: ClassVar[tuple[type[Fact], ...]] = (Rolled, Lost, Held)
    actions = ("roll", "hold")

    def __post_init__(self) -> None:
        check_options(self.OPTIONS, self.options)

    @property
    def options(self) -> dict[str, int | str]:
        return asdict(self)

    def initial_state(self) -> State:
        return State(0, False, 0, (0,) * self.players)

    def current_player(self, state: State) -> int:
        if self.outcome(state):
            return TERMINAL
        return CHANCE if state.rolling else state.turn

    def legal_actions(self, state: State) -> tuple[str, ...]:
        if self.current_player(state) != state.turn:
            return ()
        return ("roll", "hold") if state.pot else ("roll",)

    def chance_outcomes(self, state: State) -> tuple[tuple[str, Fraction], ...]:
        return tuple((face, Fraction(1, 6)) for face in FACES) if state.rolling else ()

    def apply(self, state: State, action: str) -> State:
        if action not in (FACES if state.rolling else self.legal_actions(state)):
            raise IllegalAction(f"{action!r} is not possible at {state}", ruling="P1")
        following = (state.turn + 1) % self.players
        if action == "roll":
            return State(state.turn, True, state.pot, state.scores)
        if action == "1":  # P2
            return State(following, False, 0, state.scores)
        if action != "hold":  # P1
            return State(state.turn, False, state.pot + int(action), state.scores)
        held = state.scores[state.turn] + state.pot  # P3
        over = held >= self.goal  # P4
        return State(state.turn if over else following, False, 0, replaced(state.scores, state.turn, held))

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.turn, "P4") if max(state.scores) >= self.goal else None

    def facts(self, state: State, action: str) -> tuple[Fact, ...]:
        self.apply(state, action)
        if action == "hold":
            return (Held(state.turn, state.pot),)
        rolled = (Rolled(state.turn, int(action)),) if action in FACES else ()
        return (*rolled, Lost(state.turn, state.pot)) if action == "1" else rolled

    def parse(self, text: str) -> str:
        if text not in (*self.actions, *FACES):
            raise InvalidText(f"{text!r} is neither roll nor hold nor a number from 1 to 6")
        return text

    def parse_state(self, text: str) -> State:
        fields = read_fields(text, ("turn", "rolling", "pot", "scores"))
        scores = tuple(read_number(score, "a score", 0, 999, "P4") for score in fields["scores"].split(","))
        if len(scores) != self.players:
            raise InvalidText(f"there are {self.players} players, not {len(scores)}", ruling="P1")
        turn = read_number(fields["turn"], "turn", 0, self.players - 1, "P1")
        rolling = read_number(fields["rolling"], "rolling", 0, 1, "P1") == 1
        return State(turn, rolling, read_number(fields["pot"], "pot", 0, 999, "P1"), scores)
