"""One match without I/O: who sits where, who may act, what happened, and what may be taken back.

The server, the hot-seat and the terminal all play through a ``Table``. What a seat wants is asked
with a method (``play``, ``undo``, ``resign``, …) that checks it and answers with an ``Event`` but
changes nothing; ``add`` makes it happen. In between a server can bring the event safely to disk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from escadaria.dice import Dice
from escadaria.game import CHANCE, AnyGame, Fact, GameError, IllegalAction, InvalidText, Outcome
from escadaria.record import (
    Proof,
    Record,
    Remark,
    Seat,
    check_bot_name,
    check_seats,
    match_outcome,
    resigned,
)
from escadaria.refusals import Refused

ROLL, UNDO, RESIGN, BACK, BOT = "roll", "undo", "resign", "back", "bot "


class Event(msgspec.Struct, frozen=True, tag_field="kind", tag="acted"):
    """What one seat did, with the dice that fell upon it. Events in order make a table again."""

    seat: int
    action: str
    """A decision's text, or ``roll``, ``undo``, ``resign``, ``bot NAME`` or ``back``."""
    dice: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([f"{self.seat} {self.action}", *(f"[{die}]" for die in self.dice)])

    @classmethod
    def parse(cls, text: str) -> Event:
        """The event with this text; ``str`` is the inverse. :raises InvalidText: if it is none."""
        match = re.fullmatch(r"([0-9]{1,2}) ([^][]+?)((?: \[[^][\s]+\])*)", text)
        if not match:
            raise InvalidText(f"{text[:80]!r} is no event: a seat, an action, and [dice]")
        seat, action, dice = match.groups()
        return cls(int(seat), action, tuple(die.strip("[]") for die in dice.split()))


@dataclass(frozen=True, slots=True)
class Step:
    """One ply of an event: what front ends animate."""

    action: Any
    facts: tuple[Fact, ...]
    state: Any
    """The position after it."""


@dataclass(frozen=True, slots=True)
class SavedTable:
    """A table as plain data: ``Table.restored`` makes it again without playing the match again."""

    version: int
    start: str | None
    stand_in: str
    plies: list[str]
    remarks: list[tuple[int, int, str]]
    positions: list[str]
    """The last ones: as many as can be taken back or described."""
    rolls: int


