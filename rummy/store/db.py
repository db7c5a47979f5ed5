"""The one way to PostgreSQL: a pool of connections, transactions, and its failures as errors of ours.

Everything in `rummy.store` takes a connection and runs inside the caller's transaction. Asyncio services call it in a
thread (`asyncio.to_thread`): one set of functions serves all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from rummy.errors import StoreUnavailable

Connection = psycopg.Connection[tuple[Any, ...]]


class Database:
    """A pool of at most *size* connections to *url*, made as they are needed."""

    def __init__(self, url: str, *, size: int = 8, name: str = "arena", wait_seconds: float = 10.0) -> None:
        self.url = url
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=0,
            max_size=size,
            timeout=wait_seconds,
            kwargs={"application_name": name},
            configure=_configure,
            check=ConnectionPool.check_connection,
            open=True,
        )

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection inside a transaction, committed at the end of the block, rolled back where it raises.

        Raises `StoreUnavailable` where PostgreSQL does not answer, or has broken the transaction off.
        """
        try:
            with self._pool.connection() as connection, connection.transaction():
                yield connection
        except (PoolTimeout, PoolClosed, psycopg.OperationalError) as error:
            raise StoreUnavailable(f"the database does not answer: {_first_line(error)}") from error

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _configure(connection: Connection) -> None:
    """A row at random costs little more than the next, on the disks of today and in memory: indexes are worth it."""
    connection.execute("SET random_page_cost = 1.1")
    connection.commit()


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """A connection of its own in autocommit, for migrations and listeners. Raises `StoreUnavailable`."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise StoreUnavailable(f"the database does not answer: {_first_line(error)}") from error


def now(tx: Connection) -> datetime:
    """The database's clock, which all that hold leases share."""
    row = tx.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment


def is_text(text: str) -> bool:
    """Whether PostgreSQL can hold *text*; what it cannot hold is nobody's name."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
