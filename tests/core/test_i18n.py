"""The five languages: the same keys, the right plural forms, and a text for every fact and action."""

from __future__ import annotations

import dataclasses
import gettext
import re
import string
import sys
import tomllib
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import pytest
from babel.messages.pofile import read_po

from escadaria import GAMES, BadOptions, Fact
from escadaria import load as load_game
from escadaria.game import CHANCE, GameError
from escadaria.games.chain import facts as chain_facts
from escadaria.games.chain import rules as chain
from escadaria.games.rapido import facts as rapido_facts
from escadaria.games.rapido import rules as rapido
from escadaria.i18n import AREAS, LANGUAGES, Message, Texts, load, negotiate, read_messages
from escadaria.record import COLOURS
from escadaria.refusals import RefusalCode
from strategies import play_random
from tables import rows

NAMES = ("Ana", "Bento", "Clara", "Davi", "Eva", "Fábio")

ENGLISH = load("en").messages
KEYED = Texts("en", {key: Message((key,)) for key in ENGLISH})
"""Texts that contain their own key, to see which message and variant is used."""

YOU = (".you", ".to_you")
"""The endings of the forms that address the reader."""

GLOSSARY = tomllib.loads(resources.files("escadaria.i18n").joinpath("glossary.toml").read_text("utf-8"))

every_language = pytest.mark.parametrize("language", LANGUAGES)
every_game = pytest.mark.parametrize("name", GAMES)


def forms() -> Iterator[tuple[str, str, str]]:
    """Every text of every language, plural forms too: language, key, text."""
    for language in LANGUAGES:
        for key, message in load(language).messages.items():
            for text in message.forms:
                yield language, key, text


def placeholders(text: str) -> set[str]:
    """The names in braces: ``{dice[0]}`` is ``dice``."""
    return {re.split(r"[.\[]", field)[0] for _, field, _, _ in string.Formatter().parse(text) if field}


def po(language: str) -> list[str]:
    """The contents of its files, one for each area."""
    folder = resources.files("escadaria.i18n").joinpath("texts", language)
    return [folder.joinpath(f"{area}.po").read_text("utf-8") for area in AREAS]


@cache
def played(name: str) -> tuple[tuple[Fact, ...], frozenset[str]]:
    """The facts of random play, and the phases in which players decide."""
    facts: list[Fact] = []
    phases: set[str] = set()
    for seed in range(100):
        game = load_game(name, players=2 + seed % 5)
        state: Any = game.initial_state()
        for action, after in play_random(game, seed):
            facts += game.facts(state, action)
            if game.current_player(state) != CHANCE:
                phases.add(state.phase.value)
            state = after
    return tuple(dict.fromkeys(facts)), frozenset(phases)


# The files.


@every_language
def test_every_language_has_the_same_keys_in_the_same_order(language: str) -> None:
    messages = load(language).messages
    assert [(key, text.area) for key, text in messages.items()] == [
        (key, text.area) for key, text in ENGLISH.items()
    ]
    assert sum(text.count("\nmsgid ") for text in po(language)) == len(ENGLISH) + len(AREAS), "duplicate key"


@every_language
def test_placeholders_and_counted_numbers_agree_with_english_and_the_plural_rule(language: str) -> None:
    (plurals,) = {plural_rule(language, text) for text in po(language)}
    for key, message in load(language).messages.items():
        english = ENGLISH[key]
        assert message.counted == english.counted, key
        assert len(message.forms) == (plurals if message.counted else 1), key
        wanted = placeholders(english.forms[-1])
        assert placeholders(message.forms[-1]) == wanted, key
        for form in message.forms:
            assert wanted - {message.counted} <= placeholders(form) <= wanted, key
        assert not message.counted or message.counted in wanted, key


def plural_rule(language: str, po: str) -> int:
    """Assert that gettext and CLDR choose the same forms in the same order; how many there are."""
    catalog = read_po(po.encode().splitlines(keepends=True))
    rule = gettext.c2py(catalog.plural_expr)
    texts = Texts(language, {"n": Message(tuple(map(str, range(catalog.num_plurals))), "n")})
    assert [texts("n", n=n) for n in range(200)] == [str(rule(n)) for n in range(200)]
    return catalog.num_plurals


POLISH = """\
msgid ""
msgstr ""
"Language: pl\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"

msgid "steps"
msgid_plural "n"
msgstr[0] "{n} stopień"
msgstr[1] "{n} stopnie"
msgstr[2] "{n} stopni"
"""


