"""The legal actions of a player as choices: a key to type, a label and a preview.

There are no rules in this module: previews come from applying the action to the position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from escadaria.catalogue import kit_of
from escadaria.game import CHANCE, AnyGame, Fact
from escadaria.i18n import Texts
from escadaria.play import ROLL, Play

MOST_POSITIONS = 6000
"""The maximum number of positions to examine for the odds of one prompt, so that it is fast."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal action of the seat to act."""

    key: str
    """The short form: the decision's number (``3`` for ``place 3``), else its first letter."""
    text: str
    """The decision's text, for ``Play.act``."""
    label: str
    preview: str = ""
    """Its immediate effects, or the probability that the dice after it are good."""


def offers(play: Play, texts: Texts, you: int | None = None) -> list[Choice]:
    """The choices of the seat to act, in the game's order; ``you`` is the reader's seat."""
    if play.awaits_roll:
        return [Choice(ROLL[0], ROLL, texts("play.roll"))]
    decisions = [play.game.parse(text) for text in play.choices()]
    odds = Odds(play.game)
    return [
        Choice(
            key_of(str(decision), map(str, decisions)),
            str(decision),
            texts.action(play.game.name, decision),
            ", ".join(previews(play, decision, texts, odds, you)),
        )
        for decision in decisions
    ]


def key_of(text: str, all_texts: Iterable[str]) -> str:
    """The shortest form that is unique among the decisions."""
    others = [other for other in all_texts if other != text]
    number = text.split()[-1]
    if number.isdigit() and all(other.split()[-1] != number for other in others):
        return number
    return next(
        (text[:size] for size in range(1, len(text)) if not any(o.startswith(text[:size]) for o in others)),
        text,
    )


def matching(line: str, choices: Sequence[Choice]) -> Choice | None:
    """The choice for a typed line: by its key, its text, or a short form such as ``p3``."""
    typed = " ".join(line.lower().split())
    exact = [choice for choice in choices if typed in (choice.key, choice.text)]
    if exact:
        return exact[0]
    found = re.fullmatch(r"([a-z]+) ?(\d*)", typed)
    if found is None:
        return None
    word, number = found.groups()
    meant = []
    for choice in choices:
        first, _, rest = choice.text.partition(" ")
        if first.startswith(word) and (rest == number or (not number and len(word) == len(first))):
            meant.append(choice)
    return meant[0] if len(meant) == 1 else None


def previews(play: Play, decision: Any, texts: Texts, odds: Odds, you: int | None) -> Iterator[str]:
    """The immediate effects of the decision, and the probability that the dice after it are good."""
    names = [seat.name for seat in play.seats]
    for fact in play.game.facts(play.state, decision):
        yield from preview(play.game.name, fact, names, texts, you)
    if not kit_of(play.game).shows_risk:
        return
    chance = odds.turn_continues(play.game.apply(play.state, decision), play.state.turn)
    if chance is not None:
        yield texts("play.safe", share=texts.percent(chance))


def preview(game: str, fact: Fact, names: Sequence[str], texts: Texts, you: int | None) -> Iterator[str]:
    """The short text for a fact, if there is one for its kind."""
    data = fact.data()
    key = f"play.preview.{game}.{fact.kind}"
    if data.get("victim") == fact.seat and f"{key}.self" in texts:
        key = f"{key}.self"
    if key in texts:
        words = {field: names[value] if field == "victim" else value for field, value in data.items()}
        form = texts.addressed(key, fact.seat, you, data.get("victim"))
        yield texts(form, name=names[fact.seat], **words)


class Odds:
    """The probability that a seat's turn continues after the dice, within a limit of positions."""

    def __init__(self, game: AnyGame, most: int = MOST_POSITIONS) -> None:
        self.game = game
        self.left = most

    def turn_continues(self, state: Any, seat: int) -> Fraction | None:
        """The probability that the seat's turn continues, or wins the game, after the roll.

        None if this is not a chance node of its turn, or if there are too many positions.
        """
        if self.game.current_player(state) != CHANCE or state.turn != seat:
            return None
        safe, rolling = Fraction(0), {state: Fraction(1)}
        while rolling:
            self.left -= len(rolling)
            if self.left < 0:
                return None
            after_die: dict[Any, Fraction] = {}
            for before, share in rolling.items():
                for die, chance in self.game.chance_outcomes(before):
                    after = self.game.apply(before, die)
                    if after.turn == seat and self.game.current_player(after) == CHANCE:
                        after_die[after] = after_die.get(after, Fraction(0)) + share * chance
                    elif after.turn == seat:
                        safe += share * chance
            rolling = after_die
        return safe
