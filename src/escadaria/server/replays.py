"""A whole match laid out for looking at: every position and fact, so that a browser needs no rules."""

from __future__ import annotations

from typing import Any

import msgspec

from escadaria.coach import evaluators as judging
from escadaria.game import CHANCE, AnyGame
from escadaria.record import Record, result_text, verify
from escadaria.views import StepView, fact_data


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
    deed: str


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
        remarks=[RemarkLine(ply=r.ply, seat=r.seat, deed=r.deed) for r in record.remarks],
        judged=_is_judged(game),
        text=str(record),
    )


def _is_judged(game: AnyGame) -> bool:
    try:
        judging.find(game)
    except judging.NoJudge:
        return False
    return True
