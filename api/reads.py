"""The questions that pages and JSON ask, each answered in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from time import monotonic
from typing import Any, TypeVar

from api import frames, luck, schemas
from api.kept import Kept
from api.tables import PATIENCE_SECONDS, Tables
from rummy.errors import NotFound
from rummy.league import standings
from rummy.store import ladders, log, logtext, pages, rating_pages, references, waits
from rummy.store.db import Connection, Database
from rummy.store.ladders import Line

Found = TypeVar("Found")
Model = TypeVar("Model", bound=schemas.Model)

NEWEST = 2**63 - 1
MOST_ENTRIES = 2**31 - 1
LADDER_TOP = 10
VERSIONS = 100
RATING_STEPS = 1000
SHORT_SECONDS, LONG_SECONDS = 0.2, 1.0
ENDED = ("finished", "cancelled")
START = (-1, -1)


Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


class Reads:
    """What the dashboard knows. Raises `NotFound` for an id that names nothing, `StoreUnavailable` in an outage."""

    def __init__(self, database: Database, *, now: Clock = utc_now) -> None:
        self._database = database
        self._now = now
        self._tables = Tables(database)
        self._fitted: Kept[list[Line]] = Kept()
        self._luck: Kept[ladders.LadderLuck] = Kept()
        self._films: Kept[frames.Film] = Kept(size=8, at_once=4)

    def tournaments(self, *, before: int | None, limit: int) -> schemas.Page[schemas.Tournament]:
        """Tournaments, newest first."""
        with self._database.transaction() as tx:
            rows = pages.tournaments(tx, before=NEWEST if before is None else before, limit=limit + 1)
        return _page(schemas.Tournament, rows, limit, lambda row: str(row.tournament_id))

    def tournament(self, tournament_id: int) -> schemas.TournamentDetail:
        """One tournament with its entrants."""
        with self._database.transaction() as tx:
            row = _tournament(tx, tournament_id)
            entered = pages.entrants(tx, tournament_id)
            blocks, in_play = waits.blocks(tx, tournament_id), waits.in_play(tx, tournament_id)
        return _made(schemas.TournamentDetail, row, entered=entered, waits_for=blocks, in_play=in_play)

    def check_tournament(self, tournament_id: int) -> None:
        """Raises `NotFound` where there is none of that number."""
        with self._database.transaction() as tx:
            _head(tx, tournament_id)

    def log(
        self, tournament_id: int, *, before: int | None, limit: int, routine: bool
    ) -> schemas.Page[schemas.LogEntry]:
        """The log of a tournament, newest first; *routine* has what workers enter as it is played, too."""
        with self._database.transaction() as tx:
            _head(tx, tournament_id)
            before = MOST_ENTRIES if before is None else min(before, MOST_ENTRIES)
            found = log.newest(tx, tournament_id, before=before, limit=limit + 1, routine=routine)
        items = [
            schemas.LogEntry(
                entry=entry.entry_no, at=entry.at, who=entry.who, move=entry.move, why=entry.why, what=entry.said,
                text=logtext.sentence(entry), digest=entry.digest.hex(),
            )
            for entry in found[:limit]
        ]  # fmt: skip
        return schemas.Page[schemas.LogEntry](items=items, next=str(items[-1].entry) if len(found) > limit else None)

    def table(self, tournament_id: int) -> schemas.Table:
        """The standings of a tournament."""
        with self._database.transaction() as tx:
            row = _head(tx, tournament_id)
            entrants = {entrant.entrant_no: entrant for entrant in pages.entrants(tx, tournament_id)}
        found = self._tables.table(row)
        return schemas.Table(
            tournament_id=tournament_id,
            provisional=row.state not in ENDED,
            computing=found.computing,
            lines=[_line(line, entrants[line.entrant]) for line in found.value or []],
        )

    def fixtures(
        self, tournament_id: int, *, after: tuple[int, int] | None, state: str | None, limit: int
    ) -> schemas.Page[schemas.Fixture]:
        """Fixtures in the order of the schedule."""
        with self._database.transaction() as tx:
            _head(tx, tournament_id)
            rows = pages.fixtures(tx, tournament_id, after=after or START, state=state, limit=limit + 1)
        now = self._now()
        items = [_fixture(row, now) for row in rows[:limit]]
        last = f"{items[-1].round_no}.{items[-1].table_no}" if len(rows) > limit else None
        return schemas.Page[schemas.Fixture](items=items, next=last)

    def fixture(self, fixture_id: int) -> schemas.FixtureDetail:
        """One fixture."""
        with self._database.transaction() as tx:
            row = pages.fixture(tx, fixture_id)
            if row is None:
                raise NotFound(f"There is no fixture {fixture_id}.")
            played_in = _head(tx, row.tournament_id)
        return schemas.FixtureDetail(
            **_fixture(row, self._now()).model_dump(), tournament_id=row.tournament_id, tournament=played_in.name,
            game=played_in.game, options=played_in.options,
        )  # fmt: skip

    def ladders(self) -> list[schemas.Ladder]:
        """The best of every ladder."""
        with self._database.transaction() as tx:
            rows = rating_pages.ladders(tx, top=LADDER_TOP)
        errors = self._newest_errors({row.tournament_id for row in rows})
        return [
            schemas.Ladder(ladder=ladder, game=lines[0].game, options=lines[0].options, top=_top(lines, errors))
            for ladder, lines in _grouped(rows, lambda row: row.ladder)
        ]

    def ladder(self, name: str) -> schemas.LadderRatings:
        """Everybody in a ladder, with the joint fit once it is computed."""
        with self._database.transaction() as tx:
            mark = rating_pages.newest_change(tx), references.newest(tx)
            top = _top_of(tx, name)
        found = self._fitted.get(name, mark, lambda: ladders.fitted(self._database, name), wait=PATIENCE_SECONDS)
        return schemas.LadderRatings(
            ladder=name,
            game=top.game,
            options=top.options,
            computing=found.computing,
            lines=[_fitted_line(line) for line in found.value or self._unfitted(name)],
        )

    def check_ladder(self, name: str) -> None:
        """Raises `NotFound` where nothing is rated in it."""
        with self._database.transaction() as tx:
            _top_of(tx, name)

    def luck(self, name: str) -> luck.LadderLuck:
        """How much luck there is in the results of a ladder, once it is computed."""
        with self._database.transaction() as tx:
            mark = rating_pages.newest_change(tx), references.newest(tx)
            top = _top_of(tx, name)
        found = self._luck.get(name, mark, lambda: ladders.measured(self._database, name), wait=PATIENCE_SECONDS)
        return luck.answer(top, found)

    def _unfitted(self, name: str) -> list[Line]:
        with self._database.transaction() as tx:
            return [Line(row, row.place, None, None) for row in rating_pages.ladder(tx, name, top=ladders.MOST)]

    def bots(self, *, after: int, prefix: str, limit: int) -> schemas.Page[schemas.Bot]:
        """Bots by id, whose name begins with *prefix*."""
        with self._database.transaction() as tx:
            rows = pages.bots(tx, after=after, prefix=prefix, limit=limit + 1)
        self._add_errors(rows)
        return _page(schemas.Bot, rows, limit, lambda row: str(row.bot_id))

    def bot(self, bot_id: int) -> schemas.BotDetail:
        """One bot with its newest versions."""
        with self._database.transaction() as tx:
            row = _bot(tx, bot_id)
            versions = pages.versions(tx, bot_id, limit=VERSIONS)
        self._add_errors([row])
        return _made(schemas.BotDetail, row, versions=versions)

    def ratings(self, bot_id: int, *, limit: int = RATING_STEPS) -> schemas.BotRatings:
        """The newest steps of a bot's ratings."""
        with self._database.transaction() as tx:
            _bot(tx, bot_id)
            rows = rating_pages.ratings(tx, bot_id, limit=limit)
            played = pages.heads(tx, {row.tournament_id for row in rows})
        errors = self._errors_along(rows, played)
        ladders = [
            schemas.LadderHistory(
                ladder=ladder,
                game=steps[0].game,
                options=steps[0].options,
                points=[_point(step, errors) for step in steps],
            )
            for ladder, steps in _grouped(sorted(rows, key=lambda row: row.ladder), lambda row: row.ladder)
        ]
        return schemas.BotRatings(bot_id=bot_id, ladders=ladders)

    def bot_matches(self, bot_id: int, *, before: int | None, limit: int) -> schemas.Page[schemas.BotMatch]:
        """The matches of the newest *limit* finished fixtures of a bot."""
        with self._database.transaction() as tx:
            _bot(tx, bot_id)
            rows = pages.bot_matches(tx, bot_id, before=NEWEST if before is None else before, limit=limit)
        items = [_made(schemas.BotMatch, row) for row in rows]
        full = len({row.fixture_id for row in rows}) == limit
        return schemas.Page[schemas.BotMatch](items=items, next=str(rows[-1].fixture_id) if full else None)

    def match(self, match_id: int) -> schemas.Match:
        """One match of a finished fixture."""
        with self._database.transaction() as tx:
            row = pages.match(tx, match_id)
        if row is None:
            raise NotFound(f"There is no match {match_id}, or its fixture is still being played.")
        return _made(schemas.Match, row)

    def replay(self, match_id: int) -> bytes:
        """The replay of a match, byte for byte as it was recorded. Raises `ReplayMismatch` where it is damaged."""
        with self._database.transaction() as tx:
            packed = pages.replay(tx, match_id)
        if packed is None:
            self.match(match_id)
            raise NotFound(f"Match {match_id} cannot be shown yet: reference bots have yet to play its deals.")
        return frames.unpacked(packed)

    def film(self, match_id: int) -> frames.Film:
        """The replay of a match as positions. Raises `ReplayMismatch` where it does not replay."""
        digest = self.match(match_id).digest
        film = self._films.get((match_id, digest), None, lambda: frames.film(self.replay(match_id)), wait=None).value
        assert film is not None, "who waits for ever gets a value"
        return film

    def _add_errors(self, rows: Sequence[pages.BotRow]) -> None:
        """Gives each rating of *rows* its error, null where it is not known."""
        found = [rating for row in rows for rating in row.ratings]
        errors = self._newest_errors({rating["tournament_id"] for rating in found})
        for rating in found:
            rating["error"] = errors.get((rating["tournament_id"], rating["version_id"]))

    def _newest_errors(self, tournaments: set[int]) -> dict[tuple[int, int], float | None]:
        """By tournament and version: the error in the table, where it is known or soon is."""
        errors: dict[tuple[int, int], float | None] = {}
        with self._database.transaction() as tx:
            rows = [(row, pages.entrants(tx, row.tournament_id)) for row in pages.heads(tx, tournaments)]
        limit = monotonic() + LONG_SECONDS  # However many there are, nobody waits longer for the page.
        for row, entrants in rows:
            versions = {entrant.entrant_no: entrant.version_id for entrant in entrants}
            wait = max(min(SHORT_SECONDS, limit - monotonic()), 0)
            for line in self._tables.table(row, wait=wait).value or []:
                errors[row.tournament_id, versions[line.entrant]] = line.error
        return errors

    def _errors_along(
        self, steps: Sequence[rating_pages.RatingRow], played: Sequence[pages.HeadRow]
    ) -> dict[tuple[int, int, int], float]:
        """By tournament, round and entrant: the error of the rating after that round, where one is known."""
        last = {(step.tournament_id, step.entrant_no): step.round_no for step in steps}
        errors: dict[tuple[int, int, int], float] = {}
        for row in played:
            trace = self._tables.trace(row)
            end = max((round_no for round_no, _ in trace), default=0)
            for (round_no, entrant), error in trace.items():
                # A bot may sit out the last rounds: its last step is its standing at the end.
                at = last.get((row.tournament_id, entrant), round_no) if round_no == end else round_no
                errors[row.tournament_id, at, entrant] = error
        return errors


