"""Rules pages and lessons: every ruling is covered, every step is legal, every text exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import escadaria
from escadaria import GAMES, BadOptions
from escadaria.game import CHANCE
from escadaria.i18n import LANGUAGES, load
from escadaria.play import ROLL, Event
from escadaria.teaching.cast import CAST, Start, play, read
from escadaria.teaching.lessons import LEARNER, Lesson, LessonView, Scene, Step, lesson, lesson_view
from escadaria.teaching.rulebook import Paragraph, Rulebook, RulesView, rulebook, rules_view

every_game = pytest.mark.parametrize("game", GAMES)
every_language = pytest.mark.parametrize("language", LANGUAGES)


def book(game: str) -> Rulebook:
    found = rulebook(game)
    assert found is not None
    return found


def paragraphs(game: str) -> list[Paragraph]:
    return [paragraph for section in book(game).sections for paragraph in section.paragraphs]


def steps(game: str) -> list[tuple[Scene, int, Step]]:
    return [(scene, n, step) for scene in lesson(game).scenes for n, step in enumerate(scene.steps)]


def titles(game: str) -> set[str]:
    rules = rules_view(game)
    found = {section.title for section in rules.sections} | {part.text for part in rules.components}
    return found | {scene.title for scene in lesson_view(game).scenes}


def texts_with_casts(game: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Texts about players, each with the players of its table."""
    for section in rules_view(game).sections:
        for shown in section.paragraphs:
            if shown.example:
                yield shown.example.caption, tuple(seat.name for seat in shown.example.seats)
    for scene in lesson_view(game).scenes:
        for step in scene.steps:
            for key in {step.say, *step.replies.values()}:
                yield key, tuple(seat.name for seat in scene.seats)


def keys(game: str) -> Iterator[str]:
    """Every text that the rules and the lesson of a game use, in no order."""
    yield from titles(game)
    yield from (shown.text for section in rules_view(game).sections for shown in section.paragraphs)
    yield from (ruling.reason for ruling in rules_view(game).rulings if ruling.reason)
    yield from (key for key, _ in texts_with_casts(game))


def facts_of(steps: list[Any]) -> list[str]:
    return [fact["kind"] for step in steps for fact in step.facts]


# The rules.


@every_game
def test_the_rules_pages_cover_every_ruling(game: str) -> None:
    cited = [ruling for paragraph in paragraphs(game) for ruling in paragraph.rulings]
    assert set(cited) == set(book(game).rulings)
    assert all(paragraph.rulings for paragraph in paragraphs(game))
    for ruling in rules_view(game).rulings:
        assert ruling.reason or ruling.origins == ["printed"], ruling.ruling


@pytest.mark.parametrize("players", range(2, 7))
def test_the_components_are_those_that_a_match_starts_with(players: int) -> None:
    def count(game: str, part: str) -> int:
        counts = {one.text: one.counts for one in rules_view(game).components}
        return counts[f"rules.{game}.part.{part}"][str(players)]

    chain = escadaria.load("chain", players=players).initial_state()
    assert count("chain", "pool") == chain.pool
    assert count("chain", "coloured") + count("chain", "black") == sum(chain.hands)
    assert count("chain", "coloured") == len(chain.hands)
    assert count("chain", "discs") == sum(len(discs) for discs in chain.discs)
    rapido = escadaria.load("rapido", players=players).initial_state()
    seats = Start(cast=tuple(CAST)[:players], position=str(rapido)).play("rapido").seats
    pairs = sum(len(seat.colours) for seat in seats)
    assert count("rapido", "dice") == count("rapido", "markers") == pairs
    assert count("rapido", "pieces") == len(rapido.steps)


def test_the_rules_for_two_and_our_own_option_c18_are_separate_sections() -> None:
    ours = rules_view("chain").sections[-1]
    assert [paragraph.rulings for paragraph in ours.paragraphs] == [["C18"]]
    assert load("en")(ours.title) == "An option of our own"
    assert rules_view("rapido").sections[-1].title == "rules.rapido.title.two"
    two = book("rapido").sections[-1]
    cited = {ruling for paragraph in two.paragraphs for ruling in paragraph.rulings}
    assert cited == {"R16", "R17", "R18", "R19"}
    assert all(len(p.example.cast) == 2 for p in two.paragraphs if p.example)


@every_game
@every_language
def test_the_rules_are_read_in_five_minutes(game: str, language: str) -> None:
    texts = load(language)
    read = [paragraph.text for section in rules_view(game).sections for paragraph in section.paragraphs]
    assert 14 <= len(read) <= 20
    assert all(1 <= len(re.findall(r"[.!?](?=\s|$)", texts(key))) <= 4 for key in read)
    assert sum(len(texts(key).split()) for key in read) < 1000


