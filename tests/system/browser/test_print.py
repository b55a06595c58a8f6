"""Print and play: the pages on paper, and the PDF that `escadaria print` makes of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from escadaria.cli import app
from escadaria.printing import find_chromium
from system.browser.conftest import Come
from system.browser.screens import printable
from system.browser.setup import PATIENCE

PAPERS = {"a4": (595, 842), "letter": (612, 792)}
"""Width and height in points."""
MILLIMETRE = 96 / 25.4
PAGES = {"rapido": 5, "chain": 4}

CUT = """() => [...document.querySelectorAll('.whole')].flatMap((sheet) => {
  const paper = sheet.getBoundingClientRect();
  return [...sheet.querySelectorAll(':scope > *, .aid, .aid li, .cuts > *')]
    .filter((part) => {
      const box = part.getBoundingClientRect();
      const hides = part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflow !== 'visible';
      return hides || box.bottom > paper.bottom + 0.5 || box.right > paper.right + 0.5 || box.height < 5;
    })
    .map((part) => `${sheet.getAttribute('aria-label')}: ${part.outerHTML.slice(0, 100)}`);
})"""


def pages_of(pdf: bytes) -> list[tuple[int, int]]:
    """The sizes of all pages, in points."""
    count = len(re.findall(rb"/Type\s*/Page\b", pdf))
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", pdf)
    assert len(boxes) == count
    return [(round(float(w)), round(float(h))) for w, h in boxes]


@pytest.mark.parametrize("game, paper", [("rapido", "a4"), ("chain", "letter")])
def test_the_pages_fit_on_paper(come: Come, game: str, paper: str) -> None:
    fit(come, game, paper, "de")


def fit(come: Come, game: str, paper: str, language: str) -> None:
    """Assert that the pages of a game have their number and size, and that nothing is cut."""
    person = come(language=language, page={"color_scheme": "dark"})
    person.go(f"/print/{game}?paper={paper}")
    printable(person)
    pdf = person.page.pdf(prefer_css_page_size=True)
    assert pages_of(pdf) == [PAPERS[paper]] * PAGES[game]
    # laid out as it is printed
    width = PAPERS[paper][0] / 72 * 96 - 20 * MILLIMETRE
    person.page.set_viewport_size({"width": int(width), "height": 1000})
    person.page.emulate_media(media="print")
    assert person.page.evaluate(CUT) == []
    assert person.page.locator(".aid").count() == 6, "one for each player"
    assert person.page.evaluate("document.querySelectorAll('.whole pattern').length") == 0, "bitmaps on paper"


def test_any_board_is_printed_and_a_wrong_one_is_named(come: Come) -> None:
    person = come()
    person.go("/print/chain?board=60 7>11 10>5")
    printable(person)
    board = person.named("img", "rules.chain.part.board")
    long = board.locator("rect").count()
    person.page.locator("label", has_text=person.say("chain.option.board.short")).click()
    person.page.wait_for_url("**board=short")
    assert board.locator("rect").count() < long - 30
    for wrong in ("60 7>11 11>5", "17", "nonsense"):
        person.go("/lost").go(f"/print/chain?board={wrong}")
        person.reads("web.print.bad")
    person.go("/print/rapido?finish=50")
    printable(person)
    assert person.page.locator(".whole").count() == 6, "three parts of the stairs, the tower, two with aids"


def test_the_command_makes_a_pdf(tmp_path: Path) -> None:
    out = tmp_path / "chain.pdf"
    words = ["chain", "--lang", "de", "--paper", "letter", "--option", "board=short", "--out", str(out)]
    made = subprocess.run(
        [sys.executable, "-m", "escadaria", "print", *words],
        capture_output=True, text=True, encoding="utf-8", timeout=10 * PATIENCE,
        env={**os.environ, "PYTHONUTF8": "1", "CHROMIUM": find_chromium()}, check=False,
    )  # fmt: skip
    assert (made.returncode, made.stdout.strip()) == (0, str(out)), made.stderr
    assert pages_of(out.read_bytes()) == [PAPERS["letter"]] * 4


@pytest.mark.parametrize(
    "words, said",
    [
        (["rapido"], "/nowhere/chromium"),
        (["rapido", "--paper", "a3"], "'a3', there are a4 and letter"),
        (["rapido", "--option", "finish=51"], "(R3)"),
        (["go"], "'go'"),
    ],
)
def test_the_command_says_what_is_wrong(tmp_path: Path, words: list[str], said: str) -> None:
    out = tmp_path / "out.pdf"
    made = CliRunner().invoke(
        app, ["print", *words, "--out", str(out)], env={"CHROMIUM": "/nowhere/chromium"}
    )
    assert made.exit_code == 2 and said in made.stderr and not out.exists()
    assert len(made.stderr.strip().splitlines()) <= 3
