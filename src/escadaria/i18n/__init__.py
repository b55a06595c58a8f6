"""Texts for players in five languages: gettext PO files by language and area, with the same keys.

Babel reads the PO files directly, and provides the plurals, numbers and lists of CLDR. It was chosen over
fluent.runtime, which was last released in March 2023.

A message id is a key (``rapido.fact.placed``), never a sentence, so English is a language like the others.
Placeholders are ``{name}``, as in ``str.format``. The ``msgid_plural`` of a message with plural forms is the
name of the placeholder that is counted; only the last form must show it. The forms are those that CLDR has
for whole numbers, in its order: one and other in English, one, few and many in Polish.

Facts and actions may have **variants** for special cases, chosen by their data: ``….coloured`` if the field
``coloured`` is True, ``….no_start`` if the field ``start`` is 0, ``….self`` if the victim is the seat
itself. If several exist, the first is used: ``self``, then the fields in their order. If none exists, the
plain message is used.

Sentences about the reader's own seat have a second form: ``….you`` if the reader's seat is the one that acts
("You rolled 6 and 2: 62."), ``….to_you`` if it is the victim ("Clara throws you out"). Without a second form
the player's name is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from babel import Locale
from babel.lists import format_list
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

from escadaria.catalogue import KITS
from escadaria.game import AnyGame, BadOptions, Fact, kind_of

LANGUAGES = ("en", "de", "fr", "it", "es")
"""The supported languages; the first is the default."""

PARTS = ("home", "play", "learn", "study")
"""The areas of the web client: all screens, playing, rules and lessons, strategy and positions."""

AREAS = (*PARTS, "pages", "terminal")
"""All areas: with the titles of pages, and what only the terminal says."""


@dataclass(frozen=True, slots=True)
class Message:
    """One text of one language, with its placeholders."""

    forms: tuple[str, ...]
    """The text, or its plural forms."""
    counted: str = ""
    """The placeholder whose number selects the form; empty if there is only one form."""
    area: str = "play"


@dataclass(frozen=True, eq=False)
class Texts:
    """All texts of one language."""

    language: str
    messages: Mapping[str, Message]

    def __call__(self, key: str, **args: Any) -> str:
        """The text with its placeholders filled in; unused arguments are ignored.

        :raises KeyError: if there is no such text, or an argument is missing.
        """
        if key not in self.messages:
            raise KeyError(f"there is no text {key!r} in {self.language}")
        message = self.messages[key]
        form = self._plural_index(args[message.counted]) if message.counted else 0
        return message.forms[min(form, len(message.forms) - 1)].format_map(args)

    def __contains__(self, key: object) -> bool:
        return key in self.messages

    def fact(self, game: str, fact: Fact, names: Sequence[str], you: int | None = None) -> str:
        """The sentence for a fact; ``names`` are the players' names by seat, ``you`` is the reader's seat."""
        data = fact.data()
        args = {field: self._shown(game, value) for field, value in data.items()}
        args["name"] = names[fact.seat]
        if "victim" in data:
            args["victim"] = names[data["victim"]]
        key = self._variant(f"{game}.fact.{fact.kind}", data)
        return self(self.addressed(key, fact.seat, you, data.get("victim")), **args)

    def addressed(self, key: str, seat: int, you: int | None, victim: int | None = None) -> str:
        """The key of the form that says "you", if the text is about the reader's seat and there is one."""
        if you is not None:
            if seat == you and f"{key}.you" in self:
                return f"{key}.you"
            if victim == you and f"{key}.to_you" in self:
                return f"{key}.to_you"
        return key

    def action(self, game: str, action: object) -> str:
        """The label of a decision, found by its text; outcomes of the dice have none."""
        word, _, rest = str(action).partition(" ")
        args = {"number": int(rest) if rest.isdigit() else rest} if rest else {}
        return self(self._variant(f"{game}.action.{word}", args), **args)

    def question(self, game: str, state: object) -> str:
        """The question to the seat to act, by the position's phase if it has one."""
        phase = getattr(state, "phase", None)
        key = f"{game}.phase.{phase.value if isinstance(phase, Enum) else phase}"
        return self(key if key in self else "play.question")

    def percent(self, share: float | Fraction, decimals: int = 0) -> str:
        """A share of 1 as a localised percentage; without decimals by default."""
        pattern = self._locale.percent_formats[None].pattern
        if decimals:
            pattern = pattern.replace("##0", f"##0.{'0' * decimals}")
        return format_percent(float(share), pattern, locale=self._locale)

    def listed(self, parts: Iterable[str]) -> str:
        """A localised list: ``Ana, Bento, and Clara``."""
        return format_list(list(parts), locale=self._locale)

    def number(self, number: float) -> str:
        """A localised number: 1234.5 is ``1.234,5`` in German."""
        return format_decimal(number, locale=self._locale)

    @cached_property
    def _locale(self) -> Locale:
        return Locale(self.language)

    def _plural_index(self, number: float) -> int:
        """Which of the forms a number takes; the last, if no small whole number is of its kind."""
        kind = self._locale.plural_form(number)
        return self._plurals.index(kind) if kind in self._plurals else len(self._plurals) - 1

    @cached_property
    def _plurals(self) -> list[str]:
        used = {self._locale.plural_form(number) for number in range(200)}
        return [kind for kind in ("zero", "one", "two", "few", "many", "other") if kind in used]

    def _shown(self, game: str, value: object) -> object:
        if isinstance(value, tuple):
            return self.listed(map(str, value))
        word = f"{game}.word.{value}"
        return self(word) if word in self else value

    def _variant(self, key: str, data: Mapping[str, object]) -> str:
        return next((variant for variant in _variants(key, data) if variant in self), key)


