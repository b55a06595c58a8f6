"""One simulated world: workers, people, faults, and what must always hold."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import string
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal
from unittest import mock

import msgspec

from escadaria import bodies, wire
from escadaria.events import read_event
from escadaria.match.clock import Clock
from escadaria.match.match import Match
from escadaria.match.state import Hidden, MatchEvent
from escadaria.match.tokens import Tokens
from escadaria.play import Event
from escadaria.server.edge.limits import Limits
from escadaria.server.matches import hub as hub_module
from escadaria.server.matches.hub import Hub
from escadaria.settings import Settings
from serving import UNLIMITED
from system.faults.people import Witness
from system.worlds import loop
from system.worlds.network import Network
from system.worlds.people import Person
from system.worlds.store import Disk, SimulatedStore

FAULTY_SECONDS = 40.0
"""How long a world has faults."""

HEALING_SECONDS = 20.0
"""How long it runs without faults afterwards; then everybody must have seen everything."""

PROMPT_SECONDS = 1.0
"""The bound on seeing an event in a world without faults."""

BEHIND_SECONDS = 5.0
"""The bound on seeing an event after the faults have ended."""

EPOCH = 1_700_000_000.0

Kind = Literal["calm", "faulty"]


Invariant = Literal["answered", "bots", "clocks", "prompt", "running", "seen", "stored", "early"]
"""What must always hold:

- ``answered``: every command of a client that stays is answered.
- ``bots``: a position is decided once.
- ``clocks``: only with the lease bots act, and replace players who are late.
- ``prompt``: those who stay see every event within a bound.
- ``running``: no table stands still after the faults.
- ``seen``: everybody sees all events, once and in order.
- ``stored``: an accepted command is stored once, and versions have no gaps.
- ``early``: nothing is broadcast before it is stored.
"""


class Violation(AssertionError):
    """Something that must always hold does not."""

    def __init__(self, seed: int, failures: list[tuple[Invariant, str]]) -> None:
        super().__init__("\n".join([f"seed {seed}:", *(f"{broken}: {what}" for broken, what in failures)]))
        self.broken = {broken for broken, _ in failures}


class WorldClock(Clock):
    """The loop's virtual time."""

    def time(self) -> float:
        return EPOCH + asyncio.get_running_loop().time()


class Bots:
    """In place of the worker processes: bots that choose a legal action at random."""

    def __init__(self, world: World, worker: str) -> None:
        self.world = world
        self.worker = worker

    def prepare(self) -> None:
        """Nothing to start."""

    async def decide(self, game: Any, state: Any, bot: str, *, key: str = "", awaited: bool = True) -> str:
        rooms = (room for worker in self.world.workers for room in worker.hub.rooms.values())
        match = next(room.match.id for room in rooms if room.match.opener == key)
        version = len(self.world.disk.stored[match])
        self.world.decisions[match, version, str(state)] += 1
        await asyncio.sleep(self.world.rng.uniform(0.001, 0.05))
        return str(self.world.rng.choice(game.legal_actions(state)))

    async def close(self, seconds: float = 2.0) -> None:
        """Nothing to close."""


class Worker:
    """One worker: the real hub on the simulated store and bus."""

    def __init__(self, world: World, name: str) -> None:
        self.name = name
        self.store = SimulatedStore(world.disk, world.rng)
        self.bus = world.network.bus(name, shared=True)
        self.visits: dict[asyncio.Task[None], None] = {}  # an ordered set, for the sake of repetition
        limits = Limits(SETTINGS, world.clock)
        with mock.patch.object(hub_module, "Compute", return_value=Bots(world, name)):
            self.hub = Hub(self.store, self.bus, SETTINGS, limits, world.clock)

    async def kill(self) -> None:
        """Stop it without warning."""
        self.store.database.dead = True
        await self.bus.close()
        for task in (*self.hub._tasks, *self.visits):
            task.cancel()
        for room in self.hub.rooms.values():
            room.stop()


SETTINGS = Settings(**UNLIMITED)


