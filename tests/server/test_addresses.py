"""The addresses of the server for other devices, shown only on the own machine."""

from __future__ import annotations

import pytest
from litestar.testing import TestClient

from escadaria.server.edge import addresses
from escadaria.server.http.app import create_app
from escadaria.settings import Settings

WIFI = "192.168.1.5"


@pytest.mark.parametrize(
    "listening, own, found",
    [
        ("0.0.0.0", WIFI, ["http://192.168.1.5:8000"]),
        ("::", WIFI, ["http://192.168.1.5:8000"]),
        ("0.0.0.0", "", []),
        ("127.0.0.1", WIFI, []),
        ("localhost", WIFI, []),
        ("10.0.0.7", "", ["http://10.0.0.7:8000"]),
        ("fd00::7", "", ["http://[fd00::7]:8000"]),
    ],
)
def test_addresses(listening: str, own: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_own_address", lambda: own)
    assert addresses.own_addresses(listening, 8000) == found


def test_loopback_hosts() -> None:
    for host in ("localhost", "localhost:8000", "game.localhost", "127.0.0.1:8000", "[::1]:8000", "::1"):
        assert addresses.is_loopback(host), host
    for host in ("localhost.example", "192.168.1.5:8000", "[::1", ""):
        assert not addresses.is_loopback(host), host


@pytest.mark.parametrize(
    "client, host, shown",
    [
        ("127.0.0.1", "localhost:8000", True),
        ("127.0.0.1", "play.example", False),
        ("10.0.0.9", "localhost", False),
    ],
)
def test_addresses_are_sent_to_the_own_machine_only(
    client: str, host: str, shown: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(addresses, "_own_address", lambda: WIFI)
    monkeypatch.setattr("escadaria.server.http.routes.address_of", lambda _: client)
    app = create_app(Settings(host="0.0.0.0", database=f"{tmp_path}/matches.sqlite3"))
    with TestClient(app) as http:
        found = http.get("/api/addresses", headers={"Host": host}).json()["addresses"]
    assert bool(found) == shown
