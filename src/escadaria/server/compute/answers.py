"""What worker processes compute: decisions of bots, hints, positions, replays and analyses.

A running match is evaluated only at a practice table; the callers check that.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from typing import Any

import msgspec

from escadaria import bots, catalogue
from escadaria.bodies import PositionRequest, PositionSeen
from escadaria.coach import analysis, evaluators
from escadaria.game import CHANCE, AnyGame
from escadaria.record import Proof, Record, Remark, Seat, result_text, verify
from escadaria.refusals import Refused
from escadaria.views import FactView, StepView, fact_data, previews
from escadaria.wire import Evaluation, Source

MAX_PLIES = 5000
"""The longest match that is replayed or analysed.

The longest simulated match had 1,617 plies: Chain for six on the long board, of 60 matches by weak bots for
each number of players with the largest options.
"""

LOADING_SECONDS = 4.0
"""How long a grandmaster's first decision may wait for it to load. After that a master decides."""
MOST_GRANDMASTERS = 16
"""The number of grandmasters in memory; each has about 11 MB of tables."""

_DIGITS = 4


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A record with all its positions and facts, so that a client needs no rules."""

    game: str
    options: dict[str, bool | int | str]
    date: str
    dice: str
    seats: tuple[Seat, ...]
    winner: int | None
    ruling: str | None
    result: str
    proof: Proof | None
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
    remarks: tuple[Remark, ...]
    judged: bool
    """Whether the game has an evaluator, so that an analysis is available."""
    text: str
    """The record file."""


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


# Decisions of bots.


def decide(game: Any, text: str, bot: str) -> str:
    """The action of a bot at a position."""
    choose = _grandmaster(game) if bot == bots.GRANDMASTER else _bot(game, bot)
    return str(choose(game, game.parse_state(text)))


@lru_cache(maxsize=256)
def _bot(game: Any, bot: str) -> bots.AnyBot:
    return bots.load(bot, game)


@lru_cache(maxsize=MOST_GRANDMASTERS)
def _grandmaster(game: Any) -> Grandmaster:
    return Grandmaster(game)


class Grandmaster:
    """A grandmaster. It compiles once, for half a minute; until then a master decides."""

    def __init__(self, game: AnyGame) -> None:
        self.master = bots.load("master", game)
        self.loading = ThreadPoolExecutor(1).submit(bots.load, bots.GRANDMASTER, game)
        wait([self.loading], LOADING_SECONDS)

    def __call__(self, game: AnyGame, state: Any) -> Any:
        return (self.loading.result() if self.loading.done() else self.master)(game, state)


# Single positions.


def hint(game: AnyGame, text: str, bot: str) -> tuple[str, Evaluation | None]:
    """The best action and its evaluation; without an evaluator the bot's action and None."""
    advice = _advice(game, game.parse_state(text))
    if advice is None:
        return decide(game, text, bot), None
    return max(advice.wins, key=advice.wins.__getitem__), advice


def position(request: PositionRequest) -> bytes:
    """A ``PositionSeen``. :raises GameError: if there is no such position."""
    game, state = _read(request)
    over = game.outcome(state) is not None
    return _packed(
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
                wins=_wins(fall.options, seat),
                win=round(fall.shares[seat], _DIGITS),
            )
            for fall in analysis.falls(game, state, evaluator)
        ],
    )
    return _packed(view)


def _read(request: PositionRequest) -> tuple[AnyGame, Any]:
    game = catalogue.load(request.game, **request.options)
    return game, game.initial_state() if request.position is None else game.parse_state(request.position)


def _advice(game: AnyGame, state: Any) -> Evaluation | None:
    evaluator = _evaluator(game)
    if evaluator is None:
        return None
    found = evaluator.options(state)
    # Options are evaluated one ply deeper than the position: take its value from the best one, to agree.
    shares = found[0].shares if found else evaluator.shares(state)
    return Evaluation(
        source=_source(evaluator),
        win=round(shares[state.turn], _DIGITS),
        shares=_rounded(shares),
        wins=_wins(found, state.turn),
    )


# Whole matches. Their records are made in the worker, because that replays them.


def record_text(made: Callable[[], Record]) -> bytes:
    """The text of a record, compressed with gzip."""
    return gzip.compress(str(made()).encode(), mtime=0)


def replay(made: Callable[[], Record]) -> bytes:
    """A ``Replay``. :raises BadRecord: if it cannot be read. :raises Refused: ``too_large``."""
    record = _checked(made())
    game, outcome, states = record.game, record.outcome, record.positions
    rolled = [n for n, state in enumerate(states[:-1], 1) if game.current_player(state) == CHANCE]
    view = Replay(
        game=game.name,
        options=game.options,
        date=record.date,
        dice=record.dice,
        seats=record.seats,
        winner=outcome.winner if outcome else None,
        ruling=outcome.ruling if outcome else None,
        result=result_text(record),
        proof=record.proof,
        verdict=verify(record).reason,
        start=states[0],
        steps=[
            StepView(
                action=str(ply),
                facts=[fact_data(fact) for fact in record.facts(number)],
                position=states[number],
            )
            for number, ply in enumerate(record.plies, 1)
        ],
        texts=[str(state) for state in states],
        rolls=rolled,
        sides=[len(game.chance_outcomes(states[n - 1])) for n in rolled],
        remarks=record.remarks,
        judged=_evaluator(game) is not None,
        text=str(record),
    )
    return _packed(view)


def analyse(made: Callable[[], Record]) -> bytes:
    """An ``AnalysisView``. :raises BadRecord, NoEvaluator: or ``Refused``: ``too_large``."""
    record = _checked(made())
    evaluator = evaluators.find(record.game)
    found = analysis.analyse(record, evaluator)
    view = AnalysisView(
        source=_source(evaluator),
        curve=[_rounded(shares) for shares in found.curve],
        decisions=[_decision_line(record, decision) for decision in found.decisions],
        players=msgspec.convert(found.players, list[PlayerLine], from_attributes=True),
    )
    return _packed(view)


def _checked(record: Record) -> Record:
    if len(record.plies) > MAX_PLIES:
        raise too_large()
    return record


def too_large() -> Refused:
    """The refusal of a match that is too long."""
    return Refused("too_large", f"a match of more than {MAX_PLIES} plies is not replayed or analysed")


def _decision_line(record: Record, decision: analysis.Decision) -> DecisionLine:
    why = analysis.Reason("")
    if decision.size:
        why = analysis.reason(record.game, record.positions[decision.ply - 1], decision)
    return DecisionLine(
        ply=decision.ply,
        seat=decision.seat,
        played=str(decision.played.action),
        best=str(decision.best.action),
        wins=_wins(decision.options, decision.seat),
        lost=round(decision.lost, _DIGITS),
        size=decision.size,
        reason=why.key,
        facts=[fact_data(fact) for fact in why.facts],
    )


def _wins(options: Sequence[evaluators.ActionValue], seat: int) -> dict[str, float]:
    return {str(option.action): round(option.shares[seat], _DIGITS) for option in options}


def _rounded(shares: evaluators.Shares) -> list[float]:
    return [round(share, _DIGITS) for share in shares]


def _evaluator(game: AnyGame) -> evaluators.Evaluator | None:
    try:
        return evaluators.find(game)
    except evaluators.NoEvaluator:
        return None


def _source(evaluator: evaluators.Evaluator) -> Source:
    return "exact" if evaluator.source.kind == evaluators.EXACT else "estimated"


def _packed(view: msgspec.Struct) -> bytes:
    """JSON, compressed with gzip."""
    return gzip.compress(msgspec.json.encode(view), 6, mtime=0)
