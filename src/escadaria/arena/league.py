"""A league of bots, with ratings and their intervals.

Every bot meets every other equally often and has every seat equally often, and the seating order changes
from round to round. The same seed gives the same results with any number of workers and interruptions: each
line-up has its own dice, and the stored results are integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from escadaria.arena.batches import Counts, check_workers, kernel, run_batches
from escadaria.arena.rating import fit
from escadaria.arena.schedule import NUMBERS, Schedule
from escadaria.arena.simulation import CHUNK, Z95, Share, play_batch
from escadaria.arena.tallies import ResultsFile, Tally, missing
from escadaria.bots import AnyBot, name_of, read
from escadaria.folders import cache_folder
from escadaria.game import AnyGame, BadOptions

ENGINE_BATCH = 12
"""The number of games that the Python engine plays for one line of the results file."""


def league(
    game: AnyGame,
    bots: Sequence[str | AnyBot],
    games: int = 1000,
    seed: int = 1,
    *,
    schedule: Schedule | None = None,
    exact: bool = True,
    folder: Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    scheduler: str = "",
    progress: Callable[[int, int], None] = lambda done, games: None,
) -> League:
    """Play a league. At least ``games`` games are played, because rounds are always complete.

    :param bots: names of bots, import paths (``package.module:function``, also of a file in the working
        directory), or functions that decide.
    :param schedule: the rounds; by default every bot meets every other equally often.
    :param exact: whether masters play by the exact solution if the cache folder has it.
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
    players = [read(bot, game) for bot in bots]
    names = tuple(map(name_of, players))
    check_workers(workers, scheduler, games)
    if schedule is None and (len(names) < 2 or len(set(names)) < len(names)):
        raise BadOptions(f"a league takes two or more bots with different names, not {', '.join(names)}")
    schedule = schedule or Schedule(len(players), game.players)
    goal = schedule.goal(games)
    total = sum(goal)
    compiled = kernel(game, players, total) is not None
    with closing(ResultsFile(game, names, seed, folder, resume)) as results:
        tallies = results.usable(goal)
        done = sum(tally.games for tally in tallies)
        progress(done, total)
        spans = missing(goal, tallies, CHUNK if compiled else ENGINE_BATCH)
        batches = run_batches(
            Pairings(schedule, total),
            game,
            players,
            spans,
            seed,
            exact=exact,
            workers=workers,
            scheduler=scheduler,
            compiled=compiled,
        )
        for (first, number), counts in zip(spans, batches, strict=True):
            tallies.append(Tally.of(first, counts, game.players))
            results.add(tallies[-1])
            done += number
            progress(done, total)
    return League(game, names, seed, schedule, tuple(tallies))


class Pairings(NamedTuple):
    """A ``PlayBatch`` for all bots of the league; the number of a game determines its line-up."""

    schedule: Schedule
    games: int
    """In the whole league."""

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
        play = kernel(game, line_up, self.games) or play_batch
        return play(game, line_up, first, games, seed, exact)


def results_folder() -> Path:
    """The default folder for results of leagues."""
    return cache_folder() / "arena"


# Results.


class Points(NamedTuple):
    """A rating with its 95 % interval."""

    rating: float
    low: float
    high: float

    @classmethod
    def of(cls, rating: float, error: float) -> Points:
        """From a rating with its standard error."""
        return cls(rating, rating - Z95 * error, rating + Z95 * error)


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

    def data(self) -> dict[str, Any]:
        """The numbers for JSON."""
        rating, low, high = self.points
        return {**share_data(self.share), "rating": rating, "rating_low": low, "rating_high": high}


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
        return self.between(self.bots.index(one), self.bots.index(other))

    def between(self, one: int, other: int) -> Share:
        """The same for bots by their numbers."""
        won, lost = int(self._wins[one, other]), int(self._wins[other, one])
        return Share(self.bots[one], 1, won, won + lost)

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
            "bots": [{"bot": standing.share.name, **standing.data()} for standing in self.by_bot],
            "seats": [{"seat": seat, **standing.data()} for seat, standing in enumerate(self.by_seat)],
            "head_to_head": [
                {"bot": one, "against": other, **share_data(self.against(one, other))}
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
        return (
            list(map(Points.of, ratings.bots.tolist(), ratings.bot_errors.tolist())),
            list(map(Points.of, ratings.seats.tolist(), ratings.seat_errors.tolist())),
        )


def share_data(share: Share) -> dict[str, Any]:
    """A share of different numbers of games, for JSON."""
    return {"games": share.games, **share.data()}
