"""The counts of a league's games, and the file that stores them while they are played."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from escadaria import __version__
from escadaria.arena.batches import Counts
from escadaria.arena.schedule import NUMBERS
from escadaria.game import AnyGame, GameError


class BadLeague(GameError):
    """A results file that is damaged or belongs to another league."""

    code = "bad_league"


@dataclass(frozen=True)
class Tally:
    """The counts of a batch of games of one line-up."""

    line_up: int
    first: int
    wins: list[list[int]]
    """By place in the line-up and by seat, which determine the rotation."""
    turns: dict[str, int]
    """The number of games by length in turns."""

    @property
    def games(self) -> int:
        return sum(map(sum, self.wins))

    @classmethod
    def of(cls, number: int, counts: Counts, players: int) -> Tally:
        """:param number: the number of the first game, which determines its line-up."""
        winner, turns = counts["winner"], counts["turns"]
        numbers = number % players + np.arange(len(winner))
        wins = np.zeros((players, players), int)
        np.add.at(wins, ((winner - numbers) % players, winner), 1)
        lengths, games = np.unique(turns, return_counts=True)
        by_length = dict(zip(map(str, lengths), games.tolist(), strict=True))
        return cls(*divmod(number, NUMBERS), wins.tolist(), by_length)


class ResultsFile:
    """The results file of a league: a header line of JSON, and one line for each batch."""

    def __init__(
        self, game: AnyGame, bots: Sequence[str], seed: int, folder: Path | None, resume: bool
    ) -> None:
        about = {
            "league": 1,
            "escadaria": __version__,
            "game": game.name,
            "rules": game.rules_version,
            "options": game.options,
            "bots": list(bots),
            "seed": seed,
        }
        self._head = json.dumps(about)
        self._shape = game.players, game.players
        self._read: list[Tally] = []
        self._file = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256(self._head.encode()).hexdigest()[:12]
            path = folder / f"{game.name}-{game.players}-{digest}.jsonl"
            end = self._read_tallies(path) if resume and path.exists() else 0
            self._file = path.open("ab")
            self._file.truncate(end)
            if not end:
                self._write(self._head)

    def usable(self, goal: Sequence[int]) -> list[Tally]:
        """The batches of each line-up from its first game on, without gaps and not beyond its goal."""
        starting: dict[tuple[int, int], list[Tally]] = {}
        for tally in self._read:
            starting.setdefault((tally.line_up, tally.first), []).append(tally)
        used = []
        for line_up, games in enumerate(goal):
            at = 0
            while fitting := [
                tally for tally in starting.get((line_up, at), ()) if at + tally.games <= games
            ]:
                used.append(max(fitting, key=lambda tally: tally.games))
                at += used[-1].games
        return used

    def add(self, tally: Tally) -> None:
        """Store a batch durably."""
        self._write(json.dumps(asdict(tally)))

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _write(self, line: str) -> None:
        if self._file:
            self._file.write(line.encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def _read_tallies(self, path: Path) -> int:
        """Read the stored batches; return the end of the last complete line."""
        text = path.read_bytes()
        end = text.rfind(b"\n") + 1
        lines = text[:end].splitlines()
        if lines and lines[0] != self._head.encode():
            raise BadLeague(f"{path}: line 1 belongs to another league")
        for number, line in enumerate(lines[1:], 2):
            try:
                tally = Tally(**json.loads(line))
                if np.shape(tally.wins) != self._shape or tally.games != sum(tally.turns.values()):
                    raise ValueError("its counts are inconsistent")
                self._read.append(tally)
            except (ValueError, TypeError, AttributeError) as error:
                raise BadLeague(f"{path}: line {number} is damaged: {error}") from None
        return end


def missing(goal: Sequence[int], done: Sequence[Tally], most: int) -> list[tuple[int, int]]:
    """The spans left to play (first, number), each of at most ``most`` games of one line-up.

    All line-ups progress together.
    """
    played = Counter[int]()
    for tally in done:
        played[tally.line_up] += tally.games
    spans = [
        (first, line_up, min(most, games - first))
        for line_up, games in enumerate(goal)
        for first in range(played[line_up], games, most)
    ]
    return [(line_up * NUMBERS + first, number) for first, line_up, number in sorted(spans)]
