"""Facts as sentences, in paragraphs by seat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from escadaria.game import Fact, Outcome
from escadaria.i18n import Texts
from escadaria.record import RESIGNED


def paragraphs(
    game: str, facts: Iterable[Fact], names: Sequence[str], texts: Texts, you: int | None = None
) -> Iterator[tuple[int, str]]:
    """The facts as (seat, sentences), in order; ``you`` is the reader's seat."""
    for seat, group in groupby(facts, key=lambda fact: fact.seat):
        yield seat, " ".join(sentences(game, group, names, texts, you))


def sentences(
    game: str, facts: Iterable[Fact], names: Sequence[str], texts: Texts, you: int | None
) -> Iterator[str]:
    """A sentence for each fact; consecutive facts of one kind share one if there is a text for several."""
    for kind, alike in groupby(facts, key=lambda fact: fact.kind):
        group = list(alike)
        key = f"play.several.{game}.{kind}"
        if len(group) > 1 and key in texts:
            fields = {name: " ".join(str(fact.data()[name]) for fact in group) for name in group[0].data()}
            seat = group[0].seat
            yield texts(texts.addressed(key, seat, you), name=names[seat], **fields)
        else:
            yield from (texts.fact(game, fact, names, you) for fact in group)


def result(outcome: Outcome, names: Sequence[str], texts: Texts, you: int | None = None) -> str:
    """The sentence that says who won."""
    key = "play.won.resignation" if outcome.ruling == RESIGNED else "play.won"
    key = texts.addressed(key, outcome.winner, you)
    return texts(key, name=names[outcome.winner], ruling=outcome.ruling)


def bot_name(bot: str, texts: Texts) -> str:
    """The translated name of a built-in bot, or the name of a user's bot."""
    return texts(f"bot.{bot}") if f"bot.{bot}" in texts else bot
