"""What a bot is asked, the same whether it comes over the wire or from a match in this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Generic, TypeVar

from rummy.rules.actions import Action
from rummy.rules.game import Event, Game, Phase, View
from rummy.rules.match import Match

T = TypeVar("T")


class once(Generic[T]):
    """A property that is computed at first use; `functools.cached_property` takes a lock for it before Python 3.12."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: object = None) -> T:
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


class Question(ABC):
    """A decision of one seat: everything that the seat may know, each part made when it is first looked at."""

    match: int
    """The match, by a number that means nothing but sameness."""
    deal: int
    """The deal of the match, from 0."""
    ply: int
    """Actions so far in the deal."""
    phase: Phase
    """What kind of answer is wanted."""
    seed: int
    """The seat's own random number, the same for the whole match."""
    limit_ms: int
    """Time for this decision; 0 where nobody counts it."""
    bank_ms: int
    """Time in reserve, for the whole match."""
    last_us: int
    """What the seat was charged for its last decision, in microseconds; 0 where nobody counts it."""
    last_wait_us: int
    """How long that decision was open, in microseconds."""

    @once
    @abstractmethod
    def game(self) -> Game:
        """The rules, with their options."""

    @once
    @abstractmethod
    def view(self) -> View:
        """What the seat can see."""

    @once
    @abstractmethod
    def legal(self) -> Sequence[Action]:
        """Actions that the rules accept: all simple ones, the minimal melds, the single lay-offs."""

    @once
    @abstractmethod
    def fallback(self) -> Action:
        """What is played where the bot does not answer."""

    @once
    @abstractmethod
    def events(self) -> Sequence[Event]:
        """What has happened in this match that the bot has not been told of."""

    @once
    def random(self) -> Random:
        """Randomness that is the same whenever this very decision is asked again, also of another process."""
        return Random(self.seed << 64 | self.deal << 32 | self.ply)


class LocalQuestion(Question):
    """The open decision of a match in this process. To be looked at before the match goes on."""

    limit_ms = 0
    bank_ms = 0
    last_us = 0
    last_wait_us = 0

    def __init__(self, number: int, match: Match, seed: int, told: int) -> None:
        assert match.decision is not None
        self._match = match
        self._told = told
        self.match, self.deal, self.ply, self.seed = number, match.deal, match.ply, seed
        self._seat, self.phase = match.decision

    @once
    def game(self) -> Game:
        return self._match.game

    @once
    def view(self) -> View:
        return self._match.view(self._seat)

    @once
    def legal(self) -> Sequence[Action]:
        return tuple(self._match.legal_actions())

    @once
    def fallback(self) -> Action:
        return self._match.default_action()

    @once
    def events(self) -> Sequence[Event]:
        return [event.seen_by(self._seat) for event in self._match.events[self._told :]]
