"""Dask clusters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from escadaria.game import BadOptions, GameError

SCHEDULER_SECONDS = WORKER_SECONDS = 5
"""How long to wait for a scheduler, and then for its first worker."""


class MissingExtra(GameError):
    """A function that needs packages which are not installed."""

    code = "missing_extra"


class NoCluster(GameError):
    """A cluster that does not answer, or has no workers."""

    code = "no_cluster"


@contextmanager
def cluster(address: str) -> Iterator[Any]:
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
