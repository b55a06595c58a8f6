"""The head of a page: title, description, link preview, and the files that its screen loads."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from escadaria.catalogue import GAMES
from escadaria.i18n import Texts

TITLES = {
    "home": "web.home.title",
    "new": "web.rules.play",
    "learn": "web.learn.title",
    "rules": "web.rules.of",
    "strategy": "web.strategy.of",
    "position": "web.position.title",
    "table": "page.table.title",
    "replay": "page.replay.title",
    "print": "web.print.of",
    "about": "web.about",
}
"""The text of each screen's title. Its description is ``page.SCREEN.about``."""

SCREENS = {
    "new": "src/screens/new/NewMatch.svelte",
    "learn": "src/screens/learn/Learn.svelte",
    "rules": "src/screens/rules/Rules.svelte",
    "strategy": "src/screens/strategy/Strategy.svelte",
    "position": "src/screens/position/Position.svelte",
    "table": "src/screens/table/Table.svelte",
    "replay": "src/screens/replay/Replay.svelte",
    "print": "src/screens/print/Print.svelte",
    "about": "src/screens/about/About.svelte",
}
"""The module of each screen; the home screen is part of the first script."""

WITH_GAME = {
    "learn": ("index",),
    "rules": ("index",),
    "strategy": ("index", "study"),
    "position": ("index", "study"),
    "table": ("index",),
    "replay": ("index",),
    "print": ("print",),
}
"""The modules in a game's folder that a screen loads."""

TEXTS = {
    "home": ("home",),
    "lost": ("home",),
    "learn": ("home", "play", "learn"),
    "rules": ("home", "play", "learn"),
    "strategy": ("home", "play", "study"),
    "position": ("home", "play", "study"),
    "print": ("home", "play", "learn"),
    "about": ("home", "learn"),
}
"""The parts of the texts that a screen shows; other screens show ``home`` and ``play``."""

IMAGE_SIZE = (1200, 630)


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
    if first in SCREENS and first not in ("table", "replay", "about") and second in GAMES:
        return Page(first, second, f"/{first}/{second}"), ""
    return Page("lost"), ""


def head(page: Page, texts: Texts, origin: str, files: Collection[str]) -> Iterator[str]:
    """The elements of a page's head, as HTML. ``origin`` starts absolute addresses of ``files``."""
    screen = page.screen if page.game or page.screen in ("replay", "about") else "home"
    about = _about(page.game, texts)
    title = texts("web.replay.title" if screen == "replay" and not page.game else TITLES[screen], **about)
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


def preloads(page: Page, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Links to the scripts and styles of a page's screen and game, by the manifest of the build.

    Without them the browser would learn of these files only after it has run the first script.
    """
    modules = [SCREENS[page.screen]] if page.screen in SCREENS else []
    if page.game:
        modules += [f"src/games/{page.game}/{name}.ts" for name in WITH_GAME.get(page.screen, ())]
    first = set(_chunks("index.html", manifest))  # index.html links to these itself
    found = dict.fromkeys(chunk for module in modules for chunk in _chunks(module, manifest))
    needed = [chunk for chunk in found if chunk not in first]
    for chunk in needed:
        yield f'<link rel="modulepreload" crossorigin href="/{manifest[chunk]["file"]}" />'
    styles = dict.fromkeys(
        style for chunk in needed if chunk not in first for style in manifest[chunk].get("css", ())
    )
    for style in styles:
        yield f'<link rel="stylesheet" crossorigin href="/{style}" />'


def _chunks(name: str, manifest: Mapping[str, Any], seen: tuple[str, ...] = ()) -> Iterator[str]:
    """A chunk and all that it imports, by their names in the manifest."""
    if name in manifest and name not in seen:
        yield name
        for imported in manifest[name].get("imports", ()):
            yield from _chunks(imported, manifest, (*seen, name))


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
