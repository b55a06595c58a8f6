"""One match in memory: its connections and their commands.

Commands are handled one at a time. ``match`` checks them, ``event_log`` stores and applies their events,
``presence`` has the connections, ``autoplay`` runs clocks and bots.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from escadaria import wire
from escadaria.bus import Hurry, Message, Stored
from escadaria.game import GameError
from escadaria.match import snapshots
from escadaria.match.autoplay import Autoplay
from escadaria.match.event_log import EventLog, restored_match
from escadaria.match.jobs import Jobs
from escadaria.match.match import HOST, Match, MatchEvent
from escadaria.match.presence import Connection, Presence
from escadaria.match.recovery import RecoveryCodes
from escadaria.match.services import Services
from escadaria.match.tokens import digest
from escadaria.match.turn_clock import TurnClock
from escadaria.play import ROLL, Event, Step
from escadaria.refusals import Refused, code_of
from escadaria.server import metrics
from escadaria.store import StoredEvent, Survey
from escadaria.views import step_view

log = logging.getLogger(__name__)

_REFRESH_SECONDS = 0.5

Handler = Callable[["Connection", Any], Awaitable[wire.Accepted]]


class Room:
    """A match in memory."""

    def __init__(self, match: Match, services: Services) -> None:
        self.match = match
        self.last_seen = services.clock.time()
        """When the room was last used."""
        self.visited = False
        """Whether anybody was connected since the match was loaded."""
        self.jobs = Jobs(match, self._drained)
        self.events = EventLog(match, services, self.jobs, self._publish, self._update)
        self._services = services
        self._clock = services.clock
        self._presence = Presence(match, services.settings, services.clock)
        self._turn_clock = TurnClock(match, self._presence, services.clock)
        self._codes = RecoveryCodes(match, self.jobs, self.events, services)
        self._autoplay = Autoplay(
            match, self._presence, self._turn_clock, self.jobs, self.events, services, self._update_sharing
        )
        self._checking = False  # whether a check for events of other workers is queued
        self._answering: Connection | None = None
        """The connection whose command is being committed: it gets the events together with the answer."""
        self._history: deque[tuple[int, bytes]] = deque(maxlen=services.settings.history)

    @classmethod
    async def loaded(cls, match: str, services: Services) -> Room | None:
        """The room of a stored match, from its last snapshot and the later events; None if there is none.

        :raises StoreUnavailable: if the store cannot be read.
        :raises GameError: if it cannot be rebuilt.
        """
        room = cls(await restored_match(match, services.store), services)
        if not await room.events.load(match):
            return None
        room._update()
        return room

    @classmethod
    def created(cls, events: list[StoredEvent], services: Services) -> Room:
        """The room of a new match, from its stored events."""
        room = cls(Match(), services)
        room.events.load_events(events)
        room._update()
        return room

    @property
    def connections(self) -> dict[Connection, None]:
        """The admitted connections, the oldest first."""
        return self._presence.connections

    # Connections.

    def admit(self, connection: Connection, hello: wire.Hello) -> None:
        """Admit a connection and send ``welcome`` with a snapshot or the missed events.

        :raises Refused: ``forbidden``, ``too_many``.
        """
        if hello.token is not None:
            connection.member = self.match.member_of(hello.token)
            if connection.member is None:
                raise Refused("forbidden", "the token is not valid for this match")
            connection.token = digest(hello.token)
            if code := self._codes.spend(connection.token):
                self.jobs.spawn(self._codes.delete(code))
            elif self._codes.moved_lately(connection.token):
                self.jobs.spawn(self._codes.delete_elsewhere(connection.token))
        elif hello.watch is not None:
            connection.watcher = self.match.may_watch(hello.watch)
            if not connection.watcher:
                raise Refused("forbidden", "the watchers' link is not valid")
        if hello.guest is not None:
            connection.guest = hello.guest
            connection.guest_digest = digest(hello.guest)
        self._enter(connection, hello)

    async def recover(self, connection: Connection, hello: wire.Hello) -> None:
        """Admit a connection with a recovery code, and close those of the old device.

        :raises Refused: ``forbidden`` if the code is not valid.
        """
        await self.jobs.run(partial(self._recover, connection, hello))

    async def _recover(self, connection: Connection, hello: wire.Hello) -> None:
        connection.member, token = await self._codes.redeem(hello.recover or "")
        connection.token = digest(token)
        self._enter(connection, hello, token)

    def _enter(self, connection: Connection, hello: wire.Hello, token: str | None = None) -> None:
        connection.previews = hello.previews
        self._presence.check_space(connection)
        self._presence.enter(connection)
        self.visited = True
        self._update_sharing()
        self._welcome(connection, hello.since, token)
        self._autoplay.schedule()

    def leave(self, connection: Connection) -> None:
        self._presence.leave(connection)
        self.last_seen = self._clock.time()
        self._update_sharing()
        self._autoplay.schedule()

    def _welcome(self, connection: Connection, since: int | None, token: str | None) -> None:
        match, member = self.match, connection.member
        connection.mine = match.seats_of(member)
        connection.send(
            wire.Welcome(
                match=match.id,
                role=connection.role,
                mine=connection.mine,
                version=match.version,
                time=self._clock.time(),
                token=token,
                watch=match.watch_key if member == HOST else None,
                next_token=self._next_token(member) if member is not None and match.next else None,
            )
        )
        missed = [frame for version, frame in self._history if since is not None and version > since]
        caught_up = since is not None and since + len(missed) == match.version and connection.sees_play
        if caught_up:
            for frame in missed:
                connection.push(frame)
            for seat in range(len(match.chairs)):  # presence changes are not events
                connection.send(self._presence.of(seat))
        else:
            connection.send(self._snapshot(connection))
        self._presence.send_previews([connection])

    def _snapshot(self, connection: Connection) -> wire.Snapshot:
        deadline = self._turn_clock.deadline()
        return snapshots.snapshot(self.match, self._presence, deadline, play=connection.sees_play)

    def now(self, *, seats: bool = True, play: bool = True) -> wire.Now:
        """The current state; without ``play`` only what guests may see."""
        return snapshots.now(self.match, self._presence, self._turn_clock.deadline(), seats=seats, play=play)

    def standing(self, token: str | None) -> wire.Standing:
        """The current state for the member with this token; without a token what guests may see.

        :raises Refused: ``forbidden`` if the token is not valid.
        """
        member = None if token is None else self.match.member_of(token)
        if token is not None and member is None:
            raise Refused("forbidden", "the token is not valid for this match")
        return snapshots.standing(self.match, self._presence, self._turn_clock.deadline(), member)

    def _next_token(self, member: int) -> str:
        assert self.match.next is not None, "the next match is open"
        return self._services.tokens.for_next(self.match.next, member)

    # Commands.

    def submit(self, connection: Connection, command: wire.AnyCommand) -> None:
        """Queue a command. It is carried out even if the client disconnects, and then answered.

        A repeated command gets the same answer as before.
        """
        if isinstance(command, wire.Ping):
            self._ping(connection, command)
        elif isinstance(command, wire.Hint):
            self.jobs.spawn(self._answer(connection, command, self._hint))
        elif isinstance(command, wire.Hurry):
            self.jobs.spawn(self._answer(connection, command, self._hurry))
        else:
            self.jobs.enqueue(partial(self._answer, connection, command, self._handle, time.perf_counter()))

    async def _answer(
        self,
        connection: Connection,
        command: wire.AnyCommand,
        handle: Handler,
        received: float = 0.0,
    ) -> None:
        try:
            if connection.watcher and not isinstance(command, wire.Ping):
                raise Refused("forbidden", "watchers cannot send commands")
            if command.version > self.match.version:  # as a job: hints run beside the queue
                await self.jobs.run(self.events.catch_up)
            if command.version > self.match.version:
                raise Refused("future_version", f"the match is at version {self.match.version}")
            answer = wire.frame(await handle(connection, command))
        except GameError as error:
            connection.answer(refusal_frame(command.id, error, self.match.version))
            return
        except Exception:
            log.exception("a command failed", extra={"match": self.match.id})
            connection.end("internal")
            return
        connection.answer(answer)
        if isinstance(command, wire.Act):
            metrics.MOVE_SECONDS.observe(time.perf_counter() - received)

    def _ping(self, connection: Connection, command: wire.Ping) -> None:
        """Answer from memory, and check at intervals for events of other workers."""
        now = self._clock.time()
        if command.version > self.match.version or now - self.events.read_time > _REFRESH_SECONDS:
            self.events.read_time = now
            self.jobs.enqueue(self._try_refresh)
        if command.version > self.match.version:
            self.jobs.enqueue(partial(self._answer, connection, command, self._pong))
        else:
            connection.answer(wire.frame(wire.Accepted(id=command.id, version=self.match.version)))

    async def _pong(self, _: Connection, command: wire.Ping) -> wire.Accepted:
        return wire.Accepted(id=command.id, version=self.match.version)

    async def refresh(self) -> None:
        """Apply the events and the presence of other workers. :raises Refused: ``store_unavailable``."""
        await self.jobs.run(self._refresh)

    async def _refresh(self) -> None:
        if not self._services.peers.shared:
            await self.events.catch_up()
            return
        survey_one = partial(self._services.store.survey, [self.match.id], self._clock.time())
        surveys = await self.jobs.from_store(survey_one)
        if (survey := surveys.get(self.match.id)) is not None:
            self.surveyed(survey)
            if survey.version > self.match.version:
                await self.events.catch_up()

    def surveyed(self, survey: Survey) -> None:
        """Take over the presence at other workers, and who holds the lease."""
        worker = self._services.peers.worker
        elsewhere = [text for name, text in survey.members.items() if name != worker]
        self._autoplay.surveyed(survey.holder, changed=self._presence.set_elsewhere(elsewhere))

    async def try_refresh(self) -> None:
        """Apply the events of other workers if the store can be read."""
        await self.jobs.run(self._try_refresh)

    async def _try_refresh(self) -> None:
        try:
            await self._refresh()
        except Refused as refused:
            log.debug("not refreshed", extra={"match": self.match.id, "why": str(refused)})

    @property
    def followed(self) -> bool:
        """Whether events of other workers are to be applied as soon as they are stored."""
        peers = self._services.peers
        return bool(self.connections) or (peers.shared and peers.holds(self.match.id))

    def _update_sharing(self) -> None:
        """Share the presence, and receive messages of other workers while they matter."""
        self._services.peers.set_present(self.match.id, self._presence.text())
        if self.followed:
            self._services.bus.subscribe(self.match.id)
        else:
            self._services.bus.unsubscribe(self.match.id)

    def follow(self, message: Message) -> None:
        """Act on a message of another server: apply its events, or all that the store has."""
        if isinstance(message, Stored):
            events = message.events
            if message.version > self.match.version and not (
                events and self.jobs.run_now(partial(self.events.follow, events))
            ):
                self.jobs.enqueue(partial(self._follow, message))
        elif isinstance(message, Hurry):  # after the events before it
            self.jobs.enqueue(self._hurry_bots)
        elif not self._checking:
            self._checking = True
            self.jobs.enqueue(self._check)

    async def _follow(self, stored: Stored) -> None:
        if stored.version <= self.match.version or (stored.events and self.events.follow(stored.events)):
            return
        try:
            await self.events.catch_up()
        except Refused as refused:  # the next check finds it
            log.debug("not followed", extra={"match": self.match.id, "why": str(refused)})

    async def _check(self) -> None:
        self._checking = False
        await self._try_refresh()

    async def _handle(self, connection: Connection, command: wire.AnyCommand) -> wire.Accepted:
        match = self.match
        if connection.ending:  # closed while the command waited
            code = "closing" if connection.ending == "gone" else connection.ending
            raise Refused(code, "the connection is being closed")
        if isinstance(command, wire.Recover):
            return await self._issue_code(connection, command)
        member, token = connection.member, None
        key = as_guest = f"{connection.guest_digest}:{command.id}"
        if member is not None and self.events.version_of(as_guest) is None:
            key = f"{member}:{command.id}"
        if key == as_guest:
            token = self._services.tokens.for_guest(match.id, connection.guest, command.id)
        if self.events.version_of(key) is None:  # not a repeated command
            self._services.limits.take(connection.address, "writes")
            if isinstance(command, wire.Rematch):
                await self._rematch(member, key)
            else:
                self._answering = connection
                try:
                    await self.events.commit(partial(match.handle, member, command, token or ""), key)
                finally:
                    self._answering = None
        if token is not None and connection.member is None:
            self._become_member(connection, token)
        if not isinstance(command, wire.Act):  # which changes no seats
            self._presence.update()
        self._autoplay.schedule()
        if isinstance(command, wire.Rematch) and member is not None:
            token = self._next_token(member)
        version = self.events.version_of(key)
        return wire.Accepted(
            id=command.id,
            version=match.version if version is None else version,
            token=token,
            match=match.next if isinstance(command, wire.Rematch) else None,
        )

    def _become_member(self, connection: Connection, token: str) -> None:
        match = self.match
        connection.member = match.member_of(token)
        connection.token = digest(token)
        self._update_sharing()
        self._presence.send_seats()
        if match.next is not None:  # the answer was lost, and the match has ended since
            self._presence.send_next_tokens(self._next_token)
        if match.play is not None:  # it has started, and guests are not sent the play
            connection.send(self._snapshot(connection))
            self._presence.send_previews([connection])

    async def _hint(self, connection: Connection, command: wire.Hint) -> wire.Accepted:
        match, table, workers = self.match, self.match.play, self._services.workers
        match.check_practice()
        if table is None or table.outcome or table.to_act not in match.seats_of(connection.member):
            raise Refused("not_your_turn", "only the seat to act can get a hint")
        version, state = match.version, table.state
        if table.awaits_roll:
            return wire.Accepted(id=command.id, version=version, action=ROLL)
        if connection.hinting:
            raise Refused("busy", "a hint is being computed")
        self._services.limits.take(connection.address, "hints")
        connection.hinting = True
        try:
            action, advice = await workers.hint(
                match.game, state, match.settings.stand_in, key=connection.address
            )
        finally:
            connection.hinting = False
        return wire.Accepted(id=command.id, version=version, action=action, advice=advice)

    async def _hurry(self, connection: Connection, command: wire.Hurry) -> wire.Accepted:
        self.match.check_hurry(connection.member)
        await self._hurry_bots()
        if not self._services.peers.holds(self.match.id):  # another worker runs the bots
            self._services.bus.publish(Hurry(self.match.id))
        return wire.Accepted(id=command.id, version=self.match.version)

    async def _hurry_bots(self) -> None:
        self._autoplay.hurry()

    async def _issue_code(self, connection: Connection, command: wire.Recover) -> wire.Accepted:
        if connection.member is None:
            raise Refused("forbidden", "guests have no seats to recover")
        self._services.limits.take(connection.address, "writes")
        code = await self._codes.issue(connection.member)
        return wire.Accepted(id=command.id, version=self.match.version, code=code)

    async def _rematch(self, member: int | None, key: str) -> None:
        match = self.match
        match.check_rematch(member)
        if match.next is None:
            next_id = await self.jobs.from_store(partial(self._services.open_next, match))
            await self.events.commit(partial(match.link_next, next_id), key)

    # Events.

    def _publish(self, stored: MatchEvent, steps: tuple[Step, ...], now: float, frame: bytes) -> bytes:
        """Broadcast an event that was stored and applied; with this frame, if another worker has made it.

        :return: the frame if the clients of other workers can be sent the same one, else nothing.
        """
        event = stored.event
        if self._answering is not None:
            self._answering.hold()
        moves = isinstance(event, Event) and bool(steps)
        if not frame:
            frame = wire.frame(self._event_frame(event, steps, now, seats=not moves))
        self._history.append((self.match.version, frame))
        if isinstance(event, wire.Moved):
            self._codes.moved(stored.hidden.token, now)
        if self.connections:
            self._broadcast(stored, frame, now)
        # Seats depend on who is connected, as a worker knows it; the last event reveals the secret.
        return frame if moves and self.match.status == "playing" else b""

    def _event_frame(
        self,
        event: wire.AnyEvent,
        steps: tuple[Step, ...],
        now: float,
        *,
        seats: bool = True,
        play: bool = True,
    ) -> wire.EventFrame:
        return wire.EventFrame(
            version=self.match.version,
            time=now,
            event=event,
            steps=[step_view(step) for step in steps],
            now=self.now(seats=seats, play=play),
        )

    def _broadcast(self, stored: MatchEvent, frame: bytes, now: float) -> None:
        event = stored.event
        if not isinstance(event, Event):
            self._presence.send_seats(new_watch_key=stored.hidden.watch)
        if isinstance(event, wire.Continued):
            self._presence.send_next_tokens(self._next_token)
        self._presence.broadcast(frame, guests=False)
        self._presence.send_previews(self.connections)
        # Guests are sent the events of the lobby and the end of the match, which may be undone, not the play.
        reopened = isinstance(event, Event) and event.undone
        if not isinstance(event, Event | wire.PositionSet) or self.match.status == "over" or reopened:
            for_guests = self._event_frame(event, (), now, play=False)
            self._presence.broadcast(wire.frame(for_guests), members=False)
        if isinstance(event, wire.Configured) and not self.match.settings.watch:
            self._presence.close_watchers()
        if isinstance(event, wire.Moved) and stored.hidden.member is not None:
            self._presence.close_moved(stored.hidden.member, stored.hidden.token)

    def _update(self, *, seats: bool = True) -> None:
        """Update timers, and presence if seats may have changed, after events of the store were applied."""
        if seats:
            self._presence.update()
        self._autoplay.schedule()

    # Eviction.

    def due(self) -> float | None:
        """When the match must be loaded if it is evicted now; None if it has no deadline."""
        return self._autoplay.due()

    @property
    def idle(self) -> bool:
        """Whether the match has no connections and no work, and nothing is due soon."""
        return not self.connections and self.jobs.idle and not self._autoplay.due_soon

    def _drained(self) -> None:
        if self.events.needs_snapshot:
            self.jobs.spawn(self.events.save_snapshot())

    def unload(self) -> None:
        """Cancel the timer before the match is evicted. The store knows when it is due."""
        self._autoplay.cancel()
        self._autoplay.release()

    async def close(self) -> None:
        """Cancel the timer and finish the queued jobs."""
        self._autoplay.close()
        self._services.bus.unsubscribe(self.match.id)
        await self.jobs.close()


def refusal_frame(id: str | None, error: GameError, version: int) -> bytes:
    """The encoded answer to a refused command."""
    code = code_of(error)
    metrics.REFUSALS.labels(code).inc()
    return wire.frame(
        wire.RefusalFrame(id=id, code=code, message=str(error), ruling=error.ruling, version=version)
    )
