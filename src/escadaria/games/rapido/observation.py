"""A position of Rapido as numbers, for agents that learn."""

from __future__ import annotations

from collections.abc import Mapping

from escadaria.adapters.observation import Parts, from_seat, one_word
from escadaria.games.rapido import rules as rapido

FIELDS: Mapping[str, str] = {
    "phase": "one of 4: first roll, later roll, decide, over",
    "value": "1: the value of the pair in hand / 76; 0 unless a player is to decide (R9)",
    "steps": "n: each seat's step / finish (R3)",
    "owners": "5 times one of n: whose pair lies on the fields 1 to 5; all 0 if the field is free (R4)",
    "values": "5: the values of the pairs on the fields 1 to 5, / 76",
    "ground": "n: each seat's pairs on field 0 / pairs that a seat has (R4, R16)",
}


_BEST = rapido.VALUES[-1]


def parts(game: rapido.Rapido, state: rapido.State, seat: int) -> Parts:
    players, finish = game.players, game.finish
    owners, values = [0.0] * (rapido.TOP_FIELD * players), [0.0] * rapido.TOP_FIELD
    ground = [0.0] * players
    for pair in state.tower:
        owner = (pair.seat - seat) % players
        if pair.field:
            owners[(pair.field - 1) * players + owner] = 1.0
            values[pair.field - 1] = pair.value / _BEST
        else:
            ground[owner] += 1 / game.pairs
    return {
        "phase": one_word(state.phase),
        "value": [state.value / _BEST],
        "steps": [step / finish for step in from_seat(seat, state.steps)],
        "owners": owners,
        "values": values,
        "ground": ground,
    }
