"""The pages and files of the web client, as the build leaves them and as the server sends them."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import shutil
import struct
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from escadaria.catalogue import GAMES
from escadaria.i18n import LANGUAGES, PARTS, Texts, load, texts_json
from escadaria.server.http import head, pages
from escadaria.server.matches.hub import Hub
from escadaria.settings import Settings
from system.browser.setup import opened, played

pytestmark = pytest.mark.skipif(not pages._built(), reason="the web client is not built")


class Head(HTMLParser):
    """What a crawler reads of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.links: dict[str, list[str]] = {}
        self.lang = self.title = self.texts = ""
        self.parts: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self._inside = found.get("id", tag)
        if tag == "html":
            self.lang = found["lang"]
        elif tag == "meta" and "content" in found:
            name = found.get("name") or found.get("property", "")
            assert name not in self.meta or name == "theme-color", f"{name} stands twice"
            self.meta[name] = found["content"]
        elif tag == "link":
            self.links.setdefault(found["rel"], []).append(found["href"])
        elif found.get("id") == "texts":
            self.parts = found["data-parts"].split()

    def handle_data(self, data: str) -> None:
        if self._inside == "title":
            self.title += data
        elif self._inside == "texts":
            self.texts += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


def read(http: httpx.Client, path: str, language: str = "en", **headers: str) -> Head:
    answer = http.get(path, headers={"Accept-Language": language, **headers})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Head(answer.text)


# Files.


@pytest.mark.parametrize(
    "path", ["/assets/gone-1a2b3c4d.js", "/assets/gone.css", "/assets/", "/assets", "/api/gone"]
)
def test_a_missing_file_of_the_build_is_not_the_page(http: httpx.Client, path: str) -> None:
    """After an update an old page asks for scripts that are gone; HTML is no answer to that."""
    answer = http.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_robots_may_read_pages_but_not_the_api_and_tables(http: httpx.Client) -> None:
    answer = http.get("/robots.txt")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    groups = [group.splitlines() for group in re.split(r"\n\n+", answer.text.strip())]
    anyone = next(lines for lines in groups if "User-agent: *" in lines)
    assert {"Disallow: /api/", "Disallow: /t/"} < set(anyone)
    assert "Disallow: /" not in anyone
    previews = next(lines for lines in groups if "User-agent: Twitterbot" in lines)
    assert "Disallow: /api/" in previews and "Disallow: /t/" not in previews, "they show invitations"


def test_the_icon_is_there_for_old_and_new_browsers(http: httpx.Client) -> None:
    icon = http.get("/favicon.ico")
    assert icon.status_code == 200 and icon.headers["content-type"].endswith("icon")
    reserved, kind, number = struct.unpack("<HHH", icon.content[:6])
    assert (reserved, kind) == (0, 1) and number >= 1
    assert http.get(read(http, "/").links["icon"][0]).headers["content-type"] == "image/svg+xml"


def test_the_build_compresses_what_the_server_sends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from hatch_build import compress

    built = tmp_path / "static"
    shutil.copytree(pages.STATIC, built)
    (built / "assets" / "tiny.css").write_text("a{}")
    before = pages._read_files(built, 1)
    compress(built / "assets")
    compress(built / "assets")  # again changes nothing
    after = pages._read_files(built, 2)
    assert after.keys() == before.keys()
    assert all(file.body == before[name].body for name, file in after.items())
    names = {path.name for path in (built / "assets").iterdir()}
    assert "tiny.css" in names and "tiny.css.gz" not in names
    assert not [name for name in names if name.endswith(".js")], "only the compressed ones are left"
    for file in after.values():
        assert file.compressed is None or gzip.decompress(file.compressed) == file.body


# Heads.

SCREENS = ("new", "learn", "rules", "strategy", "position", "print")
PAGES = ["/", "/replay", "/about", *(f"/{screen}/{game}" for screen in SCREENS for game in GAMES)]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_describes_itself(http: httpx.Client, path: str, language: str) -> None:
    page = read(http, path, language)
    game = path.split("/")[2] if path.count("/") == 2 else ""
    assert page.lang == language
    assert "Escadaria" in page.title and page.meta["og:site_name"] == "Escadaria"
    assert 50 <= len(page.meta["description"]) <= 220
    assert page.meta["og:description"] == page.meta["description"]
    assert page.title.startswith(page.meta["og:title"])
    assert load(language)(f"{game}.name") in page.title + page.meta["description"] if game else True
    assert page.links["canonical"] == [page.meta["og:url"]] == [f"{http.base_url}".rstrip("/") + path]
    assert "robots" not in page.meta
    assert page.meta["twitter:card"] == "summary_large_image"
    assert page.meta["og:image"].endswith(f"/previews/{game or 'home'}.png")


