"""A game of another package works everywhere: Pig has only rules, and is found by its entry point."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

import pig
from escadaria.client import Table, open_match
from serving import Server, started

COMMANDS = """
import json, sys
from typer.testing import CliRunner
from escadaria.cli import app
for words, typed in json.load(sys.stdin):
    done = CliRunner().invoke(app, words, input=typed)
    print(json.dumps([done.exit_code, done.stdout]))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = str(tmp_path_factory.mktemp("home"))
    found = pig.install(tmp_path_factory.mktemp("site"))
    return {**found, "XDG_DATA_HOME": home, "ESCADARIA_CACHE": home, "COLUMNS": "80", "LANGUAGE": "en"}


def python(environment: dict[str, str], script: str, typed: str = "") -> str:
    """What a process prints that has the game installed: entry points are read at its start."""
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, env=environment, input=typed, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(environment: dict[str, str], *commands: list[str], typed: str = "", code: int = 0) -> list[str]:
    """What these commands print, one after the other in one process."""
    printed = python(environment, COMMANDS, json.dumps([(words, typed) for words in commands]))
    results = [json.loads(line) for line in printed.splitlines()]
    assert [result[0] for result in results] == [code] * len(commands), printed
    return [result[1] for result in results]


def test_a_match_is_played_verified_replayed_and_analysed(installed: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    record = str(path)
    seats = ["--seat", "Ana", "--seat", "bot:regular"]
    shown, _, replayed, *analyses = run(
        installed,
        ["play", "pig", "--option", "goal=12", *seats, "--record", record],
        ["verify", record],
        ["replay", record, "--ply", "2"],
        ["analyse", record, "--json", "--rollouts", "10"],
        ["analyse", record, "--json"],
        typed="r\nh\n" * 200,
    )
    assert "Pig" in shown and "What will you do?" in shown and "Ana: rolled, number" in shown
    assert "scores=" in shown and re.search("[A-Z][a-z]+ wins|You win", shown)
    assert "Ana" in replayed
    for analysis in map(json.loads, analyses):
        assert analysis["source"]["kind"] == "rollouts" and analysis["source"]["bot"] == "random"
    text = path.read_text()
    assert "game: pig" in text and "result:" in text
    entropy = re.search(r"^entropy 1: (\w+)$", text, re.M)
    assert entropy is not None
    other = "0" * 16 if entropy[1] != "0" * 16 else "1" * 16
    path.write_text(text.replace(entropy[1], other))
    run(installed, ["verify", record], code=1)


def test_hints_simulations_and_leagues(installed: dict[str, str], tmp_path: Path) -> None:
    """Holding the last twenty points wins immediately."""
    bots = ["--bot", "expert", "--bot", "random"]
    hint, results, league = run(
        installed,
        ["hint", "pig", "turn=0 rolling=0 pot=20 scores=80,95", "--json"],
        ["simulate", "pig", "--option", "goal=20", "--games", "60", *bots, "--seed", "1", "--json"],
        ["arena", "pig", "--option", "goal=10", *bots, "--games", "20", "--folder", str(tmp_path)],
    )
    options = {option["action"]: option["share"] for option in json.loads(hint)["options"]}
    assert options["hold"] == 1.0 > options["roll"]
    shares = {share["bot"]: share["share"] for share in json.loads(results)["by_bot"]}
    assert shares["expert"] > shares["random"]
    assert "Pig" in league


def test_pettingzoo_and_openspiel_play_it(installed: dict[str, str]) -> None:
    for package in ("pettingzoo", "pyspiel"):
        pytest.importorskip(package)
    python(
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


async def play(table: Table) -> None:
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
        async with opened as ana, Table(server.url, opened.match) as rui:
            await ana.sit("Ana")
            await rui.sit("Rui")
            await ana.add_bot("regular")
            await ana.start()
            await asyncio.gather(*map(play, (ana, rui)))
            assert ana.winner == rui.winner and ana.winner in (0, 1, 2)
            async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=60) as client:
                games = (await client.get("/api/games")).json()["games"]
                assert [game["name"] for game in games] == ["rapido", "chain", "pig"]
                replay = await client.get(f"/api/matches/{opened.match}/replay")
                assert replay.status_code == 200 and replay.json()["game"] == "pig"
                for page in ("rules", "lessons"):
                    assert (await client.get(f"/api/{page}/pig")).status_code == 200
