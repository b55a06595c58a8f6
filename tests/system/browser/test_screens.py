"""Every screen: all languages, all widths, both themes, touch and screen readers."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ViewportSize, expect

from escadaria.i18n import LANGUAGES, load
from system.browser.conftest import ROOT, Come
from system.browser.people import Person
from system.browser.screens import SCREENS, Screen
from system.browser.setup import played

WIDTHS = (320, 390, 768, 1280)
DESK: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
TARGET = 44
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"

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


@pytest.fixture(scope="package")
def made() -> dict[str, Screen]:
    """The screens that have been prepared, by name."""
    return {}


@pytest.fixture(params=SCREENS)
def screen(request: pytest.FixtureRequest, made: dict[str, Screen], url: str) -> Screen:
    name: str = request.param
    return made.get(name) or made.setdefault(name, SCREENS[name](url))


def test_no_width_scrolls_sideways_and_all_languages_fit(come: Come, screen: Screen) -> None:
    person = come(seats=screen.seats, name="Ana", page={"viewport": DESK})
    screen.show(person)
    page = person.page
    problems: dict[str, list[str]] = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        problems[f"{width} px"] = page.evaluate(TOO_WIDE)
    for language in (*LANGUAGES[1:], LANGUAGES[0]):
        page.set_viewport_size(DESK)
        switch(person, language)
        page.set_viewport_size({"width": 320, "height": 700})
        problems[f"{language} at 320 px"] = page.evaluate(TOO_WIDE)
        problems[f"keys in {language}"] = page.evaluate(LEFTOVER_KEYS)
    assert not {where: what for where, what in problems.items() if what}


def switch(person: Person, language: str) -> None:
    """Switch the language; the screen is updated without reloading."""
    person.page.evaluate("window.same = true")
    person.page.get_by_role("combobox", name=person.say("web.language"), exact=True).last.select_option(
        language
    )
    person.texts = load(language)
    expect(person.page.locator("html")).to_have_attribute("lang", language)
    expect(person.page.get_by_role("button", name=person.say("web.settings"), exact=True)).to_have_count(1)
    assert person.page.evaluate("window.same")


def test_axe_finds_no_violations_and_touch_targets_are_large(come: Come, screen: Screen) -> None:
    if not AXE.is_file():
        pytest.fail(f"{AXE} is missing: npm ci in web/, or `python3 run.py test`, which does it")
    person = come(seats=screen.seats, name="Ana", page={"viewport": DESK})
    screen.show(person)
    page = person.page
    page.evaluate(AXE.read_text("utf-8") + "; undefined")
    problems: dict[str, list[str]] = {}
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        problems[f"desk, {theme}"] = violations(person)
    page.set_viewport_size(PHONE)
    problems["phone, dark"] = violations(person)
    problems["targets"] = page.evaluate(SMALL_TARGETS, TARGET)
    assert not {where: what for where, what in problems.items() if what}


SETTLED = """() => Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished),
).then(() => undefined)"""
"""The colours of a new theme have arrived."""


def violations(person: Person) -> list[str]:
    person.page.evaluate(SETTLED)
    found = person.page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} ({re.sub(chr(10), ' ', node['failureSummary'])[:200]})"
        for rule in found
        for node in rule["nodes"][:4]
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_short_phone_says_what_this_is_on_the_first_visit(come: Come, language: str) -> None:
    person = come(language=language, page={"viewport": {"width": 360, "height": 600}, "has_touch": True})
    person.go("/")
    expect(person.page.get_by_text(person.say("web.home.welcome"))).to_be_in_viewport(ratio=1)
    expect(person.page.get_by_label(person.say("web.name.yours"))).to_be_in_viewport(ratio=1)
    play = person.page.get_by_role("button", name=person.like("web.home.bots")).first
    expect(play).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("name", ["home", "rapido-decide"])
def test_the_system_s_theme_changes_while_it_is_open(
    come: Come, url: str, made: dict[str, Screen], name: str
) -> None:
    screen = made.get(name) or made.setdefault(name, SCREENS[name](url))
    person = come(seats=screen.seats, page={"color_scheme": "light"})
    screen.show(person)
    body = person.page.locator("body")
    light = body.evaluate("element => getComputedStyle(element).backgroundColor")
    to_dark = person.page.get_by_role("button", name=person.say("web.theme.to_dark"))
    expect(to_dark).to_be_visible()
    person.page.emulate_media(color_scheme="dark")
    to_light = person.page.get_by_role("button", name=person.say("web.theme.to_light"))
    expect(to_light).to_be_visible()
    expect(body).not_to_have_css("background-color", light)
    to_light.click()  # from now on the user's choice overrides the system's
    expect(to_dark).to_be_visible()
    expect(body).to_have_css("background-color", light)
    person.page.reload()
    expect(to_dark).to_be_visible()
    expect(body).to_have_css("background-color", light)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_of_the_browser_is_used(come: Come, language: str) -> None:
    person = come(page={"locale": f"{language}-CH"})
    person.texts = load(language)
    person.go("/")
    expect(person.page.locator("html")).to_have_attribute("lang", language)
    person.reads("web.home.welcome")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_load_is_small(come: Come, language: str) -> None:
    """All bytes over the network, compressed and with the headers, until nothing more is requested."""
    person = come(page={"locale": language}, fresh=True)
    person.texts = load(language)
    session = person.context.new_cdp_session(person.page)
    session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    paths: list[str] = []
    person.page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    person.go("/")
    expect(person.button("web.online").first).to_be_visible()
    person.page.wait_for_load_state("networkidle")
    assert len(sizes) >= 3, "page, script, style"
    assert sum(sizes) <= 75_000
    assert not [path for path in paths if path.startswith("/api/texts")], (
        "the page has the texts of this screen"
    )
    assert sum(path.startswith("/assets/") for path in paths) <= 3, f"other screens are not loaded: {paths}"


def test_a_page_in_another_language_loads_its_texts(come: Come) -> None:
    """The server knows the browser's languages, not the one that was chosen here."""
    person = come(language="fr", page={"locale": "de"})
    person.texts = load("fr")
    person.go("/")
    person.reads("web.home.welcome")
    expect(person.page.locator("html")).to_have_attribute("lang", "fr")
    person.click("web.home.learn")
    expect(person.page.get_by_role("heading", level=1)).to_be_visible()
    assert not person.page.evaluate(LEFTOVER_KEYS)


