"""One match in memory: its requests, its stored events, its bots.

Requests of a match run one at a time, from a queue: check, store, apply, broadcast. Nothing is sent, and
nothing in memory changes, before the store has it on disk.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import msgspec

from escadaria.game import GameError
from escadaria.server import messages, metrics, snapshots
from escadaria.server.clock import Clock
from escadaria.server.limits import Limits
from escadaria.server.match import HOST, Entry, Hidden, Match, SavedMatch
from escadaria.server.messages import Refused
from escadaria.server.presence import Connection, Presence
from escadaria.server.settings import Settings
from escadaria.server.tokens import Tokens, digest, new_token
from escadaria.server.turn_clock import TurnClock
from escadaria.server.workers import Workers
from escadaria.store import Conflict, Store, StoredEvent, StoreUnavailable
from escadaria.table import RESIGN, ROLL, Table
from escadaria.views import step_view

log = logging.getLogger(__name__)

ANSWERS_KEPT = 200
"""How many requests are known again when they are repeated."""

CODE_SECONDS = 900.0
"""How long a recovery code can be used,"""

RETRY_SECONDS = 60.0
"""and how long again by a device whose connection broke before it had its new token."""

CODE = "code"
"""The kind of the store's values that recovery codes are."""

_SLICE_SECONDS = 0.01
_REFRESH_SECONDS = 0.5
_SNAPSHOT_EVENTS = 500
_HIDDEN = Hidden()

T = TypeVar("T")


class Code(msgspec.Struct, frozen=True):
    """A recovery code, as it is stored under its digest."""

    match: str
    member: int
    token: str
    """The digest of the token that the member had: another one since makes the code worthless."""


@dataclass(frozen=True, slots=True)
class Services:
    """What all rooms share."""

    store: Store
    workers: Workers
    limits: Limits
    settings: Settings
    clock: Clock
    tokens: Tokens
    open_next: Callable[[Match], Awaitable[str]]


