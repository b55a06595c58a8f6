"""Analysis of a match from its record: the value of each decision, and the luck of each roll.

The curve has the win probability of each seat at every position of the match. A change by a roll is
**luck**. A change by a decision is **skill** for the seat that decides: it is never positive, since best
play keeps the probability, and its size is **lost**. For the other seats the same change is **given**. So
for every seat

    start + luck + skill + given + resigned = result

where ``resigned`` is the change by a resignation at the end, and the result of an unfinished match is the
last point of the curve. A decision with a single legal action does not count. Decisions of a bot that stands
in for a player count for the seat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from math import hypot
from typing import TYPE_CHECKING, Any

from escadaria.catalogue import kit_of
from escadaria.coach import evaluators
from escadaria.coach.evaluators import ActionValue, Evaluator, Shares, Source
from escadaria.game import CHANCE, AnyGame, Fact, GameError
from escadaria.record import Record

if TYPE_CHECKING:
    from escadaria.i18n import Texts

SIZES = {"inaccuracy": 0.02, "mistake": 0.05, "blunder": 0.10}
"""Mistakes by size: the smallest loss of win probability of each."""

SIGNIFICANCE = 2.0
"""A loss measured by rollouts counts if it is at least this number of standard errors."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice between at least two actions."""

    ply: int
    """Its number in the record, from 1."""
    turn: int
    """The turn's number, from 1."""
    seat: int
    played: ActionValue
    options: tuple[ActionValue, ...]
    """All legal actions, the best for the seat first."""

    @property
    def best(self) -> ActionValue:
        return self.options[0]

    def share(self, option: ActionValue) -> float:
        """The win probability of the seat that decides."""
        return option.shares[self.seat]

    @property
    def lost(self) -> float:
        """The win probability of the best action minus that of the one played; 0 if not significant."""
        lost = self.share(self.best) - self.share(self.played)
        return lost if lost > SIGNIFICANCE * hypot(self.best.error, self.played.error) else 0.0

    @property
    def at_stake(self) -> float:
        """The loss of the worst action."""
        return self.share(self.best) - self.share(self.options[-1])

    @property
    def size(self) -> str:
        """``inaccuracy``, ``mistake`` or ``blunder``; empty for a good decision."""
        return next((size for size, least in reversed(SIZES.items()) if self.lost >= least), "")


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll of the dice."""

    ply: int
    turn: int
    seat: int
    """The seat that rolled."""
    dice: str
    luck: Shares
    """The change of each seat's win probability; it sums to 0."""


@dataclass(frozen=True, slots=True)
class Player:
    """The summary of one seat: decisions, mistakes and luck."""

    seat: int
    name: str
    decisions: int
    mistakes: dict[str, int]
    """The number of mistakes by size."""
    accuracy: float | None
    """``1 - lost / at_stake``, both summed over all decisions: 1 for best play, 0 for the worst. Important
    decisions weigh more. None if nothing was at stake."""
    lost: float
    start: float
    luck: float
    skill: float
    given: float
    resigned: float
    result: float

    @property
    def adjusted(self) -> float:
        """The result minus the luck. It can be below 0 or above 1."""
        return self.result - self.luck


@dataclass(frozen=True)
class Analysis:
    """The analysis of a match."""

    record: Record
    source: Source
    curve: tuple[Shares, ...]
    """The win probability of each seat; ``curve[n]`` is after n plies."""
    errors: tuple[Shares, ...]
    """The standard errors of the curve."""
    decisions: tuple[Decision, ...]
    """In order, without forced ones."""
    rolls: tuple[Roll, ...]

    @cached_property
    def result(self) -> Shares:
        """1 for the winner and 0 for the others; for an unfinished match the end of the curve."""
        outcome = self.record.outcome
        if outcome is None:
            return self.curve[-1]
        return tuple(float(seat == outcome.winner) for seat in range(self.record.game.players))

    @cached_property
    def players(self) -> tuple[Player, ...]:
        return tuple(self._player(seat) for seat in range(self.record.game.players))

    @property
    def mistakes(self) -> tuple[Decision, ...]:
        """The decisions that were inaccuracies, mistakes or blunders."""
        return tuple(decision for decision in self.decisions if decision.size)

    def change(self, ply: int) -> Shares:
        """The change of the curve by this ply."""
        pairs = zip(self.curve[ply - 1], self.curve[ply], strict=True)
        return tuple(after - before for before, after in pairs)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from escadaria import notebook

        return notebook.analysis_html(self)

    def _player(self, seat: int) -> Player:
        own = [decision for decision in self.decisions if decision.seat == seat]
        sizes = [decision.size for decision in own]
        lost = sum(decision.lost for decision in own)
        at_stake = sum(decision.at_stake for decision in own)
        rolled = {roll.ply for roll in self.rolls}
        luck = skill = given = 0.0
        for ply, position in enumerate(self.record.positions[:-1], 1):
            moved = self.change(ply)[seat]
            if ply in rolled:
                luck += moved
            elif position.turn == seat:
                skill += moved
            else:
                given += moved
        return Player(
            seat=seat,
            name=self.record.names[seat],
            decisions=len(own),
            mistakes={size: sizes.count(size) for size in SIZES},
            accuracy=1 - lost / at_stake if at_stake > 0 else None,
            lost=lost,
            start=self.curve[0][seat],
            luck=luck,
            skill=skill,
            given=given,
            resigned=self.result[seat] - self.curve[-1][seat],
            result=self.result[seat],
        )

    def data(self) -> dict[str, Any]:
        """The analysis for JSON. Seats are numbered from 0; plies and turns from 1, as in records."""
        return {
            "game": self.record.game.name,
            "options": self.record.game.options,
            "source": self.source.data(),
            "players": [asdict(player) | {"adjusted": player.adjusted} for player in self.players],
            "curve": [list(shares) for shares in self.curve],
            "errors": [list(errors) for errors in self.errors] if any(map(any, self.errors)) else None,
            "decisions": [_decision_data(decision, self.source) for decision in self.decisions],
            "rolls": [asdict(roll) for roll in self.rolls],
        }


