"""How a page looks: what is too wide, cut, covered, small, not translated, or found by axe."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from escadaria.i18n import load
from system.browser.people import Person
from system.browser.setup import TALL

TARGET = 44
"""The least width and height of what is tapped."""
AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"

TOO_WIDE = """() => {
  const most = document.documentElement.clientWidth;
  const scrolls = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
  if (scrolls <= most) return [];
  const sticksOut = (element) => element.getBoundingClientRect().right > most + 0.5;
  const out = [...document.body.querySelectorAll('*')].filter(sticksOut);
  return [`${scrolls} > ${most}`, ...out.slice(0, 5).map((e) => e.outerHTML.slice(0, 120))];
}"""

LEFTOVER_KEYS = """() => {
  const key = /^(web|rapido|chain|play|error|bot|colour)\\.[a-z_.]+$/;
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const texts = [...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.data : ''));
    for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext'])
      texts.push(element.getAttribute(name) ?? '');
    found.push(...texts.filter((text) => key.test(text.trim()) || /\\{\\w+\\}|undefined|NaN/.test(text)));
  }
  return found;
}"""

SMALL_TARGETS = """(least) => {
  const found = [];
  const controls = 'a[href], button, input, select, textarea, summary, [role=radio]';
  for (const element of document.querySelectorAll(controls)) {
    const seen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!seen && !element.closest('label')) continue;
    if (document.querySelector('dialog:modal') && !element.closest('dialog')) continue;
    const label = element.closest('label') ?? element;
    const style = getComputedStyle(element);
    if (style.display === 'inline') continue; // a link within a sentence
    const box = label.getBoundingClientRect();
    if (!box.width || !box.height || element.disabled) continue;
    if (box.width >= least - 0.5 && box.height >= least - 0.5) continue;
    // perhaps it can be hit beside what is seen of it
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { x, y, width, height } = label.getBoundingClientRect();
    const far = least / 2 - 1.5;
    const missed = [[-far, 0], [far, 0], [0, -far], [0, far]].some(([dx, dy]) => {
      const hit = document.elementFromPoint(x + width / 2 + dx, y + height / 2 + dy);
      return !hit || (!label.contains(hit) && !element.contains(hit));
    });
    if (missed) found.push(`${Math.round(width)}x${Math.round(height)} ${element.outerHTML.slice(0, 140)}`);
  }
  return found;
}"""

SETTLED = """() => Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished),
).then(() => undefined)"""
"""The colours of a new theme have arrived."""

CUT = """() => [...document.querySelectorAll('.turn-dock :is([data-action], [role=radio], .btn, .hand)')]
  .filter((box) => {
    const { top, bottom, left, right } = box.getBoundingClientRect();
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const around = text.parentElement;
      if (!text.data.trim() || around.closest('.vh')) continue;
      if (!around.checkVisibility({ visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const at = range.getBoundingClientRect();
      if (at.top < top - 1 || at.bottom > bottom + 1) return true;
      if (at.left < left - 1 || at.right > right + 1) return true;
    }
    return false;
  })
  .map((box) => box.outerHTML.replace(/<svg.*?<.svg>/gs, '').slice(0, 400))"""
"""The controls of the dock whose text sticks out of them."""

OUT_OF_VIEW = """(controls, least) => controls
  .filter((control) => {
    const { x, y, right, bottom, width, height } = control.getBoundingClientRect();
    if (x < 0 || y < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) return true;
    if (width < least - 0.5 || height < least - 0.5) return true;
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    return !hit || !(control.contains(hit) || control.labels?.[0]?.contains(hit));
  })
  .map((one) => `${JSON.stringify(one.getBoundingClientRect())} ${one.outerHTML.slice(0, 140)}`)"""

SCROLLS = "document.documentElement.scrollHeight > innerHeight"
"""Whether the page is higher than the window."""


def violations(person: Person) -> list[str]:
    """What axe finds."""
    if not AXE.is_file():
        pytest.fail(f"{AXE} is missing: npm ci in web/, or `python3 run.py test`, which does it")
    page = person.page
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8") + "; undefined")
    page.evaluate(SETTLED)
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})"
        for rule in page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        for node in rule["nodes"][:4]
    ]


def overflows(person: Person, width: int) -> dict[str, list[str]]:
    """What is wider than a narrower window, and keys that are shown instead of texts."""
    person.page.set_viewport_size({"width": width, "height": 700})
    found = {"too wide": person.page.evaluate(TOO_WIDE), "keys": person.page.evaluate(LEFTOVER_KEYS)}
    return {f"{what} at {width} px, {person.texts.language}": them for what, them in found.items() if them}


def small_targets(person: Person) -> list[str]:
    """What is too small to be tapped on a phone."""
    person.page.set_viewport_size(TALL)
    found: list[str] = person.page.evaluate(SMALL_TARGETS, TARGET)
    return found


def switch(person: Person, language: str) -> None:
    """Switch the language; the screen is updated without reloading."""
    page = person.page
    page.evaluate("window.same = true")
    choice = person.named("combobox", "web.language", exact=True)
    choice.last.select_option(language)
    person.texts = load(language)
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(person.named("button", "web.settings", exact=True)).to_have_count(1)
    assert page.evaluate("window.same")


def out_of_view(controls: Locator, least: float = TARGET) -> list[str]:
    """The controls that are not wholly in the window, are too small, or are covered by something."""
    found: list[str] = controls.evaluate_all(OUT_OF_VIEW, least)
    return found
