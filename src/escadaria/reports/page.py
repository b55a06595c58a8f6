"""The analysis of a match as a self-contained HTML page, without scripts, fonts or external images."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from string import Template

from rich.console import Console
from rich.text import Text

from escadaria.coach.analysis import Analysis
from escadaria.i18n import Texts
from escadaria.reports.analysis_report import SIGNS, figures, sentence, show_moments, show_source, title
from escadaria.terminal.pieces import look_of
from escadaria.terminal.screen import QUIET, Item, Screen, Words


def page(analysis: Analysis, texts: Texts) -> str:
    """The page's HTML."""
    console = Console(file=io.StringIO())
    sheet = Sheet(texts, console, console)
    names = sheet.names(analysis.record.seats)
    show_source(analysis, sheet)
    sheet.section("coach.curve")
    legend = "".join(f"<span>{sheet.html(name)}</span>" for name in names)
    sheet.card(f'{_curve(analysis, texts)}<div class="legend">{legend}</div>')
    sheet.section("coach.result")
    sheet.table(["", *names], ([label, *values] for label, values in figures(analysis, texts)))
    show_moments(analysis, sheet)
    template = Template(resources.files(__package__).joinpath("page.html").read_text("utf-8"))
    head = escape(title(analysis, texts))
    return template.substitute(language=texts.language, title=head, body="\n".join(sheet.parts))


@dataclass(frozen=True)
class Sheet(Screen):
    """Collects what a screen would print, as HTML."""

    parts: list[str] = field(default_factory=list)

    def card(self, content: str) -> None:
        self.parts.append(f'<div class="card">{content}</div>')

    def section(self, key: str) -> None:
        self.parts.append(f"<h2>{escape(self.texts(key))}</h2>")

    def show(self, words: Words = "", mark: Words = "") -> None:
        kind = ' class="quiet"' if isinstance(words, Text) and words.style == QUIET else ""
        if words:
            self.parts.append(f"<p{kind}>{self.html(words)}</p>")

    def items(self, items: Iterable[Item]) -> None:
        rows = [
            f'<li><b class="{"sign" if sign.style else ""}">{self.html(sign)}</b>'
            f"<span>{self.html(token)}{self.html(words)}</span></li>"
            for sign, token, words in items
        ]
        if rows:
            self.card(f"<ol>{''.join(rows)}</ol>")

    def table(
        self, headings: Sequence[Words], rows: Iterable[Sequence[Words]], *, left: int = 0, title: str = ""
    ) -> None:
        lines = ["".join(f'<th scope="col">{self.html(heading)}</th>' for heading in headings)]
        for label, *values in rows:
            cells = "".join(f"<td>{self.html(value)}</td>" for value in values)
            lines.append(f'<th scope="row">{self.html(label)}</th>{cells}')
        self.card(f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>")

    def html(self, words: Words) -> str:
        """The words without their styles; the token of a seat becomes a dot of its colour."""
        parts = []
        for text, style, _ in Text.assemble(words).render(self.out):
            colour = style and style.bgcolor
            dot = colour and f'<span class="seat" style="background:{colour.name}"></span>'
            parts.append(dot or escape(text))
        return "".join(parts)


def _curve(analysis: Analysis, texts: Texts) -> str:
    """The plot of the curve. Lines scale with the page; signs and percentages keep their size."""
    last = max(1, len(analysis.curve) - 1)
    lines = [f'<line x1="0" x2="{last}" y1="{y}" y2="{y}"/>' for y in (0, 25, 50, 75)]
    for seat in range(len(analysis.curve[0])):
        points = " ".join(f"{x},{100 - 100 * shares[seat]:.2f}" for x, shares in enumerate(analysis.curve))
        colour = look_of(analysis.record.seats, seat).paper
        lines.append(f'<polyline class="rim" points="{points}"/>')
        lines.append(f'<polyline class="own" stroke="{colour}" points="{points}"/>')
    labels = [f'<span style="top:{100 - y}%">{escape(texts.percent(y / 100))}</span>' for y in (0, 50, 100)]
    for decision in analysis.mistakes:
        share = analysis.curve[decision.ply][decision.seat]
        place = f"left:{100 * decision.ply / last:.2f}%;top:{100 - 100 * share:.2f}%"
        words = escape(sentence(analysis, decision, texts))
        labels.append(f'<b style="{place}" title="{words}">{SIGNS[decision.size]}</b>')
    name = escape(texts("coach.curve"))
    return f"""<div class="curve">
<svg viewBox="0 0 {last} 100" preserveAspectRatio="none" role="img" aria-label="{name}">{"".join(lines)}</svg>
{"".join(labels)}
</div>"""
