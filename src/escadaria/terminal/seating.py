"""The game and the seats of a new match, from the command line or by prompts."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from escadaria.bots import ANY_BOT, UnknownBot
from escadaria.bots import check as check_bot
from escadaria.catalogue import GAMES, game_type, load, read_options
from escadaria.game import AnyGame, BadOptions, GameError, InvalidText
from escadaria.record import Seat, colour_seats
from escadaria.terminal.screen import KEY, QUIET, Screen

NAMES = ("Ana", "Bento", "Clara", "Davi", "Elisa", "Fábio")
"""Default names of people and bots."""

STAND_IN = "simple"
"""The bot for seats that were not given."""


def read_seat(text: str) -> Seat:
    """``Ana`` is a person, ``bot:random`` a bot, ``Bento=bot:random`` a bot with that name.

    A bot without a name is ``?`` until ``fill`` names it.

    :raises UnknownBot: if there is no such bot.
    """
    found = re.fullmatch(r"(?:(?P<name>[^=]+)=)?bot(?::(?P<bot>.*))?", text.strip())
    if found is None:
        return Seat(text.strip())
    bot = found["bot"] if found["bot"] is not None else STAND_IN
    if bot not in ANY_BOT:
        raise UnknownBot(f"there is no bot {bot!r}, there are {', '.join(ANY_BOT)}")
    return Seat((found["name"] or "?").strip(), bot)


def make_game(name: str, options: Sequence[str], players: int | None, seats: int) -> AnyGame:
    """The game with options such as ``finish=10``, for ``players``, else for the number of seats.

    :raises BadOptions, InvalidText: if there is no such game, or an option is invalid or has two values.
    """
    texts: dict[str, str] = {}
    for option in [*options, *([] if players is None else [f"players={players}"])]:
        key, equals, value = map(str.strip, option.partition("="))
        if not equals:
            raise InvalidText(f"an option reads name=value, such as {_example(name)}, not {option!r}")
        if texts.setdefault(key, value) != value:
            raise BadOptions(f"{key} has two values, {texts[key]} and {value}: give one of them")
    if seats > 1:
        texts.setdefault("players", str(seats))
    return load(name, **read_options(name, texts))


def read_position(name: str, options: Sequence[str], players: int | None, text: str) -> tuple[AnyGame, Any]:
    """The position and its game, for ``players``, else for the number of players that fits the text.

    :raises BadOptions, InvalidText: if there is no such game, or no such position in it.
    """
    asked = make_game(name, options, players, 0)
    wrong: list[InvalidText] = []
    for seats in [asked.players, *(range(2, 7) if players is None else ())]:
        game = make_game(name, options, players, seats)
        try:
            return game, game.parse_state(text)
        except InvalidText as error:
            wrong.append(error)
    # Most errors are only about the number of players; one about another ruling is more helpful.
    raise next((error for error in wrong if error.ruling != wrong[0].ruling), wrong[0])


def _example(name: str) -> str:
    option = game_type(name).OPTIONS[-1]
    return f"{option.name}={option.write(option.default)}"


def fill(game: AnyGame, seats: Sequence[Seat]) -> tuple[Seat, ...]:
    """All seats of the game: those given, one person if there is none, and bots for the rest.

    :raises BadOptions: if there are more seats than the game has.
    :raises UnknownBot: if the game lacks one of the bots.
    """
    for seat in seats:
        if seat.bot:
            check_bot(seat.bot, game)
    if len(seats) > game.players:
        raise BadOptions(f"{len(seats)} seats are given, but {game.name} has {game.players} players")
    seated = list(seats) or [Seat(NAMES[0])]
    seated += [Seat("?", STAND_IN)] * (game.players - len(seated))
    free = (name for name in NAMES if name not in {seat.name for seat in seated})
    named = [Seat(next(free), seat.bot) if seat.bot and seat.name == "?" else seat for seat in seated]
    return colour_seats(game, named)


# Prompts.


def set_up(
    screen: Screen, game: str, seats: Sequence[str], players: int | None, options: Sequence[str]
) -> tuple[AnyGame, tuple[Seat, ...]]:
    """The game and the seats of a new match; on a terminal, ask for missing values."""
    interactive = sys.stdin.isatty()
    name = game or (ask_game(screen) if interactive else next(iter(GAMES)))
    make_game(name, options, players, len(seats))  # report errors before asking more
    given = [read_seat(text) for text in seats]
    if interactive and not given and players is None:
        given = ask_seats(screen, name)
    rules = make_game(name, options, players, len(given))
    return rules, fill(rules, given)


def ask_game(screen: Screen) -> str:
    """Ask for the game by number or name; Enter takes the first."""
    names = list(GAMES)
    screen.show(Text(screen.texts("play.ask.game"), "bold"))
    for number, name in enumerate(names, 1):
        words = Text.assemble((screen.texts(f"{name}.name"), "bold"), "  ", screen.texts(f"{name}.tagline"))
        screen.show(words, Text(f"  {number}", KEY))
    numbered: Mapping[str, str] = {str(number): name for number, name in enumerate(names, 1)}
    while True:
        answer = screen.ask("[1]").lower()
        name = numbered.get(answer or "1", answer)
        if name in GAMES:
            return name
        screen.error_line(screen.texts("play.what", text=answer[:40], keys=", ".join(numbered)))


def ask_seats(screen: Screen, game: str) -> list[Seat]:
    """Ask for names, separated by commas; Enter takes one person and bots."""
    most = next(option.high for option in game_type(game).OPTIONS if option.name == "players")
    screen.show(Text(screen.texts("play.ask.who", most=most), "bold"))
    screen.show(Text(screen.texts("play.ask.bot"), QUIET), " ")
    while True:
        answer = screen.ask(f"[{NAMES[0]}, bot, bot]")
        names = [name.strip() for name in answer.split(",") if name.strip()] or [NAMES[0], "bot", "bot"]
        try:
            seats = [read_seat(name) for name in names]
            if len(seats) > most:
                raise BadOptions(f"{len(seats)} > {most}")
            return seats
        except GameError as error:
            screen.show_error(error, setting_up=True)
