"""The operator's way to the database."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rummy.settings import Settings
from rummy.store import db
from rummy.store.db import Database


@contextmanager
def opened() -> Iterator[Database]:
    """The database that the environment names. Raises `SettingsError`, `StoreUnavailable`."""
    settings = Settings.from_environment().need("database_url")
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # What fails is said once, in the error's sentence.
    with db.connect(settings.database_url):  # Says at once what is wrong; a pool would try for a while.
        pass
    with Database(settings.database_url, size=1, name="arena command") as database:
        yield database
