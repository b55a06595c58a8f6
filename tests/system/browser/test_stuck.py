"""Nothing gets stuck: frames that cannot be shown, lost or refused, and taps faster than the screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect

from system.browser.conftest import Come
from system.browser.people import Person
from system.browser.setup import DESK, SHORT, SHORTEST, Table, asked, opened, practising

DECIDE = "turn=0 phase=decide value=54 steps=3,5,2 tower=2:1:52,4:2:63"
FIRST = "turn=0 phase=first value=0 steps=3,5,2 tower=2:1:52,4:2:63"
KEEP = "turn=0 phase=keep hands=4,2 pool=10 discs=0+0,0+0 stacks=- chain=-/0/open loose=-"
PHONE = {"viewport": SHORT, "has_touch": True}

Frame = dict[str, Any]


class Wire:
    """What a page and the server say to each other: a test reads it, changes it, or keeps it back."""

    def __init__(self, person: Person) -> None:
        self.sent: list[Frame] = []
        self.connections = 0
        self.from_server: Callable[[Frame], Frame | None] = lambda frame: frame
        self.to_server: Callable[[Frame], Frame | None] = lambda frame: frame
        self.dead = False
        """Whether new connections open and nobody is there."""
        self._wire: WebSocketRoute | None = None
        person.page.route_web_socket("**/socket", self._open)

    def close(self) -> None:
        assert self._wire
        self._wire.close()

    def refuse(self, frame: Frame, code: str) -> None:
        """Answer a command in the server's name."""
        assert self._wire
        refused = {"type": "refused", "code": code, "message": "", "ruling": ""}
        self._wire.send(json.dumps({**refused, "id": frame["id"], "version": frame["version"]}))

    def of(self, type: str) -> list[Frame]:
        """The commands of a type that the page has sent."""
        return [frame for frame in self.sent if frame["type"] == type]

    def _open(self, wire: WebSocketRoute) -> None:
        self.connections += 1
        self._wire = wire
        if self.dead:
            return
        server = wire.connect_to_server()

        def to_server(text: str | bytes) -> None:
            frame = json.loads(text)
            self.sent.append(frame)
            if (passed := self.to_server(frame)) is not None:
                server.send(json.dumps(passed))

        def to_page(text: str | bytes) -> None:
            if (passed := self.from_server(json.loads(text))) is not None:
                wire.send(json.dumps(passed))

        wire.on_message(to_server)
        server.on_message(to_page)


def seated(come: Come, table: Table, **arguments: Any) -> tuple[Person, Wire]:
    """A person at a table whose frames can be changed; the page is not opened yet."""
    person = come(seats=[table], fresh=True, **arguments)
    return person, Wire(person)


# What cannot be shown.


def without(part: str, value: object = None) -> Callable[[Frame], Frame]:
    """Takes a part out of all positions in a frame."""

    def change(frame: Frame) -> Frame:
        for holder in [frame.get("now", {}), *frame.get("steps", [])]:
            if holder.get("position") is not None:
                holder["position"][part] = value
        return frame

    return change


def broken(person: Person, part: str) -> Locator:
    """The message in the place of a part of the page."""
    region = person.named("region", part, exact=True)
    return region.get_by_role("alert").filter(has_text=person.say("web.broken"))


def rest_works(person: Person, seats: int = 3) -> None:
    """The players, the menu and the log are there and can be used."""
    expect(person.players).to_have_count(seats)
    expect(person.players.first).to_contain_text("Ana")
    expect(person.log).to_be_visible()
    dialog = person.open_settings()
    expect(dialog.get_by_role("button", name=person.say("web.resign"))).to_be_visible()
    person.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_board_that_cannot_be_drawn(come: Come, url: str) -> None:
    """The rest of the page goes on; the next position, or a reload, brings the board back."""
    table = practising(url, "chain", KEEP, 2, "Ana", board="18")
    person, wire = seated(come, table)
    person.troubles.forgive("a part cannot be shown")
    wire.from_server = without("discs", [None, None])
    person.go(table.path)
    expect(broken(person, "web.board")).to_be_visible()
    rest_works(person, 2)
    assert person.asked(), "the dock works without the board"
    wire.from_server = lambda frame: frame
    person.main.first.click()
    expect(broken(person, "web.board")).to_have_count(0)
    assert person.asked()


def test_a_dock_that_cannot_be_drawn(come: Come, url: str) -> None:
    table = practising(url, "rapido", DECIDE, 3, "Ana")
    person, wire = seated(come, table)
    person.troubles.forgive("a part cannot be shown", "derived_inert")
    wire.from_server = without("steps")  # for board, dock and scores
    person.page.goto(url + table.path)
    expect(broken(person, "web.turn")).to_be_visible()
    rest_works(person)
    wire.from_server = lambda frame: frame
    broken(person, "web.turn").get_by_role("button", name=person.say("web.reload")).click()
    assert person.asked()
    expect(broken(person, "web.turn")).to_have_count(0)