class Room:
    """A match with the people who are there."""

    def __init__(self, match: Match, services: Services) -> None:
        self.match = match
        self.last_seen = services.clock.time()
        """When somebody was last there."""
        self.date = ""
        self._services = services
        self._store = services.store
        self._clock = services.clock
        self._settings = services.settings
        self._presence = Presence(match, services.settings, services.clock)
        self._turn_clock = TurnClock(match, self._presence, services.clock)
        self._history: deque[tuple[int, bytes]] = deque(maxlen=services.settings.history)
        self._answers: dict[str, int] = {}  # the versions that requests made
        self._recovered: dict[str, str] = {}  # the codes by the tokens that they brought, as digests
        self._spent_codes: set[str] = set()
        self._saved_version = 0
        self._refreshed = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._queue: deque[Callable[[], Coroutine[Any, Any, None]]] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thinking = False  # whether a bot is about to act
        self._closed = False

    @property
    def connections(self) -> dict[Connection, None]:
        """Those that were let in."""
        return self._presence.connections

    # Loading.

    @classmethod
    async def loaded(cls, match: str, services: Services) -> Room | None:
        """The room of a stored match, or None if there is none.

        It loads from its last snapshot and the events since, in slices, so that others go on meanwhile.

        :raises StoreUnavailable: if it cannot be read now.
        :raises GameError: if it cannot be rebuilt.
        """
        saved = await services.store.snapshot(match)
        room = cls(_restored(saved), services)
        known = room.match.version
        room._saved_version = known
        first = (await services.store.events(match, limit=1))[:1]
        if not first:
            return None
        room._set_date(first[0])
        after = max(0, known - ANSWERS_KEPT)
        more = True
        while more:
            events = await services.store.events(match, after=after, limit=_SNAPSHOT_EVENTS)
            more = len(events) == _SNAPSHOT_EVENTS
            after += len(events)
            await room._load_slices(events, known, after if more else after - services.settings.history)
        room._presence.update()
        room._plan()
        return room

    async def _load_slices(self, events: list[StoredEvent], known: int, history: int) -> None:
        """Apply the events after ``known``; those after ``history`` are kept for clients that come back."""
        started = time.perf_counter()
        for stored in events:
            if stored.version > known:
                self._load(stored, keep=stored.version > history)
            self._remember(stored.request, stored.version)
            if time.perf_counter() - started > _SLICE_SECONDS:
                await asyncio.sleep(0)
                started = time.perf_counter()

    def load(self, events: list[StoredEvent]) -> None:
        """Apply events that were stored by somebody else, and broadcast them."""
        for stored in events:
            if stored.version == 1:
                self._set_date(stored)
            self._load(stored, keep=True)
            self._remember(stored.request, stored.version)
        self._presence.update()
        self._plan()

    def _load(self, stored: StoredEvent, *, keep: bool) -> None:
        hidden = msgspec.json.decode(stored.hidden, type=Hidden) if stored.hidden else _HIDDEN
        entry = Entry(messages.read_happening(stored.body), hidden)
        if keep:
            self._apply(entry, stored.time)
        else:
            self.match.apply(entry, stored.time)

    def _set_date(self, first: StoredEvent) -> None:
        self.date = time.strftime("%Y-%m-%d", time.gmtime(first.time))

    async def save(self) -> None:
        """Store a snapshot if the match has gone on for long since the last one."""
        if self.match.version - self._saved_version >= _SNAPSHOT_EVENTS:
            version, body = self.match.version, messages.encode(self.match.saved())
            self._saved_version = version
            await self._store.save_snapshot(self.match.id, version, body)

    # Connections.

    def admit(self, connection: Connection, hello: messages.Hello) -> None:
        """Let a connection in and bring it up to date. :raises Refused: if it may not."""
        if hello.token is not None:
            connection.member = self.match.member_of(hello.token)
            if connection.member is None:
                raise Refused("forbidden", "the token is not valid here")
            connection.token = digest(hello.token)
            if code := self._recovered.pop(connection.token, ""):  # the code has done its work
                self._spent_codes.add(code)
                self._spawn(self._store.take(CODE, code, self._clock.time()))
        elif hello.watch is not None:
            connection.watcher = self.match.may_watch(hello.watch)
            if not connection.watcher:
                raise Refused("forbidden", "the watchers' link is not valid")
        if hello.guest is not None:
            connection.guest = hello.guest
            connection.guest_digest = digest(hello.guest)
        self._enter(connection, hello)

    async def recover(self, connection: Connection, hello: messages.Hello) -> None:
        """Let a device in that brings a recovery code, and close the connections of the one before.

        :raises Refused: if the code is not valid.
        """
        await self._in_turn(partial(self._recover, connection, hello))

    async def _recover(self, connection: Connection, hello: messages.Hello) -> None:
        match, code, now = self.match, hello.recover or "", self._clock.time()
        try:
            stored = await self._store.get(CODE, digest(code), now)
        except StoreUnavailable:
            raise Refused("store_unavailable", "nothing can be read now, try again") from None
        known = msgspec.json.decode(stored, type=Code) if stored else None
        # It follows from the code: a device whose connection broke too early comes again and gets it.
        token = self._services.tokens.for_code(match.id, code)
        if known is None or known.match != match.id or digest(code) in self._spent_codes:
            raise Refused("forbidden", "the recovery code is not valid, or was used")
        if not match.has_token(known.member, digest(token)):
            if not match.has_token(known.member, known.token):
                raise Refused("forbidden", "the recovery code is not valid any more")
            await self._commit(lambda: match.move_member(known.member, token), "")
            assert stored is not None, "known"
            try:
                await self._store.put(CODE, digest(code), stored, now + RETRY_SECONDS)
            except StoreUnavailable:
                log.warning("a used code stays valid", extra={"match": match.id})
        self._recovered[digest(token)] = digest(code)
        connection.member, connection.token = known.member, digest(token)
        self._enter(connection, hello, token)

    def _enter(self, connection: Connection, hello: messages.Hello, token: str | None = None) -> None:
        connection.previews = hello.previews
        self._presence.check_space(connection)
        self._presence.enter(connection)
        self._greet(connection, hello.since, token)
        self._plan()

    def leave(self, connection: Connection) -> None:
        self._presence.leave(connection)
        self.last_seen = self._clock.time()
        self._plan()

    def _greet(self, connection: Connection, since: int | None, token: str | None) -> None:
        match, member = self.match, connection.member
        connection.mine = match.seats_of(member)
        connection.send(
            messages.Welcome(
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
            for seat in range(len(match.chairs)):  # who is there is no event: it may have changed since
                connection.send(messages.Presence(seat=seat, here=self._presence.is_here(seat)))
        else:
            connection.send(self._snapshot(connection))
        self._presence.send_previews([connection])

    def _snapshot(self, connection: Connection) -> messages.Snapshot:
        deadline = self._turn_clock.deadline()
        return snapshots.snapshot(self.match, self._presence, deadline, play=connection.sees_play)

    def now(self, *, seats: bool = True, play: bool = True) -> messages.Now:
        """How things stand; without ``play`` only what somebody with the link may know."""
        return snapshots.now(self.match, self._presence, self._turn_clock.deadline(), seats=seats, play=play)

    def _next_token(self, member: int) -> str:
        assert self.match.next is not None, "the next match is open"
        return self._services.tokens.for_next(self.match.next, member)

    # Requests.

    def submit(self, connection: Connection, request: messages.AnyRequest) -> None:
        """Take a request. It is answered when it was carried out, even if the client has gone meanwhile.

        One that was granted before is answered the same again.
        """
        if isinstance(request, messages.Ping):
            self._ping(connection, request)
        elif isinstance(request, messages.Hint):
            self._spawn(self._answer(connection, request, self._hint))
        else:
            self._enqueue(partial(self._answer, connection, request, self._grant, time.perf_counter()))

    async def _answer(
        self,
        connection: Connection,
        request: messages.AnyRequest,
        grant: Callable[[Connection, Any], Awaitable[messages.Accepted]],
        received: float = 0.0,
    ) -> None:
        try:
            if connection.watcher and not isinstance(request, messages.Ping):
                raise Refused("forbidden", "who watches may only watch")
            if request.version > self.match.version:
                await self._catch_up()
            if request.version > self.match.version:
                raise Refused("future_version", f"the match is at version {self.match.version}")
            answer = messages.frame(await grant(connection, request))
        except GameError as error:
            connection.answer(refusal(request.id, error, self.match.version))
            return
        except Exception:
            log.exception("a request failed", extra={"match": self.match.id})
            connection.end("internal")
            return
        connection.answer(answer)
        if isinstance(request, messages.Act):
            metrics.MOVE_SECONDS.observe(time.perf_counter() - received)

    def _ping(self, connection: Connection, request: messages.Ping) -> None:
        """Answer from memory; now and then see whether another worker stored something."""
        if request.version > self.match.version or self._clock.time() - self._refreshed > _REFRESH_SECONDS:
            self._refreshed = self._clock.time()
            self._enqueue(self._quiet_refresh)
        if request.version > self.match.version:
            self._enqueue(partial(self._answer, connection, request, self._pong))
        else:
            connection.answer(messages.frame(messages.Accepted(id=request.id, version=self.match.version)))

    async def _pong(self, _: Connection, request: messages.Ping) -> messages.Accepted:
        return messages.Accepted(id=request.id, version=self.match.version)

    async def _quiet_refresh(self) -> None:
        try:
            await self._catch_up()
        except Refused as refused:
            log.debug("not refreshed", extra={"match": self.match.id, "why": str(refused)})

    async def _grant(self, connection: Connection, request: messages.AnyRequest) -> messages.Accepted:
        match = self.match
        if connection.ending:  # put out while it waited
            raise Refused(connection.ending, "the connection is being closed")
        if isinstance(request, messages.Recover):
            return await self._recovery_code(connection, request)
        member, token = connection.member, None
        key = as_guest = f"{connection.guest_digest}:{request.id}"
        if member is not None and as_guest not in self._answers:
            key = f"{member}:{request.id}"
        if key == as_guest:
            token = self._services.tokens.for_guest(match.id, connection.guest, request.id)
        if key not in self._answers:
            self._services.limits.take(connection.address, "writes")
        if key in self._answers:
            pass  # it was granted already
        elif isinstance(request, messages.Rematch):
            await self._rematch(member, key)
        else:
            await self._commit(lambda: self._entries(member, request, token or ""), key)
        if token is not None and connection.member is None:
            self._become_member(connection, token)
        if not isinstance(request, messages.Act):  # which seats nobody
            self._presence.update()
        self._plan()
        if isinstance(request, messages.Rematch) and member is not None:
            token = self._next_token(member)
        return messages.Accepted(
            id=request.id,
            version=self._answers.get(key, match.version),
            token=token,
            match=match.next if isinstance(request, messages.Rematch) else None,
        )

    def _become_member(self, connection: Connection, token: str) -> None:
        match = self.match
        connection.member = match.member_of(token)
        connection.token = digest(token)
        self._presence.send_seats()
        if match.table is not None:  # it began meanwhile, and guests are sent nothing of the play
            connection.send(self._snapshot(connection))
            self._presence.send_previews([connection])

    def _entries(self, member: int | None, request: messages.AnyRequest, token: str) -> list[Entry]:
        match = self.match
        match request:
            case messages.Act():
                return match.act(member, request)
            case messages.Sit():
                return match.sit(member, request, token)
            case messages.AddBot():
                return match.add_bot(member, request)
            case messages.Free():
                return match.free(member, request)
            case messages.Start():
                return match.start(member)
            case messages.Undo():
                return match.undo(member, request)
            case messages.Resign():
                return match.resign(member, request)
            case messages.TakeBack():
                return match.take_back(member, request)
            case messages.Configure():
                return match.configure(member, request)
            case messages.SetUp():
                return match.set_up(member, request)
        raise AssertionError(f"{type(request).__name__} is answered elsewhere")

    async def _commit(self, entries: Callable[[], list[Entry]], key: str) -> None:
        """Check, store, apply and broadcast. When another worker was first, catch up and check again.

        :raises GameError: if the check fails.
        """
        for _ in range(5):
            try:
                wanted = entries()
            except GameError:  # perhaps only because another worker knows more, even this very request
                if not key or not await self._catch_up():
                    raise
                if key in self._answers:
                    return
                continue
            if not wanted:
                return
            self._check_length(wanted)
            now = self._clock.time()
            stored = stored_events(wanted, self.match.version, now, key)
            try:
                await self._store.append(self.match.id, stored, due=self._due_after(wanted, now))
            except Conflict:
                await self._catch_up()
                if key and key in self._answers:  # it was this very request, by way of another worker
                    return
                continue
            except StoreUnavailable as error:
                log.debug("not stored", extra={"match": self.match.id, "why": str(error)})
                raise Refused("store_unavailable", "nothing can be stored now, try again") from None
            metrics.STORE_SECONDS.observe(self._clock.time() - now)
            for entry in wanted:
                metrics.events(type(entry.what).__name__).inc()
                self._apply(entry, now)
            self._remember(key, self.match.version)
            return
        raise Refused("busy", "other requests were first, try again")

    def _check_length(self, wanted: list[Entry]) -> None:
        """:raises Refused: if the match has more events than any real one; to resign is always possible."""
        resigns = all(isinstance(e.what, messages.Did) and e.what.deed == RESIGN for e in wanted)
        if self.match.version + len(wanted) > self._settings.events_per_match and not resigns:
            raise Refused("too_long", "this match has too many events to go on")

    def _due_after(self, wanted: list[Entry], now: float) -> float | None:
        """When the match must be loaded again if the server stops now; given where it may become earlier."""
        what = wanted[-1].what
        if not isinstance(what, messages.Started | messages.Configured | messages.WasSetUp):
            return None
        rules = what.rules if isinstance(what, messages.Configured) else self.match.rules
        return now + rules.clock if rules.clock else None

    def due(self) -> float | None:
        """When the match must be loaded if it leaves the memory now: something is to happen by itself."""
        table = self.match.table
        if table is None or table.outcome or not self.match.rules.clock:
            return None
        return self._turn_clock.deadline() or self._clock.time()

    async def refresh(self) -> None:
        """See what other workers stored. :raises Refused: if the store cannot be read now."""
        await self._in_turn(self._catch_up)

    async def _catch_up(self) -> bool:
        """Take over what another worker stored, if anything. :raises Refused: if it cannot be read now."""
        try:
            events = await self._store.events(self.match.id, after=self.match.version)
        except StoreUnavailable:
            raise Refused("store_unavailable", "nothing can be read now, try again") from None
        self._refreshed = self._clock.time()
        if events:
            self.load(events)
        return bool(events)

    def _apply(self, entry: Entry, now: float) -> None:
        """Apply a stored event and broadcast it."""
        what = entry.what
        steps = self.match.apply(entry, now)
        about_seats = not (isinstance(what, messages.Did) and steps)
        event = messages.Event(
            version=self.match.version,
            time=now,
            what=what,
            steps=[step_view(step) for step in steps],
            now=self.now(seats=about_seats),
        )
        frame = messages.frame(event)
        self._history.append((self.match.version, frame))
        if not self.connections:
            return
        if not isinstance(what, messages.Did):
            self._presence.send_seats(new_watch_key=entry.hidden.watch)
        if isinstance(what, messages.Continued):
            self._presence.send_next_tokens(self._next_token)
        self._presence.broadcast(frame, guests=False)
        self._presence.send_previews(self.connections)
        # A guest sees who sits down, that the match begins and that it is over, and nothing of the play.
        if not isinstance(what, messages.Did | messages.WasSetUp) or self.match.status == "over":
            outside = msgspec.structs.replace(event, steps=[], now=self.now(play=False))
            self._presence.broadcast(messages.frame(outside), members=False)
        if isinstance(what, messages.Configured) and not self.match.rules.watch:
            self._presence.end_watching()
        if isinstance(what, messages.Moved) and entry.hidden.member is not None:
            self._presence.end_moved(entry.hidden.member, entry.hidden.token)

    def _remember(self, key: str, version: int) -> None:
        if key:
            self._answers[key] = version
        if len(self._answers) > ANSWERS_KEPT:
            del self._answers[next(iter(self._answers))]

    async def _hint(self, connection: Connection, request: messages.Hint) -> messages.Accepted:
        match, table, workers = self.match, self.match.table, self._services.workers
        if not match.rules.practice:
            raise Refused("not_practice", "only at a practice table")
        if table is None or table.outcome or table.to_act not in match.seats_of(connection.member):
            raise Refused("not_your_turn", "a hint is for the seat to act")
        version, state = match.version, table.state
        if table.awaits_roll:
            return messages.Accepted(id=request.id, version=version, action=ROLL)
        if connection.hinting:
            raise Refused("busy", "a hint is being worked out")
        self._services.limits.take(connection.address, "hints")
        connection.hinting = True
        try:
            action, advice = await workers.hint(
                match.game, state, match.rules.stand_in, key=connection.address
            )
        finally:
            connection.hinting = False
        return messages.Accepted(id=request.id, version=version, action=action, advice=advice)

    async def _recovery_code(self, connection: Connection, request: messages.Recover) -> messages.Accepted:
        match, member = self.match, connection.member
        if member is None:
            raise Refused("forbidden", "a guest has nothing to recover")
        self._services.limits.take(connection.address, "writes")
        code = new_token()
        value = messages.encode(Code(match.id, member, match.token_digest(member)))
        try:
            await self._store.put(CODE, digest(code), value, self._clock.time() + CODE_SECONDS)
        except StoreUnavailable:
            raise Refused("store_unavailable", "nothing can be stored now, try again") from None
        return messages.Accepted(id=request.id, version=match.version, code=code)

    async def _rematch(self, member: int | None, key: str) -> None:
        match = self.match
        match.rematch(member)
        if match.next is None:
            following = await self._services.open_next(match)
            await self._commit(lambda: match.lead_on(following), key)

    # Clocks, leavers and bots.

    def _plan(self) -> None:
        """Set the timer for what is due next, and let a bot act whose turn it is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        table = self.match.table
        if table is None or table.to_act is None or self._closed:
            return
        if (at := self._turn_clock.next_time()) is not None:
            delay = max(0.0, at - self._clock.time())
            self._timer = asyncio.get_running_loop().call_later(delay, self._enqueue, self._run_due)
        if not self._thinking and table.bot_of(table.to_act) and self._awake():
            self._thinking = True
            self._spawn(self._bot_acts())

    @property
    def _key(self) -> str:
        """By whom work is shared out fairly: who opened the table, or else the match."""
        return self.match.opener or self.match.id

    def _awake(self) -> bool:
        """Whether bots should play: somebody is there to see it, or the clock runs for all."""
        return bool(self.connections) or self.match.rules.clock > 0

    async def _run_due(self) -> None:
        """Do what is due: warn, and hand seats over to stand-ins."""
        self._timer = None
        if (deadline := self._turn_clock.warning()) is not None:
            assert self.match.table is not None and self.match.table.to_act is not None, "a clock runs"
            warning = messages.ClockWarning(seat=self.match.table.to_act, deadline=deadline)
            self._presence.broadcast(messages.frame(warning), guests=False)
        seats = self._turn_clock.due()
        done = [await self._quietly(partial(self.match.hand_over, seat)) for seat in seats]
        self._spawn(self._plan_after(all(done)))

    async def _bot_acts(self) -> None:
        """Let the bot whose turn it is act, at the table's pace."""
        match, table = self.match, self.match.table
        assert table is not None and table.to_act is not None, "a bot is to act"
        seat, state, done = table.to_act, table.state, False
        self._services.workers.bots.start()
        await self._clock.sleep(match.rules.pace / 1000)
        try:
            action = ROLL
            if not table.awaits_roll:
                bot = table.bot_of(seat) or match.rules.stand_in
                action = await self._services.workers.decide(
                    match.game, state, bot, key=self._key, awaited=bool(self.connections)
                )
            entries = partial(self._bot_entries, table, state, seat, action)
            done = await self._in_turn(partial(self._quietly, entries))
        except Refused as refused:  # too many bots are thinking
            log.warning("a bot waits", extra={"match": match.id, "why": str(refused)})
        except Exception:  # the match goes on when the bot can
            log.exception("a bot failed", extra={"match": match.id})
        finally:
            self._thinking = False
        await self._plan_after(done)

    def _bot_entries(self, table: Table, state: object, seat: int, action: str) -> list[Entry]:
        """What the bot decided, or nothing if the match has gone on: another worker may have been first."""
        match = self.match
        current = match.table is table and table.state is state and table.to_act == seat
        return match.bot_acts(seat, action) if current and table.bot_of(seat) else []

    async def _plan_after(self, done: bool) -> None:
        if not done:
            await self._clock.sleep(1)  # what failed is tried again, but not at once
        self._plan()

    async def _quietly(self, entries: Callable[[], list[Entry]]) -> bool:
        """Commit what no client asked for, and say whether that was possible."""
        try:
            await self._commit(entries, "")
        except GameError as error:
            log.warning("not done", extra={"match": self.match.id, "why": str(error)})
            return False
        return True

    # The queue.

    def _enqueue(self, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a job after those that wait."""
        self._queue.append(job)
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while self._queue:
            try:
                await self._queue.popleft()()
            except Exception:
                log.exception("a job of a table failed", extra={"match": self.match.id})
        self._worker = None
        if self.match.version - self._saved_version >= 2 * _SNAPSHOT_EVENTS:
            self._spawn(self.save())

    async def _in_turn(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of a job that waits its turn. It is carried out even if the caller is cancelled."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def job() -> None:
            try:
                result = await work()
            except Exception as error:  # noqa: BLE001 - it is the caller's
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(result)

        self._enqueue(job)
        return await done

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, GameError | StoreUnavailable):
            log.error("a task of a table failed", extra={"match": self.match.id}, exc_info=error)

    # Leaving the memory.

    @property
    def asleep(self) -> bool:
        """Whether nothing happens here for a while: nobody is there, and nothing is due soon."""
        return not self.connections and not self._tasks and self._worker is None and not self._due_soon()

    def _due_soon(self) -> bool:
        if self._timer is None:
            return False
        left = self._timer.when() - asyncio.get_running_loop().time()
        return left < self._settings.idle_seconds + 60

    async def close(self) -> None:
        """Stop. What is being stored is finished first."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for task in list(self._tasks):
            task.cancel()
        if self._worker is not None:
            await asyncio.wait({self._worker})


def refusal(id: str | None, error: GameError, version: int) -> bytes:
    """The frame that says why a request was not granted."""
    metrics.REFUSALS.labels(error.code).inc()
    return messages.frame(messages.Refusal(id=id, code=error.code, message=str(error), version=version))


def stored_events(entries: list[Entry], version: int, now: float, key: str = "") -> list[StoredEvent]:
    """What the store keeps of entries that follow ``version``; the last one is known again by ``key``."""
    return [
        StoredEvent(
            version=version + number,
            time=now,
            request=key if number == len(entries) else "",
            body=messages.encode(entry.what),
            hidden=messages.encode(entry.hidden) if entry.hidden != _HIDDEN else "",
        )
        for number, entry in enumerate(entries, 1)
    ]


def _restored(saved: tuple[int, str] | None) -> Match:
    """The match of a snapshot; an empty one if there is none, or if it is not of this version's making."""
    if saved is None:
        return Match()
    try:
        return Match.restored(msgspec.json.decode(saved[1], type=SavedMatch))
    except (msgspec.DecodeError, GameError) as error:
        log.warning("a snapshot cannot be used", extra={"why": str(error)})
        return Match()
