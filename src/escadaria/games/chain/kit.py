"""What Chain has."""

from escadaria.games.chain.rules import LONGEST, Chain
from escadaria.kit import Kit, lazy

KIT = Kit(
    game=Chain,
    package=__package__,
    bots=lazy("escadaria.games.chain.bots"),
    values=lazy("escadaria.games.chain.values"),
    solution=lazy("escadaria.games.chain.solution"),
    solver=lazy("escadaria.games.chain.compiled.solver"),
    compiled=lazy("escadaria.games.chain.compiled.play"),
    search=lazy("escadaria.games.chain.compiled.search"),
    batch=lazy("escadaria.games.chain.compiled.batch"),
    benchmark=lazy("escadaria.games.chain.benchmark"),
    observation=lazy("escadaria.games.chain.observation"),
    picture=lazy("escadaria.games.chain.picture"),
    drawing=lazy("escadaria.games.chain.drawing"),
    heuristics=lazy("escadaria.games.chain.heuristics"),
    explanations=lazy("escadaria.games.chain.explanations"),
    sequences=lazy("escadaria.games.chain.sequences"),
    shows_risk=True,
    counted={
        "covered": ("covered", "victim"),
        "failed": ("failed", "seat"),
        "arrows": ("took_arrow", "seat"),
        "home": ("arrived", "seat"),
    },
    at_end=("hands",),
    most_rolls=LONGEST,  # a whole hand is rolled (C9)
)
