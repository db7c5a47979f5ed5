"""One match: asks, judges what comes back by the fault policy, and writes everything down.

A bot's first illegal or late answers are replaced by the default action of the phase, and recorded as strikes; one
strike too many, one death of its process too many, or an absence beyond the grace time forfeits the match.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from arbiter.clock import Purse, Terms
from arbiter.lane import Asked, Lane
from arbiter.metrics import Counts
from rummy.errors import BotDisconnected, BotIllegalAction, BotNeverStarted, BotTimeout, HostFault, IllegalAction
from rummy.rules.actions import Action, BigGin, Discard, Knock, Seat
from rummy.rules.game import MatchResult, Phase
from rummy.rules.match import Match
from rummy.rules.replay import Recorder
from rummy.wire.codec import Answer
from rummy.wire.encoder import SeatEncoder, rejection_part
from rummy.wire.v1 import table_pb2

_log = logging.getLogger(__name__)
MICROSECOND = 1_000_000
UNREAD = (0, 0)
"""What an answer took and how long it was waited for, in microseconds: noted with its first action, then zeros."""
ENDS_TURN = frozenset({Discard, Knock, BigGin})
LATE = {
    BotTimeout.cause: "No answer came within the limit and the bank.",
    BotDisconnected.cause: "The bot was away, and the time for its answer is over.",
}
UNOFFERED = "The bot's hello does not offer this game with these options."


@dataclass(frozen=True, slots=True)
class Policy:
    """What a fault costs: the strike, and the death of a process, that forfeit; and how long a bot may be away."""

    strikes: int = 3
    grace_seconds: float = 15.0
    deaths: int = 3


@dataclass(frozen=True, slots=True)
class Played:
    """A match that is over, and its replay."""

    result: MatchResult
    replay: bytes


class Chair:
    """One seat: the lane that plays it, and what it has left."""

    def __init__(self, referee: Referee, seat: Seat, lane: Lane, terms: Terms, encoder: SeatEncoder) -> None:
        self.seat = seat
        self.lane = lane
        self.open: Asked | None = None
        self.purse = Purse(terms)
        self.strikes = 0
        self.deaths = 0
        self.out = False
        policy = referee.policy
        self.grace = policy.grace_seconds
        self.start = encoder.start(
            terms.bank_ms, terms.increment_ms,
            strikes=policy.strikes, grace_seconds=policy.grace_seconds, deaths=policy.deaths,
        )  # fmt: skip
        self.encoder = encoder
        self.last = 0, 0  # What the last decision was charged, and how long it was open, in microseconds.
        self.reading = UNREAD
        self._referee = referee

    def answered(self, answer: Answer, share: float, wall: float) -> None:
        """Charges the time and plays the answer, unless the seat has left the match meanwhile."""
        self.last = self.reading = int(share * MICROSECOND), int(wall * MICROSECOND)
        try:
            self._referee.answered(self, answer, in_time=self.purse.charge(share))
        except Exception:
            self._referee.failed()

    def late(self, number: int, cause: str, wall: float) -> None:
        """Decision *number* is not waited for any longer: the bank is spent."""
        took_us = int(wall * MICROSECOND)
        self.last = self.reading = took_us, took_us
        self.purse.bank = 0.0
        try:
            self._referee.strike(self, number, cause, LATE[cause])
        except Exception:
            self._referee.failed()

    def question(self, number: int) -> bytes:
        """The part that asks decision *number*, which is the open one of the match."""
        return self.encoder.decision(number, round(self.purse.bank * 1000), *self.last)

    def begin_anew(self) -> None:
        """A stream begins, perhaps of a process that remembers nothing: it is told all from the match's beginning."""
        self.encoder.begin_anew()
        if self.open is not None:
            self.open.item = self.question(self.open.number)

    def died(self, cause: str, text: str) -> None:
        """Counts a death of the lane's process; one too many forfeits."""
        self.deaths += 1
        if self.deaths >= self._referee.policy.deaths:
            self._referee.forfeit(
                self, cause, f"The process has died {self.deaths} times in this match: {text.rstrip('.')}."
            )

    def gone(self, cause: str, text: str) -> None:
        """The lane has been away for too long."""
        self._referee.forfeit(self, cause, f"The bot is gone: {text.rstrip('.')}.")

    def void(self, text: str) -> None:
        """The arena has failed the match."""
        self._referee.void(text)


