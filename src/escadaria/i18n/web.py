"""The texts as JSON for the browser, in parts: a screen loads the parts that it shows."""

from __future__ import annotations

import re
from typing import Any

from escadaria.game import BadOptions
from escadaria.i18n import load

_NOT_FOR_BROWSERS = re.compile(
    r"(arena|page|replay|simulate|solve|verify)\."
    r"|play\.(?!example$|picture\.|preview\.|question$|roll$|several\.)"
)
"""Texts of the terminal and of the server."""

PARTS = {
    "home": re.compile(
        r"\w+\.(name$|tagline$|option\.)|colour\."
        r"|error\.(busy|closing|http|internal|offline|store_unavailable|too_fast|too_many|unknown_match)$"
        r"|play\.picture\.(centre|start)$|web\.(home|name|theme|speed|error|lost)\b|web\.\w+\.(summary$|standing\b)"
        r"|web\.(about|after\.again|auto_roll|close|language|at_table|loading|on_device|online|position\.title"
        r"|rules|rules\.play|settings|sound|strategy)$"
    ),
    "learn": re.compile(r"(rules|lesson)\.|web\.(learn\.|about\.|print\b|rules\.(?!hands$|loose$|value$))"),
    "study": re.compile(r"(web\.)?strategy\.|web\.position\.(?!edit$)"),
    "play": re.compile(""),
}
"""The parts: the home screen; rules and lessons; strategy and positions; and everything else.

A text belongs to the first part that matches its key.
"""


def texts_json(language: str, *parts: str) -> dict[str, Any]:
    """The texts of the browser by key: those of some parts, by default of all.

    A text with plural forms is an object with its forms and the counted placeholder.

    :raises BadOptions: if there is no such language or part.
    """
    for part in parts:
        if part not in PARTS:
            raise BadOptions(f"there is no part {part!r} of the texts, there are {', '.join(PARTS)}")
    return {
        key: message.forms[0]
        if not message.counted
        else {"forms": list(message.forms), "counted": message.counted}
        for key, message in load(language).messages.items()
        if part_of(key) in (parts or PARTS)
    }


def part_of(key: str) -> str | None:
    """The part that a text belongs to; None if browsers do not use it."""
    if _NOT_FOR_BROWSERS.match(key):
        return None
    return next(part for part, pattern in PARTS.items() if pattern.match(key))
