"""Records of matches as readable text: headers, then turns with rolls and decisions.

    Escadaria record 1
    game: rapido
    rules: 1
    players: 3
    finish: 20
    seat 1: Ana, person, red
    seat 2: Bento, bot simple, blue
    seat 3: Clara, person, green
    date: 2026-11-15
    dice: seed 7
    result: Clara (seat 3) wins by R15

    1. Ana: 26, again, 13, place 3
    2. Bento: 7X, place 5
    * Clara (seat 3) is played by bot simple
    3. Clara: 22, again, …
    end of 57 plies

A ply is one decision or one roll. In the text, seats are counted from 1.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from escadaria.dice import SECRET_BYTES, BadDice, Dice, FairDice, SeededDice, commitment, first_mismatch, fits
from escadaria.game import CHANCE, AnyGame, Fact, GameError, Outcome

TITLE = "Escadaria record 1"
COLOURS = ("red", "blue", "green", "yellow", "black", "white")  # R1
REAL = "real"
"""The dice of a match for which people rolled real ones and entered what they showed."""
RESIGNED = "resignation"
"""The ruling of an outcome by resignation, which no rule of the game covers."""

_MAX_BYTES = 4_000_000
_WRAP = 90
_BOT_NAME = r"[\w.:-]{1,80}"
_REMARKS = {"resign": "resigns", "back": "plays again", "undo": "takes back"}


class BadRecord(GameError):
    """A damaged record. ``line`` is the number of the damaged line, from 1."""

    code = "bad_record"

    def __init__(self, line: int, message: str, *, ruling: str = "") -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.ruling = ruling


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of a match."""

    name: str
    bot: str = ""
    """The name of the bot; empty for a person."""
    colours: tuple[str, ...] = ()
    """One of ``COLOURS``; two in Rapido for two players (R16)."""

    def __post_init__(self) -> None:
        if not _is_name(self.name):
            raise GameError(f"a name has 1 to 40 printable characters, not {self.name!r:.80}")
        if self.bot:
            check_bot_name(self.bot)


@dataclass(frozen=True, slots=True)
class Remark:
    """An action outside the game, before the ply with this number."""

    ply: int
    seat: int
    action: str
    """``resign``, ``bot NAME`` (a bot plays for the seat), ``back`` (its owner plays again), or ``undo``
    (with real dice)."""

    @property
    def is_valid(self) -> bool:
        """Whether there is such an action."""
        return fits(f"resign|back|undo|bot {_BOT_NAME}", self.action)

    def text(self, names: Sequence[str]) -> str:
        """Its line in a record."""
        action = _REMARKS.get(self.action, f"is played by {self.action}")
        return f"* {names[self.seat]} (seat {self.seat + 1}) {action}"


@dataclass(frozen=True, slots=True)
class Proof:
    """The data to verify fair dice; see ``dice.FairDice``."""

    match: str
    commitment: str
    entropy: tuple[str, ...]
    """By seat."""
    secret: str = field(default="", repr=False)
    """In hexadecimal; empty until the match is over."""

    def __post_init__(self) -> None:
        FairDice(bytes(SECRET_BYTES), self.match, self.entropy)  # checks match and entropy
        if not fits("[0-9a-f]{64}", self.commitment):
            raise BadDice(f"a commitment has 64 of 0-9 a-f, not {self.commitment!r:.80}")
        if not fits("([0-9a-f]{64})?", self.secret):
            raise BadDice("a secret has 64 of 0-9 a-f")  # not shown, even if it is malformed

    def dice(self) -> FairDice:
        """The dice of this proof. :raises BadDice: if the secret is not revealed."""
        return FairDice(bytes.fromhex(self.secret), self.match, self.entropy)


@dataclass(frozen=True)
class Record:
    """A match as it was played, finished or not. Creating a record replays its plies, so they are legal."""

    game: AnyGame
    seats: tuple[Seat, ...]
    plies: tuple[Any, ...] = ()
    """Decisions and rolls, in order."""
    remarks: tuple[Remark, ...] = ()
    date: str = ""
    """The day of the match, as 2026-11-15."""
    dice: str = "system"
    """The source of the dice: ``system``, ``seed 7``, ``scripted`` or ``fair``."""
    proof: Proof | None = None
    """For fair dice."""
    start: Any = None
    """The starting position, if not the initial one."""
    replayed: InitVar[tuple[Any, ...]] = ()
    """The positions, from a caller that has replayed the plies already."""
    positions: tuple[Any, ...] = field(init=False, repr=False, compare=False)
    """All positions: ``positions[n]`` is the one after n plies."""

    def __post_init__(self, replayed: tuple[Any, ...]) -> None:
        check_seats(self.game, self.seats)
        _check_date(self.date)
        _check_dice(self.dice)
        _check_proof(self)
        start = self.game.initial_state() if self.start is None else self.start
        positions = replayed or tuple(accumulate(self.plies, self.game.apply, initial=start))
        object.__setattr__(self, "positions", positions)
        _check_remarks(self)

    def position(self, ply: int) -> Any:
        """The position after a number of plies. :raises GameError: if the record is shorter."""
        if not 0 <= ply <= len(self.plies):
            raise GameError(f"the record has plies 0 to {len(self.plies)}, not {ply}")
        return self.positions[ply]

    def facts(self, ply: int) -> tuple[Fact, ...]:
        """The facts of ply number ``ply``, from 1. :raises GameError: if there is none."""
        if not 1 <= ply <= len(self.plies):
            raise GameError(f"the record has plies 1 to {len(self.plies)}, not {ply}")
        return self.game.facts(self.positions[ply - 1], self.plies[ply - 1])

    def _repr_svg_(self) -> str:
        """The last position, as a notebook shows it."""
        from escadaria import notebook

        return notebook.show(self.game, self.positions[-1])._repr_svg_()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seats."""
        return tuple(seat.name for seat in self.seats)

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the ruling, or None if the match is not finished."""
        return match_outcome(self.game, self.positions[-1], resigned(self.remarks))

    def turns(self) -> Iterator[tuple[int, int, range]]:
        """The turns: number (from 1), seat, and the numbers of the plies (from 1)."""
        first = 1
        number = 0
        for ply in range(1, len(self.plies) + 1):
            seat = self.positions[ply - 1].turn
            if ply == len(self.plies) or self.positions[ply].turn != seat:
                number += 1
                yield number, seat, range(first, ply + 1)
                first = ply + 1

    def __str__(self) -> str:
        return write(self)


