"""Localised output: results on stdout, errors and progress on stderr."""

from __future__ import annotations

import codecs
import io
import shlex
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from escadaria.game import BadOptions, GameError
from escadaria.i18n import Texts, load, negotiate
from escadaria.record import Seat
from escadaria.terminal.pieces import look_of, token

FANCY = "●■▲◆✱♣▁▂▃▄▅▆▇█│─┌→▸›…"
"""The special characters of pictures; a terminal that cannot show them gets ASCII."""

QUIET = "dim"
PREVIEW = "italic"
WRONG = "bold red"
KEY = "bold cyan"

Words = Text | str

Item = tuple[Text, Text, Words]
"""A line of a list: a sign, the token of a seat, and a sentence."""


@dataclass(frozen=True)
class Screen:
    """A terminal with the texts of a language."""

    texts: Texts
    out: Console
    err: Console

    @classmethod
    def open(cls, language: str | None = None) -> Screen:
        """The terminal of this process. :raises BadOptions: if there is no such language."""
        codecs.register_error("escadaria", _nearest)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="escadaria")  # replace characters that cannot be encoded
        out, err = (
            Console(highlight=False, markup=False, emoji=False, stderr=stderr) for stderr in (False, True)
        )
        return cls(load(language or negotiate()), out, err)

    @property
    def width(self) -> int:
        return min(self.out.width, 120)

    @property
    def fancy(self) -> bool:
        """Whether the encoding has shapes, lines and arrows."""
        try:
            FANCY.encode(self.out.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def either(self, fancy: str, plain: str) -> str:
        """The fancy text if it can be shown, else the plain one."""
        return fancy if self.fancy else plain

    def say(self, key: str, style: str = "", **args: object) -> None:
        """Print the text with this key."""
        self.show(Text(self.texts(key, **args), style))

    def section(self, key: str) -> None:
        """Print a heading after an empty line."""
        self.show()
        self.say(key, "bold")

    def show(self, words: Words = "", mark: Words = "") -> None:
        """Print words after a mark; wrapped lines are indented by its width. Long paths are not broken."""
        start = Text.assemble(mark, " ") if mark else Text()
        text = words.copy() if isinstance(words, Text) else Text(words)
        text.plain = text.plain.translate(_PLACEHOLDERS)  # Rich breaks lines even at no-break spaces
        longest = max(map(cell_len, text.plain.split()), default=0)
        for line in text.wrap(self.out, max(20, self.width - start.cell_len, longest)):
            line.rstrip()
            line.plain = line.plain.translate(_SPACES)
            self.out.print(Text.assemble(start, line), soft_wrap=True)
            start = Text(" " * start.cell_len)

    def items(self, items: Iterable[Item]) -> None:
        """Print a list."""
        for sign, seat, words in items:
            self.show(words, Text.assemble(sign, " ", seat))

    def table(
        self, headings: Sequence[Words], rows: Iterable[Sequence[Words]], *, left: int = 0, title: str = ""
    ) -> None:
        """Print a table. All columns but ``left`` have figures, which are aligned on the right."""
        table = Table(box=box.SIMPLE_HEAD if self.fancy else box.ASCII2, title=title, title_style=QUIET)
        for column, heading in enumerate(headings):
            table.add_column(heading, justify="left" if column == left else "right", overflow="fold")
        for row in rows:
            table.add_row(*row)
        self.out.print(table)

    def token(self, seats: Sequence[Seat], seat: int) -> Text:
        """Shape and letter of a seat's colour."""
        return token(look_of(seats, seat), self.fancy)

    def names(self, seats: Sequence[Seat]) -> list[Text]:
        """Each seat's token and name."""
        return [Text.assemble(self.token(seats, seat), f" {one.name}") for seat, one in enumerate(seats)]

    def draw(self, lines: Iterable[Text]) -> None:
        """Print a picture."""
        for line in lines:
            self.out.print(line, soft_wrap=True)

    def show_error(self, error: GameError | OSError, *, setting_up: bool = False) -> None:
        """Print an error in one red line, with its details.

        :param setting_up: whether the command sets up a match; the text for wrong options mentions it.
        """
        code = error.code if isinstance(error, GameError) else "file"
        if code == BadOptions.code and not setting_up:
            code = GameError.code
        key = f"error.{code}"
        self.error_line(f"{self.texts(key)} ({error})" if key in self.texts else str(error))

    def error_line(self, sentence: str) -> None:
        self.err.print(Text(sentence, WRONG), soft_wrap=not self.err.is_terminal)

    def ask(self, prompt: str) -> str:
        """Read one line. :raises EOFError: at the end of the input."""
        # Without colour: the line editor counts every character of a prompt, including escape sequences.
        return input(f"{prompt} {self.either('›', '>')} ").strip()


_PLACEHOLDERS = {ord("\u202f"): "\ue000", ord("\u00a0"): "\ue001"}  # for no-break spaces
_SPACES = {ord(placeholder): chr(space) for space, placeholder in _PLACEHOLDERS.items()}


def _nearest(error: UnicodeError) -> tuple[str, int]:
    """An error handler that replaces characters by similar ASCII characters: ``ü`` by ``u``."""
    assert isinstance(error, UnicodeEncodeError), "only used for output"
    text = error.object[error.start : error.end].translate({0x2019: "'", 0x2013: "-", 0x2014: "-"})
    letters = (char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return "".join(char if char.isascii() else "?" for char in letters), error.end


def command(*words: str | Path) -> str:
    """A command line that works in this installation, for the user to copy."""
    program = Path(sys.argv[0])
    start = ["escadaria"]
    if program.name == "__main__.py":
        start = [Path(sys.executable).name, "-m", "escadaria"]
    elif program.stem == "escadaria" and not shutil.which("escadaria"):
        start = [str(sys.argv[0])]
    return shlex.join([*start, *map(str, words)])
