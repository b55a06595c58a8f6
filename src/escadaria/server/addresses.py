"""The addresses at which other devices in the network reach this server."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

_EVERYWHERE = ("0.0.0.0", "::")
_NOBODY = "192.0.2.1"
"""An address for documentation (RFC 5737): it only tells which way out would be taken. Nothing is sent."""


def own_addresses(listening: str, port: int) -> list[str]:
    """Addresses for other devices; none if the server listens to this machine alone."""
    host = _own_address() if listening in _EVERYWHERE else listening
    if not host or is_own_machine(host):
        return []
    return [f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"]


def is_own_machine(host: str) -> bool:
    """Whether a host, with or without a port, means the machine that uses it."""
    if _is_ip(host):
        return ipaddress.ip_address(host).is_loopback
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # a header can be anything
        return False
    return name.endswith(".localhost") or name == "localhost" or (_is_ip(name) and is_own_machine(name))


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_NOBODY, 9))
        except OSError:  # no network at all
            return ""
        return str(probe.getsockname()[0])


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
