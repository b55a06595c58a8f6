"""What the store needs of a database, which ``sqlite`` and ``postgres`` provide: sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from escadaria.store import StoredEvent

ANSWER_SECONDS = 8.0
"""Calls older than this are refused; checked once a second."""

LOCK_SECONDS = 5.0
"""How long to wait for another server's lock."""


def first_line(error: Exception) -> str:
    """What an error of a driver says, without the statement and its values, which follow in other lines."""
    return str(error).partition("\n")[0] or type(error).__name__


class Session(Protocol):
    """One connection, used by one thread at a time; it raises the errors of its driver.

    Statements use ``?`` for parameters.
    """

    dialect: str
    """``sqlite`` or ``postgresql``."""

    conflict: type[Exception]
    """The integrity error of the driver: a row exists already, or its predecessor does not."""

    def begin(self) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def run(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, in the transaction if there is one, and return its rows."""

    def run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement that returns no rows, once for each row of parameters."""

    def add_events(self, events: Sequence[tuple[str, StoredEvent]]) -> None:
        """Insert events, each with its match, in the current transaction or in a new one."""

    def begin_snapshot(self) -> None:
        """Begin a read transaction that does not see later writes of others."""

    def stream(self, statement: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement in a transaction, and yield its rows."""

    def use_maintenance_timeouts(self) -> None:
        """Wait longer for locks, as maintenance may."""

    def vacuum(self) -> None:
        """Rewrite the database so that deleted data is physically gone. Not in a transaction."""

    def has_table(self, name: str) -> bool:
        """Whether the database has a table of this name."""

    def begin_migration(self) -> None:
        """Begin a transaction to migrate the tables; it waits while another server does so."""

    def lock(self) -> None:
        """Keep others from writing until the transaction ends."""

    def reserve(self) -> None:
        """Wait, in the transaction, for any lock that would block the insertion of events."""

    @property
    def broken(self) -> bool:
        """Whether the connection can no longer be used."""

    def interrupt(self) -> None:
        """Abort what the connection is doing. Called from another thread."""

    def close(self) -> None: ...


class Database(Protocol):
    """Opens sessions."""

    errors: tuple[type[Exception], ...]
    """The exceptions that its sessions raise."""

    migrating: bool
    """Whether :meth:`prepare` is creating or migrating tables, which may take long."""

    def prepare(self) -> bytes:
        """Create or migrate the tables, and return the key of the database."""

    def connect(self) -> Session: ...

    def close(self) -> None:
        """Release what :meth:`prepare` has opened."""
