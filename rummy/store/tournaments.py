"""Tournaments: made, entered, started, ended. The schedule comes from `rummy.league`; here it is checked and saved."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from rummy.errors import BadInput, Conflict, NotFound, TournamentClosed
from rummy.league.model import MOVES, Round, TournamentState, check_move
from rummy.league.pairing import find_format
from rummy.league.pairing.format import Field, check, check_options, check_table, lots, ranks
from rummy.league.ratings.elo import INITIAL
from rummy.league.schedule import commitment, draw_seed, practice_master, practice_nonce
from rummy.rules import canonical
from rummy.rules.games import find_game
from rummy.store import bots, log, matches, rounds, terms
from rummy.store.db import Connection
from rummy.store.log import By
from rummy.store.terms import COLUMNS, OnRecord, Plan

MAX_NONCE = 64
_ENDED = (TournamentState.FINISHED, TournamentState.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament(OnRecord):
    """One row."""

    drawn: bool  # Every round is saved.
    imported: bool  # Another arena has played it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a tournament is."""

    state: str
    fixtures: int  # In all, as far as known.
    running: int
    done: int
    rounds: int
    unrated: int  # Rounds that are yet to be rated; 0 for practice.


_TOURNAMENTS: LiteralString = f"""
    SELECT {COLUMNS}, t.drawn, t.imported_at IS NOT NULL AS imported FROM tournament t """
_CREATE: LiteralString = """
    INSERT INTO tournament (name, game, options, ladder, format, table_size, cycles, format_options, limit_ms, bank_ms,
                            increment_ms, faults, deadlines, commitment, rated, state, created_at)
    VALUES (%(name)s, %(game)s, %(options)s, %(ladder)s, %(format)s, %(table_size)s, %(cycles)s, %(format_options)s,
            %(limit_ms)s, %(bank_ms)s, %(increment_ms)s, %(faults)s, %(deadlines)s, %(commitment)s, %(rated)s,
            %(state)s, %(now)s)
    RETURNING tournament_id"""
_SEED: LiteralString = "INSERT INTO tournament_seed (tournament_id, master) VALUES (%(tournament_id)s, %(master)s)"


def create(
    tx: Connection, plan: Plan, *, by: By, now: datetime, master: bytes | None = None, draft: bool = False
) -> int:
    """A tournament that is open for entries, or still a draft; returns its id.

    *master* is for a practice run on the revealed seed of an earlier tournament. Raises `UnknownGame`, `BadOptions`,
    `LeagueError` or `BadInput`, which name what cannot be had.
    """
    game = find_game(plan.game, plan.options)
    values = terms.checked(plan, game)
    practice = plan.seed is not None or master is not None
    if master is None:
        master = secrets.token_bytes(32) if plan.seed is None else practice_master(plan.seed)
    state = TournamentState.DRAFT if draft else TournamentState.OPEN
    values |= {"commitment": commitment(master), "rated": not practice, "state": state.value, "now": now}
    row = tx.execute(_CREATE, {name: _column(value) for name, value in values.items()}).fetchone()
    assert row is not None
    tx.execute(_SEED, {"tournament_id": row[0], "master": master})
    told = {name: value.hex() if isinstance(value, bytes) else value for name, value in values.items() if name != "now"}
    log.append(tx, row[0], "created", told, by=by, now=now)
    return int(row[0])


def _column(value: object) -> object:
    return Jsonb(value) if isinstance(value, Mapping) else value


def check_plan(plan: Plan, versions: Sequence[bots.Version]) -> Field:
    """The field that *versions* would make in a tournament of *plan*, of which nothing is made.

    Raises what `create` and `add_entrant` would raise.
    """
    terms.checked(plan, find_game(plan.game, plan.options))
    for number, version in enumerate(versions):
        _check_fits(version, plan.game)
        if version.version_id in (other.version_id for other in versions[:number]):
            raise _twice(version, plan.name)
    options = check_options(find_format(plan.format), plan.format_options)
    return Field(entrants=len(versions), table_size=plan.table_size, cycles=plan.cycles, options=options)


