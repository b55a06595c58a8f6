"""Rapido: the race up the steps (R1-R19)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar, TypeAlias

from escadaria.game import (
    CHANCE,
    TERMINAL,
    BadOptions,
    Fact,
    Game,
    IllegalAction,
    InvalidText,
    Note,
    Noted,
    Option,
    Outcome,
    check_options,
    replaced,
    unnoted,
    write_list,
)
from escadaria.games.rapido.facts import Doubled, Fell, Placed, Rolled, RolledAgain, Scored, ThrewOut, Won
from escadaria.games.rapido.positions import (
    DIE_A,
    DIE_B,
    ROLLS,
    TOP_FIELD,
    VALUES,
    Pair,
    Phase,
    Roll,
    State,
    X,
    in_order,
    pair_of,
    parse_state,
)

__all__ = [
    "DIE_A", "DIE_B", "ROLLS", "TOP_FIELD", "VALUES", "Action", "Again", "Pair", "Phase", "Place", "Rapido",
    "Roll", "State", "X",
]  # fmt: skip

_NOBODY = {Phase.FIRST_ROLL: CHANCE, Phase.LATER_ROLL: CHANCE, Phase.OVER: TERMINAL}
"""Where no player is to decide."""


@dataclass(frozen=True, slots=True)
class Again:
    """Roll again (R8)."""

    def __str__(self) -> str:
        return "again"


@dataclass(frozen=True, slots=True)
class Place:
    """Put the pair in hand on a field (R13)."""

    field: int

    def __str__(self) -> str:
        return f"place {self.field}"


Action: TypeAlias = Roll | Again | Place

_EACH = Fraction(1, len(ROLLS))
_OUTCOMES = tuple((roll, _EACH) for roll in ROLLS)
_DECISIONS: tuple[Action, ...] = (Again(), *(Place(field) for field in range(TOP_FIELD + 1)))
_BY_TEXT: dict[str, Action] = {str(action): action for action in (*_DECISIONS, *ROLLS)}


@dataclass(frozen=True)
class Rapido(Game[State, Action]):
    """The rules of Rapido for a number of players and a finish."""

    players: int = 3
    finish: int = 20

    name: ClassVar[str] = "rapido"
    rules_version: ClassVar[int] = 1
    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("players", default=3, low=2, high=6, ruling="R1"),
        Option("finish", default=20, low=5, high=50, ruling="R3"),
    )
    FACTS: ClassVar[tuple[type[Fact], ...]] = (
        Scored, Rolled, Doubled, Fell, RolledAgain, Placed, ThrewOut, Won,
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_options(self.OPTIONS, self.options)

    @property
    def options(self) -> dict[str, int | str]:
        return {"players": self.players, "finish": self.finish}

    def _repr_svg_(self) -> str:
        """The board, as a notebook shows it."""
        from escadaria import notebook

        return notebook.show(self)._repr_svg_()

    @property
    def pairs(self) -> int:
        """How many pairs of dice each seat has: two in a game for two (R1, R16)."""
        return 2 if self.players == 2 else 1

    @property
    def colours(self) -> int:
        return self.pairs

    @property
    def actions(self) -> tuple[Action, ...]:
        return _DECISIONS

    def initial_state(self) -> State:
        return State(0, Phase.FIRST_ROLL, 0, (0,) * self.players, ())

    def current_player(self, state: State) -> int:
        return _NOBODY.get(state.phase, state.turn)

    def legal_actions(self, state: State) -> tuple[Action, ...]:
        if len(state.steps) != self.players:
            raise self._mismatch(state)
        if state.phase is not Phase.DECIDE:
            return ()
        return _legal_actions(state.free_fields())

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, Fraction], ...]:
        return _OUTCOMES if _NOBODY.get(state.phase) == CHANCE else ()

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.turn, "R15") if state.phase is Phase.OVER else None

    def apply(self, state: State, action: Action) -> State:
        return self._after(state, action, unnoted)

    def facts(self, state: State, action: Action) -> tuple[Fact, ...]:
        noted = Noted()
        self._after(state, action, noted)
        return tuple(noted)

    def parse(self, text: str) -> Action:
        try:
            return _BY_TEXT[text]
        except KeyError:
            raise InvalidText(
                f"{text[:40]!r} is no action of Rapido: again, place 0 … place 5, or two faces such as 7X"
            ) from None

    # The transitions. ``note`` takes their facts.

    def _mismatch(self, state: State) -> BadOptions:
        return BadOptions(
            f"a position for {len(state.steps)} players in a game for {self.players}: {state}",
            ruling="R1",
        )

    def _after(self, state: State, action: Action, note: Note) -> State:
        if len(state.steps) != self.players:
            raise self._mismatch(state)
        if state.phase is Phase.DECIDE:
            if (
                isinstance(action, Place)
                and type(action.field) is int  # 5.0 == 5, but no field
                and action.field in state.free_fields()
            ):
                return self._place(state, action.field, note)
            if isinstance(action, Again):  # R8
                note(RolledAgain, state.turn)
                return State(state.turn, Phase.LATER_ROLL, 0, state.steps, state.tower)
        elif (
            isinstance(action, Roll)
            and type(action.a) is type(action.b) is int
            and action.a in DIE_A
            and action.b in DIE_B
            and state.phase is not Phase.OVER
        ):
            return self._roll(state, action, note)
        raise self._refusal(state, action)

    def _roll(self, state: State, roll: Roll, note: Note) -> State:
        seat, steps = state.turn, state.steps
        crosses = (roll.a == X) + (roll.b == X)
        if crosses and state.phase is Phase.LATER_ROLL:  # R12; on the first roll nothing happens (R11)
            step = max(0, steps[seat] - crosses)
            note(_rolled, seat, roll, True)
            note(Fell, seat, crosses, steps[seat] - step, step)
            return self._start_turn(self._next(seat), replaced(steps, seat, step), state.tower, note)
        note(_rolled, seat, roll, False)
        if roll.a == roll.b and not crosses:  # R10
            step = min(self.finish, steps[seat] + roll.a)
            steps = replaced(steps, seat, step)
            note(Doubled, seat, roll.a, step)
            if step == self.finish:
                return _won(seat, steps, state.tower, note)
        return State(seat, Phase.DECIDE, roll.value, steps, state.tower)

    def _place(self, state: State, field: int, note: Note) -> State:
        seat, value = state.turn, state.value
        note(Placed, seat, field, value)
        stays = [pair_of(field, seat, value if field else 0)]
        for pair in state.tower:
            if pair.seat != seat and pair.field > field and pair.value <= value:  # R14, R17
                note(ThrewOut, seat, pair.seat, pair.field, pair.value)
            else:
                stays.append(pair)
        return self._start_turn(self._next(seat), state.steps, in_order(stays), note)

    def _start_turn(self, seat: int, steps: tuple[int, ...], tower: tuple[Pair, ...], note: Note) -> State:
        fields = tuple([pair.field for pair in tower if pair.seat == seat])
        if len(fields) < self.pairs:  # R18; with one pair each, R7
            return State(seat, Phase.FIRST_ROLL, 0, steps, tower)
        step = min(self.finish, steps[seat] + sum(fields))
        steps = replaced(steps, seat, step)
        tower = tuple(pair for pair in tower if pair.seat != seat)
        note(Scored, seat, fields, sum(fields), step)
        if step == self.finish:
            return _won(seat, steps, tower, note)
        return State(seat, Phase.FIRST_ROLL, 0, steps, tower)

    def _next(self, seat: int) -> int:
        return (seat + 1) % self.players  # R5

    def _refusal(self, state: State, action: object) -> IllegalAction:
        why, ruling = f"{action!r} is no action of Rapido", "R6"
        if state.phase is Phase.OVER:
            why, ruling = "the game is over", "R15"
        elif isinstance(action, Roll):
            why, ruling = "the dice have no such faces", "R2"
            if state.phase is Phase.DECIDE:
                why, ruling = "the dice have fallen, the player is to roll again or to place", "R8"
        elif isinstance(action, Again | Place):
            why, ruling = "the dice are still to fall", "R8"
            if isinstance(action, Place) and action.field not in range(TOP_FIELD + 1):
                why, ruling = "the tower has fields 0 to 5", "R4"
            elif isinstance(action, Place) and state.phase is Phase.DECIDE:
                free = write_list(state.free_fields(), ", ")
                why, ruling = f"field {action.field} is taken, free are {free}", "R13"
        return IllegalAction(f"{action} is not possible at {state}: {why}", ruling=ruling)

    def parse_state(self, text: str) -> State:
        return parse_state(text, self.players, self.pairs, self.finish)


@cache
def _legal_actions(free: tuple[int, ...]) -> tuple[Action, ...]:
    return (_DECISIONS[0], *(_DECISIONS[1 + field] for field in free))


def _rolled(seat: int, roll: Roll, invalid: bool) -> Rolled:
    return Rolled(seat, str(roll), roll.value, invalid)


def _won(seat: int, steps: tuple[int, ...], tower: tuple[Pair, ...], note: Note) -> State:
    note(Won, seat)
    return State(seat, Phase.OVER, 0, steps, tower)  # R15