def test_pages_do_not_share_their_descriptions(http: httpx.Client) -> None:
    found = [read(http, path) for path in PAGES]
    assert len({page.meta["description"] for page in found}) == len(found)
    assert len({page.title for page in found}) >= len(found) - 1  # the editors of both games


@pytest.mark.parametrize("name", ["home", *GAMES])
def test_previews_have_a_picture_of_the_size_they_claim(http: httpx.Client, name: str) -> None:
    page = read(http, "/" if name == "home" else f"/rules/{name}")
    answer = http.get(page.meta["og:image"])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == page.meta["og:image:type"] == "image/png"
    size = struct.unpack(">II", answer.content[16:24])
    assert size == (int(page.meta["og:image:width"]), int(page.meta["og:image:height"])) == (1200, 630)
    assert len(answer.content) < 100_000


@pytest.mark.parametrize("game", GAMES)
def test_an_invitation_names_the_game_and_is_not_indexed(http: httpx.Client, url: str, game: str) -> None:
    table = opened(url, game, 3, people=[{"name": "Zuzanna"}])
    page = read(http, table.path, "de")
    assert page.meta["og:title"] == load("de")("page.table.title", game=load("de")(f"{game}.name"))
    assert page.meta["og:image"].endswith(f"/previews/{game}.png")
    assert page.meta["robots"] == "noindex" and "canonical" not in page.links
    whole = http.get(table.path).text
    assert table.match not in whole and "Zuzanna" not in whole and table.token not in whole


def test_a_replay_names_the_game(http: httpx.Client, url: str) -> None:
    table = played(url, "rapido", 2, finish=20)
    page = read(http, f"/replay/{table.match}")
    assert page.meta["og:title"] == "A match of Rapido, roll by roll"
    assert page.meta["og:image"].endswith("/previews/rapido.png") and "canonical" not in page.links


@pytest.mark.parametrize(
    "path",
    ["/t/nothing", "/t/a/b", "/rules/nothing", "/%22%3E%3Cb%3E", "/t/%00", "/.stamp", "/.pages.json"],
)
def test_unknown_addresses_get_the_general_page(http: httpx.Client, path: str) -> None:
    page, home = read(http, path), read(http, "/")
    assert page.title == home.title and page.meta["og:image"] == home.meta["og:image"]
    assert page.meta["robots"] == "noindex" and "og:url" not in page.meta


def test_addresses_start_with_the_host_that_was_asked(http: httpx.Client, url: str) -> None:
    port = url.rpartition(":")[2]
    assert read(http, "/", Host=f"localhost:{port}").meta["og:image"].startswith(f"http://localhost:{port}/")
    for host in ("evil.example", 'x"><script>', "localhost:1/../"):
        assert http.get("/", headers={"Host": host}).status_code in (400, 421), host


@pytest.mark.parametrize(
    "host, hosts, origin",
    [
        ("play.example", "play.example", "https://play.example"),
        ("PLAY.example:8443", "*", "https://play.example:8443"),
        ("evil.example", "play.example", ""),
        ('play.example"', "*", ""),
    ],
)
def test_only_a_known_host_starts_absolute_addresses(host: str, hosts: str, origin: str) -> None:
    """The gate refuses other hosts before; a page would not repeat them anyway."""
    request: Any = SimpleNamespace(headers={"host": host}, scope={"scheme": "https"})
    hub: Any = SimpleNamespace(settings=Settings(hosts=hosts))
    assert pages._origin(request, hub) == origin


def test_whatever_a_text_contains_is_escaped() -> None:
    def evil(key: str, **_: object) -> str:
        return f'"><script>{key}</script>&'

    page = head.Page("rules", next(iter(GAMES)), "/rules/x")
    screens = {"rules": head.Screen("web.rules.of", (), {})}
    text = "".join(head.head(page, screens, cast(Texts, evil), 'http://a"b', {}))
    assert "<script" not in text and 'a"b' not in text
    found = Head(text)
    assert found.title == evil("web.rules.of") + " · Escadaria"
    assert found.meta["og:title"] == evil("web.rules.of")
    assert found.links["canonical"] == ['http://a"b/rules/x']


# Texts and scripts.