def analyse(
    record: Record,
    evaluator: Evaluator | None = None,
    rollouts: int = 0,
    progress: Callable[[int, int], None] = lambda done, plies: None,
) -> Analysis:
    """Analyse a match with the given evaluator, or with the best one available.

    :param rollouts: evaluate each position by this number of games of ``simple`` bots instead.
    :param progress: called with the number of plies done and the total.
    :raises NoEvaluator: if there is no evaluator for this game.
    :raises GameError: if it is not a record.
    """
    if not isinstance(record, Record):
        raise GameError(f"analyse takes a record, as escadaria.record.open_record gives, not {record!r}")
    evaluator = evaluator or evaluators.find(record.game, rollouts)
    game = record.game
    curve, errors = [], []
    decisions, rolls = [], []
    turns = {ply: number for number, _, plies in record.turns() for ply in plies}
    for ply, position in enumerate(record.positions, 1):
        if ply <= len(record.plies) and len(game.legal_actions(position)) > 1:
            decisions.append(_decision(record, evaluator, ply, turns[ply]))
        curve.append(evaluator.shares(position))
        errors.append(evaluator.error(position))
        if ply > 1 and game.current_player(record.positions[ply - 2]) == CHANCE:
            rolls.append(_roll(record, ply - 1, turns[ply - 1], curve[-2], curve[-1]))
        progress(ply - 1, len(record.plies))
    return Analysis(record, evaluator.source, tuple(curve), tuple(errors), tuple(decisions), tuple(rolls))


# All possible rolls of a position.

MOST_FALLS = 800
"""The maximum number of positions to evaluate after a roll: enough for five dice in Chain."""


class TooManyFalls(GameError):
    """The dice can lead to more than ``MOST_FALLS`` positions."""

    code = "too_large"


@dataclass(frozen=True, slots=True)
class Fall:
    """The rolls that lead to one position, and best play from there."""

    dice: tuple[str, ...]
    """All rolls that lead there. Dice that are rolled one by one are sorted after the first (C9)."""
    chance: Fraction
    plan: tuple[Any, ...]
    """The best actions until the next roll or the end of the turn; empty if the dice ended the turn."""
    options: tuple[ActionValue, ...]
    """The options of the last decision in the plan, the chosen one first."""
    shares: Shares


def falls(game: AnyGame, state: Any, evaluator: Evaluator) -> tuple[Fall, ...]:
    """All possible rolls at a chance node; their probabilities sum to 1.

    :raises TooManyFalls: if more than ``MOST_FALLS`` positions can follow.
    """
    waiting: _Falling = {state: {"": Fraction(1)}}
    fallen: _Falling = {}
    while waiting:
        waiting = _one_more(game, waiting, state.turn, fallen)
        if len(waiting) + len(fallen) > MOST_FALLS:
            raise TooManyFalls(f"more than {MOST_FALLS} positions can follow {state}")
    return tuple(_fall(game, after, evaluator, state.turn, dice) for after, dice in fallen.items())


_Falling = dict[Any, dict[str, Fraction]]
"""From a position to the dice that lead there, with their probabilities."""


