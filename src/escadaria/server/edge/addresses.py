"""The addresses at which other devices in the network reach this server."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

_WILDCARDS = ("0.0.0.0", "::")
_TEST_NET = "192.0.2.1"
"""An address for documentation (RFC 5737), used to find the outgoing interface. Nothing is sent."""


def own_addresses(listening: str, port: int) -> list[str]:
    """Addresses for other devices; empty if the server listens on the loopback interface only."""
    host = _own_address() if listening in _WILDCARDS else listening
    if not host or is_loopback(host):
        return []
    return [f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"]


def is_loopback(host: str) -> bool:
    """Whether a host, with or without a port, is a loopback address or name."""
    if _is_ip(host):
        return ipaddress.ip_address(host).is_loopback
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # a malformed Host header
        return False
    return name.endswith(".localhost") or name == "localhost" or (_is_ip(name) and is_loopback(name))


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_TEST_NET, 9))
        except OSError:  # no network
            return ""
        return str(probe.getsockname()[0])


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
