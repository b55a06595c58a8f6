"""Turn clocks, stand-ins for absent players, and bots."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from clocks import EndlessPauses, ManualClock
from escadaria.client import Table, open_match
from escadaria.record import read
from escadaria.refusals import Refused
from escadaria.server import messages
from escadaria.store import StoredEvent
from escadaria.table import Event
from serving import PATIENCE, eventually, serving
from wire import duel, opened, play, playing, wire

pytestmark = pytest.mark.anyio

SHORT = {"finish": 5}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def slow_bots(clock: ManualClock) -> None:
    clock.slow_bots = True


@pytest.mark.usefixtures("slow_bots")
async def test_time_runs_out_after_a_warning_and_the_seat_is_taken_back(
    tmp_path: Path, clock: ManualClock
) -> None:
    async with serving(tmp_path, clock) as server:
        url, match = server.url, await playing(server.url, clock=60)
        async with wire(url, match["match"], token=match["token"]) as me, wire(url, match["match"]) as guest:
            now = (await me.expect("snapshot"))["now"]
            clock.ahead = now["deadline"] - clock.start - 14
            async with wire(url, match["match"]):  # a new connection makes the room check the clock
                warning = await me.expect("clock")
            assert (warning["seat"], warning["deadline"]) == (0, now["deadline"])
            clock.ahead += 15
            async with wire(url, match["match"]):
                event = await me.expect("event")
            assert event["event"] == {"kind": "acted", "seat": 0, "action": "bot simple", "dice": []}
            assert event["time"] >= now["deadline"]
            seat = event["now"]["seats"][0]
            assert (seat["bot"], seat["owner"]) == ("simple", "person")
            assert event["now"]["deadline"] is None
            assert (await me.ask("act", version=5, action="roll"))["code"] == "bot_plays"
            assert (await me.ask("take_back", version=5))["type"] == "accepted"
            back = (await me.expect("event"))["now"]
            assert back["seats"][0]["bot"] is None
            assert back["deadline"] > now["deadline"], "there is time to act again"
            assert (await me.ask("act", version=5, action="roll"))["type"] == "accepted"
            assert not [f for f in await guest.all_until_pong() if f["type"] in ("clock", "event")]


async def test_the_client_takes_its_seat_back_and_plays_on(url: str) -> None:
    match = await playing(url, clock=1, pace=10_000)
    async with Table(url, match["match"], match["token"]) as table:
        await table.wait_for(lambda: bool(table.seats[0]["bot"]))
        await table.request("configure", settings={"pace": 0})
        await play(table)
        assert table.winner is not None


@pytest.mark.usefixtures("slow_bots")
async def test_an_absent_player_is_replaced_after_the_grace_time_and_can_return(
    tmp_path: Path, clock: ManualClock
) -> None:
    async with serving(tmp_path, clock) as server:
        match, token = await duel(server.url, grace=60)
        async with wire(server.url, match["match"], token=match["token"]) as ana:
            async with wire(server.url, match["match"], token=token):
                await ana.expect("presence", seat=1, here=True)
            gone = await ana.expect("presence", seat=1, here=False)
            assert gone["stand_in_at"] == clock.time() + 60
            clock.ahead = 59
            async with wire(server.url, match["match"], watch=match["watch"]) as watcher:
                await watcher.ask("ping")
                seats = (await watcher.expect("snapshot"))["now"]["seats"]
                assert [seat["stand_in_at"] for seat in seats] == [None, gone["stand_in_at"]]
                assert not [f for f in await ana.all_until_pong() if f["type"] == "event"], "not yet"
                clock.ahead = 61
            event = await ana.expect("event")  # the watcher's leaving makes the room check the clock
            assert event["event"]["action"] == "bot simple" and not event["now"]["seats"][1]["here"]
            assert event["now"]["seats"][1]["stand_in_at"] is None
            async with wire(server.url, match["match"], token=token) as rui:
                assert (await rui.expect("snapshot"))["now"]["seats"][1]["bot"] == "simple"
                assert (await rui.ask("take_back", version=5))["type"] == "accepted"
                assert (await ana.expect("event"))["event"]["action"] == "back"
                assert (await rui.ask("take_back", version=6))["code"] == "not_replaced"


@pytest.mark.parametrize("rules", [{"grace": None}, {"grace": 3600}])
async def test_the_host_can_disable_or_delay_stand_ins(
    tmp_path: Path, clock: ManualClock, rules: dict[str, Any]
) -> None:
    async with serving(tmp_path, clock) as server:
        match, _ = await duel(server.url, **rules)
        async with wire(server.url, match["match"], token=match["token"]) as ana:
            await ana.expect("snapshot")
            clock.ahead = 1000
            async with wire(server.url, match["match"], watch=match["watch"]):
                pass
            assert not [f for f in await ana.all_until_pong() if f["type"] == "event"], "not replaced"


async def test_the_host_cannot_take_a_seat_by_changing_the_settings_in_play(
    tmp_path: Path, clock: ManualClock
) -> None:
    """A clock of one second would hand over the other seat, so these settings are fixed."""
    async with serving(tmp_path, clock) as server:
        match, token = await duel(server.url)
        async with (
            wire(server.url, match["match"], token=match["token"]) as ana,
            wire(server.url, match["match"], token=token) as rui,
        ):
            for change in ({"clock": 1}, {"stand_in": "random"}, {"grace": 5}, {"starts": "random"}):
                assert (await ana.ask("configure", settings=change))["code"] == "fixed"
            clock.ahead = 1000
            assert (await ana.ask("configure", settings={"pace": 10, "watch": False}))["type"] == "accepted"
            assert (await rui.expect("event"))["event"]["settings"]["pace"] == 10
            assert [f["type"] for f in await rui.all_until_pong() if f["type"] == "event"] == []


async def test_absent_players_are_not_replaced_while_no_member_is_connected(
    tmp_path: Path, clock: ManualClock
) -> None:
    async with serving(tmp_path, clock) as server:
        match, _ = await duel(server.url)
        here = server.hub.rooms[match["match"]]
        await eventually(lambda: not here.connections, "both have gone")
        clock.ahead = 100_000
        async with wire(server.url, match["match"], watch=match["watch"]) as watcher:
            seats = (await watcher.expect("snapshot"))["now"]["seats"]
            assert [seat["stand_in_at"] for seat in seats] == [None, None]
            async with wire(server.url, match["match"], token=match["token"]):
                await watcher.expect("presence", seat=0, here=True)
                assert (await watcher.expect("presence", seat=1))["stand_in_at"] == clock.time() + 60
            assert (await watcher.expect("presence", seat=1))["stand_in_at"] is None
        async with wire(server.url, match["match"], token=match["token"]) as ana:
            await ana.ask("ping")
            assert not [f for f in await ana.all_until_pong() if f["type"] == "event"], "the grace starts now"
            clock.ahead += 61
            async with wire(server.url, match["match"], watch=match["watch"]):
                pass
            assert (await ana.expect("event"))["event"]["seat"] == 1


async def test_a_clock_that_ran_out_while_the_server_was_down_leaves_time_to_reconnect(
    tmp_path: Path, clock: ManualClock
) -> None:
    async with serving(tmp_path, clock) as server:
        match = await playing(server.url, clock=60)
    clock.ahead = 1000
    async with (
        serving(tmp_path, clock) as server,
        wire(server.url, match["match"], token=match["token"]) as me,
    ):
        welcome, snapshot = await me.expect("welcome"), await me.expect("snapshot")
        assert snapshot["now"]["deadline"] > welcome["time"]
        assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"


async def test_a_changed_clock_restarts(tmp_path: Path, clock: ManualClock) -> None:
    async with serving(tmp_path, clock) as server:
        match = await playing(server.url)
        async with wire(server.url, match["match"], token=match["token"]) as me:
            assert (await me.expect("snapshot"))["now"]["deadline"] is None
            clock.ahead = 1000
            await me.ask("configure", settings={"clock": 60})
            event = await me.expect("event")
            assert event["now"]["deadline"] == event["time"] + 60
            await me.ask("configure", settings={"clock": 60, "pace": 0})
            assert (await me.expect("event"))["now"]["deadline"] == event["now"]["deadline"], (
                "not by other changes"
            )


async def test_hurried_bots_do_not_wait_until_a_person_is_to_act(tmp_path: Path) -> None:
    async with serving(tmp_path, EndlessPauses()) as server:
        wish = {
            "people": [{"name": "Ana"}],
            "bots": ["simple"] * 5,
            "start": True,
            "settings": {"pace": 10_000},
        }
        async with await open_match(server.url, "rapido", {"players": 6}, **wish) as table:
            for _ in range(2):
                await table.request("hurry")  # nobody has to hurry yet
                await table.request("act", action="roll")
                await table.wait_for(lambda: len(table.now["legal"]) > 1)
                await table.request("act", action="place 0")
                assert table.now["to_act"] == 1
                await table.request("hurry")
                async with asyncio.timeout(PATIENCE):
                    await table.wait_for(lambda: table.now["to_act"] == 0)


async def test_bots_are_not_hurried_while_others_wait(url: str) -> None:
    match, token = await duel(url)
    async with wire(url, match["match"], token=token) as rui, wire(url, match["match"]) as guest:
        assert (await rui.ask("hurry", version=4))["code"] == "forbidden"
        assert (await guest.ask("hurry", version=4))["code"] == "forbidden"


@pytest.mark.parametrize("players, pace", [(2, 1.25), (3, 1.25), (6, 0.5)])
async def test_bots_wait_once_before_each_turn(
    players: int, pace: float, tmp_path: Path, clock: ManualClock
) -> None:
    async with serving(tmp_path, clock) as server:
        wish = {"bots": ["simple", *["random"] * (players - 1)], "start": True, "settings": {"pace": 1250}}
        table = await open_match(server.url, "chain", {"players": players, "board": "short"}, **wish)
        async with table:
            await table.wait_for(lambda: table.status == "over")
        async with httpx.AsyncClient(trust_env=False) as http:
            text = (await http.get(f"{server.url}/api/matches/{table.match}/record")).text
    record = read(text)
    decisions = sum(record.game.current_player(position) >= 0 for position in record.positions)
    assert set(clock.paces) == {pace, 0}
    assert clock.paces.count(pace) == len(list(record.turns()))
    assert len(clock.paces) == decisions


async def test_bots_wait_for_a_connection_unless_the_table_has_a_clock(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        lonely = await opened(
            server.url, bots=["simple", "simple"], start=True, settings={"pace": 0}, options=SHORT
        )
        timed = await opened(
            server.url,
            bots=["simple", "simple"],
            start=True,
            settings={"pace": 0, "clock": 60},
            options=SHORT,
        )
        rooms = server.hub.rooms
        await eventually(lambda: rooms[timed["match"]].match.status == "over", "it plays to the end")
        assert rooms[lonely["match"]].match.version == 4
        await eventually(lambda: rooms[lonely["match"]].idle and rooms[timed["match"]].idle, "both sleep")
        async with wire(server.url, lonely["match"], watch=lonely["watch"]):
            await eventually(lambda: rooms[lonely["match"]].match.status == "over", "somebody watches")


async def test_a_bot_that_fails_does_not_stop_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After a dead worker, a full queue or a bug the bot is tried again."""
    failures: list[Exception] = [RuntimeError("a bug"), Refused("busy", "too many bots are thinking")]
    async with serving(tmp_path) as server:
        decide = server.hub.workers.decide

        async def failing(*question: Any, **fairness: Any) -> str:
            if failures:
                raise failures.pop()
            return await decide(*question, **fairness)

        monkeypatch.setattr(server.hub.workers, "decide", failing)
        match = await opened(
            server.url, bots=["simple", "simple"], start=True, settings={"pace": 0}, options=SHORT
        )
        async with wire(server.url, match["match"], watch=match["watch"]):
            here = server.hub.rooms[match["match"]]
            await eventually(lambda: here.match.version > 6, "it plays")
            for pid in server.hub.workers.bots.pids:
                os.kill(pid, signal.SIGKILL)
            await eventually(lambda: here.match.status == "over", "it plays to the end")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == ["a bot failed"]


