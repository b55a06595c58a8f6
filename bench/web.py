"""Size, loading time and smoothness of the web client.

    python3 run.py bench web
    python3 run.py bench web --rolls 20 --loads 5 --json

It uses a real server and a real Chromium on this machine, without a GPU: frames are rendered by the CPU, so
they are only meaningful on an idle machine. ``load`` is the load average.

Loading: a first visit over the loopback interface. *Ready* is when the first control can be pressed: the main
button on the home screen, the first action at a table. *Blocked* is the total blocking time (the part of each
long task over 50 ms); *shift* is the cumulative layout shift.

Moving: two players in two browsers. *Delivered* is from the click in one browser to the arrival of the event
in the other; *started* from there until the first animation runs; *frames* are those of the following 700 ms.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from serving import Server
from system.browser.people import Person
from system.browser.setup import Table, asked, chromium, joined, memory, opened, practising

DECIDE = "turn=0 phase=decide value=54 steps=9,5,12 tower=2:1:52,4:2:63"

READY = """
const selector = location.pathname === '/' ? 'article button:enabled' : '[data-action]';
const look = new MutationObserver(() => {
  if (!document.querySelector(selector)) return;
  look.disconnect();
  window.readyAt = performance.now();
});
look.observe(document, { childList: true, subtree: true, attributes: true });
window.blocked = 0;
window.shift = 0;
const sum = (type, add) =>
  new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
sum('longtask', (task) => (window.blocked += task.duration - 50));
sum('layout-shift', (entry) => (window.shift += entry.value));
sum('largest-contentful-paint', (entry) => (window.largest = entry.startTime));
"""

MOVES = """
window.moves = [];
let received = null;
const start = () => {
  if (received === null) return;
  const started = performance.now() - received;
  const move = { received: performance.timeOrigin + received, started, frames: [] };
  received = null;
  window.moves.push(move);
  const first = performance.now();
  const frame = (now) => {
    move.frames.push(now);
    if (now - first < 700) requestAnimationFrame(frame);
    else move.done = true;
  };
  requestAnimationFrame(frame);
};
window.WebSocket = class extends WebSocket {
  constructor(...words) {
    super(...words);
    this.addEventListener('message', ({ data }) => {
      const { type, steps } = JSON.parse(data);
      if (type === 'event' && steps.length) received = performance.now();
    });
  }
};
document.addEventListener('animationstart', start, true);
document.addEventListener('transitionrun', start, true);
const { animate } = Element.prototype;
Element.prototype.animate = function (...words) {
  start();
  return animate.apply(this, words);
};
"""

PRESSED = """document.addEventListener('click', () => {
  window.pressed = performance.timeOrigin + performance.now();
}, true);"""


def visit(browser: Browser, url: str, scripts: str, *seats: Table, **settings: Any) -> Person:
    # waiting for a condition evaluates text, which the server's policy forbids
    context = browser.new_context(storage_state=memory(url, seats=seats, **settings), bypass_csp=True)
    context.add_init_script(scripts)
    return Person(context, url)


def load(browser: Browser, url: str, path: str, *seats: Table) -> dict[str, float]:
    """Measure one first visit."""
    person = visit(browser, url, READY, *seats)
    session = person.context.new_cdp_session(person.page)
    session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    person.go(path)
    person.page.wait_for_function("window.readyAt")
    person.page.wait_for_load_state("networkidle")
    painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
    numbers: list[float] = person.page.evaluate(
        f"[readyAt, {painted}, window.largest ?? 0, window.blocked, window.shift]"
    )
    person.context.close()
    names = ("ready ms", "first paint ms", "largest paint ms", "blocked ms", "shift")
    return dict(zip(names, numbers, strict=True)) | {"requests": len(sizes), "bytes": sum(sizes)}


def moves(browser: Browser, url: str, rolls: int) -> dict[str, float]:
    """Ana plays, and the animations in Rui's browser are measured."""
    delivered, started, gaps = [], [], []
    host = opened(url, people=[{"name": "Ana"}], options={"finish": 50})
    guest = joined(url, host, "Rui")
    asked(url, host, "start")
    ana = visit(browser, url, PRESSED, host).go(host.path)
    rui = visit(browser, url, MOVES, guest, speed=1).go(guest.path)
    for number in range(rolls):
        if not number % 8:
            rui.page.bring_to_front()  # hidden pages are not animated
        mover = ana if ana.main.first.is_visible() else rui
        mover.main.first.click()
        if mover is ana:
            rui.page.wait_for_function("window.moves.at(-1)?.done")
            move = rui.page.evaluate("window.moves.at(-1)")
            delivered.append(move["received"] - ana.page.evaluate("window.pressed"))
            started.append(move["started"])
            frames = move["frames"]
            gaps += [after - before for before, after in itertools.pairwise(frames)]
        expect(ana.main.first.or_(ana.page.get_by_text(ana.like("web.thinking")).first)).to_be_visible()
        rui.page.wait_for_function("!document.getAnimations().some((it) => it.playState === 'running')")
    for person in (ana, rui):
        person.context.close()
    return {
        "moves": len(delivered),
        "delivered ms": statistics.median(delivered),
        "started ms": statistics.median(started),
        "started ms, worst": max(started),
        "frames per second": 1000 * len(gaps) / sum(gaps),
        "longest gap ms": max(gaps),
        "late frames %": 100 * sum(gap > 25 for gap in gaps) / len(gaps),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--loads", type=int, default=5, help="visits of each screen")
    parser.add_argument("--rolls", type=int, default=16, help="decisions to measure")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        live = Server(Path(folder))
        live.start()
        try:
            with chromium() as browser:
                table = practising(live.url, "rapido", DECIDE, 3, "Ana")
                places: dict[str, tuple[str, tuple[Table, ...]]] = {
                    "home": ("/", ()),
                    "table": (table.path, (table,)),
                }
                for name, (path, seats) in places.items():
                    loads = [load(browser, live.url, path, *seats) for _ in range(arguments.loads)]
                    found[name] = {key: statistics.median(one[key] for one in loads) for key in loads[0]}
                found["moving"] = moves(browser, live.url, arguments.rolls)
        finally:
            live.stop()
    found["machine"] = {"processors": os.cpu_count() or 0, "load": os.getloadavg()[0]}
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    for name, numbers in found.items():
        print(name)
        for key, number in numbers.items():
            print(f"  {key:<20}{number:>12,.3f}" if key == "shift" else f"  {key:<20}{number:>12,.0f}")


if __name__ == "__main__":
    main()