class World:
    """A world that one seed determines."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.kind: Kind = "calm" if seed % 4 == 0 else "faulty"
        self.clock = WorldClock()
        self.disk = Disk()
        self.network = Network(self.rng, with_events=self.rng.random() < 0.5)
        self.witness = Witness()
        self.workers: list[Worker] = []
        self.people: list[Person] = []
        self.decisions: Counter[tuple[str, int, str]] = Counter()
        """How often bots were asked, by match, stored version and position."""
        self.refusals: Counter[str] = Counter()
        self.history: list[str] = []
        self.healing_is_over = False
        self.faults_end = FAULTY_SECONDS if self.kind == "faulty" else 0.0
        self._failures: list[tuple[Invariant, str]] = []
        self._names = 0

    def living(self) -> list[Worker]:
        return [worker for worker in self.workers if not worker.store.database.dead]

    def note(self, what: str) -> None:
        """Add a line to the history."""
        self.history.append(f"{asyncio.get_running_loop().time():9.4f} {what}")

    def fail(self, broken: Invariant, what: str) -> None:
        self.note(f"WRONG: {broken}: {what}")
        self._failures.append((broken, what))

    def saw(self, person: Person, version: int) -> None:
        """A person has received a version; check how late."""
        now = asyncio.get_running_loop().time()
        if (stored := self.disk.times.get((person.match, version))) is None:
            self.fail("early", f"{person.name} saw {version} of {person.match}, which is not stored")
            return
        late = now - max(stored, self.faults_end + 1.0 if self.kind == "faulty" else stored)
        bound = PROMPT_SECONDS if self.kind == "calm" else BEHIND_SECONDS
        self.note(f"{person.name} sees {version} of {person.match}, {now - stored:.4f} s after it was stored")
        if late > bound:
            self.fail("prompt", f"{person.name} saw {version} of {person.match} {now - stored:.1f} s late")

    # Running.

    async def run(self) -> None:
        """Run the world, and check it.

        :raises Violation: if something that must always hold does not.
        """
        for _ in range(self.rng.choice((2, 2, 3))):
            await self.add_worker()
        for _ in range(self.rng.choice((1, 2, 3))):
            await self.open_table()
        lives = [asyncio.create_task(person.live()) for person in self.people]
        if self.kind == "faulty":
            await self.break_things()
        else:
            await asyncio.sleep(FAULTY_SECONDS)
        await self.heal()
        await asyncio.sleep(HEALING_SECONDS)
        self.healing_is_over = True
        await asyncio.sleep(4.0)
        for life in lives:
            if life.done() and (error := life.exception()) is not None:
                raise error
        self.check()
        if self._failures:
            raise Violation(self.seed, self._failures)

    async def add_worker(self) -> None:
        self._names += 1
        worker = Worker(self, f"worker{self._names}")
        self.workers.append(worker)
        await worker.hub.start()

    async def open_table(self) -> None:
        """Open a match, seat people and perhaps bots, and start it."""
        rng, hub = self.rng, self.workers[0].hub
        people, bots = rng.choice(((1, 1), (2, 0), (2, 1), (2, 0)))
        self._names += 1
        settings: dict[str, Any] = {
            "clock": rng.choice((0, 6)),
            "grace": rng.choice((None, 5)),
            "pace": rng.choice((0, 300)),
        }
        opened = await hub.open(
            bodies.Open(
                game="rapido",
                options={"players": people + bots, "finish": 20},
                people=[bodies.Person(name=f"Ana{self._names}")],
                bots=["simple"] * bots,
                settings=wire.WantedSettings(**settings),
                start=people == 1,
            ),
            f"opener{self._names}",
        )
        tokens = [opened.token]
        room = await hub.room(opened.match)
        if people == 2:
            tokens.append(Tokens(hub.store.key).for_guest(opened.match, "rui", "x"))
            sit = wire.Sit(id="sit", version=0, name="Rui")
            seat = partial(room.match.sit, None, sit, tokens[1])
            for handle in (seat, partial(room.match.start, 0)):
                await room.jobs.run(partial(room.commit, handle))
            room._update()
        for number, token in enumerate(tokens):
            name = f"p{self._names}{string.ascii_lowercase[number]}"
            person = Person(self, opened.match, token, name, rng)
            self.people.append(person)
            if self.kind == "faulty":
                person.vanishing = rng.choice((0.0, 0.05, 0.3))
                person.sluggish = rng.choice((0.0, 0.2))
            else:
                person.sluggish = 0.2

    # Faults.

    async def break_things(self) -> None:
        """Break one thing after the other."""
        rng = self.rng
        self.network.lost = rng.choice((0.0, 0.1, 0.5, 1.0))
        self.network.late = rng.choice((0.0, 0.1, 0.5))
        self.network.doubled = rng.choice((0.0, 0.3))
        end = asyncio.get_running_loop().time() + FAULTY_SECONDS
        while (left := end - asyncio.get_running_loop().time()) > 0:
            fault = rng.choice(
                (self.kill_one, self.fail_one, self.stall_one, self.stall_all, self.cut_network)
            )
            self.note(fault.__name__)
            await fault()
            await asyncio.sleep(min(left, rng.uniform(0.5, 6.0)))

    async def kill_one(self) -> None:
        if len(self.living()) > 1:
            await self.rng.choice(self.living()).kill()
            await asyncio.sleep(self.rng.uniform(0, 3))
            await self.add_worker()

    async def fail_one(self) -> None:
        self.rng.choice(self.living()).store.database.failures = self.rng.choice((0.0, 0.05, 0.3))

    async def stall_one(self) -> None:
        worker = self.rng.choice(self.living())
        worker.store.database.stalled = asyncio.get_running_loop().time() + self.rng.uniform(0.5, 9)

    async def stall_all(self) -> None:
        until = asyncio.get_running_loop().time() + self.rng.uniform(0.5, 9)
        for worker in self.living():
            worker.store.database.stalled = until

    async def cut_network(self) -> None:
        self.network.down = True
        await asyncio.sleep(self.rng.uniform(0.5, 8))
        self.network.restore()

    async def heal(self) -> None:
        """End all faults, and let everybody stay."""
        self.faults_end = asyncio.get_running_loop().time()
        self.network.lost = self.network.late = self.network.doubled = 0.0
        self.network.restore()
        for worker in self.living():
            worker.store.database.failures = 0.0
            worker.store.database.stalled = min(worker.store.database.stalled, self.faults_end)
        for person in self.people:
            person.vanishing = person.sluggish = 0.0

    # Checks.

    def check(self) -> None:
        """Compare what people have received with what is stored."""
        for wrong in self.witness.wrong:
            self.fail("stored" if "answered with" in wrong else "seen", wrong)
        for match, events in self.disk.stored.items():
            if [event.version for event in events] != list(range(1, len(events) + 1)):
                self.fail("stored", f"{match} has gaps")
            requests = Counter(event.request for event in events if event.request)
            if doubled := [request for request, count in requests.items() if count > 1]:
                self.fail("stored", f"{match} stored twice: {doubled}")
            self.check_replay(match)
        for (match, id), version in self.witness.accepted.items():
            if self.witness.asked.get((match, id), {}).get("type") in ("act", "take_back"):
                stored = self.disk.stored[match][version - 1 : version]
                if not stored or not stored[0].request.endswith(f":{id}"):
                    self.fail("stored", f"{id} was accepted as {version} of {match}, which is {stored}")
        for person in self.people:
            last = len(self.disk.stored[person.match])
            if person.receiver.version != last:
                at = person.receiver.version
                self.fail("seen", f"{person.name} is at {at} of {person.match}, which is at {last}")
            if person.now.get("status") == "playing":
                self.check_progress(person.match)
        if self.kind == "calm" and (asked := [p for p, count in self.decisions.items() if count > 1]):
            self.fail("bots", f"decided more than once: {asked}")

    def check_progress(self, match: str) -> None:
        """At every table somebody can act: people act while the world heals, and so must bots."""
        last = max(time for (name, _), time in self.disk.times.items() if name == match)
        if last < self.faults_end:
            self.fail(
                "running", f"{match} stands still since {last:.1f}, the faults ended at {self.faults_end:.1f}"
            )

    def check_replay(self, match: str) -> None:
        """Replay a match: bots and hand-overs carry a lease, and only a player who is late is replaced."""
        state = Match()
        for stored in self.disk.stored[match]:
            event = read_event(stored.body)
            table = state.play
            if isinstance(event, Event) and table is not None and not stored.request:
                where = f"version {stored.version} of {match} ({event.action} of seat {event.seat})"
                if self.disk.leased[match, stored.version] is None:
                    self.fail("clocks", f"{where} was stored without a lease")
                if event.action.startswith("bot "):
                    waited = stored.time - state.turn_time
                    by_clock = bool(state.settings.clock) and table.to_act == event.seat
                    if not ((by_clock and waited >= state.settings.clock - 0.001) or state.settings.grace):
                        self.fail("clocks", f"{where} replaces a player after {waited:.1f} s")
                elif not table.bot_of(event.seat):
                    self.fail("clocks", f"{where} is an action of nobody")
            hidden = msgspec.json.decode(stored.hidden, type=Hidden) if stored.hidden else Hidden()
            state.apply(MatchEvent(event, hidden), stored.time)


@contextmanager
def seeded_secrets(seed: int) -> Iterator[None]:
    """Let the seed determine ids, tokens and dice."""
    rng = random.Random(f"secrets {seed}")
    with (
        mock.patch.object(secrets, "token_bytes", lambda size=32: rng.randbytes(size)),
        mock.patch.object(secrets, "token_hex", lambda size=32: rng.randbytes(size).hex()),
        mock.patch.object(
            secrets,
            "token_urlsafe",
            lambda size=32: "".join(rng.choices(string.ascii_letters, k=size * 4 // 3)),
        ),
    ):
        yield


def run_world(seed: int) -> World:
    """Run the world of a seed. :raises Violation: if something that must always hold does not."""
    world = World(seed)
    state = random.getstate()
    random.seed(seed)
    logging.getLogger("escadaria").setLevel(logging.CRITICAL)
    try:
        with seeded_secrets(seed):
            loop.run(world.run())
    finally:
        random.setstate(state)
        logging.getLogger("escadaria").setLevel(logging.NOTSET)
    return world
