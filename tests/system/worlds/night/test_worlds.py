"""A hundred thousand worlds."""

from __future__ import annotations

import pytest

from system.worlds.world import run_world


@pytest.mark.parametrize("first", range(0, 100_000, 500))
def test_five_hundred_worlds(first: int) -> None:
    for seed in range(first, first + 500):
        run_world(seed)


@pytest.mark.parametrize("seed", range(0, 100, 10))
def test_a_seed_repeats_exactly(seed: int) -> None:
    assert run_world(seed).history == run_world(seed).history
