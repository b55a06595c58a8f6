"""One match with its clients: their connections and commands.

A command is checked by the match, its events are stored, applied and broadcast, and then it is answered. The
commands of a match are handled one at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from escadaria import wire
from escadaria.bus import Hurry
from escadaria.game import GameError
from escadaria.match.connection import Connection, Mail
from escadaria.match.live import LiveMatch
from escadaria.match.tokens import digest
from escadaria.play import ROLL
from escadaria.refusals import Refused

log = logging.getLogger(__name__)

_REFRESH_SECONDS = 0.5

Handler = Callable[[Connection, Any, Mail], Awaitable[wire.Accepted]]


class Room(LiveMatch):
    """A match in memory with its clients."""

    # Connections.

    def admit(self, connection: Connection, hello: wire.Hello) -> None:
        """Admit a connection and send ``welcome`` with a snapshot or the missed events.

        :raises Refused: ``forbidden``, ``too_many``.
        """
        if hello.token is not None:
            connection.member = self._member(hello.token)
            connection.token = digest(hello.token)
            if (deletion := self._codes.spend(connection.token)) is not None:
                self.jobs.spawn(deletion)
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
        await self.jobs.run(partial(self._recover, connection, hello, hello.recover or ""))

    async def _recover(self, connection: Connection, hello: wire.Hello, code: str) -> None:
        member, token = await self.jobs.from_store(partial(self._codes.find, code))
        if not self.match.has_token(member, digest(token)):  # a repeated request finds it there
            old = self.match.token_digest(member)
            mail = await self.commit(partial(self.match.move_member, member, token))
            mail.send()
            await self._codes.use(code, member, old, token)
        connection.member, connection.token = member, digest(token)
        self._enter(connection, hello, token)

    def _enter(self, connection: Connection, hello: wire.Hello, token: str | None = None) -> None:
        connection.previews = hello.previews
        self._presence.check_space(connection)
        mail = Mail()
        self._presence.enter(connection, mail)
        self.visited = True
        self._share()
        self._frames.add_welcome(mail, connection, hello.since, token, self._clock.time())
        mail.send()
        self._schedule()

    def leave(self, connection: Connection) -> None:
        mail = Mail()
        self._presence.leave(connection, mail)
        mail.send()
        self.last_seen = self._clock.time()
        self._share()
        self._schedule()

    def standing(self, token: str | None) -> wire.Standing:
        """The current state for the member with this token; without a token what guests may see.

        :raises Refused: ``forbidden`` if the token is not valid.
        """
        return self._frames.standing(None if token is None else self._member(token))

    def _member(self, token: str) -> int:
        member = self.match.member_of(token)
        if member is None:
            raise Refused("forbidden", "the token is not valid for this match")
        return member

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
            self.jobs.enqueue(partial(self._answer, connection, command, self._handle))

    async def _answer(self, connection: Connection, command: wire.AnyCommand, handle: Handler) -> None:
        mail = Mail()
        try:
            if connection.watcher and not isinstance(command, wire.Ping):
                raise Refused("forbidden", "watchers cannot send commands")
            if command.version > self.match.version:  # as a job: hints run beside the queue
                await self.jobs.run(self._catch_up)
            if command.version > self.match.version:
                raise Refused("future_version", f"the match is at version {self.match.version}")
            answer = wire.frame(await handle(connection, command, mail))
        except GameError as error:
            mail.send()
            connection.refuse(command.id, error, self.match.version)
        except Exception:
            log.exception("a command failed", extra={"match": self.match.id})
            mail.send()
            connection.end("internal")
        else:
            mail.answer(connection, answer)

    def _ping(self, connection: Connection, command: wire.Ping) -> None:
        """Answer from memory, and check at intervals for events of other servers."""
        now = self._clock.time()
        if command.version > self.match.version or now - self._read_time > _REFRESH_SECONDS:
            self._read_time = now
            self.jobs.enqueue(partial(self._try, self._refresh))
        if command.version > self.match.version:
            self.jobs.enqueue(partial(self._answer, connection, command, self._pong))
        else:
            connection.answer(wire.frame(wire.Accepted(id=command.id, version=self.match.version)))

    async def _pong(self, _: Connection, command: wire.Ping, mail: Mail) -> wire.Accepted:
        return wire.Accepted(id=command.id, version=self.match.version)

    async def _handle(self, connection: Connection, command: wire.AnyCommand, mail: Mail) -> wire.Accepted:
        match = self.match
        if connection.ending:  # closed while the command waited
            code = "closing" if connection.ending == "gone" else connection.ending
            raise Refused(code, "the connection is being closed")
        if isinstance(command, wire.Recover):
            return await self._issue_code(connection, command)
        key, token = self._key(connection, command)
        if self.events.version_of(key) is None:  # not a repeated command
            self._limits.take(connection.address, "writes")
            if isinstance(command, wire.Rematch):
                await self._rematch(connection.member, key, mail)
            else:
                await self.commit(partial(match.handle, connection.member, command, token or ""), key, mail)
        if token is not None and connection.member is None:
            connection.member, connection.token = match.member_of(token), digest(token)
            self._share()
            self._frames.add_membership(mail, connection)
        if not isinstance(command, wire.Act):  # which changes no seats
            self._presence.update(mail)
        self._schedule()
        rematch = isinstance(command, wire.Rematch)
        if rematch and connection.member is not None:
            token = self._frames.next_token(connection.member)
        version = self.events.version_of(key)
        return wire.Accepted(
            id=command.id,
            version=match.version if version is None else version,
            token=token,
            match=match.next if rematch else None,
        )

    def _key(self, connection: Connection, command: wire.AnyCommand) -> tuple[str, str | None]:
        """The key by which a repeated command is recognised; and the token that a guest gets by it.

        A guest's first command keeps its guest key: if its answer was lost, the client is a member when it
        repeats the command, and gets the same token.
        """
        guest_key = f"{connection.guest_digest}:{command.id}"
        if connection.member is not None and self.events.version_of(guest_key) is None:
            return f"{connection.member}:{command.id}", None
        return guest_key, self._tokens.for_guest(self.match.id, connection.guest, command.id)

    async def _hint(self, connection: Connection, command: wire.Hint, mail: Mail) -> wire.Accepted:
        match, play = self.match, self.match.play
        match.check_practice()
        if play is None or play.outcome or play.to_act not in match.seats_of(connection.member):
            raise Refused("not_your_turn", "only the seat to act can get a hint")
        version, state = match.version, play.state
        if play.awaits_roll:
            return wire.Accepted(id=command.id, version=version, action=ROLL)
        if connection.hinting:
            raise Refused("busy", "a hint is being computed")
        self._limits.take(connection.address, "hints")
        connection.hinting = True
        try:
            action, advice = await self._compute.hint(
                match.game, state, match.settings.stand_in, key=connection.address
            )
        finally:
            connection.hinting = False
        return wire.Accepted(id=command.id, version=version, action=action, advice=advice)

    async def _hurry(self, connection: Connection, command: wire.Hurry, mail: Mail) -> wire.Accepted:
        self.match.check_hurry(connection.member)
        await self.hurry()
        if not self._leases.holds(self.match.id):  # another server runs the bots
            self._leases.publish(Hurry(self.match.id))
        return wire.Accepted(id=command.id, version=self.match.version)

    async def _issue_code(self, connection: Connection, command: wire.Recover) -> wire.Accepted:
        if connection.member is None:
            raise Refused("forbidden", "guests have no seats to recover")
        self._limits.take(connection.address, "writes")
        code = await self.jobs.from_store(partial(self._codes.issue, connection.member))
        return wire.Accepted(id=command.id, version=self.match.version, code=code)

    async def _rematch(self, member: int | None, key: str, mail: Mail) -> None:
        match = self.match
        match.check_rematch(member)
        if match.next is None:
            next_id = await self.jobs.from_store(partial(self._open_next, match))
            await self.commit(partial(match.link_next, next_id), key, mail)