def _tournament(tx: Connection, tournament_id: int) -> pages.TournamentRow:
    row = pages.tournament(tx, tournament_id)
    if row is None:
        raise NotFound(f"There is no tournament {tournament_id}.")
    return row


def _head(tx: Connection, tournament_id: int) -> pages.HeadRow:
    found = pages.heads(tx, [tournament_id])
    if not found:
        raise NotFound(f"There is no tournament {tournament_id}.")
    return found[0]


def _top_of(tx: Connection, ladder: str) -> rating_pages.LadderRow:
    top = rating_pages.ladder(tx, ladder, top=1)
    if not top:
        raise NotFound(f"Nothing is rated in a ladder {ladder}.")
    return top[0]


def _bot(tx: Connection, bot_id: int) -> pages.BotRow:
    row = pages.bot(tx, bot_id)
    if row is None:
        raise NotFound(f"There is no bot {bot_id}.")
    return row


def _fixture(row: pages.FixtureRow, now: datetime) -> schemas.Fixture:
    missing = [seat for seat in row.seats if seat["absent"]] if row.state != "done" else []
    return _made(schemas.Fixture, row, missing=missing, waits_for=_waits_for(row, bool(missing), now))


def _waits_for(row: pages.FixtureRow, missing: bool, now: datetime) -> str:
    """What an unfinished fixture waits for; the names of missing bots follow the words."""
    if row.state == "done":
        return ""
    if missing:
        until = "" if row.waits_until is None else f" until {row.waits_until:%H:%M:%S} UTC"
        return f"waits{until} for a live bot to dial in:"
    if row.state == "running":
        assert row.lease_until is not None
        return "" if row.lease_until > now else "its worker has gone silent; waits for another"
    return "waits for a worker" if row.due_at <= now else f"waits until {row.due_at:%H:%M:%S} UTC"


