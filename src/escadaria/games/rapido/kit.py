"""What Rapido has."""

from escadaria.games.rapido.rules import Rapido
from escadaria.kit import Kit, lazy

KIT = Kit(
    game=Rapido,
    package=__package__,
    bots=lazy("escadaria.games.rapido.bots"),
    values=lazy("escadaria.games.rapido.values"),
    solution=lazy("escadaria.games.rapido.solution"),
    solver=lazy("escadaria.games.rapido.compiled.solver"),
    compiled=lazy("escadaria.games.rapido.compiled.play"),
    batch=lazy("escadaria.games.rapido.compiled.batch"),
    benchmark=lazy("escadaria.games.rapido.benchmark"),
    observation=lazy("escadaria.games.rapido.observation"),
    picture=lazy("escadaria.games.rapido.picture"),
    drawing=lazy("escadaria.games.rapido.drawing"),
    heuristics=lazy("escadaria.games.rapido.heuristics"),
    explanations=lazy("escadaria.games.rapido.explanations"),
    shows_risk=True,
    counted={
        "thrown_out": ("threw_out", "victim"),
        "doubles": ("doubled", "seat"),
        "falls": ("fell", "seat"),
    },
    at_end=("steps",),
    most_rolls=2,  # after an X a new turn starts (R12)
)
