"""What decisions are worth, for those who practise and for matches that are over.

A seat of a running match is never told, unless its table is for practice: that is checked where the
question comes in. All of the work is done by other processes, with a bounded number of questions waiting.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import msgspec

from escadaria import catalogue
from escadaria.coach import analysis
from escadaria.coach import evaluators as judging
from escadaria.game import CHANCE
from escadaria.record import Record, read
from escadaria.server.messages import Advice, Refused, Source
from escadaria.server.pool import Pool
from escadaria.views import fact_data

MOST_PLIES = 5000
"""The longest match that is analysed; people's have some hundreds."""

_KEPT = 100
_PATIENCE = 2.0
_DIGITS = 4


class DecisionLine(msgspec.Struct, frozen=True, kw_only=True):
    """A choice between at least two actions."""

    ply: int
    """Its number, from 1."""
    seat: int
    played: str
    best: str
    wins: dict[str, float]
    """How often the seat wins after each action, the best first."""
    lost: float
    size: str
    """``inaccuracy``, ``mistake`` or ``blunder``; empty if it was good."""
    reason: str
    """For a mistake: the text that tells why the best action is better."""
    facts: list[dict[str, Any]]
    """What only one of the two actions brings about, for that text."""


class PlayerLine(msgspec.Struct, frozen=True, kw_only=True):
    """How one seat played, and how lucky it was."""

    decisions: int
    mistakes: dict[str, int]
    """How many of each size."""
    accuracy: float | None
    """1 for best play, 0 for the worst; null if nothing was at stake."""
    lost: float
    luck: float
    result: float
    adjusted: float
    """The result without the luck."""


class AnalysisView(msgspec.Struct, frozen=True, kw_only=True):
    """A match, judged."""

    source: Source
    curve: list[list[float]]
    """How often each seat wins, after each number of plies."""
    decisions: list[DecisionLine]
    players: list[PlayerLine]


class FallLine(msgspec.Struct, frozen=True, kw_only=True):
    """Dice that lead to one position, and the best that can be done there."""

    dice: list[str]
    """All of them; of dice that fall one by one those after the first are sorted."""
    chance: float
    plan: list[str]
    """The best actions until dice are to fall again or the turn ends; empty if it ended by the dice."""
    wins: dict[str, float]
    """How often the seat wins after each action that may be the plan's last, the best first."""
    win: float


class RollsView(msgspec.Struct, frozen=True, kw_only=True):
    """All that dice can show at a position."""

    source: Source
    turn: int
    """The seat that rolls."""
    win: float
    """How often it wins, before the dice fall."""
    falls: list[FallLine]


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """It is being worked on: ask again."""

    ahead: int
    """How many others come before it."""


class Coach:
    """Analyses matches that are over. What was found is kept for a while."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._work: dict[str, asyncio.Task[AnalysisView]] = {}  # by record, the oldest first

    async def analysis(self, record: Record) -> AnalysisView | Waiting:
        """What is known of the match, or how long others are before it.

        :raises Refused: ``busy`` if too many wait, ``too_large``.
        :raises NoJudge: if nobody can judge this game.
        """
        if len(record.plies) > MOST_PLIES:
            raise Refused("too_large", f"a match of more than {MOST_PLIES} plies is not analysed")
        text = str(record)
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._work:
            self._work[key] = asyncio.create_task(self.pool.run(_analyse, text))
        work = self._work[key]
        await asyncio.wait({work}, timeout=_PATIENCE)
        if not work.done():
            others = list(self._work.values())
            return Waiting(ahead=sum(not other.done() for other in others[: others.index(work)]))
        self._forget()
        if work.cancelled() or work.exception() is not None:
            self._work.pop(key, None)
        return work.result()

    def _forget(self) -> None:
        done = [key for key, work in self._work.items() if work.done()]
        for key in done[: max(0, len(done) - _KEPT)]:
            del self._work[key]

    async def close(self) -> None:
        for work in self._work.values():
            work.cancel()
        await asyncio.gather(*self._work.values(), return_exceptions=True)


# What the other processes do.


def advise(name: str, options: dict[str, Any], text: str) -> Advice | None:
    """What a position is worth; None if no evaluator knows."""
    game = catalogue.load(name, **options)
    state = game.parse_state(text)
    try:
        judge = judging.find(game)
    except judging.NoJudge:
        return None
    found = analysis.hint(game, state, judge)
    # values that ship see further after a choice: what is told of the position fits what is told of these
    shares = found[0].shares if found else judge.shares(state)
    return Advice(
        source=_source(judge),
        win=round(shares[state.turn], _DIGITS),
        wins={str(option.action): round(option.shares[state.turn], _DIGITS) for option in found},
    )


def rolls(name: str, options: dict[str, Any], text: str) -> RollsView:
    """All that the dice can show at a position, and what to do then.

    :raises Refused: ``not_rolling`` if no dice are to fall.
    :raises TooManyFalls, NoJudge: as ``analysis.falls`` and ``judging.find`` do.
    """
    game = catalogue.load(name, **options)
    state = game.parse_state(text)
    if game.current_player(state) != CHANCE:
        raise Refused("not_rolling", f"no dice are to fall at {state}")
    judge = judging.find(game)
    seat = state.turn
    return RollsView(
        source=_source(judge),
        turn=seat,
        win=round(judge.shares(state)[seat], _DIGITS),
        falls=[
            FallLine(
                dice=list(fall.dice),
                chance=round(float(fall.chance), 2 * _DIGITS),
                plan=[str(action) for action in fall.plan],
                wins={str(option.action): round(option.shares[seat], _DIGITS) for option in fall.options},
                win=round(fall.shares[seat], _DIGITS),
            )
            for fall in analysis.falls(game, state, judge)
        ],
    )


def _analyse(text: str) -> AnalysisView:
    record = read(text)
    judge = judging.find(record.game)
    found = analysis.analyse(record, judge)
    return AnalysisView(
        source=_source(judge),
        curve=[[round(share, _DIGITS) for share in shares] for shares in found.curve],
        decisions=[_decision_line(record, decision) for decision in found.decisions],
        players=[
            PlayerLine(
                decisions=player.decisions,
                mistakes=player.mistakes,
                accuracy=player.accuracy,
                lost=player.lost,
                luck=player.luck,
                result=player.result,
                adjusted=player.adjusted,
            )
            for player in found.players
        ],
    )


def _decision_line(record: Record, decision: analysis.Decision) -> DecisionLine:
    why = analysis.Reason("")
    if decision.size:
        why = analysis.reason(record.game, record.positions[decision.ply - 1], decision)
    return DecisionLine(
        ply=decision.ply,
        seat=decision.seat,
        played=str(decision.played.action),
        best=str(decision.best.action),
        wins={str(option.action): round(decision.share(option), _DIGITS) for option in decision.options},
        lost=round(decision.lost, _DIGITS),
        size=decision.size,
        reason=why.key,
        facts=[fact_data(fact) for fact in why.facts],
    )


def _source(judge: judging.Judge) -> Source:
    return "exact" if judge.source.kind == judging.EXACT else "estimated"
