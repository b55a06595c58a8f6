"""The protocol frame by frame: answers, repeated commands, versions, reconnection and presence."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.frames import Frame, Opcode

from escadaria import wire
from escadaria.client import MatchClient
from escadaria.server.edge.socket import framed
from escadaria.store import StoredEvent, StoreUnavailable
from raw import QUICK, duel, opened, playing, raw
from server.clients import PEOPLE, facing, seated
from serving import Inside, eventually, serving
from tables import rows

pytestmark = pytest.mark.anyio

GUEST = "0123456789abcdefghijkl"


# Answers.


async def test_every_request_is_answered_once(url: str) -> None:
    requests: list[dict[str, Any]] = [
        {"type": "ping"}, {"type": "start"}, {"type": "sit", "name": "Eva"}, {"type": "free", "seat": 0},
        {"type": "add_bot", "bot": "simple"}, {"type": "act", "action": "roll"}, {"type": "undo"},
        {"type": "hint"}, {"type": "set_up", "position": ""}, {"type": "configure", "settings": {}},
        {"type": "recover"}, {"type": "take_back"}, {"type": "rematch"}, {"type": "resign"},
        {"type": "nonsense"}, {"type": "hurry"}, {"type": "resize", "players": 2}, {"type": "ping"},
    ]  # fmt: skip
    async with seated(url) as (_, me):
        for number, request in enumerate(requests):
            await me.send({"id": f"n{number}", "version": 4, **request})
        frames = await me.all_until_pong()
    answers = [frame["id"] for frame in frames if frame["type"] in ("accepted", "refused")]
    assert answers == [f"n{number}" for number in range(len(requests))]


@pytest.mark.parametrize("size", [0, 1, 100, 110, 126, 65_000, 65_536, 200_000])
async def test_frames_conform_to_the_rfc(size: int) -> None:
    message = wire.Refusal(code="busy", message="x" * size)
    plain = wire.encode(message).encode()
    assert wire.frame(message) == plain
    assert framed(plain) == Frame(Opcode.TEXT, plain).serialize(mask=False)


async def test_a_request_is_answered_after_its_event(url: str) -> None:
    async with seated(url) as (_, me):
        await me.send({"type": "act", "id": "a", "version": 4, "action": "roll"})
        kinds = [frame["type"] for frame in await me.all_until_pong()]
    assert kinds == ["welcome", "snapshot", "event", "accepted"]


async def test_a_repeated_command_is_idempotent(url: str) -> None:
    match = await playing(url)
    for _ in range(2):  # also over a new connection
        async with raw(url, match["match"], token=match["token"]) as me:
            for _ in range(2):
                answer = await me.ask("act", version=4, action="roll", id="same")
                assert (answer["type"], answer["version"]) == ("accepted", 5)
    async with raw(url, match["match"], token=match["token"]) as me:
        assert (await me.expect("snapshot"))["version"] == 5


async def test_command_ids_are_separate_for_each_member(url: str) -> None:
    async with facing(url) as (_, ana, rui):
        assert (await ana.ask("act", version=4, action="roll", id="x"))["type"] == "accepted"
        assert (await rui.ask("act", version=4, action="roll", id="x"))["code"] == "stale_version"


async def test_a_guest_repeats_sitting_down_and_gets_the_same_token(url: str) -> None:
    match = await opened(url, people=[{"name": "Ana"}])
    tokens = set()
    for _ in range(2):
        async with raw(url, match["match"], guest=GUEST) as guest:
            for _ in range(2):
                answer = await guest.ask("sit", name="Rui", id="sit")
                assert (answer["type"], answer["version"]) == ("accepted", 3)
                tokens.add(answer["token"])
            assert (await guest.expect("you"))["mine"] == [1]
    (token,) = tokens
    async with raw(url, match["match"], token=token, guest=GUEST) as rui:
        assert (await rui.expect("welcome"))["mine"] == [1]
        assert (await rui.ask("sit", name="Rui", id="sit"))["version"] == 3
    async with raw(url, match["match"], guest=GUEST.swapcase()) as other:
        assert (await other.ask("sit", name="Eva", id="sit"))["code"] == "table_full"


async def test_a_rematch_is_the_same_when_it_is_repeated(url: str) -> None:
    async with seated(url) as (_, me):
        await me.ask("resign", version=4)
        rematch = await me.ask("rematch", id="again")
        assert rematch["match"] and rematch["version"] == 6
        assert await me.ask("rematch", id="again") == rematch
        assert (await me.ask("rematch"))["match"] == rematch["match"]


async def test_events_that_do_not_change_the_position_make_no_decision_stale(url: str) -> None:
    async with seated(url) as (_, me):
        assert (await me.ask("configure", version=4, settings=QUICK))["version"] == 5
        assert (await me.ask("act", version=4, action="roll"))["version"] == 6


# Refusals.

REFUSED = rows(Path(__file__).with_name("commands.cases"))
"""When it is sent, why it is refused, and the command."""


async def test_commands_are_refused_while_the_match_waits_is_played_and_is_over(url: str) -> None:
    waits = await opened(url, players=3, people=[{"name": "Ana"}], bots=["simple"])
    async with (
        raw(url, waits["match"], token=waits["token"]) as waiting,
        seated(url) as (_, playing),
        seated(url) as (_, over),
    ):
        await over.ask("resign")
        state = {"waiting": (waiting, 3), "playing": (playing, 4), "over": (over, 5)}
        for when, why, command in REFUSED:
            me, version = state[when]
            answer = await me.ask(**json.loads(command))
            assert (answer["type"], answer.get("code")) == ("refused", why), command
            assert answer["version"] == version


async def test_a_command_is_refused_without_the_store_and_accepted_later(
    server: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(match: str, events: list[StoredEvent], **more: Any) -> None:
        raise StoreUnavailable("the disk is full")

    async with seated(server.url) as (_, me):
        with monkeypatch.context() as patch:
            patch.setattr(server.hub.store, "append", full)
            answer = await me.ask("act", version=4, action="roll", id="x")
            assert (answer["code"], answer["version"]) == ("store_unavailable", 4)
        assert (await me.ask("act", version=4, action="roll", id="x"))["type"] == "accepted"
        assert [f["version"] for f in await me.all_until_pong() if f["type"] == "event"] == [5]


async def test_commands_that_wait_behind_one_that_the_store_failed_are_refused_at_once(
    server: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each of them would wait for a time-out of the store, one after the other."""
    failing, calls = asyncio.Event(), []

    async def hang(match: str, *_: Any, **__: Any) -> None:
        calls.append(match)
        await failing.wait()
        raise StoreUnavailable("the database does not answer")

    match = await playing(server.url)
    name, hello = match["match"], {"token": match["token"]}
    async with (
        raw(server.url, name, **hello) as one,
        raw(server.url, name, **hello) as two,
        raw(server.url, name, **hello) as three,
    ):
        for there in (one, two, three):
            await there.expect("snapshot")
        room = server.hub.rooms[name]
        with monkeypatch.context() as patch:
            patch.setattr(server.hub.store, "append", hang)
            patch.setattr(server.hub.store, "events", hang)
            roll = {"type": "act", "action": "roll"}
            await one.send(roll | {"id": "x", "version": 4})
            await eventually(lambda: calls, "it is being stored")
            await two.send(roll | {"id": "y", "version": 4})
            await three.send(roll | {"id": "z", "version": 5})  # the store must be read first
            await eventually(lambda: room.jobs.waiting == 2, "the others wait")
            failing.set()
            for there, id in ((one, "x"), (two, "y"), (three, "z")):
                assert (await there.answer(id))["code"] == "store_unavailable"
            assert calls == [name]
        assert (await two.ask("act", version=4, action="roll", id="y"))["type"] == "accepted"


