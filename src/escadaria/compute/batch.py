"""Thousands of games stepped together, for agents that learn: NumPy arrays in, NumPy arrays out.

::

    import numpy as np
    from escadaria import load
    from escadaria.compute.batch import Batch

    batch = Batch(load("rapido", players=3), games=4096, seed=7)
    rng, won = np.random.default_rng(7), np.zeros(3)
    for _ in range(1000):
        scores = rng.random(batch.mask.shape) * batch.mask       # a network's, with illegal actions at 0
        step = batch.step(scores.argmax(axis=1))
        won += (step.reward > 0).sum(axis=0)                     # by seat

Between two steps a seat is to decide in every game. A step carries out one decision in each game, and rolls
the dice until the next one. Observations are those of ``escadaria.adapters.observation`` for the seat to
decide, and action ``i`` is ``game.actions[i]``. With ``bots`` one seat of each game decides, and compiled
bots play the others.

A game that has ended is replaced by a new one in the same step (``autoreset="SameStep"``): ``reward``,
``done``, ``truncated`` and ``final_observation`` describe the old game, the other arrays the new one. With
``"NextStep"`` the new game begins in the next step, which ignores the action for it; with ``"Disabled"`` you
``reset`` it. These are the values of Gymnasium's ``AutoresetMode``.

Place ``i`` of a batch plays the game numbers ``i``, ``i + games``, ``i + 2 * games``, … of the seed, with the
dice that ``escadaria.simulate`` has for them. With a seed for each place, a place plays the numbers 0, 1, 2,
… of its seed.

The arrays of a step are fresh, so ``torch.from_numpy`` and ``from_dlpack`` share their memory safely. With
``copy=False`` they are the batch's own, which the next step fills again; these cannot be written to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from escadaria.adapters.rewards import (
    END,
    ILLEGAL,
    ILLEGAL_REWARD,
    POTENTIAL,
    RAISE,
    RANDOM,
    REWARDS,
    TRIES,
    WIN,
    ZERO_SUM,
    Potential,
    check,
    checked,
)
from escadaria.catalogue import kit_of
from escadaria.compute.steps import (
    GO_ON,
    OUTSIDE,
    WAIT,
    Bools,
    Bytes,
    Floats,
    Games,
    Places,
    Step,
    Streams,
    Words,
)
from escadaria.compute.streams import DICE, NOISE, below, start
from escadaria.game import AnyGame, BadOptions, read_position, refusal

AUTORESET = SAME_STEP, NEXT_STEP, DISABLED = "SameStep", "NextStep", "Disabled"
"""When a new game replaces one that has ended: in the same step, in the next one, or never."""


class Batch:
    """Many games of one kind, each waiting for a decision."""

    observation: Floats
    """By game: the observation of the seat to decide. These arrays are read-only views."""
    mask: Bytes
    """By game and action: 1 if it is legal."""
    seat: Words
    """By game: the seat to decide."""
    numbers: Words
    """By game: its number, as ``simulate`` counts."""

    def __init__(
        self,
        game: AnyGame,
        games: int,
        seed: int | Sequence[int] = 0,
        *,
        bots: Sequence[str] = (),
        seat: int | str = 0,
        reward: str | Potential = ZERO_SUM,
        discount: float = 1.0,
        autoreset: str = SAME_STEP,
        max_steps: int | None = None,
        illegal: str = RAISE,
        copy: bool = True,
    ) -> None:
        """Begin a number of games.

        :param seed: of all games, or one for each place.
        :param bots: compiled bots for the other seats, clockwise from yours; they repeat if there are fewer.
            Without bots all seats decide.
        :param seat: your seat among the bots, or ``random``: drawn for each game.
        :param reward: one of ``REWARDS``; or a potential of your own, a function from a position to a value
            for each seat, which is called for every position.
        :param discount: ``discount * potential(after) - potential(before)`` is added to zero-sum rewards,
            with 0 at the end. That does not change which policy is best (Ng, Harada and Russell 1999).
        :param autoreset: one of ``AUTORESET``.
        :param max_steps: the number of decisions after which a game is truncated.
        :param illegal: one of ``ILLEGAL``.
        :param copy: whether the arrays of a step are fresh.
        :raises BadOptions: if an option is invalid, or no compiled code plays this game or these bots.
        """
        if isinstance(game, str):
            raise BadOptions(f"a batch takes a game, for example load({game!r}), not its name")
        if games < 1:
            raise BadOptions(f"a batch has at least one game, not {games}")
        check(
            autoreset=(autoreset, AUTORESET),
            illegal=(illegal, ILLEGAL),
            reward=(reward, (reward,) if callable(reward) else REWARDS),
            seat=(seat, (*range(game.players), RANDOM)),
        )
        if max_steps is not None and max_steps < 1:
            raise BadOptions(f"max_steps must be at least 1, not {max_steps}")
        self.game, self.games = game, games
        self.autoreset, self.max_steps, self.illegal, self.copy = autoreset, max_steps, illegal, copy
        self._discount = discount
        self._loss = 0.0 if reward == WIN else -1 / (game.players - 1)
        self._seat, self._codes = seat, _codes(game, bots)
        self._games = _games(game, games, bots)
        self._potential = self._potential_of(reward)
        self._start = np.array(self._games.row(game.initial_state()))
        self._policies = np.full((games, game.players), OUTSIDE) if bots else None
        self._places = Places(np.zeros((games, 2), np.uint64), np.full(games, -1), np.full(games, -1))
        self._seeds = np.zeros(games, np.uint64)
        self._strides = np.zeros(games, np.int64)
        self._game_numbers = np.zeros(games, np.int64)
        self._waits = np.full(games, WAIT)
        self._taken = np.zeros(games, np.int64)
        self._ended = np.zeros(games, np.bool_)
        self._values = np.zeros((games, game.players), np.float32)
        self._step = Step(
            np.zeros((games, self._games.size), np.float32),
            np.zeros((games, len(game.actions)), np.int8),
            np.zeros(games, np.int64),
            np.zeros((games, game.players), np.float32),
            np.zeros(games, np.bool_),
            np.zeros(games, np.bool_),
            np.zeros((0, self._games.size), np.float32),
            np.zeros((0, len(game.actions)), np.int8),
        )
        self._shown = _each(self._step, _read_only)
        self.observation, self.mask, self.seat = self._shown[:3]
        self.numbers = _read_only(self._game_numbers)
        self.refusals: dict[int, str] = {}
        """Why actions of the last step were not legal, by game."""
        self.reset(seed)

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        *,
        mask: ArrayLike | None = None,
        state: Any = None,
    ) -> Step:
        """Begin new games.

        :param seed: of the dice; without one, each place goes on to the next number of its seed.
        :param mask: by game: whether to begin a new one; by default all.
        :param state: a position to start from, as itself or as text, or one for each game. Games that replace
            these later start as usual.
        :raises InvalidText: if the state is not a position of this game.
        :raises BadOptions: if an argument has the wrong length, or nobody can decide after the state.
        """
        which = np.arange(self.games) if mask is None else np.flatnonzero(self._one_each("mask", mask))
        if seed is not None and not isinstance(seed, Sequence):
            self._seeds[which], self._strides[which] = seed % 2**64, self.games
            self._game_numbers[which] = which - self.games
        elif seed is not None:
            self._one_each("seed", seed)
            for place in which.tolist():
                if (own := seed[place]) is not None:
                    self._seeds[place], self._strides[place], self._game_numbers[place] = own % 2**64, 1, -1
        starts = None
        if isinstance(state, Sequence) and not isinstance(state, str):
            self._one_each("state", state)
            starts = np.array([self._games.row(read_position(self.game, one)) for one in state])
        elif state is not None:
            row = self._games.row(read_position(self.game, state))
            starts = np.broadcast_to(np.array(row), self._games.rows.shape)
        self._begin(which, starts)
        for array in (self._step.reward, self._step.done, self._step.truncated):
            array[:] = 0
        return self._show()

    def step(self, actions: ArrayLike) -> Step:
        """Carry out one decision in each game.

        :param actions: by game, its number among ``game.actions``.
        :raises IllegalAction: naming the first game whose action is not legal; nothing is carried out then.
        :raises BadOptions: if they are not whole numbers, or not one for each game; or a game has ended and
            was not reset.
        """
        given = np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise BadOptions(f"actions are whole numbers, not {given.dtype}")
        chosen = self._one_each("actions", given).astype(np.int64)
        waiting = _NONE if self.autoreset == SAME_STEP else np.flatnonzero(self._ended)
        if len(waiting) and self.autoreset == DISABLED:
            raise BadOptions(f"game {waiting[0]} has ended and must be reset")
        refused = self._refused(chosen)
        chosen[waiting] = chosen[refused] = WAIT
        return self._carry_out(chosen, waiting, refused)

    def sample(self) -> Words:
        """A legal action for each game, all equally likely: what the bot ``random`` does."""
        actions = np.empty(self.games, np.int64)
        draw(self._step.mask, self._places.streams, actions)
        return actions

    def position(self, game: int) -> Any:
        """The position in one of the games."""
        return self._games.position(self._games.rows[game].tolist(), self.game.players)

    def _one_each(self, name: str, given: Any) -> NDArray[Any]:
        array = (
            given if isinstance(given, np.ndarray) else np.array(given, object if name == "state" else None)
        )
        if array.shape != (self.games,):
            raise BadOptions(f"{self.games} games take as many {name}, not {array.shape}")
        return array

    def _refused(self, chosen: Words) -> Words:
        """The games that end by an illegal action; or the actions are replaced by random ones."""
        self.refusals = {}
        first = first_illegal(chosen, self._step.mask, self._ended)
        if first < 0:
            return _NONE
        while first >= 0:
            error = refusal(self.game, self.position(first), int(chosen[first]), f"game {first}, ")
            if self.illegal == RAISE or not 0 <= chosen[first] < len(self.game.actions):
                raise error
            self.refusals[first] = str(error)
            one = slice(first, first + 1)
            draw(self._step.mask[one], self._places.streams[one], chosen[one])
            first = first_illegal(chosen, self._step.mask, self._ended)
        return np.array(list(self.refusals)) if self.illegal == END else _NONE

    def _carry_out(self, chosen: Words, waiting: Words, refused: Words) -> Step:
        step, winners = self._step, self._places.winners
        winners[:] = -1
        self._games.advance(chosen, self._policies, self._places, step)
        settle(winners, self._loss, step.reward, step.done)
        if len(refused):
            step.done[refused], step.mask[refused] = True, 1
            step.reward[refused, step.seat[refused]] = ILLEGAL_REWARD
        self._taken += 1
        if self.max_steps is not None:
            np.greater_equal(self._taken, self.max_steps, out=step.truncated)
            step.truncated[waiting] = False
        if self._potential is not None:
            self._shape(np.flatnonzero(chosen != WAIT), self._potential)
        ended = step.done | step.truncated
        if self.autoreset == SAME_STEP:
            (which,) = ended.nonzero()
            final = step.observation[which], step.mask[which]
            self._begin(which)
            return self._show(*final)
        self._ended = ended
        self._begin(waiting)
        return self._show()

    def _shape(self, which: Words, potential: Callable[[Words], NDArray[np.float64]]) -> None:
        """Add the shaping term to the rewards of the last decisions."""
        after, left = np.zeros((len(which), self.game.players)), ~self._step.done[which]
        if left.any():
            after[left] = potential(which[left])
        self._step.reward[which] += self._discount * after - self._values[which]
        self._values[which] = after

    def _potential_of(self, reward: str | Potential) -> Callable[[Words], NDArray[np.float64]] | None:
        """From places to the potential of each seat in each of them; None without one."""
        players = self.game.players
        if callable(reward):
            own = checked(self.game, reward)
            return lambda which: np.array([own(self.position(place)) for place in which.tolist()])
        if reward != POTENTIAL:
            return None
        fill = self._games.values()

        def expected(which: Words) -> NDArray[np.float64]:
            shares = np.zeros((len(which), players))
            fill(which, shares)
            return (players * shares - 1) / (players - 1)

        return expected

    def _begin(self, which: Words, starts: Words | None = None) -> None:
        """Begin new games in these places; one that ends before the first decision is not counted."""
        left, actions = which, self._waits
        for _ in range(TRIES):
            if not len(left):
                break
            self._game_numbers[left] += self._strides[left]
            restart(self._seeds, self._game_numbers, left, self._places.streams)
            self._games.rows[left] = self._start if starts is None else starts[left]
            if self._policies is not None:
                self._take_seats(left, self._policies)
            actions[left] = GO_ON
            self._games.advance(actions, self._policies, self._places, self._step)
            actions[left] = WAIT
            left = left[self._places.winners[left] >= 0]
        if len(left):
            if starts is not None:
                self._begin(left)  # so that every game can go on
            raise BadOptions(f"{TRIES} games from this position ended before a decision")
        self._taken[which], self._ended[which] = 0, False
        if self._potential is not None and len(which):
            self._values[which] = self._potential(which)

    def _take_seats(self, which: Words, policies: Words) -> None:
        """Choose the seats that decide, and give the others to the bots."""
        seats = self._places.viewers
        if self._seat == RANDOM:
            draw_seats(which, self.game.players, self._places.streams, seats)
        else:
            seats[which] = self._seat
        for after in range(1, self.game.players):
            policies[which, (seats[which] + after) % self.game.players] = self._codes[
                (after - 1) % len(self._codes)
            ]
        policies[which, seats[which]] = OUTSIDE

    def _show(self, observation: Floats | None = None, mask: Bytes | None = None) -> Step:
        """The arrays of a step, with the last observations and masks of games that were replaced."""
        shown = self._shown
        if observation is not None and mask is not None:
            shown = shown._replace(final_observation=observation, final_mask=mask)
        return _each(shown, np.copy) if self.copy else shown


_NONE = np.zeros(0, np.int64)


def _games(game: AnyGame, number: int, bots: Sequence[str]) -> Games:
    kit = kit_of(game)
    if kit.compiled is None:
        raise BadOptions(f"no compiled code plays {game.name}")
    return kit.compiled().games(game, number, bots)


def compiled_bots(game: AnyGame) -> dict[str, int]:
    """The bots that can play in batches of this game, with their codes."""
    kit = kit_of(game)
    return dict(kit.compiled().POLICIES) if kit.compiled is not None else {}


def _codes(game: AnyGame, bots: Sequence[str]) -> list[int]:
    known = compiled_bots(game)
    for bot in bots:
        if bot not in known:
            raise BadOptions(f"compiled bots of {game.name} are {', '.join(known)}, not {bot!r}")
    if len(bots) >= game.players:
        raise BadOptions(f"{game.players} players have {game.players - 1} others, not {len(bots)}")
    return [known[bot] for bot in bots]


def _each(step: Step, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Step:
    arrays: Sequence[Any] = [change(array) for array in step]
    return Step(*arrays)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, which only the batch can change."""
    view = array.view()
    view.flags.writeable = False
    return view


