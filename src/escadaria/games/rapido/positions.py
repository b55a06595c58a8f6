"""Positions of Rapido and their text; the dice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter

from escadaria.game import InvalidText, Word, read_enum, read_fields, read_list, read_number, write_list

X = 0  # the cross counts nothing (R9)
DIE_A = (1, 2, 3, 4, 7, X)  # R2
DIE_B = (1, 2, 3, 5, 6, X)  # R2
TOP_FIELD = 5  # R4


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


ROLLS = tuple(Roll(a, b) for a in DIE_A for b in DIE_B)
VALUES = tuple(sorted({roll.value for roll in ROLLS}))


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


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of dice on the tower (R4)."""

    field: int
    seat: int
    value: int
    """What was rolled (R9); 0 on field 0, where it never matters again (R14)."""

    def __str__(self) -> str:
        return f"{self.field}:{self.seat}:{self.value}" if self.field else f"0:{self.seat}"


pair_of = cache(Pair)  # there are few pairs; this is faster than creating them again


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


@cache
def _free_fields(taken: tuple[int, ...]) -> tuple[int, ...]:
    return (0, *(field for field in range(1, TOP_FIELD + 1) if field not in taken))


def in_order(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs as a position has them, lowest first."""
    return tuple(sorted(pairs, key=attrgetter("field", "seat")))


def parse_state(text: str, players: int, pairs: int, finish: int) -> State:
    """The position with this text, in a game with this number of pairs of dice for each seat.

    :raises InvalidText: if it cannot be read, or breaks a ruling.
    """
    fields = read_fields(text, ("turn", "phase", "value", "steps", "tower"))
    turn = read_number(fields["turn"], "turn", 0, players - 1, "R5")
    phase = read_enum(Phase, "phase", fields["phase"], "R6")
    value = _read_value(fields["value"]) if phase is Phase.DECIDE else _read_zero(fields["value"])
    steps = _read_steps(fields["steps"], phase, turn, players, finish)
    return State(turn, phase, value, steps, _read_tower(fields["tower"], turn, players, pairs))


def _read_steps(text: str, phase: Phase, turn: int, players: int, finish: int) -> tuple[int, ...]:
    parts = read_list(text, ",")
    if len(parts) != players:
        raise InvalidText(f"steps must have {players} numbers, not {text!r}", ruling="R1")
    steps = tuple(read_number(part, "a step", 0, finish, "R3") for part in parts)
    winners = [seat for seat, step in enumerate(steps) if step == finish]
    if winners != ([turn] if phase is Phase.OVER else []):
        raise InvalidText(
            f"a piece on the finish {finish} has won: then, and only then, "
            f"phase is over and turn is its seat, not phase={phase.value} turn={turn} steps={text}",
            ruling="R15",
        )
    return steps


def _read_tower(text: str, turn: int, players: int, pairs: int) -> tuple[Pair, ...]:
    tower = in_order([_read_pair(part, players) for part in read_list(text, ",")])
    taken = [pair.field for pair in tower if pair.field]
    if len(taken) != len(set(taken)):
        raise InvalidText(f"a field of 1 to 5 holds one pair, not two: {text!r}", ruling="R4")
    for seat in range(players):
        most = pairs - (seat == turn)  # the seat to play has a pair in front of it (R7, R16)
        if sum(pair.seat == seat for pair in tower) > most:
            raise InvalidText(f"seat {seat} has too many pairs on the tower: {text!r}", ruling="R16")
    return tower


def _read_pair(text: str, players: int) -> Pair:
    parts = text.split(":")
    field = read_number(parts[0], "a field", 0, TOP_FIELD, "R4")
    if len(parts) != (3 if field else 2):
        raise InvalidText(f"a pair reads field:seat:value, or 0:seat on field 0: {text!r}", ruling="R4")
    seat = read_number(parts[1], "a pair's seat", 0, players - 1, "R1")
    return Pair(field, seat, _read_value(parts[2]) if field else 0)


def _read_value(text: str) -> int:
    value = read_number(text, "a value", VALUES[0], VALUES[-1], "R9")
    if value not in VALUES:
        raise InvalidText(f"two dice never show {value}", ruling="R9")
    return value


def _read_zero(text: str) -> int:
    return read_number(text, "value, unless the player is to decide,", 0, 0, "R8")
