"""Which kernel plays a game, and how its games are shared out to workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from escadaria.game import AnyGame, BadOptions, GameError
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

KERNELS: Mapping[type[AnyGame], str] = {
    Rapido: "escadaria.games.rapido.compiled.play",
    Chain: "escadaria.games.chain.compiled.play",
}
"""From a game to the module that plays it compiled. Such a module has

``POLICIES``
    the names of the bots it can play;
``play_batch``
    which is a ``PlayBatch``.
"""

PATIENCE = 10
"""For so many seconds a scheduler may keep one waiting."""

Counts = dict[str, NDArray[np.int32]]
"""What happened in a number of games: ``winner``, ``turns`` and ``plies`` with a number for each game,
and what else the game counts with a row for each game and a column for each seat."""


class MissingExtra(GameError):
    """Something that needs packages which are not installed."""

    code = "missing_extra"


class PlayBatch(Protocol):
    """Plays the games ``first``, ``first + 1``, … of a seed."""

    def __call__(self, game: AnyGame, bots: Sequence[Any], first: int, games: int, seed: int, /) -> Counts:
        """``bots`` are by seat in game 0; in each further game all move on by one seat."""


def kernel(game: AnyGame, bots: Sequence[object]) -> PlayBatch | None:
    """What plays these bots compiled, or None: one of them has no policy there, or Numba is missing."""
    if type(game) not in KERNELS:
        return None
    try:
        module = import_module(KERNELS[type(game)])
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        return None
    play_batch: PlayBatch = module.play_batch
    return play_batch if all(bot in module.POLICIES for bot in bots) else None


def spread(
    play_batch: PlayBatch,
    game: AnyGame,
    bots: Sequence[object],
    spans: Sequence[tuple[int, int]],
    seed: int,
    *,
    workers: int | None,
    scheduler: str,
    threads: bool,
) -> Iterator[Counts]:
    """What each span of games (first, number) came to, in their order.

    :param workers: how many play at once on this machine; None is one for each core.
    :param scheduler: the address of a Dask cluster that plays instead of this machine.
    :param threads: whether threads can play at once, because the kernel lets go of Python's lock.
    :raises MissingExtra: if what the workers need is not installed.
    :raises BadOptions: if there can be no scheduler at the address.
    :raises OSError: if there is none.
    """
    task = partial(play_batch, game, bots)
    if scheduler:
        yield from _on_cluster(task, spans, seed, scheduler)
    elif len(spans) == 1 or workers == 1 or not (Parallel := _joblib(workers)):
        yield from (task(first, games, seed) for first, games in spans)
    else:
        from joblib import delayed

        parallel = Parallel(
            workers or -1, prefer="threads" if threads else "processes", return_as="generator"
        )
        yield from parallel(delayed(task)(first, games, seed) for first, games in spans)


def _joblib(workers: int | None) -> Any:
    """joblib's ``Parallel``; without joblib None, unless several workers were asked for."""
    try:
        from joblib import Parallel
    except ModuleNotFoundError:
        if workers is None:
            return None
        raise MissingExtra("several workers need joblib: install escadaria[lab]") from None
    return Parallel


def _on_cluster(task: Any, spans: Sequence[tuple[int, int]], seed: int, address: str) -> Iterator[Counts]:
    try:
        from distributed import Client
        from distributed.comm.addressing import resolve_address
    except ModuleNotFoundError:
        raise MissingExtra("a scheduler needs distributed: install escadaria[lab]") from None
    try:
        resolve_address(address)
    except (ValueError, OSError) as error:
        raise BadOptions(f"no scheduler can be at {address!r}: {error}") from None
    with Client(address, timeout=PATIENCE, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        firsts, numbers = zip(*spans, strict=True)
        for future in client.map(task, firsts, numbers, [seed] * len(spans), pure=False):
            yield future.result()
            future.release()