def test_a_language_may_have_other_plural_forms(tmp_path: Path) -> None:
    (tmp_path / "pl.po").write_text(POLISH, "utf-8")
    assert plural_rule("pl", POLISH) == 3
    english = {"english": Message(("{n} step", "{n} steps"), "n")}  # of a game without Polish texts
    polish = Texts("pl", read_messages(tmp_path / "pl.po", "pl") | english)
    assert [polish("steps", n=n) for n in (1, 2, 5, 12, 22)] == [
        "1 stopień", "2 stopnie", "5 stopni", "12 stopni", "22 stopnie"
    ]  # fmt: skip
    assert [polish("english", n=n) for n in (1, 2, 5)] == ["1 step", "2 steps", "5 steps"]


def test_texts_are_complete_and_clean() -> None:
    for language, key, text in forms():
        assert text, (language, key)
        assert text == text.strip(), (language, key)
        assert not re.search(r"  |['\"\t\n]|\.\.\.", text), (language, key, "spaces, quotes, an ellipsis")
        assert not re.search(r"\b[RC]\d+\b", text), (language, key, "only the rules pages cite rulings")


def test_each_language_keeps_its_typography_and_binds_no_name_to_an_article_or_an_ending() -> None:
    bound = {"fr": r"\b(de|que|le|la) \{(name|victim)", "de": r"\{(name|victim)\}\w", "es": r"\by \{name"}
    for language, key, text in forms():
        assert not re.search(bound.get(language, "$^"), text), (language, key)
        plain = re.sub(r"\{[^}]*\}", "N", text)
        if language == "fr":
            assert not re.search(r"\w[:;!?](\s|$)| [:;!»](\s|$)| \?$|« ", plain), (key, "wants U+202F")
        if language == "es":
            assert not plain.endswith("?") or "¿" in plain, key
            assert not plain.endswith("!") or "¡" in plain, key
        if language == "de":
            assert not re.search(r"\b(Sie|Ihnen|Ihre?[nmrs]?)\b", plain), (key, "du")


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_no_sentence_was_left_in_english(language: str) -> None:
    for key, message in load(language).messages.items():
        if len(ENGLISH[key].forms[0].split()) > 2:
            assert not set(message.forms) & set(ENGLISH[key].forms), key


@every_language
def test_texts_use_the_words_of_the_glossary(language: str) -> None:
    assert list(GLOSSARY[language]) == list(GLOSSARY["en"])
    for idea, entry in GLOSSARY[language].items():
        assert entry["term"]
        wrong = re.compile(rf"\b(?:{'|'.join(entry.get('not', ['$^']))})\b", re.IGNORECASE)
        other_meaning = set(entry.get("but", ()))
        used = set()
        for key, message in load(language).messages.items():
            for text in message.forms:
                found = wrong.search(re.sub(r"\{[^}]*\}", "{}", text))
                assert not found or key in other_meaning, (idea, entry["term"], key, text)
                if found:
                    used.add(key)
        assert used == other_meaning, (idea, "exceptions that are not needed")


@every_language
def test_a_singular_that_zero_takes_shows_its_number(language: str) -> None:
    if Texts(language, {"n": Message(("one", "other"), "n")})("n", n=0) == "one":
        for key, message in load(language).messages.items():
            assert not message.counted or message.counted in placeholders(message.forms[0]), key


def test_every_text_of_the_web_client_is_used() -> None:
    """Written out, or computed from words that stand in the code."""
    root = Path(__file__).parents[2]
    files = [*(root / "web/src").rglob("*.ts"), *(root / "web/src").rglob("*.svelte")]
    files = [path for path in files if ".test." not in path.name and path.name != "keys.ts"]
    files += (root / "src/escadaria").rglob("*.py")  # titles of pages, captions of rules
    source = "\n".join(path.read_text("utf-8") for path in files)
    quoted = set(re.findall(r"""['"`]([\w.]*)['"`]""", source))
    words = {word.lower() for word in re.findall(r"""(?:['"`]|^ +)(\w*)['"` :]""", source, re.MULTILINE)}
    computed = [
        re.compile(re.sub(r"\\\$\\\{.*?\\\}", slot, re.escape(template)))
        for template in re.findall(r"`(web\.[^`]*\$\{[^`]*)`", source)
        for slot in [r"(\\.?\\w*)" if "?" in template else r"(\\w+)"]  # or an ending, by a condition
    ]
    endings = {*re.findall(r"`\$\{\w+\}\.(\w+)`", source), "you", "to_you"}

    def used(key: str) -> bool:
        if key in quoted:
            return True
        for match in filter(None, (pattern.fullmatch(key) for pattern in computed)):
            if all(word.lower() in words or word in quoted or word.isdigit() for word in match.groups()):
                return True
        start, _, ending = key.rpartition(".")
        return ending in endings and used(start)

    assert not [key for key in ENGLISH if key.startswith("web.") and not used(key)]


