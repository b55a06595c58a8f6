"""Compares what is stored with what clients received, and with the rules and the dice."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

import psycopg

import escadaria
from escadaria.game import AnyGame
from escadaria.record import Proof, Record, Seat, read, verify
from raw import get
from serving import Server
from system.faults.people import POSITION_FIELDS, Json, Witness

NOT_PLIES = ("resign", "back")


@dataclass
class Stored:
    """A stored match, replayed without the code of the server."""

    match: str
    versions: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    bodies: list[Json] = field(default_factory=list)
    hidden: list[Json] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    """The position after each event; None before the start."""
    plies: list[str] = field(default_factory=list)
    chairs: list[Json] = field(default_factory=list)

    @property
    def game(self) -> AnyGame:
        return escadaria.load(self.bodies[0]["game"], **self.bodies[0]["options"])

    def fold(self) -> None:
        """Replay it with the rules only. An illegal ply raises an exception."""
        game = self.game
        self.chairs = [{}] * game.players
        states: list[Any] = []
        for body in self.bodies:
            match body["kind"]:
                case "sat" | "bot_sat":
                    self.chairs[body["seat"]] = body
                case "freed":
                    self.chairs[body["seat"]] = {}
                case "started":
                    self.chairs = self.chairs[body["first"] :] + self.chairs[: body["first"]]
                    states = [game.initial_state()]
                case "acted" if not (body["action"] in NOT_PLIES or body["action"].startswith("bot ")):
                    new = ([] if body["action"] == "roll" else [body["action"]]) + body["dice"]
                    for ply in new:
                        states.append(game.apply(states[-1], game.parse(ply)))
                    self.plies += new
            self.texts.append(str(states[-1]) if states else None)

    def record(self) -> Record:
        """Its record with the secret of its dice, finished or not."""
        seats = tuple(Seat(c["name"], c.get("bot", ""), tuple(c["colours"])) for c in self.chairs)
        entropy = tuple(chair.get("entropy", "") for chair in self.chairs)
        proof = Proof(self.match, self.bodies[0]["commitment"], entropy, self.hidden[0]["secret"])
        plies = tuple(map(self.game.parse, self.plies))
        return Record(self.game, seats, plies, dice="fair", proof=proof)


def stored_matches(database: Path | str) -> dict[str, Stored]:
    """All matches of a database: of an SQLite file, or at a URL of PostgreSQL."""
    matches: dict[str, Stored] = {}
    rows = "SELECT match, version, time, request, body, hidden FROM event ORDER BY match, version"
    for match, version, time, request, body, hidden in _rows(database, rows):
        stored = matches.setdefault(match, Stored(match))
        stored.versions.append(version)
        stored.times.append(time)
        stored.requests.append(request)
        stored.bodies.append(json.loads(body))
        stored.hidden.append(json.loads(hidden or "{}"))
    return matches


def _rows(database: Path | str, statement: LiteralString) -> list[tuple[Any, ...]]:
    if isinstance(database, str):
        with psycopg.connect(database) as postgresql:
            return postgresql.execute(statement).fetchall()
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as sqlite:
        assert sqlite.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return sqlite.execute(statement).fetchall()


@dataclass
class Findings:
    """The result of a comparison."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def check(database: Path | str, witness: Witness) -> Findings:
    """Assert that everything that clients received is stored, and nothing else."""
    matches = stored_matches(database)
    findings = Findings(wrong=list(witness.wrong))
    for stored in matches.values():
        _check_alone(stored, findings)
    for match, events in witness.events.items():
        for version, received in events.items():
            findings.counts["received"] += 1
            _check_event(matches.get(match), match, version, received, findings)
    for match, snapshot in witness.snapshots:
        text, version = snapshot["now"]["text"], snapshot["version"]
        texts = matches[match].texts if match in matches else []
        if version > len(texts) or text not in (None, texts[version - 1]):  # guests receive None
            findings.wrong.append(f"{match}: a snapshot of version {version} has {text}")
    _check_answers(matches, witness, findings)
    assert not findings.wrong, "\n".join(findings.wrong[:20])
    return findings


def _check_alone(stored: Stored, findings: Findings) -> None:
    """No gaps, no duplicate commands, legal plies, and verified rolls."""
    findings.counts["matches"] += 1
    findings.counts["events"] += len(stored.versions)
    if stored.versions != list(range(1, len(stored.versions) + 1)):
        findings.wrong.append(f"{stored.match}: gaps in {stored.versions}")
    twice = [key for key, count in Counter(filter(None, stored.requests)).items() if count > 1]
    if twice:
        findings.wrong.append(f"{stored.match}: stored twice: {twice}")
    stored.fold()
    if stored.texts[-1] is not None:
        verdict = verify(stored.record())
        findings.counts["rolls"] += verdict.rolls
        if not verdict.fair:
            findings.wrong.append(f"{stored.match}: the dice are not proven: {verdict}")


def _check_event(stored: Stored | None, match: str, version: int, received: Json, findings: Findings) -> None:
    if stored is None or version > len(stored.bodies):
        findings.wrong.append(f"{match}: event {version} was received and is not stored: {received}")
        return
    at = version - 1
    # The stored and the received body are equal.
    if stored.bodies[at] != received["event"] or stored.times[at] != received["time"]:
        findings.wrong.append(
            f"{match}: event {version} is {stored.bodies[at]}, received was {received['event']}"
        )
    if set(POSITION_FIELDS) <= received.keys() and stored.texts[at] != received["text"]:
        findings.wrong.append(
            f"{match}: after event {version} {stored.texts[at]}, received was {received['text']}"
        )


def _check_answers(matches: dict[str, Stored], witness: Witness, findings: Findings) -> None:
    by_id: dict[tuple[str, str], list[int]] = {}
    for match, stored in matches.items():
        for version, request in zip(stored.versions, stored.requests, strict=True):
            if request:
                by_id.setdefault((match, request.partition(":")[2]), []).append(version)
    for (match, id), version in witness.accepted.items():
        asked = witness.asked.get((match, id), {})
        if asked.get("type") in ("ping", "rematch"):  # these need not store anything
            continue
        findings.counts["accepted"] += 1
        if by_id.get((match, id)) != [version]:
            findings.wrong.append(
                f"{match}: {id} made {version}, stored is {by_id.get((match, id))}: {asked}"
            )
        elif asked.get("type") == "act" and matches[match].bodies[version - 1]["action"] != asked["action"]:
            findings.wrong.append(
                f"{match}: {id} asked for {asked}, stored is {matches[match].bodies[version - 1]}"
            )
    for (match, id), codes in witness.refused.items():
        refused = "store_unavailable" not in codes and (match, id) not in witness.accepted
        if refused and (match, id) in by_id:
            findings.wrong.append(f"{match}: {id} was refused ({codes}) and is stored")


async def check_server(server: Server, findings: Findings) -> None:
    """Assert that the records of finished matches are what is stored."""
    for match, stored in stored_matches(server.database).items():
        stored.fold()
        if (await get(server, f"/api/matches/{match}")).json()["status"] != "over":
            continue
        findings.counts["finished"] += 1
        record = read((await get(server, f"/api/matches/{match}/record")).text)
        assert verify(record).fair and [str(ply) for ply in record.plies] == stored.plies, match
