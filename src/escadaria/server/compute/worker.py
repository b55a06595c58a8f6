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
from importlib import import_module
from typing import Any, NamedTuple

from escadaria.game import GameError
from escadaria.refusals import Ending, code_of

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
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # prints of a bot go to stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(calls,), daemon=True).start()
    import_module("escadaria.server.compute.answers")  # so that the first job is fast
    answer = Answer()  # ready
    try:
        while True:
            message = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
            answers.write(HEADER.pack(len(message)) + message)
            answers.flush()
            answer = _answer(calls.get())
    except OSError:  # the server has exited
        os._exit(0)


def _read(calls: queue.SimpleQueue[bytes]) -> None:
    """Queue calls. Exit with the server, even during a job."""
    calls_in = sys.stdin.buffer
    while len(header := calls_in.read(HEADER.size)) == HEADER.size:
        calls.put(calls_in.read(*HEADER.unpack(header)))
    os._exit(0)


def _answer(call: bytes) -> Answer:
    try:
        function, arguments = pickle.loads(call)
        return Answer(function(*arguments))
    except GameError as error:
        return Answer(refusal=(code_of(error), str(error), error.ruling))
    except Exception:  # noqa: BLE001 - the server logs the traceback
        return Answer(failure=traceback.format_exc())
