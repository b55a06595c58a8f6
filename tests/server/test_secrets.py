"""Secrets: all bytes that were sent, logged and stored are searched for them."""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from raw import QUICK, RawClient, opened, raw
from serving import Server, started

pytestmark = pytest.mark.anyio


def forms(secret: str) -> list[bytes]:
    """The secret of the dice in all encodings in which it could leak."""
    raw = bytes.fromhex(secret)
    plain, url = base64.b64encode(raw), base64.urlsafe_b64encode(raw)
    return [secret.encode(), secret.upper().encode(), raw, plain.rstrip(b"="), url.rstrip(b"=")]


def token_forms(token: str) -> list[bytes]:
    """A token and its stored digest."""
    return [token.encode(), hashlib.sha256(token.encode()).hexdigest().encode()]


def dice_secret(database: Path, match: str) -> str:
    with sqlite3.connect(database) as connection:
        query = "SELECT hidden FROM event WHERE match = ? AND version = 1"
        (hidden,) = connection.execute(query, (match,)).fetchone()
    connection.close()
    return str(json.loads(hidden)["secret"])


async def test_no_secret_is_sent_logged_or_stored(tmp_path: Path) -> None:
    async with started(Server(tmp_path, log_level="debug")) as live:
        match = await opened(live.url, settings=QUICK, options={"finish": 8})
        name, host_token = match["match"], match["token"]
        async with (
            raw(live.url, name, token=host_token) as host,
            raw(live.url, name, guest="guest-of-the-player-000") as player,
            raw(live.url, name) as guest,
            raw(live.url, name, watch=match["watch"]) as watcher,
        ):
            roles = {"host": host, "player": player, "guest": guest, "watcher": watcher}
            await host.ask("sit", name="Ana", entropy="aa")
            token = (await player.ask("sit", name="Rui", entropy="bb"))["token"]
            await host.ask("start")
            codes = [(await wire_.ask("recover"))["code"] for wire_ in (host, player)]
            secret = dice_secret(tmp_path / "matches.sqlite3", name)
            async with raw(live.url, name, recover=codes[1]) as moved:  # the player changes devices
                roles["moved"] = moved
                new_token = (await moved.expect("welcome"))["token"]
                over = await played_out(host, moved)
                for there in (guest, watcher, host, moved):
                    await there.ask("ping")
                next_id = (await moved.ask("rematch"))["match"]
                for there in (guest, watcher, host):
                    await there.ask("ping")
        next_secret = dice_secret(tmp_path / "matches.sqlite3", next_id)

    # The secret of the dice is sent to members and watchers after the end; that of the next match is not.
    assert over["now"]["secret"] == secret
    for role, wire_ in roles.items():
        everything = "".join(wire_.received).encode()
        before = everything[: everything.find(b'"status":"over"')] if role != "guest" else everything
        assert not any(form in before for form in forms(secret)), role
        assert not any(form in everything for form in forms(next_secret)), role
        assert (secret.encode() in everything) == (role in ("host", "watcher", "moved")), role
        # Clients are sent only their own tokens, and no digests.
        own = {"player": [token, codes[1]], "moved": [new_token], "host": [codes[0]]}.get(role, [])
        for value in (host_token, token, new_token, *codes):
            plain, hashed = token_forms(value)
            assert (plain in everything) <= (value in own), role
            assert hashed not in everything, role
        assert (match["watch"].encode() in everything) == (role == "host"), role
        assert len(everything) > 1000, "something was searched"

    logged = live.log.read_bytes()
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("matches.sqlite3*"))
    for value in (host_token, token, new_token, *codes):
        plain, hashed = token_forms(value)
        assert plain not in logged and hashed not in logged
        assert plain not in stored
    assert token_forms(new_token)[1] in stored
    assert not any(form in logged for value in (secret, next_secret) for form in forms(value))
    assert match["watch"].encode() not in logged


async def played_out(*players: RawClient) -> dict[str, Any]:
    """Let them play to the end, and return the last event."""
    mine = {0: players[0], 1: players[1]}
    snapshot = await players[1].expect("snapshot")
    now, version = snapshot["now"], snapshot["version"]
    while True:
        actor = mine[now["to_act"]]
        answer = await actor.ask("act", version=version, action=now["legal"][-1])
        assert answer["type"] == "accepted", answer
        version = answer["version"]
        event = await actor.expect("event", version=version)
        now = event["now"]
        if now["status"] == "over":
            return event
