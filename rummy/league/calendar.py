"""The calendar of a league: when each season begins, and until when one may enter or leave. All times are aware."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from rummy.errors import LeagueError

SHORTEST, LONGEST = timedelta(seconds=10), timedelta(days=3660)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """Seasons from 0, one after the other, each *every* after the one before.

    Entries and withdrawals for a season are accepted for *window* before it begins, for the first one from the
    beginning of the league, and until *freeze* before it begins. Who plays, and with which version, is settled then.
    """

    created_at: datetime
    begins_at: datetime
    every: timedelta
    window: timedelta
    freeze: timedelta
    seasons: int  # How many; 0 for no end.

    def begins(self, season_no: int) -> datetime:
        """When the season begins."""
        return self.begins_at + season_no * self.every

    def opens(self, season_no: int) -> datetime:
        """From when one may enter and leave for the season."""
        return self.begins(season_no) - self.window if season_no else self.created_at

    def freezes(self, season_no: int) -> datetime:
        """From when one may not any more."""
        return self.begins(season_no) - self.freeze

    def next_to_freeze(self, now: datetime) -> int | None:
        """The first season that is not frozen yet at *now*; None where the last one is."""
        number = max(0, (now - self.freezes(0)) // self.every + 1)
        return None if self.seasons and number >= self.seasons else number

    def open_for(self, now: datetime) -> int:
        """The season for which one may enter and leave at *now*. Raises `LeagueError`, which says when the next is."""
        number = self.next_to_freeze(now)
        if number is None:
            raise LeagueError(f"the last season, number {self.seasons}, is settled: nobody enters or leaves any more")
        if now < self.opens(number):
            settled = f"season {number} was settled at {utc(self.freezes(number - 1))}; " if number else ""
            raise LeagueError(
                f"nobody enters or leaves now: {settled}for season {number + 1} that is from "
                f"{utc(self.opens(number))} to {utc(self.freezes(number))}"
            )
        return number

    def check(self) -> None:
        """Raises `LeagueError` for times that contradict each other, or that are past."""
        if self.begins_at <= self.created_at:
            raise LeagueError(
                f"the first season would have begun at {utc(self.begins_at)}: it is {utc(self.created_at)}"
            )
        if not SHORTEST <= self.every <= LONGEST:
            raise LeagueError(f"a season takes from {SHORTEST} to {LONGEST}, not {self.every}")
        if self.freeze < timedelta() or self.freeze >= self.every:
            raise LeagueError(f"the freeze of {self.freeze} must be shorter than a season, which takes {self.every}")
        if self.window <= self.freeze:
            raise LeagueError(
                f"entries would close, {self.freeze} before a season, no later than they open: {self.window}"
            )
        if self.window > self.every:
            raise LeagueError(f"entries open at most a season of {self.every} before one begins, not {self.window}")
        if self.freezes(0) <= self.created_at:
            raise LeagueError(
                f"the first season would have been settled at {utc(self.freezes(0))}: it is {utc(self.created_at)}"
            )
        if self.begins_at - self.created_at > LONGEST:
            raise LeagueError(
                f"the first season begins at most {LONGEST.days} days from now, not on {utc(self.begins_at)}"
            )
        if self.seasons < 0:
            raise LeagueError(f"a league has at least one season, or 0 for no end, not {self.seasons}")


def utc(moment: datetime) -> str:
    """*moment* for people."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
