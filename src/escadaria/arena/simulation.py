"""Simulation of many games of bots. The bots rotate, so that none profits from its seat.

The dice of a game depend only on the seed and the game's number, not on the bots or the machine. Compiled
kernels play the same games as the Python engine, about a thousand times as fast.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from escadaria.arena.batches import Counts, check_workers, kernel, run_batches
from escadaria.bots import AnyBot, make, name_of, read
from escadaria.catalogue import kit_of
from escadaria.dice import equal_shares
from escadaria.game import TERMINAL, AnyGame, BadOptions, Fact, play_out

Z95 = 1.959964
"""The two-sided 95 % quantile of the standard normal distribution."""

CHUNK = 1 << 15
"""The number of games that a kernel plays between two calls of ``progress``."""

ENGINE_CHUNK = 20
"""The number of games that the Python engine plays between two calls of ``progress``."""


@dataclass(frozen=True, slots=True)
class Share:
    """The share of games won, with a 95 % interval."""

    name: str
    """A bot's name, or a seat's number from 1."""
    seats: int
    """The number of its seats in each game; ``seats / players`` is the fair share."""
    wins: int
    games: int

    @property
    def share(self) -> float:
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson score interval, which is also valid for few games and for shares near 0 and 1."""
        n, square = self.games, Z95**2
        middle = (self.wins + square / 2) / (n + square)
        half = Z95 / (n + square) * sqrt(self.wins * (n - self.wins) / n + square / 4)
        return max(0.0, middle - half), min(1.0, middle + half)

    def data(self) -> dict[str, Any]:
        """The numbers for JSON. Without games the share is unknown."""
        low, high = self.interval if self.games else (0.0, 1.0)
        return {"wins": self.wins, "share": self.share if self.games else None, "low": low, "high": high}


@dataclass(frozen=True, eq=False)
class Results:
    """The results of a simulation. Each entry of ``counts`` is also an attribute: ``results.steps``."""

    game: AnyGame
    bots: tuple[str, ...]
    """By seat in the first game; in each further game they rotate by one seat."""
    seed: int
    counts: Counts
    """Arrays with an entry for each game: ``winner`` (a seat), ``turns`` and ``plies`` (decisions and
    rolls). The kit's ``counted`` and ``at_end`` have a row for each game and a column for each seat."""

    def __getattr__(self, name: str) -> NDArray[np.int32]:
        counts: Counts = self.__dict__.get("counts", {})
        if name in counts:
            return counts[name]
        raise AttributeError(f"there is no {name!r}, there are {', '.join(counts)}")

    @property
    def games(self) -> int:
        return len(self.winner)

    @property
    def by_bot(self) -> tuple[Share, ...]:
        """Every bot's share, over all its seats."""
        places = (self.winner - np.arange(self.games)) % self.game.players
        wins = dict.fromkeys(self.bots, 0)
        for bot, number in zip(self.bots, _histogram(places, self.game.players), strict=True):
            wins[bot] += number
        return tuple(Share(bot, self.bots.count(bot), won, self.games) for bot, won in wins.items())

    @property
    def by_seat(self) -> tuple[Share, ...]:
        """Every seat's share, over all bots."""
        wins = _histogram(self.winner, self.game.players)
        return tuple(Share(str(seat), 1, won, self.games) for seat, won in enumerate(wins, 1))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from escadaria import notebook

        return notebook.results_html(self)

    def data(self) -> dict[str, Any]:
        """A summary for JSON; the same seed gives the same data."""
        return {
            "game": self.game.name,
            "options": self.game.options,
            "bots": list(self.bots),
            "seed": self.seed,
            "games": self.games,
            "by_bot": [{"bot": share.name, "seats": share.seats, **share.data()} for share in self.by_bot],
            "by_seat": [
                {"seat": seat, "seats": share.seats, **share.data()}
                for seat, share in enumerate(self.by_seat)
            ],
            "turns": float(self.turns.mean()),
            "plies": float(self.plies.mean()),
        }


def _histogram(seats: NDArray[Any], players: int) -> list[int]:
    return [int(number) for number in np.bincount(seats, minlength=players)]


def simulate(
    game: AnyGame,
    bots: str | AnyBot | Sequence[str | AnyBot],
    games: int,
    seed: int = 0,
    *,
    exact: bool = True,
    workers: int | None = None,
    scheduler: str = "",
    progress: Callable[[int], None] = lambda done: None,
) -> Results:
    """Play a number of games. Bot ``i`` starts on seat ``i``; with fewer bots than seats they repeat.

    The same seed gives the same results with the Python engine and a kernel, with one worker and many, on
    one machine and on a cluster. Without the extra ``escadaria[lab]`` it takes longer.

    :param bots: names of bots, import paths (``package.module:function``), or functions that decide.
    :param exact: whether masters play by the exact solution if the cache folder has it.
    :param workers: the number of processes on this machine; by default one for each core.
    :param scheduler: the address of a Dask cluster to use instead of this machine.
    :param progress: called with the number of games done: with 0 when the kernel is loaded, if there is one,
        then repeatedly.
    :raises UnknownBot: if there is no such bot.
    :raises BadOptions: if there are more bots than seats, no games to play, or both workers and a scheduler.
    :raises MissingExtra: if workers or a scheduler are requested, but their packages are not installed.
    :raises NoCluster: if the scheduler does not answer, or has no workers.
    """
    lineup = _lineup(game, bots)
    check_workers(workers, scheduler, games)
    compiled = kernel(game, lineup, games)
    if games >= CHUNK and not compiled and find_spec("numba") is None:
        warnings.warn("large simulations finish much sooner with escadaria[lab]", stacklevel=2)
    size = CHUNK if compiled else ENGINE_CHUNK
    batches = run_batches(
        compiled or play_batch,
        game,
        lineup,
        [(first, min(size, games - first)) for first in range(0, games, size)],
        seed,
        exact=exact,
        workers=workers,
        scheduler=scheduler,
        compiled=compiled is not None,
    )
    parts, done = [], 0
    progress(done)
    for part in batches:
        parts.append(part)
        done += len(part["winner"])
        progress(done)
    counts = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Results(game, tuple(map(name_of, lineup)), seed, counts)


