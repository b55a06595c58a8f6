"""What must always hold holds in all simulated worlds; and if the code is broken, worlds notice it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from unittest.mock import AsyncMock

import pytest

from escadaria import wire
from escadaria.bus import Stored
from escadaria.match.connection import Connection, Mail
from escadaria.match.event_log import EventLog, stored_events
from escadaria.match.leases import Leases
from escadaria.match.live import LiveMatch
from escadaria.match.room import Room
from escadaria.match.state import MatchEvent
from escadaria.server.matches.hub import Hub
from system.worlds.world import Invariant, Violation, run_world

SEEDS = [int(os.environ["ESCADARIA_SEED"])] if "ESCADARIA_SEED" in os.environ else range(50)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_doubled_or_late_in_any_world(seed: int) -> None:
    world = run_world(seed)
    assert sum(map(len, world.disk.stored.values())) > 5, "it is not empty"


@pytest.mark.parametrize("seed", [20719, 80516])
def test_worlds_that_have_found_a_fault(seed: int) -> None:
    """A command waited behind two time-outs; a lease was released while its bot was thinking."""
    run_world(seed)


def test_a_seed_repeats_exactly() -> None:
    one, two = run_world(1), run_world(1)
    assert one.history == two.history and one.disk.stored == two.disk.stored


def test_hints_for_a_version_that_does_not_exist_apply_no_event_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such a hint reads the store for later events, while a command may be storing them."""
    submit = Room.submit

    def submit_with_hint(self: Room, connection: Connection, command: wire.AnyCommand) -> None:
        submit(self, connection, wire.Hint(id=f"hint-{command.id}", version=10**6))
        submit(self, connection, command)

    monkeypatch.setattr(Room, "submit", submit_with_hint)
    for seed in range(6):
        run_world(seed)


async def take_from_the_living(self: Leases, match: str) -> bool:
    lease = self.server, next(self._epochs)
    taken = await self._store.take_lease(match, lease, self._clock.time() + 1000)
    self._held[match] = lease[1]
    return taken


async def answer_before_storing(
    self: LiveMatch,
    handle: Callable[[], list[MatchEvent]],
    key: str = "",
    mail: Mail | None = None,
    *,
    leased: bool = False,
) -> Mail:
    """Apply and broadcast first, and store afterwards."""
    events = handle()
    stored = stored_events(events, self.match.version, self._clock.time(), key)
    self._show([(event, b"") for event in stored])
    if stored:
        lease = self._leases.lease(self.match.id) if leased else None
        await self.events._store.append(self.match.id, stored, lease=lease)
        sent = [(event, b"") for event in stored]
        self._leases.publish(Stored(self.match.id, stored[-1].version, sent))
    return mail or Mail()


BROKEN: dict[str, tuple[type, str, Any, Invariant, int]] = {
    "events of a message are applied without comparing versions":
        (EventLog, "following", lambda self, events: list(events), "seen", 3),
    "the store is not checked": (Hub, "check", AsyncMock(), "seen", 1),
    "every worker believes to hold every lease":
        (Leases, "holds", lambda self, match: True, "running", 0),
    "leases are taken from living workers": (Leases, "take", take_from_the_living, "bots", 156),
    "appends carry no lease": (Leases, "lease", lambda self, match: None, "clocks", 0),
    "a late hand-over is not reconsidered":
        (LiveMatch, "_hand_over", lambda self, seat: self.match.hand_over(seat), "clocks", 5),
    "repeated commands are not recognised": (EventLog, "version_of", lambda self, key: None, "stored", 5),
    "events are broadcast before they are stored": (LiveMatch, "commit", answer_before_storing, "early", 0),
    "a worker does not catch up": (LiveMatch, "_catch_up", AsyncMock(return_value=False), "seen", 0),
}  # fmt: skip
"""What is replaced by what, the invariant that this breaks, and the first seed that notices it today."""


@pytest.mark.parametrize("what", BROKEN)
def test_worlds_notice_broken_code(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, broken, invariant, first = BROKEN[what]
    monkeypatch.setattr(owner, name, broken)
    for seed in range(first, first + 300):
        try:
            run_world(seed)
        except Violation as violation:
            if invariant in violation.broken:
                print(f"seed {seed} notices: {str(violation)[:200]}")
                return
    pytest.fail(f"no world noticed: {what}")
