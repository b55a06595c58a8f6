"""A whole match laid out for looking at: every position and fact, so that a browser needs no rules.

The functions that take a ``Played`` or a text run in worker processes.
"""

from __future__ import annotations

import gzip
from typing import Any, NamedTuple

import msgspec

from escadaria import catalogue
from escadaria.coach import evaluators
from escadaria.game import CHANCE, AnyGame
from escadaria.record import Proof, Record, Remark, Seat, read, result_text, verify
from escadaria.refusals import Refused
from escadaria.server.match import Match
from escadaria.views import StepView, fact_data

RECORD_BYTES = 200_000
"""The longest request with a record file that is taken."""

MOST_PLIES = 5000
"""The longest match that is laid out or analysed.

Of 60 simulated matches each, by weak bots with all numbers of players and the largest options, the longest
had 1,617 plies (Chain for six on the long board).
"""


class Played(NamedTuple):
    """A match that is over, as it is sent to a worker."""

    game: str
    options: dict[str, bool | int | str]
    seats: tuple[Seat, ...]
    plies: tuple[Any, ...]
    remarks: tuple[Remark, ...]
    date: str
    proof: Proof
    start: Any

    def record(self) -> Record:
        """Its record, which replays it."""
        game = catalogue.load(self.game, **self.options)
        return Record(game, self.seats, self.plies, self.remarks, self.date, "fair", self.proof, self.start)


def played(match: Match, date: str) -> Played:
    """What a worker needs of a match. :raises Refused: ``running``, unless it is over."""
    table = match.table
    if table is None or match.status != "over":
        raise Refused("running", "the record can be read when the match is over")
    return Played(
        game=match.game.name,
        options=match.game.options,
        seats=table.seats,
        plies=tuple(table.plies),
        remarks=tuple(table.remarks),
        date=date,
        proof=Proof(match.dice_name, match.commitment, match.entropy, match.revealed),
        start=table.start,
    )


def most_plies(text: str) -> int:
    """At most how many plies a record file has, known without reading it. :raises Refused: ``too_large``."""
    commas, lines = text.count(","), text.count("\n")
    if max(commas, lines) > MOST_PLIES:
        raise Refused("too_large", f"a match of more than {MOST_PLIES} plies is not laid out or analysed")
    return commas + lines


def short_enough(record: Record) -> Record:
    """The record. :raises Refused: ``too_large``."""
    if len(record.plies) > MOST_PLIES:
        raise Refused("too_large", f"a match of more than {MOST_PLIES} plies is not laid out or analysed")
    return record


def record_text(played: Played) -> bytes:
    """The text of a match, compressed."""
    return gzip.compress(str(played.record()).encode(), mtime=0)


def replay_match(played: Played) -> bytes:
    """A ``Replay``. :raises Refused: ``too_large``."""
    return packed(replay(short_enough(played.record())))


def replay_text(text: str) -> bytes:
    """A ``Replay`` of a record file. :raises BadRecord: if it is none. :raises Refused: ``too_large``."""
    return packed(replay(short_enough(read(text))))


def packed(view: msgspec.Struct) -> bytes:
    """The JSON of an answer, compressed."""
    return gzip.compress(msgspec.json.encode(view), 6, mtime=0)


class SeatLine(msgspec.Struct, frozen=True, kw_only=True):
    """Who sat there."""

    name: str
    bot: str
    """Empty for a person."""
    colours: list[str]


class RemarkLine(msgspec.Struct, frozen=True, kw_only=True):
    """What happened at the table before the ply with this number."""

    ply: int
    seat: int
    action: str


class ProofLine(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes to check the dice."""

    match: str
    commitment: str
    entropy: list[str]
    secret: str


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A record, with every position and fact of it."""

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
    """``proven``, or why the dice are not; the browser may check for itself."""
    start: Any
    """The position at the start."""
    steps: list[StepView]
    """Each ply."""
    texts: list[str]
    """Each position in one line, the start first."""
    rolls: list[int]
    """The numbers of the plies, from 1, at which dice fell, and of how many outcomes."""
    sides: list[int]
    remarks: list[RemarkLine]
    judged: bool
    """Whether somebody knows what positions of this game are worth: then there is an analysis."""
    text: str
    """The record itself."""


def replay(record: Record) -> Replay:
    """Lay a record out."""
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
        judged=_is_judged(game),
        text=str(record),
    )


def _is_judged(game: AnyGame) -> bool:
    try:
        evaluators.find(game)
    except evaluators.NoEvaluator:
        return False
    return True
