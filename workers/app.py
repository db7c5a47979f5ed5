"""The Celery application. A message is only a wake-up: it names a fixture, and the database says what is to be done.

So nothing here decides about results. The settings were tried with Celery 5.7: with
`worker_cancel_long_running_tasks_on_connection_loss` messages were lost, and without the two `unacked_` options an
unacknowledged one is looked for only every hundred seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from celery import Celery
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from rummy.errors import BrokerUnavailable

PLAY_FIXTURE = "fixtures.play"
TURN_CALENDARS = "leagues.turn"
TURN_SECONDS = 2.0
FIXTURES, CALENDARS = "arena", "calendars"
"""Queues of a worker, which takes from both in turn: no calendar waits until thousands of fixtures are played."""
VISIBILITY_SECONDS = 60  # Far above a usual fixture. A longer one is delivered again, which ends at once.


def make_app(redis_url: str) -> Celery:
    """The application on the broker at *redis_url*; no result backend, nothing but JSON."""
    app = Celery("arena", broker=redis_url, set_as_current=False)
    app.conf.update(
        task_default_queue=FIXTURES,
        beat_schedule={
            "calendars": {
                "task": TURN_CALENDARS,
                "schedule": TURN_SECONDS,
                "options": {"queue": CALENDARS, "expires": 10 * TURN_SECONDS},
            }
        },
        result_expires=None,  # Nothing to clean up by the clock.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_SECONDS,
            "unacked_restore_interval": 2,
            "unacked_restore_throttle": 1,
        },
    )
    return app


def add_tasks(app: Celery, play: Callable[[int], None], turn: Callable[[], None]) -> None:
    """Makes *play* the task that plays a fixture, by its id, and *turn* the one that turns the leagues' calendars."""

    @app.task(name=PLAY_FIXTURE)  # type: ignore[untyped-decorator]
    def play_fixture(fixture_id: int) -> None:
        play(fixture_id)

    @app.task(name=TURN_CALENDARS)  # type: ignore[untyped-decorator]
    def turn_calendars() -> None:
        turn()


def wake(app: Celery, fixture_ids: Iterable[int], *, most: int) -> None:
    """Puts fixtures on the broker, in this order, as long as fewer than *most* messages wait there.

    On a machine too busy to follow up messages, those of later sweeps would otherwise pile up behind each other.
    Raises `BrokerUnavailable` where the broker does not answer.
    """
    with _broker_errors(), app.connection_for_write() as connection, app.amqp.Producer(connection) as producer:
        waiting = connection.default_channel.queue_declare(FIXTURES, durable=True).message_count
        for fixture_id in islice(fixture_ids, max(0, most - waiting)):
            app.send_task(PLAY_FIXTURE, args=[fixture_id], producer=producer, retry=False)


@contextmanager
def _broker_errors() -> Iterator[None]:
    try:
        yield
    except (OperationalError, RedisError, OSError) as error:
        raise BrokerUnavailable(f"the broker does not answer: {error}") from error
