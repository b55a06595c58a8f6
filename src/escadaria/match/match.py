"""One match, without I/O: commands are checked, and become events.

Command handlers (methods of ``Match``) check a command and return events without changing the match. The
events are stored and then applied: see ``state.py``.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable

import msgspec

from escadaria import bots, catalogue, dice, wire
from escadaria.events import (
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
)
from escadaria.game import GameError
from escadaria.match.state import HOST, Chair, Hidden, MatchEvent, MatchState
from escadaria.match.tokens import digest, new_token
from escadaria.play import ROLL, Event, Play
from escadaria.record import COLOURS, Seat
from escadaria.refusals import Refused


class Match(MatchState):
    """A match that checks commands."""

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
        sat = Sat(seat=seat, name=name, colours=colours, entropy=command.entropy)
        return [MatchEvent(sat, hidden)]

    def add_bot(self, member: int | None, command: wire.AddBot) -> list[MatchEvent]:
        self._check_host(member)
        self._check_waiting()
        bots.check(command.bot, self.game)
        seat = self.free_seat(command.seat)
        name = self._name(seat, command.name or BOT_NAMES[seat])
        colours = self._colours(seat, None)
        return [MatchEvent(BotSat(seat=seat, name=name, bot=command.bot, colours=colours))]

    def free(self, member: int | None, command: wire.Free) -> list[MatchEvent]:
        self._check_waiting()
        if command.seat >= len(self.chairs) or not self.chairs[command.seat].name:
            raise Refused("unknown_seat", f"seat {command.seat} is free or does not exist")
        if command.seat not in self.seats_of(member):
            self._check_host(member)
        return [MatchEvent(Freed(seat=command.seat))]

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
        return [MatchEvent(Resized(options=game.options, seats=seats, colours=colours))]

    def start(self, member: int | None) -> list[MatchEvent]:
        self._check_host(member)
        self._check_waiting()
        if not all(chair.name for chair in self.chairs):
            raise Refused("seats_free", "there are free seats: wait for people or add bots")
        return [MatchEvent(Started(first=self._first_seat()))]

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
        return [MatchEvent(Configured(settings=settings), Hidden(watch=watch))]

    def set_up(self, member: int | None, command: wire.SetUp) -> list[MatchEvent]:
        self._playing()
        self.check_practice()
        self._check_current(command.version)
        if not self.seats_of(member):
            raise Refused("forbidden", "this client has no seat")
        self.game.parse_state(command.position)
        return [MatchEvent(PositionSet(position=command.position))]

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
        return [] if self.next else [MatchEvent(Continued(match=match))]

    def next_match(self, match: str, token: Callable[[int], str]) -> list[MatchEvent]:
        """The first events of the next match at this table, with the same players in rotated seats.

        :param token: makes the new token of each member.
        """
        assert self.play is not None and self.play.outcome is not None, "over"
        secret = b"" if self.real_dice else dice.new_secret()
        created = Created(
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
                bot = BotSat(seat=seat, name=chair.name, bot=chair.bot, colours=chair.colours)
                events.append(MatchEvent(bot))
            else:  # without entropy: the old one was known before the new secret
                sat = Sat(seat=seat, name=chair.name, colours=chair.colours)
                events.append(MatchEvent(sat, Hidden(member=chair.member)))
        return events

    def move_member(self, member: int, token: str) -> list[MatchEvent]:
        """Replace a member's token; the old one becomes invalid."""
        moved = Moved(seats=self.seats_of(member))
        return [MatchEvent(moved, Hidden(member=member, token=digest(token)))]

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


def new_match(created: Created, token: str, secret: bytes, opener: str) -> MatchEvent:
    """The first event of a match. With real dice there is no secret."""
    hidden = Hidden(secret=secret.hex(), token=digest(token), opener=opener, watch=new_token())
    return MatchEvent(created, hidden)
