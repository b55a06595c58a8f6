"""Write the tables of docs/leaderboard.md from the results in docs/leaderboard/.

    escadaria benchmark my_module:bot --json > docs/leaderboard/my_bot.json
    python3 run.py tool leaderboard

The text above the tables is kept. Files named best_response-*.json are those of `tool best_response --json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from escadaria.arena.benchmark import GAMES, PROTOCOL
from escadaria.catalogue import GAMES as ALL

PAGE = Path(__file__).parents[1] / "docs" / "leaderboard.md"
RESULTS = PAGE.with_suffix("")
START = "<!-- Below: written by `python3 run.py tool leaderboard`. -->\n"
SEATS = range(2, 7)

Entry = dict[str, Any]


def main() -> None:
    results = [json.loads(path.read_text("utf-8")) for path in sorted(RESULTS.glob("*.json"))]
    PAGE.write_text(page(PAGE.read_text("utf-8"), results), encoding="utf-8", newline="\n")
    print(f"wrote {PAGE}")


def page(old: str, results: list[dict[str, Any]]) -> str:
    """The page with new tables. Results of another protocol are left out."""
    intro, found, _ = old.partition(START)
    assert found, f"{PAGE} lacks the line {START}"
    bots = [result for result in results if result.get("protocol") == PROTOCOL]
    responses = {result["others"]: result for result in results if "others" in result}
    parts = [intro + START]
    for game in ALL:
        entries = {
            (result["bot"], entry["players"]): entry
            for result in bots
            for entry in result["entries"]
            if entry["game"] == game
        }
        names = sorted({bot for bot, _ in entries}, key=lambda bot: -strength(entries, bot))
        parts.append(f"## {game.capitalize()}\n")
        parts.append(by_players("Rating", names, entries, rating))
        parts.append(by_players("Games won, in %", names, entries, share))
        parts.append(measures(names, entries, responses if game == "rapido" else {}))
    parts.append("## The commands\n")
    parts.append("".join(f"    {command(result)}\n" for result in bots))
    parts.append("".join(f"    {response_command(result)}\n" for result in responses.values()))
    return "\n".join(part for part in parts if part)


def strength(entries: dict[tuple[str, int], Entry], bot: str) -> float:
    """The mean rating over the numbers of players."""
    ratings = [entry["rating"] for (name, _), entry in entries.items() if name == bot]
    return float(sum(ratings) / len(ratings))


def by_players(title: str, names: list[str], entries: dict[tuple[str, int], Entry], cell: Any) -> str:
    rows = [
        [f"`{name}`", *(cell(entries[name, seats]) if (name, seats) in entries else "" for seats in SEATS)]
        for name in names
    ]
    return table([title, *(f"{seats} players" for seats in SEATS)], rows)


def rating(entry: Entry) -> str:
    return f"{entry['rating']:.0f} ±{(entry['rating_high'] - entry['rating_low']) / 2:.0f}"


def share(entry: Entry) -> str:
    return f"{100 * entry['share']:.1f} ({100 * entry['low']:.1f}–{100 * entry['high']:.1f})"


def measures(
    names: list[str], entries: dict[tuple[str, int], Entry], responses: dict[str, dict[str, Any]]
) -> str:
    heads = ["Points", "lost per game", "per decision", "exploitable by at least", "CPU ms per decision"]
    if responses:
        heads.insert(4, "by the best response")
    rows = []
    for name in names:
        two, three = entries.get((name, 2)), entries.get((name, 3))
        lost = next((one for one in two["regret"] if "per_game" in one), None) if two else None
        cells = ["", ""]
        if lost:
            half = 100 * (lost["high"] - lost["per_game"])
            cells = [f"{100 * lost['per_game']:.2f} ±{half:.2f}", f"{100 * lost['per_decision']:.3f}"]
        cells.append(f"{100 * three['exploitability']:.1f}" if three else "")
        if responses:
            cells.append(f"{100 * gain(responses[name]):.2f}" if name in responses else "")
        timed = two or three
        cells.append(milliseconds(timed) if timed else "")
        rows.append([f"`{name}`", *cells])
    return table(heads, rows)


def milliseconds(entry: Entry) -> str:
    """The CPU time of a decision with two digits."""
    rounded = float(f"{1000 * entry['cost']['seconds']:.2g}")
    return f"{rounded:g}"


def gain(response: dict[str, Any]) -> float:
    """What the best response wins more than the bot itself, on average over the seats."""
    own, best = (
        [sum(bounds) / 2 for bounds in response["shares"][hero]]
        for hero in (response["others"], "best response")
    )
    return float(sum(best) - sum(own)) / len(own)


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def command(result: dict[str, Any]) -> str:
    """The command that gave a result."""
    games = list(dict.fromkeys(entry["game"] for entry in result["entries"]))
    players = list(dict.fromkeys(entry["players"] for entry in result["entries"]))
    words = ["escadaria benchmark", result["bot"]]
    words += [f"--game {game}" for game in games if games != list(ALL)]
    words += [f"--players {number}" for number in players if players != list(SEATS)]
    words += [f"--games {result['games']}"] * (result["games"] != GAMES)
    return " ".join([*words, "--json"])


def response_command(result: dict[str, Any]) -> str:
    return f"python3 run.py tool best_response --finish {result['finish']} --others {result['others']} --json"


if __name__ == "__main__":
    main()
