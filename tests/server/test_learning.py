"""The rules and lessons over HTTP."""

from __future__ import annotations

import httpx
import msgspec
import pytest

from escadaria import GAMES
from escadaria.teaching.views import lesson_view, rules_view


def get(url: str) -> httpx.Response:
    return httpx.get(url, trust_env=False, timeout=30)


@pytest.mark.parametrize("game", GAMES)
def test_rules_and_lessons_are_served(url: str, game: str) -> None:
    rules, lesson = get(f"{url}/api/rules/{game}"), get(f"{url}/api/lessons/{game}")
    assert rules.content == msgspec.json.encode(rules_view(game))
    assert lesson.content == msgspec.json.encode(lesson_view(game))
    assert "max-age" in rules.headers["cache-control"]


@pytest.mark.parametrize("what", ["rules", "lessons"])
def test_an_unknown_game_is_refused(url: str, what: str) -> None:
    answer = get(f"{url}/api/{what}/go")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_options")
