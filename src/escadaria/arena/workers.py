"""Kernels, and the distribution of batches of games to workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from escadaria.catalogue import kit_of
from escadaria.cluster import MissingExtra as MissingExtra
from escadaria.cluster import cluster
from escadaria.game import AnyGame, BadOptions

Counts = dict[str, NDArray[np.int32]]
"""The counts of a number of games: ``winner``, ``turns`` and ``plies`` with one entry for each game, and
the game's own counts with a row for each game and a column for each seat."""


class PlayBatch(Protocol):
    """Plays the games ``first``, ``first + 1``, … of a seed."""

    def __call__(
        self, game: AnyGame, bots: Sequence[Any], first: int, games: int, seed: int, exact: bool = True
    ) -> Counts:
        """``bots`` are by seat in game 0; in each further game they rotate by one seat.

        With ``exact``, masters play by the exact solution if the cache folder has it.
        """


def kernel(game: AnyGame, bots: Sequence[object]) -> PlayBatch | None:
    """The compiled ``play_batch`` for these bots; None if one has no compiled policy or Numba is missing."""
    kit = kit_of(game)
    if kit.compiled is None or type(game) is not kit.game:  # a subclass may change the rules
        return None
    try:
        part = kit.compiled()
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        return None
    return part.play_batch if all(bot in part.POLICIES for bot in bots) else None


def run_batches(
    play_batch: PlayBatch,
    game: AnyGame,
    bots: Sequence[object],
    spans: Sequence[tuple[int, int]],
    seed: int,
    *,
    exact: bool,
    workers: int | None,
    scheduler: str,
    threads: bool,
) -> Iterator[Counts]:
    """Play spans of games (first, number) in parallel; yield the counts of each, in order.

    :param workers: the number of processes on this machine; None is one for each core.
    :param scheduler: the address of a Dask cluster to use instead of this machine.
    :param threads: whether to use threads, because the kernel releases the GIL.
    :raises MissingExtra: if the packages for workers are not installed.
    :raises BadOptions: if the address of the scheduler is invalid.
    :raises NoCluster: if the scheduler does not answer, or has no workers.
    """
    task = partial(play_batch, game, bots, seed=seed, exact=exact)
    if scheduler:
        yield from _on_cluster(task, spans, scheduler)
    elif len(spans) == 1 or workers == 1 or not (Parallel := _joblib(workers)):
        yield from (task(first, games) for first, games in spans)
    else:
        from joblib import delayed

        parallel = Parallel(
            workers or -1, prefer="threads" if threads else "processes", return_as="generator"
        )
        yield from parallel(delayed(task)(first, games) for first, games in spans)


def check_workers(workers: int | None, scheduler: str) -> None:
    """:raises BadOptions: if there is no worker, or both processes and a cluster are to play."""
    if workers is not None and workers < 1:
        raise BadOptions(f"at least one worker must play, not {workers}")
    if workers is not None and scheduler:
        raise BadOptions("either processes of this machine (workers) or a cluster (scheduler) play, not both")


def _joblib(workers: int | None) -> Any:
    """joblib's ``Parallel``; None if joblib is missing and no number of workers was given."""
    try:
        from joblib import Parallel
    except ModuleNotFoundError:
        if workers is None:
            return None
        raise MissingExtra("several workers need joblib: install escadaria[lab]") from None
    return Parallel


def _on_cluster(task: Any, spans: Sequence[tuple[int, int]], address: str) -> Iterator[Counts]:
    with cluster(address) as client:
        for future in client.map(task, *zip(*spans, strict=True), pure=False):
            yield future.result()
            future.release()
