"""One client of a match, and what is to be sent to several of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Literal

from escadaria import wire
from escadaria.game import GameError
from escadaria.match.state import HOST
from escadaria.match.tokens import digest, new_token
from escadaria.refusals import Ending, code_of


class Connection(ABC):
    """One client's connection, as its room sees it."""

    def __init__(self, address: str, subnet: str) -> None:
        self.address = address
        """The client's network address, the key of rate limits."""
        self.subnet = subnet
        """The network of the address, the key of limits on connections."""
        self.member: int | None = None
        self.token = ""
        """The digest of the member's token."""
        self.guest = new_token()
        """The secret that identifies the client until it is a member."""
        self.guest_digest = digest(self.guest)
        self.watcher = False
        self.previews = False
        self.mine: list[int] = []
        self.ending: Ending | Literal["", "gone"] = ""
        """Why the connection is being closed; empty while it is open."""
        self.hinting = False
        """Whether a hint is being computed."""

    @property
    def role(self) -> wire.Role:
        if self.member is not None:
            return "host" if self.member == HOST else "player"
        return "watcher" if self.watcher else "guest"

    @property
    def sees_play(self) -> bool:
        return self.member is not None or self.watcher

    @abstractmethod
    def send(self, *frames: bytes) -> None:
        """Send encoded frames in one write, without waiting."""

    @abstractmethod
    def answer(self, *frames: bytes) -> None:
        """Send frames of which the last one answers a command; then the next command is handled."""

    def refuse(self, id: str | None, error: GameError, version: int) -> None:
        """Answer a command with a refusal."""
        self.answer(self.refusal(id, error, version))

    def refusal(self, id: str | None, error: GameError, version: int) -> bytes:
        """The frame of a refusal. ``id`` is that of the command, if it could be read."""
        code, message = code_of(error), str(error)
        return wire.frame(
            wire.RefusalFrame(id=id, code=code, message=message, ruling=error.ruling, version=version)
        )

    @abstractmethod
    def end(self, code: Ending) -> None:
        """Send ``bye`` and close the connection."""


class Mail:
    """Frames for connections, and connections to close after them. Each connection gets them in one write."""

    def __init__(self) -> None:
        self._frames: dict[Connection, list[bytes]] = {}
        self._endings: list[tuple[Connection, Ending]] = []

    def add(self, frame: bytes, *connections: Connection) -> None:
        for connection in connections:
            self._frames.setdefault(connection, []).append(frame)

    def end(self, code: Ending, connections: Iterable[Connection]) -> None:
        self._endings += [(connection, code) for connection in connections]

    def send(self) -> None:
        """Send everything."""
        for connection, frames in self._frames.items():
            connection.send(*frames)
        for connection, code in self._endings:
            connection.end(code)

    def answer(self, sender: Connection, answer: bytes) -> None:
        """Send everything, and the answer to the sender of a command behind its other frames."""
        own = self._frames.pop(sender, [])
        self.send()
        sender.answer(*own, answer)
