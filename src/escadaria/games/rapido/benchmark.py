"""Rapido in the benchmark."""

from __future__ import annotations

from collections.abc import Mapping

SHORT: Mapping[str, int | str] = {"finish": 5}
"""The shortest race (R3)."""

ANCHORS: Mapping[int, Mapping[str, float]] = {
    2: {"random": 673, "simple": 1000, "tourist": 780, "regular": 1013, "expert": 1103},
    3: {"random": 587, "simple": 1000, "tourist": 839, "regular": 1020, "expert": 1040, "master": 1084},
    4: {"random": 530, "simple": 1000, "tourist": 808, "regular": 991, "expert": 1021, "master": 1074},
    5: {"random": 463, "simple": 1000, "tourist": 785, "regular": 976, "expert": 1025, "master": 1079},
    6: {"random": 469, "simple": 1000, "tourist": 802, "regular": 962, "expert": 992, "master": 1081},
}
"""By `tool anchors rapido --games 12000`; for six players with 2000 games."""
