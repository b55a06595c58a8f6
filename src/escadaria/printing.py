"""The pages to print as PDF, made by a Chromium on this machine from the pages of the web client."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from escadaria.game import GameError

PAPERS = ("a4", "letter")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_PLACES = (
    "/usr/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_SECONDS = 120


class CannotPrint(GameError):
    """There is no Chromium, or it made no PDF."""

    code = "cannot_print"


def find_chromium() -> str:
    """The program named by the variable CHROMIUM, or one in a usual place.

    :raises CannotPrint: if there is none.
    """
    named = os.environ.get("CHROMIUM")
    if named and not Path(named).exists():
        raise CannotPrint(f"the variable CHROMIUM names {named!r}, which does not exist")
    found = next(
        (path for path in (named, *map(shutil.which, _NAMES), *_PLACES) if path and Path(path).exists()), ""
    )
    if not found:
        raise CannotPrint(
            "a PDF needs Chromium or Chrome, and there is none here. Install one (Debian: apt-get install "
            "chromium) or name one by the variable CHROMIUM; or run `escadaria serve`, open /print/GAME in "
            "any browser, and print from there"
        )
    return found


def write_pdf(game: str, out: Path, language: str, paper: str, options: Mapping[str, str]) -> None:
    """Write the pages of a game: board, player aids, cut-outs and rules.

    It starts a server on a free port of this machine, and stops it afterwards.

    :raises CannotPrint: if there is no Chromium, or it made no PDF.
    """
    chromium = find_chromium()
    command = [sys.executable, "-m", "escadaria", "serve", "--port", "0", "--database"]
    with (
        tempfile.TemporaryDirectory(prefix="escadaria-") as folder,
        subprocess.Popen(
            [*command, f"{folder}/db"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        ) as server,
    ):
        try:
            assert server.stdout
            url = next((word for word in server.stdout.readline().split() if word.startswith("http")), "")
            if not url:
                raise CannotPrint("the server did not start: see `escadaria serve`")
            page = f"{url}/print/{game}?{urlencode({'paper': paper, **options})}"
            made = Path(folder, "pages.pdf")
            _print(chromium, page, language, made, folder)
            shutil.copyfile(made, out)
        finally:
            server.terminate()


def _print(chromium: str, page: str, language: str, made: Path, folder: str) -> None:
    words = [
        chromium, "--headless", "--disable-gpu", "--no-first-run",
        f"--user-data-dir={folder}/profile", f"--accept-lang={language}", "--no-pdf-header-footer",
        "--virtual-time-budget=20000",  # milliseconds; it ends earlier if no requests are pending
        f"--print-to-pdf={made}",
    ]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--no-sandbox")  # Chromium refuses to run as root with it
    try:
        ran = subprocess.run([*words, page], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotPrint(f"{chromium} made no PDF: {error}") from error
    if ran.returncode or not made.is_file():
        raise CannotPrint(f"{chromium} made no PDF: {ran.stderr.strip()[-500:]}")
