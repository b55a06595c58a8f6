"""A position of Chain as numbers, for agents that learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from escadaria.adapters.observation import Parts, from_seat, one_of, one_word
from escadaria.games.chain import rules as chain

FIELDS: Mapping[str, str] = {
    "phase": "one of 6: keep, roll, build, decide, lengthen, over",
    "hands": "n: each seat's dice / 19, one more than the longest chain (C11, C13)",
    "pool": "1: the dice in the pool / all dice (C2)",
    "discs": "2n: where each seat's two discs lie / centre; 0 is beside the start (C4)",
    "covered": "2n: how many discs lie on each of these discs / 2n (C7, C17)",
    "chain": "6: how often each number stands in the chain / 3 (C11)",
    "last": "one of 6: the link at the end; all 0 before the first",
    "heading": "one of 3: open, up, down (C11)",
    "loose": "6: how often each number is still to be linked / 17 (C10)",
}


def parts(game: chain.Chain, state: chain.State, seat: int) -> Parts:
    numbers, loose = Counter(state.chain.numbers), Counter(state.loose)
    discs = [disc for other in from_seat(seat, range(game.players)) for disc in _discs(state, other)]
    return {
        "phase": one_word(state.phase),
        "hands": [dice / (chain.LONGEST + 1) for dice in from_seat(seat, state.hands)],
        "pool": [state.pool / game.dice],
        "discs": [space / game.track.length for space, _ in discs],
        "covered": [above / (2 * game.players) for _, above in discs],
        "chain": [numbers[face] / chain.ALIKE for face in chain.FACES],
        "last": one_of(len(chain.FACES), state.chain.last - 1),
        "heading": one_word(state.chain.heading),
        "loose": [loose[face] / (chain.LONGEST - 1) for face in chain.FACES],
    }


def _discs(state: chain.State, seat: int) -> list[tuple[int, int]]:
    """The seat's two discs by space, each with how many discs lie on it (C7)."""
    lying = [
        (space, above)
        for space, seats in state.piles
        for above, owner in enumerate(reversed(seats))
        if owner == seat
    ]
    between = [space for space, _ in lying]
    # Beside the start and at the centre no disc lies on another (C4, C17).
    return sorted([*lying, *((space, 0) for space in state.discs[seat] if space not in between)])
