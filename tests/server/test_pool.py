"""Worker processes: their queues are fair and bounded, and one that dies or hangs is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
import time
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from escadaria import bots, catalogue
from escadaria.bots import AnyBot
from escadaria.game import AnyGame
from escadaria.match.clock import Clock
from escadaria.refusals import Refused
from escadaria.server.compute import answers, requests
from escadaria.server.compute.pool import Job, Pool, WorkerFailed
from escadaria.server.compute.worker import Answer
from escadaria.server.edge.limits import Limits
from escadaria.settings import Settings
from serving import PATIENCE, eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def shared(anyio_backend: str) -> AsyncIterator[Pool]:
    """A pool with one worker, for the tests that do not close it."""
    pool = Pool("tests")
    yield pool
    await pool.close(PATIENCE)


@pytest.fixture
async def pool(shared: Pool) -> Pool:
    """The shared pool, when its worker is ready."""
    assert await shared.run(len, "ready") == 5
    return shared


@contextlib.asynccontextmanager
async def held(pool: Pool, folder: Path) -> AsyncIterator[Path]:
    """The only worker is blocked until this pipe is written to; the key of its job is ``busy``."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    job = pool.submit(Path.read_text, pipe, key="busy")
    await eventually(lambda: pool.running == 1, "the worker is held")
    yield pipe
    await job.future


async def test_keys_are_served_round_robin(pool: Pool, tmp_path: Path) -> None:
    done: list[str] = []
    async with held(pool, tmp_path) as pipe:
        jobs = [pool.submit(len, "", key=key) for key in "AAAAAABBC"]
        for job in jobs:
            job.future.add_done_callback(lambda _, key=job.key: done.append(key))  # type: ignore[misc]
        assert [pool.ahead(job) for job in jobs] == [1, 4, 6, 7, 8, 9, 2, 5, 3]
        await asyncio.to_thread(pipe.write_text, "")
        await asyncio.gather(*(job.future for job in jobs))
    assert "".join(done) == "ABCABAAAA"


async def test_jobs_that_are_not_first_have_low_priority(pool: Pool, tmp_path: Path) -> None:
    done: list[str] = []
    async with held(pool, tmp_path) as pipe:
        jobs = [pool.submit(len, "", key=key, first=key >= "D") for key in "ABCDEF"]
        for job in jobs:
            job.future.add_done_callback(lambda _, key=job.key: done.append(key))  # type: ignore[misc]
        assert pool.ahead(jobs[0]) == 4 and pool.ahead(jobs[3]) == 1
        await asyncio.to_thread(pipe.write_text, "")
        await asyncio.gather(*(job.future for job in jobs))
    assert "".join(done) == "DEFABC"


async def test_the_queue_is_bounded_per_key_and_in_total(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "queue", 6)
    monkeypatch.setattr(pool, "queue_each", 3)
    async with held(pool, tmp_path) as pipe:
        jobs = [pool.submit(len, "", key="A") for _ in range(3)]
        with pytest.raises(Refused) as refused:
            pool.submit(len, "", key="A")
        assert refused.value.code == "busy" and (refused.value.retry_after or 0) >= 1
        jobs += [pool.submit(len, "", key=key) for key in "BC"]
        with pytest.raises(Refused, match="too many"):
            pool.submit(len, "", key="D")
        jobs.append(pool.submit(len, "", key="D", first=False))
        await asyncio.to_thread(pipe.write_text, "")
        assert await asyncio.gather(*(job.future for job in jobs)) == [0] * 6


