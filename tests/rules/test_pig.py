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

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    found = pig.install(tmp_path_factory.mktemp("site"))
    return {
        **found,
        "XDG_DATA_HOME": str(home),
        "ESCADARIA_CACHE": str(home),
        "COLUMNS": "80",
        "LANGUAGE": "en",
    }


def run(environment: dict[str, str], *words: str, typed: str = "", code: int = 0) -> str:
    """What the command prints."""
    command = [sys.executable, "-W", "error", "-m", "escadaria", *words]
    done = subprocess.run(command, env=environment, input=typed, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def python(environment: dict[str, str], script: str) -> str:
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def record(installed: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match in the terminal with fair dice, from the first roll to the end."""
    path = tmp_path_factory.mktemp("records") / "game.txt"
    words = [
        "play",
        "pig",
        "--option",
        "goal=12",
        "--seat",
        "Ana",
        "--seat",
        "bot:regular",
        "--record",
        str(path),
    ]
    shown = run(installed, *words, typed="r\nh\n" * 200)
    assert "Pig" in shown and "What will you do?" in shown and "Ana: rolled, number" in shown
    assert "scores=" in shown and re.search("[A-Z][a-z]+ wins|You win", shown)
    return path


def test_the_game_is_registered(installed: dict[str, str]) -> None:
    script = "import escadaria; print(*escadaria.GAMES); print(escadaria.load('pig', goal=20).goal)"
    assert python(installed, script).split() == ["rapido", "chain", "pig", "20"]


def test_a_match_in_the_terminal_has_fair_dice(installed: dict[str, str], record: Path) -> None:
    assert "game: pig" in record.read_text() and "result:" in record.read_text()
    run(installed, "verify", str(record))
    changed = record.with_name("changed.txt")
    text = record.read_text()
    entropy = re.search(r"^entropy 1: (\w+)$", text, re.M)
    assert entropy is not None
    changed.write_text(text.replace(entropy[1], entropy[1][::-1]))
    run(installed, "verify", str(changed), code=1)


def test_a_record_is_replayed_and_analysed(installed: dict[str, str], record: Path) -> None:
    assert "Ana" in run(installed, "replay", str(record), "--ply", "2")
    for words in (["--rollouts", "10"], []):
        analysis = json.loads(run(installed, "analyse", str(record), "--json", *words))
        assert analysis["source"]["kind"] == "rollouts" and analysis["source"]["bot"] == "random"


def test_a_hint_counts_rollouts(installed: dict[str, str]) -> None:
    """Holding the last twenty points wins immediately."""
    hint = run(installed, "hint", "pig", "turn=0 rolling=0 pot=20 scores=80,95", "--json")
    options = {option["action"]: option["share"] for option in json.loads(hint)["options"]}
    assert options["hold"] == 1.0 > options["roll"]


def test_bots_play_simulations_and_leagues(installed: dict[str, str]) -> None:
    words = ["simulate", "pig", "--option", "goal=20", "--games", "60", "--bot", "expert", "--bot", "random"]
    results = json.loads(run(installed, *words, "--json"))
    shares = {share["bot"]: share["share"] for share in results["by_bot"]}
    assert shares["expert"] > shares["random"]
    league = ["arena", "pig", "--option", "goal=10", "--bot", "simple", "--bot", "random", "--games", "20"]
    assert "Pig" in run(installed, *league)


@pytest.mark.parametrize("players", [2, 4])
def test_pettingzoo_plays_it(installed: dict[str, str], players: int) -> None:
    pytest.importorskip("pettingzoo")
    python(
        installed,
        "from pettingzoo.test import api_test, seed_test\n"
        "from escadaria.adapters import pettingzoo\n"
        f"make = lambda: pettingzoo.env('pig', players={players}, goal=20)\n"
        "api_test(make(), num_cycles=100)\n"
        "seed_test(make, num_cycles=20)\n"
        f"env = pettingzoo.raw_env('pig', players={players}, render_mode='rgb_array')\n"
        "env.reset(seed=1); assert env.render().shape == (600, 960, 3)\n",
    )


@pytest.mark.parametrize("players", [2, 3, 6])
def test_openspiel_plays_it(installed: dict[str, str], players: int) -> None:
    pytest.importorskip("pyspiel")
    python(
        installed,
        "import pyspiel, escadaria.adapters.openspiel\n"
        f"game = pyspiel.load_game('escadaria_pig(players={players},goal=20)')\n"
        "pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)\n",
    )


async def play(table: Table) -> None:
    async for turn in table.turns():
        await turn.act(turn.legal[-1])


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
            async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
                games = (await client.get(f"{server.url}/api/games")).json()["games"]
                assert [game["name"] for game in games] == ["rapido", "chain", "pig"]
                replay = await client.get(f"{server.url}/api/matches/{opened.match}/replay")
                assert replay.status_code == 200 and replay.json()["game"] == "pig"
                for page in ("rules", "lessons"):
                    assert (await client.get(f"{server.url}/api/{page}/pig")).status_code == 200
