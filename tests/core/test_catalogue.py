"""The registry: shipped kits, kits of other packages, and unusable ones."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from escadaria import GAMES, load
from escadaria.catalogue import GROUP, collect, kit_of
from escadaria.games.chain.kit import KIT as CHAIN
from escadaria.games.rapido.kit import KIT as RAPIDO
from escadaria.games.rapido.rules import Rapido
from escadaria.kit import Kit, Part
from escadaria_pig import KIT as PIG
from escadaria_pig.rules import Pig, State


class Nameless(Rapido):
    name = "No Name"


class Unready(Rapido):
    name = "unready"

    def __post_init__(self) -> None:
        raise RuntimeError("not today")


NAMELESS, UNREADY = Kit(game=Nameless), Kit(game=Unready)


def entry(value: str) -> EntryPoint:
    return EntryPoint("other", value, GROUP)


def test_an_entry_point_adds_a_game() -> None:
    assert list(collect((RAPIDO,), [entry("escadaria_pig:KIT")])) == ["rapido", "pig"]  # without a warning


@pytest.mark.parametrize(
    "value, why",
    [
        ("no_such_package:KIT", "no_such_package"),
        ("escadaria_pig:NOTHING", "NOTHING"),
        ("escadaria_pig.rules:Pig", "must name a Kit"),
        ("escadaria.games.rapido.kit:KIT", "a game named 'rapido' exists already"),
        (f"{__name__}:NAMELESS", "lower-case word"),
        (f"{__name__}:UNREADY", "not today"),
    ],
)
def test_an_unusable_kit_is_skipped_with_a_warning(value: str, why: str) -> None:
    with pytest.warns(UserWarning, match=why):
        found = collect((RAPIDO, CHAIN), [entry(value), entry("escadaria_pig:KIT")])
    assert found == {"rapido": RAPIDO, "chain": CHAIN, "pig": PIG}


@pytest.mark.parametrize("member", ["actions", "FACTS", "rules_version", "colours", "facts", "outcome"])
def test_a_game_without_a_member_is_skipped(member: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pig does not inherit from ``Game``, so the copy really lacks the member."""
    members = {name: value for name, value in vars(Pig).items() if name != member}
    kit = Kit(game=type("Pig", (), members))
    monkeypatch.setattr("escadaria_pig.KIT", kit)
    with pytest.warns(UserWarning, match=f"Pig lacks {member}"):
        assert collect((RAPIDO,), [entry("escadaria_pig:KIT")]) == {"rapido": RAPIDO}


def test_a_position_that_reads_back_differently_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(Pig):
        def parse_state(self, text: str) -> State:
            return State(0, True, 0, (0, 0))

    monkeypatch.setattr("escadaria_pig.KIT", Kit(game=Forgetful))
    with pytest.warns(UserWarning, match="the inverse of str"):
        assert collect((RAPIDO,), [entry("escadaria_pig:KIT")]) == {"rapido": RAPIDO}


def test_a_game_that_is_not_registered_has_a_kit_with_only_its_rules() -> None:
    class Own(Rapido):
        name = "own"

    assert kit_of(Own()) == Kit(game=Own)
    assert kit_of(PIG.game()) == Kit(game=PIG.game)
    assert list(GAMES)[:2] == ["rapido", "chain"]
    assert (kit_of(load("rapido")), kit_of(load("chain"))) == (RAPIDO, CHAIN)


def test_every_part_of_every_kit_exists() -> None:
    parts = {
        "bots": "BOTS", "values": "shipped", "solution": "file_name opened",
        "solver": "needs solve seconds_left", "compiled": "POLICIES play_batch games",
        "search": "grandmaster", "benchmark": "SHORT ANCHORS", "observation": "FIELDS parts",
        "picture": "draw", "drawing": "draw note", "heuristics": "advice", "explanations": "GOOD BAD",
        "sequences": "sequences",
    }  # fmt: skip
    assert parts.keys() == {name for name, part in vars(Kit).items() if isinstance(part, Part)}
    missing = {("rapido", "search"), ("rapido", "sequences")}
    for kit in (RAPIDO, CHAIN, PIG):
        for name, defined in parts.items():
            load_part = getattr(kit, name)
            if kit is PIG or (kit.game.name, name) in missing:
                assert load_part is None
                continue
            module: Any = load_part()
            assert all(hasattr(module, word) for word in defined.split()), (kit.game.name, name)


def test_parts_are_found_by_the_names_of_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_pig").mkdir()
    for name in ("__init__", "bots"):
        (tmp_path / "my_pig" / f"{name}.py").write_text("BOTS = {}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    kit = Kit(game=Pig, package="my_pig")
    assert kit.bots is not None and "my_pig.bots" not in sys.modules
    assert kit.bots().BOTS == {} and (kit.values, kit.search) == (None, None)
