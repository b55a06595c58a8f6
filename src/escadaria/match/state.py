"""The state of one match, without I/O: what its events make of it.

Replaying the stored events restores the state. ``match.py`` checks commands and makes the events.
"""

from __future__ import annotations

import dataclasses
import hmac
from dataclasses import dataclass, field
from typing import Any, Self

import msgspec

from escadaria import catalogue, dice, wire
from escadaria.events import (
    AnyEvent,
    BotSat,
    Configured,
    Continued,
    Created,
    Freed,
    Moved,
    PositionSet,
    Resized,
    Sat,
    Started,
    TableSettings,
)
from escadaria.game import AnyGame
from escadaria.match.tokens import digest
from escadaria.play import BACK, ROLL, Event, Play, SavedPlay, Step
from escadaria.record import REAL, Proof, Record, Seat
from escadaria.refusals import Refused

HOST = 0
"""The member who opened the match."""


class Hidden(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Data that is stored with an event and never sent."""

    secret: str = ""
    """The secret of the dice, in hexadecimal."""
    member: int | None = None
    """The member who sent the command."""
    token: str = ""
    """The SHA-256 of the member's token."""
    tokens: list[str] = []
    """The digests of the tokens of all members, at a rematch."""
    opener: str = ""
    """A keyed hash of the address that opened the table."""
    watch: str = ""
    """The watchers' key, stored in clear so that the host can be shown the link again."""


@dataclass(frozen=True, slots=True)
class MatchEvent:
    """An event with its hidden data."""

    event: AnyEvent
    hidden: Hidden = field(default_factory=Hidden, repr=False)


@dataclass(slots=True)
class Chair:
    """A seat in the lobby."""

    name: str = ""
    """Empty while the seat is free."""
    bot: str = ""
    colours: list[str] = field(default_factory=list)
    entropy: str = ""
    member: int | None = None


class SavedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot of a match for the store. It contains secrets."""

    version: int
    id: str
    settings: TableSettings
    commitment: str
    previous: str | None
    next: str | None
    chairs: list[Chair]
    watch_key: str
    opener: str
    position_version: int
    person_version: int = 0
    turn_time: float
    game: str
    options: dict[str, bool | int | str]
    rules_version: int
    start: str | None
    tokens: list[str]
    secret: str
    set_ups: int
    play: SavedPlay | None = msgspec.field(name="table")


_SAVED = (
    "version", "id", "settings", "commitment", "previous", "next", "chairs", "watch_key", "opener",
    "position_version", "person_version", "turn_time",
)  # fmt: skip
"""The attributes of a state that its snapshot has too."""


class MatchState:
    """A match at some version."""

    def __init__(self) -> None:
        self.version = 0
        self.id = ""
        self.settings = TableSettings()
        self.commitment = ""
        self.previous: str | None = None
        self.next: str | None = None
        self.chairs: list[Chair] = []
        self.play: Play | None = None
        """None before the start."""
        self.watch_key = ""
        self.opener = ""
        """See ``Hidden``; used to limit the tables of an address."""
        self.position_version = 0
        """The version that made the current position. Decisions for older versions are stale."""
        self.person_version = 0
        """The last version that made a position and was not a bot's. Undoing for older versions is stale."""
        self.turn_time = 0.0
        """When the turn of the seat to act started."""
        self._game: AnyGame | None = None
        self._rules_version = 1
        self._start: str | None = None
        self._tokens: list[str] = []  # hashed, by member
        self._secret = ""
        self._set_ups = 0

    @classmethod
    def restored(cls, saved: SavedMatch) -> Self:
        """Restore a match from a snapshot. :raises GameError: if it cannot be read."""
        match = cls()
        match._load_game(saved.game, saved.options, saved.rules_version)
        for name in _SAVED:
            setattr(match, name, getattr(saved, name))
        match._start, match._tokens = saved.start, saved.tokens
        match._secret, match._set_ups = saved.secret, saved.set_ups
        if saved.play is not None:
            match.play = Play.restored(saved.play, match.game, match._seats(), match._dice())
        return match

    def saved(self) -> SavedMatch:
        """A snapshot of this match."""
        return SavedMatch(
            **{name: getattr(self, name) for name in _SAVED},
            game=self.game.name,
            options=self.game.options,
            rules_version=self._rules_version,
            start=self._start,
            tokens=self._tokens,
            secret=self._secret,
            set_ups=self._set_ups,
            play=self.play.saved() if self.play else None,
        )

    # Queries.

    @property
    def game(self) -> AnyGame:
        assert self._game is not None, "created"
        return self._game

    @property
    def status(self) -> wire.Status:
        if self.play is None:
            return "waiting"
        return "over" if self.play.outcome else "playing"

    def member_of(self, token: str) -> int | None:
        """The member with this token. All tokens are compared, in constant time."""
        wanted = digest(token)
        found = None
        for member, known in enumerate(self._tokens):
            if hmac.compare_digest(wanted, known):
                found = member
        return found

    def has_token(self, member: int, hashed: str) -> bool:
        """Whether this is the digest of the member's token."""
        return member < len(self._tokens) and hmac.compare_digest(self._tokens[member], hashed)

    def token_digest(self, member: int) -> str:
        """The stored digest of the member's token."""
        return self._tokens[member]

    def may_watch(self, key: str) -> bool:
        return self.settings.watch and hmac.compare_digest(key, self.watch_key)

    def seats_of(self, member: int | None) -> list[int]:
        if member is None:
            return []
        return [seat for seat, chair in enumerate(self.chairs) if chair.member == member]

    def plays_alone(self, member: int | None) -> bool:
        """Whether all people at the table are on this member's device: the others are bots."""
        return {chair.member for chair in self.chairs if chair.member is not None} == {member}

    def record(self, date: str) -> Record:
        """The record so far, with the secret of the dice if the match is over."""
        if self.play is None:
            raise Refused("not_started", "the match has not started")
        return self.play.record(date=date, dice=REAL if self.real_dice else "fair", proof=self.proof)

    @property
    def real_dice(self) -> bool:
        """Whether people roll real dice and enter what they show."""
        return self.settings.dice == "real"

    @property
    def proof(self) -> Proof | None:
        """The data to verify the dice; None with real ones."""
        if self.real_dice:
            return None
        return Proof(self.dice_name, self.commitment, self.entropy, self.revealed)

    @property
    def dice_name(self) -> str:
        """The name that the dice are derived from: the match id, or ``ID-n`` after the nth ``set_up``.

        Setting up a position again does not repeat the dice.
        """
        return f"{self.id}-{self._set_ups}" if self._set_ups else self.id

    @property
    def entropy(self) -> tuple[str, ...]:
        return tuple(chair.entropy for chair in self.chairs)

    @property
    def revealed(self) -> str:
        """The secret of the dice if the match is over, else empty."""
        return self._secret if self.status == "over" else ""

    # Applying events.

    def apply(self, stored: MatchEvent, time: float) -> tuple[Step, ...]:
        """Apply a stored event. Return the steps of an action."""
        event, play, clock = stored.event, self.play, self.settings.clock
        seat = play.to_act if play else None
        by_bot = isinstance(event, Event) and play is not None and bool(play.bot_of(event.seat))
        by_bot = by_bot and not (self.real_dice and _is_action(event, ROLL, seat))  # a person entered them
        steps = self._apply(event, stored.hidden)
        self.version += 1
        if steps or self.play is not play or (isinstance(event, Event) and event.undone):
            self.position_version = self.version
            self.person_version = self.person_version if by_bot else self.version
        if self.play and (
            self.play is not play
            or self.play.to_act != seat
            or self.settings.clock != clock
            or _is_action(event, BACK, seat)
        ):
            self.turn_time = time
        return steps

    def _apply(self, event: AnyEvent, hidden: Hidden) -> tuple[Step, ...]:
        match event:
            case Created():
                self._create(event, hidden)
            case Sat():
                self._take_seat(event, hidden)
            case BotSat():
                self.chairs[event.seat] = Chair(event.name, event.bot, event.colours)
            case Freed():
                self.chairs[event.seat] = Chair()
            case Resized():
                self._resize(event)
            case Started():
                self.chairs = self.chairs[event.first :] + self.chairs[: event.first]
                start = self.game.parse_state(self._start) if self._start else None
                self._start_play(start)
            case Event():
                assert self.play is not None, "started"
                return self.play.add(event)
            case Configured():
                self.settings = event.settings
                self.watch_key = hidden.watch or self.watch_key
            case PositionSet():
                self._set_ups += 1
                self._start_play(self.game.parse_state(event.position))
            case Continued():
                self.next = event.match
            case Moved():
                assert hidden.member is not None, "a member moved"
                self._tokens[hidden.member] = hidden.token
        return ()

    def _create(self, created: Created, hidden: Hidden) -> None:
        self.id = created.match
        self.settings = created.settings
        self.commitment = created.commitment
        self.previous = created.previous
        self._load_game(created.game, created.options, created.rules_version)
        self._start = created.start
        self._secret = hidden.secret
        self._tokens = hidden.tokens or [hidden.token]
        self.opener = hidden.opener
        self.watch_key = hidden.watch
        self.chairs = [Chair() for _ in range(self.game.players)]

    def _load_game(self, name: str, options: dict[str, bool | int | str], rules_version: int) -> None:
        self._game = catalogue.load(name, **options)
        self._rules_version = rules_version
        if rules_version > self._game.rules_version:
            raise Refused(
                "later_version",
                f"the match has rules version {rules_version} of {name}, "
                f"this server supports version {self._game.rules_version}",
            )

    def _take_seat(self, sat: Sat, hidden: Hidden) -> None:
        member = hidden.member
        if member is None:
            self._tokens.append(hidden.token)
            member = len(self._tokens) - 1
        self.chairs[sat.seat] = Chair(sat.name, "", sat.colours, sat.entropy, member)

    def _resize(self, resized: Resized) -> None:
        self._load_game(self.game.name, resized.options, self._rules_version)
        stay = [
            dataclasses.replace(self.chairs[seat], colours=colours)
            for seat, colours in zip(resized.seats, resized.colours, strict=True)
        ]
        self.chairs = stay + [Chair() for _ in range(self.game.players - len(stay))]

    def _start_play(self, start: Any) -> None:
        self.play = Play(self.game, self._seats(), self._dice(), start=start, stand_in=self.settings.stand_in)

    def _seats(self) -> tuple[Seat, ...]:
        return tuple(Seat(chair.name, chair.bot, tuple(chair.colours)) for chair in self.chairs)

    def _dice(self) -> dice.FairDice | None:
        if self.real_dice:
            return None
        return dice.FairDice(bytes.fromhex(self._secret), self.dice_name, self.entropy)


def _is_action(event: AnyEvent, action: str, seat: int | None = None) -> bool:
    """Whether the event is this action, of this seat if one is given."""
    return isinstance(event, Event) and event.action == action and seat in (None, event.seat)
