"""What happened, in sentences: one paragraph for each seat in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from escadaria.game import Fact, Outcome
from escadaria.i18n import Texts
from escadaria.record import RESIGNED


def paragraphs(
    game: str, facts: Iterable[Fact], names: Sequence[str], texts: Texts
) -> Iterator[tuple[int, str]]:
    """The facts as (seat, sentences), in order."""
    for seat, told in groupby(facts, key=lambda fact: fact.seat):
        yield seat, " ".join(sentences(game, told, names, texts))


def sentences(game: str, facts: Iterable[Fact], names: Sequence[str], texts: Texts) -> Iterator[str]:
    """A sentence for each fact; several of one kind share one if the texts have it (five dice fall)."""
    for kind, alike in groupby(facts, key=lambda fact: fact.kind):
        told = list(alike)
        key = f"play.several.{game}.{kind}"
        if len(told) > 1 and key in texts:
            fields = {name: " ".join(str(fact.data()[name]) for fact in told) for name in told[0].data()}
            yield texts(key, name=names[told[0].seat], **fields)
        else:
            yield from (texts.fact(game, fact, names) for fact in told)


def result(outcome: Outcome, names: Sequence[str], texts: Texts) -> str:
    """The sentence that says who won."""
    key = "play.won.resignation" if outcome.ruling == RESIGNED else "play.won"
    return texts(key, name=names[outcome.winner], ruling=outcome.ruling)


def bot_name(bot: str, texts: Texts) -> str:
    """What a bot is called; one from elsewhere by the name that it came with."""
    return texts(f"bot.{bot}") if f"bot.{bot}" in texts else bot
