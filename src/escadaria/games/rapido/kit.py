"""The kit of Rapido."""

from escadaria.games.rapido.rules import Rapido
from escadaria.kit import Kit

KIT = Kit(
    game=Rapido,
    package=__package__,
    shows_risk=True,
    counted={
        "thrown_out": ("threw_out", "victim"),
        "doubles": ("doubled", "seat"),
        "falls": ("fell", "seat"),
    },
    at_end=("steps",),
    most_rolls=2,  # after an X a new turn starts (R12)
)
