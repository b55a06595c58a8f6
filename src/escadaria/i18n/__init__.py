"""Everything a player reads, in five languages: one PO file each, with the same keys.

The files are gettext's PO, read as they are by Babel: it is the better kept choice, with regular
releases and the plurals, numbers and lists of CLDR, while fluent.runtime was last released in March 2023.

A message's id is a key (``rapido.fact.placed``), never a sentence, so English is a language like the
others. Placeholders are ``{name}``, as in ``str.format``. A message with plural forms names in its
``msgid_plural`` the placeholder that is counted; the singular may leave that placeholder out.

Facts and actions may have **variants**, sentences for a special case, chosen by their data alone:
``….coloured`` where the field ``coloured`` is True, ``….no_start`` where the field ``start`` is 0,
``….self`` where the victim is the seat itself. Of several that exist the first counts, ``self`` before
the fields in their order; where none exists the plain message is used.
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
"""The languages there are; the first is spoken to those who speak none of them."""


@dataclass(frozen=True, slots=True)
class Message:
    """One text of one language, placeholders still in it."""

    forms: tuple[str, ...]
    """The text; or its singular and its plural."""
    counted: str = ""
    """The placeholder whose number chooses the form; empty if there is one form only."""


@dataclass(frozen=True, eq=False)
class Texts:
    """All texts of one language."""

    language: str
    messages: Mapping[str, Message]

    def __call__(self, key: str, **args: Any) -> str:
        """The text with its placeholders filled in; arguments that it has no use for are ignored.

        :raises KeyError: if there is no such text, or an argument is missing: a mistake of the caller.
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
        """The sentence that tells the fact; ``names`` are the players' names by seat."""
        data = fact.data()
        args = {field: self._shown(game, value) for field, value in data.items()}
        args["name"] = names[fact.seat]
        if "victim" in data:
            args["victim"] = names[data["victim"]]
        return self(self._variant(f"{game}.fact.{fact.kind}", data), **args)

    def action(self, game: str, action: object) -> str:
        """The label of a decision, made from its text; outcomes of the dice have none."""
        word, _, rest = str(action).partition(" ")
        args = {"number": int(rest) if rest.isdigit() else rest} if rest else {}
        return self(self._variant(f"{game}.action.{word}", args), **args)

    def question(self, game: str, state: object) -> str:
        """What the seat to act is asked, by the position's phase if it has one."""
        phase = getattr(state, "phase", None)
        key = f"{game}.phase.{phase.value if isinstance(phase, Enum) else phase}"
        return self(key if key in self else "play.question")

    def percent(self, share: float | Fraction, decimals: int = 0) -> str:
        """A share of 1 in percent, as the language writes it; without decimals by default."""
        pattern = self._locale.percent_formats[None].pattern
        if decimals:
            pattern = pattern.replace("##0", f"##0.{'0' * decimals}")
        return format_percent(float(share), pattern, locale=self._locale)

    def listed(self, parts: Iterable[str]) -> str:
        """All parts in a row, as the language lists them: ``Ana, Bento, and Clara``."""
        return format_list(list(parts), locale=self._locale)

    def number(self, number: float) -> str:
        """A number as the language writes it: 1234.5 is ``1.234,5`` in German."""
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
    """All texts of a language, those of games that other packages add among them; files are read once.

    :raises BadOptions: if it is none of ``LANGUAGES``.
    """
    if language not in LANGUAGES:
        raise BadOptions(f"there is no language {language!r}, there are {', '.join(LANGUAGES)}")
    messages = _read(resources.files(__name__).joinpath(f"{language}.po"), language)
    for kit in KITS.values():
        if kit.texts:
            folder = resources.files(kit.texts)
            own = folder.joinpath(f"{language}.po")
            found = _read(own if own.is_file() else folder.joinpath(f"{LANGUAGES[0]}.po"), language)
            messages = {**found, **messages}  # a game adds texts and changes none
        messages = {**dict(_defaults(kit.game)), **messages}
    return Texts(language, messages)


def _defaults(game: type[AnyGame]) -> Iterator[tuple[str, Message]]:
    """Texts for a game that has none: its own words, the same in every language."""
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
    """The first of the wanted languages that there is, else English.

    :param wanted: a locale (``de_AT.UTF-8``), an Accept-Language header (``fr-CH, fr;q=0.9``), a list of
        such, best first; or None for what the environment says (LANGUAGE, LC_ALL, LC_MESSAGES, LANG).
    """
    if wanted is None:
        variables = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # as gettext looks for them
        wanted = next((os.environ[name] for name in variables if os.environ.get(name)), "").split(":")
    texts = [wanted] if isinstance(wanted, str) else wanted
    ranges = [part for text in texts for part in text.split(",")]
    for _, language in sorted(filter(None, map(_read_range, ranges)), key=lambda found: -found[0]):
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]


def _read_range(text: str) -> tuple[float, str] | None:
    """How much a language is wanted, up to 1, and the language without its country; None if not at all."""
    found = re.fullmatch(r"\s*([A-Za-z]{2,3})([-_.@][^;]*)?(?:\s*;\s*q=([01](?:\.[0-9]{0,3})?))?\s*", text)
    if found is None or (weight := float(found[3] or 1)) == 0:
        return None
    return weight, found[1].lower()
