"""The kit of Chain."""

from escadaria.games.chain.links import LONGEST
from escadaria.games.chain.rules import Chain
from escadaria.kit import Kit

KIT = Kit(
    game=Chain,
    package=__package__,
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
