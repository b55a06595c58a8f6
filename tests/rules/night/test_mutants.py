"""Each ruling, broken on purpose: a test must fail."""

from tools import mutations


def test_every_mutant_is_killed() -> None:
    assert mutations.main([]) == 0