def _line(line: standings.Standing, entrant: pages.EntrantRow) -> schemas.TableLine:
    names = [name for name in schemas.TableLine.model_fields if hasattr(line, name)]
    return _made(schemas.TableLine, entrant, **{name: getattr(line, name) for name in names})


def _top(
    lines: Sequence[rating_pages.LadderRow], errors: dict[tuple[int, int], float | None]
) -> list[schemas.LadderLine]:
    return [_made(schemas.LadderLine, line, error=errors.get((line.tournament_id, line.version_id))) for line in lines]


def _fitted_line(line: Line) -> schemas.LadderRating:
    strength = line.strength
    return _made(
        schemas.LadderRating,
        line.row,
        place=line.place,
        elo=line.row.rating,
        provisional=line.provisional,
        group=strength and strength.group,
        rating=strength and strength.rating,
        error=strength and strength.error,
        better_than_next=line.better_than_next,
    )


def _point(step: rating_pages.RatingRow, errors: dict[tuple[int, int, int], float]) -> schemas.RatingPoint:
    error = errors.get((step.tournament_id, step.round_no, step.entrant_no))
    return _made(schemas.RatingPoint, step, rating=step.after, error=error)


def _made(kind: type[Model], row: Any, **more: object) -> Model:
    """The model of a row, with what the row does not have."""
    given = {name: getattr(row, name) for name in kind.model_fields if name not in more}
    return kind.model_validate({**given, **more})


def _page(kind: type[Model], rows: Sequence[Any], limit: int, key: Callable[[Any], str]) -> schemas.Page[Model]:
    """A page of at most *limit*; one row more than that says that the list goes on."""
    items = [_made(kind, row) for row in rows[:limit]]
    return schemas.Page[kind](items=items, next=key(rows[limit - 1]) if len(rows) > limit else None)  # type: ignore[valid-type]


def _grouped(rows: Sequence[Found], key: Callable[[Found], str]) -> list[tuple[str, list[Found]]]:
    return [(name, list(group)) for name, group in groupby(rows, key)]
