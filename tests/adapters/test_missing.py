"""If its extra is not installed, an adapter names it in the error."""

from __future__ import annotations

import importlib
import sys

import pytest


@pytest.mark.parametrize(
    "extra, package",
    [("gymnasium", "gymnasium"), ("pettingzoo", "pettingzoo"), ("openspiel", "pyspiel")],
)
def test_a_missing_extra_is_named(extra: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, f"escadaria.adapters.{extra}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"escadaria\[{extra}\]"):
        importlib.import_module(f"escadaria.adapters.{extra}")