# Compiled.


@njit(cache=True, nogil=True)
def first_illegal(actions: Words, mask: Bytes, ended: Bools) -> int:
    """The first game whose action is not legal, or -1; games that have ended ignore theirs."""
    for game in range(len(actions)):
        action = actions[game]
        if ended[game]:
            continue
        if action < 0 or action >= mask.shape[1] or not mask[game, action]:
            return game
    return -1


@njit(cache=True, nogil=True)
def draw(mask: Bytes, streams: Streams, actions: Words) -> None:
    """Fill in a legal action for each game."""
    for game in range(len(mask)):
        options = 0
        for action in range(mask.shape[1]):
            options += mask[game, action]
        streams[game, NOISE], choice = below(streams[game, NOISE], options)
        for action in range(mask.shape[1]):
            choice -= mask[game, action]
            if choice < 0:
                actions[game] = action
                break


@njit(cache=True, nogil=True)
def restart(seeds: Streams, numbers: Words, which: Words, streams: Streams) -> None:
    """Start the streams of new games."""
    for place in which:
        for stream in (DICE, NOISE):
            streams[place, stream] = start(seeds[place], numbers[place], stream)


@njit(cache=True, nogil=True)
def draw_seats(which: Words, players: int, streams: Streams, seats: Words) -> None:
    """Fill in a random seat for each of these games."""
    for place in which:
        streams[place, NOISE], seats[place] = below(streams[place, NOISE], players)


@njit(cache=True, nogil=True)
def settle(winners: Words, loss: float, reward: Floats, done: Bools) -> None:
    """Fill in the rewards: 1 for the winners, ``loss`` for the others of their games, else 0."""
    for game in range(len(winners)):
        winner = winners[game]
        done[game] = winner >= 0
        for seat in range(reward.shape[1]):
            reward[game, seat] = 0 if winner < 0 else 1 if seat == winner else loss