def get(tx: Connection, tournament_id: int, *, lock: bool = False) -> Tournament:
    """The tournament of that id, with *lock* kept as it is until the transaction ends. Raises `NotFound`."""
    query: LiteralString = _TOURNAMENTS + "WHERE tournament_id = %(tournament_id)s"
    with tx.cursor(row_factory=class_row(Tournament)) as cursor:
        values = {"tournament_id": tournament_id}
        row = cursor.execute(query + " FOR NO KEY UPDATE" if lock else query, values).fetchone()
    if row is None:
        raise NotFound(f"there is no tournament {tournament_id}; 'arena tournament list' shows all")
    return row


def lock_for(tx: Connection, tournament_id: int, move: str) -> Tournament:
    """The tournament, kept as it is for *move* until the transaction ends: of two at once the second finds it changed.

    Raises `NotFound`, and what `check_move` raises where the move is not legal now.
    """
    tournament = get(tx, tournament_id, lock=True)
    check_move(move, tournament.name, TournamentState(tournament.state))
    return tournament


def list_all(tx: Connection, *, limit: int = 1000) -> list[Tournament]:
    """Tournaments, the newest first."""
    query: LiteralString = _TOURNAMENTS + "ORDER BY tournament_id DESC LIMIT %(limit)s"
    with tx.cursor(row_factory=class_row(Tournament)) as cursor:
        return cursor.execute(query, {"limit": limit}).fetchall()


_ENTER: LiteralString = """
    INSERT INTO entrant (tournament_id, entrant_no, version_id, nonce)
    VALUES (%(tournament_id)s, %(entrant_no)s, %(version_id)s, %(nonce)s)
    ON CONFLICT (tournament_id, version_id) DO NOTHING
    RETURNING entrant_no"""
_COUNT: LiteralString = "SELECT count(*) FROM entrant WHERE tournament_id = %(tournament_id)s"


def add_entrant(
    tx: Connection, tournament_id: int, version_id: int, *, by: By, now: datetime, nonce: bytes | None = None
) -> int:
    """Enters a bot version; returns its number, from 0. *nonce* is its public part in the seeds, random by default.

    Raises `TournamentClosed`, `Conflict` for a bot that is in already, `BadInput` for one that cannot play there.
    """
    tournament = lock_for(tx, tournament_id, "entered")
    refuse_of_league(tournament, f"enter the bot with 'arena league enter {tournament.league_id}'")
    version = bots.get(tx, version_id)
    _check_fits(version, tournament.game)
    entrant_no = _count(tx, tournament_id)
    if nonce is None:
        nonce = secrets.token_bytes(16) if tournament.rated else practice_nonce(entrant_no)
    values = {"tournament_id": tournament_id, "entrant_no": entrant_no, "version_id": version_id, "nonce": nonce}
    if tx.execute(_ENTER, values).fetchone() is None:
        raise _twice(version, tournament.name)
    told = {
        "entrant": entrant_no, "version": version_id, "name": version.title, "hosted": version.hosted,
        "nonce": nonce.hex(),
    }  # fmt: skip
    log.append(tx, tournament_id, "entered", told, by=by, now=now)
    return entrant_no


def refuse_of_league(tournament: Tournament, instead: str) -> None:
    """Raises `TournamentClosed` for a division of a league, where the league decides."""
    if tournament.league_id is not None:
        raise TournamentClosed(f"{tournament.name!r} is a division of league {tournament.league_id}: {instead}")


def _check_fits(version: bots.Version, game: str) -> None:
    if version.state != "ready":
        raise BadInput(f"{version.title} has been retired; enter a newer version")
    if not version.plays(game):
        raise BadInput(f"{version.title} does not play {game}; it plays: {', '.join(version.games)}")


def _twice(version: bots.Version, name: str) -> Conflict:
    return Conflict(f"{version.title} is in {name!r} already; each bot version enters once")


def _count(tx: Connection, tournament_id: int) -> int:
    row = tx.execute(_COUNT, {"tournament_id": tournament_id}).fetchone()
    assert row is not None
    return int(row[0])


_ENTRANTS: LiteralString = "SELECT version_id FROM entrant WHERE tournament_id = %(tournament_id)s ORDER BY entrant_no"


def entrants(tx: Connection, tournament_id: int) -> list[int]:
    """The version of each entrant, in the order of their numbers."""
    return [row[0] for row in tx.execute(_ENTRANTS, {"tournament_id": tournament_id}).fetchall()]


