"""A league of bots, with ratings and their intervals.

Every bot meets every other equally often and has every seat equally often, and the seating order changes
from round to round. The same seed gives the same results with any number of workers and interruptions: each
line-up has its own dice, and the stored results are integers.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations, permutations
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from escadaria.arena.rating import fit
from escadaria.arena.simulation import CHUNK, FEW, Z95, Share, play_batch
from escadaria.arena.workers import Counts, check_workers, kernel, run_batches
from escadaria.bots import AnyBot, name_of, read
from escadaria.bots import check as check_bot
from escadaria.folders import cache_folder
from escadaria.game import AnyGame, BadOptions, GameError

NUMBERS = 1 << 32
"""Game ``i`` of line-up ``l`` has the number ``l * NUMBERS + i``, which determines its dice."""

ENGINE_BATCH = 12
"""The number of games that the Python engine plays for one line of the results file."""


class BadLeague(GameError):
    """A results file that is damaged or belongs to another league."""

    code = "bad_league"


def league(
    game: AnyGame,
    bots: Sequence[str | AnyBot],
    games: int = 1000,
    seed: int = 1,
    *,
    folder: Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    scheduler: str = "",
    progress: Callable[[int, int], None] = lambda done, games: None,
) -> League:
    """Play a league. At least ``games`` games are played, because rounds are always complete.

    :param bots: names of bots, import paths (``package.module:function``, also of a file in the working
        directory), or functions that decide.
    :param folder: where to store each batch of games as soon as it is played; None stores nothing.
    :param resume: continue from the results of this league in ``folder``, instead of starting again.
    :param workers: the number of processes on this machine; by default one for each core.
    :param scheduler: the address of a Dask cluster to use instead of this machine.
    :param progress: called with the number of games done and the total.
    :raises UnknownBot: if there is no such bot.
    :raises BadBot: if a bot raises an error or plays an illegal action.
    :raises BadOptions: if there are fewer than two bots, two have one name, there are no games to play,
        or both workers and a scheduler are given.
    :raises NoCluster: if the scheduler does not answer, or has no workers.
    :raises BadLeague: if the stored results are damaged.
    """
    players = tuple(map(read, bots))
    schedule = Schedule(len(players), game.players)
    names = tuple(map(name_of, players))
    if games < 1:
        raise BadOptions(f"at least one game must be played, not {games}")
    check_workers(workers, scheduler)
    if len(names) < 2 or len(set(names)) < len(names):
        raise BadOptions(f"a league takes two or more bots with different names, not {', '.join(names)}")
    for bot in players:
        check_bot(bot, game)
    with closing(ResultsFile(game, names, seed, folder, resume)) as results:
        tallies = play_schedule(
            game,
            players,
            schedule,
            games,
            seed,
            results,
            workers=workers,
            scheduler=scheduler,
            progress=progress,
        )
    return League(game, names, seed, schedule, tallies)


def play_schedule(
    game: AnyGame,
    bots: Sequence[str | AnyBot],
    schedule: Schedule,
    games: int,
    seed: int,
    results: ResultsFile,
    *,
    exact: bool = True,
    workers: int | None,
    scheduler: str,
    progress: Callable[[int, int], None],
) -> tuple[Tally, ...]:
    """Play what ``results`` lacks of a schedule's rounds with at least ``games`` games."""
    goal = schedule.goal(games)
    total = sum(goal)
    compiled = total > FEW and kernel(game, bots) is not None
    if total <= FEW and workers is None and not scheduler:
        workers = 1
    tallies = results.usable(goal)
    done = sum(tally.games for tally in tallies)
    progress(done, total)
    missing = schedule.missing(goal, tallies, CHUNK if compiled else ENGINE_BATCH)
    spans = [(line_up * NUMBERS + first, number) for line_up, first, number in missing]
    play = Pairings(schedule, total > FEW)
    batches = run_batches(
        play, game, bots, spans, seed, exact=exact, workers=workers, scheduler=scheduler, threads=compiled
    )
    for (line_up, first, number), counts in zip(missing, batches if spans else (), strict=True):
        tallies.append(Tally.of(line_up, first, counts, game.players))
        results.add(tallies[-1])
        done += number
        progress(done, total)
    return tuple(tallies)


# The schedule.