def _one_more(game: AnyGame, waiting: _Falling, seat: int, fallen: _Falling) -> _Falling:
    """Roll the next die, or all dice that are rolled together; complete rolls go to ``fallen``."""
    more: _Falling = {}
    for before, ways in waiting.items():
        for die, share in game.chance_outcomes(before):
            after = game.apply(before, die)
            rolls_on = after.turn == seat and game.current_player(after) == CHANCE
            known = (more if rolls_on else fallen).setdefault(after, {})
            for dice, chance in ways.items():
                shown = dice[:1] + "".join(sorted(dice[1:] + str(die))) if dice else str(die)
                known[shown] = known.get(shown, Fraction(0)) + chance * share
    return more


def _fall(game: AnyGame, after: Any, evaluator: Evaluator, seat: int, dice: Mapping[str, Fraction]) -> Fall:
    plan: list[Any] = []
    options: tuple[ActionValue, ...] = ()
    position = after
    while position.turn == seat and game.legal_actions(position):
        options = evaluator.options(position)
        plan.append(options[0].action)
        position = game.apply(position, plan[-1])
    shares = options[0].shares if options else evaluator.shares(after)
    return Fall(tuple(dice), sum(dice.values(), Fraction(0)), tuple(plan), options, shares)


def _decision(record: Record, evaluator: Evaluator, ply: int, turn: int) -> Decision:
    state, played = record.positions[ply - 1], record.plies[ply - 1]
    options = evaluator.options(state)
    option = next(option for option in options if option.action == played)
    return Decision(ply, turn, state.turn, option, options)


def _roll(record: Record, ply: int, turn: int, before: Shares, after: Shares) -> Roll:
    luck = tuple(new - old for old, new in zip(before, after, strict=True))
    return Roll(ply, turn, record.positions[ply - 1].turn, str(record.plies[ply - 1]), luck)


def option_data(option: ActionValue, seat: int, source: Source) -> dict[str, Any]:
    """An action for JSON, with the win probability of the seat that decides."""
    error = source.known_error(option.error)
    return {"action": str(option.action), "share": option.shares[seat], "error": error}


def _decision_data(decision: Decision, source: Source) -> dict[str, Any]:
    options = [option_data(option, decision.seat, source) for option in decision.options]
    return {
        "ply": decision.ply,
        "turn": decision.turn,
        "seat": decision.seat,
        "played": str(decision.played.action),
        "lost": decision.lost,
        "size": decision.size,
        "options": options,
    }


# Explanations of mistakes.


@dataclass(frozen=True, slots=True)
class Reason:
    """The facts that distinguish the best action from the one played."""

    key: str
    """The key of its text."""
    facts: tuple[Fact, ...] = ()
    """Facts of one kind that follow only one of the two actions."""


def own(fact: Fact, seat: int) -> bool:
    """Whether the fact affects the seat."""
    return bool(fact.data().get("victim", fact.seat) == seat)


def others(fact: Fact, seat: int) -> bool:
    """Whether the fact affects another seat."""
    return not own(fact, seat)


Relevance = Mapping[str, Callable[[Fact, int], bool]]
"""From ``GAME.KIND`` to a predicate that says when the fact counts; its text is ``coach.good.GAME.KIND``."""


def reason(game: AnyGame, state: Any, decision: Decision) -> Reason:
    """Why the best action was better, as far as the facts show it."""
    kit = kit_of(game)
    if kit.explanations is None:
        return Reason("coach.better")
    part = kit.explanations()
    played = game.facts(state, decision.played.action)
    best = game.facts(state, decision.best.action)
    worst = next(_reasons(part.BAD, "coach.bad", played, best, decision.seat), None)
    if worst is not None and worst.key == "coach.bad.won":
        return worst
    good = next(_reasons(part.GOOD, "coach.good", best, played, decision.seat), None)
    return good or worst or Reason("coach.better")


def _reasons(
    kinds: Relevance, start: str, facts: tuple[Fact, ...], others: tuple[Fact, ...], seat: int
) -> Iterator[Reason]:
    for kind, counts in kinds.items():
        alike = (fact for fact in facts if fact.kind == kind.rpartition(".")[2] and fact not in others)
        found = tuple(fact for fact in alike if counts(fact, seat))
        if found:
            yield Reason(f"{start}.{kind}", found)


def explanation(record: Record, decision: Decision, texts: Texts) -> str:
    """A sentence that says why the best action was better, with both win probabilities."""
    game, names = record.game, record.names
    why = reason(game, record.positions[decision.ply - 1], decision)
    fields = why.facts[0].data() if why.facts else {}
    whom = dict.fromkeys(names[fact.data().get("victim", fact.seat)] for fact in why.facts)
    best, played = (decision.share(option) for option in (decision.best, decision.played))
    close = texts.percent(best) == texts.percent(played)
    return texts(
        why.key,
        **fields,
        action=texts.action(game.name, decision.best.action),
        instead=texts.action(game.name, decision.played.action),
        names=texts.listed(whom),
        best=texts.percent(best, int(close)),
        share=texts.percent(played, int(close)),
    )
