"""How much one client may ask for: budgets per address that fill with time and are spent by requests."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import ipaddress
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from escadaria.refusals import Refused
from escadaria.server import metrics
from escadaria.server.clock import Clock
from escadaria.server.settings import Settings

Kind = Literal[
    "requests", "connections", "frames", "writes", "hints", "tables", "bytes", "work", "probes"
]  # fmt: skip
"""What is counted: HTTP requests, new connections, WebSocket frames of every sort, stored events, hints,
tables opened, bytes received, seconds of computing, and requests for health, readiness and metrics."""

KINDS: tuple[Kind, ...] = get_args(Kind)

_MOST = 50_000  # buckets in memory; beyond, the one that was used least recently is forgotten
_WORTH_SAVING = 10.0  # a bucket that is full again in fewer seconds is not saved


class Bucket:
    """Allows ``burst`` at once and ``rate`` a second in the long run."""

    __slots__ = ("burst", "clock", "level", "rate", "seen")

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self.clock = clock
        self.level = burst
        self.seen = clock()

    def take(self, amount: float = 1.0) -> bool:
        """Whether so much is allowed now.

        What is larger than the bucket needs a full one and leaves a debt that is paid off with time.
        """
        now = self.clock()
        level = self.level + (now - self.seen) * self.rate
        self.seen = now
        if level > self.burst:
            level = self.burst
        if level < amount and level < self.burst:
            self.level = level
            return False
        self.level = level - amount
        return True

    def charge(self, amount: float) -> None:
        """Take so much, allowed or not; a negative amount gives back."""
        now = self.clock()
        level = min(self.burst, self.level + (now - self.seen) * self.rate)
        self.level = min(self.burst, level - amount)
        self.seen = now

    def wait(self, amount: float = 1.0) -> float:
        """Seconds until so much is allowed."""
        missing = min(amount, self.burst) - self.level
        return max(0.0, missing / self.rate - (self.clock() - self.seen)) if self.rate > 0 else 3600.0

    @property
    def full(self) -> bool:
        """Whether nothing was taken for so long that the bucket may be forgotten."""
        return self.wait(self.burst) <= 0


class Limits:
    """The budgets of all addresses, a bucket for each kind.

    An address is an IPv4 address or the /64 network of an IPv6 address. Addresses themselves are not kept,
    only keyed hashes of them. Full buckets are forgotten and the number of others is bounded.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._clock = clock.time
        self._budgets: dict[Kind, tuple[float, float]] = {
            "requests": (settings.requests_per_second, settings.requests_burst),
            "connections": (settings.connections_per_second, settings.connections_burst),
            "frames": (settings.address_frames_per_second, settings.address_frames_burst),
            "writes": (settings.writes_per_second, settings.writes_burst),
            "hints": (settings.hints_per_second, settings.hints_burst),
            "tables": (settings.tables_per_second, settings.tables_burst),
            "bytes": (settings.bytes_per_second, settings.bytes_burst),
            "work": (settings.work_per_second, settings.work_burst),
            "probes": (settings.probes_per_second, settings.probes_burst),
        }
        self.key = secrets.token_bytes(32)
        """What addresses are hashed with; ``load`` replaces it by the one of the last run."""
        self._buckets: OrderedDict[tuple[str, Kind], Bucket] = OrderedDict()
        self._changed: set[tuple[str, Kind]] = set()

    def take(self, address: str, kind: Kind, amount: float = 1.0) -> None:
        """Spend so much of an address's budget.

        An amount above the burst needs a full budget and leaves a debt.

        :raises Refused: ``too_fast``, with the seconds to wait in ``retry_after``.
        """
        bucket = self._bucket(address, kind)
        if not bucket.take(amount):
            metrics.LIMIT_HITS.labels(kind).inc()
            raise Refused("too_fast", f"too many {kind} from this address, wait", bucket.wait(amount))

    def allows(self, address: str, kind: Kind, amount: float = 1.0) -> bool:
        """Spend so much if it is there, and say whether it was."""
        allowed = self._bucket(address, kind).take(amount)
        if not allowed:
            metrics.LIMIT_HITS.labels(kind).inc()
        return allowed

    def charge(self, address: str, kind: Kind, amount: float) -> None:
        """Spend so much in any case, for what is known only afterwards; the budget may become a debt."""
        self._bucket(address, kind).charge(amount)

    def _bucket(self, address: str, kind: Kind) -> Bucket:
        name = (address_key(address, self.key), kind)
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = Bucket(*self._budgets[kind], self._clock)
            if len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(name)
        self._changed.add(name)
        return bucket

    def sweep(self) -> None:
        """Forget the addresses that have been silent."""
        for name in [name for name, bucket in self._buckets.items() if bucket.full]:
            del self._buckets[name]

    # Over a restart.

    def dump(self) -> tuple[dict[str, str], float]:
        """What has changed since the last dump, as texts by name, and when all of it is worth nothing.

        Buckets that are nearly full are as good as new and left out.
        """
        rows: dict[str, str] = {}
        longest = 0.0
        for name in self._changed:
            bucket = self._buckets.get(name)
            seconds = bucket.wait(bucket.burst) if bucket is not None else 0.0
            if bucket is not None and seconds > _WORTH_SAVING:
                rows[f"{name[1]}:{name[0]}"] = f"{bucket.level:.3f} {bucket.seen:.3f}"
                longest = max(longest, seconds)
        self._changed.clear()
        return rows, self._clock() + longest

    def load(self, rows: Mapping[str, str], key: bytes) -> None:
        """Go on from what earlier dumps saved, under the key of then. What cannot be read is passed over."""
        self.key = key
        now = self._clock()
        for text, value in rows.items():
            with contextlib.suppress(ValueError):
                kind = _kind(text.partition(":")[0])
                level, seen = map(float, value.split())
                bucket = Bucket(*self._budgets[kind], self._clock)
                bucket.level, bucket.seen = min(level, bucket.burst), min(seen, now)
                if not bucket.full:
                    self._buckets[text.partition(":")[2], kind] = bucket


def _kind(text: str) -> Kind:
    return KINDS[KINDS.index(text)]  # a ValueError if there is none


@functools.lru_cache(4096)
def address_key(address: str, key: bytes) -> str:
    """Stand for an address in memory and in the store: equal for one IPv4 address or one IPv6 /64 network.

    Without the key nobody can tell which address it was.
    """
    return hashlib.blake2b(network_of(address).encode(), key=key, digest_size=16).hexdigest()


def network_of(address: str) -> str:
    """The IPv4 address or the IPv6 /64 network, as text; anything else as it is."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.IPv6Network((ip, 64), strict=False))
