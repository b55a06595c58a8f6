"""One match while somebody is there: its requests, its clock, its bots.

Requests of a match run one at a time: check, store, apply, tell. Nothing is told, and nothing in
memory changes, before the store has it on disk.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec

from escadaria.game import GameError
from escadaria.record import resigned
from escadaria.server import messages, metrics
from escadaria.server.audience import Audience, Connection
from escadaria.server.match import HOST, Entry, Hidden, Match, digest, new_token
from escadaria.server.messages import Refused
from escadaria.server.settings import Settings
from escadaria.server.workers import Workers
from escadaria.store import Conflict, Store, StoredEvent, StoreUnavailable
from escadaria.table import ROLL, Table
from escadaria.views import fact_data, step_view

log = logging.getLogger(__name__)

_HIDDEN = Hidden()
_ANSWERS_KEPT = 200
_WARNING_SHARE, _WARNING_MOST = 0.25, 20.0
_CODES_KEPT, _CODE_SECONDS = 20, 900.0

T = TypeVar("T")


class _Code(NamedTuple):
    """A recovery code: until when it is good, for whom, and the hash of the token that it brings."""

    until: float
    member: int
    token: str


class Room:
    """A match with the people who are there."""

    def __init__(
        self,
        match: Match,
        store: Store,
        workers: Workers,
        settings: Settings,
        open_next: Callable[[Match], Awaitable[str]],
    ) -> None:
        self.match = match
        self.settings = settings
        self.last_seen = time.time()
        """When somebody was last there."""
        self.date = ""
        self.opened_by = ""
        """The address that opened the match, if that was since the server started."""
        self._audience = Audience(match)
        self._store = store
        self._workers = workers
        self._open_next = open_next
        self._lock = asyncio.Lock()
        self._history: deque[tuple[int, str]] = deque(maxlen=settings.history)
        self._answers: dict[str, int] = {}  # the versions that requests made
        self._codes: dict[str, _Code] = {}  # by the code's hash
        self._loaded = time.time()
        self._warned = 0.0  # the deadline that was warned of
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thinking = False  # whether a bot is about to act
        self._closed = False

    @property
    def connections(self) -> set[Connection]:
        """Those that were let in."""
        return self._audience.connections

    # Loading.

    def load(self, events: list[StoredEvent]) -> None:
        """Apply what is stored and was not yet known; tell those who are there."""
        for stored in events:
            hidden = _read_hidden(stored.hidden)
            entry = Entry(messages.read_happening(stored.body), hidden)
            if stored.version == 1:
                self.date = time.strftime("%Y-%m-%d", time.gmtime(stored.time))
            if self.connections or stored.version > events[-1].version - self.settings.history:
                self._tell(entry, stored.time)
            else:
                self.match.apply(entry, stored.time)
            self._remember(stored.request)
        self._audience.look_round()
        self._plan()

    # Connections.

    def admit(self, connection: Connection, hello: messages.Hello) -> None:
        """Let a connection in and bring it up to date. :raises Refused: if it may not."""
        if len(self.connections) >= self.settings.connections_per_table:
            raise Refused("too_many", "the table takes no more connections")
        if hello.token is not None:
            connection.member = self.match.member_of(hello.token)
            if connection.member is None:
                raise Refused("forbidden", "the token is not valid here")
            used = digest(hello.token)  # a code has done its work once its token is used
            self._codes = {key: code for key, code in self._codes.items() if code.token != used}
        elif hello.watch is not None:
            connection.watcher = self.match.may_watch(hello.watch)
            if not connection.watcher:
                raise Refused("forbidden", "the watchers' link is not valid")
        if hello.guest is not None:
            connection.guest = hello.guest
        self._enter(connection, hello)

    async def recover(self, connection: Connection, hello: messages.Hello) -> None:
        """Let a device in that brings a recovery code, and put the one before out.

        :raises Refused: if the code is not valid.
        """
        await self._carry_through(self._recover(connection, hello))

    async def _recover(self, connection: Connection, hello: messages.Hello) -> None:
        async with self._lock:
            code = hello.recover or ""
            known = self._codes.get(digest(code))
            if known is None or time.monotonic() > known.until:
                raise Refused("forbidden", "the recovery code is not valid, or was used")
            # It follows from the code: a device whose connection broke too early comes again and gets it.
            member, token = known.member, self.match.token_for(code, "recover")
            if self.match.member_of(token) != member:
                await self._commit(lambda: self.match.move_member(member, token), "")
            self._codes = {key: c for key, c in self._codes.items() if c is known or c.member != member}
            for other in self.connections:
                if other.member == member:
                    other.end("moved")
            connection.member = member
            self._enter(connection, hello, token)

    def _enter(self, connection: Connection, hello: messages.Hello, token: str | None = None) -> None:
        connection.previews = hello.previews
        self._audience.enter(connection)
        self._greet(connection, hello.since, token)
        self._plan()

    def leave(self, connection: Connection) -> None:
        self._audience.leave(connection)
        self.last_seen = time.time()
        self._plan()

    def _greet(self, connection: Connection, since: int | None, token: str | None) -> None:
        match = self.match
        connection.mine = match.seats_of(connection.member)
        connection.push(
            messages.encode(
                messages.Welcome(
                    match=match.id,
                    role=connection.role,
                    mine=connection.mine,
                    version=match.version,
                    time=time.time(),
                    token=token,
                    watch=match.watch_key if connection.member == HOST else None,
                )
            )
        )
        missed = [frame for version, frame in self._history if since is not None and version > since]
        caught_up = since is not None and since + len(missed) == match.version and connection.sees_play
        for frame in missed if caught_up else [self._snapshot(connection)]:
            connection.push(frame)
        if caught_up:  # who is there is no event: it may have changed since
            for seat in range(len(match.chairs)):
                connection.push(
                    messages.encode(messages.Presence(seat=seat, here=self._audience.is_here(seat)))
                )
        self._audience.preview([connection])

    def _snapshot(self, connection: Connection) -> str:
        match, table = self.match, self.match.table
        shown = table if connection.sees_play else None
        return messages.encode(
            messages.Snapshot(
                version=match.version,
                game=match.game.name,
                options=match.game.options,
                rules=match.rules,
                commitment=match.commitment,
                entropy=list(match.entropy),
                now=self.now(play=connection.sees_play),
                turn=[fact_data(fact) for fact in shown.turn_facts()] if shown else [],
                plies=len(shown.plies) if shown else 0,
            )
        )

    def now(self, *, seats: bool = True, play: bool = True) -> messages.Now:
        """How things stand; without ``play`` only what somebody with the link may know."""
        match, table = self.match, self.match.table
        views = [self._seat_view(seat) for seat in range(len(match.chairs))] if seats else None
        if table is None or not play:
            return messages.Now(status=match.status, seats=views, next=match.next)
        outcome = table.outcome
        return messages.Now(
            status=match.status,
            seats=views,
            to_act=table.to_act,
            legal=list(table.choices()),
            deadline=self._deadline(),
            position=table.state,
            text=str(table.state),
            winner=outcome.winner if outcome else None,
            ruling=outcome.ruling if outcome else None,
            secret=match.revealed or None,
            next=match.next,
        )

    def _seat_view(self, seat: int) -> messages.SeatView:
        chair, table = self.match.chairs[seat], self.match.table
        bot = table.bot_of(seat) if table else chair.bot
        return messages.SeatView(
            name=chair.name or None,
            bot=bot or None,
            owner="bot" if chair.bot else "person" if chair.name else "nobody",
            colours=chair.colours,
            here=self._audience.is_here(seat),
            resigned=table is not None and seat in resigned(table.remarks),
        )

    # Requests.

    async def submit(self, connection: Connection, request: messages.AnyRequest) -> None:
        """Grant and answer a request, or raise why not. One that was granted is answered the same again.

        It is carried through even if the client is gone meanwhile.
        """
        await self._carry_through(self._answer(connection, request))

    async def _answer(self, connection: Connection, request: messages.AnyRequest) -> None:
        connection.push(messages.encode(await self._grant(connection, request)))

    async def _grant(self, connection: Connection, request: messages.AnyRequest) -> messages.Accepted:
        match = self.match
        if isinstance(request, messages.Ping) or request.version > match.version:
            await self.refresh()
        if request.version > match.version:
            raise Refused("future_version", f"the match is at version {match.version}")
        if isinstance(request, messages.Ping):
            return messages.Accepted(id=request.id, version=match.version)
        if connection.watcher:
            raise Refused("forbidden", "who watches may only watch")
        if isinstance(request, messages.Hint):
            return await self._hint(connection, request)
        async with self._lock:
            if connection.ending:  # put out while it waited
                raise Refused(connection.ending, "the connection is being closed")
            if isinstance(request, messages.Recover):
                return self._recovery_code(connection, request)
            key = as_guest = f"{digest(connection.guest)}:{request.id}"
            if connection.member is not None:
                key = f"{connection.member}:{request.id}"
            if as_guest in self._answers:
                key = as_guest
            token = match.token_for(connection.guest, request.id) if key == as_guest else None
            if key in self._answers:
                pass  # it was granted already
            elif isinstance(request, messages.Rematch):
                await self._rematch(connection.member, key)
            else:
                await self._commit(lambda: self._entries(connection.member, request, token or ""), key)
            if token is not None and connection.member is None:
                connection.member = match.member_of(token)
                self._audience.tell_mine()
                if match.table is not None:  # it began meanwhile, and guests are told nothing of the play
                    connection.push(self._snapshot(connection))
                    self._audience.preview([connection])
            if not isinstance(request, messages.Act):  # which seats nobody
                self._audience.look_round()
            self._plan()
            return messages.Accepted(
                id=request.id,
                version=self._answers.get(key, match.version),
                token=token,
                match=match.next if isinstance(request, messages.Rematch) else None,
            )

    def _entries(self, member: int | None, request: messages.AnyRequest, token: str) -> list[Entry]:
        match = self.match
        match request:
            case messages.Sit():
                return match.sit(member, request, token)
            case messages.AddBot():
                return match.add_bot(member, request)
            case messages.Free():
                return match.free(member, request)
            case messages.Start():
                return match.start(member)
            case messages.Act():
                return match.act(member, request)
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
        """Check, store, apply and tell. When another worker was first, catch up and check again.

        :raises GameError: if the check fails.
        """
        for _ in range(5):
            now = time.time()
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
            stored = [
                StoredEvent(
                    version=self.match.version + number,
                    time=now,
                    request=key if number == len(wanted) else "",
                    body=messages.encode(entry.what),
                    hidden=messages.encode(entry.hidden) if entry.hidden != _HIDDEN else "",
                )
                for number, entry in enumerate(wanted, 1)
            ]
            try:
                await self._store.append(self.match.id, stored)
            except Conflict:
                await self._catch_up()
                if key and key in self._answers:  # it was this very request, by way of another worker
                    return
                continue
            except StoreUnavailable as error:
                log.error("store unavailable", extra={"match": self.match.id, "why": str(error)})
                raise Refused("store_unavailable", "nothing can be stored now, try again") from None
            metrics.STORE_SECONDS.observe(time.time() - now)
            for entry in wanted:
                metrics.events(type(entry.what).__name__).inc()
                self._tell(entry, now)
            self._remember(key)
            return
        raise Refused("busy", "other requests were first, try again")

    async def refresh(self) -> None:
        """Look what other workers stored; done when somebody comes or asks, since nobody tells."""
        async with self._lock:
            await self._catch_up()

    async def _catch_up(self) -> bool:
        """Take over what another worker stored, if anything. :raises Refused: if it cannot be read now."""
        try:
            events = await self._store.events(self.match.id, after=self.match.version)
        except StoreUnavailable:
            raise Refused("store_unavailable", "nothing can be read now, try again") from None
        if events:
            self.load(events)
        return bool(events)

    def _tell(self, entry: Entry, now: float) -> None:
        steps = self.match.apply(entry, now)
        about_seats = not (isinstance(entry.what, messages.Did) and steps)
        event = messages.Event(
            version=self.match.version,
            time=now,
            what=entry.what,
            steps=[step_view(step) for step in steps],
            now=self.now(seats=about_seats),
        )
        frame = messages.encode(event)
        self._history.append((self.match.version, frame))
        if not isinstance(entry.what, messages.Did):
            self._audience.tell_mine(new_watch_key=entry.hidden.watch)
        self._audience.broadcast(frame, guests=False)
        self._audience.preview(self.connections)
        # A guest sees who sits down, that the match begins and that it is over, and nothing of the play.
        if not isinstance(entry.what, messages.Did | messages.WasSetUp) or self.match.status == "over":
            outside = msgspec.structs.replace(event, steps=[], now=self.now(play=False))
            self._audience.broadcast(messages.encode(outside), members=False)
        if isinstance(entry.what, messages.Configured) and not self.match.rules.watch:
            self._audience.end_watching()

    def _remember(self, key: str) -> None:
        if key:
            self._answers[key] = self.match.version
        if len(self._answers) > _ANSWERS_KEPT:
            del self._answers[next(iter(self._answers))]

    async def _hint(self, connection: Connection, request: messages.Hint) -> messages.Accepted:
        match, table = self.match, self.match.table
        if not match.rules.practice:
            raise Refused("not_practice", "only at a practice table")
        if table is None or table.outcome or table.to_act not in match.seats_of(connection.member):
            raise Refused("not_your_turn", "a hint is for the seat to act")
        version, state = match.version, table.state
        if table.awaits_roll:
            return messages.Accepted(id=request.id, version=version, action=ROLL)
        advice = await self._workers.advise(match.game, state, key=self._key)
        if advice is not None:
            action = max(advice.wins, key=advice.wins.__getitem__)
        else:
            action = await self._workers.decide(match.game, state, match.rules.stand_in, key=self._key)
        return messages.Accepted(id=request.id, version=version, action=action, advice=advice)

    def _recovery_code(self, connection: Connection, request: messages.Recover) -> messages.Accepted:
        if connection.member is None:
            raise Refused("forbidden", "a guest has nothing to recover")
        code = new_token()
        token = digest(self.match.token_for(code, "recover"))
        self._codes[digest(code)] = _Code(time.monotonic() + _CODE_SECONDS, connection.member, token)
        if len(self._codes) > _CODES_KEPT:
            del self._codes[next(iter(self._codes))]
        return messages.Accepted(id=request.id, version=self.match.version, code=code)

    async def _rematch(self, member: int | None, key: str) -> None:
        match = self.match
        match.rematch(member)
        if match.next is None:
            following = await self._open_next(match)
            await self._commit(lambda: match.lead_on(following), key)

    # Clocks, leavers and bots.

    def _deadline(self) -> float | None:
        match, table = self.match, self.match.table
        if not match.rules.clock or table is None or table.to_act is None or table.bot_of(table.to_act):
            return None
        # If it ran out while the server was down, there is time to come back.
        return max(match.turn_time + match.rules.clock, self._loaded + self._warning_seconds)

    def _plan(self) -> None:
        """Decide when to look again: the next deadline, warning, leaver or bot."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        table = self.match.table
        if table is None or table.to_act is None or self._closed:
            return
        times = [at for at, _ in self._leavers()]
        deadline = self._deadline()
        if deadline is not None:
            times.append(deadline if deadline <= self._warned else deadline - self._warning_seconds)
        if times:
            delay = max(0.0, min(times) - time.time())
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(delay, lambda: self._spawn(self._look()))
        if table.bot_of(table.to_act) and self._awake() and not self._thinking:
            self._thinking = True
            self._spawn(self._bot_acts())

    @property
    def _key(self) -> str:
        """Tables that one address opened share one turn of the bots."""
        return self.opened_by or self.match.id

    def _awake(self) -> bool:
        """Whether bots should play: somebody is there to see it, or the clock runs for all."""
        return bool(self.connections) or self.match.rules.clock > 0

    @property
    def _warning_seconds(self) -> float:
        return min(_WARNING_MOST, self.match.rules.clock * _WARNING_SHARE)

    def _leavers(self) -> list[tuple[float, int]]:
        """When which seat goes to a stand-in. Nobody is replaced while nobody waits for them."""
        table, grace, audience = self.match.table, self.match.rules.grace, self._audience
        if table is None or table.outcome or grace is None or not audience.has_members:
            return []
        return [
            (max(audience.gone[chair.member], audience.awaited) + grace, seat)
            for seat, chair in enumerate(self.match.chairs)
            if chair.member in audience.gone and not table.bot_of(seat)
        ]

    async def _look(self) -> None:
        """Do what is due: warn, and hand seats over to stand-ins."""
        async with self._lock:
            done = [await self._quietly(partial(self.match.hand_over, seat)) for seat in self._due()]
        await self._plan_after(all(done))

    def _due(self) -> set[int]:
        """The seats whose owners have been gone too long or whose time is up; warns if it nearly is."""
        now, deadline = time.time(), self._deadline()
        due = {seat for at, seat in self._leavers() if at <= now}
        if deadline is None:
            return due
        assert self.match.table is not None and self.match.table.to_act is not None, "a clock runs"
        seat = self.match.table.to_act
        if deadline <= now:
            due.add(seat)
        elif deadline > self._warned and deadline - self._warning_seconds <= now:
            self._warned = deadline
            warning = messages.ClockWarning(seat=seat, deadline=deadline)
            self._audience.broadcast(messages.encode(warning), guests=False)
        return due

    async def _bot_acts(self) -> None:
        """Let the bot whose turn it is act, at the table's pace."""
        match, table = self.match, self.match.table
        assert table is not None and table.to_act is not None, "a bot is to act"
        seat, state, done = table.to_act, table.state, False
        self._workers.bots.start()
        await asyncio.sleep(match.rules.pace / 1000)
        try:
            action = ROLL
            if not table.awaits_roll:
                bot = table.bot_of(seat) or match.rules.stand_in
                action = await self._workers.decide(
                    match.game, state, bot, key=self._key, awaited=bool(self.connections)
                )
            async with self._lock:
                done = await self._quietly(lambda: self._bot_entries(table, state, seat, action))
        except Refused as refusal:  # too many bots are thinking
            log.warning("a bot waits", extra={"match": match.id, "why": str(refusal)})
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
            await asyncio.sleep(1)  # what failed is tried again, but not at once
        self._plan()

    async def _quietly(self, entries: Callable[[], list[Entry]]) -> bool:
        """Commit what no client asked for, and say whether that was possible."""
        try:
            await self._commit(entries, "")
        except GameError as error:
            log.warning("not done", extra={"match": self.match.id, "why": str(error)})
            return False
        return True

    async def _carry_through(self, work: Coroutine[Any, Any, T]) -> T:
        """Do what a client asked for, even if the client is gone meanwhile."""
        return await asyncio.shield(self._spawn(work))

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, GameError):
            log.error("a task of a table failed", extra={"match": self.match.id}, exc_info=error)

    # Leaving the memory.

    @property
    def asleep(self) -> bool:
        """Whether nothing would happen here: nobody is there and no clock runs."""
        return not self.connections and self._timer is None and not self._tasks

    async def close(self) -> None:
        """Stop. What is being stored is finished first."""
        self._closed = True
        async with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            for task in list(self._tasks):
                task.cancel()


def _read_hidden(text: str) -> Hidden:
    return msgspec.json.decode(text, type=Hidden) if text else _HIDDEN
