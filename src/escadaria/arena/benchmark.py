"""A benchmark: a bot measured by a protocol that is the same for every bot.

For each game and number of players, the bot plays with every choice of opponents from a fixed pool of bots,
and has every seat equally often. The seed is fixed too, so the dice are the same for every bot. Measured are

- the share of games won, and the rating on a scale where the ratings of the pool are fixed;
- for two players the *regret*: what the bot's decisions lose compared with the exact solution, in games
  against perfect play. Who plays the best response wins at least as much from the bot;
- for three players in a short game, how much each bot of the pool wins among copies of the bot, which is
  a lower bound of its exploitability;
- the CPU time of a decision.

Bots given by name, and those of the pool, play by shipped values, also if the cache folder has a solution.
``PROTOCOL`` is incremented when the same bot could get other figures.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import count
from math import sqrt
from typing import Any

import numpy as np

from escadaria import __version__, solutions
from escadaria.arena.batches import check_workers
from escadaria.arena.league import League, Points, league, share_data
from escadaria.arena.rating import fit_one
from escadaria.arena.schedule import Schedule
from escadaria.arena.simulation import Z95, Share, play, simulate, streams
from escadaria.bots import BOTS, AnyBot, make, name_of, read
from escadaria.bots.evaluating import Master
from escadaria.catalogue import KITS, game_type, kit_of, load
from escadaria.game import AnyGame
from escadaria.kit import Benchmark as BenchmarkPart
from escadaria.solutions import Solution

PROTOCOL = 2
SEED = 15
GAMES = 38_416
"""The number of games for each number of players: the 95 % interval of one half is then ±0.5 points."""
REGRET_GAMES = 1000
"""The number of games against perfect play; in shortened runs one for every four others."""
SHORT_GAMES = 4000
"""The number of short games that each bot of the pool plays among copies of the bot."""
TIMED, UNTIMED = 200, 20
"""The number of decisions that are timed, after a few that are not."""

Report = Callable[[AnyGame, int, int], None]
"""Called with the game, and the number of its games done and in total; 0 in total while it is solved."""


@dataclass(frozen=True)
class Cost:
    """The CPU time of a decision in the Python engine."""

    decisions: int
    seconds: float
    """The mean."""


@dataclass(frozen=True)
class Regret:
    """Probability to win lost by decisions of the bot, against perfect play in both seats."""

    games: int
    decisions: int
    per_decision: float
    per_game: float
    low: float
    """The 95 % interval of the loss per game: ``low`` to ``high``."""
    high: float


@dataclass(frozen=True)
class Unsolved:
    """A game whose solution is not in the cache folder."""

    solve: str
    """The command that computes it."""


@dataclass(frozen=True)
class Entry:
    """The results of a bot for one game and number of players."""

    league: League
    """All games of the bot, which is the first of ``league.bots``."""
    rating: Points | None
    """None if the kit has no ratings of the pool."""
    cost: Cost
    regret: Mapping[AnyGame, Regret | Unsolved]
    """For two players, by game: the short one and the one that was played."""
    short: AnyGame | None
    """For three players: the short game in which the pool plays among copies of the bot."""
    among: tuple[Share, ...]
    """For three players: the share of each bot of the pool there."""

    @cached_property
    def share(self) -> Share:
        seated, wins = self.league.rows
        return Share(self.league.bots[0], 1, int(wins[seated == 0].sum()), self.league.games)

    @property
    def official(self) -> bool:
        return self.league.games >= GAMES

    @property
    def exploitability(self) -> float | None:
        """A lower bound, in probability to win: the highest lower end of a share, above a fair share."""
        if not self.among:
            return None
        return max(0.0, *(share.interval[0] - 1 / self.league.game.players for share in self.among))

    def against(self) -> Iterator[Share]:
        """The bot's share of the games that it or the other one won, for each bot of the pool."""
        for number, name in enumerate(self.league.bots[1:], 1):
            yield replace(self.league.between(0, number), name=name)

    def data(self) -> dict[str, Any]:
        game = self.league.game
        rating, low, high = self.rating or (None, None, None)
        return {
            "game": game.name,
            "options": game.options,
            "players": game.players,
            "official": self.official,
            **share_data(self.share),
            "rating": rating,
            "rating_low": low,
            "rating_high": high,
            "against": [{"bot": share.name, **share_data(share)} for share in self.against()],
            "regret": [{"options": rules.options, **asdict(found)} for rules, found in self.regret.items()],
            "exploitability": self.exploitability,
            "short": self.short.options if self.short else None,
            "among": [{"bot": share.name, **share_data(share)} for share in self.among],
            "cost": asdict(self.cost),
        }


