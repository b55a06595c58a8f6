"""Turn clocks, stand-ins for absent players, and bots."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from clocks import EndlessPauses, ManualClock
from escadaria import wire
from escadaria.play import Event
from escadaria.record import read
from escadaria.refusals import Refused
from escadaria.store import StoredEvent
from raw import QUICK, RawClient, duel, opened, play, raw
from server.clients import client, entered, facing, seated
from serving import Inside, eventually, serving

pytestmark = pytest.mark.anyio

BOTS: dict[str, Any] = {"bots": ["simple", "simple"], "start": True, "options": {"finish": 5}}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def manual(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Inside]:
    """A server with the clock of the test."""
    async with serving(tmp_path, clock) as server:
        yield server


async def checks_the_clock(server: Inside, match: dict[str, Any]) -> None:
    """A new connection makes the room check the clock."""
    async with raw(server.url, match["match"], watch=match["watch"]) as watcher:
        await watcher.ask("ping")


async def events_until_pong(wire: RawClient) -> list[dict[str, Any]]:
    return [frame for frame in await wire.all_until_pong() if frame["type"] == "event"]


async def test_time_runs_out_after_a_warning_and_the_seat_is_taken_back(
    manual: Inside, clock: ManualClock
) -> None:
    clock.slow_bots = True
    async with seated(manual.url, clock=60) as (match, me), raw(manual.url, match["match"]) as guest:
        now = (await me.expect("snapshot"))["now"]
        clock.ahead = now["deadline"] - clock.start - 14
        await checks_the_clock(manual, match)
        warning = await me.expect("clock")
        assert (warning["seat"], warning["deadline"]) == (0, now["deadline"])
        clock.ahead += 15
        await checks_the_clock(manual, match)
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


async def test_the_client_takes_its_seat_back_and_plays_on(manual: Inside, clock: ManualClock) -> None:
    clock.slow_bots = True
    people = [{"name": "Ana"}, {"name": "Rui"}]
    wish: dict[str, Any] = {"people": people, "start": True, "settings": QUICK | {"clock": 60}}
    async with entered(manual.url, **wish) as table:
        clock.ahead = 61
        async with raw(manual.url, table.match):  # a new connection makes the room check the clock
            await table.wait_for(lambda: bool(table.seats[0]["bot"]))
        await play(table)
        assert table.winner is not None


async def test_an_absent_player_is_replaced_after_the_grace_time_and_can_return(
    manual: Inside, clock: ManualClock
) -> None:
    clock.slow_bots = True
    match, token = await duel(manual.url, grace=60)
    async with raw(manual.url, match["match"], token=match["token"]) as ana:
        async with raw(manual.url, match["match"], token=token):
            await ana.expect("presence", seat=1, here=True)
        gone = await ana.expect("presence", seat=1, here=False)
        assert gone["stand_in_at"] == clock.time() + 60
        clock.ahead = 59
        async with raw(manual.url, match["match"], watch=match["watch"]) as watcher:
            await watcher.ask("ping")
            seats = (await watcher.expect("snapshot"))["now"]["seats"]
            assert [seat["stand_in_at"] for seat in seats] == [None, gone["stand_in_at"]]
            assert not await events_until_pong(ana), "not yet"
            clock.ahead = 61
        event = await ana.expect("event")  # the watcher's leaving makes the room check the clock
        assert event["event"]["action"] == "bot simple" and not event["now"]["seats"][1]["here"]
        assert event["now"]["seats"][1]["stand_in_at"] is None
        async with raw(manual.url, match["match"], token=token) as rui:
            assert (await rui.expect("snapshot"))["now"]["seats"][1]["bot"] == "simple"
            assert (await rui.ask("take_back", version=5))["type"] == "accepted"
            assert (await ana.expect("event"))["event"]["action"] == "back"
            assert (await rui.ask("take_back", version=6))["code"] == "not_replaced"


async def test_the_host_can_disable_stand_ins(manual: Inside, clock: ManualClock) -> None:
    match, _ = await duel(manual.url, grace=None)
    async with raw(manual.url, match["match"], token=match["token"]) as ana:
        await ana.expect("snapshot")
        clock.ahead = 1000
        await checks_the_clock(manual, match)
        assert not await events_until_pong(ana), "not replaced"


async def test_the_host_cannot_take_a_seat_by_changing_the_settings_in_play(
    manual: Inside, clock: ManualClock
) -> None:
    """A clock of one second would hand over the other seat, so these settings are fixed."""
    async with facing(manual.url) as (_, ana, rui):
        for change in ({"clock": 1}, {"stand_in": "random"}, {"grace": 5}, {"starts": "random"}):
            assert (await ana.ask("configure", settings=change))["code"] == "fixed"
        clock.ahead = 1000
        assert (await ana.ask("configure", settings={"pace": 10, "watch": False}))["type"] == "accepted"
        assert (await rui.expect("event"))["event"]["settings"]["pace"] == 10
        assert not await events_until_pong(rui)


async def test_absent_players_are_not_replaced_while_no_member_is_connected(
    manual: Inside, clock: ManualClock
) -> None:
    match, _ = await duel(manual.url)
    here = manual.hub.rooms[match["match"]]
    await eventually(lambda: not here.connections, "both have gone")
    clock.ahead = 100_000
    async with raw(manual.url, match["match"], watch=match["watch"]) as watcher:
        seats = (await watcher.expect("snapshot"))["now"]["seats"]
        assert [seat["stand_in_at"] for seat in seats] == [None, None]
        async with raw(manual.url, match["match"], token=match["token"]):
            await watcher.expect("presence", seat=0, here=True)
            assert (await watcher.expect("presence", seat=1))["stand_in_at"] == clock.time() + 60
        assert (await watcher.expect("presence", seat=1))["stand_in_at"] is None
    async with raw(manual.url, match["match"], token=match["token"]) as ana:
        assert not await events_until_pong(ana), "the grace starts now"
        clock.ahead += 61
        await checks_the_clock(manual, match)
        assert (await ana.expect("event"))["event"]["seat"] == 1


async def test_a_changed_clock_restarts(manual: Inside, clock: ManualClock) -> None:
    async with seated(manual.url) as (_, me):
        assert (await me.expect("snapshot"))["now"]["deadline"] is None
        clock.ahead = 1000
        await me.ask("configure", settings={"clock": 60})
        event = await me.expect("event")
        assert event["now"]["deadline"] == event["time"] + 60
        await me.ask("configure", settings={"clock": 60, "pace": 0})
        unchanged = await me.expect("event")
        assert unchanged["now"]["deadline"] == event["now"]["deadline"], "not by other changes"


async def test_hurried_bots_do_not_wait_until_a_person_is_to_act(tmp_path: Path) -> None:
    bots = {"people": [{"name": "Ana"}], "bots": ["simple"] * 5, "start": True, "settings": {"pace": 10_000}}
    async with (
        serving(tmp_path, EndlessPauses()) as server,
        entered(server.url, "rapido", 6, **bots) as table,
    ):
        for _ in range(2):
            await table.request("hurry")  # nobody has to hurry yet
            await table.request("act", action="roll")
            await table.wait_for(lambda: len(table.now["legal"]) > 1)
            await table.request("act", action="place 0")
            assert table.now["to_act"] == 1
            await table.request("hurry")
            await eventually(lambda: table.now["to_act"] == 0, "the bots have played")


@pytest.mark.parametrize("players, pace", [(2, 1.25), (6, 0.5)])
async def test_bots_wait_once_before_each_turn(
    players: int, pace: float, manual: Inside, clock: ManualClock
) -> None:
    bots = {"bots": ["simple", *["random"] * (players - 1)], "start": True, "settings": {"pace": 1250}}
    async with entered(manual.url, "chain", players, options={"board": "short"}, **bots) as table:
        await table.wait_for(lambda: table.status == "over")
        async with client(manual.url) as http:
            record = read((await http.get(f"/api/matches/{table.match}/record")).text)
    decisions = sum(record.game.current_player(position) >= 0 for position in record.positions)
    assert set(clock.paces) == {pace, 0}
    assert clock.paces.count(pace) == len(list(record.turns()))
    assert len(clock.paces) == decisions


async def test_bots_wait_for_a_connection_unless_the_table_has_a_clock(server: Inside) -> None:
    lonely = await opened(server.url, settings=QUICK, **BOTS)
    timed = await opened(server.url, settings=QUICK | {"clock": 60}, **BOTS)
    slow, quick = (server.hub.rooms[match["match"]] for match in (lonely, timed))
    await eventually(lambda: quick.match.status == "over", "it plays to the end")
    assert slow.match.version == 4
    await eventually(lambda: slow.idle and quick.idle, "both sleep")
    async with raw(server.url, lonely["match"], watch=lonely["watch"]):
        await eventually(lambda: slow.match.status == "over", "somebody watches")


async def test_a_bot_that_fails_does_not_stop_the_match(
    server: Inside, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After a dead worker, a full queue or a bug the bot is tried again."""
    failures: list[Exception] = [RuntimeError("a bug"), Refused("busy", "too many bots are thinking")]
    decide = server.hub.compute.decide

    async def failing(*question: Any, **fairness: Any) -> str:
        if failures:
            raise failures.pop()
        return await decide(*question, **fairness)

    monkeypatch.setattr(server.hub.compute, "decide", failing)
    match = await opened(server.url, settings=QUICK, **BOTS)
    async with raw(server.url, match["match"], watch=match["watch"]):
        here = server.hub.rooms[match["match"]]
        await eventually(lambda: here.match.version > 6, "it plays")
        for pid in server.hub.compute.bots.pids:
            os.kill(pid, signal.SIGKILL)
        await eventually(lambda: here.match.status == "over", "it plays to the end")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == ["a bot failed"]


async def test_a_bot_s_choice_is_not_played_in_another_position(
    server: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an event of another worker the bot decides again, though its decision would still be legal."""
    choices = ["place 0", "place 1"]
    decide, append = server.hub.compute.decide, server.hub.store.append

    async def scripted(*question: Any, **fairness: Any) -> str:
        return choices.pop(0) if choices else await decide(*question, **fairness)

    async def too_late(match: str, events: list[StoredEvent], **more: Any) -> None:
        if len(choices) == 1 and events[0].version == 5:
            rival = wire.encode(Event(0, "again", ("45",)))
            await append(match, [replace(events[0], body=rival)])
        await append(match, events, **more)

    monkeypatch.setattr(server.hub.compute, "decide", scripted)
    monkeypatch.setattr(server.hub.store, "append", too_late)
    match = await opened(
        server.url, bots=["simple", "simple"], start=True, settings=QUICK | {"practice": True},
        start_from="turn=0 phase=decide value=64 steps=3,5 tower=-",
    )  # fmt: skip
    async with raw(server.url, match["match"], watch=match["watch"]) as watcher:
        played = [await watcher.expect("event", version=version) for version in (5, 6)]
    assert [frame["event"]["action"] for frame in played] == ["again", "place 1"]
