"""Chain in the benchmark."""

from __future__ import annotations

from collections.abc import Mapping

SHORT: Mapping[str, int | str] = {"board": "18"}
"""The shortest board, without arrows (C3)."""

ANCHORS: Mapping[int, Mapping[str, float]] = {
    2: {"random": 196, "simple": 1000, "tourist": 651, "regular": 989, "expert": 1264},
    3: {"random": 507, "simple": 1000, "tourist": 780, "regular": 1007, "expert": 1169, "master": 1283},
    4: {"random": 627, "simple": 1000, "tourist": 861, "regular": 988, "expert": 1163, "master": 1225},
    5: {"random": 708, "simple": 1000, "tourist": 900, "regular": 990, "expert": 1181, "master": 1215},
    6: {"random": 784, "simple": 1000, "tourist": 931, "regular": 989, "expert": 1225, "master": 1246},
}
"""By `tool anchors chain --games 12000`."""