@dataclass(frozen=True)
class Benchmark:
    """The results of a bot."""

    bot: str
    games: int
    """The number of games that was asked for; rounds are always complete."""
    entries: tuple[Entry, ...]

    @property
    def official(self) -> bool:
        return all(entry.official for entry in self.entries)

    def data(self) -> dict[str, Any]:
        """The results for JSON. Only ``cost`` differs if the same bot is measured again."""
        return {
            "protocol": PROTOCOL,
            "escadaria": __version__,
            "bot": self.bot,
            "games": self.games,
            "official": self.official,
            "entries": [entry.data() for entry in self.entries],
        }


def benchmark(
    bot: str | AnyBot,
    games: Sequence[str] = (),
    players: Sequence[int] = (),
    *,
    number: int = GAMES,
    workers: int | None = None,
    scheduler: str = "",
    progress: Report = lambda game, done, total: None,
) -> Benchmark:
    """Measure a bot.

    :param bot: its name, an import path, or a function.
    :param games: names of games; by default those whose kits have a part for it.
    :param players: numbers of players; by default all that a game allows.
    :param number: the least number of games for each number of players. With fewer than ``GAMES`` the
        result is not an official one, and the other measures are shortened likewise.
    :param workers: the number of processes on this machine; by default one for each core.
    :param scheduler: the address of a Dask cluster to use instead of this machine.
    :raises UnknownBot: if there is no such bot.
    :raises BadBot: if the bot raises an error or plays an illegal action.
    :raises BadOptions: if there is no such game or number of players.
    """
    check_workers(workers, scheduler, number)
    names = games or [name for name, kit in KITS.items() if kit.benchmark is not None]
    tables = [
        load(name, players=seats)
        for name in dict.fromkeys(names)
        for seats in dict.fromkeys(players or _seats(name))
    ]
    entrants = [read(bot, game) for game in tables]  # an unknown name fails before the first game
    entries = []
    for game, entrant in zip(tables, entrants, strict=True):
        played = _league(game, entrant, number, workers, scheduler, progress)
        cost = _cost(game, entrant, number)
        short = _short(game) if game.players == 3 else None
        among = _among(short, entrant, number, workers, scheduler, progress) if short else ()
        regrets = _regrets(game, entrant, number, progress) if game.players == 2 else {}
        entries.append(Entry(played, _rating(played), cost, regrets, short, among))
    return Benchmark(name_of(bot), number, tuple(entries))


def _seats(name: str) -> range:
    option = game_type(name).OPTIONS[0]
    return range(option.low, option.high + 1)


def _part(game: AnyGame) -> BenchmarkPart | None:
    part = kit_of(game).benchmark
    return part() if part is not None else None


def _short(game: AnyGame) -> AnyGame | None:
    part = _part(game)
    return load(game.name, players=game.players, **part.SHORT) if part else None


# Games won, and the rating.


def pool(players: int) -> tuple[str, ...]:
    """The opponents. For two players there is no master, since it would be perfect with a solution."""
    return tuple(bot for bot in BOTS if players > 2 or bot != "master")


@dataclass(frozen=True)
class Entries(Schedule):
    """The rounds of a league in which bot 0 plays every game; opponents sit in two orders."""

    @cached_property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        return tuple(choice for choice in super().choices if 0 in choice)

    @cached_property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        others = tuple(range(1, self.players))
        return tuple((0, *order) for order in dict.fromkeys((others, others[::-1])))


def _league(
    game: AnyGame, bot: str | AnyBot, number: int, workers: int | None, scheduler: str, progress: Report
) -> League:
    bots = (bot, *pool(game.players))
    return league(
        game,
        bots,
        number,
        SEED,
        schedule=Entries(len(bots), game.players),
        exact=False,
        workers=workers,
        scheduler=scheduler,
        progress=lambda done, total: progress(game, done, total),
    )


