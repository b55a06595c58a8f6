"""The codes with which commands and requests are refused.

Tables, the server, its clients and the translations (``error.CODE``) share the list. ``docs/protocol.md``
says what a client should do. To add a code, add it here: type checker and tests name the other places.
"""

from __future__ import annotations

from typing import Literal, cast, get_args

from escadaria.game import GameError

RefusalCode = Literal[
    # About the game.
    "illegal_action",  # the action is not legal in this position
    "bad_dice",  # the entered dice cannot fall here
    "invalid_text",  # the text is not an action, position or board
    "bad_options",  # no such game, option, value or language
    "unknown_bot",  # no such bot
    "bad_record",  # the text is not a record
    "not_rolling",  # the position waits for no roll
    "no_evaluator",  # the game has no evaluator
    "game_error",  # another error of the game or the table
    # About the match and its members.
    "stale_version",  # the position has changed since the command was made
    "future_version",  # the command was made for a version that the match has not reached
    "not_your_turn",  # another seat is to act
    "bot_plays",  # a bot stands in for the seat
    "not_replaced",  # no bot stands in for the seat
    "resigned",  # the seat has resigned
    "not_started",
    "started",
    "over",
    "not_over",
    "no_undo",  # the seat has no decision to undo
    "continued",  # the next match is open
    "not_practice",  # only at a practice table
    "forbidden",  # no valid token, key or code; not the host; no seat; cross-origin
    "seat_taken",
    "table_full",
    "unknown_seat",  # the seat is free or does not exist
    "seats_free",  # all seats must be taken to start
    "colour_taken",
    "bad_name",
    "fixed",  # the setting cannot be changed after the start
    "not_sealed",  # entropy without a seal
    "unknown_match",
    "running",  # the match is not over
    "too_long",  # the match has too many events
    "later_version",  # stored or played by a later version of Escadaria
    # About the server.
    "malformed",  # not JSON, or not of the documented form
    "too_fast",  # a rate limit on frames, requests, bytes or work
    "too_many",  # a limit on connections or tables
    "busy",  # too many conflicts, or a full queue
    "store_unavailable",  # the database cannot be read or written now
    "closing",  # the server is shutting down
    "not_found",  # no such path
    "bad_method",
    "too_large",
    "late",  # the request did not arrive in time
    "unknown_host",  # the Host header names another server
    "http",  # another HTTP error
    "internal",  # an error in the server
]

Ending = (
    RefusalCode
    | Literal[
        "restart",  # the server restarts: reconnect
        "too_slow",  # the client reads too slowly
        "moved",  # the seats were moved to another device
        "replaced",  # the member has too many connections: the oldest is closed
        "watching_off",  # the host switched watching off
    ]
)
"""Why the server closes a connection."""


class Refused(GameError):
    """A command or a request that is refused. ``code`` is stable, the message is for developers."""

    def __init__(self, code: Ending, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after
        """The seconds to wait before a retry, if known."""


def code_of(error: GameError) -> Ending:
    """The code with which an error is reported to a client."""
    return cast(Ending, error.code) if error.code in _CODES else "game_error"


_CODES = frozenset(code for codes in get_args(Ending) for code in get_args(codes))
