"""The operator's way to the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from rummy.settings import Settings
from rummy.store.db import Database


@contextmanager
def opened() -> Iterator[Database]:
    """The database that the environment names. Raises `SettingsError`, `StoreUnavailable`."""
    settings = Settings.from_environment().need("database_url")
    with Database(settings.database_url, size=1, name="arena command") as database:
        yield database
