"""Whole matches through real sockets: both games, people and bots, from the link to the rematch."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest

from escadaria.client import MatchClient
from escadaria.record import read, verify
from escadaria.refusals import Refused
from raw import QUICK, duel, opened, play, raw
from server.clients import PEOPLE, client, entered, facing

pytestmark = pytest.mark.anyio

SHORT: dict[str, dict[str, Any]] = {"rapido": {"finish": 8}, "chain": {"board": "short"}}


async def record_of(url: str, match: str) -> httpx.Response:
    async with client(url) as http:
        return await http.get(f"/api/matches/{match}/record")


@pytest.mark.parametrize(
    "game, players, people", [("rapido", 2, 2), ("rapido", 6, 6), ("chain", 3, 1), ("chain", 5, 3)]
)
async def test_a_whole_match_with_people_and_bots(url: str, game: str, players: int, people: int) -> None:
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(entered(url, game, 6, settings=QUICK, options=SHORT[game]))
        await host.sit("P0")
        others = [await stack.enter_async_context(MatchClient(url, host.match)) for _ in range(1, people)]
        for number, table in enumerate(others, 1):
            await table.sit(f"P{number}")
        for _ in range(people, players):
            await host.add_bot("simple")
        if players < 6:
            await host.resize(players)
        await host.start()
        everyone = [host, *others]
        await asyncio.gather(*map(play, everyone))
        assert {table.winner for table in everyone} == {host.winner}
        assert [table.role for table in everyone] == ["host"] + ["player"] * (people - 1)
        secret = host.now["secret"]
    record = read((await record_of(url, host.match)).text)
    assert verify(record).fair
    assert record.proof is not None and record.proof.secret == secret and record.proof.commitment
    assert [seat.bot for seat in record.seats] == [""] * people + ["simple"] * (players - people)


async def test_a_named_seat_or_the_next_free_one_or_the_own(url: str) -> None:
    match = await opened(url, players=4, people=[{"name": "Ana", "seat": 1}])
    async with raw(url, match["match"]) as guest, raw(url, match["match"], token=match["token"]) as host:
        first = await guest.ask("sit", name="Rui", seat=3)
        assert first["type"] == "accepted" and first["token"]
        assert (await guest.expect("you"))["mine"] == [3]
        assert (await guest.ask("sit", name="Eva", seat=1))["code"] == "seat_taken"
        assert (await guest.ask("sit", name="Eva", seat=0))["type"] == "accepted"
        assert (await guest.expect("you"))["mine"] == [0, 3]
        assert (await guest.ask("sit", name="Rui", seat=3, colours=["white"]))["type"] == "accepted"
        assert (await host.ask("sit", name="Bia"))["type"] == "accepted"
        now = (await guest.expect("event", version=6))["now"]
        assert [seat["name"] for seat in now["seats"]] == ["Eva", "Bia", None, "Rui"]
        assert now["seats"][3]["colours"] == ["white"]


async def test_bots_come_and_go_while_the_match_waits(url: str) -> None:
    match = await opened(url, players=3, people=[{"name": "Ana"}])
    async with raw(url, match["match"], token=match["token"]) as host:
        assert (await host.ask("add_bot", bot="random", seat=2, name="Robo"))["type"] == "accepted"
        assert (await host.ask("add_bot", bot="simple"))["type"] == "accepted"
        assert (await host.ask("add_bot", bot="simple"))["code"] == "table_full"
        assert (await host.ask("free", seat=2))["type"] == "accepted"
        assert (await host.ask("start"))["code"] == "seats_free"
        assert (await host.ask("add_bot", bot="simple", seat=2))["type"] == "accepted"
        assert (await host.ask("start"))["type"] == "accepted"
        seats = (await host.expect("event", event={"kind": "started", "first": 0}))["now"]["seats"]
        assert [seat["owner"] for seat in seats] == ["person", "bot", "bot"]
        assert all(seat["here"] for seat in seats)
        assert (await host.ask("free", seat=2))["code"] == "started"


async def test_a_random_start_renumbers_the_seats(url: str) -> None:
    """The starting player gets seat 0, and clients are sent their new seats before the event."""
    firsts: set[int] = set()
    while len(firsts) < 2:
        match = await opened(url, people=[{"name": "Ana"}], settings={"starts": "random"})
        async with (
            raw(url, match["match"], token=match["token"]) as host,
            raw(url, match["match"]) as guest,
        ):
            await guest.ask("sit", name="Rui")
            mine = [(await host.expect("welcome"))["mine"], (await guest.expect("you"))["mine"]]
            assert mine == [[0], [1]]
            await host.ask("start")
            for number, person in enumerate((host, guest)):
                while (frame := await person.read()).get("event", {}).get("kind") != "started":
                    if frame["type"] == "you":
                        mine[number] = frame["mine"]
                first = frame["event"]["first"]
                assert mine[number] == [(number - first) % 2], "sent before the event"
                names = [seat["name"] for seat in frame["now"]["seats"]]
                assert names == (["Rui", "Ana"] if first else ["Ana", "Rui"])
                assert frame["now"]["position"]["turn"] == 0
            firsts.add(first)


async def test_a_guest_whose_answer_was_lost_gets_the_token_of_the_rematch(url: str) -> None:
    match = await opened(url, people=[{"name": "Ana"}])
    guest = "guest" * 8
    async with raw(url, match["match"], guest=guest) as rui:
        assert (await rui.ask("sit", id="sit", name="Rui"))["type"] == "accepted"  # Rui does not receive it
    async with raw(url, match["match"], token=match["token"]) as ana:
        for command in ("start", "resign", "rematch"):
            version = (await ana.ask("ping"))["version"]
            assert (await ana.ask(command, version=version))["type"] == "accepted"
    async with raw(url, match["match"], guest=guest) as rui:
        await rui.expect("snapshot")  # of a guest
        assert (await rui.ask("sit", id="sit", name="Rui"))["token"]
        while (frame := await rui.read())["type"] != "you" or not frame["next_token"]:
            assert frame["type"] != "snapshot", "it comes before"


@pytest.mark.parametrize("starts, second", [("first", "Rui"), ("loser", "Ana")])
async def test_a_rematch_rotates_the_start_and_is_linked(url: str, starts: str, second: str) -> None:
    match, token = await duel(url, starts=starts)
    ana_there = MatchClient(url, match["match"], match["token"])
    async with ana_there as ana, MatchClient(url, match["match"], token) as rui:
        with pytest.raises(Refused, match="not_over"):
            await ana.rematch()
        await ana.resign()
        await rui.wait_for(lambda: rui.status == "over")
        assert (rui.winner, rui.now["ruling"]) == (1, "resignation")
        next_table = await rui.rematch()
        await ana.wait_for(lambda: ana.now["next"] is not None)
        assert ana.now["next"] == next_table.match == (await ana.rematch()).match
        with pytest.raises(Refused, match="forbidden"):  # the tokens of the last match are not valid
            async with MatchClient(url, next_table.match, match["token"]):
                pass
        async with next_table as rui2, MatchClient(url, next_table.match, ana.next_token) as ana2:
            assert (ana2.role, rui2.role) == ("host", "player")
            assert rui2.seats[0]["name"] == second
            assert ana2.commitment != ana.commitment
            await rui2.request("sit", name="Rui", seat=rui2.mine[0], entropy="ab")
            await ana2.start()
            await asyncio.gather(play(ana2), play(rui2))
            assert ana2.winner is not None
    assert verify(read((await record_of(url, next_table.match)).text)).fair


async def test_watchers_see_everything_and_cannot_send_commands(url: str) -> None:
    async with facing(url) as (match, host, rui), raw(url, match["match"], watch=match["watch"]) as watcher:
        assert (await watcher.expect("welcome"))["role"] == "watcher"
        assert (await watcher.expect("snapshot"))["now"]["position"]
        for request in ("start", "rematch", "recover", "undo", "hurry", "hint", "resign", "take_back"):
            assert (await watcher.ask(request))["code"] == "forbidden"
        assert (await watcher.ask("sit", name="Eva"))["code"] == "forbidden"
        assert (await watcher.ask("act", version=4, action="roll"))["code"] == "forbidden"
        assert (await watcher.ask("ping"))["type"] == "accepted"
        settings = (await host.expect("snapshot"))["settings"]
        assert (await rui.ask("configure", settings=settings | {"watch": False}))["code"] == "forbidden"
        assert (await host.ask("act", version=4, action="roll"))["type"] == "accepted"
        assert (await watcher.expect("event"))["steps"]

        assert (await host.ask("configure", settings=settings | {"watch": False}))["type"] == "accepted"
        assert (await watcher.expect("bye"))["code"] == "watching_off"
        assert await watcher.closed() == 4011
        async with raw(url, match["match"], watch=match["watch"]) as again:
            assert await again.closed() == 4003

        await host.ask("configure", settings=settings)  # the old key stays invalid, the host gets a new one
        key = (await host.expect("you"))["watch"]
        async with raw(url, match["match"], watch=match["watch"]) as again:
            assert (await again.expect("refused"))["code"] == "forbidden"
        async with raw(url, match["match"], watch=key) as again:
            assert (await again.expect("welcome"))["role"] == "watcher"
        assert "watch" not in str([frame for frame in await rui.all_until_pong() if frame["type"] == "you"])


async def test_a_recovery_code_moves_the_seat(url: str) -> None:
    """It can be repeated after a lost connection, until the new token is used."""
    match, token = await duel(url)
    async with raw(url, match["match"], token=token) as old, raw(url, match["match"], token=token) as tab:
        code = (await old.ask("recover"))["code"]
        async with raw(url, match["match"], recover=code) as new:
            welcome = await new.expect("welcome")
            assert (welcome["role"], welcome["mine"]) == ("player", [1])
            assert (await new.expect("snapshot"))["now"]["seats"][1]["here"]
            for device in (old, tab):
                assert (await device.expect("bye"))["code"] == "moved"
                assert await device.closed() == 4010
        async with raw(url, match["match"], token=token) as old:
            assert (await old.expect("refused"))["code"] == "forbidden"
            assert await old.closed() == 4003
        async with raw(url, match["match"], recover=code) as again:
            assert (await again.expect("welcome"))["token"] == welcome["token"]
        async with raw(url, match["match"], token=welcome["token"]) as new:
            assert (await new.expect("welcome"))["mine"] == [1]
        async with raw(url, match["match"], recover=code) as again:
            assert await again.closed() == 4003


@pytest.mark.parametrize(
    "refused",
    [
        {"people": [{"name": "\u200b", "entropy": "ab"}]},
        {"people": [{"name": "Ana", "entropy": "ab", "seat": 0}, {"name": "Rui", "seat": 0}]},
        {"people": [{"name": "Ana", "entropy": "ab", "colours": ["red", "blue"]}]},
        {"people": [{"name": "Ana", "entropy": "ab"}], "bots": ["nobody"]},
        {"people": [{"name": "Ana", "entropy": "ab"}], "start": True},
    ],
)
def test_a_refused_opening_does_not_use_up_the_seal(http: httpx.Client, refused: dict[str, Any]) -> None:
    request = {"game": "rapido", "match": http.post("/api/seals").json()["match"]}
    assert http.post("/api/matches", json=request | refused).is_client_error
    assert http.post("/api/matches", json=request).json()["match"] == request["match"]


async def test_entropy_needs_a_seal(url: str, http: httpx.Client) -> None:
    people = [{"name": "Ana", "entropy": "ab"}]
    sealed = http.post("/api/seals").json()
    request = {"game": "rapido", "match": sealed["match"], "people": people}
    opened = http.post("/api/matches", json=request).json()
    assert opened["match"] == sealed["match"]
    assert http.post("/api/matches", json=request).json()["code"] == "not_sealed"  # used
    async with raw(url, opened["match"], token=opened["token"]) as host:
        snapshot = await host.expect("snapshot")
        assert (snapshot["commitment"], snapshot["entropy"][0]) == (sealed["commitment"], "ab")


async def test_a_practice_table_allows_undo_hints_and_set_up(url: str) -> None:
    practice: dict[str, Any] = {"settings": {"practice": True}, "options": {"board": "short"}}
    match = await opened(url, "chain", people=PEOPLE, start=True, **practice)
    async with raw(url, match["match"], token=match["token"]) as me, raw(url, match["match"]) as guest:
        snapshot = await me.expect("snapshot")
        start, version = snapshot["now"]["text"], snapshot["version"]
        hint = await me.ask("hint", version=version)
        assert hint["action"] in snapshot["now"]["legal"]
        assert (await guest.ask("hint", version=version))["code"] == "not_your_turn"
        assert (await me.ask("undo", version=version))["code"] == "no_undo"
        assert (await guest.ask("set_up", version=version, position=start))["code"] == "forbidden"
        assert (await me.ask("set_up", version=version, position="nonsense"))["code"] == "invalid_text"
        done = await me.ask("act", version=version, action=hint["action"])
        stood = (await me.expect("event"))["now"]["text"]
        assert stood != start
        back = await me.ask("set_up", version=done["version"], position=start)
        assert (await me.expect("event"))["now"]["text"] == start
        late = await me.ask("act", version=done["version"], action=hint["action"])
        assert late["code"] == "stale_version"
        again = await me.ask("act", version=back["version"], action=hint["action"])
        assert again["type"] == "accepted"
        settings = snapshot["settings"] | {"practice": False}
        assert (await me.ask("configure", settings=settings))["code"] == "bad_options"


async def test_a_decision_is_undone_after_bots_have_played(url: str) -> None:
    """The same dice fall again, and the record is verified."""
    wish: dict[str, Any] = {"people": [{"name": "Ana"}], "bots": ["random"] * 5, "start": True}
    practice: dict[str, Any] = {"settings": QUICK | {"practice": True}, "options": {"board": "18"}}
    async with entered(url, "chain", 6, **wish, **practice) as table:
        assert table.now["undo"] == []
        before, choice = table.now["text"], table.now["legal"][-1]
        rolled = []
        for _ in range(2):
            await table.request("act", action=choice)
            await table.wait_for(lambda: table.now["text"] != before)
            rolled.append(table.now["text"])
            assert table.now["undo"] == [0]
            await table.request("undo")
            await table.wait_for(lambda: table.now["text"] == before)
        assert rolled[0] == rolled[1]
        await play(table)
        assert table.now["undo"] is None
    assert verify(read((await record_of(url, table.match)).text)).fair


async def test_an_undo_meets_bots_that_are_playing(url: str) -> None:
    wish: dict[str, Any] = {"people": [{"name": "Ana"}], "bots": ["simple"] * 2, "start": True}
    async with entered(url, players=3, **wish, settings={"practice": True, "pace": 100}) as table:
        await table.request("act", action="roll")
        await table.wait_for(lambda: len(table.now["legal"]) > 1)
        before, decided = table.now["text"], table.version
        own = (await table.request("act", action="place 0"))["version"]
        with pytest.raises(Refused, match="stale_version"):
            await table.request("undo", version=decided)
        await table.wait_for(lambda: table.version > own)  # a bot has acted
        await table.request("undo", version=own)
        await table.wait_for(lambda: table.now["text"] == before)
        await table.request("act", action="place 0")
        await table.wait_for(lambda: table.now["to_act"] == 0)


async def test_with_other_people_an_undo_ends_at_the_next_roll(url: str) -> None:
    async with facing(url, practice=True) as (_, ana, rui):
        assert (await ana.ask("act", version=4, action="roll"))["type"] == "accepted"
        assert (await ana.expect("event"))["now"]["undo"] == []
        assert (await ana.ask("act", version=5, action="place 0"))["type"] == "accepted"
        assert (await ana.expect("event"))["now"]["undo"] == [0]
        assert (await rui.ask("undo", version=6))["code"] == "no_undo"
        assert (await rui.ask("act", version=6, action="roll"))["type"] == "accepted"
        assert (await ana.expect("event"))["now"]["undo"] == []
        assert (await ana.ask("undo", version=7))["code"] == "no_undo"


async def test_people_enter_real_dice_for_bots_too_and_correct_them(url: str) -> None:
    wish: dict[str, Any] = {"people": [{"name": "Ana"}], "bots": ["simple"], "start": True}
    real = QUICK | {"dice": "real"}
    async with entered(url, **wish, options={"finish": 5}, settings=real) as table:
        assert table.commitment == ""
        assert len(table.now["to_enter"][0]) == 36
        for dice in ([], ["99"], ["26", "26"]):
            with pytest.raises(Refused, match="bad_dice"):
                await table.request("act", action="roll", dice=dice)
        await table.request("act", action="roll", dice=["22"])
        await table.request("undo")
        await table.wait_for(lambda: bool(table.now["to_enter"]))
        faces = ["26", "75", "32", "22"]
        while table.now["status"] == "playing":
            version = table.version
            if table.now["to_enter"]:
                faces.append(faces.pop(0))
                await table.request("act", action="roll", dice=faces[-1:])
            elif table.now["to_act"] == 0:
                await table.request("act", action=table.now["legal"][-1])
            await table.wait_for(lambda: table.version > version)  # noqa: B023 - awaited in the same round
    record = read((await record_of(url, table.match)).text)
    assert (record.dice, record.proof, verify(record).reason) == ("real", None, "real")
    assert [(remark.seat, remark.action) for remark in record.remarks] == [(0, "undo")]
    assert record.outcome is not None
    async with client(url) as http:
        replay = (await http.get(f"/api/matches/{table.match}/replay")).json()
    assert (replay["dice"], replay["verdict"], replay["proof"]) == ("real", "real", None)


async def test_every_player_enters_their_own_real_dice(url: str) -> None:
    async with facing(url, dice="real", practice=False) as (_, ana, rui):
        code = (await rui.ask("act", version=4, action="roll", dice=["26"]))["code"]
        assert code == "not_your_turn"
        assert (await ana.ask("act", version=4, action="roll", dice=["26"]))["type"] == "accepted"
        assert (await rui.ask("undo", version=5))["type"] == "accepted"  # everybody sees a wrong entry
        assert (await ana.ask("act", version=6, action="roll", dice=["62"]))["code"] == "bad_dice"
        assert (await ana.ask("configure", settings={"dice": "fair"}))["code"] == "bad_options"


async def test_the_entry_that_ended_a_match_is_taken_back_until_a_rematch(url: str) -> None:
    async with (
        facing(url, {"finish": 5}, dice="real", practice=False) as (match, ana, rui),
        raw(url, match["match"]) as guest,
    ):
        await ana.ask("act", version=4, action="roll", dice=["33"])
        await ana.ask("act", version=5, action="again")
        assert (await ana.ask("act", version=6, action="roll", dice=["22"]))["type"] == "accepted"
        now = [await rui.expect("event") for _ in range(3)][-1]["now"]
        assert (now["status"], now["undo"]) == ("over", [0, 1])
        assert (await guest.expect("event"))["now"]["status"] == "over"
        assert (await guest.ask("undo", version=7))["code"] == "forbidden"
        assert (await rui.ask("undo", version=7))["type"] == "accepted"
        assert (await guest.expect("event"))["now"]["status"] == "playing"
        assert (await record_of(url, match["match"])).json()["code"] == "running"
        assert (await ana.ask("rematch", version=8))["code"] == "not_over"
        assert (await ana.ask("act", version=8, action="roll", dice=["33"]))["type"] == "accepted"
        assert (await ana.ask("rematch", version=9))["match"]
        assert (await ana.ask("undo", version=10))["code"] == "continued"
    record = read((await record_of(url, match["match"])).text)
    assert [(remark.seat, remark.action) for remark in record.remarks] == [(1, "undo")]
    assert record.outcome is not None and record.outcome.winner == 0


async def test_a_bot_plays_for_a_seat_that_resigned(url: str) -> None:
    async with (
        entered(url, players=3, options={"finish": 8}, settings=QUICK) as host,
        MatchClient(url, host.match) as eva,
    ):
        await host.sit("Ana")
        await host.add_bot("simple")
        await eva.sit("Eva")
        await host.start()
        await eva.resign()
        for request in ("resign", "take_back"):
            with pytest.raises(Refused, match="resigned"):
                await eva.request(request)
        await play(host)
        seat = eva.mine[0]
        await eva.wait_for(lambda: eva.status == "over")
        assert eva.seats[seat]["resigned"] and eva.seats[seat]["bot"] == "simple"


async def test_a_freed_seat_can_be_taken_again(url: str) -> None:
    match = await opened(url, people=[{"name": "Ana"}])
    async with raw(url, match["match"]) as rui, raw(url, match["match"]) as eva:
        await rui.ask("sit", name="Rui")
        await eva.ask("ping")
        assert (await eva.ask("free", seat=1))["code"] == "forbidden"
        assert (await eva.ask("free", seat=5))["code"] == "unknown_seat"
        assert (await rui.ask("free", seat=1))["type"] == "accepted"
        assert (await rui.expect("you", mine=[]))["role"] == "player"
        assert (await eva.ask("sit", name="Eva"))["type"] == "accepted"
        assert (await rui.ask("sit", name="Rui"))["code"] == "table_full"


async def test_the_host_removes_and_adds_free_seats(url: str) -> None:
    """Seats keep their order and are renumbered; guests and players are sent the options and their seats."""
    match = await opened(url, players=4, people=[{"name": "Ana", "seat": 1}])
    async with (
        raw(url, match["match"], token=match["token"]) as host,
        raw(url, match["match"]) as rui,
        raw(url, match["match"]) as guest,
    ):
        await rui.ask("sit", name="Rui", seat=3)
        assert (await rui.expect("you"))["mine"] == [3]
        assert (await rui.ask("resize", players=3))["code"] == "forbidden"
        assert (await host.ask("resize", players=1))["code"] == "bad_options"
        assert (await host.ask("resize", players=3))["type"] == "accepted"
        assert (await rui.expect("you"))["mine"] == [2]
        for person in (host, rui, guest):
            frame = await person.expect("event", version=4)
            assert frame["event"]["options"]["players"] == 3 and frame["event"]["seats"] == [0, 1, 3]
            assert [seat["name"] for seat in frame["now"]["seats"]] == [None, "Ana", "Rui"]
        assert (await host.ask("resize", players=5))["type"] == "accepted"
        added = (await host.expect("event", version=5))["now"]["seats"]
        assert [seat["name"] for seat in added] == [None, "Ana", "Rui", None, None]
        assert (await guest.ask("sit", name="Eva", seat=4))["type"] == "accepted"
        assert (await host.ask("resize", players=2))["code"] == "seat_taken"
        assert (await host.ask("resize", players=3))["type"] == "accepted"
        assert (await host.ask("start"))["type"] == "accepted"
        started = (await guest.expect("event", event={"kind": "started", "first": 0}))["now"]
        assert [seat["name"] for seat in started["seats"]] == ["Ana", "Rui", "Eva"]
        assert len(started["position"]["steps"]) == 3
        assert (await host.ask("resize", players=4))["code"] == "started"


async def test_r16_seats_get_their_second_colour_when_two_players_remain(url: str) -> None:
    match = await opened(url, players=3, people=[{"name": "Ana", "colours": ["white"]}])
    async with raw(url, match["match"], token=match["token"]) as host:
        await host.ask("add_bot", bot="simple", seat=2)
        await host.ask("resize", players=2)
        seats = (await host.expect("event", version=4))["now"]["seats"]
        assert [seat["name"] for seat in seats] == ["Ana", "Dora"]
        assert [seat["colours"][0] for seat in seats] == ["white", "green"]
        assert len({colour for seat in seats for colour in seat["colours"]}) == 4
        await host.ask("resize", players=3)
        seats = (await host.expect("event", version=5))["now"]["seats"]
        assert [seat["colours"] for seat in seats] == [["white"], ["green"], []]


async def test_a_match_from_a_position_keeps_its_seats(url: str) -> None:
    start = "turn=0 phase=first value=0 steps=0,0,0 tower=-"
    match = await opened(url, players=3, settings={"practice": True}, start_from=start)
    async with raw(url, match["match"], token=match["token"]) as host:
        assert (await host.ask("resize", players=2))["code"] == "bad_options"


def test_options_are_checked(http: httpx.Client) -> None:
    good = http.post("/api/options", json={"game": "chain", "options": {"board": "20 10>5"}})
    options = {"players": 3, "board": "20 10>5", "balanced": False}
    assert good.json() == {"game": "chain", "options": options}