def _lineup(game: AnyGame, bots: str | AnyBot | Sequence[str | AnyBot]) -> tuple[str | AnyBot, ...]:
    """A bot for each seat. Checks that all bots exist and that their names differ."""
    wished = [bots] if isinstance(bots, str) or callable(bots) else bots
    given = [read(bot, game) for bot in wished]
    if not 1 <= len(given) <= game.players:
        raise BadOptions(f"{game.players} seats take 1 to {game.players} bots, not {len(given)}")
    if len(set(map(name_of, given))) < len(set(given)):
        raise BadOptions(f"different bots need different names: {', '.join(map(name_of, given))}")
    return tuple(given[seat % len(given)] for seat in range(game.players))


# The Python engine.


def play_batch(
    game: AnyGame, bots: Sequence[str | AnyBot], first: int, games: int, seed: int, exact: bool = True
) -> Counts:
    """Play games with the Python engine. A kernel's ``play_batch`` must give the same results."""
    rows = []
    for number in range(first, first + games):
        order = [bots[(seat - number) % game.players] for seat in range(game.players)]
        rows.append(play(game, order, *streams(seed, number), exact))
    return {name: np.array([row[name] for row in rows], np.int32) for name in rows[0]}


def play(
    game: AnyGame,
    bots: Sequence[str | AnyBot],
    dice: random.Random,
    noise: random.Random,
    exact: bool = True,
) -> dict[str, int | Sequence[int]]:
    """Play one game and return its counts."""
    players = [make(bot, game, noise, exact=exact) for bot in bots]

    def decide(state: Any) -> Any:
        return players[state.turn](game, state)

    def roll(state: Any) -> Any:
        return dice.choice(equal_shares(game.chance_outcomes(state)))[0]

    kit = kit_of(game)
    columns = {name: [0] * game.players for name in kit.counted}
    state, turns, plies = game.initial_state(), 0, 0
    for action, after in play_out(game, state, decide, roll):
        plies += 1
        # A turn ends when the seat changes or the game ends.
        turns += after.turn != state.turn or game.current_player(after) == TERMINAL
        facts: Sequence[Fact] = game.facts(state, action)
        for name, (kind, field) in kit.counted.items():
            for fact in facts:
                if fact.kind == kind:
                    columns[name][getattr(fact, field)] += 1
        state = after
    outcome = game.outcome(state)
    assert outcome is not None, "the game was played out"
    ends = {name: getattr(state, name) for name in kit.at_end}
    return {"winner": outcome.winner, "turns": turns, "plies": plies, **ends, **columns}


DICE, NOISE = 0, 1
"""The two random streams of a game."""

_MASK = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15


class Stream(random.Random):
    """A random stream of a game: SplitMix64, the same as ``escadaria.compute.streams`` for kernels."""

    @classmethod
    def of(cls, seed: int, game: int, which: int) -> Stream:
        """A game's stream for dice or noise. It depends only on the seed and the game's number."""
        stream = cls()
        stream.start(seed, game, which)
        return stream

    def start(self, seed: int, game: int, which: int) -> None:
        """Become the stream of another game."""
        self._state = _mix(_mix(seed + _GAMMA) + (2 * game + which) * _GAMMA)

    def seed(self, a: Any = None, version: int = 2) -> None:
        self._state = hash(a) & _MASK

    def below(self, sides: int) -> int:
        """A number from 0 to ``sides - 1``, each equally likely."""
        while True:
            product = self.getrandbits(32) * sides
            if (product & 0xFFFFFFFF) >= 2**32 % sides:
                return product >> 32

    def choice(self, seq: Any) -> Any:
        return seq[self.below(len(seq))]

    def getrandbits(self, k: int, /) -> int:
        bits = 0
        for _ in range(0, k, 64):
            self._state = (self._state + _GAMMA) & _MASK
            bits = bits << 64 | _mix(self._state)
        return bits >> (-k % 64)

    def random(self) -> float:
        return self.getrandbits(53) * 2.0**-53


def streams(seed: int, game: int) -> tuple[Stream, Stream]:
    """A game's streams for the dice and for the noise of bots."""
    return Stream.of(seed, game, DICE), Stream.of(seed, game, NOISE)


def _mix(number: int) -> int:
    number &= _MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _MASK
    return number ^ (number >> 31)
