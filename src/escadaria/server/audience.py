"""Who is there at a match: the connections of its people, who came and who went, and who is told what."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from escadaria.server import messages, metrics
from escadaria.server.match import HOST, Match, new_token
from escadaria.views import previews

_FAREWELL_SECONDS = 2.0


class Connection:
    """One client's socket. Frames wait here until it reads them; one that is too slow is dropped."""

    def __init__(self, backlog: int) -> None:
        self.member: int | None = None
        self.guest = new_token()
        """Stands for the client until it is a member."""
        self.watcher = False
        self.previews = False
        self.mine: list[int] = []
        self.backlog = backlog
        self.ending = ""
        """Why the server closes it; empty while it does not."""
        self.stop: Callable[[], object] = lambda: None
        """Stops the sending to a client that takes nothing more."""
        self._frames: deque[str] = deque()
        self._more = asyncio.Event()

    @property
    def role(self) -> messages.Role:
        if self.member is not None:
            return "host" if self.member == HOST else "player"
        return "watcher" if self.watcher else "guest"

    @property
    def sees_play(self) -> bool:
        return self.member is not None or self.watcher

    def push(self, frame: str) -> None:
        """Send a frame as soon as the client takes it. Never waits."""
        if self.ending:
            return
        if len(self._frames) >= self.backlog:
            self._frames.clear()
            self.end("too_slow")
            self.stop()
            return
        self._frames.append(frame)
        self._more.set()

    def end(self, code: str) -> None:
        """Close the connection after what waits has been sent, or soon if the client takes nothing."""
        if not self.ending:
            self.ending = code
            self._frames.append(messages.encode(messages.Bye(code=code)))
            metrics.DROPPED.labels(code).inc()
            self._more.set()
            asyncio.get_running_loop().call_later(_FAREWELL_SECONDS, lambda: self.stop())

    async def pump(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send what is pushed until the connection ends."""
        while True:
            while self._frames:
                await send(self._frames.popleft())
            if self.ending:
                return
            self._more.clear()
            await self._more.wait()


class Audience:
    """The connections to a match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.connections: set[Connection] = set()
        self.gone: dict[int, float] = {}
        """Since when each member is gone."""
        self.awaited = time.time()
        """Since when somebody waits for them."""

    @property
    def has_members(self) -> bool:
        return any(connection.member is not None for connection in self.connections)

    def is_here(self, seat: int) -> bool:
        chair = self.match.chairs[seat]
        return bool(chair.bot) or (chair.member is not None and chair.member not in self.gone)

    def enter(self, connection: Connection) -> None:
        """Somebody came. The others are told; the newcomer is to be told how things stand."""
        if not self.has_members:
            self.awaited = time.time()
        self.look_round(connection)
        self.connections.add(connection)

    def leave(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self.look_round()

    def look_round(self, *coming: Connection) -> None:
        """Find out who came and who went, and tell it at once."""
        here = {connection.member for connection in (*self.connections, *coming)}
        for seat, chair in enumerate(self.match.chairs):
            if chair.member is None or (chair.member in here) == (chair.member not in self.gone):
                continue
            self.broadcast(messages.encode(messages.Presence(seat=seat, here=chair.member in here)))
        for member in {chair.member for chair in self.match.chairs if chair.member is not None}:
            if member in here:
                self.gone.pop(member, None)
            else:
                self.gone.setdefault(member, time.time())

    def broadcast(self, frame: str, *, members: bool = True, guests: bool = True) -> None:
        """``members`` are all who see the play."""
        for connection in list(self.connections):
            if members if connection.sees_play else guests:
                connection.push(frame)

    def tell_mine(self, new_watch_key: str = "") -> None:
        """Tell those whose seats changed; before the event, so that they understand it."""
        for connection in self.connections:
            mine = self.match.seats_of(connection.member)
            watch = new_watch_key if connection.member == HOST else ""
            if mine != connection.mine or watch:
                connection.mine = mine
                you = messages.You(role=connection.role, mine=mine, watch=watch or None)
                connection.push(messages.encode(you))

    def preview(self, connections: Iterable[Connection]) -> None:
        """Tell those who want to know what the choices of their seat to act would bring."""
        table = self.match.table
        wanting = [c for c in connections if c.previews and table is not None and table.to_act in c.mine]
        if table is None or table.to_act is None or table.awaits_roll or not wanting:
            return
        frame = messages.encode(
            messages.Previews(
                version=self.match.version, seat=table.to_act, choices=previews(table.game, table.state)
            )
        )
        for connection in wanting:
            connection.push(frame)

    def end_watching(self) -> None:
        """Put out who only watches."""
        for connection in list(self.connections):
            if connection.watcher:
                connection.end("watching_off")
