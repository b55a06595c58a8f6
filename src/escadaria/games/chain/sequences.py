"""The orders in which a rolled hand can be linked, so that a front end can offer them as one choice (C10)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import islice

from escadaria.games.chain.links import Links, add_link, most_fitting, next_links, orders, without
from escadaria.games.chain.rules import Chain, Link, Phase, State

MOST = 200
"""The maximum number of orders. A hand of nine dice or more can have more, one of 18 millions."""


def sequences(game: Chain, state: State) -> tuple[list[tuple[Link, ...]], bool]:
    """Orders of the loose dice, and whether these are all. Empty in other phases.

    Sorted by how many numbers fit the finished chain, the most first. If all lead to the same position, only
    one is returned. If there are more than ``MOST``, about the same number is returned for each first link.
    """
    if state.phase is not Phase.BUILD:
        return [], True
    chain, loose = state.chain, state.loose
    found = list(islice(orders(chain, loose), MOST + 1))
    complete = len(found) <= MOST
    if not complete:
        found = list(_spread(chain, loose, MOST))
    ends = {order: _end(chain, order) for order in found}
    if complete and len(set(ends.values())) == 1:
        found = found[:1]
    found.sort(key=lambda order: -most_fitting(ends[order]))
    return [tuple(map(Link, order)) for order in found], complete


def _spread(chain: Links, loose: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
    """At most this number of orders, about the same number for each first link."""
    links = next_links(chain, loose)
    if not loose or most <= len(links):
        yield from islice(orders(chain, loose), most)
        return
    for number in links:
        for rest in _spread(_linked(chain, number), without(loose, number), most // len(links)):
            yield (number, *rest)


def _end(chain: Links, order: tuple[int, ...]) -> Links:
    """The chain after these links, which fit."""
    return reduce(_linked, order, chain)


def _linked(chain: Links, number: int) -> Links:
    longer = add_link(chain, number)
    assert longer is not None
    return longer
