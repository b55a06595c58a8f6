"""Facts that explain why one decision was better than another."""

from __future__ import annotations

from escadaria.coach.analysis import Relevance, others

GOOD: Relevance = {"rapido.threw_out": lambda fact, seat: True}
BAD: Relevance = {"won": others}