def match_outcome(game: AnyGame, state: Any, resigned_seats: Iterable[int]) -> Outcome | None:
    """The outcome of the game, or the win of the last seat that has not resigned."""
    outcome = game.outcome(state)
    left = set(range(game.players)) - set(resigned_seats)
    if outcome is None and len(left) == 1:
        return Outcome(left.pop(), RESIGNED)
    return outcome


def resigned(remarks: Iterable[Remark]) -> list[int]:
    """The seats that have resigned."""
    return [remark.seat for remark in remarks if remark.action == "resign"]


def check_seats(game: AnyGame, seats: tuple[Seat, ...]) -> None:
    """:raises GameError: if their number or their colours do not fit the game."""
    if len(seats) != game.players:
        raise GameError(f"{game.name} for {game.players} players has {game.players} seats, not {len(seats)}")
    colours = [colour for seat in seats for colour in seat.colours]
    wrong = [colour for colour in colours if colour not in COLOURS or colours.count(colour) > 1]
    if wrong or any(len(seat.colours) not in (0, game.colours) for seat in seats):
        raise GameError(
            f"each seat has {game.colours} of the colours {', '.join(COLOURS)} for itself, not {colours}"
        )


def check_bot_name(name: str) -> None:
    """:raises GameError: if the name is malformed. Whether the bot exists is not checked."""
    if not fits(_BOT_NAME, name):
        raise GameError(f"a bot's name is one word, not {name!r:.80}")


def colour_seats(game: AnyGame, seats: Iterable[Seat]) -> tuple[Seat, ...]:
    """Give colours to the seats without any. :raises GameError: as ``check_seats``."""
    seats = tuple(seats)
    check_seats(game, seats)
    free = iter([colour for colour in COLOURS if not any(colour in seat.colours for seat in seats)])
    # With two colours per seat: red and green against blue and yellow.
    rounds = [[next(free) for seat in seats if not seat.colours] for _ in range(game.colours)]
    given = iter(zip(*rounds, strict=True))
    return tuple(seat if seat.colours else replace(seat, colours=next(given)) for seat in seats)


# Verification of the dice.


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of verifying the dice of a record."""

    fair: bool
    reason: str
    """``proven``, ``real`` (people rolled the dice), ``no_proof`` (no commitment), ``no_secret`` (not
    revealed yet), ``commitment`` (which the secret does not match) or ``roll`` (a roll differs)."""
    rolls: int = 0
    """The number of verified rolls."""
    ply: int = 0
    """The first wrong ply, from 1."""


def verify(record: Record) -> Verdict:
    """Derive all rolls of a record and compare them."""
    if record.dice.startswith("seed "):
        return _compare(record, SeededDice(int(record.dice.removeprefix("seed "))))
    if record.dice == REAL:
        return Verdict(False, "real")
    if record.proof is None:
        return Verdict(False, "no_proof")
    if not record.proof.secret:
        return Verdict(False, "no_secret")
    dice = record.proof.dice()
    if commitment(dice.secret) != record.proof.commitment:
        return Verdict(False, "commitment")
    return _compare(record, dice)


def _compare(record: Record, dice: Dice) -> Verdict:
    game = record.game
    rolled = [
        ply for ply, state in enumerate(record.positions[:-1], 1) if game.current_player(state) == CHANCE
    ]
    rolls = ((game.chance_outcomes(record.positions[ply - 1]), record.plies[ply - 1]) for ply in rolled)
    wrong = first_mismatch(dice, rolls)
    if wrong is not None:
        return Verdict(False, "roll", wrong, rolled[wrong])
    return Verdict(True, "proven", len(rolled))


# Writing.


def write(record: Record) -> str:
    """The record's text; ``read`` is the inverse."""
    return "\n".join([TITLE, *_headers(record), "", *_body(record), f"end of {len(record.plies)} plies", ""])


