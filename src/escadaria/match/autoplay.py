"""Which bot is to act, and how long it waits before its turn."""

from __future__ import annotations

from dataclasses import dataclass

from escadaria.match.match import Match
from escadaria.match.state import MatchEvent
from escadaria.play import Play


@dataclass(frozen=True, slots=True)
class BotTurn:
    """A bot is to act in this position."""

    play: Play
    state: object
    seat: int
    pause: float
    """The seconds to wait before."""


class Autoplay:
    """The bots of one match. The room computes and commits what they decide."""

    def __init__(self, match: Match) -> None:
        self.thinking = False
        """Whether the decision of a bot is awaited."""
        self._match = match
        self._paced: int | None = None  # the bot that has waited before its turn
        self._hurried = False  # whether bots do not wait, until a person is to act

    @property
    def _bot(self) -> tuple[Play, int] | None:
        """The play and the seat to act, if a bot plays it."""
        play = self._match.play
        seat = play.to_act if play is not None else None
        return (play, seat) if play is not None and seat is not None and play.bot_of(seat) else None

    def next(self) -> BotTurn | None:
        """The bot to act; None if there is none, or its decision is awaited."""
        if self._bot is None:
            self._paced, self._hurried = None, False
            return None
        play, seat = self._bot
        if seat != self._paced:
            self._paced = None
        if self.thinking or play.to_enter() is not None:  # people roll real dice for bots too
            return None
        waits = self._paced is None and not self._hurried
        pace = self._match.settings.pace / 500 / max(2, self._match.game.players - 1)
        return BotTurn(play, play.state, seat, pace if waits else 0.0)

    def waited(self, turn: BotTurn) -> None:
        """Note that the pause before a turn is over."""
        self._paced = turn.seat

    def hurry(self) -> bool:
        """Let bots act without waiting until a person is to act; return whether one is to act."""
        self._hurried = self._bot is not None
        return self._hurried

    def acts(self, turn: BotTurn, action: str) -> list[MatchEvent]:
        """The events of the bot's action; none if the position has changed since it was computed."""
        current = self._bot == (turn.play, turn.seat) and turn.play.state is turn.state
        return self._match.bot_acts(turn.seat, action) if current else []
