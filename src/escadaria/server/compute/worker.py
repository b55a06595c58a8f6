"""The main program of a worker process. It reads calls from stdin and writes answers to stdout."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from escadaria import bots, catalogue
from escadaria.game import AnyGame, GameError
from escadaria.refusals import Ending, code_of

LOADING_SECONDS = 4.0
"""How long a grandmaster's first decision waits for it to load."""
MOST_GRANDMASTERS = 16
"""How many of them are kept; each has about 11 MB of tables."""

HEADER = struct.Struct("!I")
"""The length of the following message."""


class Answer(NamedTuple):
    """The result of a call, or its error."""

    result: Any = None
    refusal: tuple[Ending, str, str] | None = None
    """The code, message and ruling of a ``GameError``."""
    failure: str = ""
    """The traceback of any other exception."""


def main() -> None:
    """Answer calls until the server closes stdin or exits."""
    calls_in, answers_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # prints of a bot go to stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(calls_in, calls), daemon=True).start()
    import_module("escadaria.server.compute.coach")  # import everything now, so that the first job is fast
    _write(answers_out, b"")  # ready
    while True:
        _write(answers_out, pickle.dumps(_answer(calls.get()), pickle.HIGHEST_PROTOCOL))


def _read(file: BinaryIO, calls: queue.SimpleQueue[bytes]) -> None:
    """Queue calls. Exit with the server, even during a job."""
    while len(header := file.read(HEADER.size)) == HEADER.size:
        calls.put(file.read(*HEADER.unpack(header)))
    os._exit(0)


def _write(file: BinaryIO, message: bytes) -> None:
    try:
        file.write(HEADER.pack(len(message)) + message)
        file.flush()
    except OSError:  # the server has exited
        os._exit(0)


def _answer(call: bytes) -> Answer:
    try:
        function, arguments = pickle.loads(call)
        return Answer(function(*arguments))
    except GameError as error:
        return Answer(refusal=(code_of(error), str(error), error.ruling))
    except Exception:  # noqa: BLE001 - the server logs the traceback
        return Answer(failure=traceback.format_exc())


def decide(name: str, options: tuple[tuple[str, int | str], ...], state: str, bot: str) -> str:
    """The action of a bot at a position."""
    game, choose = _grandmaster(name, options) if bot == bots.GRANDMASTER else _bot(name, options, bot)
    return str(choose(game, game.parse_state(state)))


@lru_cache(maxsize=256)
def _bot(name: str, options: tuple[tuple[str, int | str], ...], bot: str) -> tuple[AnyGame, bots.AnyBot]:
    game = catalogue.load(name, **dict(options))
    return game, bots.load(bot, game)


@lru_cache(maxsize=MOST_GRANDMASTERS)
def _grandmaster(name: str, options: tuple[tuple[str, int | str], ...]) -> tuple[AnyGame, Grandmaster]:
    game = catalogue.load(name, **dict(options))
    return game, Grandmaster(game)


class Grandmaster:
    """A grandmaster. It compiles once, for half a minute; until then a master decides."""

    def __init__(self, game: AnyGame) -> None:
        self.master = bots.load("master", game)
        self.loading = ThreadPoolExecutor(1).submit(bots.load, bots.GRANDMASTER, game)
        wait([self.loading], LOADING_SECONDS)

    def __call__(self, game: AnyGame, state: Any) -> Any:
        return (self.loading.result() if self.loading.done() else self.master)(game, state)
