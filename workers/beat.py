"""The clock of the leagues' calendars: Celery's beat, in a thread of each worker and without a file of its own.

So whoever is killed, as long as one worker lives the calendars are turned. What beat remembers is lost with it, and
nothing hangs on that: what is due follows from the database.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import Celery
from celery.beat import Scheduler, SchedulingError, Service

_log = logging.getLogger(__name__)


class _Quiet(Scheduler):  # type: ignore[misc]
    """Says a failure in a line: the broker is gone for a while, and the next beat comes in seconds."""

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Sends the task of *entry*."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            _log.warning("a beat was not sent: %s", error)


class Beat:
    """The thread, which ends with its process."""

    def __init__(self, app: Celery) -> None:
        self._service = Service(app, scheduler_cls=_Quiet, remote_control=False)
        self._thread = threading.Thread(target=self._service.start, name="beat", daemon=True)

    def start(self) -> None:
        """Beats from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Beats no more, from the next one on."""
        self._service.stop()
