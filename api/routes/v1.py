"""The JSON under /api/v1: the same answers as the pages, for programs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from api import league_schemas, schemas
from api.luck import LadderLuck
from api.routes.parameters import (
    After,
    Arena,
    ArenaLeagues,
    Before,
    Files,
    FixtureState,
    Form,
    Id,
    LadderName,
    Limit,
    Prefix,
    Routine,
    Schedule,
    SeasonNo,
    What,
)
from rummy.errors import NotFound

Answers = dict[int | str, dict[str, Any]]

MISSING: Answers = {404: {"model": schemas.Problem, "description": "There is no such thing."}}
DAMAGED: Answers = {500: {"model": schemas.Problem, "description": "The stored replay is damaged."}}
NDJSON = {"application/x-ndjson": {"schema": {"type": "string"}}}
EXPORTED: Answers = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}, **NDJSON}, "description": "A file."},
    429: {"model": schemas.Problem, "description": "Too many downloads at once."},
}

router = APIRouter(
    prefix="/api/v1",
    responses={
        422: {"model": schemas.Problem, "description": "A parameter that makes no sense."},
        503: {"model": schemas.Problem, "description": "The database does not answer."},
    },
)


@router.get("/tournaments", tags=["tournaments"])
def tournaments(arena: Arena, before: Before = None, limit: Limit = 50) -> schemas.Page[schemas.Tournament]:
    """Tournaments, newest first."""
    return arena.tournaments(before=before, limit=limit)


@router.get("/tournaments/{tournament_id}", tags=["tournaments"], responses=MISSING)
def tournament(arena: Arena, tournament_id: Id) -> schemas.TournamentDetail:
    """One tournament with its entrants, commitment and, once it has ended, its seed."""
    return arena.tournament(tournament_id)


@router.get("/tournaments/{tournament_id}/table", tags=["tournaments"], responses=MISSING)
def table(arena: Arena, tournament_id: Id) -> schemas.Table:
    """The standings, with Elo ratings and their errors."""
    return arena.table(tournament_id)


@router.get("/tournaments/{tournament_id}/log", tags=["tournaments"], responses=MISSING)
def log(
    arena: Arena, tournament_id: Id, before: Before = None, limit: Limit = 50, routine: Routine = False
) -> schemas.Page[schemas.LogEntry]:
    """Who did what to a tournament, when and why, newest first."""
    return arena.log(tournament_id, before=before, limit=limit, routine=routine)


@router.get("/tournaments/{tournament_id}/fixtures", tags=["tournaments"], responses=MISSING)
def fixtures(
    arena: Arena, tournament_id: Id, after: Schedule, state: FixtureState = None, limit: Limit = 50
) -> schemas.Page[schemas.Fixture]:
    """Fixtures in the order of the schedule, with state, attempt, and what they wait for."""
    return arena.fixtures(tournament_id, after=after, state=state, limit=limit)


@router.get(
    "/tournaments/{tournament_id}/export",
    tags=["tournaments"],
    response_class=Response,
    responses={**EXPORTED, **MISSING},
)
def tournament_export(
    arena: Arena, files: Files, tournament_id: Id, what: What = "results", form: Form = "csv"
) -> Response:
    """All results of a tournament as a file, or how ratings have moved in it: the columns of `arena export`."""
    arena.check_tournament(tournament_id)
    return files.of_tournament(tournament_id, what, form)


@router.get("/fixtures/{fixture_id}", tags=["tournaments"], responses=MISSING)
def fixture(arena: Arena, fixture_id: Id) -> schemas.FixtureDetail:
    """One fixture: its state, where spectators find it in play, and its matches once it is done."""
    return arena.fixture(fixture_id)


@router.get("/leagues", tags=["leagues"])
def leagues(arena: ArenaLeagues, before: Before = None, limit: Limit = 50) -> schemas.Page[league_schemas.League]:
    """Leagues, newest first."""
    return arena.all(before=before, limit=limit)


@router.get("/leagues/{league_id}", tags=["leagues"], responses=MISSING)
def league(arena: ArenaLeagues, league_id: Id) -> league_schemas.LeagueDetail:
    """One league with its members and the times of its next season."""
    return arena.one(league_id)


@router.get("/leagues/{league_id}/seasons", tags=["leagues"], responses=MISSING)
def seasons(
    arena: ArenaLeagues, league_id: Id, before: Before = None, limit: Limit = 50
) -> schemas.Page[league_schemas.Season]:
    """The seasons of a league that are settled, newest first."""
    return arena.seasons(league_id, before=before, limit=limit)


@router.get("/leagues/{league_id}/seasons/{season_no}", tags=["leagues"], responses=MISSING)
def season(arena: ArenaLeagues, league_id: Id, season_no: SeasonNo) -> league_schemas.SeasonDetail:
    """One season with its divisions, their standings, and who goes up and down."""
    return arena.season(league_id, season_no)


@router.get("/ladders", tags=["bots"])
def ladders(arena: Arena) -> list[schemas.Ladder]:
    """The best bot versions of every ladder."""
    return arena.ladders()


@router.get("/ladders/{ladder}", tags=["bots"], responses=MISSING)
def ladder(arena: Arena, ladder: LadderName) -> schemas.LadderRatings:
    """Everybody in a ladder: Elo, the joint fit of all results with its errors, and who is better than the next."""
    return arena.ladder(ladder)


@router.get("/ladders/{ladder}/luck", tags=["bots"], responses=MISSING)
def luck(arena: Arena, ladder: LadderName) -> LadderLuck:
    """How much luck there is in the results of a ladder, and by how much each method shrinks the error."""
    return arena.luck(ladder)


@router.get("/ladders/{ladder}/export", tags=["bots"], response_class=Response, responses={**EXPORTED, **MISSING})
def ladder_export(
    arena: Arena, files: Files, ladder: LadderName, what: What = "results", form: Form = "csv"
) -> Response:
    """The results of all rated rounds of a ladder as a file, or how ratings have moved in it: as for a tournament."""
    arena.check_ladder(ladder)
    return files.of_ladder(ladder, what, form)


@router.get("/bots", tags=["bots"])
def bots(arena: Arena, q: Prefix, after: After = 0, limit: Limit = 50) -> schemas.Page[schemas.Bot]:
    """Bots by id."""
    return arena.bots(after=after, prefix=q, limit=limit)


@router.get("/bots/{bot_id}", tags=["bots"], responses=MISSING)
def bot(arena: Arena, bot_id: Id) -> schemas.BotDetail:
    """One bot with its newest versions."""
    return arena.bot(bot_id)


@router.get("/bots/{bot_id}/ratings", tags=["bots"], responses=MISSING)
def ratings(arena: Arena, bot_id: Id) -> schemas.BotRatings:
    """The bot's ratings over time, by ladder."""
    return arena.ratings(bot_id)


