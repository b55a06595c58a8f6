"""Batches of games, which threads, processes or a Dask cluster play at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, BadOptions, GameError

FEW = 100
"""Up to this number, games are played before a kernel is loaded or other processes have started."""

SCHEDULER_SECONDS = WORKER_SECONDS = 5
"""How long to wait for a scheduler, and then for its first worker."""

Counts = dict[str, NDArray[np.int32]]
"""The counts of a number of games: ``winner``, ``turns`` and ``plies`` with one entry for each game, and
the game's own counts with a row for each game and a column for each seat."""


class MissingExtra(GameError):
    """A function that needs packages which are not installed."""

    code = "missing_extra"


class NoCluster(GameError):
    """A cluster that does not answer, or has no workers."""

    code = "no_cluster"


class PlayBatch(Protocol):
    """Plays the games ``first``, ``first + 1``, … of a seed."""

    def __call__(
        self, game: AnyGame, bots: Sequence[Any], first: int, games: int, seed: int, exact: bool = True
    ) -> Counts:
        """``bots`` are by seat in game 0; in each further game they rotate by one seat.

        With ``exact``, masters play by the exact solution if the cache folder has it.
        """


def kernel(game: AnyGame, bots: Sequence[object], games: int) -> PlayBatch | None:
    """The compiled ``play_batch`` for these bots.

    None if there are few games, if one bot has no compiled policy, or if Numba is missing.
    """
    kit = kit_of(game)
    if games <= FEW or kit.compiled is None or type(game) is not kit.game:  # a subclass may change the rules
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
    compiled: bool,
) -> Iterator[Counts]:
    """Play spans of games (first, number) in parallel; the counts of each, in order.

    A kernel is loaded or compiled before this returns; the games are played as the counts are asked for.

    :param workers: the number of processes on this machine; None is one for each core.
    :param scheduler: the address of a Dask cluster to use instead of this machine.
    :param compiled: whether ``play_batch`` is a kernel. It releases the GIL, so threads play.
    :raises MissingExtra: if the packages for workers are not installed.
    :raises BadOptions: if the address of the scheduler is invalid.
    :raises NoCluster: if the scheduler does not answer, or has no workers.
    """
    play = partial(play_batch, game, bots, seed=seed, exact=exact)
    if scheduler:
        return _on_cluster(play, spans, scheduler)
    if compiled and spans:
        play(spans[0][0], 1)
    few = workers is None and sum(games for _, games in spans) <= FEW
    if few or len(spans) == 1 or workers == 1 or not (joblib := _joblib(workers)):
        return (play(first, games) for first, games in spans)
    prefer = "threads" if compiled else "processes"
    parallel = joblib.Parallel(workers or -1, prefer=prefer, return_as="generator")
    found: Iterator[Counts] = parallel(joblib.delayed(play)(first, games) for first, games in spans)
    return found


def check_workers(workers: int | None, scheduler: str, games: int = 1) -> None:
    """:raises BadOptions: if there is no worker or no game, or both processes and a cluster are to play."""
    if games < 1:
        raise BadOptions(f"at least one game must be played, not {games}")
    if workers is not None and workers < 1:
        raise BadOptions(f"at least one worker must play, not {workers}")
    if workers is not None and scheduler:
        raise BadOptions("either processes of this machine (workers) or a cluster (scheduler) play, not both")


def _joblib(workers: int | None) -> Any:
    """The package; None if it is missing and no number of workers was given."""
    try:
        import joblib
    except ModuleNotFoundError:
        if workers is None:
            return None
        raise MissingExtra("several workers need joblib: install escadaria[lab]") from None
    return joblib


def _on_cluster(play: Any, spans: Sequence[tuple[int, int]], address: str) -> Iterator[Counts]:
    with dask_client(address) as client:
        if spans:
            for future in client.map(play, *zip(*spans, strict=True), pure=False):
                yield future.result()
                future.release()


@contextmanager
def dask_client(address: str) -> Iterator[Any]:
    """A client of the Dask cluster whose scheduler has this address.

    :raises MissingExtra: if Dask is not installed.
    :raises BadOptions: if the address is invalid.
    :raises NoCluster: if the scheduler does not answer, has no workers, or loses them.
    """
    try:
        from distributed import CancelledError, Client, KilledWorker
        from distributed.comm.addressing import resolve_address
    except ModuleNotFoundError:
        raise MissingExtra("a scheduler needs distributed: install escadaria[lab]") from None
    try:
        resolve_address(address)
    except (ValueError, OSError) as error:
        raise BadOptions(f"no scheduler can be at {address!r}: {error}") from None
    try:
        client = Client(address, timeout=SCHEDULER_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except OSError as error:
        raise NoCluster(f"there is no scheduler at {address}: {error}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise NoCluster(f"the cluster of {address} has no workers; `dask worker` starts one") from None
        try:
            yield client
        except (CancelledError, KilledWorker) as error:
            raise NoCluster(f"the cluster of {address} has lost workers: {error}") from error
