"""Generate the rules pages in docs/rules, one for each language, from the texts for players.

    PYTHONPATH=src python tools/rules_pages.py

The effects in the examples are computed by the engine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from escadaria.catalogue import GAMES
from escadaria.i18n import LANGUAGES, Texts, load
from escadaria.teaching.cast import play
from escadaria.teaching.rulebook import Example, RulesView, RulingView, rulebook, rules_view

FOLDER = Path(__file__).parents[1] / "docs" / "rules"


def page(language: str) -> str:
    """The page of one language, both games."""
    texts = load(language)
    return "\n\n".join(["<!-- made by tools/rules_pages.py -->", _links(language), *_blocks(texts)]) + "\n"


def _links(language: str) -> str:
    names = [(other, load(other)("language.name")) for other in LANGUAGES]
    return " · ".join(
        f"**{name}**" if other == language else f"[{name}]({other}.md)" for other, name in names
    )


def _blocks(texts: Texts) -> Iterator[str]:
    for game in GAMES:
        yield f"# {texts(f'{game}.name')}"
        yield f"*{texts(f'{game}.tagline')}*"
        view, book = rules_view(game), rulebook(game)
        if book is None:
            continue
        yield f"## {texts('web.rules.setup')}"
        yield "\n".join(_table(texts, view))
        reasons = {ruling.ruling: ruling for ruling in view.rulings if ruling.reason}
        for shown, section in zip(view.sections, book.sections, strict=True):
            yield f"## {texts(shown.title)}"
            for paragraph, content in zip(shown.paragraphs, section.paragraphs, strict=True):
                yield f"{texts(paragraph.text)} ({', '.join(paragraph.rulings)})"
                noted = [reasons.pop(number) for number in paragraph.rulings if number in reasons]
                if noted:
                    yield "\n".join(_origin(texts, ruling) for ruling in noted)
                if paragraph.example and content.example:
                    yield "\n".join(_quoted(texts, game, paragraph.example.caption, content.example))


def _table(texts: Texts, view: RulesView) -> Iterator[str]:
    """The components by number of players."""
    numbers = list(view.components[0].counts)
    yield f"| {texts('web.rules.setup.players')} | {' | '.join(numbers)} |"
    yield f"|---|{'--:|' * len(numbers)}"
    for part in view.components:
        yield f"| {texts(part.text)} | {' | '.join(map(str, part.counts.values()))} |"


def _origin(texts: Texts, ruling: RulingView) -> str:
    """What of a ruling is not printed, or how the printed editions differ."""
    marks = [origin for origin in ruling.origins if origin != "printed"] or ruling.origins
    words = ", ".join(texts(f"web.rules.origin.{mark}") for mark in marks)
    return f"- *{ruling.ruling}, {words}:* {texts(ruling.reason or '')}"


def _quoted(texts: Texts, game: str, caption: str, example: Example) -> Iterator[str]:
    """The caption of the example, and a line for each continuation."""
    yield f"> {texts(caption)}"
    if example.tries:
        yield ">"
    for event in example.tries:
        sentences = [
            texts.fact(game, fact, example.cast)
            for step in play(example.play(game, example.setup), event)
            for fact in step.facts
        ]
        yield f"> - {' '.join(sentences)}"


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        (FOLDER / f"{language}.md").write_text(page(language), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
