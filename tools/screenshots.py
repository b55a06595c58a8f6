"""Take screenshots of every screen of the web client, into the folder ``screenshots``.

    python3 run.py screenshots                     # the usual sizes, light and dark, in English and German
    python3 run.py screenshots chain home          # only names with these prefixes
    python3 run.py screenshots --all               # every size
    python3 run.py screenshots --size 844x390 --theme dark --language fr

At 1280x800 each screen is also taken in grey (no information may depend on colour), long pages in full
length.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from escadaria.i18n import LANGUAGES
from server.coached import write_chain_solution, write_solution
from serving import Server
from system.browser.people import Person
from system.browser.screens import SCREENS, Screen
from system.browser.setup import chromium, memory

FOLDER = ROOT / "screenshots"
DESK = "1280x800"
USUAL = (DESK, "390x844", "390x664")
SIZES = ("360x600", "390x664", "390x844", "844x390", "820x1180", "1024x768", DESK, "1440x900")
LONG = ("rules",)
"""Prefixes of screens that are too long for a full-length screenshot."""
GREY = "html { filter: grayscale(1); }"


def main() -> None:
    """Start a server and a browser, and take the screenshots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"prefixes of {', '.join(SCREENS)}")
    parser.add_argument("--size", action="append", help=f"WIDTHxHEIGHT; usually {', '.join(USUAL)}")
    parser.add_argument("--all", action="store_true", help=f"the sizes {', '.join(SIZES)}")
    parser.add_argument("--theme", action="append", choices=("light", "dark"))
    parser.add_argument("--language", action="append", choices=LANGUAGES)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    wanted = parser.parse_args()
    chosen = [name for name in SCREENS if not wanted.names or name.startswith(tuple(wanted.names))]
    sizes = wanted.size or (SIZES if wanted.all else USUAL)
    themes = wanted.theme or ["light", "dark"]
    wanted.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        live = Server(Path(folder))
        live.start()
        write_solution(live.cache)
        write_chain_solution(live.cache)
        try:
            with chromium() as browser:
                for name in chosen:
                    screen = SCREENS[name](live.url)
                    for size in sizes:
                        for language in wanted.language or ["en", "de"]:
                            stem = f"{wanted.folder / name}-{size}-{language}"
                            take(browser, live.url, screen, size, language, themes, stem)
                    print(name, flush=True)
        finally:
            live.stop()
    print(f"{wanted.folder}: {len(list(wanted.folder.glob('*.png')))} pictures")


def take(
    browser: Browser, url: str, screen: Screen, size: str, language: str, themes: list[str], stem: str
) -> None:
    """Take the screenshots of one screen at one size, in one language."""
    width, height = map(int, size.split("x"))
    viewport: ViewportSize = {"width": width, "height": height}
    context = browser.new_context(
        storage_state=memory(url, seats=screen.seats, language=language, name="Ana"),
        viewport=viewport, has_touch=min(width, height) < 600,
    )  # fmt: skip
    person = Person(context, url, language)
    screen.show(person)
    for theme in themes:
        person.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        person.page.screenshot(path=f"{stem}-{theme}.png")
    if size == DESK and language == "en":
        more(person.page, stem, screen)
    context.close()


def more(page: Page, stem: str, screen: Screen) -> None:
    """Take it in full length and in grey."""
    page.emulate_media(color_scheme="light")
    is_long = page.evaluate("document.documentElement.scrollHeight > innerHeight + 40")
    if is_long and not screen.path.strip("/").startswith(LONG):
        page.screenshot(path=f"{stem}-whole.png", full_page=True)
    page.add_style_tag(content=GREY)
    page.screenshot(path=f"{stem}-grey.png")


if __name__ == "__main__":
    main()
