"""One match without I/O: seats, turns, events and undo.

The server and the terminal play through a ``Play``. Its command methods (``act``, ``undo``, ``resign``, …)
check a command and return an ``Event`` without changing it. ``add`` applies the event; a server stores
it before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from escadaria.dice import BadDice, Dice, ScriptedDice
from escadaria.game import CHANCE, AnyGame, Fact, GameError, IllegalAction, InvalidText, Outcome
from escadaria.record import Proof, Record, Remark, Seat, check_bot_name, check_seats, match_outcome, resigned
from escadaria.refusals import Refused

ROLL, UNDO, RESIGN, BACK, BOT = "roll", "undo", "resign", "back", "bot "
_UNDO = re.compile(rf"{UNDO}(?: ([0-9]{{1,6}}))?")


class Event(msgspec.Struct, frozen=True, tag_field="kind", tag="acted"):
    """An action of a seat, with the rolls that follow it. Replaying the events restores a play."""

    seat: int
    action: str
    """A decision's text, or ``roll``, ``undo``, ``undo N`` (plies), ``resign``, ``bot NAME`` or ``back``."""
    dice: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([f"{self.seat} {self.action}", *(f"[{die}]" for die in self.dice)])

    @property
    def undone(self) -> int:
        """The number of plies that it undoes."""
        match = _UNDO.fullmatch(self.action) if self.action.startswith(UNDO) else None
        return int(match[1] or 1) if match else 0

    @classmethod
    def parse(cls, text: str) -> Event:
        """Parse an event; ``str`` is the inverse. :raises InvalidText: if the text is not an event."""
        match = re.fullmatch(r"([0-9]{1,2}) ([^][]+?)((?: \[[^][\s]+\])*)", text)
        if not match:
            raise InvalidText(f"{text[:80]!r} is no event: a seat, an action, and [dice]")
        seat, action, dice = match.groups()
        return cls(int(seat), action, tuple(die.strip("[]") for die in dice.split()))


