"""Chain in the benchmark."""

from __future__ import annotations

from collections.abc import Mapping

SHORT: Mapping[str, int | str] = {"board": "18"}
"""The shortest board, without arrows (C3)."""

ANCHORS: Mapping[int, Mapping[str, float]] = {
    2: {"random": 225, "simple": 1000, "tourist": 635, "regular": 993, "expert": 1246},
    3: {"random": 476, "simple": 1000, "tourist": 789, "regular": 1004, "expert": 1159, "master": 1268},
    4: {"random": 631, "simple": 1000, "tourist": 881, "regular": 1004, "expert": 1154, "master": 1241},
    5: {"random": 693, "simple": 1000, "tourist": 907, "regular": 1004, "expert": 1206, "master": 1238},
    6: {"random": 784, "simple": 1000, "tourist": 933, "regular": 1018, "expert": 1226, "master": 1258},
}
"""By `tool anchors chain --games 4000`."""
