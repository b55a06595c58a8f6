"""A whole game of Chain in the languages that the full tier leaves out."""

from __future__ import annotations

import pytest

from cli.test_cli import check_language, home  # noqa: F401 - a fixture
from escadaria.i18n import LANGUAGES


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"de"}))
def test_a_whole_game_of_chain_can_be_played(language: str) -> None:
    check_language("chain", language)
