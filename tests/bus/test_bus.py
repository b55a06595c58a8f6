"""One suite for all buses: messages arrive where they are wanted, and a lost server is only a delay."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import psycopg
import pytest
from redis import Redis as Client

from bus.conftest import Opener, Server, Worker
from databases import Postgres, Redis
from escadaria.bus import Changed, Lost, Message, Sent, Stored, open_bus, remote
from escadaria.bus import redis as redis_bus
from escadaria.bus.memory import MemoryBus
from escadaria.bus.notify import PostgresBus
from escadaria.bus.redis import RedisBus
from escadaria.store import StoredEvent
from serving import PATIENCE, eventually

pytestmark = pytest.mark.anyio

over_a_server = pytest.mark.parametrize("kind", ["postgresql", "redis"])
"""For tests of what happens without a server."""


def event(version: int, hidden: str = "") -> Sent:
    stored = StoredEvent(version, 1700000000.5, f"r{version}", '{"kind":"acted","text":"é"}', hidden)
    return stored, b"\x81\x02{}"


async def subscribed(worker: Worker, match: str) -> None:
    """Wait until a worker has subscribed to a match: then it receives its messages."""
    await eventually(lambda: Changed(match) in worker.received, f"it has subscribed to {match}")


async def pair(worker: Opener) -> tuple[Worker, Worker]:
    """Two workers; the second has subscribed to the match m."""
    one, two = await worker("one"), await worker("two")
    two.bus.subscribe("m")
    await subscribed(two, "m")
    return one, two


async def test_a_message_reaches_the_workers_that_have_subscribed(worker: Opener) -> None:
    one, two, other = await worker("one"), await worker("two"), await worker("other")
    for bus in (one.bus, two.bus):
        bus.subscribe("m")
    other.bus.subscribe("another")
    await subscribed(two, "m")
    await subscribed(other, "another")
    one.bus.publish(Stored("m", 7, [event(7)]))
    one.bus.publish(Stored("another", 1, [event(1)]))
    await eventually(lambda: other.versions("another") == [1], "the message of another match arrives")
    await eventually(lambda: two.versions("m") == [7], "the message arrives")
    assert not one.versions("m") and not two.versions("another") and not other.versions("m")
    assert [list(stored.events) for stored in two.stored("m")] in ([[]], [[event(7)]])


async def test_after_unsubscribing_nothing_is_received(worker: Opener) -> None:
    one, two = await worker("one"), await worker("two")
    for match in ("m", "n"):
        two.bus.subscribe(match)
    await subscribed(two, "n")
    two.bus.unsubscribe("m")
    two.bus.unsubscribe("never")
    one.bus.publish(Stored("m", 1))
    one.bus.publish(Stored("n", 1))
    await eventually(lambda: two.versions("n"), "the other message arrives")
    assert not two.versions("m")
    two.bus.subscribe("m")
    await eventually(lambda: two.received.count(Changed("m")) > 1, "it has subscribed again")
    one.bus.publish(Stored("m", 2))
    await eventually(lambda: two.versions("m") == [2], "the message arrives")


async def test_all_of_many_messages_at_once_arrive(worker: Opener, server: Server | None) -> None:
    one, two = await worker("one"), await worker("two")
    matches = [f"match-{number:05}-ü" for number in range(1000)]
    for match in matches:
        two.bus.subscribe(match)
    await eventually(
        lambda: {getattr(message, "match", "") for message in two.received} >= {*matches}, "it has subscribed"
    )
    for match in matches:
        one.bus.publish(Stored(match, 1, [event(1)]))
        one.bus.publish(Stored(match, 2, [event(2)]))
    await eventually(lambda: all(max(two.versions(m), default=0) == 2 for m in matches[-50:]), "the last")
    assert all(two.versions(match)[-1] == 2 for match in matches)


async def test_a_hint_without_version_is_not_merged_with_events(worker: Opener) -> None:
    one, two = await pair(worker)
    two.received.clear()
    one.bus.publish(Stored("m", 3, [event(3)]))
    one.bus.publish(Changed("m"))
    await eventually(lambda: Changed("m") in two.received and two.versions("m") == [3], "both arrive")


@pytest.mark.parametrize("kind", ["redis"])
async def test_a_bus_that_is_sending_closes_at_once(worker: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "ECHO_SECONDS", 0.0)
    for name in "abc":
        bus = (await worker(name)).bus
        await bus.close()
        assert isinstance(bus, RedisBus) and bus._task and bus._task.done()


@over_a_server
async def test_a_lost_server_is_a_delay_and_everything_is_checked_after_it(
    worker: Opener, server: Server
) -> None:
    one, two = await pair(worker)
    server.stop()
    await eventually(lambda: not one.bus.connected and not two.bus.connected, "the loss is noticed")
    two.bus.subscribe("late")
    one.bus.publish(Stored("m", 1, [event(1)]))
    two.received.clear()
    server.start()
    await eventually(lambda: one.bus.connected and two.bus.connected, "both are connected again")
    assert Lost() in two.received
    one.bus.publish(Stored("m", 2, [event(2)]))
    one.bus.publish(Stored("late", 1, [event(1)]))
    await eventually(lambda: two.versions("m")[-1:] == [2] and two.versions("late") == [1], "it goes on")


@over_a_server
async def test_a_server_that_hangs_is_noticed_and_nobody_waits_for_it(
    worker: Opener, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await pair(worker)
    with monkeypatch.context() as patch, server.frozen():
        patch.setattr(remote, "SILENT_SECONDS", 0.2)
        for version in range(20_000):  # if one of them waited, it would wait forever
            one.bus.publish(Stored(f"m{version}", 1))
        await eventually(lambda: not one.bus.connected and not two.bus.connected, "the loss is noticed")
    await eventually(lambda: one.bus.connected and two.bus.connected, "both are connected again")
    two.received.clear()
    one.bus.publish(Stored("m", 5))
    await eventually(lambda: two.versions("m") == [5], "it goes on")


@over_a_server
async def test_without_a_server_a_bus_starts_and_publishes_nothing(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "START_SECONDS", 0.1)
    url = "redis://127.0.0.1:1" if kind == "redis" else "postgresql://nobody@127.0.0.1:1/nothing"
    bus = RedisBus("w", url, b"") if kind == "redis" else PostgresBus("w", url)
    await bus.start(lambda message: None)
    bus.publish(Stored("m", 1))
    assert not bus.connected
    await bus.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "bus"]


async def test_close_does_not_wait_for_a_driver_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "CLOSE_SECONDS", 0.1)
    monkeypatch.setattr(remote, "START_SECONDS", 0.1)
    ends = asyncio.Event()

    class Hangs(RedisBus):
        async def connect(self) -> None:
            while not ends.is_set():
                with suppress(asyncio.CancelledError):
                    await ends.wait()

    bus = Hangs("w", "redis://127.0.0.1:1", b"")
    await bus.start(lambda message: None)
    await bus.close()
    ends.set()


@pytest.mark.parametrize("kind", ["redis"])
async def test_secrets_do_not_leave_the_store(worker: Opener, server: Redis) -> None:
    one, two = await pair(worker)
    with Client.from_url(server.url) as client, client.pubsub() as listener:
        listener.psubscribe("*")
        assert listener.get_message(timeout=PATIENCE) is not None
        one.bus.publish(Stored("m", 1, [event(1, hidden='{"secret":"s3cret"}')]))
        one.bus.publish(Stored("m", 2, [event(2)]))  # in the same message
        await eventually(lambda: two.versions("m") == [2], "it arrives")
        seen = b""
        while b"match:" not in seen:
            message = listener.get_message(timeout=PATIENCE)
            assert message is not None, "it was sent"
            seen = message["channel"] + message["data"]
        assert b"match:m" in seen and b"s3cret" not in seen
    assert not two.stored("m")[-1].events


@pytest.mark.parametrize("kind", ["redis"])
async def test_a_worker_ignores_its_own_messages_without_decoding_them(
    worker: Opener, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await worker("worker"), await worker("worker2")
    for there in (one, two):
        there.bus.subscribe("m")
    for there in (one, two):
        await subscribed(there, "m")
    decoded: list[str] = []
    decode = redis_bus._decoder.decode

    class Decoder:
        def decode(self, data: bytes) -> tuple[str, Message]:
            server, message = decode(data)
            decoded.append(server)
            return server, message

    monkeypatch.setattr(redis_bus, "_decoder", Decoder())
    one.bus.publish(Stored("m", 1, [event(1)]))
    await eventually(lambda: two.versions("m") == [1], "the other worker receives it")
    two.bus.publish(Stored("m", 2, [event(2)]))
    await eventually(lambda: one.versions("m") == [2], "and answers")
    assert decoded == ["worker", "worker2"]


@pytest.mark.parametrize("kind", ["redis"])
async def test_messages_of_another_database_are_ignored(worker: Opener, server: Redis) -> None:
    one, stranger = await worker("one"), RedisBus("stranger", server.url, b"another key")
    one.bus.subscribe("m")
    await stranger.start(lambda message: None)
    await subscribed(one, "m")
    stranger.publish(Stored("m", 9))
    await eventually(lambda: not stranger._waiting, "it is sent")
    two = await worker("two")
    two.bus.publish(Stored("m", 1))
    await eventually(lambda: one.versions("m") == [1], "only the own message arrives")
    await stranger.close()


@pytest.mark.parametrize("kind", ["postgresql"])
async def test_one_notification_names_many_matches(worker: Opener, server: Postgres) -> None:
    one = await worker("one")
    names: set[str] = set()
    count = 0
    async with await psycopg.AsyncConnection.connect(server.url, autocommit=True) as listener:
        await listener.execute("LISTEN escadaria")
        for number in range(1000):
            one.bus.publish(Stored(f"match-{number:010}", number + 1))
        async for notification in listener.notifies(timeout=PATIENCE):
            count += "match-" in notification.payload
            assert len(notification.payload.encode()) < 8000
            names |= {part for part in notification.payload.split('"') if part.startswith("match-")}
            if len(names) == 1000:
                break
    assert len(names) == 1000 and count <= 5


async def test_the_configuration_chooses_the_bus() -> None:
    assert isinstance(open_bus("w", "file.sqlite3", "", b""), MemoryBus)
    assert not open_bus("w", "file.sqlite3", "", b"").shared
    assert isinstance(open_bus("w", "postgresql://h/d", "", b""), PostgresBus)
    assert isinstance(open_bus("w", "postgresql://h/d", "redis://h", b""), RedisBus)
