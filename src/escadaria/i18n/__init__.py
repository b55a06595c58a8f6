"""Texts for players in five languages: one gettext PO file for each, with the same keys.

Babel reads the PO files directly, and provides the plurals, numbers and lists of CLDR. It was chosen over
fluent.runtime, which was last released in March 2023.

A message id is a key (``rapido.fact.placed``), never a sentence, so English is a language like the others.
Placeholders are ``{name}``, as in ``str.format``. The ``msgid_plural`` of a message with plural forms is the
name of the placeholder that is counted; the singular may omit that placeholder.

Facts and actions may have **variants** for special cases, chosen by their data: ``….coloured`` if the field
``coloured`` is True, ``….no_start`` if the field ``start`` is 0, ``….self`` if the victim is the seat
itself. If several exist, the first is used: ``self``, then the fields in their order. If none exists, the
plain message is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
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


@dataclass(frozen=True, slots=True)
class Message:
    """One text of one language, with its placeholders."""

    forms: tuple[str, ...]
    """The text, or its singular and plural."""
    counted: str = ""
    """The placeholder whose number selects the form; empty if there is only one form."""


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
            raise KeyError(f"there is no text {key!r} in {self.language}.po")
        message = self.messages[key]
        form = message.forms[0]
        if message.counted and not self._is_one(args[message.counted]):
            form = message.forms[1]
        return form.format_map(args)

    def __contains__(self, key: object) -> bool:
        return key in self.messages

    def fact(self, game: str, fact: Fact, names: Sequence[str]) -> str:
        """The sentence for a fact; ``names`` are the players' names by seat."""
        data = fact.data()
        args = {field: self._shown(game, value) for field, value in data.items()}
        args["name"] = names[fact.seat]
        if "victim" in data:
            args["victim"] = names[data["victim"]]
        return self(self._variant(f"{game}.fact.{fact.kind}", data), **args)

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

    def _is_one(self, number: float) -> bool:
        """Whether the number takes the singular. In French 0 does; CLDR's "many" (a million) does not."""
        return self._locale.plural_form(number) == "one"

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
    messages = _read(resources.files(__name__).joinpath(f"{language}.po"), language)
    for kit in KITS.values():
        if kit.texts:
            folder = resources.files(kit.texts)
            own = folder.joinpath(f"{language}.po")
            found = _read(own if own.is_file() else folder.joinpath(f"{LANGUAGES[0]}.po"), language)
            messages = {**found, **messages}  # a game may add texts, but not replace any
        messages = {**dict(_defaults(kit.game)), **messages}
    return Texts(language, messages)


def _defaults(game: type[AnyGame]) -> Iterator[tuple[str, Message]]:
    """Default texts of a game: its identifiers, the same in every language."""
    yield f"{game.name}.name", _plain(game.name.capitalize())
    yield f"{game.name}.tagline", _plain("")
    for option in game.OPTIONS:
        key = f"{game.name}.option.{option.name}"
        yield key, _plain(option.name.capitalize())
        yield f"{key}.about", _plain("")
        yield from ((f"{key}.{choice}", _plain(choice)) for choice in option.choices)
    for action in game().actions:
        word, _, rest = str(action).partition(" ")
        yield f"{game.name}.action.{word}", _plain((f"{word} {{number}}" if rest else word).capitalize())
    for fact in game.FACTS:
        names = [field.name for field in fields(fact) if field.name != "seat"]
        words = ", ".join([kind_of(fact), *(f"{name} {{{name}}}" for name in names)])
        yield f"{game.name}.fact.{kind_of(fact)}", _plain(f"{{name}}: {words}.".replace("_", " "))


def _plain(text: str) -> Message:
    return Message((text,))


def _read(path: Traversable, language: str) -> dict[str, Message]:
    with path.open("rb") as file:
        catalog = read_po(file, locale=language, abort_invalid=True)
    messages = {}
    for message in catalog:
        match message.id, message.string:
            case "", _:
                pass  # the header
            case str(key), str(text):
                messages[key] = Message((text,))
            case (str(key), str(counted)), (str(one), str(other)):
                messages[key] = Message((one, other), counted)
            case _:
                raise AssertionError(f"{path.name}: {message.id!r} must have a text, or singular and plural")
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
