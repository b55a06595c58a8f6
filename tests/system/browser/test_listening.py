"""A whole match by screen reader: with Chromium's accessibility tree and the live region."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import expect

from system.browser.conftest import Come
from system.browser.people import MAIN, Person, pattern
from system.browser.setup import practising, setup

LATE = "turn=0 phase=keep hands=4,4 pool=8 discs=12+15,14+14 stacks=12:0,14:1+1,15:0 chain=-/0/open loose=-"
"""A match of Chain that ends soon."""

LISTEN = """() => {
  const live = document.querySelector('[aria-live=polite]');
  window.heard = [];
  new MutationObserver(() => window.heard.push(live.textContent))
    .observe(live, { characterData: true, childList: true, subtree: true });
}"""


@dataclass(frozen=True)
class Node:
    """An element of the accessibility tree."""

    role: str
    name: str
    element: int


class Reader:
    """A screen reader: it uses only the accessibility tree of the page."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.session = person.context.new_cdp_session(person.page)
        self.session.send("Accessibility.enable")

    def nodes(self) -> list[Node]:
        found = self.session.send("Accessibility.getFullAXTree")["nodes"]
        return [
            Node(
                node["role"]["value"],
                node.get("name", {}).get("value", ""),
                node["backendDOMNodeId"],
            )
            for node in found
            if not node["ignored"] and "backendDOMNodeId" in node
        ]

    def find(self, role: str, name: re.Pattern[str]) -> list[Node]:
        return [node for node in self.nodes() if node.role == role and name.search(node.name)]

    def press(self, node: Node) -> None:
        object = self.session.send("DOM.resolveNode", {"backendNodeId": node.element})["object"]["objectId"]
        call = {"objectId": object, "functionDeclaration": "function () { this.focus(); this.click(); }"}
        self.session.send("Runtime.callFunctionOn", call)


def test_a_match_of_rapido_by_screen_reader(come: Come) -> None:
    person = come(setups={"rapido.bots": setup(3, "bot regular", finish=5)}, name="Ana", fresh=True)
    reader = Reader(person)
    person.go("/")
    reader.press(reader.find("button", person.like("web.home.bots"))[0])
    plays(reader, "rapido", person.say("web.rapido.describe", finish=5))


def test_the_end_of_a_match_of_chain_by_screen_reader(come: Come, url: str) -> None:
    ends_by_reader(come, url, LATE)


def ends_by_reader(come: Come, url: str, position: str) -> None:
    table = practising(url, "chain", position, 2, "Ana", board="18")
    person = come(seats=[table], fresh=True).go(table.path)
    plays(Reader(person), "chain", person.say("web.chain.describe", spaces=18))


def plays(reader: Reader, game: str, described: str) -> None:
    """Play to the end; assert that the board is described and that everything is announced."""
    person = reader.person
    assert person.asked()
    person.page.evaluate(LISTEN)
    main = pattern(person.texts, *MAIN[game])
    prompts = pattern(
        person.texts, *(key for key in person.texts.messages if key.startswith(f"{game}.phase."))
    )
    asked = 0
    while person.asked():
        offered = reader.find("button", main)
        if not offered:
            continue  # the tree is updated asynchronously
        for choice in reader.find("radio", re.compile("")):
            assert choice.name, "every choice has a name"
        assert reader.find("image", re.compile(f"^{re.escape(described)}")), "the board is described in words"
        reader.press(offered[0])
        asked += 1
        expect(person.main.or_(person.winner).first).to_be_visible()
    assert asked  # the number depends on the dice
    won = person.like(f"{game}.fact.won", f"{game}.fact.won.you").pattern.removeprefix("^")
    expect(person.page.locator("[aria-live=polite]").first).to_have_text(re.compile(won))
    heard = person.page.evaluate("window.heard")
    says = sentences(person, game)
    announced = {sentence for words in heard for sentence in says.findall(words.replace("\u00a0", " "))}
    # every announcement consists of sentences of the game, and ends with the question if it is Ana's turn
    leftover = [words for words in heard if says.sub("", words.replace("\u00a0", " ")).strip()]
    assert not leftover, leftover[:3]
    assert any(prompts.search(sentence) for sentence in announced)
    winner = person.winner.inner_text()
    names = [text.split("\n")[0] for text in person.players.all_inner_texts()]
    results = [
        (person.say(f"{game}.fact.won", name=name), person.say("web.winner", name=name)) for name in names
    ]
    results[0] = person.say(f"{game}.fact.won.you"), person.say("web.winner.you")
    assert any(sentence in heard[-1] and heading == winner for sentence, heading in results), heard[-1]
    assert not any("Ana" in words for words in heard), "the player is addressed as you"
    # all sentences of the log were announced
    lines = person.log.get_by_role("listitem").all_inner_texts()
    everything = " ".join(heard)
    silent = [
        sentence
        for line in lines
        for sentence in announcements(person, line.strip())
        if sentence not in everything
    ]
    assert not silent, silent[:5]
    assert not re.search(r"(?<!cannot )links? \d, \d", everything), (
        "a growing chain is not repeated from its start"
    )


def announcements(person: Person, line: str) -> list[str]:
    """The announcements of a line of the log: one sentence for each link."""
    for form in (".you", ""):
        joined = re.fullmatch(
            re.escape(person.texts.messages[f"play.several.chain.linked{form}"].forms[0])
            .replace(r"\{name\}", "(?P<name>.+?)").replace(r"\{number\}", "(?P<numbers>.+?)"),
            line,
        )  # fmt: skip
        if joined:
            name = joined.groupdict().get("name")
            return [
                person.say(f"chain.fact.linked{form}", name=name, number=number)
                for number in re.findall(r"\d", joined["numbers"])
            ]
    return [line]


def sentences(person: Person, game: str) -> re.Pattern[str]:
    """Matches any one sentence of the game."""
    texts = person.texts
    starts = (
        f"{game}.fact.", f"{game}.phase.", f"play.several.{game}.", "web.event.", "web.turn_of",
        "web.chain.say_fits", "web.chain.describe.chain", "web.chain.describe.first", "web.chain.no_chain",
    )  # fmt: skip
    forms = {form for key, it in texts.messages.items() if key.startswith(starts) for form in it.forms}
    escaped = sorted((re.sub(r"\\\{.+?\\\}", r"[^.!?]+?", re.escape(form)) for form in forms), key=len)
    return re.compile("|".join(reversed(escaped)))
