"""The state of one match, without I/O: lobby, play, members and permissions.

Command handlers (methods of ``Match``) check a command and return events without changing the match. The
events are stored and then applied. Replaying the stored events restores the match.
"""

from __future__ import annotations

import dataclasses
import hmac
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from escadaria import bots, catalogue, dice, wire
from escadaria.game import AnyGame, GameError
from escadaria.match.tokens import digest, new_token
from escadaria.play import BACK, ROLL, Event, Play, SavedPlay, Step
from escadaria.record import COLOURS, REAL, Proof, Record, Seat
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

    event: wire.AnyEvent
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
    settings: wire.TableSettings
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


class Match:
    """The state of a match at some version."""

    def __init__(self) -> None:
        self.version = 0
        self.id = ""
        self.settings = wire.TableSettings()
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
    def restored(cls, saved: SavedMatch) -> Match:
        """Restore a match from a snapshot. :raises GameError: if it cannot be read."""
        match = cls()
        match._load_game(saved.game, saved.options, saved.rules_version)
        match.version, match.id, match.settings = saved.version, saved.id, saved.settings
        match.commitment, match.previous, match.next = saved.commitment, saved.previous, saved.next
        match.chairs, match.watch_key, match.opener = saved.chairs, saved.watch_key, saved.opener
        match.position_version, match.turn_time = saved.position_version, saved.turn_time
        match.person_version = saved.person_version
        match._start, match._tokens = saved.start, saved.tokens
        match._secret, match._set_ups = saved.secret, saved.set_ups
        if saved.play is not None:
            match.play = Play.restored(saved.play, match.game, match._seats(), match._dice())
        return match

    def saved(self) -> SavedMatch:
        """A snapshot of this match."""
        return SavedMatch(
            version=self.version,
            id=self.id,
            settings=self.settings,
            commitment=self.commitment,
            previous=self.previous,
            next=self.next,
            chairs=self.chairs,
            watch_key=self.watch_key,
            opener=self.opener,
            position_version=self.position_version,
            person_version=self.person_version,
            turn_time=self.turn_time,
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

    def undo_seats(self) -> list[int] | None:
        """The seats that may undo now; None except at a practice table in play, or with real dice."""
        if self.play is None or not (self.real_dice or (self.settings.practice and not self.play.outcome)):
            return None
        return [
            seat
            for seat, chair in enumerate(self.chairs)
            if chair.member is not None and self._can_undo(seat)
        ]

    def _can_undo(self, seat: int) -> bool:
        try:
            self._undo(seat)
        except GameError:
            return False
        return True

    def _undo(self, seat: int) -> Event:
        """The event that undoes a seat's decision; alone with bots, also what they and the dice did since.

        :raises Refused: ``no_undo``; ``over``; ``continued`` if the next match is open.
        """
        assert self.play is not None, "started"
        if self.next:
            raise Refused("continued", "the next match is open: this one stays as it is")
        return self.play.undo(seat, far=self.plays_alone(self.chairs[seat].member))

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

    # Command handlers. They return the events to store and change nothing.

    def handle(self, member: int | None, command: wire.AnyCommand, token: str) -> list[MatchEvent]:
        """The events of a command.

        :param token: the token that a guest gets who becomes a member.
        :raises GameError: if the command is refused.
        """
        match command:
            case wire.Act():
                return self.act(member, command)
            case wire.Sit():
                return self.sit(member, command, token)
            case wire.AddBot():
                return self.add_bot(member, command)
            case wire.Free():
                return self.free(member, command)
            case wire.Resize():
                return self.resize(member, command)
            case wire.Start():
                return self.start(member)
            case wire.Undo():
                return self.undo(member, command)
            case wire.Resign():
                return self.resign(member, command)
            case wire.TakeBack():
                return self.take_back(member, command)
            case wire.Configure():
                return self.configure(member, command)
            case wire.SetUp():
                return self.set_up(member, command)
        raise AssertionError(f"{type(command).__name__} is handled elsewhere")

    def sit(self, member: int | None, command: wire.Sit, token: str) -> list[MatchEvent]:
        """Take a seat, or change the name, colours or entropy of the member's own seat.

        Without ``seat``, a member who has a seat changes it, and others take the next free one.
        """
        self._check_waiting()
        mine = self.seats_of(member)
        seat = mine[0] if mine and command.seat is None else command.seat
        if seat is None or seat not in mine:
            seat = self.free_seat(seat)
        colours = self._colours(seat, command.colours)
        name = self._name(seat, command.name)
        hidden = Hidden(member=member) if member is not None else Hidden(token=digest(token))
        sat = wire.Sat(seat=seat, name=name, colours=colours, entropy=command.entropy)
        return [MatchEvent(sat, hidden)]

    def add_bot(self, member: int | None, command: wire.AddBot) -> list[MatchEvent]:
        self._check_host(member)
        self._check_waiting()
        bots.check(command.bot, self.game)
        seat = self.free_seat(command.seat)
        name = self._name(seat, command.name or BOT_NAMES[seat])
        colours = self._colours(seat, None)
        return [MatchEvent(wire.BotSat(seat=seat, name=name, bot=command.bot, colours=colours))]

    def free(self, member: int | None, command: wire.Free) -> list[MatchEvent]:
        self._check_waiting()
        if command.seat >= len(self.chairs) or not self.chairs[command.seat].name:
            raise Refused("unknown_seat", f"seat {command.seat} is free or does not exist")
        if command.seat not in self.seats_of(member):
            self._check_host(member)
        return [MatchEvent(wire.Freed(seat=command.seat))]

    def resize(self, member: int | None, command: wire.Resize) -> list[MatchEvent]:
        """Remove the last free seats, or add free ones; seats may need other colours then (R16)."""
        self._check_host(member)
        self._check_waiting()
        if self._start is not None:
            raise Refused("bad_options", "a match from a position has the number of seats of the position")
        game = catalogue.load(self.game.name, **{**self.game.options, "players": command.players})
        taken = [seat for seat, chair in enumerate(self.chairs) if chair.name]
        if len(taken) > game.players:
            raise Refused("seat_taken", f"{len(taken)} seats are taken")
        free = [seat for seat, chair in enumerate(self.chairs) if not chair.name]
        seats = sorted(taken + free[: game.players - len(taken)])
        for seat in taken:
            if bot := self.chairs[seat].bot:
                bots.check(bot, game)
        colours = [self.chairs[seat].colours[: game.colours] for seat in seats]
        spare = [colour for colour in COLOURS if all(colour not in kept for kept in colours)]
        for kept, seat in zip(colours, seats, strict=True):
            while self.chairs[seat].name and len(kept) < game.colours:
                kept.append(spare.pop(0))
        return [MatchEvent(wire.Resized(options=game.options, seats=seats, colours=colours))]

    def start(self, member: int | None) -> list[MatchEvent]:
        self._check_host(member)
        self._check_waiting()
        if not all(chair.name for chair in self.chairs):
            raise Refused("seats_free", "there are free seats: wait for people or add bots")
        return [MatchEvent(wire.Started(first=self._first_seat()))]

    def act(self, member: int | None, command: wire.Act) -> list[MatchEvent]:
        play = self._playing()
        if play.to_enter() and play.bot_of(play.state.turn) and command.action == ROLL:
            self._seat(member, None, None)  # every player may roll real dice for a bot
            seat = play.state.turn
        else:
            seat = self._seat(member, command.seat, play.to_act)
            if play.bot_of(seat):
                raise Refused("bot_plays", f"a bot plays seat {seat}: take the seat back first")
        self._check_current(command.version)
        return [MatchEvent(play.act(seat, command.action, command.dice))]

    def undo(self, member: int | None, command: wire.Undo) -> list[MatchEvent]:
        if not self.real_dice:
            self._playing()
            self.check_practice()
        elif self.play is None:
            raise Refused("not_started", "the match has not started")
        # Bots may go on while the command is on its way.
        alone = self.real_dice or self.plays_alone(member)
        self._check_current(command.version, self.person_version if alone else self.position_version)
        for seat in self.seats_of(member):
            try:
                return [MatchEvent(self._undo(seat))]
            except GameError as error:
                refusal = error
        if not self.seats_of(member):
            raise Refused("forbidden", "this client has no seat")
        raise refusal

    def resign(self, member: int | None, command: wire.Resign) -> list[MatchEvent]:
        play = self._playing()
        seat = self._seat(member, command.seat, play.to_act)
        return [MatchEvent(play.resign(seat))]

    def take_back(self, member: int | None, command: wire.TakeBack) -> list[MatchEvent]:
        play = self._playing()
        away = next((seat for seat in self.seats_of(member) if play.bot_of(seat)), None)
        seat = self._seat(member, command.seat, away)
        return [MatchEvent(play.take_back(seat))]

    def hand_over(self, seat: int) -> list[MatchEvent]:
        """Replace a player by the stand-in. Called by the server, not by a client."""
        return [MatchEvent(self._playing().hand_over(seat, self.settings.stand_in))]

    def bot_acts(self, seat: int, action: str) -> list[MatchEvent]:
        """Play a bot's action. Called by the server, not by a client."""
        return [MatchEvent(self._playing().act(seat, action))]

    def configure(self, member: int | None, command: wire.Configure) -> list[MatchEvent]:
        """Change the table settings; after the start only those that do not affect other players."""
        self._check_host(member)
        settings = command.settings.granted()
        if (settings.practice, settings.dice) != (self.settings.practice, self.settings.dice):
            raise Refused("bad_options", "practice and dice cannot be changed after the match is opened")
        fixed = msgspec.structs.replace(settings, pace=self.settings.pace, watch=self.settings.watch)
        others = any(chair.member not in (None, HOST) for chair in self.chairs)
        if self.play is not None and others and fixed != self.settings:
            raise Refused(
                "fixed", "after the start only pace and watch can be changed: there are other players"
            )
        bots.check(settings.stand_in, self.game)
        watch = new_token() if settings.watch and not self.settings.watch else ""
        return [MatchEvent(wire.Configured(settings=settings), Hidden(watch=watch))]

    def set_up(self, member: int | None, command: wire.SetUp) -> list[MatchEvent]:
        self._playing()
        self.check_practice()
        self._check_current(command.version)
        if not self.seats_of(member):
            raise Refused("forbidden", "this client has no seat")
        self.game.parse_state(command.position)
        return [MatchEvent(wire.PositionSet(position=command.position))]

    def check_hurry(self, member: int | None) -> None:
        """:raises Refused: unless bots may act without waiting, for this member."""
        self._playing()
        if not self.plays_alone(member):
            raise Refused("forbidden", "bots wait for all people at the table")

    def check_rematch(self, member: int | None) -> None:
        """:raises Refused: unless this member may open the next match now."""
        if not self.seats_of(member):
            self._check_host(member)
        if self.status != "over":
            raise Refused("not_over", "a rematch needs a finished match")

    def link_next(self, match: str) -> list[MatchEvent]:
        """Link the next match, unless one is linked already. :raises Refused: ``not_over``."""
        if self.status != "over":  # the last entry was taken back meanwhile
            raise Refused("not_over", "a rematch needs a finished match")
        return [] if self.next else [MatchEvent(wire.Continued(match=match))]

    def next_match(self, match: str, token: Callable[[int], str]) -> list[MatchEvent]:
        """The first events of the next match at this table, with the same players in rotated seats.

        :param token: makes the new token of each member.
        """
        assert self.play is not None and self.play.outcome is not None, "over"
        secret = b"" if self.real_dice else dice.new_secret()
        created = wire.Created(
            match=match,
            game=self.game.name,
            options=self.game.options,
            settings=self.settings,
            commitment=dice.commitment(secret) if secret else "",
            previous=self.id,
            rules_version=self.game.rules_version,
        )
        tokens = [digest(token(member)) for member in range(len(self._tokens))]
        hidden = Hidden(secret=secret.hex(), tokens=tokens, opener=self.opener, watch=self.watch_key)
        events = [MatchEvent(created, hidden)]
        # The loser who starts is the one after the winner; with two players that is the loser.
        shift = (self.play.outcome.winner + 1) if self.settings.starts == "loser" else 1
        order = [(seat + shift) % len(self.chairs) for seat in range(len(self.chairs))]
        for seat, chair in enumerate(self.chairs[old] for old in order):
            if chair.bot:
                bot = wire.BotSat(seat=seat, name=chair.name, bot=chair.bot, colours=chair.colours)
                events.append(MatchEvent(bot))
            else:  # without entropy: the old one was known before the new secret
                sat = wire.Sat(seat=seat, name=chair.name, colours=chair.colours)
                events.append(MatchEvent(sat, Hidden(member=chair.member)))
        return events

    def move_member(self, member: int, token: str) -> list[MatchEvent]:
        """Replace a member's token; the old one becomes invalid."""
        moved = wire.Moved(seats=self.seats_of(member))
        return [MatchEvent(moved, Hidden(member=member, token=digest(token)))]

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

    def _apply(self, event: wire.AnyEvent, hidden: Hidden) -> tuple[Step, ...]:
        match event:
            case wire.Created():
                self._create(event, hidden)
            case wire.Sat():
                self._take_seat(event, hidden)
            case wire.BotSat():
                self.chairs[event.seat] = Chair(event.name, event.bot, event.colours)
            case wire.Freed():
                self.chairs[event.seat] = Chair()
            case wire.Resized():
                self._resize(event)
            case wire.Started():
                self.chairs = self.chairs[event.first :] + self.chairs[: event.first]
                start = self.game.parse_state(self._start) if self._start else None
                self._start_play(start)
            case Event():
                assert self.play is not None, "started"
                return self.play.add(event)
            case wire.Configured():
                self.settings = event.settings
                self.watch_key = hidden.watch or self.watch_key
            case wire.PositionSet():
                self._set_ups += 1
                self._start_play(self.game.parse_state(event.position))
            case wire.Continued():
                self.next = event.match
            case wire.Moved():
                assert hidden.member is not None, "a member moved"
                self._tokens[hidden.member] = hidden.token
        return ()

    def _create(self, created: wire.Created, hidden: Hidden) -> None:
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

    def _take_seat(self, sat: wire.Sat, hidden: Hidden) -> None:
        member = hidden.member
        if member is None:
            self._tokens.append(hidden.token)
            member = len(self._tokens) - 1
        self.chairs[sat.seat] = Chair(sat.name, "", sat.colours, sat.entropy, member)

    def _resize(self, resized: wire.Resized) -> None:
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

    # The checks.

    def _check_host(self, member: int | None) -> None:
        if member != HOST:
            raise Refused("forbidden", "only the host may do that")

    def _check_waiting(self) -> None:
        if self.play is not None:
            raise Refused("started", "the match has started")

    def check_practice(self) -> None:
        if not self.settings.practice:
            raise Refused("not_practice", "only at a practice table")

    def _playing(self) -> Play:
        if self.play is None:
            raise Refused("not_started", "the match has not started")
        self.play.check_running()
        return self.play

    def _check_current(self, version: int, earliest: int | None = None) -> None:
        earliest = self.position_version if earliest is None else earliest
        if not earliest <= version <= self.version:
            raise Refused(
                "stale_version",
                f"the command was made for version {version}, but the position has version "
                f"{earliest} and the match {self.version}",
            )

    def _seat(self, member: int | None, wanted: int | None, usual: int | None) -> int:
        """The seat of a command: ``wanted``, else ``usual`` if the member has it, else their first one."""
        mine = self.seats_of(member)
        if not mine:
            raise Refused("forbidden", "this client has no seat")
        if wanted is None:
            return usual if usual in mine else mine[0]
        if wanted not in mine:
            raise Refused("forbidden", f"seat {wanted} belongs to another client")
        return wanted

    def free_seat(self, wanted: int | None) -> int:
        """The wanted seat, or the first free one. :raises Refused: ``seat_taken``, ``table_full``."""
        free = [seat for seat, chair in enumerate(self.chairs) if not chair.name]
        if not free:
            raise Refused("table_full", "all seats are taken")
        if wanted is None:
            return free[0]
        if wanted not in free:
            raise Refused("seat_taken", f"seat {wanted} is not free")
        return wanted

    def _colours(self, seat: int, wanted: list[wire.Colour] | None) -> list[str]:
        taken = {colour for chair in self._others(seat) for colour in chair.colours}
        free = [colour for colour in COLOURS if colour not in taken]
        if wanted is None:
            usual = COLOURS[seat :: len(self.chairs)]  # in a game for two: red and green, blue and yellow
            return sorted(free, key=lambda colour: colour not in usual)[: self.game.colours]
        if len(wanted) != self.game.colours or not set(wanted) <= set(free) or len(set(wanted)) < len(wanted):
            raise Refused("colour_taken", f"choose {self.game.colours} of {', '.join(free)}")
        return list(wanted)

    def _name(self, seat: int, wanted: str) -> str:
        """The displayed name; a number is added to a duplicate."""
        plain = name = " ".join(wanted.split())
        if not is_visible(plain):
            raise Refused("bad_name", "a name needs a visible character and no invisible letters")
        taken = {chair.name for chair in self._others(seat)}
        for number in range(2, 8):
            if name in taken:
                name = f"{plain[:36]} {number}"
        try:
            return Seat(name).name
        except GameError as error:
            raise Refused("bad_name", str(error)) from None

    def _others(self, seat: int) -> list[Chair]:
        return [chair for other, chair in enumerate(self.chairs) if other != seat]

    def _first_seat(self) -> int:
        if self.settings.starts != "random":
            return 0
        if self.real_dice:
            return secrets.randbelow(len(self.chairs))
        # From the committed secret, so that the server cannot choose; sorted, so that seating has no effect.
        players = len(self.chairs)
        return dice.derive(bytes.fromhex(self._secret), self.id, tuple(sorted(self.entropy)), -1, players)


_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U00013441\U00013442\U0001d159")
"""Characters that Unicode classifies as letters or symbols but that are invisible."""


def is_visible(name: str) -> bool:
    """Whether the name has a visible character and no invisible letters."""
    seen = any(unicodedata.category(letter)[0] in "LNPS" for letter in name)
    return seen and _BLANK_LETTERS.isdisjoint(name)


BOT_NAMES = ("Bento", "Clara", "Dora", "Edu", "Flor", "Gil")


def new_match(created: wire.Created, token: str, secret: bytes, opener: str) -> MatchEvent:
    """The first event of a match. With real dice there is no secret."""
    hidden = Hidden(secret=secret.hex(), token=digest(token), opener=opener, watch=new_token())
    return MatchEvent(created, hidden)


def _is_action(event: wire.AnyEvent, action: str, seat: int | None = None) -> bool:
    """Whether the event is this action, of this seat if one is given."""
    return isinstance(event, Event) and event.action == action and seat in (None, event.seat)
