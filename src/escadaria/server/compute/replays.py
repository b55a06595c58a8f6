"""Replays of finished matches, with all positions and facts, so that a client needs no rules.

The functions that take a ``Played`` or a text run in worker processes.
"""

from __future__ import annotations

import gzip
from typing import Any, NamedTuple

import msgspec

from escadaria import catalogue
from escadaria.coach import evaluators
from escadaria.game import CHANCE, AnyGame
from escadaria.match.match import Match
from escadaria.record import REAL, Proof, Record, Remark, Seat, read, result_text, verify
from escadaria.refusals import Refused
from escadaria.views import StepView, fact_data

RECORD_BYTES = 200_000
"""The maximum size of a request with a record file."""

MAX_PLIES = 5000
"""The longest match that is replayed or analysed.

The longest simulated match had 1,617 plies: Chain for six on the long board, of 60 matches by weak bots for
each number of players with the largest options.
"""


class Played(NamedTuple):
    """A finished match, as it is sent to a worker."""

    game: str
    options: dict[str, bool | int | str]
    seats: tuple[Seat, ...]
    plies: tuple[Any, ...]
    remarks: tuple[Remark, ...]
    date: str
    proof: Proof | None
    """None with real dice."""
    start: Any

    def record(self) -> Record:
        """The record. Creating it replays the match."""
        game = catalogue.load(self.game, **self.options)
        dice = "fair" if self.proof else REAL
        return Record(game, self.seats, self.plies, self.remarks, self.date, dice, self.proof, self.start)


def played(match: Match, date: str) -> Played:
    """The data of a match for a worker. :raises Refused: ``running`` unless the match is over."""
    table = match.play
    if table is None or match.status != "over":
        raise Refused("running", "the match is not over")
    return Played(
        game=match.game.name,
        options=match.game.options,
        seats=table.seats,
        plies=tuple(table.plies),
        remarks=tuple(table.remarks),
        date=date,
        proof=match.proof,
        start=table.start,
    )


def max_plies(text: str) -> int:
    """An upper bound of the plies in a record file, without parsing it. :raises Refused: ``too_large``."""
    commas, lines = text.count(","), text.count("\n")
    _check_plies(max(commas, lines))
    return commas + lines


def check_length(record: Record) -> Record:
    """Return the record. :raises Refused: ``too_large``."""
    _check_plies(len(record.plies))
    return record


def _check_plies(plies: int) -> None:
    if plies > MAX_PLIES:
        raise Refused("too_large", f"a match of more than {MAX_PLIES} plies is not replayed or analysed")


def record_text(played: Played) -> bytes:
    """The text of a record, compressed with gzip."""
    return gzip.compress(str(played.record()).encode(), mtime=0)


def replay_match(played: Played) -> bytes:
    """A ``Replay``. :raises Refused: ``too_large``."""
    return packed(replay(check_length(played.record())))


def replay_text(text: str) -> bytes:
    """A ``Replay`` of a record file. :raises BadRecord, Refused: ``too_large``."""
    return packed(replay(check_length(read(text))))


def packed(view: msgspec.Struct) -> bytes:
    """JSON, compressed with gzip."""
    return gzip.compress(msgspec.json.encode(view), 6, mtime=0)


class SeatLine(msgspec.Struct, frozen=True, kw_only=True):
    """A seat of a record."""

    name: str
    bot: str
    """Empty for a person."""
    colours: list[str]


class RemarkLine(msgspec.Struct, frozen=True, kw_only=True):
    """A remark before the ply with this number."""

    ply: int
    seat: int
    action: str


class ProofLine(msgspec.Struct, frozen=True, kw_only=True):
    """The proof of fair dice."""

    match: str
    commitment: str
    entropy: list[str]
    secret: str


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A record with all its positions and facts."""

    game: str
    options: dict[str, bool | int | str]
    date: str
    dice: str
    seats: list[SeatLine]
    winner: int | None
    ruling: str | None
    result: str
    proof: ProofLine | None
    verdict: str
    """``proven``, or why the dice are not proven."""
    start: Any
    """The starting position."""
    steps: list[StepView]
    """One per ply."""
    texts: list[str]
    """The text of each position, starting with ``start``."""
    rolls: list[int]
    """The numbers of the plies that are rolls, from 1."""
    sides: list[int]
    """The number of outcomes of each roll."""
    remarks: list[RemarkLine]
    judged: bool
    """Whether the game has an evaluator, so that an analysis is available."""
    text: str
    """The text of the record."""


def replay(record: Record) -> Replay:
    """The replay of a record."""
    game, outcome, proof = record.game, record.outcome, record.proof
    states = record.positions
    rolls = [n for n, state in enumerate(states[:-1], 1) if game.current_player(state) == CHANCE]
    return Replay(
        game=game.name,
        options=game.options,
        date=record.date,
        dice=record.dice,
        seats=[SeatLine(name=s.name, bot=s.bot, colours=list(s.colours)) for s in record.seats],
        winner=outcome.winner if outcome else None,
        ruling=outcome.ruling if outcome else None,
        result=result_text(record),
        proof=ProofLine(
            match=proof.match,
            commitment=proof.commitment,
            entropy=list(proof.entropy),
            secret=proof.secret,
        )
        if proof
        else None,
        verdict=verify(record).reason,
        start=states[0],
        steps=[
            StepView(
                action=str(ply),
                facts=[fact_data(fact) for fact in game.facts(states[number], ply)],
                position=states[number + 1],
            )
            for number, ply in enumerate(record.plies)
        ],
        texts=[str(state) for state in states],
        rolls=rolls,
        sides=[len(game.chance_outcomes(states[n - 1])) for n in rolls],
        remarks=[RemarkLine(ply=r.ply, seat=r.seat, action=r.action) for r in record.remarks],
        judged=_has_evaluator(game),
        text=str(record),
    )


def _has_evaluator(game: AnyGame) -> bool:
    try:
        evaluators.find(game)
    except evaluators.NoEvaluator:
        return False
    return True