_IMPORTED_BOTS: LiteralString = "SELECT imported_bots FROM tournament WHERE tournament_id = %(tournament_id)s"


def imported_bots(tx: Connection, tournament_id: int) -> list[dict[str, Any]] | None:
    """The entrants of a tournament that another arena has played, as they are known there; None for one of here."""
    row = tx.execute(_IMPORTED_BOTS, {"tournament_id": tournament_id}).fetchone()
    return None if row is None else row[0]


def as_logged(tx: Connection, tournament_id: int) -> dict[int, int]:
    """By version that has entered: its number in the log, which is another where another arena has played it."""
    versions, there = entrants(tx, tournament_id), imported_bots(tx, tournament_id)
    if there is None:
        return {version: version for version in versions}
    return {version: bot["version_id"] for version, bot in zip(versions, there, strict=True)}


_REVEALED: LiteralString = "SELECT master FROM revealed_seed WHERE tournament_id = %(tournament_id)s"
_NONCES: LiteralString = "SELECT nonce FROM entrant WHERE tournament_id = %(tournament_id)s ORDER BY entrant_no"


def revealed(tx: Connection, tournament_id: int) -> tuple[bytes, list[bytes]]:
    """The master seed and the nonces of a tournament that has ended. Raises `Conflict` before that, `NotFound`."""
    tournament = get(tx, tournament_id)
    row = tx.execute(_REVEALED, {"tournament_id": tournament_id}).fetchone()
    if row is None:
        raise Conflict(f"the seed of {tournament.name!r} is shown once it has ended; it is {tournament.state}")
    return bytes(row[0]), [bytes(nonce) for (nonce,) in tx.execute(_NONCES, {"tournament_id": tournament_id})]


# The start is later than that of every tournament of the ladder: it fixes the order in which rounds are rated.
_START: LiteralString = """
    UPDATE tournament
       SET state = 'running', planned = %(planned)s, drawn = %(drawn)s,
           started_at = greatest(%(now)s, (SELECT max(started_at) + interval '1 microsecond'
                                             FROM tournament WHERE ladder = %(ladder)s))
     WHERE tournament_id = %(tournament_id)s"""
_LADDER_LOCK: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended('start ' || %(ladder)s, 0))"


def start(tx: Connection, tournament_id: int, *, by: By, now: datetime) -> int:
    """Closes entries, saves the schedule, or the first part of it, and lets it be played; returns its fixtures in all.

    Raises `BadTransition`, `NotEnoughEntrants`, `LeagueError` for too many fixtures.
    """
    tournament = lock_for(tx, tournament_id, "started")
    form = find_format(tournament.format)
    size = check(form, field_of(tx, tournament))
    tx.execute(_LADDER_LOCK, {"ladder": tournament.ladder})
    if ranks(form):
        _rank(tx, tournament)
    saved = rounds.save(tx, tournament_id, form.draw(field_of(tx, tournament), ()), now=now)
    drawn = not form.waits and len(saved) == size.rounds
    values = {"tournament_id": tournament_id, "ladder": tournament.ladder, "now": now}
    tx.execute(_START, {**values, "planned": size.fixtures, "drawn": drawn})
    told = {"ranking": [row[0] for row in tx.execute(_RANKING, values)], "planned": size.fixtures, "all": drawn}
    log.append(tx, tournament_id, "started", told, by=by, now=now)
    log_drawn(tx, tournament_id, saved, now=now)
    return size.fixtures


def log_drawn(tx: Connection, tournament_id: int, drawn: Sequence[Round], *, now: datetime) -> None:
    """Notes rounds that were saved: their numbers, and a digest over their tables."""
    told = {
        "first": drawn[0].number, "rounds": len(drawn), "fixtures": sum(len(each.tables) for each in drawn),
        "tables": tables_digest(drawn),
    }  # fmt: skip
    log.append(tx, tournament_id, "drawn", told, by=log.WORKER, now=now)


def tables_digest(drawn: Sequence[Round]) -> str:
    """SHA-256 in hex digits over the tables of *drawn*, which are entrants in seat order, as JSON."""
    return hashlib.sha256(canonical.dumps([[each.number, each.tables] for each in drawn])).hexdigest()


