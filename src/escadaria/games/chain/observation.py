"""A position of Chain as numbers, for agents that learn."""

from __future__ import annotations

from collections.abc import Mapping

from escadaria.adapters.observation import Parts, from_seat, one_of, one_word
from escadaria.games.chain import links as chain_links
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
    numbers, loose = state.chain.numbers, state.loose
    discs = [disc for own in from_seat(seat, _discs(state)) for disc in own]
    return {
        "phase": one_word(state.phase),
        "hands": [dice / (chain_links.LONGEST + 1) for dice in from_seat(seat, state.hands)],
        "pool": [state.pool / game.dice],
        "discs": [space / game.track.length for space, _ in discs],
        "covered": [above / (2 * game.players) for _, above in discs],
        "chain": [numbers.count(face) / chain_links.ALIKE for face in chain_links.FACES],
        "last": one_of(len(chain_links.FACES), state.chain.last - 1),
        "heading": one_word(state.chain.heading),
        "loose": [loose.count(face) / (chain_links.LONGEST - 1) for face in chain_links.FACES],
    }


def _discs(state: chain.State) -> list[list[tuple[int, int]]]:
    """Each seat's two discs by space, each with how many discs lie on it (C7)."""
    # Beside the start and at the centre no disc lies on another (C4, C17).
    between = {space for space, _ in state.piles}
    discs = [[(space, 0) for space in spaces if space not in between] for spaces in state.discs]
    for space, seats in state.piles:
        for above, owner in enumerate(reversed(seats)):
            discs[owner].append((space, above))
    return [sorted(own) for own in discs]
