"""Fixtures that many tests share: real servers, started once a run, and a fresh database for each test that asks."""

import itertools
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pytest
import redis

from rummy.embedded import folders
from rummy.embedded.postgres import OWNER, PostgresServer
from rummy.embedded.valkey import ValkeyServer
from rummy.store import db, migrate

pytest_plugins = ["world"]  # A small league in a database of its own.

_numbers = itertools.count(1)


def pytest_configure() -> None:
    """A run in a shell's background, or by nohup, inherits ignored signals, and so would all that it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)  # This process stays; what it starts has the default.


@pytest.fixture(scope="session")
def arena_folders() -> Iterator[tuple[Path, Path]]:
    """A data and a run folder for the servers of this test run."""
    data = Path(tempfile.mkdtemp(prefix="arena-test-"))
    data.chmod(0o711 if os.geteuid() == 0 else 0o700)  # pytest's own folders are closed to the servers' user.
    run = folders.make_run(data)
    yield data, run
    shutil.rmtree(data)
    shutil.rmtree(run)


@pytest.fixture(scope="session")
def postgres(arena_folders: tuple[Path, Path]) -> Iterator[PostgresServer]:
    """A running PostgreSQL server."""
    data, run = arena_folders
    server = PostgresServer(data, run, data / "postgres.log", perishable=True)
    server.prepare()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def valkey(arena_folders: tuple[Path, Path]) -> Iterator[ValkeyServer]:
    """A running Redis-protocol server."""
    data, run = arena_folders
    server = ValkeyServer(data, run, data / "valkey.log")
    server.prepare()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def empty_database(postgres: PostgresServer) -> Iterator[str]:
    """The owner's address of a new database without any table."""
    yield from _fresh_database(postgres, "template1")


@pytest.fixture(scope="session")
def migrated_template(postgres: PostgresServer) -> str:
    """The name of a database with all tables, from which others are copied."""
    name = "arena_template"
    with psycopg.connect(postgres.url(database="postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    with db.connect(postgres.url(database=name)) as connection:
        migrate.migrate(connection)
    return name


@pytest.fixture
def database_url(postgres: PostgresServer, migrated_template: str) -> Iterator[str]:
    """The owner's address of a new database with all tables and no rows."""
    yield from _fresh_database(postgres, migrated_template)


@pytest.fixture
def redis_url(valkey: ValkeyServer) -> str:
    """The address of an empty Redis-protocol server, in the form that Celery takes."""
    parts = urlsplit(valkey.url)
    with redis.Redis(unix_socket_path=unquote(parts.path), password=parts.password) as client:
        client.flushall()
    return valkey.url


def _fresh_database(postgres: PostgresServer, template: str) -> Iterator[str]:
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres.url(database="postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" OWNER "{OWNER}"')
        yield postgres.url(database=name)
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