def test_a_position_that_cannot_be_read(come: Come, url: str) -> None:
    """It is not taken for a match without a seat."""
    table = practising(url, "rapido", DECIDE, 3, "Ana")
    person, wire = seated(come, table)
    person.troubles.forgive("a scene cannot be shown")
    wire.from_server = without("tower")  # for the script
    person.go(table.path)
    person.reads("web.broken")
    expect(person.page.get_by_text(person.say("web.guest.title"))).to_have_count(0)
    wire.from_server = lambda frame: frame
    person.click("web.reload")
    assert person.asked()


# What is refused.


def test_what_is_done_automatically_is_asked_for_once(come: Come, url: str) -> None:
    """A refusal is not answered by asking again; the player can still act."""
    table = practising(url, "rapido", FIRST, 3, "Ana")
    person, wire = seated(come, table, autoRoll=True)
    refusing = True

    def to_server(frame: Frame) -> Frame | None:
        if frame["type"] != "act" or not refusing:
            return frame
        wire.refuse(frame, "busy")
        return None

    wire.to_server = to_server
    person.page.clock.install()
    person.sit(table)
    person.page.clock.run_for(2000)  # in this time 101 requests were made
    assert len(wire.of("act")) == 1
    refusing = False
    person.main.first.click()
    expect(person.log.get_by_role("listitem").first).to_be_visible()
    assert person.asked()


# Connections.


def test_the_network_goes_and_comes_back(come: Come, url: str) -> None:
    """Both are shown at once: no timer is waited for, because time stands still."""
    table = practising(url, "rapido", DECIDE, 3, "Ana")
    person, wire = seated(come, table)
    person.page.clock.install()
    person.sit(table)
    notice = person.page.get_by_role("status").filter(has_text=person.say("web.reconnecting"))
    wire.to_server = lambda frame: None  # nothing gets through
    wire.dead = True
    person.page.clock.pause_at(person.page.evaluate("Date.now() + 100"))
    person.context.set_offline(True)
    expect(notice).to_be_visible()
    person.page.clock.run_for(30_000)  # attempts fail, further and further apart
    expect(notice).to_be_visible()
    tried = wire.connections
    assert tried > 2
    wire.to_server = lambda frame: frame
    wire.dead = False
    person.context.set_offline(False)
    expect(notice).to_have_count(0)
    assert wire.connections == tried + 1


def test_a_lost_event_is_made_up_for(come: Come, url: str) -> None:
    """A gap in the versions: the page asks for the whole state, and shows it."""
    people = [{"name": "Ana"}, {"name": "Rui"}]
    ana = opened(url, people=people, options={"finish": 30}, start=True)  # nobody wins by the first roll
    person, wire = seated(come, ana)
    lost: list[int] = []

    def lose_one(frame: Frame) -> Frame | None:
        if frame["type"] == "event" and not lost:
            lost.append(frame["version"])
            return None
        return frame

    wire.from_server = lose_one
    person.sit(ana)
    hello = wire.of("hello")[0]
    person.main.first.click()
    expect(person.main.first).to_be_visible()
    asked(url, ana, "configure", settings={"pace": 1})  # the event after the lost one
    expect(person.log.get_by_role("listitem").first).to_be_visible()
    assert lost
    again = wire.of("hello")
    assert len(again) == 2 and "since" not in again[1] and hello["token"] == again[1]["token"]
    assert person.asked()
    person.main.first.click()
    assert person.asked()


def test_notices_cover_neither_controls_nor_players(come: Come, url: str) -> None:
    """A refusal, a stand-in and a lost connection at once: "I am back" can be pressed."""
    people = [{"name": "Ana"}, {"name": "Rui"}]
    table = opened(url, people=people, settings={"pace": 10_000}, start=True)
    person, wire = seated(come, table, page={"viewport": SHORT})

    def refuse(frame: Frame) -> Frame | None:
        if frame["type"] != "take_back":
            return frame
        wire.refuse(frame, "stale_version")
        return None

    wire.to_server = refuse
    person.go(table.path)
    # now that somebody is there: else the stand-ins would not wait
    asked(url, table, "configure", settings={"clock": 1, "pace": 10_000})
    back = person.button("web.take_back")
    back.first.click()
    expect(person.page.get_by_role("alert")).to_contain_text(person.say("error.stale_version"))
    wire.dead = True
    wire.close()
    person.reads("web.reconnecting")
    for size in (SHORT, SHORTEST, DESK):
        person.page.set_viewport_size(size)
        assert person.page.evaluate(COVERED) == []
        back.first.click(trial=True)


COVERED = """() => [...document.querySelectorAll('button, a, [role=radio], .players li')]
          .map((element) => [element, element.getBoundingClientRect()])
          .filter(([, box]) => box.width && box.height)
          .filter(([element, box]) => {
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return !top || !(element.contains(top) || top.contains(element));
          })
          .map(([element]) => element.outerHTML.slice(0, 90))"""


# Taking back.


