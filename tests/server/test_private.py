"""The private members of other libraries that the server uses exist in the installed versions.

``pyproject.toml`` bounds these versions: raise a bound when this passes with the newer one.
"""

from __future__ import annotations

import asyncio
import inspect
import re

import pytest
import redis.asyncio.connection
from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import Server
from websockets.protocol import State
from websockets.server import ServerProtocol

MEMBERS: dict[type, str] = {
    httptools_impl.HttpToolsProtocol: """
        _should_upgrade _start_asgi_task _unset_keepalive_if_required handle_websocket_upgrade on_header
        on_headers_complete on_message_begin on_message_complete on_response_complete client cycle headers
        parser pipeline scope timeout_keep_alive transport url""",
    httptools_impl.RequestResponseCycle: "disconnected message_event response_complete response_started",
    WebSocketsSansIOProtocol: """
        handle_cont handle_parser_exception handle_ping handle_pong run_asgi send send_receive_event_to_app
        shutdown client close_sent conn curr_msg_data_type disconnected frames handshake_complete
        handshake_initiated loop queue read_paused scope transport writable""",
    Server: "_captured_signals on_tick servers shutdown startup started",
    ServerProtocol: "send_close state",
    redis.asyncio.connection.AbstractConnection: "_reader send_command send_packed_command",
}


@pytest.mark.parametrize(
    "owner, member", [(owner, member) for owner, members in MEMBERS.items() for member in members.split()]
)
def test_a_private_member_exists(owner: type, member: str) -> None:
    sources = "".join(inspect.getsource(base) for base in owner.__mro__[:-1])
    found = hasattr(owner, member) or re.search(rf"\bself\.{member}\b.* = ", sources)
    assert found, f"{owner.__module__}.{owner.__name__} has no {member}"


def test_other_private_names_exist() -> None:
    assert httptools_impl.STATUS_LINE[429].startswith(b"HTTP/1.1 429")
    assert State.OPEN.name == "OPEN"
    assert "_queue" in inspect.getsource(asyncio.Queue), "asyncio.Queue has no _queue"
