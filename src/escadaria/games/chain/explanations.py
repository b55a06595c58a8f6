"""Facts that explain why one decision was better than another."""

from __future__ import annotations

from escadaria.coach.analysis import Relevance, others, own
from escadaria.game import Fact


def _forward(fact: Fact, seat: int) -> bool:
    return bool(fact.data()["end"] > fact.data()["start"])


def _back(fact: Fact, seat: int) -> bool:
    return not _forward(fact, seat)


GOOD: Relevance = {
    "chain.arrived": own,
    "chain.covered": own,  # discs that cannot move win (C1)
    "chain.freed": others,
    "chain.took_arrow": _forward,
}
BAD: Relevance = {"won": others, "chain.covered": others, "chain.freed": own, "chain.took_arrow": _back}
