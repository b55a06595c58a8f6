"""Facts that explain why one decision was better than another."""

from __future__ import annotations

from escadaria.coach.analysis import Telling, others

GOOD: Telling = {"rapido.threw_out": lambda fact, seat: True}
BAD: Telling = {"won": others}
