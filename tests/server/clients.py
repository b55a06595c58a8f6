"""Clients at a table of their own, opened in one line."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx

from escadaria.client import MatchClient
from raw import RawClient, duel, opened, playing, raw
from serving import PATIENCE

PEOPLE = [{"name": "Ana"}, {"name": "Rui"}]


def client(url: str) -> httpx.AsyncClient:
    """An HTTP client that is as patient as these tests; no certificates, which take a while to load."""
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE, verify=False)


@contextlib.asynccontextmanager
async def entered(
    url: str, game: str = "rapido", players: int = 2, **fields: Any
) -> AsyncIterator[MatchClient]:
    """The host's table of a new match."""
    match = await opened(url, game, players, **fields)
    async with MatchClient(url, match["match"], match["token"]) as table:
        yield table


@contextlib.asynccontextmanager
async def seated(url: str, **settings: Any) -> AsyncIterator[tuple[dict[str, Any], RawClient]]:
    """A started match of two people on one device, and its connection; seat 0 is to roll."""
    match = await playing(url, **settings)
    async with raw(url, match["match"], token=match["token"]) as me:
        yield match, me


@contextlib.asynccontextmanager
async def facing(
    url: str, options: dict[str, Any] | None = None, **settings: Any
) -> AsyncIterator[tuple[dict[str, Any], RawClient, RawClient]]:
    """A started match of two people on two devices, and the connections of both; Ana is the host."""
    match, token = await duel(url, options, **settings)
    async with (
        raw(url, match["match"], token=match["token"]) as ana,
        raw(url, match["match"], token=token) as rui,
    ):
        yield match, ana, rui
