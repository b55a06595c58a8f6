"""The texts as JSON for the browser."""

from __future__ import annotations

import re
from typing import Any

from escadaria.i18n import load

TERMINAL_ONLY = ("play.about", "play.command", "play.count", "replay.", "simulate.", "verify.")
"""Prefixes of texts that the browser does not use."""

DEFERRED = re.compile(r"(web\.)?strategy\.|web\.position\.(?!title$|edit$)")
"""Texts that are loaded with their pages, so that the first page loads faster."""


def texts_json(language: str, later: bool = False) -> dict[str, Any]:
    """The texts of the browser by key: those of the first page, or with ``later`` the others.

    A text with plural forms is an object with its forms and the counted placeholder.

    :raises BadOptions: if there is no such language.
    """
    return {
        key: message.forms[0]
        if not message.counted
        else {"forms": list(message.forms), "counted": message.counted}
        for key, message in load(language).messages.items()
        if not key.startswith(TERMINAL_ONLY) and bool(DEFERRED.match(key)) == later
    }