_STRENGTHS: LiteralString = """
    SELECT coalesce(r.rating, %(initial)s)
      FROM entrant e LEFT JOIN rating r ON r.ladder = %(ladder)s AND r.version_id = e.version_id
     WHERE e.tournament_id = %(tournament_id)s ORDER BY entrant_no"""
_RANK: LiteralString = """
    UPDATE entrant SET ranking = place - 1
      FROM unnest(%(ranking)s::int[]) WITH ORDINALITY AS ranked (number, place)
     WHERE tournament_id = %(tournament_id)s AND entrant_no = number"""


def _rank(tx: Connection, tournament: Tournament) -> None:
    """Settles who is ranked above whom: by rating, those alike by lot; or as they have entered."""
    values = {"tournament_id": tournament.tournament_id, "ladder": tournament.ladder, "initial": INITIAL}
    strengths = [float(row[0]) for row in tx.execute(_STRENGTHS, values)]
    ranking = list(range(len(strengths)))
    if tournament.format_options["seeding"] == "rating":
        ranking = lots(_draw_seed(tx, tournament.tournament_id), "ranking", len(strengths))
        if tournament.rated:  # In practice all begin alike, so that it repeats.
            ranking.sort(key=lambda entrant: -strengths[entrant])
    tx.execute(_RANK, {**values, "ranking": ranking})


_MASTER: LiteralString = "SELECT master FROM tournament_seed WHERE tournament_id = %(tournament_id)s"


def _draw_seed(tx: Connection, tournament_id: int) -> bytes:
    values = {"tournament_id": tournament_id}
    row = tx.execute(_MASTER, values).fetchone()
    assert row is not None
    return draw_seed(bytes(row[0]), [bytes(nonce) for (nonce,) in tx.execute(_NONCES, values)])


_RANKING: LiteralString = """
    SELECT entrant_no FROM entrant WHERE tournament_id = %(tournament_id)s AND ranking IS NOT NULL ORDER BY ranking"""


def field_of(tx: Connection, tournament: Tournament) -> Field:
    """From what the schedule of *tournament* is drawn, with those who have entered so far."""
    waits = find_format(tournament.format).waits
    return Field(
        entrants=_count(tx, tournament.tournament_id),
        table_size=tournament.table_size,
        cycles=tournament.cycles,
        options=tournament.format_options,
        ranking=tuple(row[0] for row in tx.execute(_RANKING, {"tournament_id": tournament.tournament_id})),
        out=frozenset(each.entrant_no for each in matches.left(tx, tournament.tournament_id)),
        seed=b"" if waits else _draw_seed(tx, tournament.tournament_id),
    )


_FORMAT: LiteralString = """
    UPDATE tournament SET format = %(format)s, cycles = %(cycles)s, format_options = %(format_options)s
     WHERE tournament_id = %(tournament_id)s"""


def change_format(
    tx: Connection,
    tournament_id: int,
    *,
    format_key: str | None = None,
    cycles: int | None = None,
    options: Mapping[str, object],
    by: By,
    now: datetime,
) -> Tournament:
    """Gives a tournament that has not begun another format or length; what is None stays as it is.

    Raises `TournamentClosed` after the start, `LeagueError` or `BadInput` for what cannot be had.
    """
    tournament = lock_for(tx, tournament_id, "changed")
    refuse_of_league(tournament, "its format is the league's, and settled")
    key = tournament.format if format_key is None else format_key
    form = find_format(key)
    check_table(form, tournament.table_size)
    kept = {name: value for name, value in tournament.format_options.items() if name in form.defaults}
    checked = check_options(form, {**kept, **options})
    many = terms.whole("number of cycles", tournament.cycles if cycles is None else cycles, 1, 100_000)
    told = {"format": key, "cycles": many, "format_options": checked}
    tx.execute(_FORMAT, {"tournament_id": tournament_id, **{name: _column(value) for name, value in told.items()}})
    log.append(tx, tournament_id, "changed", told, by=by, now=now)
    return get(tx, tournament_id)


_SET_STATE: LiteralString = """
    UPDATE tournament SET state = %(state)s, finished_at = %(ended)s WHERE tournament_id = %(tournament_id)s"""
