"""Setup for browser tests: Chromium, tables created over HTTP, and local storage."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from playwright.sync_api import Browser, StorageState, ViewportSize, sync_playwright
from websockets.sync.client import connect

from escadaria.printing import find_chromium

PATIENCE = float(os.environ.get("ESCADARIA_PATIENCE", "120"))
"""The timeout of waits, in seconds; long, because the machine may be busy."""

QUICK = {"pace": 0}
STILL = {"speed": 0, "muted": True}
"""Settings without animations."""

SHORTEST: ViewportSize = {"width": 360, "height": 600}
SHORT: ViewportSize = {"width": 390, "height": 664}
PHONE: ViewportSize = {"width": 390, "height": 740}
TALL: ViewportSize = {"width": 390, "height": 844}
SIDE: ViewportSize = {"width": 667, "height": 375}
TABLET: ViewportSize = {"width": 820, "height": 1180}
DESK: ViewportSize = {"width": 1280, "height": 800}
DESKS: tuple[ViewportSize, ...] = (
    {"width": 1024, "height": 768}, {"width": 1366, "height": 657}, {"width": 1440, "height": 900},
)  # fmt: skip

_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
]  # fmt: skip
_numbers = itertools.count(1)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with a fresh profile.

    While it runs, its event loop is this thread's running one: nothing else here may use asyncio.

    :raises CannotPrint: if there is no Chromium.
    """
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS, timeout=PATIENCE * 1000)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Table:
    """A match, and the token for its seats; empty for a guest."""

    game: str
    match: str
    token: str
    watch: str = ""

    @property
    def path(self) -> str:
        return f"/t/{self.match}"


def opened(url: str, game: str = "rapido", players: int = 2, **wish: Any) -> Table:
    """Open a match; ``wish`` has the fields of the protocol."""
    options = wish.pop("options", {}) | {"players": players}
    settings = QUICK | wish.pop("settings", {})
    body = {"game": game, "options": options, "settings": settings, **wish}
    response = httpx.post(f"{url}/api/matches", json=body, timeout=PATIENCE, trust_env=False)
    assert response.status_code == 201, response.text
    answer = response.json()
    return Table(game, answer["match"], answer["token"], answer["watch"])


def practising(
    url: str, game: str, position: str, players: int, *names: str, bot: str = "simple", **options: Any
) -> Table:
    """A practice match that starts from a position; bots take the seats without a name."""
    return opened(
        url, game, players, options=options, settings={"practice": True},
        people=[{"name": name} for name in names], bots=[bot] * (players - len(names)),
        start=True, start_from=position,
    )  # fmt: skip


def played(url: str, game: str, players: int = 3, **options: Any) -> Table:
    """A match that bots have played to the end; the host has no seat."""
    table = opened(url, game, players, options=options, bots=["simple"] * players, start=True)
    with wire(url, table) as socket:
        while True:
            frame = json.loads(socket.recv(PATIENCE))
            if frame.get("now", {}).get("status") == "over":
                return table


def joined(url: str, table: Table, name: str) -> Table:
    """The same table for a guest who has taken a seat."""
    with wire(url, Table(table.game, table.match, "")) as socket:
        answer = _ask(socket, "sit", name=name)
    return Table(table.game, table.match, answer["token"])


def asked(url: str, table: Table, type: str, **fields: Any) -> dict[str, Any]:
    """Send a request to a table with its token."""
    with wire(url, table) as socket:
        return _ask(socket, type, **fields)


@contextlib.contextmanager
def wire(url: str, table: Table) -> Iterator[Any]:
    """A connection to a table with its token, after ``hello``."""
    address = f"{url.replace('http', 'ws', 1)}/api/matches/{table.match}/socket"
    with connect(address, proxy=None, max_size=2**22, open_timeout=PATIENCE) as socket:
        socket.send(json.dumps({"type": "hello"} | ({"token": table.token} if table.token else {})))
        yield socket


def _ask(socket: Any, type: str, **fields: Any) -> dict[str, Any]:
    id = f"h{next(_numbers)}"
    socket.send(json.dumps({"type": type, "id": id, "version": fields.pop("version", 0), **fields}))
    while True:
        frame: dict[str, Any] = json.loads(socket.recv(PATIENCE))
        if frame.get("id") == id:
            assert frame["type"] == "accepted", frame
            return frame


def memory(
    url: str,
    seats: Iterable[Table] = (),
    language: str = "",
    setups: dict[str, Any] | None = None,
    **settings: Any,
) -> StorageState:
    """The local storage of a device: settings, seats, and set-ups of matches.

    :param setups: by game and mode, such as ``rapido.bots``.
    """
    kept: dict[str, Any] = {"settings": STILL | settings}
    kept |= {f"seat.{table.match}": {"token": table.token, "game": table.game, "seen": 1} for table in seats}
    kept |= {f"setup.{name}": setup for name, setup in (setups or {}).items()}
    if language:
        kept["language"] = language
    items = [{"name": f"escadaria.{key}", "value": json.dumps(value)} for key, value in kept.items()]
    return {"cookies": [], "origins": [{"origin": url, "localStorage": items}]}  # type: ignore[typeddict-item]


def setup(players: int, who: str, **options: Any) -> dict[str, Any]:
    """A set-up in the client's format: the first seat is a person here, the others are ``who``."""
    seats = [{"who": who if seat else "here", "name": "", "colours": None} for seat in range(players)]
    return {"seats": seats, "first": 0, "options": options, "practice": False, "clock": 0, "pace": 0}
