"""Play the example session of docs/protocol.md on a real server, and print it frame by frame.

    PYTHONPATH=src python tools/transcript.py          # print it
    PYTHONPATH=src python tools/transcript.py --write  # ... into the page

The session is deterministic: the id of the match, its keys and the secret of its dice are constants below,
and times are counted instead of read from a clock. It changes when the protocol or the bot changes; a test
then fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import httpx
from websockets.asyncio.client import ClientConnection, connect

from escadaria.server.run import make_server
from escadaria.settings import Settings

PAGE = Path(__file__).parent.parent / "docs" / "protocol.md"
BLOCK = re.compile(r"(<!-- made by tools/transcript.py -->\n\n```text\n).*?(?=```\n)", re.DOTALL)

MATCH = "V3rde-Am4relo_Az"
TOKEN = "Jx0f8o1Zt5uVbq2nXw7yLr4kGdSaPm9ecHiTB6vQzEU"
WATCH = "qT3sN8hYw1uKf5zRb7oXc2mVj9gLd4aPe6iZxBtQ0rM"
SECRET = hashlib.sha256(b"an example 9549").digest()  # of dice that show every kind of fact in few rolls
START, DATE = 1_794_700_800.0, "2026-11-15"
WIDTH = 108
SAME = "…"

Json = dict[str, Any]


async def transcript() -> str:
    """The text of the session on the page."""
    async with serving() as url:
        session = Session(url)
        await session.run()
        return "\n".join(session.lines).strip() + "\n"


class Session:
    """Ana opens a match, sits down, adds a bot, and plays; once her connection breaks."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lines: list[str] = []
        self.version = 0
        self.now: Json = {}
        self._ids = (f"a{number}" for number in itertools.count(1))

    async def run(self) -> None:
        self.say("Ana opens a match for two with a short way up, and gets its name and her token.")
        wish = {"game": "rapido", "options": {"players": 2, "finish": 5}, "settings": {"pace": 200}}
        await self.http("POST", "/api/matches", wish)
        async with self.connected() as socket:
            self.say("She connects, and receives her role and the state of the match.")
            await self.send(socket, {"type": "hello", "token": TOKEN})
            await self.until(socket, "snapshot")
            self.say("She has seen the commitment, so she sits down with some entropy of her own.")
            await self.ask(socket, "sit", name="Ana", entropy="c0ffee")
            self.say("A bot takes the other seat, and the match starts.")
            await self.ask(socket, "add_bot", bot="simple")
            await self.ask(socket, "start")
            self.say("She wants to place a pair before she has rolled one.")
            await self.ask(socket, "act", action="place 5")
            self.say("She does what `legal` says instead. The event comes first, then the answer.")
            await self.ask(socket, "act", action="roll")
            self.say("Her turn ends with this, and the bot's begins. Nobody asks for what a bot does.")
            await self.ask(socket, "act", action="place 5")
            await self.until_my_turn(socket)
            self.say("She rolls, and the connection breaks before the answer is there.")
            request = self.request("act", action="roll")
            await self.send(socket, request)
        await asyncio.sleep(0.3)
        async with self.connected() as socket:
            self.say("She comes back and says what she has. She is sent what she missed, and who is there.")
            await self.send(socket, {"type": "hello", "token": TOKEN, "since": self.version})
            await self.until(socket, "presence", seat=1)
            self.say("She repeats the request with the same id, since it may have been lost. It had arrived.")
            await self.send(socket, request)
            await self.until(socket, "accepted", id=request["id"])
            self.say("The rest of the match. The bot falls, and that starts Ana's last turn: she scores.")
            await self.ask(socket, "act", action="place 3")
            while self.now["status"] != "over":
                await self.read(socket)
        self.say("Now the record is open to everybody, with the secret of the dice in it.")
        await self.http("GET", f"/api/matches/{MATCH}/record")

    async def http(self, method: str, path: str, body: Json | None = None) -> None:
        async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
            answer = await http.request(method, self.url + path, json=body)
        self.lines.append(f"{method} {path}")
        if body is not None:
            self.lines += folded(body)
        self.lines.append(f"{answer.status_code} {answer.reason_phrase}")
        is_json = answer.headers["content-type"] == "application/json"
        text = re.sub(r"(?<=\ndate: )[0-9-]+", DATE, answer.text)
        self.lines += folded(answer.json()) if is_json else text.splitlines()

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[ClientConnection]:
        path = f"/api/matches/{MATCH}/socket"
        async with connect(self.url.replace("http", "ws", 1) + path, proxy=None) as socket:
            yield socket

    def request(self, type: str, **fields: Any) -> Json:
        return {"type": type, "id": next(self._ids), "version": self.version, **fields}

    async def ask(self, socket: ClientConnection, type: str, **fields: Any) -> None:
        """Send a request and read up to its answer."""
        request = self.request(type, **fields)
        await self.send(socket, request)
        while (await self.read(socket)).get("id") != request["id"]:
            pass

    async def send(self, socket: ClientConnection, frame: Json) -> None:
        self.lines += folded(frame, "→ ")
        await socket.send(json.dumps(frame))

    async def until_my_turn(self, socket: ClientConnection) -> None:
        while self.now["to_act"] != 0:
            await self.read(socket)

    async def until(self, socket: ClientConnection, type: str, **fields: Any) -> None:
        frame: Json = {}
        while frame.get("type") != type or any(frame[name] != value for name, value in fields.items()):
            frame = await self.read(socket)

    async def read(self, socket: ClientConnection) -> Json:
        frame: Json = json.loads(await asyncio.wait_for(socket.recv(), 60))
        if frame["type"] in ("snapshot", "event"):
            self.version, self.now = frame["version"], frame["now"]
        self.lines += folded(self.shortened(frame), "← ")
        return frame

    def shortened(self, frame: Json) -> Json:
        """The frame without nulls and repeated positions, and with a counted time."""
        shown: Json = without_nulls(frame)
        if "time" in shown:
            shown["time"] = START + shown["version"]
        for step in shown.get("steps", []):
            if step["position"] == shown["now"]["position"]:
                step["position"] = SAME
        return shown

    def say(self, text: str) -> None:
        self.lines += ["", f"# {text}"]


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [without_nulls(inner) for inner in value] if isinstance(value, list) else value


