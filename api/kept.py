"""Values that are costly to compute, kept while what they were computed from has not changed."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")

SHORT_SECONDS = 0.02
"""Who could have an old value waits for a new one only if the old one took no longer than that."""
QUICK_SECONDS = 0.25
THREAD = "kept"
"""The name of the threads in which values are computed."""
PATIENCE = 20
"""A value that took longer than `QUICK_SECONDS` is kept that many times as long, even if its mark has changed."""


class Found(NamedTuple, Generic[Value]):
    """A value, and whether a newer one is being computed; None where there is no old one either."""

    value: Value | None
    computing: bool


class _Old(NamedTuple, Generic[Value]):
    mark: Hashable
    value: Value
    took: float
    until: float  # Kept so long even if its mark has changed.


class Kept(Generic[Value]):
    """The newest values by key, each with the mark of what it was computed from.

    Nobody waits long: a value that takes its time is computed in a thread of its own, once for all who ask, and until
    it is there they get the one before. Where that took long, they do not wait at all.
    """

    def __init__(self, size: int = 256, at_once: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = size
        self._slots = threading.BoundedSemaphore(at_once)
        self._clock = clock
        self._values: OrderedDict[Hashable, _Old[Value]] = OrderedDict()
        self._under_way: dict[Hashable, Future[Value]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, mark: Hashable, compute: Callable[[], Value], *, wait: float | None) -> Found[Value]:
        """The value of *key* for *mark*, waiting at most *wait* seconds, or for ever. Raises what *compute* raises."""
        with self._lock:
            old = self._values.get(key)
            if old is not None and old.mark == mark:
                self._values.move_to_end(key)
                return Found(old.value, False)
            if old is not None and self._clock() < old.until:
                return Found(old.value, True)
            under_way = self._under_way.get(key) or self._begin(key, mark, compute)
        if old is not None and wait is not None and old.took > SHORT_SECONDS:
            wait = 0
        try:
            return Found(under_way.result(wait), False)
        except TimeoutError:
            return Found(None if old is None else old.value, True)

    def _begin(self, key: Hashable, mark: Hashable, compute: Callable[[], Value]) -> Future[Value]:
        under_way: Future[Value] = Future()
        self._under_way[key] = under_way
        work = threading.Thread(target=self._compute, args=(key, mark, compute, under_way), name=THREAD, daemon=True)
        work.start()  # A daemon: the service does not wait for it when it is told to stop.
        return under_way

    def _compute(self, key: Hashable, mark: Hashable, compute: Callable[[], Value], under_way: Future[Value]) -> None:
        try:
            with self._slots:
                begun = self._clock()
                value = compute()
                took = self._clock() - begun
        except BaseException as error:
            with self._lock:
                del self._under_way[key]
            under_way.set_exception(error)
            return
        with self._lock:
            del self._under_way[key]
            until = begun + took + (PATIENCE * took if took > QUICK_SECONDS else 0)
            self._values[key] = _Old(mark, value, took, until)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        under_way.set_result(value)