@pytest.mark.parametrize(
    "path, parts",
    [
        ("/", ["home"]),
        ("/new/rapido", ["home", "play"]),
        ("/t/any", ["home", "play"]),
        ("/rules/chain", ["home", "play", "learn"]),
        ("/strategy/chain", ["home", "play", "study"]),
        ("/about", ["home", "learn"]),
        ("/print/chain", ["home", "play", "learn"]),
    ],
)
def test_a_page_brings_the_texts_of_its_screen(http: httpx.Client, path: str, parts: list[str]) -> None:
    page = read(http, path, "fr-CH, fr;q=0.9, en;q=0.8")
    assert page.parts == parts
    assert json.loads(page.texts) == texts_json("fr", *parts)
    assert "<" not in page.texts


def test_the_parts_of_the_texts_are_disjoint_and_complete(http: httpx.Client) -> None:
    parts = [http.get(f"/api/texts/it/{part}").json() for part in PARTS]
    assert sum(map(len, parts)) == len(http.get("/api/texts/it").json())
    assert {key for part in parts for key in part} == set(texts_json("it"))
    assert http.get("/api/texts/it/nothing").json()["code"] == "bad_options"
    assert not [key for key in texts_json("it") if key.startswith(("page.", "arena.", "verify."))]


SCRIPTS = {
    "new": ["NewMatch"], "learn": ["Learn", "{}"], "rules": ["Rules", "{}"], "table": ["Table", "{}"],
    "strategy": ["Strategy", "{}", "study"], "position": ["Position", "{}", "study"],
    "replay": ["Replay", "{}"], "print": ["Print", "print"], "about": ["About"],
}  # fmt: skip
"""The names of the scripts that a screen loads with a game."""


def scripts(links: dict[str, list[str]]) -> dict[str, str]:
    """The scripts that a page links to, by their names without the hash."""
    return {re.sub(r"/assets/(\w+)-[\w-]{8}\.js", r"\1", path): path for path in links["modulepreload"]}


@pytest.mark.parametrize("screen", SCRIPTS)
@pytest.mark.parametrize("game", GAMES)
def test_a_page_links_to_the_files_of_its_screen_and_game(http: httpx.Client, screen: str, game: str) -> None:
    """All of them are known before the first script runs, and all exist."""
    known = pages._read_screens(pages.STATIC, pages._built())[screen]
    links, *others = (
        Head("".join(head.preloads(head.Page(screen, name), known))).links
        for name in sorted(GAMES, key=lambda name: name != game)
    )
    found = scripts(links)
    assert {name.format(game) for name in SCRIPTS[screen]} <= set(found)
    for name in SCRIPTS[screen][1:]:
        assert found[name.format(game)] not in [path for other in others for path in other["modulepreload"]]
    for path in (*links["modulepreload"], *links.get("stylesheet", [])):
        assert http.get(path).status_code == 200
    index = (pages.STATIC / "index.html").read_text("utf-8")
    assert not [path for path in links["modulepreload"] if path in index], "once is enough"


def test_a_table_links_to_the_files_of_its_game_only(http: httpx.Client, url: str) -> None:
    for game, other in (("rapido", "chain"), ("chain", "rapido")):
        found = scripts(read(http, opened(url, game).path).links)
        assert game in found and other not in found


def test_pages_are_compressed_once_and_revalidated(http: httpx.Client) -> None:
    page = http.get("/rules/rapido", headers={"Accept-Language": "de"})
    assert page.headers["content-encoding"] == "gzip"
    assert page.headers["cache-control"] == "no-cache"
    assert page.headers["vary"] == "Accept-Encoding, Accept-Language"
    assert "script-src" not in page.headers["content-security-policy"], "no script of the page itself is run"
    plain = http.get("/rules/rapido", headers={"Accept-Language": "de", "Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.text == page.text
    known = {"Accept-Language": "de", "If-None-Match": page.headers["etag"]}
    assert http.get("/rules/rapido", headers=known).status_code == 304
    assert http.get("/rules/rapido", headers=known | {"Accept-Language": "en"}).status_code == 200
    first = pages._page(pages._built(), head.Page("home"), "en", "http://a")
    assert pages._page(pages._built(), head.Page("home"), "en", "http://a") is first


def test_a_page_does_not_wait_for_a_store_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_LOOKUP_SECONDS", 0.01)

    class Hangs:
        async def room(self, match: str) -> None:
            await asyncio.Event().wait()

    assert asyncio.run(pages._game_of("any", cast(Hub, Hangs()))) == ""
