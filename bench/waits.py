"""How long a player waits between own decisions, and the taps of a match, at normal speed on a phone.

    python3 run.py bench waits
    python3 run.py bench waits rapido-6 chain-4 --bot expert --pictures /tmp/pictures

Plays whole matches in Chromium at 390x664, with animations and the usual pace of bots. The decisions are a
bot's and are tapped as soon as they are asked for. A wait is the time from the last tap of a turn until the
next decision is on screen.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from serving import Server
from system.browser.people import Person
from system.browser.playing import Happened, Player, followed
from system.browser.setup import chromium, memory, opened

MATCHES = ("rapido-2", "rapido-3", "rapido-6", "chain-2", "chain-4", "chain-6")
PACE = 900
"""Milliseconds that bots wait before a turn, if nothing else is chosen."""


class TimedPlayer(Player):
    """Notes how long it waited for others."""

    def __init__(self, *arguments: Any, pictures: Path | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.waits: list[float] = []
        self._pictures = pictures
        self._tapped = time.monotonic()
        self._others = False

    def tap(self, name: str) -> None:
        self.target(name).wait_for()
        if self._others:
            self.waits.append(time.monotonic() - self._tapped)
            if self._pictures:
                self.person.page.screenshot(path=self._pictures / f"{len(self.waits):03}.png")
        self._others = False
        super().tap(name)
        self._tapped = time.monotonic()

    def follow(self) -> Happened:
        event = super().follow()
        self._others |= bool(event.seat)
        return event


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("match", nargs="*", default=MATCHES, help="game and players, such as rapido-6")
    parser.add_argument("--bot", default="regular", help="who decides, in all seats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each turn")
    wanted = parser.parse_args()
    print(f"{'match':<10}{'taps':>6}{'turns':>7}{'median s':>10}{'most s':>8}")
    with tempfile.TemporaryDirectory() as folder:
        live = Server(Path(folder))
        live.start()
        try:
            for name in wanted.match:
                pictures = wanted.pictures / name if wanted.pictures else None
                if pictures:
                    pictures.mkdir(parents=True, exist_ok=True)
                player = play(live.url, name, wanted.bot, wanted.seed, pictures)
                found = f"{statistics.median(player.waits):>10.1f}{max(player.waits):>8.1f}"
                print(f"{name:<10}{player.taps:>6}{len(player.waits) + 1:>7}{found}", flush=True)
        finally:
            live.stop()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")


def play(url: str, name: str, bot: str, seed: int, pictures: Path | None) -> TimedPlayer:
    game, _, players = name.partition("-")
    table = opened(
        url, game, int(players), people=[{"name": "Ana"}], bots=[bot] * (int(players) - 1), start=True,
        settings={"pace": PACE},
    )  # fmt: skip
    with chromium() as browser, followed(url, table) as match:
        context = browser.new_context(
            storage_state=memory(url, seats=[table], speed=1), locale="en-GB",
            viewport={"width": 390, "height": 664}, has_touch=True,
        )  # fmt: skip
        person = Person(context, url).go(table.path)
        player = TimedPlayer(person, match, bot, seed, pictures=pictures)
        while not match.over:
            if match.asks(0):
                player.decide()
            else:
                player.follow()
        person.winner.wait_for()
        if pictures:
            person.page.screenshot(path=pictures / "end.png")
        troubles = person.troubles.serious()
        context.close()
    if troubles:
        raise SystemExit(f"{name}: {troubles}")
    return player


if __name__ == "__main__":
    main()
