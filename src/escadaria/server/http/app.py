"""The ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from typing import cast

from litestar import Litestar
from litestar.config.compression import CompressionConfig
from litestar.datastructures import ResponseHeader, State
from litestar.di import Provide
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from escadaria.bus import open_bus
from escadaria.game import GameError
from escadaria.match.clock import Clock
from escadaria.server import metrics
from escadaria.server.edge.access import check_page
from escadaria.server.edge.limits import Limits
from escadaria.server.http import errors
from escadaria.server.http.pages import client, healthz, metrics_page, readyz
from escadaria.server.http.routes import api
from escadaria.server.matches.hub import Hub
from escadaria.settings import Settings
from escadaria.store import StoreUnavailable, open_store


def create_app(settings: Settings, clock: Clock | None = None) -> Litestar:
    """Create the ASGI application."""
    clock = clock or Clock()
    limits = Limits(settings, clock)

    @contextlib.asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        store = await open_store(settings.database)
        metrics.measure_store(store)
        bus = open_bus(secrets.token_hex(6), settings.database, settings.redis, store.key)
        metrics.measure_bus(bus)
        hub = Hub(store, bus, settings, limits, clock)
        app.state.hub = hub
        await hub.start()
        lag = asyncio.create_task(metrics.measure_lag())
        try:
            yield
        finally:
            lag.cancel()
            await hub.close()

    return Litestar(
        [api, healthz, readyz, metrics_page, client],
        lifespan=[lifespan],
        exception_handlers={
            GameError: errors.game_error,
            StoreUnavailable: errors.store_error,
            ValidationException: errors.validation_error,
            HTTPException: errors.http_error,
            Exception: errors.internal_error,
        },
        compression_config=CompressionConfig(
            backend="gzip", gzip_compress_level=6, minimum_size=1000, exclude_opt_key="compressed"
        ),
        response_headers=[ResponseHeader(name=name, value=value) for name, value in errors.HEADERS.items()],
        request_max_body_size=settings.frame_bytes,
        openapi_config=OpenAPIConfig(
            title="Escadaria",
            version="1",
            path="/api/openapi",
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
        ),
        logging_config=None,
        before_request=check_page,
        request_class=errors.StrictRequest,
        state=State({"limits": limits}),
        dependencies={"hub": Provide(_hub, sync_to_thread=False)},
    )


def _hub(state: State) -> Hub:
    return cast(Hub, state.hub)