@dataclass(frozen=True)
class Schedule:
    """Rounds, in which every choice of bots plays a game in each rotation of the seats.

    With fewer bots than seats, every bot has a seat and some have more, as evenly as possible. With more
    bots than seats, all combinations play. The seating order changes from round to round; each order is
    followed by its reverse.
    """

    bots: int
    players: int

    @cached_property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        """The bots at the table, by their numbers."""
        everybody = tuple(range(self.bots)) * (self.players // self.bots)
        rest = combinations(range(self.bots), self.players % self.bots if everybody else self.players)
        return tuple(tuple(sorted(everybody + more)) for more in rest)

    @cached_property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """Orders around the table, each followed by its reverse."""
        ways = [rest for rest in permutations(range(1, self.players)) if rest <= rest[::-1]]
        both = (way for rest in ways for way in dict.fromkeys((rest, rest[::-1])))
        return tuple((0, *way) for way in both)

    @property
    def line_ups(self) -> int:
        return len(self.choices) * len(self.orders)

    def line_up(self, number: int) -> tuple[int, ...]:
        """Bots by seat in game 0 of the line-up; in each further game they rotate by one seat."""
        order, choice = divmod(number, len(self.choices))
        return tuple(self.choices[choice][place] for place in self.orders[order])

    def goal(self, games: int) -> list[int]:
        """The number of games of each line-up: complete rounds with at least ``games`` games in total."""
        rounds = -(-games // (len(self.choices) * self.players))
        turns, more = divmod(rounds, len(self.orders))
        return [
            self.players * (turns + (line_up // len(self.choices) < more)) for line_up in range(self.line_ups)
        ]

    def missing(self, goal: Sequence[int], done: Sequence[Tally], most: int) -> list[tuple[int, int, int]]:
        """The batches left to play (line-up, first, number), each of at most ``most`` games, by ``first``."""
        played = Counter[int]()
        for tally in done:
            played[tally.line_up] += tally.games
        spans = [
            (line_up, first, min(most, games - first))
            for line_up, games in enumerate(goal)
            for first in range(played[line_up], games, most)
        ]
        return sorted(spans, key=lambda span: (span[1], span[0]))


class Pairings(NamedTuple):
    """A ``PlayBatch`` for all bots of the league; the number of a game determines its line-up."""

    schedule: Schedule
    may_compile: bool

    def __call__(
        self,
        game: AnyGame,
        bots: Sequence[str | AnyBot],
        first: int,
        games: int,
        seed: int,
        exact: bool = True,
    ) -> Counts:
        line_up = [bots[bot] for bot in self.schedule.line_up(first // NUMBERS)]
        compiled = kernel(game, line_up) if self.may_compile else None
        return (compiled or play_batch)(game, line_up, first, games, seed, exact)


# Stored results.


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
    def of(cls, line_up: int, first: int, counts: Counts, players: int) -> Tally:
        winner, turns = counts["winner"], counts["turns"]
        numbers = (line_up * NUMBERS + first) % players + np.arange(len(winner))
        wins = np.zeros((players, players), int)
        np.add.at(wins, ((winner - numbers) % players, winner), 1)
        lengths, games = np.unique(turns, return_counts=True)
        return cls(line_up, first, wins.tolist(), dict(zip(map(str, lengths), games.tolist(), strict=True)))


class ResultsFile:
    """The results file of a league: a header line of JSON, and one line for each batch."""

    def __init__(
        self, game: AnyGame, bots: Sequence[str], seed: int, folder: Path | None, resume: bool
    ) -> None:
        about = {
            "league": 1,
            "escadaria": installed_version(),
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


def results_folder() -> Path:
    """The default folder for results of leagues."""
    return cache_folder() / "arena"


def installed_version() -> str:
    try:
        return version("escadaria")
    except PackageNotFoundError:
        return "not installed"


# Results.


class Points(NamedTuple):
    """A rating with its 95 % interval."""

    rating: float
    low: float
    high: float


class Length(NamedTuple):
    """The number of turns of a game."""

    mean: float
    low: float
    """The 95 % interval of the mean: ``low`` to ``high``."""
    high: float
    short: int
    """The 5th percentile."""
    median: int
    long: int
    """The 95th percentile."""


class Standing(NamedTuple):
    """The results of a bot or a seat. A bot's share is per seat that it had."""

    share: Share
    points: Points


@dataclass(frozen=True, eq=False)
class League:
    """The results of a league."""

    game: AnyGame
    bots: tuple[str, ...]
    """In the given order."""
    seed: int
    schedule: Schedule
    tallies: tuple[Tally, ...] = field(repr=False)

    @cached_property
    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """By line-up and rotation: bots by seat, and wins by seat."""
        players = self.game.players
        by_line_up: dict[int, NDArray[np.int64]] = {}
        for tally in self.tallies:
            by_line_up[tally.line_up] = by_line_up.get(tally.line_up, 0) + np.array(tally.wins, np.int64)
        seats, rotations = np.arange(players), np.arange(players)[:, None]
        places = (seats - rotations) % players
        seated = [np.array(self.schedule.line_up(line_up))[places] for line_up in by_line_up]
        return np.concatenate(seated), np.concatenate([wins[places, seats] for wins in by_line_up.values()])

    @property
    def games(self) -> int:
        return int(self.rows[1].sum())

    @cached_property
    def by_bot(self) -> tuple[Standing, ...]:
        """Every bot's standing, best rating first."""
        standings = [
            Standing(Share(name, 1, int(self._wins[bot, bot]), int(self._sat[bot])), self._points[0][bot])
            for bot, name in enumerate(self.bots)
        ]
        return tuple(sorted(standings, key=lambda standing: -standing.points.rating))

    @cached_property
    def by_seat(self) -> tuple[Standing, ...]:
        """Every seat's standing, over all bots, in playing order."""
        wins = self.rows[1].sum(axis=0)
        return tuple(
            Standing(Share(str(seat + 1), 1, int(wins[seat]), self.games), points)
            for seat, points in enumerate(self._points[1])
        )

    def against(self, one: str, other: str) -> Share:
        """The share of ``one`` in the games that either of the two won while both played."""
        a, b = self.bots.index(one), self.bots.index(other)
        return Share(one, 1, int(self._wins[a, b]), int(self._wins[a, b] + self._wins[b, a]))

    @cached_property
    def lengths(self) -> dict[int, int]:
        """The number of games by length in turns."""
        counter = Counter[int]()
        for tally in self.tallies:
            counter.update({int(turns): games for turns, games in tally.turns.items()})
        return dict(sorted(counter.items()))

    @property
    def length(self) -> Length:
        turns, games = np.array(list(self.lengths)), np.array(list(self.lengths.values()))
        mean = float(turns @ games / self.games)
        variance = float((turns - mean) ** 2 @ games / max(1, self.games - 1))
        half = Z95 * sqrt(variance / self.games)
        reached = np.cumsum(games) / self.games
        short, median, long = (int(turns[np.searchsorted(reached, part)]) for part in (0.05, 0.5, 0.95))
        return Length(mean, mean - half, mean + half, short, median, long)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from escadaria import notebook

        return notebook.league_html(self)

    def data(self) -> dict[str, Any]:
        """The results for JSON; the same seed gives the same data."""
        names = [standing.share.name for standing in self.by_bot]
        return {
            "game": self.game.name,
            "options": self.game.options,
            "seed": self.seed,
            "games": self.games,
            "bots": [{"bot": standing.share.name, **_data(standing)} for standing in self.by_bot],
            "seats": [{"seat": seat, **_data(standing)} for seat, standing in enumerate(self.by_seat)],
            "head_to_head": [
                {"bot": one, "against": other, **_share_data(self.against(one, other))}
                for one in names
                for other in names
                if one != other
            ],
            "turns": self.length._asdict(),
        }

    @cached_property
    def _sat(self) -> NDArray[np.int64]:
        """By bot: the number of seats over all games."""
        seated, wins = self.rows
        games = np.broadcast_to(wins.sum(axis=1, keepdims=True), seated.shape)
        return np.array([games[seated == bot].sum() for bot in range(len(self.bots))])

    @cached_property
    def _wins(self) -> NDArray[np.int64]:
        """By bot and other bot: games won while the other played; on the diagonal all games won."""
        seated, wins = self.rows
        bots = np.arange(len(self.bots))
        won = np.array([(wins * (seated == bot)).sum(axis=1) for bot in bots])
        there = np.array([(seated == bot).any(axis=1) for bot in bots])
        return won @ there.T.astype(np.int64)

    @cached_property
    def _points(self) -> tuple[list[Points], list[Points]]:
        """The ratings of the bots and of the seats."""
        ratings = fit(*self.rows, len(self.bots))

        def points(values: NDArray[np.float64], errors: NDArray[np.float64]) -> list[Points]:
            return [
                Points(value, value - Z95 * error, value + Z95 * error)
                for value, error in zip(values.tolist(), errors.tolist(), strict=True)
            ]

        return points(ratings.bots, ratings.bot_errors), points(ratings.seats, ratings.seat_errors)


def _data(standing: Standing) -> dict[str, Any]:
    rating, low, high = standing.points
    return {**_share_data(standing.share), "rating": rating, "rating_low": low, "rating_high": high}


def _share_data(share: Share) -> dict[str, Any]:
    if not share.games:
        return {"wins": 0, "games": 0, "share": None, "low": 0.0, "high": 1.0}
    low, high = share.interval
    return {"wins": share.wins, "games": share.games, "share": share.share, "low": low, "high": high}