@router.get("/bots/{bot_id}/matches", tags=["bots"], responses=MISSING)
def bot_matches(arena: Arena, bot_id: Id, before: Before = None, limit: Limit = 20) -> schemas.Page[schemas.BotMatch]:
    """The matches of the bot's newest finished fixtures; `before` and `limit` count fixtures."""
    return arena.bot_matches(bot_id, before=before, limit=limit)


@router.get("/matches/{match_id}", tags=["matches"], responses=MISSING)
def match(arena: Arena, match_id: Id) -> schemas.Match:
    """One match of a finished fixture."""
    return arena.match(match_id)


@router.get(
    "/matches/{match_id}/replay",
    tags=["matches"],
    response_class=Response,
    responses={200: {"content": NDJSON, "description": "The replay, byte for byte."}, **MISSING, **DAMAGED},
)
def replay(arena: Arena, match_id: Id) -> Response:
    """The replay as it was recorded: JSON Lines, which `arena replay verify` plays again."""
    named = {"Content-Disposition": f'attachment; filename="match-{match_id}.jsonl"'}
    return Response(arena.replay(match_id), media_type="application/x-ndjson", headers=named)


@router.get("/matches/{match_id}/frames", tags=["matches"], responses={**MISSING, **DAMAGED})
def frames(
    arena: Arena, match_id: Id, deal: Annotated[int, Query(ge=0, le=100_000, description="Which deal, from 0.")] = 0
) -> schemas.Frames:
    """Every position of one deal of a match, for a player."""
    film = arena.film(match_id)
    if deal >= len(film.deals):
        raise NotFound(f"Match {match_id} has {len(film.deals)} deals, numbered from 0; there is no deal {deal}.")
    return schemas.Frames(match_id=match_id, deals=list(film.deals), deal=deal, frames=list(film.frames[deal]))
