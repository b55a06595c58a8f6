"""The analysis of a match as a self-contained HTML page, without scripts, fonts or external images."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from escadaria.coach.analysis import Analysis, Decision, Roll
from escadaria.i18n import Texts
from escadaria.terminal.analysis import (
    SIGNS,
    about,
    figures,
    great_rolls,
    outcome,
    seat_colour,
    sentence,
    signed,
    source,
)

STYLE = """
:root { color-scheme: light dark; --plaster: #F3E7D3; --paper: #FFFAF0; --line: #DDCAAB; --edge: #8B7355;
  --ink: #2B211A; --ink-2: #65533F; --coral: #B0381D }
@media (prefers-color-scheme: dark) { :root { --plaster: #161B27; --paper: #222A3B; --line: #3A455C;
  --edge: #8593B0; --ink: #F7ECD8; --ink-2: #BDB7A8; --coral: #F2946C } }
* { box-sizing: border-box }
body { margin: 0; background: var(--plaster); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1, h2 { font-family: Georgia, serif; line-height: 1.2; margin: 1.6rem 0 .6rem }
h1 { font-size: 1.7rem; margin-top: 0 }
h2 { font-size: 1.2rem }
p { margin: .3rem 0; overflow-wrap: anywhere }
.quiet { color: var(--ink-2); font-size: .9rem }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem;
  overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { padding: .25rem .6rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
tr + tr { border-top: 1px solid var(--line) }
th:first-child { text-align: left; font-weight: normal; color: var(--ink-2); position: sticky; left: 0;
  background: var(--paper) }
.seat { display: inline-block; width: .8em; height: .8em; border-radius: 50%; margin-right: .4em;
  border: 1.5px solid var(--edge) }
.curve { position: relative; height: 280px; margin: .6rem .4rem .4rem 3rem;
  border-left: 1px solid var(--line);
  border-bottom: 1px solid var(--line) }
.curve svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible }
.curve polyline { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round }
.curve .rim { stroke: var(--edge); stroke-width: 4 }
.curve .own { stroke-width: 2.2 }
.curve line { stroke: var(--line); vector-effect: non-scaling-stroke }
.curve span, .curve b { position: absolute; transform: translate(-50%, -50%) }
.curve span { left: -1.6rem; color: var(--ink-2); font-size: .8rem; white-space: nowrap }
.curve b { font-size: .72rem; line-height: 1.1rem; min-width: 1.3rem; text-align: center;
  border-radius: .6rem;
  color: var(--ink); background: var(--paper); border: 1.5px solid var(--coral) }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem }
ol { list-style: none; margin: 0; padding: 0 }
li { display: flex; gap: .8rem; padding: .35rem 0; overflow-wrap: anywhere }
li + li { border-top: 1px solid var(--line) }
li b { flex: 0 0 4.4rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
li .seat { margin-right: .5em }
li .sign { flex-basis: 1.6rem; color: var(--coral) }
"""


def page(analysis: Analysis, texts: Texts) -> str:
    """The page's HTML."""
    record = analysis.record
    game = texts(f"{record.game.name}.name")
    title = escape(texts("coach.title", game=game, players=record.game.players))
    mistakes = analysis.mistakes
    lost = _items(((SIGNS[decision.size], decision) for decision in mistakes), analysis, texts, "sign")
    rolls = ((signed(roll.luck[roll.seat], texts), roll) for roll in great_rolls(analysis))
    return f"""<!doctype html>
<html lang="{texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{escape(outcome(analysis, texts))}</p>
<p class="quiet">{escape(source(analysis.source, texts))}</p>
<h2>{escape(texts("coach.curve"))}</h2>
<div class="card">
{_curve(analysis, texts)}
<div class="legend">{_legend(analysis)}</div>
</div>
<h2>{escape(texts("coach.result"))}</h2>
<div class="card">{_table(analysis, texts)}</div>
<h2>{escape(texts("coach.what_was_lost" if mistakes else "coach.nothing_lost"))}</h2>
{f'<div class="card"><ol>{lost}</ol></div>' if mistakes else ""}
<h2>{escape(texts("coach.great_rolls"))}</h2>
<div class="card"><ol>{_items(rolls, analysis, texts)}</ol></div>
<p class="quiet">{escape(about(texts))}</p>
</main>
</body>
</html>
"""


def _curve(analysis: Analysis, texts: Texts) -> str:
    """The plot of the curve. Lines scale with the page; signs and percentages keep their size."""
    last = max(1, len(analysis.curve) - 1)
    lines = [f'<line x1="0" x2="{last}" y1="{y}" y2="{y}"/>' for y in (0, 25, 50, 75)]
    for seat in range(len(analysis.curve[0])):
        points = " ".join(f"{x},{100 - 100 * shares[seat]:.2f}" for x, shares in enumerate(analysis.curve))
        lines.append(f'<polyline class="rim" points="{points}"/>')
        colour = seat_colour(analysis, seat)
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


def _legend(analysis: Analysis) -> str:
    return "".join(f"<span>{_dot(analysis, seat)}{name}</span>" for seat, name in _names(analysis))


def _table(analysis: Analysis, texts: Texts) -> str:
    heads = "".join(f'<th scope="col">{_dot(analysis, seat)}{name}</th>' for seat, name in _names(analysis))
    rows = [f"<tr><th></th>{heads}</tr>"]
    for label, values in figures(analysis, texts):
        cells = "".join(f"<td>{escape(value)}</td>" for value in values)
        rows.append(f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>')
    return f"<table>{''.join(rows)}</table>"


def _items(
    moments: Iterable[tuple[str, Decision | Roll]], analysis: Analysis, texts: Texts, kind: str = ""
) -> str:
    return "".join(
        f'<li><b class="{kind}">{escape(sign)}</b>'
        f"<span>{_dot(analysis, moment.seat)}{escape(sentence(analysis, moment, texts))}</span></li>"
        for sign, moment in moments
    )


def _dot(analysis: Analysis, seat: int) -> str:
    return f'<span class="seat" style="background:{seat_colour(analysis, seat)}"></span>'


def _names(analysis: Analysis) -> Iterator[tuple[int, str]]:
    return enumerate(map(escape, analysis.record.names))