# What the games say.


@every_language
@every_game
def test_every_fact_has_a_sentence_which_does_not_name_the_reader(language: str, name: str) -> None:
    texts = load(language)
    names = tuple(f"Player{seat}" for seat in range(6))
    for fact in played(name)[0]:
        other = 6  # a seat that the fact is not about
        assert texts.fact(name, fact, names, other) == texts.fact(name, fact, names), fact
        for you in (other, fact.seat, fact.data().get("victim", fact.seat)):
            sentence = texts.fact(name, fact, names, you)
            assert you == other or names[you] not in sentence, fact
            assert not re.search(r"[{}()]|None|True|False", sentence), sentence
            assert re.fullmatch(r"[¡A-ZÀ-Ý].*[.!]", sentence), sentence


def test_facts_with_a_name_have_a_form_for_the_reader_and_such_forms_leave_it_out() -> None:
    facts = tuple(start for name in GAMES for start in (f"{name}.fact.", f"play.several.{name}."))
    for key, message in ENGLISH.items():
        used = placeholders(message.forms[-1])
        plain, _, form = key.rpartition(".")
        if key.endswith(YOU) and plain in ENGLISH:
            left_out = {"you": "name", "to_you": "victim"}[form]
            assert placeholders(ENGLISH[plain].forms[-1]) - used == {left_out}, key
            assert message.counted == ENGLISH[plain].counted, key
        elif key.startswith(facts):
            assert ("name" in used) == (f"{key}.you" in ENGLISH), key
            assert ("victim" in used) == (f"{key}.to_you" in ENGLISH), key


@every_game
def test_every_kind_of_fact_and_every_variant_is_met(name: str) -> None:
    said = {KEYED.fact(name, fact, NAMES) for fact in played(name)[0]}
    assert said == {key for key in ENGLISH if key.startswith(f"{name}.fact.") and not key.endswith(YOU)}
    kinds = {fact(*[0] * len(dataclasses.fields(fact))).kind for fact in GAMES[name].FACTS}
    assert {key.split(".")[2] for key in said} == kinds


@every_game
def test_every_decision_option_and_phase_has_its_texts(name: str) -> None:
    game = load_game(name)
    wanted = {KEYED.action(name, action) for action in game.actions}
    for option in game.OPTIONS:
        key = f"{name}.option.{option.name}"
        wanted |= {key, f"{key}.about", *(f"{key}.{choice}" for choice in option.choices)}
    phases: type[Enum] = sys.modules[type(game).__module__].Phase
    wanted |= {f"{name}.phase.{phase.value}" for phase in phases}
    parts = (f"{name}.action.", f"{name}.option.", f"{name}.phase.")
    assert wanted == {key for key in ENGLISH if key.startswith(parts)}
    assert {f"{name}.help.{phase}" for phase in (*played(name)[1], "aim")} <= set(ENGLISH)
    for language in LANGUAGES:
        labels = {load(language).action(name, action) for action in game.actions}
        assert len(labels) == len(game.actions), "labels are unique"


def test_games_colours_bots_and_errors_have_texts() -> None:
    wanted = {f"{name}.{part}" for name in GAMES for part in ("name", "tagline")}
    wanted |= {f"colour.{colour}" for colour in COLOURS} | {"language.name"}
    wanted |= {"bot.random", "bot.random.about", "bot.simple", "bot.simple.about"}
    ours = {kind.code for kind in GameError.__subclasses__() if kind.__module__.startswith("escadaria.")}
    wanted |= {f"error.{code}" for code in ours.union(get_args(RefusalCode))}
    assert wanted <= set(ENGLISH)


# What is said.