class Table:
    """A match at some version. It is rebuilt by adding its events to a new table."""

    def __init__(
        self,
        game: AnyGame,
        seats: tuple[Seat, ...],
        dice: Dice,
        *,
        start: Any = None,
        stand_in: str = "simple",
    ) -> None:
        check_seats(game, seats)
        self.game = game
        self.seats = seats
        self.dice = dice
        self.start = start
        self.stand_in = stand_in
        """The bot that plays on for a seat that resigned."""
        self.version = 0
        """How many events there have been."""
        self.plies: list[Any] = []
        self.remarks: list[Remark] = []
        self._positions = [game.initial_state() if start is None else start]
        self._rolls = 0  # how many of the plies are dice
        self._computed: tuple[Event, int, tuple[Step, ...]] | None = None  # by ``play``, for ``add``
        self.outcome: Outcome | None = None
        """Who won and how, or None while the match goes on."""
        self._settle()

    @classmethod
    def resumed(cls, record: Record, dice: Dice) -> Table:
        """A table at which a recorded match goes on."""
        table = cls(record.game, record.seats, dice, start=record.start)
        table.plies = list(record.plies)
        table.remarks = list(record.remarks)
        table.version = len(record.plies) + len(record.remarks)
        table._positions = list(record.positions)
        table._rolls = sum(record.game.current_player(state) == CHANCE for state in record.positions[:-1])
        table._settle()
        return table

    @classmethod
    def restored(cls, saved: SavedTable, game: AnyGame, seats: tuple[Seat, ...], dice: Dice) -> Table:
        """The table that ``saved`` describes. Its oldest positions are not known again.

        :raises GameError: if a text in it cannot be read.
        """
        start = game.parse_state(saved.start) if saved.start is not None else None
        table = cls(game, seats, dice, start=start, stand_in=saved.stand_in)
        table.plies = [game.parse(text) for text in saved.plies]
        table.remarks = [Remark(*remark) for remark in saved.remarks]
        table.version = saved.version
        last = [game.parse_state(text) for text in saved.positions]
        table._positions = [None] * (len(saved.plies) + 1 - len(last)) + last
        table._rolls = saved.rolls
        table._settle()
        return table

    def saved(self) -> SavedTable:
        """This table as plain data. It keeps the positions of this turn and of the one before."""
        first, turns = len(self._positions) - 1, 0
        while first and self._positions[first - 1] is not None:
            turns += self._positions[first - 1].turn != self._positions[first].turn
            if turns == 2:
                break
            first -= 1
        return SavedTable(
            version=self.version,
            start=None if self.start is None else str(self.start),
            stand_in=self.stand_in,
            plies=[str(ply) for ply in self.plies],
            remarks=[(remark.ply, remark.seat, remark.action) for remark in self.remarks],
            positions=[str(state) for state in self._positions[first:]],
            rolls=self._rolls,
        )

    # What everybody may know.

    @property
    def state(self) -> Any:
        """The position."""
        return self._positions[-1]

    @property
    def to_act(self) -> int | None:
        """The seat that may act, or None when the match is over."""
        return None if self.outcome else self.state.turn

    @property
    def awaits_roll(self) -> bool:
        """Whether the turn starts with dice: its owner says when they fall, and has no other choice.

        So a player sees their dice fall, and the decision before can be taken back.
        """
        return self.outcome is None and self.game.current_player(self.state) == CHANCE

    def choices(self) -> tuple[str, ...]:
        """What the seat to act may do, as texts: ``roll``, or the legal decisions."""
        if self.outcome:
            return ()
        return (ROLL,) if self.awaits_roll else tuple(map(str, self.game.legal_actions(self.state)))

    def bot_of(self, seat: int) -> str:
        """The name of the bot that plays the seat, or "" if a person does."""
        bot = self.seats[seat].bot
        for remark in self.remarks:
            if remark.seat == seat:
                bot = {RESIGN: self.stand_in, BACK: ""}.get(remark.action, remark.action.removeprefix(BOT))
        return bot

    def turn_facts(self) -> tuple[Fact, ...]:
        """What has happened since the turn started, for those who come in the middle of it."""
        first = len(self.plies)
        while first and self._positions[first - 1] and self._positions[first - 1].turn == self.state.turn:
            first -= 1
        return tuple(
            fact
            for state, ply in zip(self._positions[first:], self.plies[first:], strict=False)
            for fact in self.game.facts(state, ply)
        )

    def record(self, *, date: str = "", dice: str = "system", proof: Proof | None = None) -> Record:
        """The match so far, for reading and keeping."""
        return Record(
            self.game, self.seats, tuple(self.plies), tuple(self.remarks), date, dice, proof, self.start
        )

    # What a seat may ask for. Nothing changes before the event is added.

    def play(self, seat: int, text: str) -> Event:
        """The event of a decision, or of ``roll`` where the turn starts with dice.

        :raises Refused: ``over``, ``not_your_turn``.
        :raises InvalidText: if the text is no action.
        :raises IllegalAction: if the seat may not do this.
        """
        self._check(seat)
        self._check_turn(seat, text)
        state, steps, fallen = self.state, list[Step](), list[str]()
        if not self.awaits_roll:
            state = self._add_step(steps, state, self.game.parse(text))
        while self._must_fall(state, seat):
            outcome = self.dice.roll(self.game.chance_outcomes(state), self._rolls + len(fallen))
            fallen.append(str(outcome))
            state = self._add_step(steps, state, outcome)
        event = Event(seat, text, tuple(fallen))
        self._computed = (event, self.version, tuple(steps))
        return event

    def undo(self, seat: int) -> Event:
        """Take the last decision back.

        :raises Refused: ``no_undo`` if dice fell since, it was another seat's, or a bot plays for the seat.
        """
        self._check(seat)
        if not self.plies or self.game.current_player(self._positions[-2]) == CHANCE:
            raise Refused("no_undo", "there is no decision after the last dice")
        if self._positions[-2].turn != seat:
            raise Refused("no_undo", f"the last decision was that of seat {self._positions[-2].turn}")
        if bot := self.bot_of(seat):
            raise Refused("no_undo", f"seat {seat} is played by bot {bot}, which takes nothing back")
        return Event(seat, UNDO)

    def resign(self, seat: int) -> Event:
        """Give up. With two seats the match ends; with more a bot plays on for the seat.

        :raises Refused: ``resigned`` if it has.
        """
        self._check(seat)
        if seat in resigned(self.remarks):
            raise Refused("resigned", f"seat {seat} has resigned already")
        return Event(seat, RESIGN)

    def hand_over(self, seat: int, bot: str) -> Event:
        """Let a bot play for a seat whose owner is gone. :raises Refused: ``bot_plays`` if one does."""
        self._check(seat)
        check_bot_name(bot)
        if self.bot_of(seat):
            raise Refused("bot_plays", f"a bot plays seat {seat} already")
        return Event(seat, BOT + bot)

    def take_back(self, seat: int) -> Event:
        """Let the owner play again. :raises Refused: ``resigned``; ``not_replaced`` if no bot stands in."""
        self._check(seat)
        if seat in resigned(self.remarks):
            raise Refused("resigned", f"seat {seat} has resigned and cannot be taken back")
        if self.seats[seat].bot or not self.bot_of(seat):
            raise Refused("not_replaced", f"seat {seat} cannot be taken back: no bot stands in for its owner")
        return Event(seat, BACK)

    # What makes it happen.

    def add(self, event: Event) -> tuple[Step, ...]:
        """Apply an event and say what happened, ply by ply.

        Events come from the methods above, or from where they were stored.
        :raises GameError: if it does not fit this table; the table then stays as it was.
        """
        if self._computed and self._computed[:2] == (event, self.version):
            steps = self._computed[2]
        else:
            steps = self._steps(event)
        self._computed = None
        if event.action == UNDO:
            self.plies.pop()
            self._positions.pop()
            self.remarks = [replace(r, ply=min(r.ply, len(self.plies))) for r in self.remarks]
        elif not steps:
            self.remarks.append(Remark(len(self.plies), event.seat, event.action))
        self.plies.extend(step.action for step in steps)
        self._positions.extend(step.state for step in steps)
        self._rolls += len(event.dice)
        self.version += 1
        self._settle()
        return steps

    def _steps(self, event: Event) -> tuple[Step, ...]:
        """What an event brings, ply by ply. :raises GameError: if it does not fit here and now."""
        match event.action:
            case "undo":
                asked = self.undo(event.seat)
            case "resign":
                asked = self.resign(event.seat)
            case "back":
                asked = self.take_back(event.seat)
            case action if action.startswith(BOT):
                asked = self.hand_over(event.seat, action.removeprefix(BOT))
            case _:
                return self._plies(event)
        if asked != event:
            raise self._mismatch(event)
        return ()

    def _plies(self, event: Event) -> tuple[Step, ...]:
        """The plies of a decision and of just the dice that must fall upon it."""
        self._check(event.seat)
        self._check_turn(event.seat, event.action)
        steps: list[Step] = []
        state = self.state
        for text in event.dice if self.awaits_roll else (event.action, *event.dice):
            if steps and not self._must_fall(state, event.seat):
                raise self._mismatch(event)
            state = self._add_step(steps, state, self.game.parse(text))
        if self._must_fall(state, event.seat):
            raise self._mismatch(event)
        return tuple(steps)

    def _add_step(self, steps: list[Step], state: Any, action: Any) -> Any:
        """The position after an action, which becomes one more step. :raises IllegalAction: as ``apply``."""
        after = self.game.apply(state, action)
        steps.append(Step(action, self.game.facts(state, action), after))
        return after

    def _must_fall(self, state: Any, seat: int) -> bool:
        """Whether dice fall before the next decision or the end of the turn."""
        return state.turn == seat and self.game.current_player(state) == CHANCE

    def _mismatch(self, event: Event) -> GameError:
        return GameError(f"{str(event)!r:.80} does not fit version {self.version} of this table")

    def _settle(self) -> None:
        self.outcome = match_outcome(self.game, self.state, resigned(self.remarks))

    def check_running(self) -> None:
        """:raises Refused: ``over`` if the match has ended."""
        if self.outcome:
            raise Refused("over", f"the match is over: seat {self.outcome.winner} has won")

    def _check(self, seat: int) -> None:
        self.check_running()
        if seat not in range(self.game.players):
            raise Refused("not_your_turn", f"there are seats 0 to {self.game.players - 1}, not {seat}")

    def _check_turn(self, seat: int, text: str) -> None:
        if seat != self.state.turn:
            raise Refused("not_your_turn", f"seat {self.state.turn} is to act, not seat {seat}")
        if self.awaits_roll and text != ROLL:
            self.game.parse(text)  # says if it is nonsense
            raise IllegalAction(f"{text} is not possible now: the turn starts with {ROLL}")