async def test_a_command_whose_commit_was_not_confirmed_is_recognised(
    server: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No database can avoid this case: the commit succeeded, but its confirmation was lost."""
    match = await opened(server.url, people=[{"name": "Ana"}])
    append = server.hub.store.append

    async def lossy(match: str, events: list[StoredEvent], **more: Any) -> None:
        await append(match, events)
        raise StoreUnavailable("the connection was lost")

    async with raw(server.url, match["match"], guest=GUEST) as guest:
        with monkeypatch.context() as patch:
            patch.setattr(server.hub.store, "append", lossy)
            assert (await guest.ask("sit", name="Rui", id="x"))["code"] == "store_unavailable"
        answer = await guest.ask("sit", name="Rui", id="x")
        assert (answer["type"], answer["version"]) == ("accepted", 3)
    async with raw(server.url, match["match"], token=answer["token"]) as rui:
        assert (await rui.expect("welcome"))["mine"] == [1]


# Versions and reconnection.


async def test_a_reconnecting_client_gets_the_missed_events_or_a_snapshot(tmp_path: Path) -> None:
    async with serving(tmp_path, history=5) as server:
        match = await playing(server.url)
        async with MatchClient(server.url, match["match"], match["token"]) as table:
            table.follow = True
            while table.version < 12:  # before any match ends
                await table.request("act", action=table.now["legal"][-1])
            frames = [table.frames.get_nowait() for _ in range(table.frames.qsize())]
            events, last = [frame for frame in frames if frame["type"] == "event"], table.version
        assert [event["version"] for event in events] == list(range(5, last + 1)), "without gaps"

        async def received(**hello: Any) -> list[dict[str, Any]]:
            async with raw(server.url, match["match"], **hello) as me:
                return [f for f in await me.all_until_pong() if f["type"] in ("event", "snapshot")]

        for since in range(last - 5, last + 1):
            missed = [event for event in events if event["version"] > since]
            for key in ("token", "watch"):
                assert await received(since=since, **{key: match[key]}) == missed
        for since in (0, 1, last - 6, last + 1):
            (snapshot,) = await received(token=match["token"], since=since)
            assert (snapshot["type"], snapshot["version"]) == ("snapshot", last)
            assert snapshot["now"]["text"] == events[-1]["now"]["text"]
        (outside,) = await received(since=last - 1)
        assert outside["now"]["position"] is None and not outside["now"]["legal"]


async def test_a_reconnecting_client_gets_the_presence_of_all_seats(url: str) -> None:
    match, token = await duel(url)
    async with raw(url, match["match"], token=match["token"]) as ana:
        before = (await ana.expect("welcome"))["time"]
        async with raw(url, match["match"], token=token, since=4) as rui:
            seats = {f["seat"]: f["here"] for f in await rui.all_until_pong() if f["type"] == "presence"}
            assert seats == {0: True, 1: True}
        came, went = [await ana.expect("presence") for _ in range(2)]
        assert came == {"type": "presence", "seat": 1, "here": True, "stand_in_at": None}
        assert went == {"type": "presence", "seat": 1, "here": False, "stand_in_at": went["stand_in_at"]}
        assert went["stand_in_at"] > before


async def test_two_tabs_of_one_seat(url: str) -> None:
    match, token = await duel(url)
    async with raw(url, match["match"], token=token) as rui:
        async with raw(url, match["match"], token=match["token"]) as one:
            async with raw(url, match["match"], token=match["token"]) as two:
                await two.expect("snapshot")  # it is admitted
                assert (await one.ask("act", version=4, action="roll"))["type"] == "accepted"
                assert (await two.expect("event"))["version"] == 5
                assert (await two.ask("act", version=4, action="roll"))["code"] == "stale_version"
            await one.ask("ping")
            received = [frame for frame in await rui.all_until_pong() if frame["type"] == "presence"]
            assert [frame["here"] for frame in received] == [True], "one tab is left"
        assert await rui.expect("presence", seat=0, here=False)


async def test_sitting_down_sends_the_own_seats_and_an_event_to_all(url: str) -> None:
    match = await opened(url)
    async with (
        raw(url, match["match"], token=match["token"]) as host,
        raw(url, match["match"]) as guest,
    ):
        assert (await guest.expect("welcome"))["role"] == "guest"
        await guest.ask("sit", name="Rui")
        you = await guest.expect("you")
        assert you == {"type": "you", "role": "player", "mine": [0], "watch": None, "next_token": None}
        seen = await host.expect("event")
        assert seen["now"]["seats"][0]["here"] and seen["now"]["seats"][0]["owner"] == "person"


async def test_guests_see_the_lobby_and_nothing_of_the_play(url: str) -> None:
    match = await opened(url, people=PEOPLE, settings=QUICK)
    async with (
        raw(url, match["match"]) as guest,
        raw(url, match["match"], token=match["token"]) as host,
    ):
        await host.ask("start")
        await host.ask("act", version=4, action="roll")
        await host.ask("resign", version=5)
        await host.ask("rematch")
        received = [frame for frame in await guest.all_until_pong() if frame["type"] == "event"]
    kinds = [(frame["event"]["kind"], frame["now"]["status"]) for frame in received]
    assert kinds == [("started", "playing"), ("acted", "over"), ("continued", "over")], "they see the end"
    for frame in received:
        assert not frame["steps"] and not frame["now"]["legal"]
        assert all(frame["now"][hidden] is None for hidden in ("position", "text", "secret", "winner"))


async def test_members_see_the_play_over_http_with_their_token_only(url: str, http: httpx.Client) -> None:
    match = await playing(url)
    path = f"/api/matches/{match['match']}"
    guest = http.get(path).json()
    member = http.get(path, headers={"Authorization": f"Bearer {match['token']}"}).json()
    stranger = http.get(path, headers={"Authorization": "Bearer nonsense"})
    other_scheme = http.get(path, headers={"Authorization": "Basic nonsense"}).json()
    assert guest["mine"] == [] and guest["position"] is None and guest["to_act"] is None
    assert guest == other_scheme
    assert member["mine"] == [0, 1]
    assert member["to_act"] == 0 and member["legal"] == ["roll"]
    assert member["position"]["steps"] == [0, 0]
    assert member["options"] == guest["options"] == {"players": 2, "finish": 20}
    assert (stranger.status_code, stranger.json()["code"]) == (403, "forbidden")


async def test_previews_are_sent_on_request(url: str) -> None:
    match = await playing(url)
    async with (
        raw(url, match["match"], token=match["token"], previews=True) as curious,
        raw(url, match["match"], watch=match["watch"], previews=True) as watcher,
        raw(url, match["match"], token=match["token"]) as other,
    ):
        version, legal = 4, ["roll"]
        while legal == ["roll"]:
            version = (await other.ask("act", version=version, action="roll"))["version"]
            legal = (await other.expect("event", version=version))["now"]["legal"]
        previews = await curious.expect("previews")
        assert previews["version"] == version and list(previews["choices"]) == legal
        for wire_ in (watcher, other):
            assert not [f for f in await wire_.all_until_pong() if f["type"] == "previews"]


async def test_previews_offer_series_of_decisions_as_one_choice(url: str) -> None:
    position = "turn=0 phase=build hands=4,2 pool=10 discs=0+0,0+0 stacks=- chain=2/2/open loose=356"
    match = await opened(
        url, "chain", people=PEOPLE, start=True, start_from=position, settings={"practice": True}
    )
    async with raw(url, match["match"], token=match["token"], previews=True) as ana:
        previews = await ana.expect("previews")
        assert previews["sequences"]["complete"]
        decisions, orders = previews["sequences"]["decisions"], previews["sequences"]["orders"]
        assert decisions == ["link 3", "link 5", "link 6"] and orders[0] == [0, 1, 2]
        ends, after = previews["sequences"]["ends"], previews["sequences"]["after"]
        found = ["".join(decisions[index][-1] for index in order) for order in orders]
        assert dict(zip(found, ends, strict=True)) == {"356": 0, "365": 1, "563": 2, "653": 2}
        fits = {
            way: [die for die, facts in preview["rolls"].items() if facts[0]["kind"] == "added"]
            for way, preview in after[ends[found.index("653")]].items()
            if preview["rolls"]
        }
        assert fits == {"down": ["1", "2", "3"]}
        version = previews["version"]
        for index in orders[0]:
            assert decisions[index] in previews["choices"]
            version = (await ana.ask("act", version=version, action=decisions[index]))["version"]
            previews = await ana.expect("previews", version=version)
        assert previews["sequences"] is None  # the chain is built
        assert previews["choices"] == after[0]
