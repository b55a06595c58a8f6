"""A game of another package works everywhere: Pig has only rules, and is found by its entry point."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

import pig
from escadaria.client import MatchClient, open_match
from serving import PATIENCE, Server, started

COMMANDS = """
import json, sys
from typer.testing import CliRunner
from escadaria.cli import app
for line in sys.stdin:
    done = CliRunner().invoke(app, json.loads(line), input="r\\nh\\n" * 200)
    print(json.dumps([done.exit_code, done.stdout]), flush=True)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = str(tmp_path_factory.mktemp("home"))
    found = pig.install(tmp_path_factory.mktemp("site"))
    return {**found, "XDG_DATA_HOME": home, "ESCADARIA_CACHE": home, "COLUMNS": "80", "LANGUAGE": "en"}


def python(environment: dict[str, str], script: str) -> subprocess.Popen[str]:
    """A process that has the game installed: entry points are read at its start."""
    command = [sys.executable, "-W", "error", "-c", script]
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def run(installed: dict[str, str]) -> Iterator[Callable[..., str]]:
    """Runs commands in one process, and gives what each prints."""
    with python(installed, COMMANDS) as process:
        commands, results = process.stdin, process.stdout
        assert commands and results

        def run(*words: str, code: int = 0) -> str:
            print(json.dumps(words), file=commands, flush=True)
            found, printed = json.loads(results.readline())
            assert found == code, printed
            return str(printed)

        yield run
    assert process.returncode == 0


def test_a_match_is_played_verified_replayed_and_analysed(run: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    record = str(path)
    seats = ["--seat", "Ana", "--seat", "bot:regular"]
    shown = run("play", "pig", "--option", "goal=12", *seats, "--record", record)
    assert "Pig" in shown and "What will you do?" in shown and "Ana: rolled, number" in shown
    assert "scores=" in shown and re.search("[A-Z][a-z]+ wins|You win", shown)
    run("verify", record)
    assert "Ana" in run("replay", record, "--ply", "2")
    for options in (["--rollouts", "10"], []):
        source = json.loads(run("analyse", record, "--json", *options))["source"]
        assert source["kind"] == "rollouts" and source["bot"] == "random"
    text = path.read_text()
    assert "game: pig" in text and "result:" in text and "\nentropy 1: " in text
    path.write_text(re.sub("^secret: .*", "secret: " + "00" * 32, text, flags=re.M))
    run("verify", record, code=1)


def test_hints_simulations_and_leagues(run: Callable[..., str], tmp_path: Path) -> None:
    """Holding the last twenty points wins immediately."""
    bots = ["--bot", "expert", "--bot", "random"]
    hint = run("hint", "pig", "turn=0 rolling=0 pot=20 scores=80,95", "--json")
    options = {option["action"]: option["share"] for option in json.loads(hint)["options"]}
    assert options["hold"] == 1.0 > options["roll"]
    results = run("simulate", "pig", "--option", "goal=20", "--games", "60", *bots, "--seed", "1", "--json")
    shares = {share["bot"]: share["share"] for share in json.loads(results)["by_bot"]}
    assert shares["expert"] > shares["random"]
    assert "Pig" in run(
        *("arena", "pig", "--option", "goal=10"), *bots, "--games", "20", "--folder", str(tmp_path)
    )


def test_pettingzoo_and_openspiel_play_it(installed: dict[str, str]) -> None:
    for package in ("pettingzoo", "pyspiel"):
        pytest.importorskip(package)
    process = python(
        installed,
        "import pyspiel, escadaria.adapters.openspiel\n"
        "import warnings\n"  # with pygame its tests load games of their own, in an old way
        "warnings.filterwarnings('ignore', 'The old environment creation API', DeprecationWarning)\n"
        "from pettingzoo.test import api_test, seed_test\n"
        "from escadaria.adapters import pettingzoo\n"
        "for players in (2, 4):\n"
        "    game = pyspiel.load_game(f'escadaria_pig(players={players},goal=20)')\n"
        "    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)\n"
        "    make = lambda: pettingzoo.env('pig', players=players, goal=20)\n"
        "    api_test(make(), num_cycles=100)\n"
        "    seed_test(make, num_cycles=20)\n"
        "env = pettingzoo.raw_env('pig', players=players, render_mode='rgb_array')\n"
        "env.reset(seed=1)\n"
        "assert env.render().shape == (600, 960, 3)\n",
    )
    process.communicate()
    assert process.returncode == 0


async def play(table: MatchClient) -> None:
    async for turn in table.turns():
        await turn.act(turn.legal[-1])


@pytest.mark.anyio
async def test_the_server_offers_it_to_people_and_bots(
    installed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", installed["PYTHONPATH"])
    async with started(Server(tmp_path)) as server:
        options = {"players": 3, "goal": 12}
        opened = await open_match(server.url, "pig", options, settings={"pace": 0})
        async with opened as ana, MatchClient(server.url, opened.match) as rui:
            await ana.sit("Ana")
            await rui.sit("Rui")
            await ana.add_bot("regular")
            await ana.start()
            await asyncio.gather(*map(play, (ana, rui)))
            assert ana.winner == rui.winner and ana.winner in (0, 1, 2)
            async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=PATIENCE) as client:
                games = (await client.get("/api/games")).json()["games"]
                assert [game["name"] for game in games] == ["rapido", "chain", "pig"]
                replay = await client.get(f"/api/matches/{opened.match}/replay")
                assert replay.status_code == 200 and replay.json()["game"] == "pig"
                for page in ("rules", "lessons"):
                    assert (await client.get(f"/api/{page}/pig")).status_code == 200