def _variants(key: str, data: Mapping[str, object]) -> Iterator[str]:
    if "victim" in data and data["victim"] == data["seat"]:
        yield f"{key}.self"
    for field, value in data.items():
        if value is True:
            yield f"{key}.{field}"
        elif value == 0 and value is not False:
            yield f"{key}.no_{field}"


@cache
def load(language: str) -> Texts:
    """All texts of a language, including those of games in other packages; files are read once.

    :raises BadOptions: if it is not one of ``LANGUAGES``.
    """
    if language not in LANGUAGES:
        raise BadOptions(f"there is no language {language!r}, there are {', '.join(LANGUAGES)}")
    messages = messages_of(language)
    for kit in KITS.values():
        defaults = dict(_defaults(kit.game))
        found = _messages_of_kit(kit.texts, language) if kit.texts else {}
        for key in defaults.keys() & found.keys():
            found[key] = replace(found[key], area=defaults[key].area)
        messages = defaults | found | messages  # a game may add texts, but not replace any
    return Texts(language, messages)


def messages_of(language: str) -> dict[str, Message]:
    """The texts of this package, by key, without those of games in other packages."""
    folder = resources.files(__name__).joinpath("texts", language)
    found = (read_messages(folder.joinpath(f"{area}.po"), language, area) for area in AREAS)
    return {key: message for messages in found for key, message in messages.items()}


def _messages_of_kit(package: str, language: str) -> dict[str, Message]:
    """The texts of a game in another package, in the default language if it does not have this one."""
    folder = resources.files(package)
    own = folder.joinpath(f"{language}.po")
    return read_messages(own if own.is_file() else folder.joinpath(f"{LANGUAGES[0]}.po"), language)


def texts_json(language: str, *parts: str) -> dict[str, Any]:
    """The texts of the browser by key: those of some ``PARTS``, by default of all.

    A text with plural forms is an object with its forms and the counted placeholder.

    :raises BadOptions: if there is no such language or part.
    """
    for part in parts:
        if part not in PARTS:
            raise BadOptions(f"there is no part {part!r} of the texts, there are {', '.join(PARTS)}")
    return {
        key: {"forms": list(message.forms), "counted": message.counted}
        if message.counted
        else message.forms[0]
        for key, message in load(language).messages.items()
        if message.area in (parts or PARTS)
    }


def _defaults(game: type[AnyGame]) -> Iterator[tuple[str, Message]]:
    """Default texts of a game: its identifiers, the same in every language."""
    yield f"{game.name}.name", _plain(game.name.capitalize(), "home")
    yield f"{game.name}.tagline", _plain("", "home")
    for option in game.OPTIONS:
        key = f"{game.name}.option.{option.name}"
        yield key, _plain(option.name.capitalize(), "home")
        yield f"{key}.about", _plain("", "home")
        yield from ((f"{key}.{choice}", _plain(choice, "home")) for choice in option.choices)
    for action in game().actions:
        word, _, rest = str(action).partition(" ")
        yield f"{game.name}.action.{word}", _plain((f"{word} {{number}}" if rest else word).capitalize())
    for fact in game.FACTS:
        names = [field.name for field in fields(fact) if field.name != "seat"]
        words = ", ".join([kind_of(fact), *(f"{name} {{{name}}}" for name in names)])
        yield f"{game.name}.fact.{kind_of(fact)}", _plain(f"{{name}}: {words}.".replace("_", " "))


def _plain(text: str, area: str = "play") -> Message:
    return Message((text,), area=area)


def read_messages(path: Traversable, language: str, area: str = "play") -> dict[str, Message]:
    """The texts in a PO file, by key."""
    with path.open("rb") as file:
        catalog = read_po(file, locale=language, abort_invalid=True)
    messages = {}
    for message in catalog:
        match message.id, message.string:
            case "", _:
                pass  # the header
            case str(key), str(text):
                messages[key] = Message((text,), area=area)
            case (str(key), str(counted)), tuple(forms):
                messages[key] = Message(forms, counted, area)
            case _:
                raise AssertionError(f"{path.name}: {message.id!r} must have a text, or plural forms")
    return messages


def negotiate(wanted: str | Iterable[str] | None = None) -> str:
    """The preferred language that is supported, else English.

    :param wanted: a locale (``de_AT.UTF-8``), an Accept-Language header (``fr-CH, fr;q=0.9``), a list of
        these, best first; or None for the environment (LANGUAGE, LC_ALL, LC_MESSAGES, LANG).
    """
    if wanted is None:
        variables = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # in the order of gettext
        wanted = next((os.environ[name] for name in variables if os.environ.get(name)), "").split(":")
    texts = [wanted] if isinstance(wanted, str) else wanted
    ranges = [part for text in texts for part in text.split(",")]
    for _, language in sorted(filter(None, map(_read_range, ranges)), key=lambda found: -found[0]):
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]


def _read_range(text: str) -> tuple[float, str] | None:
    """The quality value (0 to 1) and the language without its country; None if it is 0 or invalid."""
    found = re.fullmatch(r"\s*([A-Za-z]{2,3})([-_.@][^;]*)?(?:\s*;\s*q=([01](?:\.[0-9]{0,3})?))?\s*", text)
    if found is None or (weight := float(found[3] or 1)) == 0:
        return None
    return weight, found[1].lower()
