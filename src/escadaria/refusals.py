"""Refusals: why a command or a request cannot be granted, as one closed list of codes.

Tables, the server, its clients and the translations (``error.CODE``) share the list; ``docs/protocol.md``
says what a client should do about each. To add a code, add it here: the type checker and the tests say where
else it is needed.
"""

from __future__ import annotations

from typing import Literal, cast, get_args

from escadaria.game import GameError

RefusalCode = Literal[
    # About the game.
    "illegal_action",  # the action exists, but not in this position
    "invalid_text",  # the text is no action, position or board
    "bad_options",  # no such game, option, value or language
    "unknown_bot",  # no such bot
    "bad_record",  # the text is no record
    "not_rolling",  # no dice are to fall at the position
    "no_evaluator",  # nothing knows what positions of this game are worth
    "game_error",  # the game or the table cannot do that, for another reason
    # About the match and who takes part in it.
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
    "no_undo",  # there is nothing that the seat may take back
    "not_practice",  # only at a practice table
    "forbidden",  # no valid token, key or code; not the host; no seat; a page of another site
    "seat_taken",
    "table_full",
    "unknown_seat",  # nobody sits there, or there is no such seat
    "seats_free",  # to start, all seats must be taken
    "colour_taken",
    "bad_name",
    "fixed",  # the setting cannot be changed after the start
    "not_sealed",  # entropy without a promise of the dice
    "unknown_match",
    "running",  # the match can be read when it is over
    "too_long",  # the match has more events than any real one
    "later_version",  # stored or played by a later version of Escadaria
    # About the server.
    "malformed",  # no JSON, or not of the documented form
    "too_fast",  # a limit on frames, requests, bytes or work
    "too_many",  # a limit on connections or tables
    "busy",  # other requests were first, or too many wait
    "store_unavailable",  # the database cannot be read or written now
    "closing",  # the server shuts down
    "not_found",  # no such address
    "bad_method",
    "too_large",
    "late",  # the request did not arrive in time
    "unknown_host",  # the server does not answer to that host name
    "http",  # another mistake in an HTTP request
    "internal",  # a mistake in the server
]

Ending = (
    RefusalCode
    | Literal[
        "restart",  # the server restarts: come back in a moment
        "too_slow",  # the client does not read what it is sent
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
        """After how many seconds it may be tried again, where that is known."""


def code_of(error: GameError) -> Ending:
    """The code with which an error is reported to a client."""
    return cast(Ending, error.code) if error.code in _CODES else "game_error"


_CODES = frozenset(code for codes in get_args(Ending) for code in get_args(codes))