class Referee:
    """Drives one match over the lanes of its seats; `played` has its result, or a `HostFault`."""

    def __init__(
        self, number: int, match: Match, recorder: Recorder, lanes: Sequence[Lane], terms: Terms, policy: Policy,
        options: str, seeds: Sequence[int], counts: Counts,
    ) -> None:  # fmt: skip
        self.number = number
        self.match = match
        self.policy = policy
        self.played: asyncio.Future[Played] = asyncio.get_running_loop().create_future()
        self.decisions = 0
        self._recorder = recorder
        self._counts = counts
        self._chairs = [
            Chair(
                self, seat, lane, terms,
                SeatEncoder(number, match, seat, options=options, seed=seeds[seat], limit_ms=terms.limit_ms),
            )
            for seat, lane in enumerate(lanes)
        ]  # fmt: skip

    @property
    def lanes(self) -> list[Lane]:
        """Who plays, by seat."""
        return [chair.lane for chair in self._chairs]

    def begin(self) -> None:
        """Tells the bots of the match and asks the first question; a bot that is not here has lost already."""
        for chair in self._chairs:
            chair.lane.join(self.number, chair)
        self._ask()
        for chair in self._chairs:
            if chair.lane.connection is None:
                chair.gone(chair.lane.gone_cause, chair.lane.gone_text)
            elif not chair.lane.plays(self.match.game.spec.key, chair.encoder.options):
                self.forfeit(chair, BotNeverStarted.cause, UNOFFERED)

    def answered(self, chair: Chair, answer: Answer, *, in_time: bool) -> None:
        """Plays the actions of *answer* one by one until one fails: a strike, and the rest is dropped."""
        if chair.out or self.played.done():
            return
        if not in_time:
            self.strike(chair, answer.number, BotTimeout.cause, LATE[BotTimeout.cause])
            return
        fault = answer.fault or self._play(chair, answer)
        if fault:
            self.strike(chair, answer.number, BotIllegalAction.cause, fault)
        else:
            self._go_on()

    def strike(self, chair: Chair, number: int, cause: str, reason: str) -> None:
        """Plays the default action in place of an answer, or forfeits where it is one strike too many."""
        if chair.out or self.played.done():
            return
        chair.strikes += 1
        self._counts.strikes[cause] += 1
        _log.info("A strike: %s", _plain(reason), extra=self._about(chair, cause))
        chair.lane.tell(rejection_part(self.number, number, reason, chair.strikes))
        if chair.strikes >= self.policy.strikes:
            self.forfeit(chair, cause, reason)
            return
        action = self.match.default_action()
        self.match.apply(action)
        self._record(chair, action, cause)
        self._go_on()

    def forfeit(self, chair: Chair, cause: str, reason: str) -> None:
        """Takes the seat out of the match, which goes on where two others are left."""
        if chair.out or self.played.done():
            return
        chair.out = True
        if chair.seat in self.match.active:
            self._withdraw()
            self._counts.forfeits[cause] += 1
            _log.info("A forfeit: %s", _plain(reason), extra=self._about(chair, cause))
            self.match.forfeit(chair.seat, cause)
            self._recorder.forfeit(chair.seat, cause, _plain(reason))
            self._go_on()

    def failed(self) -> None:
        """Called for an error that should never be: it ends this match, at nobody's cost, and no other."""
        _log.exception("A match has failed by a fault of the arena.", extra={"match": self.number})
        self.void("This match has failed by a fault of the arena; its log says why.")

    def void(self, text: str) -> None:
        """Ends the match without a result."""
        if self.played.done():
            return
        self._counts.matches["void"] += 1
        _log.info("The match is void: %s", _plain(text), extra={"match": self.number})
        self.played.set_exception(HostFault(text))
        self._withdraw()
        end = table_pb2.MatchEnd(match=self.number, reason=f"void: {text}")
        self._close([table_pb2.ToBot(ends=[end]).SerializeToString()] * len(self._chairs))

    def _play(self, chair: Chair, answer: Answer) -> str | None:
        """What is wrong with the first action that the rules refuse; None where all were played."""
        match, deal = self.match, self.match.deal
        for action in answer.actions:
            if match.deal != deal or match.decision is None or match.decision.seat != chair.seat:
                self._surplus(chair, answer)
                break
            try:
                match.apply(action)
            except IllegalAction as error:
                return error.reason
            self._record(chair, action)
            asked = match.decision
            if action.__class__ in ENDS_TURN and (asked is None or asked.phase is not Phase.GO_OUT):
                deal = -1  # Whoever is asked next.
        return None

    def _record(self, chair: Chair, action: Action, fault: str | None = None) -> None:
        (took_us, wait_us), chair.reading = chair.reading, UNREAD
        self._recorder.action(chair.seat, action, took_us=took_us, wait_us=wait_us, fault=fault)

    def _surplus(self, chair: Chair, answer: Answer) -> None:
        reason = "The turn had ended before the last actions of this answer: they were dropped."
        chair.lane.tell(rejection_part(self.number, answer.number, reason, chair.strikes))

    def _go_on(self) -> None:
        if self.match.result is None:
            self._ask()
        elif not self.played.done():
            self._finish()

    def _ask(self) -> None:
        decision = self.match.decision
        assert decision is not None
        chair = self._chairs[decision.seat]
        self.decisions += 1
        chair.open = asked = Asked(self.decisions, chair.question(self.decisions))
        chair.lane.ask(asked)
        for other in self._chairs:
            if other.lane.pushes and other is not chair:
                other.lane.tell(other.encoder.news())

    def _withdraw(self) -> None:
        for chair in self._chairs:
            if chair.open is not None:
                asked, chair.open = chair.open, None
                chair.lane.withdraw(asked)

    def _finish(self) -> None:
        assert self.match.result is not None
        self._counts.matches["finished"] += 1
        self._close([chair.encoder.end() for chair in self._chairs])
        self.played.set_result(Played(self.match.result, self._recorder.finish()))

    def _close(self, ends: Sequence[bytes]) -> None:
        for chair, end in zip(self._chairs, ends, strict=True):
            chair.lane.tell(end)
            chair.lane.leave(self.number)

    def _about(self, chair: Chair, cause: str) -> dict[str, object]:
        return {"match": self.number, "seat": chair.seat, "bot": chair.lane.name, "cause": cause}


def _plain(text: str) -> str:
    """*text* as a replay can hold it: what a process has written may be anything."""
    return text.encode("ascii", "backslashreplace").decode("ascii")[:500]
