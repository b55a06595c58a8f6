"""The texts as the browser takes them."""

from __future__ import annotations

import re
from typing import Any

from escadaria.i18n import load

TERMINAL_ONLY = ("play.about", "play.command", "play.count", "replay.", "simulate.", "verify.")
"""What the browser never says."""

LATER = re.compile(r"(web\.)?strategy\.|web\.position\.(?!title$|edit$)")
"""Texts of a few pages. They are loaded with these pages, so that the first page loads faster."""


def texts_json(language: str, later: bool = False) -> dict[str, Any]:
    """From key to text, as far as the browser uses it: with the first page, or ``later``.

    A text with plural forms is an object of its forms and what they count.
    :raises BadOptions: if there is no such language.
    """
    return {
        key: message.forms[0]
        if not message.counted
        else {"forms": list(message.forms), "counted": message.counted}
        for key, message in load(language).messages.items()
        if not key.startswith(TERMINAL_ONLY) and bool(LATER.match(key)) == later
    }
