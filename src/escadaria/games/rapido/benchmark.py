"""Rapido in the benchmark."""

from __future__ import annotations

from collections.abc import Mapping

SHORT: Mapping[str, int | str] = {"finish": 5}
"""The shortest race (R3)."""

ANCHORS: Mapping[int, Mapping[str, float]] = {
    2: {"random": 672, "simple": 1000, "tourist": 910, "regular": 1005, "expert": 1111},
    3: {"random": 560, "simple": 1000, "tourist": 780, "regular": 996, "expert": 1018, "master": 1087},
    4: {"random": 506, "simple": 1000, "tourist": 671, "regular": 967, "expert": 972, "master": 1070},
    5: {"random": 473, "simple": 1000, "tourist": 610, "regular": 951, "expert": 972, "master": 1058},
    6: {"random": 463, "simple": 1000, "tourist": 573, "regular": 932, "expert": 958, "master": 1051},
}
"""By `tool anchors rapido --games 12000`."""
