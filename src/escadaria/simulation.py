"""Many games of bots: data in, data out. The seats rotate, so that no bot profits from where it sits."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from escadaria.bots import load as load_bot
from escadaria.dice import equal_shares
from escadaria.game import TERMINAL, AnyGame, BadOptions, play_out

Z95 = 1.959964
"""How many standard deviations hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many games of all were won, with the interval that holds the true share in 95 % of cases."""

    name: str
    """A bot's name, or a seat's number from 1."""
    seats: int
    """How many seats it has in each game; ``seats / players`` is what chance alone would win."""
    wins: int
    games: int

    @property
    def share(self) -> float:
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval, which also holds for few games and for shares near 0 and 1."""
        n, square = self.games, Z95**2
        middle = (self.wins + square / 2) / (n + square)
        half = Z95 / (n + square) * sqrt(self.wins * (n - self.wins) / n + square / 4)
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Results:
    """What the games came to."""

    game: AnyGame
    bots: tuple[str, ...]
    """By seat in the first game; in each further game all move on by one."""
    seed: int
    games: int
    by_bot: tuple[Share, ...]
    by_seat: tuple[Share, ...]
    turns: float
    """Of a game, on average."""
    plies: float
    """Decisions and rolls of a game, on average."""

    def data(self) -> dict[str, Any]:
        """All of it for JSON; the same seed gives the same data."""
        return {
            "game": self.game.name,
            "options": self.game.options,
            "bots": list(self.bots),
            "seed": self.seed,
            "games": self.games,
            "by_bot": [{"bot": share.name, **_data(share)} for share in self.by_bot],
            "by_seat": [{"seat": int(share.name), **_data(share)} for share in self.by_seat],
            "turns": self.turns,
            "plies": self.plies,
        }


def _data(share: Share) -> dict[str, Any]:
    low, high = share.interval
    return {"seats": share.seats, "wins": share.wins, "share": share.share, "low": low, "high": high}


def simulate(
    game: AnyGame,
    bots: Sequence[str],
    games: int,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> Results:
    """Play so many games; bot ``i`` starts on seat ``i``, fewer bots than seats take turns.

    :param progress: is told after each game how many are done.
    :raises UnknownBot: if there is no such bot.
    :raises BadOptions: if there are more bots than seats, or no games to play.
    """
    if not 1 <= len(bots) <= game.players:
        raise BadOptions(f"{game.players} seats take 1 to {game.players} bots, not {len(bots)}")
    if games < 1:
        raise BadOptions(f"at least one game must be played, not {games}")
    lineup = tuple(bots[seat % len(bots)] for seat in range(game.players))
    wins_of_bots = dict.fromkeys(lineup, 0)
    wins_of_seats = [0] * game.players
    turns = plies = 0
    for number in range(games):
        order = [lineup[(seat - number) % game.players] for seat in range(game.players)]
        winner, game_turns, game_plies = play(game, order, random.Random(f"{seed}/{number}"))
        wins_of_bots[order[winner]] += 1
        wins_of_seats[winner] += 1
        turns += game_turns
        plies += game_plies
        progress(number + 1)
    by_bot = (Share(bot, lineup.count(bot), wins, games) for bot, wins in wins_of_bots.items())
    by_seat = (Share(str(seat), 1, wins, games) for seat, wins in enumerate(wins_of_seats, 1))
    means = turns / games, plies / games
    return Results(game, lineup, seed, games, tuple(by_bot), tuple(by_seat), *means)


def play(game: AnyGame, bots: Sequence[str], rng: random.Random) -> tuple[int, int, int]:
    """One game of a bot on each seat: the winning seat, how many turns it took, and how many plies."""
    players = [load_bot(name, game, rng) for name in bots]

    def decide(state: Any) -> Any:
        return players[state.turn](game, state)

    def roll(state: Any) -> Any:
        return rng.choice(equal_shares(game.chance_outcomes(state)))[0]

    state, turns, plies = game.initial_state(), 0, 0
    for _, after in play_out(game, state, decide, roll):
        plies += 1
        # A turn is over when it is another's, or when the game is.
        turns += after.turn != state.turn or game.current_player(after) == TERMINAL
        state = after
    outcome = game.outcome(state)
    assert outcome is not None, "the game was played out"
    return outcome.winner, turns, plies