SIDEWAYS: tuple[ViewportSize, ...] = ({"width": 844, "height": 390}, {"width": 667, "height": 375})


@pytest.mark.parametrize("size", SIDEWAYS, ids=lambda size: str(size["width"]))
@pytest.mark.parametrize(
    "name",
    [
        "rapido-decide", "rapido-roll", "chain-keep", "chain-build", "chain-decide",
        "learn-rapido", "learn-chain",
    ],
)  # fmt: skip
def test_a_phone_on_its_side_shows_the_board_and_the_action(
    come: Come, url: str, made: dict[str, Screen], name: str, size: ViewportSize
) -> None:
    screen = made.get(name) or made.setdefault(name, SCREENS[name](url))
    person = come(seats=screen.seats, page={"viewport": size})
    screen.show(person)
    if name == "learn-chain":  # a lesson chooses nothing for the learner
        person.turn.locator("[data-action]:not([aria-disabled=true])").first.click()
    expect(person.main.first).to_be_in_viewport(ratio=1)
    board = person.page.get_by_role("region", name=person.say("web.board"), exact=True)
    expect(board).to_be_in_viewport(ratio=1)
    assert not person.page.evaluate("document.documentElement.scrollHeight > innerHeight")


@pytest.mark.parametrize("size", SIDEWAYS, ids=lambda size: str(size["width"]))
@pytest.mark.parametrize("name", ["replay", "replay-analysed"])
def test_a_replay_on_its_side_shows_the_board_and_the_way_through_it(
    come: Come, url: str, made: dict[str, Screen], name: str, size: ViewportSize
) -> None:
    screen = made.get(name) or made.setdefault(name, SCREENS[name](url))
    person = come(seats=screen.seats, page={"viewport": size})
    screen.show(person)
    page = person.page
    page.evaluate("scrollTo(0, 0)")
    for shown in (
        page.get_by_role("region", name=person.say("web.board"), exact=True),
        page.get_by_role("region", name=person.say("web.turn"), exact=True),
        page.get_by_role("button", name=person.say("web.replay.play"), exact=True),
        page.get_by_role("slider", name=person.say("web.replay.slider")),
    ):
        expect(shown).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_a_replay_on_a_small_desk_opens_with_the_line_of_its_moment_in_sight(
    come: Come, url: str, game: str
) -> None:
    table = played(url, game, 2, **({"finish": 5} if game == "rapido" else {"board": "18"}))
    person = come(page={"viewport": {"width": 1024, "height": 768}})
    person.go(f"/replay/{table.match}#ply=30")
    expect(person.page.get_by_role("img", name=person.like("web.coach.curve"))).to_be_visible()
    person.ready()
    log = person.page.get_by_role("group", name=person.say("web.replay.log")).locator(".log")
    now = log.locator("[aria-current=step]")
    expect(now).to_be_in_viewport(ratio=0.99)  # what its box clips is not seen
    box = log.bounding_box()
    assert box and box["height"] >= 3 * TARGET


def test_names_of_six_can_be_read_where_they_stand_above_the_board(come: Come, url: str) -> None:
    screen = SCREENS["rapido-six"](url)
    person = come(seats=screen.seats, page={"viewport": {"width": 830, "height": 700}})
    screen.show(person)
    players = person.page.get_by_role("list", name=person.say("web.players")).get_by_role("listitem")
    for player in players.filter(has_not_text="Maximiliane").locator(".who").all():
        assert player.evaluate("element => element.scrollWidth <= element.clientWidth")


@pytest.mark.parametrize(
    "width, height, language", [(360, 600, "de"), (360, 600, "fr"), (390, 664, "de"), (1024, 768, "de")]
)
@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_every_step_of_a_lesson_fits_the_screen(
    come: Come, game: str, width: int, height: int, language: str
) -> None:
    person = come(page={"viewport": {"width": width, "height": height}}, language=language)
    step, last = 0, 0
    while step <= last:
        person.go("/lost").go(f"/learn/{game}#step={step}")
        said = person.page.get_by_role("img", name=person.like("web.learn.step")).or_(
            person.page.locator(".dots")
        )
        last = said.locator("i").count() - 1
        assert person.page.evaluate("document.documentElement.scrollHeight <= innerHeight"), step
        board = person.page.get_by_role("region", name=person.say("web.board"), exact=True).bounding_box()
        assert board and board["height"] >= 180, step
        step += 1
    assert last > 8


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_pictures_of_the_rules_fill_their_place(come: Come, game: str, width: int) -> None:
    person = come(page={"viewport": {"width": width, "height": 800}}).go(f"/rules/{game}")
    pictures = person.page.locator("figure .picture")
    expect(pictures.first).to_be_visible()
    narrower = "(it) => it.parentElement.clientWidth - it.offsetWidth"
    margin = "(it) => getComputedStyle(it).margin"
    for picture in pictures.all():
        assert (picture.evaluate(narrower), picture.evaluate(margin)) == (0, "0px")