@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_a_decision_is_taken_back_after_bots_have_moved(come: Come, url: str, game: str) -> None:
    if game == "rapido":
        table = practising(url, "rapido", DECIDE, 3, "Ana")
    else:
        at = "turn=0 phase=decide hands=3,2 pool=11 discs=2+15,4+0 stacks=2:0,4:1,15:0 chain=345/5/up loose=-"
        table = practising(url, "chain", at, 2, "Ana")
    person = come(seats=[table], page=PHONE).sit(table)
    before = person.main.first.inner_text()
    person.main.first.click()
    # the bots have moved when it is this player's turn again
    expect(person.main.first).to_be_visible()
    expect(person.main.first).not_to_have_text(before, use_inner_text=True)
    if game == "rapido":
        person.open_settings().get_by_role("button", name=person.like("web.undo")).click()
    else:
        person.press("z")
    expect(person.main.first).to_have_text(before, use_inner_text=True)
    person.main.first.click()  # and it is decided anew
    assert person.asked()


def test_a_held_key_takes_back_one_decision(come: Come, url: str) -> None:
    """It neither takes back two decisions, nor says that the game has moved on; double taps: taps.test.ts."""
    table = practising(url, "rapido", FIRST, 3, "Ana")
    person, wire = seated(come, table, page=PHONE)
    person.go(table.path)
    for _ in range(2):  # two turns with a choice
        while person.asked() and not person.choices.count():
            person.main.first.click()
        person.main.first.click()
    assert person.asked()
    for _ in range(6):
        person.page.keyboard.down("z")
    person.page.keyboard.up("z")
    expect(person.choices.first).to_be_visible()
    expect(person.page.get_by_role("alert")).to_have_count(0)
    assert len(wire.of("undo")) == 1


# Taps that are faster than the screen.

WITNESS = """() => {
  // What a player sees: at every frame, the version that was received and the main button of the turn.
  // What is sent outside of an event is done without a tap: a chain with one order, the rest of "Link all".
  const shown = [];
  const acts = [];
  let version = 0;
  let began = null;
  const main = () => {
    const button = document.querySelector('.main-place button:not(:disabled)');
    return button ? button.textContent : '';
  };
  const look = () => {
    shown.push({ at: performance.now(), version, main: main() });
    if (shown.length > 4000) shown.splice(0, 2000);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  for (const type of ['pointerdown', 'keydown'])
    addEventListener(type, (event) => !event.repeat && (began = event.timeStamp), true);
  window.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.type === 'event' || frame.type === 'snapshot') version = frame.version;
      });
    }
    send(text) {
      const frame = JSON.parse(text);
      if (frame.type === 'act' && ['click', 'keydown'].includes(window.event?.type)) {
        const seen = shown.findLast(({ at }) => at <= began) ?? null;
        acts.push({ action: frame.action, version: frame.version, main: main(), seen });
      }
      super.send(text);
    }
  };
  window.witnessed = acts;
}"""


@pytest.mark.parametrize("game, how", [("rapido", "touch"), ("chain", "held")])
def test_hammering_decides_only_what_was_seen(come: Come, url: str, game: str, how: str) -> None:
    hammered(come, url, game, how)


def hammered(come: Come, url: str, game: str, how: str) -> None:
    """Every decision that is sent was on screen, in a painted frame, when its tap or press began."""
    options = {"finish": 8} if game == "rapido" else {"board": "18 3>8 9>5"}
    at = FIRST.replace("steps=3,5,2", "steps=0,0,0") if game == "rapido" else KEEP
    table = practising(url, game, at, 3 if game == "rapido" else 2, "Ana", **options)
    person = come(seats=[table], page=PHONE, speed=0, fresh=True)
    person.page.add_init_script(f"({WITNESS})()")
    person.sit(table)
    slow = person.context.new_cdp_session(person.page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 4})  # frames are late
    box = person.turn.locator(".main-place").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for i in range(120):
        if how == "touch":
            person.page.touchscreen.tap(x, y)
        elif how == "mouse":
            person.page.mouse.click(x, y)
        elif how == "enter":
            person.page.keyboard.press("Enter")
        else:
            person.page.keyboard.down("Enter")
            if i % 20 == 19:
                person.page.keyboard.up("Enter")
    acts = person.page.evaluate("witnessed")
    assert acts
    for act in acts:
        assert act["seen"], act
        assert (act["seen"]["version"], act["seen"]["main"]) == (act["version"], act["main"]), act


def test_the_title_does_not_tell_the_winner_before_the_board_shows_it(come: Come, url: str) -> None:
    scores = "turn=0 phase=decide value=54 steps=9,15,12 tower=5:1:76"  # seat 1, if nobody throws it out
    table = practising(url, "rapido", scores, 3, "Ana")
    person = come(seats=[table], speed=1).sit(table)
    wins = person.like("web.winner")
    person.page.evaluate(
        """() => {
      window.titles = [];
      const reached = () => document.querySelectorAll('.reached')[1]?.textContent;
      const note = () => window.titles.push([document.title, reached()]);
      new MutationObserver(note).observe(document.querySelector('title'), { childList: true });
    }"""
    )
    person.choices.last.click()  # field 0 throws nobody out
    person.main.first.click()
    expect(person.winner).to_be_visible()
    titles = [reached for title, reached in person.page.evaluate("window.titles") if wins.match(title)]
    assert titles and all("20" in reached for reached in titles)
