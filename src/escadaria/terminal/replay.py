"""The replay of a record: step by step with keys, or all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import typer
from rich.rule import Rule
from rich.text import Text

from escadaria.game import Fact
from escadaria.record import Record, Remark
from escadaria.terminal.pictures import Scene, draw
from escadaria.terminal.screen import QUIET, Screen
from escadaria.terminal.sentences import bot_name, paragraphs, result

NEXT, BACK, FAR = 1, -1, 1_000_000
KEYS = {
    "\r": NEXT, "\n": NEXT, " ": NEXT, "n": NEXT, "\x1b[C": NEXT, "\x1bOC": NEXT, "\x1b[B": NEXT,
    "b": BACK, "\x7f": BACK, "\x1b[D": BACK, "\x1bOD": BACK, "\x1b[A": BACK,
    "\x1b[H": -FAR, "\x1b[F": FAR,
}  # fmt: skip
"""The number of plies that a key goes forward; after digits it goes to that ply."""

LEAVE = ("q", "\x1b")

KEY = r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.|\n"
"""A pressed key; an arrow key is its whole escape sequence."""


class Replay:
    """Shows a record on a screen."""

    def __init__(self, record: Record, screen: Screen) -> None:
        self.record = record
        self.screen = screen
        self.texts = screen.texts
        self.last = len(record.plies)

    def show_all(self) -> None:
        """Print every turn in sentences, then the last position."""
        self.screen.show(Text(self.texts(f"{self.record.game.name}.name"), "bold"))
        for number, _, plies in self.record.turns():
            self.remarks(range(plies[0] - 1, plies[-1]))
            self.sentences([fact for ply in plies for fact in self.record.facts(ply)], f"{number:>3}. ")
        self.remarks(range(self.last, self.last + 1))
        self.position(self.last)

    def show(self, ply: int) -> None:
        """Print one position with the facts before it. :raises GameError: if there is no such ply."""
        state = self.record.position(ply)
        words = self.texts("replay.ply", ply=ply, last=self.last)
        self.screen.out.print(Rule(Text(words), style=QUIET))
        if ply:
            self.sentences(self.record.facts(ply))
        self.remarks(range(ply, ply + 1))
        self.position(ply)
        self.screen.show(Text(str(state), QUIET))

    def step_through(self) -> None:
        """Step through the match with keys until the user quits."""
        ply, digits = 0, ""
        self.page(ply)
        with suppress(EOFError):
            while pressed := typer.getchar():
                for key in re.findall(KEY, pressed):
                    if key in LEAVE:
                        return
                    if key in KEYS:
                        wanted = int(digits[:7]) if digits else ply + KEYS[key]
                        ply, digits = max(0, min(wanted, self.last)), ""
                        self.page(ply)
                    elif key.isdigit():
                        digits += key

    def page(self, ply: int) -> None:
        self.screen.out.clear()
        self.show(ply)
        self.screen.say("replay.keys", QUIET)

    def position(self, ply: int) -> None:
        record, screen = self.record, self.screen
        facts = turn_facts(record, ply)
        scene = Scene(
            record.game, record.position(ply), record.seats, facts, self.texts, screen.width, screen.fancy
        )
        picture = draw(scene)
        screen.draw([*picture.board, *picture.turn])
        if ply == self.last:
            end = record.outcome
            words = result(end, record.names, self.texts) if end else self.texts("replay.unfinished")
            screen.show(Text(words, "bold"))

    def sentences(self, facts: Sequence[Fact], number: str = "") -> None:
        for seat, words in paragraphs(self.record.game.name, facts, self.record.names, self.texts):
            self.screen.show(words, Text.assemble((number, QUIET), self.token(seat)))
            number = " " * len(number)

    def remarks(self, plies: range) -> None:
        for remark in self.record.remarks:
            if remark.ply in plies:
                self.screen.show(self.sentence(remark), self.token(remark.seat))

    def sentence(self, remark: Remark) -> str:
        word, _, bot = remark.action.partition(" ")
        name = self.record.names[remark.seat]
        key = {
            "resign": "play.resigned",
            "bot": "replay.bot",
            "back": "replay.back",
            "undo": "web.event.corrected",
        }[word]
        return self.texts(key, name=name, bot=bot_name(bot, self.texts))

    def token(self, seat: int) -> Text:
        return self.screen.token(self.record.seats, seat)


def turn_facts(record: Record, ply: int) -> tuple[Fact, ...]:
    """The facts of the turn up to this position."""
    first = ply
    while first and record.positions[first - 1].turn == record.positions[ply].turn:
        first -= 1
    return tuple(fact for number in range(first + 1, ply + 1) for fact in record.facts(number))
