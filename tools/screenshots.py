"""Take screenshots of every screen of the web client, into the folder ``screenshots``.

    python3 run.py screenshots                     # all of them
    python3 run.py screenshots chain home          # only names with these prefixes

Each screen is taken at 1280 by 800 and 390 by 844, light and dark; on the phone also in German, on the
desktop also in grey (no information may depend on colour). Long pages are also taken in full length.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from browser.people import Person  # noqa: E402
from browser.screens import SCREENS, Screen  # noqa: E402
from browser.setup import chromium, memory  # noqa: E402
from server.coached import write_chain_solution, write_solution  # noqa: E402
from server.conftest import Live  # noqa: E402

FOLDER = ROOT / "screenshots"
SIZES: dict[str, ViewportSize] = {
    "desk": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
}
LONG = ("rules",)
"""Prefixes of screens that are too long for a full-length screenshot."""
GREY = "html { filter: grayscale(1); }"


def main() -> None:
    """Start a server and a browser, and take the screenshots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"prefixes of {', '.join(SCREENS)}")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    chosen = [name for name in SCREENS if not arguments.names or name.startswith(tuple(arguments.names))]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        live = Live(Path(folder), {"log_level": "info"})
        write_solution(live.cache)
        write_chain_solution(live.cache)
        try:
            with chromium() as browser:
                for name in chosen:
                    take(browser, live.url, name, SCREENS[name](live.url), arguments.folder)
                    print(name, flush=True)
        finally:
            live.stop()
    print(f"{arguments.folder}: {len(list(arguments.folder.glob('*.png')))} pictures")


def take(browser: Browser, url: str, name: str, screen: Screen, folder: Path) -> None:
    """Take all screenshots of one screen."""
    for size, viewport in SIZES.items():
        for language in ("en", "de") if size == "phone" else ("en",):
            context = browser.new_context(
                storage_state=memory(url, seats=screen.seats, language=language, name="Ana"),
                viewport=viewport, color_scheme="light", has_touch=size == "phone",
            )  # fmt: skip
            person = Person(context, url, language)
            screen.show(person)
            page = person.page
            start = f"{folder / name}-{size}"
            if language != "en":
                page.screenshot(path=f"{start}-{language}.png")
            else:
                for theme in ("light", "dark"):
                    page.emulate_media(color_scheme=theme)
                    page.screenshot(path=f"{start}-{theme}.png")
                page.emulate_media(color_scheme="light")
                if size == "desk":
                    more(page, start, name)
            context.close()


def more(page: Page, start: str, name: str) -> None:
    """Take it in full length and in grey."""
    if page.evaluate("document.documentElement.scrollHeight > innerHeight + 40") and not name.startswith(
        LONG
    ):
        page.screenshot(path=f"{start}-whole.png", full_page=True)
    page.add_style_tag(content=GREY)
    page.screenshot(path=f"{start}-grey.png")


if __name__ == "__main__":
    main()
