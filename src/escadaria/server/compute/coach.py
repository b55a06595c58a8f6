"""Evaluations of positions and of finished matches.

A running match is evaluated only at a practice table; the callers check that. The functions run in worker
processes.
"""

from __future__ import annotations

from typing import Any

import msgspec

from escadaria import catalogue
from escadaria.coach import analysis, evaluators
from escadaria.game import CHANCE, AnyGame
from escadaria.record import Record, read
from escadaria.refusals import Refused
from escadaria.server.compute.replays import Played, check_length, packed
from escadaria.server.compute.worker import decide
from escadaria.views import FactView, fact_data, previews
from escadaria.wire import Evaluation, PositionRequest, PositionSeen, Source

_DIGITS = 4


class DecisionLine(msgspec.Struct, frozen=True, kw_only=True):
    """A choice between at least two actions."""

    ply: int
    """Its number, from 1."""
    seat: int
    played: str
    best: str
    wins: dict[str, float]
    """The seat's win probability after each action, the best first."""
    lost: float
    size: str
    """``inaccuracy``, ``mistake`` or ``blunder``; empty if it was good."""
    reason: str
    """For a mistake: the key of the text that explains why the best action is better."""
    facts: list[FactView]
    """The facts that only one of the two actions causes, for that text."""


class PlayerLine(msgspec.Struct, frozen=True, kw_only=True):
    """The accuracy and luck of one seat."""

    decisions: int
    mistakes: dict[str, int]
    """The number of each size."""
    accuracy: float | None
    """1 for best play, 0 for the worst; null if nothing was at stake."""
    lost: float
    luck: float
    result: float
    adjusted: float
    """The result without the luck."""


class AnalysisView(msgspec.Struct, frozen=True, kw_only=True):
    """The analysis of a match."""

    source: Source
    curve: list[list[float]]
    """The win probability of each seat, after each number of plies."""
    decisions: list[DecisionLine]
    players: list[PlayerLine]


class FallLine(msgspec.Struct, frozen=True, kw_only=True):
    """The rolls that lead to one position, and the best decisions there."""

    dice: list[str]
    """All such rolls. If the dice fall one at a time, those after the first are sorted."""
    chance: float
    plan: list[str]
    """The best actions until the next roll or the end of the turn; empty if the roll ended it."""
    wins: dict[str, float]
    """The seat's win probability after each candidate for the last action of the plan, the best first."""
    win: float


class RollsView(msgspec.Struct, frozen=True, kw_only=True):
    """All rolls at a position."""

    source: Source
    turn: int
    """The seat that rolls."""
    win: float
    """Its win probability before the roll."""
    falls: list[FallLine]


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """The analysis is not ready: repeat the request."""

    ahead: int
    """An upper bound of the number of jobs before it."""


def hint(
    name: str, options: tuple[tuple[str, int | str], ...], text: str, bot: str
) -> tuple[str, Evaluation | None]:
    """The best action and its evaluation; without an evaluator the bot's action and None."""
    game = catalogue.load(name, **dict(options))
    advice = _advice(game, game.parse_state(text))
    if advice is None:
        return decide(name, options, text, bot), None
    return max(advice.wins, key=advice.wins.__getitem__), advice


def _read(request: PositionRequest) -> tuple[AnyGame, Any]:
    game = catalogue.load(request.game, **request.options)
    return game, game.initial_state() if request.position is None else game.parse_state(request.position)


def _advice(game: AnyGame, state: Any) -> Evaluation | None:
    try:
        evaluator = evaluators.find(game)
    except evaluators.NoEvaluator:
        return None
    found = analysis.hint(game, state, evaluator)
    # Options are evaluated one ply deeper than the position: take its value from the best one, to agree.
    shares = found[0].shares if found else evaluator.shares(state)
    return Evaluation(
        source=_source(evaluator),
        win=round(shares[state.turn], _DIGITS),
        shares=[round(share, _DIGITS) for share in shares],
        wins={str(option.action): round(option.shares[state.turn], _DIGITS) for option in found},
    )


def position(request: PositionRequest) -> bytes:
    """A ``PositionSeen``. :raises GameError: if there is no such position."""
    game, state = _read(request)
    over = game.outcome(state) is not None
    return packed(
        PositionSeen(
            game=game.name,
            options=game.options,
            text=str(state),
            position=state,
            turn=state.turn,
            legal=[str(action) for action in game.legal_actions(state)],
            choices=previews(game, state),
            over=over,
            advice=None if over else _advice(game, state),
        )
    )


def rolls(request: PositionRequest) -> bytes:
    """A ``RollsView``: all rolls at a position, with the best decisions after each.

    :raises Refused: ``not_rolling`` if the position waits for no roll.
    :raises TooManyFalls, NoEvaluator: as ``analysis.falls`` and ``evaluators.find`` do.
    """
    game, state = _read(request)
    if game.current_player(state) != CHANCE:
        raise Refused("not_rolling", f"the position waits for no roll: {state}")
    evaluator = evaluators.find(game)
    seat = state.turn
    view = RollsView(
        source=_source(evaluator),
        turn=seat,
        win=round(evaluator.shares(state)[seat], _DIGITS),
        falls=[
            FallLine(
                dice=list(fall.dice),
                chance=round(float(fall.chance), 2 * _DIGITS),
                plan=[str(action) for action in fall.plan],
                wins={str(option.action): round(option.shares[seat], _DIGITS) for option in fall.options},
                win=round(fall.shares[seat], _DIGITS),
            )
            for fall in analysis.falls(game, state, evaluator)
        ],
    )
    return packed(view)


def analyse_match(played: Played) -> bytes:
    """An ``AnalysisView``. :raises Refused: ``too_large``. :raises NoEvaluator: if there is no evaluator."""
    return packed(_analysis(check_length(played.record())))


def analyse_text(text: str) -> bytes:
    """An ``AnalysisView`` of a record file. :raises BadRecord: if it cannot be read."""
    return packed(_analysis(check_length(read(text))))


def _analysis(record: Record) -> AnalysisView:
    evaluator = evaluators.find(record.game)
    found = analysis.analyse(record, evaluator)
    return AnalysisView(
        source=_source(evaluator),
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


def _source(evaluator: evaluators.Evaluator) -> Source:
    return "exact" if evaluator.source.kind == evaluators.EXACT else "estimated"