@pytest.mark.parametrize("stopped", [False, True])
async def test_a_worker_that_takes_too_long_is_killed_and_replaced(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    (pid,), deaths = pool.pids, pool.deaths
    with monkeypatch.context() as patch:
        patch.setattr(pool, "seconds", 0.1)  # of this job, not of one that should succeed
        if stopped:
            os.kill(pid, signal.SIGSTOP)
        slow = pool.submit(len, "abc") if stopped else pool.submit(time.sleep, 3600)
        with pytest.raises(Refused) as refused:
            await slow.future
    assert refused.value.code == "busy" and slow.seconds >= 0.1
    assert await pool.run(len, "abc") == 3
    assert pool.deaths == deaths + 1 and pid not in pool.pids


async def test_a_job_that_kills_its_worker_fails_alone(pool: Pool) -> None:
    deaths = pool.deaths
    before = pool.submit(len, "abc", key="B")
    deadly = pool.submit(os._exit, 1)
    after = pool.submit(len, "abcd", key="C")
    assert await before.future == 3
    with pytest.raises(Refused, match="failed"):
        await deadly.future
    assert await after.future == 4
    assert pool.deaths == deaths + 2, "it was tried twice"


async def test_a_killed_worker_is_replaced(pool: Pool) -> None:
    os.kill(pool.pids[0], signal.SIGKILL)
    assert await pool.run(len, "abc") == 3


async def test_an_exception_has_its_traceback_and_the_worker_stays_alive(pool: Pool) -> None:
    pids = pool.pids
    with pytest.raises(WorkerFailed, match="ZeroDivisionError"):
        await pool.run(divmod, 1, 0)
    await pool.run(print, "no answer")
    assert await pool.run(len, "abc") == 3
    assert pool.pids == pids


async def test_workers_start_on_demand_and_end_when_idle_or_closed() -> None:
    pool = Pool("tests", idle_seconds=0.05)
    assert not pool.pids
    assert await pool.run(len, "abc") == 3
    (pid,) = pool.pids
    await eventually(lambda: not pool.pids, "it ends")
    pool.idle_seconds = PATIENCE
    assert await pool.run(len, "abc") == 3 and pid not in pool.pids
    # Closing kills the worker and refuses what waits.
    (pid,) = pool.pids
    jobs = [pool.submit(time.sleep, 3600) for _ in range(3)]
    await pool.close(PATIENCE)
    for job in jobs:
        with pytest.raises(Refused) as refused:
            await job.future
        assert refused.value.code == "closing"
    with pytest.raises(Refused):
        pool.submit(len, "abc")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_close_while_a_worker_starts() -> None:
    pool = Pool("tests")
    pool.start()
    await asyncio.sleep(0)  # its start begins
    await pool.close(PATIENCE)
    assert not pool.pids


async def test_jobs_are_refused_if_no_worker_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("escadaria.server.compute.pool._PROGRAM", "raise SystemExit(1)")
    pool = Pool("tests")
    for job in [pool.submit(len, "abc") for _ in range(2)]:
        with pytest.raises(Refused, match="started"):
            await job.future
    await pool.close(PATIENCE)


async def test_the_kept_answers_are_bounded_in_number_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_CACHED_ANSWERS", 3)
    monkeypatch.setattr(requests, "_CACHED_BYTES", 100)
    settings = Settings()
    compute = requests.Compute(settings, Limits(settings, Clock()))

    def answered(name: str, size: int) -> str:
        job = Job[bytes](b"", "", True, asyncio.get_running_loop().create_future())
        job.finish(Answer(b"x" * size))
        compute._jobs[name] = job
        compute._forget()
        return "".join(compute._jobs)

    assert [answered(name, 10) for name in "abcd"] == ["a", "ab", "abc", "bcd"]
    assert [answered("e", 85), answered("f", 101)] == ["de", ""]
    running = Job[bytes](b"", "", True, asyncio.get_running_loop().create_future())
    compute._jobs["g"] = running
    assert answered("h", 101) == "g", "it is not done"


async def test_a_master_decides_until_the_grandmaster_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    game, loaded = catalogue.load("chain"), threading.Event()

    def load(name: str, game: AnyGame) -> AnyBot:
        if name == bots.GRANDMASTER:
            loaded.wait(PATIENCE)
        return lambda game, state: name

    monkeypatch.setattr(bots, "load", load)
    monkeypatch.setattr(answers, "LOADING_SECONDS", 0.0)
    bot = answers.Grandmaster(game)
    assert bot(game, game.initial_state()) == "master"
    loaded.set()
    await eventually(bot.loading.done, "the grandmaster is loaded")
    assert bot(game, game.initial_state()) == "grandmaster"


async def test_few_grandmasters_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables with many boards do not fill the memory."""

    class Light:
        def __init__(self, game: AnyGame) -> None:
            made.add(self)

        def __call__(self, game: AnyGame, state: object) -> object:
            return game.legal_actions(state)[0]

    made = weakref.WeakSet[Light]()
    monkeypatch.setattr(answers, "Grandmaster", Light)
    answers._grandmaster.cache_clear()
    for length in range(18, 18 + 2 * answers.MOST_GRANDMASTERS):
        game = catalogue.load("chain", board=str(length))
        assert answers.decide(game, str(game.initial_state()), "grandmaster") == "keep 1"
    gc.collect()
    assert len(made) == answers.MOST_GRANDMASTERS
    answers._grandmaster.cache_clear()
