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
    Option,
    Outcome,
    Word,
    check_options,
    read_enum,
    read_fields,
    read_list,
    read_number,
    replaced,
    write_list,
)

X = 0  # the cross counts nothing (R9)
DIE_A = (1, 2, 3, 4, 7, X)  # R2
DIE_B = (1, 2, 3, 5, 6, X)  # R2
TOP_FIELD = 5  # R4


class Phase(Word):
    """What the position waits for (R6, R8)."""

    FIRST_ROLL = "first"
    """The dice: the compulsory first roll of the turn."""
    LATER_ROLL = "later"
    """The dice: a roll that the player chose to make."""
    DECIDE = "decide"
    """The player: roll again or place."""
    OVER = "over"
    """Nothing: ``turn`` has won."""


_NOBODY = {Phase.FIRST_ROLL: CHANCE, Phase.LATER_ROLL: CHANCE, Phase.OVER: TERMINAL}
"""Where no player is to decide."""


@dataclass(frozen=True, slots=True)
class Roll:
    """Both dice of a pair, rolled together (R2)."""

    a: int
    b: int

    @property
    def value(self) -> int:
        """The higher digit is the tens, the lower the units (R9)."""
        return 10 * self.a + self.b if self.a > self.b else 10 * self.b + self.a

    def __str__(self) -> str:
        return "".join(str(face) if face != X else "X" for face in (self.a, self.b))


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

ROLLS = tuple(Roll(a, b) for a in DIE_A for b in DIE_B)
VALUES = tuple(sorted({roll.value for roll in ROLLS}))
_EACH = Fraction(1, len(ROLLS))
_OUTCOMES = tuple((roll, _EACH) for roll in ROLLS)
_DECISIONS: tuple[Action, ...] = (Again(), *(Place(field) for field in range(TOP_FIELD + 1)))
_BY_TEXT: dict[str, Action] = {str(action): action for action in (*_DECISIONS, *ROLLS)}


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of dice on the tower (R4)."""

    field: int
    seat: int
    value: int
    """What was rolled (R9); 0 on field 0, where it never matters again (R14)."""

    def __str__(self) -> str:
        return f"{self.field}:{self.seat}:{self.value}" if self.field else f"0:{self.seat}"


_pair = cache(Pair)  # there are few pairs; this is faster than creating them again


@dataclass(frozen=True, slots=True)
class State:
    """A Rapido position. Equal positions are equal and hash alike, however they arose.

    A turn's score (R7) is taken before its first roll, so it shows in the position that waits
    for that roll. The two pairs of a seat in a game for two are alike (R19): they have no names.
    """

    turn: int
    """The seat to play; the winner when the game is over."""
    phase: Phase
    value: int
    """Of the pair in hand (R9); 0 unless the player is to decide."""
    steps: tuple[int, ...]
    """Where each seat's piece stands; 0 is the start square (R3)."""
    tower: tuple[Pair, ...]
    """The pairs on the dice fields, lowest first (R4)."""

    def free_fields(self) -> tuple[int, ...]:
        """Where the pair in hand may go: 0 always, 1-5 while empty (R4, R13)."""
        return _free_fields(tuple([pair.field for pair in self.tower]))

    def __str__(self) -> str:
        return (
            f"turn={self.turn} phase={self.phase.value} value={self.value} "
            f"steps={write_list(self.steps, ',')} tower={write_list(self.tower, ',')}"
        )


@dataclass(frozen=True, slots=True)
class Scored(Fact):
    """The seat's pairs lay on fields when its turn started: the piece climbed, the pairs came back."""

    ruling: ClassVar[str] = "R7"
    fields: tuple[int, ...]
    climbed: int
    step: int


@dataclass(frozen=True, slots=True)
class Rolled(Fact):
    """The seat's dice fell."""

    ruling: ClassVar[str] = "R9"
    dice: str
    value: int
    invalid: bool = False
    """An X on a later roll ended the turn (R12), so the value does not count."""


@dataclass(frozen=True, slots=True)
class Doubled(Fact):
    """The roll was a double, and the piece climbed immediately."""

    ruling: ClassVar[str] = "R10"
    climbed: int
    step: int


@dataclass(frozen=True, slots=True)
class Fell(Fact):
    """A later roll showed an X: the turn ended, and the piece went down."""

    ruling: ClassVar[str] = "R12"
    crosses: int
    fallen: int
    """Less than ``crosses`` only at the start square."""
    step: int