@every_game
def test_examples_show_what_the_engine_does(game: str) -> None:
    view = rules_view(game)
    shown = [p.example for section in view.sections for p in section.paragraphs if p.example]
    examples = [paragraph.example for paragraph in paragraphs(game) if paragraph.example]
    assert len(shown) == len(examples) > 10
    for example, made in zip(shown, examples, strict=True):
        state = made.play(game, made.setup).state
        assert example.position == state
        assert len(example.seats) == example.options["players"]
        for chosen, event in zip(example.tries, made.tries, strict=True):
            table = made.play(game, made.setup)
            assert chosen.action in example.legal
            assert [step.action for step in chosen.steps] == [str(step.action) for step in play(table, event)]
            assert chosen.steps[-1].position == table.state


def example(game: str, text: str) -> Any:
    """The view of the example beside a paragraph."""
    found = [p for section in rules_view(game).sections for p in section.paragraphs if p.text == text]
    return found[0].example


def test_the_example_of_r14_throws_out_nobody_then_blue_then_black_and_blue() -> None:
    shown = example("rapido", "rules.rapido.throw")
    assert shown.seats[0].colours == ["white"] and shown.position.value == 62
    thrown = []
    for chosen in shown.tries:
        facts = [fact for step in chosen.steps for fact in step.facts if fact["kind"] == "threw_out"]
        thrown.append([shown.seats[fact["victim"]].colours[0] for fact in facts])
    assert thrown == [[], ["blue"], ["black", "blue"]]


def test_examples_have_the_facts_of_their_paragraph() -> None:
    for text, kinds in [
        ("rules.rapido.score", {"scored"}),
        ("rules.rapido.double", {"doubled"}),
        ("rules.rapido.later_cross", {"fell"}),
        ("rules.rapido.end", {"won"}),
        ("rules.rapido.two_score", {"scored"}),
        ("rules.chain.stuck", {"freed"}),
        ("rules.chain.win", {"won"}),
        ("rules.chain.lengthen", {"added", "missed"}),
        ("rules.chain.failure", {"unlinkable", "failed"}),
        ("rules.chain.centre", {"arrived", "walked_back"}),
        ("rules.chain.arrows", {"took_arrow"}),
        ("rules.chain.cover", {"covered"}),
    ]:
        shown = example(text.split(".")[1], text)
        assert kinds <= {kind for chosen in shown.tries for kind in facts_of(chosen.steps)}, text


def test_the_facts_of_the_turn_contain_the_order_of_a_chain() -> None:
    shown = example("chain", "rules.chain.direction")
    links = [fact["number"] for fact in shown.turn if fact["kind"] == "linked" or fact.get("coloured")]
    assert links == [4, 6, 5, 3]
    assert shown.position.chain.numbers == (3, 4, 5, 6)


# The lessons.


@every_game
def test_a_lesson_is_short(game: str) -> None:
    assert 10 <= len(steps(game)) <= 14
    said = [step.say for scene in lesson_view(game).scenes for step in scene.steps]
    assert sum(len(load("en")(key).split()) for key in said) < 600


@every_game
def test_every_step_is_legal_and_every_question_can_be_answered(game: str) -> None:
    for scene, number, step in steps(game):
        table = scene.at(game, number)
        for event in step.watch:
            assert Event.parse(event).seat != LEARNER, (
                step.name,
                "the learner does not watch their own turn",
            )
            play(table, event)
        if step.ask:
            assert table.to_act == LEARNER, step.name
        actions = [Event.parse(event).action for event in step.ask]
        assert set(actions) <= set(table.choices()), step.name
        assert len(set(actions)) == len(actions)
        for event in step.ask:
            assert Event.parse(event).seat == LEARNER
            play(scene.at(game, number, step.watch), event)


@every_game
def test_every_wrong_answer_has_a_reply_and_every_right_one_among_several(game: str) -> None:
    for scene in lesson_view(game).scenes:
        for step in scene.steps:
            right = step.ask if len(step.ask) > 1 else []
            assert set(step.replies) == (set(step.legal) - set(step.ask)) | set(right), step.say


@every_game
def test_a_lesson_ends_with_the_learner_s_win(game: str) -> None:
    last = lesson_view(game).scenes[-1].steps[-1]
    assert last.ask == [] and last.watch[-1].facts[-1]["kind"] == "won"
    assert last.watch[-1].facts[-1]["seat"] == LEARNER


