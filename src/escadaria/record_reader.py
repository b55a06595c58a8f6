"""Reading a record. Every error names the line that was read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NoReturn

from escadaria.catalogue import game_type, load, read_options
from escadaria.game import AnyGame, GameError
from escadaria.record import TITLE, BadRecord, Proof, Record, Remark, Seat, result_text

_MAX_LINE = 1000


class Reader:
    """Parses the lines of a record."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        """The number of lines that were taken."""
        self.line = 0
        """The number of the line that is read, from 1; a header may be read after its line was taken."""
        self.headers: dict[str, tuple[str, int]] = {}

    def record(self) -> Record:
        """:raises GameError: if the current line is wrong."""
        if self.take() != TITLE:
            self.fail(f"a record begins with {TITLE!r}")
        self.take_headers()
        game = self.game()
        start = self.pop("start", "")
        position = game.parse_state(start) if start else None
        seats = tuple(_seat(self.pop(f"seat {number}")) for number in range(1, game.players + 1))
        record = Record(game, seats, start=position)
        record = replace(record, date=self.pop("date", ""))
        dice = self.pop("dice")
        proof = self.proof(game.players) if dice == "fair" else None
        record = replace(record, dice=dice, proof=proof)
        result, line = self.pop("result"), self.line
        if unknown := next(iter(self.headers), ""):
            self.pop(unknown)
            self.fail(f"there is no header {unknown!r} in such a record")
        record = self.plies(record)
        if result != result_text(record):
            self.line = line
            self.fail(f"the result reads {result!r}, but the plies make it {result_text(record)!r}")
        return record

    def take(self) -> str:
        """The next line."""
        self.line = self.at
        if self.at == len(self.lines):
            self.fail("the record ends too early: it is truncated")
        self.at = self.line = self.at + 1
        return self.lines[self.at - 1]

    def fail(self, message: str) -> NoReturn:
        raise BadRecord(self.line, message)

    def take_headers(self) -> None:
        while line := self.take():
            key, colon, value = line.partition(": ")
            if not colon or not value:
                self.fail(f"a header reads 'name: value', not {line[:80]!r}")
            if key in self.headers:
                self.fail(f"the header {key!r} stands there twice")
            self.headers[key] = value, self.line

    def pop(self, key: str, default: str | None = None) -> str:
        """The text of a header, whose line is now the current one."""
        text, self.line = self.headers.pop(key, (default, self.at))
        if text is None:
            self.fail(f"the header {key!r} is missing")
        return text

    def game(self) -> AnyGame:
        kind = game_type(self.pop("game"))
        rules = self.pop("rules")
        if rules != str(kind.rules_version):
            self.fail(f"this is rules version {rules[:40]!r}, known is {kind.rules_version}")
        options: dict[str, int | str] = {}
        for option in kind.OPTIONS:
            if option.name in self.headers:
                options |= read_options(kind.name, {option.name: self.pop(option.name)})
                load(kind.name, **options)
        return load(kind.name, **options)

    def proof(self, players: int) -> Proof:
        """The proof, checked header by header."""
        proof = Proof(self.pop("match"), "0" * 64, ())
        proof = replace(proof, commitment=self.pop("commitment"))
        for number in range(1, players + 1):
            proof = replace(proof, entropy=(*proof.entropy, self.pop(f"entropy {number}", "")))
        return replace(proof, secret=self.pop("secret", ""))

    def plies(self, record: Record) -> Record:
        """The record with the plies and remarks of the remaining lines."""
        game, turn = record.game, 1
        plies: list[Any] = []
        positions = [*record.positions]
        remarks: list[Remark] = []
        while not (line := self.take()).startswith("end of "):
            if line.startswith("* "):
                remarks.append(self.remark(line, record.names, len(plies)))
                continue
            seat = positions[-1].turn
            opening = f"{turn}. {record.names[seat]}: "
            if not line.startswith(opening):
                self.fail(f"here a line begins {opening!r}, not {line[:60]!r}")
            for word in line.removeprefix(opening).split(", "):
                if positions[-1].turn != seat:
                    self.fail(f"the turn of {record.names[seat]} is over before {word[:40]!r}")
                plies.append(game.parse(word))
                positions.append(game.apply(positions[-1], plies[-1]))
            turn += positions[-1].turn != seat
        if line != f"end of {len(plies)} plies":
            self.fail(f"{line[:40]!r}, but there are {len(plies)} plies before it")
        if self.at != len(self.lines):
            self.line += 1
            self.fail("there is text after the end")
        return replace(record, plies=tuple(plies), remarks=tuple(remarks), replayed=tuple(positions))

    def remark(self, line: str, names: tuple[str, ...], ply: int) -> Remark:
        actions = ("resign", "back", "undo", f"bot {line.rpartition(' ')[2]}")
        remarks = (Remark(ply, seat, action) for seat in range(len(names)) for action in actions)
        found = (remark for remark in remarks if remark.is_valid and remark.text(names) == line)
        return next(found, None) or self.fail(f"{line[:80]!r} is no remark about a seat")


def _seat(text: str) -> Seat:
    match = re.fullmatch(r"(.+), (?:person|bot ([^ ]+)), ([a-z+]+|-)", text)
    if not match:
        raise GameError(f"a seat reads 'name, person, colour' or 'name, bot simple, colour': {text!r}")
    name, bot, colours = match.groups()
    return Seat(name, bot or "", () if colours == "-" else tuple(colours.split("+")))


def lines_of(data: bytes | str) -> list[str]:
    """:raises BadRecord: if the data is no text, or has a line that is too long."""
    text = _decode(data) if isinstance(data, bytes) else data
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").rstrip("\n").split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > _MAX_LINE:
            raise BadRecord(number, f"the line has {len(line)} characters, at most {_MAX_LINE} are allowed")
    return lines


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadRecord(line, f"byte {error.start} is no text in UTF-8") from None
