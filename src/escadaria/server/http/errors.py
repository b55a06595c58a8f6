"""Refusals as HTTP responses and WebSocket close codes."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException, SerializationException, ValidationException
from litestar.openapi import ResponseSpec

from escadaria import wire
from escadaria.game import GameError
from escadaria.refusals import Ending, Refused, code_of
from escadaria.server import metrics
from escadaria.store import StoreUnavailable

log = logging.getLogger(__name__)

STATUS: dict[Ending, int] = {
    "unknown_match": 404, "no_evaluator": 404, "forbidden": 403, "running": 403,
    "too_fast": 429, "too_many": 429, "store_unavailable": 503, "busy": 503, "closing": 503,
    "not_found": 404, "bad_method": 405, "too_large": 413, "late": 408, "unknown_host": 421,
}  # fmt: skip
"""The HTTP status of a refusal; 400 for all others."""

CLOSE_CODES: dict[Ending, int] = {
    "restart": 1012, "malformed": 1002, "too_slow": 4008, "too_many": 4029, "too_fast": 4029, "moved": 4010,
    "watching_off": 4011, "replaced": 4012, "forbidden": 4003, "unknown_match": 4004, "internal": 1011,
}  # fmt: skip
"""The WebSocket close code of an ending; 4000 for all others."""

_RETRY_SECONDS = 5.0  # the default of Retry-After

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class StrictRequest(Request[Any, Any, Any]):
    """A request that reports any unreadable body as malformed, not as an internal error."""

    async def json(self) -> Any:
        try:
            return await super().json()
        except (UnicodeDecodeError, RecursionError) as error:
            raise SerializationException(f"the body cannot be read: {error}") from None


def refusals(*codes: Ending) -> dict[int, ResponseSpec]:
    """The error responses of a route, for the OpenAPI document."""
    by_status: dict[int, list[str]] = {}
    always: tuple[Ending, ...] = ("forbidden", "too_fast")
    for code in codes + always:
        by_status.setdefault(STATUS.get(code, 400), []).append(code)
    return {
        status: ResponseSpec(wire.Refusal, description=", ".join(codes), generate_examples=False)
        for status, codes in by_status.items()
    }


def _response(
    code: Ending,
    message: str,
    status: int = 0,
    headers: Mapping[str, str] | None = None,
    ruling: str = "",
    retry_after: float | None = None,
) -> Response[wire.Refusal]:
    refusal = wire.Refusal(code=code, message=message, ruling=ruling)
    status = status or STATUS.get(code, 400)
    seconds = str(math.ceil(max(1.0, retry_after or _RETRY_SECONDS)))
    again = {"Retry-After": seconds} if status in (429, 503) else {}
    return Response(refusal, status_code=status, headers=HEADERS | again | dict(headers or {}))


def game_error(_: Request[Any, Any, Any], error: GameError) -> Response[wire.Refusal]:
    metrics.REFUSALS.labels(error.code).inc()
    retry_after = error.retry_after if isinstance(error, Refused) else None
    return _response(code_of(error), str(error), ruling=error.ruling, retry_after=retry_after)


def store_error(request: Request[Any, Any, Any], _: StoreUnavailable) -> Response[wire.Refusal]:
    return game_error(request, Refused("store_unavailable", "the store does not answer, try again"))


def validation_error(_: Request[Any, Any, Any], error: ValidationException) -> Response[wire.Refusal]:
    reasons = "; ".join(
        str(extra.get("message", "")) for extra in error.extra or [] if isinstance(extra, dict)
    )
    return _response("malformed", reasons or error.detail)


def http_error(_: Request[Any, Any, Any], error: HTTPException) -> Response[wire.Refusal]:
    codes: dict[int, Ending] = {400: "malformed", 404: "not_found", 405: "bad_method", 413: "too_large"}
    return _response(codes.get(error.status_code, "http"), error.detail, error.status_code, error.headers)


def internal_error(request: Request[Any, Any, Any], error: Exception) -> Response[wire.Refusal]:
    log.error("a request failed", extra={"path": request.url.path}, exc_info=error)
    return _response("internal", "internal error, it was logged", 500)