def folded(value: Json, mark: str = "") -> list[str]:
    """JSON on as few lines as fit the width."""
    lines: list[str] = fold(value, len(mark)).split("\n")
    return [f"{mark if number == 0 else ''}{line}" for number, line in enumerate(lines)]


def fold(value: Any, column: int) -> str:
    """JSON from this column on; a value too long for a line is broken between its parts."""
    flat = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if column + len(flat) <= WIDTH or not isinstance(value, dict | list):
        return flat
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    heads = [f'"{key}":' for key in value] if isinstance(value, dict) else [""] * len(value)
    inner = list(value.values()) if isinstance(value, dict) else value
    text, used = opening, column + 1
    for number, (head, part) in enumerate(zip(heads, inner, strict=True)):
        piece = head + fold(part, column + 1 + len(head))
        fits = "\n" not in piece and used + len(piece) + 1 <= WIDTH
        if number and not fits:
            text, used = f"{text}\n{' ' * (column + 1)}", column + 1
        text += piece + ("," if number < len(inner) - 1 else "")
        used = WIDTH if "\n" in piece else used + len(piece) + 1
    return text + closing


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """A server with fixed ids, tokens and secrets."""
    with contextlib.ExitStack() as stack:
        names = SimpleNamespace(token_urlsafe=lambda _: MATCH)
        stack.enter_context(mock.patch("escadaria.server.matches.opening.secrets", names))
        stack.enter_context(
            mock.patch("escadaria.server.matches.opening.dice.new_secret", return_value=SECRET)
        )
        stack.enter_context(mock.patch("escadaria.server.matches.opening.new_token", return_value=TOKEN))
        stack.enter_context(mock.patch("escadaria.match.match.new_token", return_value=WATCH))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        urls: list[str] = []
        server = make_server(Settings(port=0, database=str(Path(folder) / "matches")), urls.append)
        running = asyncio.create_task(server.serve())
        try:
            while not urls and not running.done():
                await asyncio.sleep(0.01)
            yield urls[0]
        finally:
            server.should_exit = True
            await running


def main() -> None:
    session = asyncio.run(transcript())
    if "--write" in sys.argv[1:]:
        page = PAGE.read_text("utf-8")
        assert BLOCK.search(page), "the page has a block for the session"
        PAGE.write_text(BLOCK.sub(lambda found: found[1] + session, page), "utf-8")
    else:
        print(session, end="")


if __name__ == "__main__":
    main()
