"""What the clients of a match are sent: snapshots, events with the current state, and what follows them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from escadaria import wire
from escadaria.events import Configured, Continued, Moved, PositionSet
from escadaria.match.connection import Connection, Mail
from escadaria.match.event_log import Applied
from escadaria.match.match import Match
from escadaria.match.presence import Presence
from escadaria.match.state import HOST
from escadaria.match.tokens import Tokens
from escadaria.match.turn_clock import TurnClock
from escadaria.play import Event, Step
from escadaria.record import resigned
from escadaria.views import fact_data, previews, sequences, step_view


class Frames:
    """Makes the frames of one match, and keeps the latest events for clients that come back."""

    def __init__(
        self, match: Match, presence: Presence, turn_clock: TurnClock, tokens: Tokens, history: int
    ) -> None:
        self._match = match
        self._presence = presence
        self._turn_clock = turn_clock
        self._tokens = tokens
        self._history: deque[tuple[int, bytes]] = deque(maxlen=history)

    # The current state.

    def now(self, *, seats: bool = True, play: bool = True) -> wire.Now:
        """The current state; without ``play`` only what guests may see."""
        match, current = self._match, self._match.play
        views = [self._seat(seat) for seat in range(len(match.chairs))] if seats else None
        if current is None or not play:
            return wire.Now(status=match.status, seats=views, next=match.next)
        outcome = current.outcome
        return wire.Now(
            status=match.status,
            seats=views,
            to_act=current.to_act,
            legal=list(current.choices()),
            undo=match.undo_seats(),
            to_enter=current.to_enter(),
            deadline=self._turn_clock.deadline(),
            position=current.state,
            text=str(current.state),
            winner=outcome.winner if outcome else None,
            ruling=outcome.ruling if outcome else None,
            secret=match.revealed or None,
            next=match.next,
        )

    def standing(self, member: int | None) -> wire.Standing:
        """The current state for a member, or what guests may see."""
        state = msgspec.structs.asdict(self.now(play=member is not None))
        return wire.Standing(**state, options=self._match.game.options, mine=self._match.seats_of(member))

    def snapshot(self, *, play: bool) -> bytes:
        """The whole state of the match."""
        match = self._match
        shown = match.play if play else None
        return wire.frame(
            wire.Snapshot(
                version=match.version,
                game=match.game.name,
                options=match.game.options,
                settings=match.settings,
                commitment=match.commitment,
                entropy=list(match.entropy),
                now=self.now(play=play),
                turn=[fact_data(fact) for fact in shown.turn_facts()] if shown else [],
                plies=len(shown.plies) if shown else 0,
            )
        )

    def _seat(self, seat: int) -> wire.SeatView:
        chair, play = self._match.chairs[seat], self._match.play
        bot = play.bot_of(seat) if play else chair.bot
        return wire.SeatView(
            name=chair.name or None,
            bot=bot or None,
            owner="bot" if chair.bot else "person" if chair.name else "nobody",
            colours=chair.colours,
            here=self._presence.is_here(seat),
            resigned=play is not None and seat in resigned(play.remarks),
            stand_in_at=self._presence.stand_in_at(seat),
        )

    # A client that connects.

    def add_welcome(
        self, mail: Mail, connection: Connection, since: int | None, token: str | None, now: float
    ) -> None:
        """Add ``welcome`` with a snapshot or the events after ``since``."""
        match, member = self._match, connection.member
        connection.mine = match.seats_of(member)
        welcome = wire.Welcome(
            match=match.id,
            role=connection.role,
            mine=connection.mine,
            version=match.version,
            time=now,
            token=token,
            watch=match.watch_key if member == HOST else None,
            next_token=self.next_token(member) if member is not None and match.next else None,
        )
        mail.add(wire.frame(welcome), connection)
        missed = [frame for version, frame in self._history if since is not None and version > since]
        if since is not None and since + len(missed) == match.version and connection.sees_play:
            for frame in missed:
                mail.add(frame, connection)
            for seat in range(len(match.chairs)):  # presence changes are not events
                mail.add(wire.frame(self._presence.of(seat)), connection)
        else:
            mail.add(self.snapshot(play=connection.sees_play), connection)
        self._add_previews(mail, [connection])

    def add_membership(self, mail: Mail, connection: Connection) -> None:
        """Add what a guest gets who has become a member."""
        self._add_seats(mail)
        if self._match.next is not None:  # the answer was lost, and the match has ended since
            self._add_next_tokens(mail)
        if self._match.play is not None:  # it has started, and guests are not sent the play
            mail.add(self.snapshot(play=True), connection)
            self._add_previews(mail, [connection])

    # Events.

    def add_event(self, mail: Mail, applied: Applied) -> bytes:
        """Add an event that was stored and applied, and what its clients get with it.

        :return: the frame if the clients of other servers can be sent the same one, else nothing.
        """
        stored, event, match = applied.event, applied.event.event, self._match
        moves = isinstance(event, Event) and bool(applied.steps)
        frame = applied.frame or self.event_frame(applied, seats=not moves)
        self._history.append((match.version, frame))
        if self._presence.connections:
            if not isinstance(event, Event):
                self._add_seats(mail, new_watch_key=stored.hidden.watch)
            if isinstance(event, Continued):
                self._add_next_tokens(mail)
            mail.add(frame, *self._presence.seeing_play)
            self._add_previews(mail, self._presence.connections)
            # Guests get the events of the lobby and the end of the match, which may be undone, not the play.
            guests, reopened = self._presence.guests, isinstance(event, Event) and event.undone
            plays = isinstance(event, Event | PositionSet) and match.status != "over" and not reopened
            if guests and not plays:
                mail.add(self.event_frame(applied, play=False), *guests)
            self._add_endings(mail, applied)
        # Seats depend on who is connected, as a server knows it; the last event reveals the secret.
        return frame if moves and match.status == "playing" else b""

    def event_frame(self, applied: Applied, *, seats: bool = True, play: bool = True) -> bytes:
        """The frame of an event; without ``play`` for guests."""
        steps: tuple[Step, ...] = applied.steps if play else ()
        return wire.frame(
            wire.EventFrame(
                version=self._match.version,
                time=applied.time,
                event=applied.event.event,
                steps=[step_view(step) for step in steps],
                now=self.now(seats=seats, play=play),
            )
        )

    def _add_endings(self, mail: Mail, applied: Applied) -> None:
        """Close connections that an event makes invalid: of watchers, and of a member's old device."""
        event, hidden, connections = applied.event.event, applied.event.hidden, self._presence.connections
        if isinstance(event, Configured) and not self._match.settings.watch:
            mail.end("watching_off", [c for c in connections if c.watcher])
        if isinstance(event, Moved) and hidden.member is not None:
            old = [c for c in connections if c.member == hidden.member and c.token != hidden.token]
            mail.end("moved", old)

    def _add_seats(self, mail: Mail, new_watch_key: str = "") -> None:
        """Add ``you`` for clients whose seats or keys changed, before the event that explains it."""
        for connection in self._presence.connections:
            mine = self._match.seats_of(connection.member)
            watch = new_watch_key if connection.member == HOST else ""
            if mine != connection.mine or watch:
                connection.mine = mine
                mail.add(
                    wire.frame(wire.You(role=connection.role, mine=mine, watch=watch or None)), connection
                )

    def _add_next_tokens(self, mail: Mail) -> None:
        """Add each member's token of the next match, before the event that links it."""
        for connection in self._presence.connections:
            if connection.member is not None:
                token = self.next_token(connection.member)
                you = wire.You(role=connection.role, mine=connection.mine, next_token=token)
                mail.add(wire.frame(you), connection)

    def next_token(self, member: int) -> str:
        """A member's token of the next match."""
        assert self._match.next is not None, "the next match is open"
        return self._tokens.for_next(self._match.next, member)

    def _add_previews(self, mail: Mail, connections: Iterable[Connection]) -> None:
        """Add the previews of the seat to act for its connections that want them."""
        play = self._match.play
        if play is None or play.to_act is None:
            return
        wanting = [c for c in connections if c.previews and play.to_act in c.mine]
        if not wanting or play.awaits_roll:
            return
        frame = wire.Previews(
            version=self._match.version,
            seat=play.to_act,
            choices=previews(play.game, play.state),
            sequences=sequences(play.game, play.state),
        )
        mail.add(wire.frame(frame), *wanting)
