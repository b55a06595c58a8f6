"""Distillation, and the values of turns in long races."""

from __future__ import annotations

import numpy as np
import pytest

from escadaria.games.rapido.index import TOWERS
from research import rapido_training as training

pytestmark = pytest.mark.usefixtures("no_solution")


def test_what_is_distilled_comes_near_the_truth() -> None:
    """The truth is that a step ahead is worth a tenth, whatever lies on the tower."""
    table = np.zeros((5, 5, TOWERS), np.uint32)
    for own in range(5):
        for other in range(5):
            table[own, other] = (0.5 + (own - other) / 10) * (2**32 - 1)
    errors: list[float] = []
    training.distil(table, 1 << 18, 1, lambda now, net: errors.append(now.error))
    assert errors[-1] < 0.02 < 0.05 < errors[0]
