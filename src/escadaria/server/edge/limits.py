"""Rate limits: a token bucket for each address and kind of request."""

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

from escadaria.match.clock import Clock
from escadaria.refusals import Refused
from escadaria.server import metrics
from escadaria.settings import Settings

Kind = Literal[
    "requests", "connections", "frames", "writes", "hints", "tables", "bytes", "work", "probes"
]  # fmt: skip
"""HTTP requests, new connections, WebSocket frames including control frames, stored events, hints, opened
tables, received bytes, seconds of computing, and requests for health, readiness and metrics."""

KINDS: tuple[Kind, ...] = get_args(Kind)

_MAX_BUCKETS = 50_000  # in memory; the least recently used is evicted
_MIN_SAVED_SECONDS = 10.0  # a bucket that is full again sooner is not saved


class Bucket:
    """A token bucket: allows ``burst`` at once and ``rate`` per second on average."""

    __slots__ = ("burst", "clock", "level", "rate", "seen", "spent")

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self.clock = clock
        self.level = burst
        self.seen = clock()
        self.spent = 0.0
        """The amount taken since the last exchange with the other servers."""

    def take(self, amount: float = 1.0) -> bool:
        """Take an amount if allowed, and return whether it was.

        An amount above ``burst`` needs a full bucket and makes its level negative.
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
        self.spent += amount
        return True

    def charge(self, amount: float) -> None:
        """Take an amount unconditionally; a negative amount is a refund."""
        now = self.clock()
        level = min(self.burst, self.level + (now - self.seen) * self.rate)
        self.level = min(self.burst, level - amount)
        self.seen = now
        self.spent += amount

    def wait(self, amount: float = 1.0) -> float:
        """Seconds until the amount is allowed."""
        missing = min(amount, self.burst) - self.level
        return max(0.0, missing / self.rate - (self.clock() - self.seen)) if self.rate > 0 else 3600.0

    @property
    def full(self) -> bool:
        """Whether the bucket has filled up, so that it need not be remembered."""
        return self.wait(self.burst) <= 0


class Limits:
    """The rate limits of all addresses, with a bucket for each kind.

    An address is an IPv4 address or the /64 network of an IPv6 address. Only keyed hashes of addresses are
    stored. Full buckets are removed, and the number of buckets is bounded.
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
        """The key for hashing addresses; ``load`` replaces it by the stored one."""
        self._buckets: OrderedDict[tuple[str, Kind], Bucket] = OrderedDict()
        self._changed: set[tuple[str, Kind]] = set()

    def take(self, address: str, kind: Kind, amount: float = 1.0) -> None:
        """Take an amount from an address's bucket; see ``Bucket.take``.

        :raises Refused: ``too_fast``, with ``retry_after``.
        """
        if not self.allows(address, kind, amount):
            wait = self._bucket(address, kind).wait(amount)
            raise Refused("too_fast", f"too many {kind} from this address, wait", wait)

    def allows(self, address: str, kind: Kind, amount: float = 1.0) -> bool:
        """Take an amount if allowed, and return whether it was."""
        allowed = self._bucket(address, kind).take(amount)
        if not allowed:
            metrics.LIMIT_HITS.labels(kind).inc()
        return allowed

    def charge(self, address: str, kind: Kind, amount: float) -> None:
        """Take an amount unconditionally, for costs that are known only afterwards."""
        self._bucket(address, kind).charge(amount)

    def _bucket(self, address: str, kind: Kind) -> Bucket:
        name = (address_key(address, self.key), kind)
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = Bucket(*self._budgets[kind], self._clock)
            if len(self._buckets) > _MAX_BUCKETS:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(name)
        self._changed.add(name)
        return bucket

    def sweep(self) -> None:
        """Remove full buckets."""
        for name in [name for name, bucket in self._buckets.items() if bucket.full]:
            del self._buckets[name]

    # Persistence.

    def dump(self) -> tuple[dict[str, str], float]:
        """The buckets that changed since the last dump, as texts by name, and when these expire.

        Buckets that are nearly full are left out.
        """
        rows: dict[str, str] = {}
        longest = 0.0
        for name in self._changed:
            bucket = self._buckets.get(name)
            seconds = bucket.wait(bucket.burst) if bucket is not None else 0.0
            if bucket is not None and seconds > _MIN_SAVED_SECONDS:
                rows[f"{name[1]}:{name[0]}"] = f"{bucket.level:.3f} {bucket.seen:.3f}"
                longest = max(longest, seconds)
        self._changed.clear()
        return rows, self._clock() + longest

    # Other servers.

    def spent(self) -> tuple[dict[str, float], float]:
        """What was taken since the last call, by name, and when the buckets are full again.

        Buckets that are nearly full are left out: what they lost is reported together with the next losses.
        """
        spent: dict[str, float] = {}
        longest = 0.0
        for name in list(self._changed):
            bucket = self._buckets.get(name)
            seconds = bucket.wait(bucket.burst) if bucket is not None else 0.0
            if bucket is not None and seconds > _MIN_SAVED_SECONDS:
                spent[f"{name[1]}:{name[0]}"] = bucket.spent
                bucket.spent = 0.0
                longest = max(longest, seconds)
            elif bucket is not None and bucket.full:
                bucket.spent = 0.0
        self._changed.clear()
        return spent, self._clock() + longest

    def shared_level(self, spent: Mapping[str, float], now: float, name: str, value: str) -> str:
        """The stored value of a bucket that all servers share, after this server has taken from it."""
        rate, burst = self._budgets[_kind(name.partition(":")[0])]
        level, seen = burst, now
        with contextlib.suppress(ValueError):
            level, seen = map(float, value.split())
        return f"{min(burst, level + max(0.0, now - seen) * rate) - spent[name]:.3f} {now:.3f}"

    def give_back(self, spent: Mapping[str, float]) -> None:
        """Report these amounts again, since they could not be stored."""
        for text, amount in spent.items():
            kind, _, key = text.partition(":")
            if (bucket := self._buckets.get((key, _kind(kind)))) is not None:
                bucket.spent += amount
                self._changed.add((key, _kind(kind)))

    def settle(self, rows: Mapping[str, str]) -> None:
        """Lower the buckets to the stored levels, which all servers share. Unreadable rows are skipped."""
        now = self._clock()
        for text, value in rows.items():
            with contextlib.suppress(ValueError):
                kind, (level, seen) = _kind(text.partition(":")[0]), map(float, value.split())
                bucket = self._buckets.setdefault(
                    (text.partition(":")[2], kind), Bucket(*self._budgets[kind], self._clock)
                )
                bucket.charge(0)
                bucket.level = min(bucket.level, level + max(0.0, now - seen) * bucket.rate - bucket.spent)

    def load(self, rows: Mapping[str, str], key: bytes) -> None:
        """Restore dumped buckets and the key of their names. Unreadable rows are skipped."""
        self.key = key
        self.settle(rows)


def _kind(text: str) -> Kind:
    return KINDS[KINDS.index(text)]  # or ValueError


@functools.lru_cache(4096)
def address_key(address: str, key: bytes) -> str:
    """A keyed hash of an address, equal within an IPv6 /64 network. It does not reveal the address."""
    return hashlib.blake2b(subnet(address).encode(), key=key, digest_size=16).hexdigest()


def subnet(address: str) -> str:
    """The IPv4 address or the IPv6 /64 network; other texts are returned unchanged."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.IPv6Network((ip, 64), strict=False))
