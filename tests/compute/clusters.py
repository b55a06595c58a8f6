"""Dask clusters for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from distributed import LocalCluster

from escadaria.arena import batches
from serving import PATIENCE


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """A scheduler and workers in threads of this process, over the loopback interface."""
    at = "127.0.0.1:0"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "SCHEDULER_SECONDS", PATIENCE)
        patch.setattr(batches, "WORKER_SECONDS", PATIENCE)
        with LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers,
            threads_per_worker=1,
            processes=False,
            protocol="tcp",
            host="127.0.0.1",
            dashboard_address=at,
            worker_dashboard_address=at,
        ) as local:
            yield local.scheduler_address
