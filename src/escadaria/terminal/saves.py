"""Saved matches: the record is written after every event, so nothing is lost when the program ends.

The secret of fair dice must stay hidden while the match goes on, and must not be lost. It is stored beside
the record in a separate file that only its owner may read, until the match is over.
"""

from __future__ import annotations

import contextlib
import datetime
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from escadaria.dice import Dice, SeededDice, SystemDice, commitment, new_secret
from escadaria.folders import data_folder, replacing
from escadaria.game import GameError
from escadaria.play import Play
from escadaria.record import REAL, BadRecord, Proof, Record, Seat, open_record, result_text
from escadaria.refusals import Refused


class FileTaken(GameError):
    """The file for a new match already exists."""

    code = "file_taken"


class NothingToResume(GameError):
    """There is no unfinished match."""

    code = "nothing_to_resume"


class SecretMissing(GameError):
    """The secret of a match with fair dice is lost, so it cannot be resumed."""

    code = "secret_missing"


@dataclass(frozen=True)
class MatchFile:
    """The file of a match, and what its record contains besides the plies."""

    path: Path
    date: str
    dice: Dice | None
    """None for real dice."""
    proof: Proof | None = None
    """For fair dice; with the secret, which is in the record only when the match is over."""

    @property
    def seed(self) -> int | None:
        return self.dice.seed if isinstance(self.dice, SeededDice) else None

    @property
    def source(self) -> str:
        """The dice, as the record names them."""
        if self.dice is None:
            return REAL
        if self.proof:
            return "fair"
        return "system" if self.seed is None else f"seed {self.seed}"

    def save(self, play: Play) -> None:
        """Write the match as it is now. When it is over, its secret is revealed."""
        over = play.outcome is not None
        proof = self.proof if over or not self.proof else replace(self.proof, secret="")
        record = play.record(date=self.date, dice=self.source, proof=proof)
        with replacing(self.path) as file:
            file.write(str(record).encode())
        if over:
            secret_path(self.path).unlink(missing_ok=True)


def begin(path: Path, seats: tuple[Seat, ...], seed: int | None, *, real: bool = False) -> MatchFile:
    """A new match, with real dice, the dice of a seed, or fair ones, whose secret is saved immediately.

    :raises FileTaken: if the file already exists.
    :raises BadDice: if the seed is not valid.
    """
    if path.exists():
        raise FileTaken(f"{path} exists already")
    path.parent.mkdir(parents=True, exist_ok=True)
    date = datetime.date.today().isoformat()
    if real:
        return MatchFile(path, date, None)
    if seed is not None:
        return MatchFile(path, date, SeededDice(seed))
    secret = new_secret()
    # Bots add no entropy, because they belong to the program (docs/fair-dice.md).
    entropy = tuple("" if seat.bot else secrets.token_hex(8) for seat in seats)
    proof = Proof(secrets.token_hex(8), commitment(secret), entropy, secret.hex())
    with replacing(secret_path(path), mode=0o600) as file:
        file.write(f"{proof.secret}\n".encode())
    return MatchFile(path, date, proof.dice(), proof)


def resume(path: Path) -> tuple[Record, MatchFile]:
    """Open an unfinished match.

    :raises BadRecord, OSError: if it cannot be read.
    :raises Refused: ``over``.
    :raises SecretMissing: if the secret of its dice is missing.
    """
    record = open_record(path)
    if record.outcome is not None:
        raise Refused("over", f"{path}: {result_text(record)}")
    dice: Dice | None = None
    proof = record.proof and replace(record.proof, secret=_read_secret(path, record.proof))
    if proof:
        dice = proof.dice()
    elif record.dice != REAL:
        word, _, seed = record.dice.partition(" ")
        dice = SeededDice(int(seed)) if word == "seed" else SystemDice()
    return record, MatchFile(path, record.date, dice, proof)


def _read_secret(path: Path, proof: Proof) -> str:
    beside = secret_path(path)
    with contextlib.suppress(FileNotFoundError, ValueError):
        secret = bytes.fromhex(beside.read_text("ascii"))
        if commitment(secret) == proof.commitment:
            return secret.hex()
    raise SecretMissing(f"{beside} must contain the secret of these dice")


def secret_path(path: Path) -> Path:
    return path.with_name(path.name + ".secret")


def records_folder() -> Path:
    """The default folder of saved matches."""
    return data_folder() / "records"


def new_path(game: str) -> Path:
    """An unused file name for a new match."""
    start = f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}-{game}"
    names = (f"{start}{more}.txt" for more in ("", *(f"-{number}" for number in range(2, 1000))))
    return next(path for name in names if not (path := records_folder() / name).exists())


def newest_unfinished(folder: Path) -> Path:
    """The unfinished match that was saved last. :raises NothingToResume: if there is none."""
    paths = sorted(folder.glob("*.txt"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in paths:
        with contextlib.suppress(BadRecord):  # a damaged record is skipped
            if open_record(path).outcome is None:
                return path
    raise NothingToResume(f"there is no unfinished match in {folder}")