@pytest.mark.parametrize("columns", rows(Path(__file__).with_name("sentences.cases")), ids=lambda row: row[0])
def test_a_few_sentences_word_for_word(columns: list[str]) -> None:
    language, *sentences, none, one, two = columns
    texts = load(language)
    assert sentences == [
        texts.fact("rapido", rapido_facts.Rolled(0, "7X", 70), NAMES),
        texts.fact("chain", chain_facts.Unlinkable(1, (2, 4, 4)), NAMES),
        texts.action("chain", chain.Keep(3)),
        texts.fact("rapido", rapido_facts.Rolled(0, "62", 62), NAMES, you=0),
        texts.fact("rapido", rapido_facts.ThrewOut(2, 0, 4, 53), NAMES, you=0),
    ]
    assert texts.fact("rapido", rapido_facts.Rolled(1, "62", 62), NAMES, you=0).startswith("Bento ")
    for climbed, steps in enumerate((none, one, two)):
        assert re.search(rf" {steps}\b", texts("rapido.fact.scored", name="Ana", climbed=climbed, step=9))


@pytest.mark.parametrize(
    "fact, key",
    [
        (chain_facts.Rolled(0, 5, coloured=True), "chain.fact.rolled.coloured"),
        (chain_facts.Rolled(0, 5, coloured=False), "chain.fact.rolled"),
        (chain_facts.Covered(0, 0, 9), "chain.fact.covered.self"),
        (chain_facts.Covered(1, 0, 9), "chain.fact.covered"),
        (chain_facts.Moved(0, 0, 4, 4), "chain.fact.moved.no_start"),
        (chain_facts.Moved(0, 4, 8, 4), "chain.fact.moved"),
        (rapido_facts.Rolled(0, "X5", 50), "rapido.fact.rolled"),
        (rapido_facts.Rolled(0, "X5", 50, invalid=True), "rapido.fact.rolled.invalid"),
        (rapido_facts.Fell(0, 2, 0, 0), "rapido.fact.fell.no_fallen"),
        (rapido_facts.Fell(0, 2, 1, 0), "rapido.fact.fell.no_step"),
        (rapido_facts.Fell(0, 2, 2, 7), "rapido.fact.fell"),
    ],
)
def test_the_data_of_a_fact_choose_its_variant(fact: Fact, key: str) -> None:
    assert KEYED.fact(key.split(".")[0], fact, NAMES) == key


def test_words_in_a_fact_are_translated_and_names_are_left_alone() -> None:
    assert "abwärts" in load("de").fact("chain", chain_facts.Lengthened(0, "down"), NAMES)
    sentence = load("en").fact("rapido", rapido_facts.ThrewOut(0, 1, 4, 51), ("{value}", "up"))
    assert sentence == "{value} throws up out: the 51 leaves field 4."


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert [load(language).percent(Fraction(1, 3)) for language in ("en", "de")] == ["33%", "33\xa0%"]
    assert [load(language).number(1234.5) for language in ("en", "de")] == ["1,234.5", "1.234,5"]


def test_a_missing_key_or_argument_raises_a_key_error() -> None:
    assert "rapido.name" in load("it")
    assert "rapido.nome" not in load("it")
    with pytest.raises(KeyError, match=r"rapido\.nome.* it\b"):
        load("it")("rapido.nome")
    with pytest.raises(KeyError, match="number"):
        load("it")("rapido.action.place")
    with pytest.raises(KeyError, match=r"rapido\.action\.7X"):  # dice have no label
        load("en").action("rapido", rapido.Roll(7, rapido.X))


# Which language.


def test_a_language_is_read_once_and_an_unknown_one_is_refused() -> None:
    assert load("fr") is load("fr")
    assert load("fr").language == "fr"
    with pytest.raises(BadOptions, match="'pt'.* en, de, fr, it, es"):
        load("pt")


WANTED: dict[str, list[str | list[str]]] = {
    "de": ["de", "de_AT.UTF-8", "DE-ch"],
    "en": ["ca_ES@valencia", "C.UTF-8", "", "nonsense, ;q=, *", []],
    "fr": ["fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5"],
    "it": ["en;q=0.3,it ; q=0.8, es;q=0", ["pt_BR", "it_IT.UTF-8", "de"]],
    "es": ["pt-BR,es;q=0.7"],
}


@every_language
def test_negotiate(language: str) -> None:
    for wanted in WANTED[language]:
        assert negotiate(wanted) == language, wanted


@pytest.mark.parametrize(
    "environment, language",
    [
        ({}, "en"),
        ({"LANG": "es_MX.UTF-8"}, "es"),
        ({"LANG": "es_MX.UTF-8", "LC_ALL": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "es_MX.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "es_MX.UTF-8", "LC_MESSAGES": "it_IT", "LC_ALL": ""}, "it"),
        ({"LANG": "es_MX.UTF-8", "LANGUAGE": "pt:de_DE:fr"}, "de"),
    ],
)
def test_negotiate_asks_the_environment(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert negotiate() == language