def _rating(played: League) -> Points | None:
    part = _part(played.game)
    if part is None:
        return None
    anchors = part.ANCHORS[played.game.players]
    known = np.array([0.0, *(anchors[bot] for bot in played.bots[1:])])
    return Points.of(*fit_one(*played.rows, known))


def _among(
    game: AnyGame, bot: str | AnyBot, number: int, workers: int | None, scheduler: str, progress: Report
) -> tuple[Share, ...]:
    """What each bot of the pool wins among copies of the bot."""
    shares: list[Share] = []
    others, games = pool(game.players), min(number, SHORT_GAMES)
    for other in others:
        results = simulate(
            game,
            [other] + [bot] * (game.players - 1),
            games,
            SEED,
            exact=False,
            workers=workers,
            scheduler=scheduler,
            progress=lambda done: progress(game, len(shares) * games + done, len(others) * games),
        )
        places = (results.winner - np.arange(results.games)) % game.players
        shares.append(Share(other, 1, int((places == 0).sum()), results.games))
    return tuple(shares)


# Cost.


def _cost(game: AnyGame, bot: str | AnyBot, number: int) -> Cost:
    """Time the first decisions of games against the simple bot."""
    clocks: list[float] = []
    most = UNTIMED + min(TIMED, 10 * number)

    class Enough(Exception):
        pass

    def timed(bot: AnyBot) -> AnyBot:
        def decide(game: AnyGame, state: Any) -> Any:
            start = time.thread_time()
            action = bot(game, state)
            clocks.append(time.thread_time() - start)
            if len(clocks) == most:
                raise Enough
            return action

        return decide

    try:
        for game_number in count():
            _play_beside("simple", game, bot, timed, game_number)
    except Enough:
        pass
    counted = clocks[UNTIMED:]
    return Cost(len(counted), sum(counted) / len(counted))


def _play_beside(
    others: str | AnyBot, game: AnyGame, bot: str | AnyBot, watched: Callable[[AnyBot], AnyBot], number: int
) -> None:
    """Play a game of the bot, whose seat changes from game to game."""
    dice, noise = streams(SEED, number)
    seats = [others] * game.players
    seats[number % game.players] = watched(make(bot, game, noise, exact=False))
    play(game, seats, dice, noise)


# Regret.


def _regrets(
    game: AnyGame, bot: str | AnyBot, number: int, progress: Report
) -> dict[AnyGame, Regret | Unsolved]:
    found: dict[AnyGame, Regret | Unsolved] = {}
    for rules in (_short(game), game):
        if rules is None or kit_of(rules).solver is None:
            continue
        solution = solutions.find(rules)
        if solution is None and rules != game:
            progress(rules, 0, 0)
            solution = _solved(rules)
        if solution is None:
            found[rules] = Unsolved(_command(rules))
        else:
            found[rules] = regret(bot, solution, min(-(-number // 4), REGRET_GAMES), progress)
    return found


def _solved(game: AnyGame) -> Solution | None:
    """Solve the game now; None without the packages for it."""
    try:
        from escadaria.compute.solve import solve
    except ModuleNotFoundError:
        return None
    return solve(game)


def _command(game: AnyGame) -> str:
    words = ["escadaria", "solve", game.name]
    for option in type(game).OPTIONS[1:]:
        if game.options[option.name] != option.default:
            words += ["--option", f"{option.name}={game.options[option.name]}"]
    return shlex.join(words)


def regret(
    bot: str | AnyBot,
    solution: Solution,
    games: int,
    progress: Report = lambda game, done, total: None,
) -> Regret:
    """What the bot's decisions lose in games against perfect play; its seat changes from game to game."""
    game = solution.game
    losses, decisions = np.zeros(games), 0

    def compared(bot: AnyBot) -> AnyBot:
        def decide(game: AnyGame, state: Any) -> Any:
            nonlocal decisions
            values, action = solution.action_values(state), bot(game, state)
            decisions += 1
            losses[number] += max(values.values()) - values[action]
            return action

        return decide

    for number in range(games):
        _play_beside(Master(solution), game, bot, compared, number)
        progress(game, number + 1, games)
    mean = float(losses.mean())
    half = Z95 * float(losses.std(ddof=1)) / sqrt(games) if games > 1 else 1.0
    per_decision = float(losses.sum()) / max(1, decisions)
    return Regret(games, decisions, per_decision, mean, max(0.0, mean - half), mean + half)
