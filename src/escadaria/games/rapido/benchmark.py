"""Rapido in the benchmark."""

from __future__ import annotations

from collections.abc import Mapping

SHORT: Mapping[str, int | str] = {"finish": 5}
"""The shortest race (R3)."""

ANCHORS: Mapping[int, Mapping[str, float]] = {
    2: {"random": 672, "simple": 1000, "tourist": 910, "regular": 1005, "expert": 1111},
    3: {"random": 558, "simple": 1000, "tourist": 770, "regular": 993, "expert": 1030, "master": 1083},
    4: {"random": 505, "simple": 1000, "tourist": 655, "regular": 963, "expert": 987, "master": 1063},
    5: {"random": 455, "simple": 1000, "tourist": 604, "regular": 954, "expert": 1003, "master": 1062},
    6: {"random": 463, "simple": 1000, "tourist": 573, "regular": 932, "expert": 958, "master": 1051},
}
"""By `tool anchors rapido --games 12000`."""