class Step(msgspec.Struct, frozen=True):
    """One ply of an event, for front ends to animate."""

    action: Any
    state: Any
    """The position after the ply."""
    before: Any
    game: AnyGame

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What happened, computed for those who show it."""
        return self.game.facts(self.before, self.action)


@dataclass(frozen=True, slots=True)
class SavedPlay:
    """A snapshot of a play; ``Play.restored`` restores it without replaying the match."""

    version: int
    start: str | None
    stand_in: str
    plies: list[str]
    remarks: list[tuple[int, int, str]]
    positions: list[str]
    """The latest positions, as needed for ``undo`` and ``turn_facts``."""
    rolls: int


class Play:
    """A match at some version. Adding its events to a new one restores it."""

    def __init__(
        self,
        game: AnyGame,
        seats: tuple[Seat, ...],
        dice: Dice | None,
        *,
        start: Any = None,
        stand_in: str = "simple",
    ) -> None:
        """:param dice: None for real dice: people roll them, and enter what they show."""
        check_seats(game, seats)
        self.game = game
        self.seats = seats
        self.dice = dice
        self.start = start
        self.stand_in = stand_in
        """The bot that plays for a seat after it resigned."""
        self.version = 0
        """The number of events."""
        self.plies: list[Any] = []
        self.remarks: list[Remark] = []
        self._positions = [game.initial_state() if start is None else start]
        self._rolls = 0  # the number of plies that are rolls
        self._computed: tuple[Event, int, tuple[Step, ...]] | None = None  # by ``act``, for ``add``
        self.outcome: Outcome | None = None
        """The winner and the ruling, or None while the match is running."""
        self._update_outcome()

    @classmethod
    def resumed(cls, record: Record, dice: Dice | None) -> Play:
        """A play that continues a recorded match."""
        play = cls(record.game, record.seats, dice, start=record.start)
        play.plies = list(record.plies)
        play.remarks = list(record.remarks)
        play.version = len(record.plies) + len(record.remarks)
        play._positions = list(record.positions)
        play._rolls = sum(record.game.current_player(state) == CHANCE for state in record.positions[:-1])
        play._update_outcome()
        return play

    @classmethod
    def restored(cls, saved: SavedPlay, game: AnyGame, seats: tuple[Seat, ...], dice: Dice | None) -> Play:
        """Restore a play from a snapshot, without its older positions.

        :raises GameError: if a text in it cannot be read.
        """
        start = game.parse_state(saved.start) if saved.start is not None else None
        play = cls(game, seats, dice, start=start, stand_in=saved.stand_in)
        play.plies = [game.parse(text) for text in saved.plies]
        play.remarks = [Remark(*remark) for remark in saved.remarks]
        play.version = saved.version
        last = [game.parse_state(text) for text in saved.positions]
        play._positions = [None] * (len(saved.plies) + 1 - len(last)) + last
        play._rolls = saved.rolls
        play._update_outcome()
        return play

    def saved(self) -> SavedPlay:
        """A snapshot, with the positions of the current and the previous turn."""
        first, turns = len(self._positions) - 1, 0
        while first and self._positions[first - 1] is not None:
            turns += self._positions[first - 1].turn != self._positions[first].turn
            if turns == 2:
                break
            first -= 1
        return SavedPlay(
            version=self.version,
            start=None if self.start is None else str(self.start),
            stand_in=self.stand_in,
            plies=[str(ply) for ply in self.plies],
            remarks=[(remark.ply, remark.seat, remark.action) for remark in self.remarks],
            positions=[str(state) for state in self._positions[first:]],
            rolls=self._rolls,
        )

    # Queries.

    @property
    def state(self) -> Any:
        """The current position."""
        return self._positions[-1]

    @property
    def to_act(self) -> int | None:
        """The seat that may act, or None when the match is over."""
        return None if self.outcome else self.state.turn

    @property
    def awaits_roll(self) -> bool:
        """Whether ``roll`` is the only choice: at a turn that starts with dice, and before all real dice.

        The player starts the roll, so that the decision before it can be undone.
        """
        return self.outcome is None and self.game.current_player(self.state) == CHANCE

    def to_enter(self) -> list[list[str]] | None:
        """For each roll of real dice to enter with ``roll``, what it can show; None if there is none now."""
        if self.dice is not None or not self.awaits_roll:
            return None
        state, rolls = self.state, list[list[str]]()
        while self._rolls_next(state, self.state.turn):
            outcomes = self.game.chance_outcomes(state)
            rolls.append([str(outcome) for outcome, chance in outcomes if chance])
            state = self.game.apply(state, outcomes[0][0])
        return rolls

    def choices(self) -> tuple[str, ...]:
        """The choices of the seat to act, as texts: ``roll``, or the legal decisions."""
        if self.outcome:
            return ()
        return (ROLL,) if self.awaits_roll else tuple(map(str, self.game.legal_actions(self.state)))

    def bot_of(self, seat: int) -> str:
        """The name of the bot that plays the seat, or "" if a person does."""
        bot = self.seats[seat].bot
        for remark in self.remarks:
            if remark.seat == seat and remark.action != UNDO:
                bot = {RESIGN: self.stand_in, BACK: ""}.get(remark.action, remark.action.removeprefix(BOT))
        return bot

    def turn_facts(self) -> tuple[Fact, ...]:
        """The facts since the start of the turn, for clients that join during it."""
        first = len(self.plies)
        while first and self._positions[first - 1] and self._positions[first - 1].turn == self.state.turn:
            first -= 1
        return tuple(
            fact
            for state, ply in zip(self._positions[first:], self.plies[first:], strict=False)
            for fact in self.game.facts(state, ply)
        )

    def record(self, *, date: str = "", dice: str = "system", proof: Proof | None = None) -> Record:
        """The record of the match so far."""
        return Record(
            self.game, self.seats, tuple(self.plies), tuple(self.remarks), date, dice, proof, self.start
        )

    # Commands. They return an event and change nothing.

    def act(self, seat: int, text: str, entered: Sequence[str] = ()) -> Event:
        """The event of a decision and the rolls that follow it, or of ``roll`` where dice come first.

        :param entered: what real dice show, with ``roll``; a decision before real dice is an event alone.
        :raises Refused: ``over``, ``not_your_turn``.
        :raises BadDice: if these dice cannot be entered here.
        :raises InvalidText: if the text is not an action.
        :raises IllegalAction: if the action is not legal.
        """
        self._check(seat)
        self._check_turn(seat, text)
        state, steps, rolled = self.state, list[Step](), list[str]()
        if not self.awaits_roll:
            state = self._add_step(steps, state, self.game.parse(text))
        dice, first = (ScriptedDice(*entered), 0) if self.dice is None else (self.dice, self._rolls)
        while self._rolls_next(state, seat) and self._rolls_now:
            outcome = dice.roll(self.game.chance_outcomes(state), first + len(rolled))
            rolled.append(str(outcome))
            state = self._add_step(steps, state, outcome)
        if entered and (self.dice is not None or len(rolled) != len(entered)):
            raise BadDice(f"{len(rolled)} rolls of real dice are entered here, not {len(entered)}")
        event = Event(seat, text, tuple(rolled))
        self._computed = (event, self.version, tuple(steps))
        return event

    def undo(self, seat: int, *, far: bool = False) -> Event:
        """Undo the last decision.

        With real dice, any seat undoes the last decision or the last dice of a person, whoever that was, with
        what bots and forced decisions did since, even if that ended the match; the record notes it.

        :param far: undo the last decision for which the seat had a choice, with everything after it: forced
            decisions, rolls, and actions of bots. The same dice will be rolled again.
        :raises Refused: ``no_undo`` if dice were rolled since (unless ``far``), or another seat or a bot made
            the decision.
        """
        if self.dice is None and self.game.outcome(self.state):
            self._check_seat(seat)  # the last entry may be wrong; a match that was resigned stays over
        else:
            self._check(seat)
        if self.dice is None:
            return self._undo_entry(seat)
        if bot := self.bot_of(seat):
            raise Refused("no_undo", f"bot {bot} plays seat {seat}")
        if far:
            return self._undo_far(seat)
        if not self.plies or self.game.current_player(self._positions[-2]) == CHANCE:
            raise Refused("no_undo", "there is no decision after the last roll")
        if self._positions[-2].turn != seat:
            raise Refused("no_undo", f"seat {self._positions[-2].turn} made the last decision")
        return Event(seat, UNDO)

    def _undo_far(self, seat: int) -> Event:
        for ply in reversed(range(len(self.plies))):
            state = self._position(ply)
            if self.game.current_player(state) == CHANCE:
                continue
            if state.turn != seat and not self.bot_of(state.turn):
                raise Refused("no_undo", f"seat {state.turn} made a decision since")
            if state.turn == seat and len(self.game.legal_actions(state)) > 1:
                return _undo(seat, len(self.plies) - ply)
        raise Refused("no_undo", f"seat {seat} had no choice yet")

    def _undo_entry(self, seat: int) -> Event:
        for last in reversed(range(len(self.plies))):
            state, first = self._position(last), last
            if self.game.current_player(state) == CHANCE:  # dice that were entered together are undone so
                while first and self._rolls_next(self._position(first - 1), state.turn):
                    first -= 1
            elif self.bot_of(state.turn) or len(self.game.legal_actions(state)) == 1:
                continue
            return _undo(seat, len(self.plies) - first)
        raise Refused("no_undo", "nothing was entered yet")

    def resign(self, seat: int) -> Event:
        """Resign. If one seat is left it wins; else a bot plays for the seat.

        :raises Refused: ``resigned`` if the seat has resigned already.
        """
        self._check(seat)
        if seat in resigned(self.remarks):
            raise Refused("resigned", f"seat {seat} has resigned already")
        return Event(seat, RESIGN)

    def hand_over(self, seat: int, bot: str) -> Event:
        """Let a bot play for a seat whose owner is absent. :raises Refused: ``bot_plays``."""
        self._check(seat)
        check_bot_name(bot)
        if self.bot_of(seat):
            raise Refused("bot_plays", f"a bot plays seat {seat} already")
        return Event(seat, BOT + bot)

    def take_back(self, seat: int) -> Event:
        """Let the owner play again. :raises Refused: ``resigned``, ``not_replaced``."""
        self._check(seat)
        if seat in resigned(self.remarks):
            raise Refused("resigned", f"seat {seat} has resigned and cannot be taken back")
        if self.seats[seat].bot or not self.bot_of(seat):
            raise Refused("not_replaced", f"seat {seat} cannot be taken back: no bot stands in for its owner")
        return Event(seat, BACK)

    # Applying events.

    def add(self, event: Event) -> tuple[Step, ...]:
        """Apply an event from a command method or from storage, and return its steps.

        :raises GameError: if it does not fit, and the play is then unchanged.
        """
        if self._computed and self._computed[:2] == (event, self.version):
            steps = self._computed[2]
        else:
            steps = self._steps(event)
        self._computed = None
        if undone := event.undone:
            first = len(self.plies) - undone
            self._rolls -= sum(
                self.game.current_player(self._position(ply)) == CHANCE
                for ply in range(first, len(self.plies))
            )
            del self.plies[first:], self._positions[first + 1 :]
            self.remarks = [replace(r, ply=min(r.ply, len(self.plies))) for r in self.remarks]
            if self.dice is None:
                self.remarks.append(Remark(first, event.seat, UNDO))
        elif not steps:
            self.remarks.append(Remark(len(self.plies), event.seat, event.action))
        self.plies.extend(step.action for step in steps)
        self._positions.extend(step.state for step in steps)
        self._rolls += len(event.dice)
        self.version += 1
        self._update_outcome()
        return steps

    def _steps(self, event: Event) -> tuple[Step, ...]:
        """The steps of an event. :raises GameError: if it does not fit the current position."""
        match event.action:
            case _ if event.undone:
                expected = self.undo(event.seat, far=event.action != UNDO)
            case "resign":
                expected = self.resign(event.seat)
            case "back":
                expected = self.take_back(event.seat)
            case action if action.startswith(BOT):
                expected = self.hand_over(event.seat, action.removeprefix(BOT))
            case _:
                return self._plies(event)
        if expected != event:
            raise self._mismatch(event)
        return ()

    def _plies(self, event: Event) -> tuple[Step, ...]:
        """The steps of a decision and of exactly the rolls that must follow it."""
        self._check(event.seat)
        self._check_turn(event.seat, event.action)
        steps: list[Step] = []
        state = self.state
        if event.dice and not self._rolls_now:
            raise self._mismatch(event)
        for text in event.dice if self.awaits_roll else (event.action, *event.dice):
            if steps and not self._rolls_next(state, event.seat):
                raise self._mismatch(event)
            state = self._add_step(steps, state, self.game.parse(text))
        if self._rolls_next(state, event.seat) and self._rolls_now:
            raise self._mismatch(event)
        return tuple(steps)

    def _position(self, ply: int) -> Any:
        """The position before a ply. A restored play computes its older positions when they are needed."""
        if self._positions[ply] is None:
            state = self.game.initial_state() if self.start is None else self.start
            for index, action in enumerate(self.plies):
                self._positions[index] = state
                state = self.game.apply(state, action)
        return self._positions[ply]

    def _add_step(self, steps: list[Step], state: Any, action: Any) -> Any:
        """Append the step of an action and return its position. :raises IllegalAction: as ``apply``."""
        after = self.game.apply(state, action)
        steps.append(Step(action, after, state, self.game))
        return after

    @property
    def _rolls_now(self) -> bool:
        """Whether an event has the rolls that follow it: real dice are rolled after the decision is known."""
        return self.dice is not None or self.awaits_roll

    def _rolls_next(self, state: Any, seat: int) -> bool:
        """Whether a roll of the same turn follows."""
        return state.turn == seat and self.game.current_player(state) == CHANCE

    def _mismatch(self, event: Event) -> GameError:
        return GameError(f"{str(event)!r:.80} does not fit version {self.version} of this match")

    def _update_outcome(self) -> None:
        self.outcome = match_outcome(self.game, self.state, resigned(self.remarks))

    def check_running(self) -> None:
        """:raises Refused: ``over`` if the match has ended."""
        if self.outcome:
            raise Refused("over", f"the match is over: seat {self.outcome.winner} has won")

    def _check(self, seat: int) -> None:
        self.check_running()
        self._check_seat(seat)

    def _check_seat(self, seat: int) -> None:
        if seat not in range(self.game.players):
            raise Refused("not_your_turn", f"there are seats 0 to {self.game.players - 1}, not {seat}")

    def _check_turn(self, seat: int, text: str) -> None:
        if seat != self.state.turn:
            raise Refused("not_your_turn", f"seat {self.state.turn} is to act, not seat {seat}")
        if self.awaits_roll and text != ROLL:
            self.game.parse(text)  # raises InvalidText if it is not an action
            raise IllegalAction(f"{text} is not possible now: {ROLL} comes first")


def _undo(seat: int, plies: int) -> Event:
    return Event(seat, UNDO if plies == 1 else f"{UNDO} {plies}")