@dataclass(frozen=True, slots=True)
class RolledAgain(Fact):
    """The seat took its dice up for another roll."""

    ruling: ClassVar[str] = "R8"


@dataclass(frozen=True, slots=True)
class Placed(Fact):
    """The seat put its pair on a field."""

    ruling: ClassVar[str] = "R13"
    field: int
    value: int


@dataclass(frozen=True, slots=True)
class ThrewOut(Fact):
    """Placing threw an opponent's pair out."""

    ruling: ClassVar[str] = "R14"
    victim: int
    field: int
    value: int


@dataclass(frozen=True, slots=True)
class Won(Fact):
    """The seat's piece reached the finish."""

    ruling: ClassVar[str] = "R15"


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
        self._check(state)
        if state.phase is not Phase.DECIDE:
            return ()
        return _legal_actions(state.free_fields())

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, Fraction], ...]:
        return _OUTCOMES if _NOBODY.get(state.phase) == CHANCE else ()

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.turn, "R15") if state.phase is Phase.OVER else None

    def apply(self, state: State, action: Action) -> State:
        return self._after(state, action, None)

    def facts(self, state: State, action: Action) -> tuple[Fact, ...]:
        facts: list[Fact] = []
        self._after(state, action, facts)
        return tuple(facts)

    def parse(self, text: str) -> Action:
        try:
            return _BY_TEXT[text]
        except KeyError:
            raise InvalidText(
                f"{text[:40]!r} is no action of Rapido: again, place 0 … place 5, or two faces such as 7X"
            ) from None

    # The transitions. ``facts`` collects the facts, if they are wanted.

    def _check(self, state: State) -> None:
        if len(state.steps) != self.players:
            raise BadOptions(
                f"a position for {len(state.steps)} players in a game for {self.players}: {state}",
                ruling="R1",
            )

    def _after(self, state: State, action: Action, facts: list[Fact] | None) -> State:
        self._check(state)
        if state.phase is Phase.DECIDE:
            if (
                isinstance(action, Place)
                and type(action.field) is int  # 5.0 == 5, but no field
                and action.field in state.free_fields()
            ):
                return self._place(state, action.field, facts)
            if isinstance(action, Again):  # R8
                if facts is not None:
                    facts.append(RolledAgain(state.turn))
                return State(state.turn, Phase.LATER_ROLL, 0, state.steps, state.tower)
        elif (
            isinstance(action, Roll)
            and type(action.a) is type(action.b) is int
            and action.a in DIE_A
            and action.b in DIE_B
            and state.phase is not Phase.OVER
        ):
            return self._roll(state, action, facts)
        raise self._refusal(state, action)

    def _roll(self, state: State, roll: Roll, facts: list[Fact] | None) -> State:
        seat, steps = state.turn, state.steps
        crosses = (roll.a == X) + (roll.b == X)
        if crosses and state.phase is Phase.LATER_ROLL:  # R12; on the first roll nothing happens (R11)
            step = max(0, steps[seat] - crosses)
            if facts is not None:
                facts.append(Rolled(seat, str(roll), roll.value, invalid=True))
                facts.append(Fell(seat, crosses, steps[seat] - step, step))
            return self._start_turn(self._next(seat), replaced(steps, seat, step), state.tower, facts)
        if facts is not None:
            facts.append(Rolled(seat, str(roll), roll.value))
        if roll.a == roll.b and not crosses:  # R10
            step = min(self.finish, steps[seat] + roll.a)
            steps = replaced(steps, seat, step)
            if facts is not None:
                facts.append(Doubled(seat, roll.a, step))
            if step == self.finish:
                return _won(seat, steps, state.tower, facts)
        return State(seat, Phase.DECIDE, roll.value, steps, state.tower)

    def _place(self, state: State, field: int, facts: list[Fact] | None) -> State:
        seat, value = state.turn, state.value
        if facts is not None:
            facts.append(Placed(seat, field, value))
        stays = [_pair(field, seat, value if field else 0)]
        for pair in state.tower:
            if pair.seat != seat and pair.field > field and pair.value <= value:  # R14, R17
                if facts is not None:
                    facts.append(ThrewOut(seat, pair.seat, pair.field, pair.value))
            else:
                stays.append(pair)
        return self._start_turn(self._next(seat), state.steps, _sorted(stays), facts)

    def _start_turn(
        self, seat: int, steps: tuple[int, ...], tower: tuple[Pair, ...], facts: list[Fact] | None
    ) -> State:
        fields = tuple([pair.field for pair in tower if pair.seat == seat])
        if len(fields) < self.pairs:  # R18; with one pair each, R7
            return State(seat, Phase.FIRST_ROLL, 0, steps, tower)
        step = min(self.finish, steps[seat] + sum(fields))
        steps = replaced(steps, seat, step)
        tower = tuple(pair for pair in tower if pair.seat != seat)
        if facts is not None:
            facts.append(Scored(seat, fields, sum(fields), step))
        if step == self.finish:
            return _won(seat, steps, tower, facts)
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

    # The text of a position.

    def parse_state(self, text: str) -> State:
        fields = read_fields(text, ("turn", "phase", "value", "steps", "tower"))
        turn = read_number(fields["turn"], "turn", 0, self.players - 1, "R5")
        phase = read_enum(Phase, "phase", fields["phase"], "R6")
        value = _read_value(fields["value"]) if phase is Phase.DECIDE else _read_zero(fields["value"])
        steps = self._read_steps(fields["steps"], phase, turn)
        return State(turn, phase, value, steps, self._read_tower(fields["tower"], turn))

    def _read_steps(self, text: str, phase: Phase, turn: int) -> tuple[int, ...]:
        parts = read_list(text, ",")
        if len(parts) != self.players:
            raise InvalidText(f"steps must have {self.players} numbers, not {text!r}", ruling="R1")
        steps = tuple(read_number(part, "a step", 0, self.finish, "R3") for part in parts)
        winners = [seat for seat, step in enumerate(steps) if step == self.finish]
        if winners != ([turn] if phase is Phase.OVER else []):
            raise InvalidText(
                f"a piece on the finish {self.finish} has won: then, and only then, "
                f"phase is over and turn is its seat, not phase={phase.value} turn={turn} steps={text}",
                ruling="R15",
            )
        return steps

    def _read_tower(self, text: str, turn: int) -> tuple[Pair, ...]:
        tower = _sorted([self._read_pair(part) for part in read_list(text, ",")])
        taken = [pair.field for pair in tower if pair.field]
        if len(taken) != len(set(taken)):
            raise InvalidText(f"a field of 1 to 5 holds one pair, not two: {text!r}", ruling="R4")
        for seat in range(self.players):
            most = self.pairs - (seat == turn)  # the seat to play has a pair in front of it (R7, R16)
            if sum(pair.seat == seat for pair in tower) > most:
                raise InvalidText(f"seat {seat} has too many pairs on the tower: {text!r}", ruling="R16")
        return tower

    def _read_pair(self, text: str) -> Pair:
        parts = text.split(":")
        field = read_number(parts[0], "a field", 0, TOP_FIELD, "R4")
        if len(parts) != (3 if field else 2):
            raise InvalidText(f"a pair reads field:seat:value, or 0:seat on field 0: {text!r}", ruling="R4")
        seat = read_number(parts[1], "a pair's seat", 0, self.players - 1, "R1")
        return Pair(field, seat, _read_value(parts[2]) if field else 0)


@cache
def _free_fields(taken: tuple[int, ...]) -> tuple[int, ...]:
    return (0, *(field for field in range(1, TOP_FIELD + 1) if field not in taken))


@cache
def _legal_actions(free: tuple[int, ...]) -> tuple[Action, ...]:
    return (_DECISIONS[0], *(_DECISIONS[1 + field] for field in free))


def _won(seat: int, steps: tuple[int, ...], tower: tuple[Pair, ...], facts: list[Fact] | None) -> State:
    if facts is not None:
        facts.append(Won(seat))
    return State(seat, Phase.OVER, 0, steps, tower)  # R15


def _sorted(pairs: list[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (pair.field, pair.seat)))


def _read_value(text: str) -> int:
    value = read_number(text, "a value", VALUES[0], VALUES[-1], "R9")
    if value not in VALUES:
        raise InvalidText(f"two dice never show {value}", ruling="R9")
    return value


def _read_zero(text: str) -> int:
    return read_number(text, "value, unless the player is to decide,", 0, 0, "R8")
