"""Tokens of members: random ones, and ones derived from the server's secret key.

Only digests of tokens are stored. The key is created with the database and never leaves the server.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets


def new_token() -> str:
    """A secret of 256 bits."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """The digest under which a token or code is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


class Tokens:
    """Derives tokens, so that a request repeated after a lost connection or a crash gets the same one."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def for_guest(self, match: str, guest: str, request: str) -> str:
        """The token of a guest who takes a seat by this request; ``guest`` is the guest's secret."""
        return self._derive("guest", match, guest, request)

    def for_code(self, match: str, code: str) -> str:
        """The token that a recovery code is exchanged for."""
        return self._derive("code", match, code)

    def for_next(self, match: str, member: int) -> str:
        """The token of a member at ``match``, the next match at a table."""
        return self._derive("next", match, str(member))

    def _derive(self, *parts: str) -> str:
        text = "\n".join(parts).encode()
        return base64.urlsafe_b64encode(hmac.digest(self._key, text, "sha256")).decode().rstrip("=")
