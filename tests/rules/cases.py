"""Reads ``*.cases``: tables of positions, actions and what they lead to, one line a case.

A line at the margin names a block, mostly by its ruling. A case is indented, with ``|`` between its parts:

    POSITION | ACTIONS | what is expected | ...

- POSITION has the words that differ from the start, such as ``phase=later steps=5,9,2``, and options of the
  game such as ``finish=5``. In Chain ``pool`` and ``stacks`` follow from ``hands`` and ``discs`` if left out.
- ACTIONS are played one after the other, dice too; ``-`` is none.
- Expected are words of the position after them: what is left out stays, or is as at the start of a turn
  if ``turn`` is named. Or ``legal: ...``, ``wins: SEAT (RULING)``, ``facts: ...; ...`` of the last action,
  ``refused: WHY (RULING)`` of the last action, ``unreadable: WHY (RULING)`` of the position.

A block may begin with ``from: POSITION``, which stands before the words of each of its cases.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from escadaria import GAMES, Fact, Outcome, load
from escadaria.catalogue import read_options
from escadaria.game import AnyGame, IllegalAction, InvalidText

PLAYERS = {"rapido": 3, "chain": 2}
"""If the words do not say it."""

CENTRE = 34
"""Of the default board of Chain."""

TURN = {"rapido": "phase=first value=0", "chain": "phase=keep chain=-/0/open loose=-"}
"""What each turn starts with."""

Words = dict[str, str]


def words_of(text: str) -> Words:
    assert text == "-" or all("=" in word for word in text.split()), f"not KEY=VALUE ...: {text}"
    return {} if text == "-" else dict(word.split("=", 1) for word in text.split())


def text_of(words: Words) -> str:
    return " ".join(f"{key}={value}" for key, value in words.items())


def fact_text(fact: Fact) -> str:
    """Such as ``scored seat=1 fields=2+4 climbed=6 step=20``; what is False is left out."""
    shown = {
        key: "+".join(map(str, value)) if isinstance(value, tuple) else value
        for key, value in fact.data().items()
        if value is not False
    }
    return f"{fact.kind} {text_of(shown)}".rstrip()


@dataclass(frozen=True)
class Case:
    """One line."""

    game: AnyGame
    before: str
    actions: tuple[str, ...]
    expected: tuple[str, ...]

    def check(self) -> None:
        for expected in self.expected:
            kind, _, text = expected.partition(": ")
            if kind == "unreadable":
                self.check_unreadable(*ruled(text))
            elif kind == "refused":
                self.check_refusal(*ruled(text))
            else:
                self.check_result(kind, text)

    def start(self) -> Any:
        state = self.game.parse_state(self.before)
        assert str(state) == self.before, "in its canonical form"
        return state

    def play(self, *actions: str) -> list[Any]:
        """The positions from the first on."""
        states = [self.start()]
        for action in actions:
            states.append(self.game.apply(states[-1], self.game.parse(action)))
        return states

    def check_result(self, kind: str, text: str) -> None:
        states = self.play(*self.actions)
        match kind:
            case "legal":
                legal = [str(action) for action in self.game.legal_actions(states[-1])]
                assert ", ".join(legal) == text.rstrip("-")
            case "wins":
                seat, ruling = ruled(text)
                assert self.game.outcome(states[-1]) == Outcome(int(seat), ruling)
            case "facts":
                facts = self.game.facts(states[-2], self.game.parse(self.actions[-1]))
                assert "; ".join(map(fact_text, facts)) == text
            case _:
                assert str(states[-1]) == text_of(after(self.game, words_of(self.before), words_of(kind)))
                assert (self.game.outcome(states[-1]) is None) == ("over" not in kind)

    def check_refusal(self, why: str, ruling: str) -> None:
        *earlier, last = self.actions
        state = self.play(*earlier)[-1]
        for ask in (self.game.apply, self.game.facts):
            with pytest.raises(IllegalAction) as caught:
                ask(state, self.game.parse(last))
            assert str(caught.value) == f"{last} is not possible at {state}: {why} ({ruling})"
            assert (caught.value.code, caught.value.ruling) == ("illegal_action", ruling)

    def check_unreadable(self, why: str, ruling: str) -> None:
        with pytest.raises(InvalidText) as caught:
            self.game.parse_state(self.before)
        assert why in str(caught.value)
        assert (caught.value.code, caught.value.ruling) == ("invalid_text", ruling)


def ruled(text: str) -> tuple[str, str]:
    """A text and the ruling in brackets after it, if there is one."""
    found = re.fullmatch(r"(.*) \(([RC]\d+)\)", text)
    return (found[1], found[2]) if found else (text, "")


def after(game: AnyGame, before: Words, changed: Words) -> Words:
    """The words of the expected position."""
    assert changed.keys() <= before.keys(), f"a position has {', '.join(before)}"
    words = before | (words_of(TURN[game.name]) if "turn" in changed else {}) | changed
    return {key: words[key] for key in before} | derived(changed)


def derived(words: Words) -> Words:
    """The pool and the stacks of Chain, as far as they follow from these words."""
    found = {}
    if "hands" in words and "pool" not in words:
        hands = list(map(int, words["hands"].split(",")))
        found["pool"] = str(8 * len(hands) - sum(hands))
    if "discs" in words and "stacks" not in words:
        stacks = defaultdict(list)
        for seat, discs in enumerate(words["discs"].split(",")):
            for space in map(int, discs.split("+")):
                stacks[space].append(str(seat))
        found["stacks"] = ",".join(
            f"{space}:{'+'.join(seats)}" for space, seats in sorted(stacks.items()) if 0 < space < CENTRE
        )
        found["stacks"] = found["stacks"] or "-"
    return found


def position(name: str, words: Words) -> tuple[AnyGame, str]:
    """A game with these options, and the whole text of the position with these words."""
    options = {option.name for option in GAMES[name].OPTIONS}
    chosen: dict[str, Any] = {key: words[key] for key in options & words.keys()}
    parts = [len(words[key].split(",")) for key in ("steps", "hands", "discs") if key in words]
    chosen["players"] = chosen.get("players", str(min(parts, default=PLAYERS[name])))
    game = load(name, **read_options(name, chosen))
    start = words_of(str(game.initial_state()))
    return game, text_of(start | derived(words) | {key: words[key] for key in words.keys() - options})


def case(name: str, line: str, base: str) -> Case:
    words, actions, *expected = (part.strip() for part in line.split(" | "))
    assert expected, "a case says what is expected"
    game, before = position(name, words_of(base) | words_of(words))
    return Case(game, before, () if actions == "-" else tuple(actions.split(", ")), tuple(expected))


def blocks(name: str) -> Iterator[tuple[str, int, str, str]]:
    """Each case: the name of its block, its line number, its text, and the base of the block."""
    heading, base, cases = "", "-", 1
    text = Path(__file__).with_name(f"{name}.cases").read_text("utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("  from: "):
            base = line.removeprefix("  from: ")
        elif line.startswith("  "):
            cases += 1
            yield heading, number, line, base
        elif line and not line.startswith("#"):
            assert cases, f"the block before line {number} has no case"
            assert line[0].isalpha() and " | " not in line, f"line {number}: a case begins with two spaces"
            heading, base, cases = line.replace(" ", "_"), "-", 0
    assert cases, "the last block has no case"


def cases(name: str) -> list[Any]:
    """The cases of a game, to be made in their tests; each is named by its block and its line number."""
    return [
        pytest.param(partial(case, name, line, base), id=f"{heading}:{number}")
        for heading, number, line, base in blocks(name)
    ]