_DROP_CLAIMS: LiteralString = """
    WITH dropped AS (
        UPDATE fixture SET state = 'scheduled', holder = NULL, lease_until = NULL
         WHERE tournament_id = %(tournament_id)s AND state = 'running'
     RETURNING fixture_id, attempt)
    UPDATE fixture_attempt AS a SET ended_at = %(now)s, outcome = 'void', reason = 'the tournament was cancelled'
      FROM dropped WHERE a.fixture_id = dropped.fixture_id AND a.attempt = dropped.attempt"""

# What has failed waits ever longer; whoever resumes a tournament may have mended the cause.
_TRY_AGAIN: LiteralString = """
    UPDATE fixture SET due_at = %(now)s
     WHERE tournament_id = %(tournament_id)s AND state = 'scheduled' AND due_at > %(now)s"""


_BY_HAND = {MOVES[move].then: move for move in ("opened", "paused", "resumed", "cancelled")}


def change_state(tx: Connection, tournament_id: int, then: TournamentState, *, by: By, now: datetime) -> None:
    """Opens, pauses, resumes or cancels a tournament; `start` and `finish_played` are for start and finish.

    Raises `BadTransition`, `BadInput` without a reason where one is needed.
    """
    move = _BY_HAND[then]
    lock_for(tx, tournament_id, move)
    ended = now if then in _ENDED else None
    tx.execute(_SET_STATE, {"tournament_id": tournament_id, "state": then.value, "ended": ended})
    if then is TournamentState.CANCELLED:
        tx.execute(_DROP_CLAIMS, {"tournament_id": tournament_id, "now": now})
    if then is TournamentState.RUNNING:
        tx.execute(_TRY_AGAIN, {"tournament_id": tournament_id, "now": now})
    log.append(tx, tournament_id, move, {}, by=by, now=now)


_PLAYED: LiteralString = """
    UPDATE tournament SET state = 'finished', finished_at = %(now)s
     WHERE state = 'running' AND drawn
       AND NOT EXISTS (SELECT FROM round WHERE round.tournament_id = tournament.tournament_id AND closed_at IS NULL)
    RETURNING tournament_id"""


def finish_played(tx: Connection, *, now: datetime) -> list[int]:
    """Finishes every running tournament whose rounds are all drawn and closed; returns their ids."""
    finished = sorted(row[0] for row in tx.execute(_PLAYED, {"now": now}).fetchall())
    for tournament_id in finished:
        log.append(tx, tournament_id, "finished", {}, by=log.WORKER, now=now)
    return finished


_REVEAL: LiteralString = """
    UPDATE tournament t SET revealed_at = %(now)s FROM revealed_seed s
     WHERE t.tournament_id = s.tournament_id AND t.revealed_at IS NULL AND t.finished_at IS NOT NULL
    RETURNING t.tournament_id, s.master"""


def reveal(tx: Connection, *, now: datetime) -> None:
    """Puts the seeds that may be shown by now into the logs of their tournaments."""
    for tournament_id, master in sorted(tx.execute(_REVEAL, {"now": now}).fetchall()):
        log.append(tx, tournament_id, "revealed", {"seed": bytes(master).hex()}, by=log.WORKER, now=now)


_PROGRESS: LiteralString = """
    SELECT t.state, greatest(count(f.fixture_id), t.planned) AS fixtures,
           count(*) FILTER (WHERE f.state = 'running') AS running, count(*) FILTER (WHERE f.state = 'done') AS done,
           (SELECT count(*) FROM round r WHERE r.tournament_id = t.tournament_id) AS rounds,
           (SELECT count(*) FROM round r
             WHERE r.tournament_id = t.tournament_id AND r.rated_at IS NULL AND t.rated) AS unrated
      FROM tournament t LEFT JOIN fixture f USING (tournament_id)
     WHERE tournament_id = %(tournament_id)s
     GROUP BY t.tournament_id"""


def progress(tx: Connection, tournament_id: int) -> Progress:
    """How far a tournament is. Raises `NotFound`."""
    with tx.cursor(row_factory=class_row(Progress)) as cursor:
        row = cursor.execute(_PROGRESS, {"tournament_id": tournament_id}).fetchone()
    if row is None:
        raise NotFound(f"there is no tournament {tournament_id}; 'arena tournament list' shows all")
    return row
