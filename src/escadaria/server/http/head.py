"""The head of a page: title, description, link preview, and the files that its screen loads."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from escadaria.catalogue import GAMES
from escadaria.i18n import Texts

_WITH_GAME = ("new", "learn", "rules", "strategy", "position", "print")
"""The screens whose address names a game."""

IMAGE_SIZE = (1200, 630)


class Screen(msgspec.Struct, frozen=True):
    """A screen of the client, as its build describes it (``web/pages-plugin.ts``)."""

    title: str
    """The key of the title. The key of the description is ``page.SCREEN.about``."""
    texts: tuple[str, ...]
    """The parts of the texts that it shows."""
    files: dict[str, list[str]]
    """The scripts and styles that it loads with each game of the client, and with others (the empty name)."""


@dataclass(frozen=True, slots=True)
class Page:
    """What an address shows, as in ``routeOf`` of the client; the same for all matches of a game."""

    screen: str
    game: str = ""
    """A game of the catalogue; empty if the page is about none, or it is unknown."""
    address: str = ""
    """The path for search engines; empty for the pages of matches."""


def page_of(path: str) -> tuple[Page, str]:
    """The page at a path, and the match that it shows, whose game is not known yet."""
    first, second, *rest = [*filter(None, path.split("/")), "", ""]
    if not first:
        return Page("home", address="/"), ""
    if any(rest):
        return Page("lost"), ""
    if first in ("t", "replay") and re.fullmatch(r"[\w-]{1,64}", second, re.ASCII):
        return Page("table" if first == "t" else "replay"), second
    if first == "replay" and not second:
        return Page("replay", address="/replay"), ""
    if first == "about" and not second:
        return Page("about", address="/about"), ""
    if first in _WITH_GAME and second in GAMES:
        return Page(first, second, f"/{first}/{second}"), ""
    return Page("lost"), ""


def head(
    page: Page, screens: Mapping[str, Screen], texts: Texts, origin: str, files: Collection[str]
) -> Iterator[str]:
    """The elements of a page's head, as HTML. ``origin`` starts absolute addresses of ``files``."""
    screen = page.screen if page.game or page.screen in ("replay", "about") else "home"
    about = _about(page.game, texts)
    title_key = screens[screen].title if screen != "replay" or page.game else "web.replay.title"
    title = texts(title_key, **about)
    description = texts(f"page.{screen}.about", **about)
    image = f"/previews/{page.game}.png"
    image = image if page.game and image in files else "/previews/home.png"
    yield f"<title>{_escaped(title if screen == 'home' else f'{title} · Escadaria')}</title>"
    yield _meta("name", "description", description)
    if page.address:
        yield f'<link rel="canonical" href="{_escaped(origin + page.address)}" />'
        yield _meta("property", "og:url", origin + page.address)
    elif page.screen in ("table", "lost"):
        yield _meta("name", "robots", "noindex")
    yield _meta("property", "og:site_name", "Escadaria")
    yield _meta("property", "og:type", "website")
    yield _meta("property", "og:title", title)
    yield _meta("property", "og:description", description)
    if image in files:
        yield _meta("property", "og:image", origin + image)
        yield _meta("property", "og:image:type", "image/png")
        yield _meta("property", "og:image:width", str(IMAGE_SIZE[0]))
        yield _meta("property", "og:image:height", str(IMAGE_SIZE[1]))
        yield _meta("property", "og:image:alt", about["game"] or "Escadaria")
        yield _meta("name", "twitter:card", "summary_large_image")


def preloads(page: Page, screen: Screen) -> Iterator[str]:
    """Links to the scripts and styles of a page's screen and game.

    Without them the browser would learn of these files only after it has run the first script.
    """
    for file in screen.files.get(page.game, screen.files[""]):
        kind = "stylesheet" if file.endswith(".css") else "modulepreload"
        yield f'<link rel="{kind}" crossorigin href="/{file}" />'


def _about(game: str, texts: Texts) -> dict[str, Any]:
    """What titles and descriptions say about a game."""
    if not game:
        return {"game": ""}
    players = GAMES[game].OPTIONS[0]
    return {
        "game": texts(f"{game}.name"),
        "tagline": texts(f"{game}.tagline"),
        "low": players.low,
        "high": players.high,
    }


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{_escaped(content.strip())}" />'


_escaped = html.escape