def result_text(record: Record) -> str:
    """The result header of a record."""
    outcome = record.outcome
    if outcome is None:
        return "unfinished"
    return f"{record.names[outcome.winner]} (seat {outcome.winner + 1}) wins by {outcome.ruling}"


def _headers(record: Record) -> Iterator[str]:
    game = record.game
    yield f"game: {game.name}"
    yield f"rules: {game.rules_version}"
    for option in game.OPTIONS:
        yield f"{option.name}: {option.write(game.options[option.name])}"
    if record.start is not None:
        yield f"start: {record.start}"
    for number, seat in enumerate(record.seats, 1):
        kind = f"bot {seat.bot}" if seat.bot else "person"
        yield f"seat {number}: {seat.name}, {kind}, {'+'.join(seat.colours) or '-'}"
    if record.date:
        yield f"date: {record.date}"
    yield f"dice: {record.dice}"
    if record.proof is not None:
        yield f"match: {record.proof.match}"
        yield f"commitment: {record.proof.commitment}"
        for number, entropy in enumerate(record.proof.entropy, 1):
            if entropy:
                yield f"entropy {number}: {entropy}"
        if record.proof.secret:
            yield f"secret: {record.proof.secret}"
    yield f"result: {result_text(record)}"


def _body(record: Record) -> Iterator[str]:
    remarks = sorted(record.remarks, key=lambda remark: remark.ply)
    for number, seat, plies in record.turns():
        opening = f"{number}. {record.names[seat]}: "
        words: list[str] = []
        for ply in plies:
            due = [remark for remark in remarks if remark.ply < ply]
            if words and (due or len(", ".join(words)) > _WRAP):
                yield opening + ", ".join(words)
                words = []
            yield from (remark.text(record.names) for remark in due)
            remarks = remarks[len(due) :]
            words.append(str(record.plies[ply - 1]))
        yield opening + ", ".join(words)
    yield from (remark.text(record.names) for remark in remarks)


# Reading.


def open_record(path: Path | str) -> Record:
    """Read a record file. :raises BadRecord: if it is damaged. :raises OSError: if it cannot be read."""
    with Path(path).open("rb") as file:
        return read(file.read(_MAX_BYTES + 1))


def read(data: bytes | str) -> Record:
    """Parse a record. :raises BadRecord: with the line, the reason and the ruling."""
    from escadaria.record_reader import Reader, lines_of

    if len(data) > _MAX_BYTES:
        raise BadRecord(1, f"a record has at most {_MAX_BYTES} bytes")
    reader = Reader(lines_of(data))
    try:
        return reader.record()
    except BadRecord:
        raise
    except GameError as error:
        raise BadRecord(reader.line, str(error), ruling=error.ruling) from None


def _is_name(name: object) -> bool:
    """Whether the text is a valid name: printable, except for joiners in emoji and within words."""
    if not isinstance(name, str) or not 1 <= len(name) <= 40 or name != name.strip():
        return False
    return _JOINER.sub("", name).isprintable()


_EMOJI = r"\u2190-\u2bff\U0001f000-\U0001faff"
_JOINED = r"\u0600-\u06ff\u0750-\u077f\u0900-\u0dff"  # scripts that are spelled with joiners: Arabic, Indic
_JOINER = re.compile(
    rf"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])"
)
"""A joiner that shapes what is on both sides of it. Elsewhere it is invisible."""


def _check_date(date: str) -> None:
    try:
        if date and datetime.date.fromisoformat(date).isoformat() != date:
            raise ValueError(date)
    except (TypeError, ValueError):
        raise GameError(f"a date reads 2026-11-15, not {date!r:.40}") from None


def _check_dice(dice: str) -> None:
    if not fits("system|scripted|fair|real|seed [0-9]{1,20}", dice):
        raise GameError(f"dice are 'system', 'scripted', 'seed 7', 'fair' or 'real', not {dice!r:.40}")
    if dice.startswith("seed "):
        SeededDice(int(dice.removeprefix("seed ")))  # checks the seed


def _check_proof(record: Record) -> None:
    if (record.dice == "fair") != (record.proof is not None):
        raise GameError(f"fair dice have a proof, other dice have none: {record.dice}, {record.proof}")
    if record.proof is not None and len(record.proof.entropy) != record.game.players:
        raise GameError(f"each of {record.game.players} seats has its entropy, not {record.proof.entropy}")


def _check_remarks(record: Record) -> None:
    plies, resigned_seats = len(record.plies), set[int]()
    earlier = 0
    for remark in record.remarks:
        seated = remark.seat in range(record.game.players)
        if not (seated and earlier <= remark.ply <= plies and remark.is_valid):
            raise GameError(f"{remark!r:.200} is no remark between plies {earlier} and {plies}")
        earlier = remark.ply
        resigned_seats.update(resigned([remark]))
        if len(resigned_seats) == record.game.players - 1 and earlier < plies:
            raise GameError(f"all but one had resigned after ply {earlier}, but there are {plies} plies")
