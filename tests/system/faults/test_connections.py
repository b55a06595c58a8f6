"""Lost, silent and duplicate connections, and repeated commands."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from escadaria.client import MatchClient
from raw import opened
from serving import Server, eventually, started
from system.faults.check import check, stored_matches
from system.faults.people import Witness, cut_mid_frame, reset
from system.faults.tabs import race, scene, tab

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with started(Server(tmp_path_factory.mktemp("server"))) as server:
        yield server


async def test_half_a_frame_is_ignored(server: Server) -> None:
    rng = random.Random(7)
    async with scene(server) as here, here.tab(here.rui) as other:
        for _ in range(4):
            async with here.tab(here.ana) as host:
                version = host.version
                request = {"type": "act", "id": "roll", "version": version, "action": "roll"}
                cut_mid_frame(host, request, rng)
            await other.expect("presence", here=True)
            await other.expect("presence", here=False)
        before = other.version
        assert (await other.ask("ping"))["version"] == before, "nothing happened"
        async with here.tab(here.ana) as host:
            assert (await host.ask("act", action="roll"))["version"] == before + 1


async def test_a_command_is_carried_out_after_its_connection_is_lost(server: Server) -> None:
    async with scene(server) as here, here.tab(here.rui) as other:
        async with here.tab(here.ana) as host:
            version = host.version
            await host.send({"type": "act", "id": "roll-1", "version": version, "action": "roll"})
            await other.expect("event")
            reset(host)  # before it has read the answer
        async with here.tab(here.ana, since=version) as host:
            await host.expect("event")
            answer = await host.ask("act", id="roll-1", version=version, action="roll")
            assert (answer["type"], answer["version"]) == ("accepted", version + 1)


async def test_a_silent_connection_is_closed_after_the_ping_timeout(tmp_path: Path) -> None:
    """It neither reads nor writes nor closes, as when a phone loses its network."""
    async with (
        started(Server(tmp_path, ping_seconds=2)) as server,
        scene(server) as here,
        MatchClient(server.url, here.match, here.ana) as host,  # reconnects if it is too slow itself
        here.tab(here.rui) as lost,
    ):
        await host.wait_for(lambda: bool(host.seats[1]["here"]))
        lost.socket.transport.pause_reading()  # so pings are not answered either
        await host.wait_for(lambda: not host.seats[1]["here"])
        await host.request("act", action="roll")  # without delay
        async with here.tab(here.rui):
            await host.wait_for(lambda: bool(host.seats[1]["here"]))
        reset(lost)


async def test_concurrent_actions_of_two_tabs_are_one_action(server: Server) -> None:
    async with (
        scene(server) as here,
        here.tab(here.ana) as a1,
        here.tab(here.ana) as a2,
        here.tab(here.rui) as r1,
        here.tab(here.rui) as r2,
    ):
        await race(here, ((a1, a2), (r1, r2)), random.Random(11))


async def test_reordered_commands_are_serialised_or_refused(server: Server) -> None:
    """A retry on a new connection may arrive before, after or together with the original command."""
    async with scene(server) as here, here.tab(here.ana) as old, here.tab(here.ana) as new:
        version = old.version
        first = {"type": "act", "id": "first", "version": version, "action": "roll"}
        second = {"type": "act", "id": "second", "version": version + 1, "action": "place 0"}
        for there, command in ((old, first), (new, first), (new, second), (old, second), (old, first)):
            await there.send(command)
        codes = {"future_version", "stale_version", "not_your_turn", "illegal_action"}
        for there, ids in ((old, ("first", "second", "first")), (new, ("first", "second"))):
            for id in ids:
                answer = await there.answer(id)
                assert answer["type"] == "accepted" or (id == "second" and answer["code"] in codes), answer
        stored = stored_matches(server.database)[here.match]
        assert sum(request.endswith(":first") for request in stored.requests) == 1
        assert sum(request.endswith(":second") for request in stored.requests) <= 1


async def test_a_guest_gets_the_seat_after_a_crash_before_the_answer(server: Server) -> None:
    match = (await opened(server.url, people=[{"name": "Ana"}]))["match"]
    witness, guest = Witness(), secrets.token_urlsafe(32)
    sit = {"name": "Rui", "entropy": "ab", "id": "sit-1"}
    async with tab(server, match, witness, guest=guest) as there:
        version = there.version
        await there.send({"type": "sit", "version": version, **sit})
        await eventually(
            lambda: len(stored_matches(server.database)[match].versions) > version, "it is stored"
        )
        await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    async with tab(server, match, witness, guest=guest) as there:
        answer = await there.ask("sit", version, **sit)
        assert (answer["type"], answer["version"]) == ("accepted", version + 1)
    async with tab(server, match, Witness()) as somebody:  # the id alone gives no access
        assert (await somebody.ask("sit", version, **sit))["code"] == "table_full"
    async with tab(server, match, witness, token=answer["token"]) as there:
        assert (await there.ask("free", seat=1))["type"] == "accepted"  # it is theirs
    check(server.database, witness)


async def test_a_guest_whose_match_has_started_gets_a_snapshot(server: Server) -> None:
    table = await opened(server.url, people=[{"name": "Ana"}])
    match, witness, guest = table["match"], Witness(), secrets.token_urlsafe(32)
    async with tab(server, match, witness, token=table["token"]) as host:
        async with tab(server, match, witness, guest=guest) as there:
            sit = {"type": "sit", "id": "sit-1", "version": there.version, "name": "Rui"}
            await there.send(sit)
            await host.expect("event")
            reset(there)  # before it has read the answer
        await host.ask("start")
        await host.ask("act", action="roll")
        async with tab(server, match, witness, guest=guest) as there:
            await there.send(sit)
            snapshot = await there.expect("snapshot")
            assert snapshot["now"]["text"] == witness.events[match][host.version]["text"]
            assert (await there.answer("sit-1"))["token"]
            await host.ask("act", action="place 0")
            await there.expect("event")
    check(server.database, witness)