@every_game
def test_a_lesson_shows_every_kind_of_fact_that_is_not_rare(game: str) -> None:
    seen = set[str]()
    for scene in lesson_view(game).scenes:
        for step in scene.steps:
            for shown in (step.watch, *step.answers.values()):
                seen.update(facts_of(shown))
    kinds = {re.sub(r"\B(?=[A-Z])", "_", fact.__name__).lower() for fact in GAMES[game].FACTS}
    assert kinds - seen <= {"freed", "unlinkable"}


@every_game
def test_each_step_of_a_lesson_continues_from_the_one_before(game: str) -> None:
    """Playing the answers leads to the position that the next step starts from."""
    for scene in lesson_view(game).scenes:
        position = scene.position
        for step in scene.steps:
            position = step.watch[-1].position if step.watch else position
            assert step.legal in ([], [ROLL]) or set(step.previews) == set(step.legal)
            assert list(step.answers) == step.ask
            if step.ask:
                position = step.answers[step.ask[0]][-1].position
                assert GAMES[game](**scene.options).current_player(position) != CHANCE or (
                    position.turn != LEARNER
                )


def test_only_the_last_step_of_a_scene_may_branch() -> None:
    scene = lesson("rapido").scenes[0]
    with pytest.raises(ValueError, match="only the last step may have several right answers"):
        msgspec.structs.replace(scene, steps=(scene.steps[-1], scene.steps[-1]))


# Both.


@every_game
@every_language
def test_every_text_exists_is_complete_and_used(game: str, language: str) -> None:
    texts = load(language)
    ours = [key for key in texts.messages if key.startswith((f"rules.{game}.", f"lesson.{game}."))]
    assert sorted(ours) == sorted(keys(game))
    for key in keys(game):
        text = texts(key)
        assert not re.search(r"[{}]", text), key
        assert re.match(r"[¡¿]?[A-ZÀ-Ý0-9]", text), key
        if key not in titles(game):
            assert re.search(r"[.!?]$", text), key
        if "double" not in key:  # "two 3s" is "zwei Dreien"
            assert set(re.findall(r"\d+", text)) == set(re.findall(r"\d+", load("en")(key))), key


@every_game
@every_language
def test_texts_name_only_players_of_the_table(game: str, language: str) -> None:
    texts = load(language)
    for key, cast in texts_with_casts(game):
        named = {name for name in CAST if re.search(rf"\b{name}s?\b", texts(key))}
        assert named <= set(cast), key


@every_game
def test_views_encode_and_decode(game: str) -> None:
    rules, lesson = msgspec.json.encode(rules_view(game)), msgspec.json.encode(lesson_view(game))
    assert msgspec.json.decode(rules, type=RulesView).game == game
    assert msgspec.json.decode(lesson, type=LessonView).learner == LEARNER
    assert max(len(rules), len(lesson)) < 50_000


def test_unknown_games_are_refused() -> None:
    for view in (rules_view, lesson_view):
        with pytest.raises(BadOptions, match="there is no game 'go'"):
            view("go")


def test_players_have_one_colour_or_two_in_two_player_rapido() -> None:
    def colours(*cast: str) -> list[tuple[str, ...]]:
        steps = ",".join("0" * len(cast))
        start = Start(cast=cast, position=f"turn=0 phase=first value=0 steps={steps} tower=-")
        return [seat.colours for seat in start.play("rapido").seats]

    assert colours("Ana", "Bento") == [("red", "green"), ("blue", "yellow")]
    assert colours("Fábio", "Ana", "Eva") == [("white",), ("red",), ("black",)]


@pytest.mark.parametrize(
    "text, why",
    [
        ("scenes = [", "Invalid|Unclosed"),
        ("scene = []", "unknown field `scene`"),
        ("[[scenes]]\nname = 'a'", r"missing required field `\w+` - at `\$.scenes\[0\]`"),
        (
            "[[scenes]]\nname = 'a'\ncast = ['Ana', 'Bento']\nposition = ''\nsteps = [{ name = 3 }]",
            r"Expected `str`, got `int` - at `\$.scenes\[0\].steps\[0\].name`",
        ),
        (
            "[[scenes]]\nname = 'a'\ncast = ['Ana']\nposition = ''\n"
            "steps = [{ name = 'b', ask = ['0 x', '0 y'] }, { name = 'c' }]",
            "a: only the last step",
        ),
    ],
)
def test_a_wrong_file_is_refused(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lesson.toml").write_text(text)
    monkeypatch.setattr("escadaria.teaching.cast.files", lambda package: tmp_path)
    with pytest.raises(ValueError, match=f"lesson.toml: .*({why})"):
        read("rapido", "lesson.toml", Lesson)
    assert read("rapido", "rulebook.toml", Rulebook) is None
