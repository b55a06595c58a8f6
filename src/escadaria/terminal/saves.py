"""Saved matches: the record is written after every event, so nothing is lost when the program ends.

The secret of fair dice must stay hidden while the match goes on, and must not be lost. It is stored beside
the record in a separate file that only its owner may read, until the match is over.
"""

from __future__ import annotations

import contextlib
import datetime
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

from escadaria.dice import Dice, FairDice, SeededDice, SystemDice, commitment, new_secret
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
class SavedMatch:
    """The file of a match, and what its record contains besides the plies."""

    path: Path
    date: str
    dice: Dice | None
    """None for real dice."""
    source: str
    """The dice, in the words of the record: ``fair``, ``real``, ``seed 7`` or ``system``."""
    proof: Proof | None = None
    """For fair dice; without the secret."""
    secret: bytes | None = field(default=None, repr=False)

    @property
    def seed(self) -> int | None:
        return self.dice.seed if isinstance(self.dice, SeededDice) else None

    def save(self, play: Play) -> None:
        """Write the match as it is now. When it is over, its secret is revealed."""
        proof, over = self.proof, play.outcome is not None
        if proof and self.secret and over:
            proof = replace(proof, secret=self.secret.hex())
        record = play.record(date=self.date, dice=self.source, proof=proof)
        with replacing(self.path) as file:
            file.write(str(record).encode())
        if over:
            secret_path(self.path).unlink(missing_ok=True)


def begin(path: Path, seats: tuple[Seat, ...], seed: int | None, *, real: bool = False) -> SavedMatch:
    """A new match, with real dice, the dice of a seed, or fair ones, whose secret is saved immediately.

    :raises FileTaken: if the file already exists.
    :raises BadDice: if the seed is not valid.
    """
    if path.exists():
        raise FileTaken(f"{path} exists already")
    path.parent.mkdir(parents=True, exist_ok=True)
    date = datetime.date.today().isoformat()
    if real:
        return SavedMatch(path, date, None, REAL)
    if seed is not None:
        return SavedMatch(path, date, SeededDice(seed), f"seed {seed}")
    secret, match = new_secret(), secrets.token_hex(8)
    # Bots add no entropy, because they belong to the program (docs/fair-dice.md).
    entropy = tuple("" if seat.bot else secrets.token_hex(8) for seat in seats)
    dice = FairDice(secret, match, entropy)
    with replacing(secret_path(path), mode=0o600) as file:
        file.write(f"{secret.hex()}\n".encode())
    return SavedMatch(path, date, dice, "fair", Proof(match, commitment(secret), entropy), secret)


def resume(path: Path) -> tuple[Record, SavedMatch]:
    """Open an unfinished match.

    :raises BadRecord, OSError: if it cannot be read.
    :raises Refused: ``over``.
    :raises SecretMissing: if the secret of its dice is missing.
    """
    record = open_record(path)
    if record.outcome is not None:
        raise Refused("over", f"{path}: {result_text(record)}")
    if record.dice == REAL:
        return record, SavedMatch(path, record.date, None, REAL)
    if record.proof is None:
        word, _, seed = record.dice.partition(" ")
        dice = SeededDice(int(seed)) if word == "seed" else SystemDice()
        return record, SavedMatch(path, record.date, dice, record.dice if word == "seed" else "system")
    secret = _read_secret(path, record.proof)
    dice_of_match = FairDice(secret, record.proof.match, record.proof.entropy)
    return record, SavedMatch(path, record.date, dice_of_match, record.dice, record.proof, secret)


def _read_secret(path: Path, proof: Proof) -> bytes:
    beside = secret_path(path)
    try:
        secret = bytes.fromhex(beside.read_text("ascii"))
        if commitment(secret) == proof.commitment:
            return secret
    except (FileNotFoundError, ValueError):
        pass
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