async def test_a_bot_s_choice_is_not_played_in_another_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an event of another worker the bot decides again, though its decision would still be legal."""
    choices = ["place 0", "place 1"]

    async with serving(tmp_path) as server:
        decide, append = server.hub.workers.decide, server.hub.store.append

        async def scripted(*question: Any, **fairness: Any) -> str:
            return choices.pop(0) if choices else await decide(*question, **fairness)

        async def too_late(match: str, events: list[StoredEvent], **more: Any) -> None:
            if len(choices) == 1 and events[0].version == 5:
                rival = messages.encode(Event(0, "again", ("45",)))
                await append(match, [replace(events[0], body=rival)])
            await append(match, events, **more)

        monkeypatch.setattr(server.hub.workers, "decide", scripted)
        monkeypatch.setattr(server.hub.store, "append", too_late)
        match = await opened(
            server.url, bots=["simple", "simple"], start=True, settings={"pace": 0, "practice": True},
            start_from="turn=0 phase=decide value=64 steps=3,5 tower=-",
        )  # fmt: skip
        async with wire(server.url, match["match"], watch=match["watch"]) as watcher:
            actions = [
                (await watcher.expect("event", version=version))["event"]["action"] for version in (5, 6)
            ]
        assert actions == ["again", "place 1"]
