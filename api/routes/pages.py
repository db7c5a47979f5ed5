"""The pages for people."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from api import schemas
from api.routes.parameters import (
    After,
    Arena,
    ArenaLeagues,
    Before,
    FixtureState,
    Id,
    LadderName,
    Prefix,
    Routine,
    Schedule,
    SeasonNo,
)
from api.web import templates
from rummy.errors import ReplayMismatch

router = APIRouter(include_in_schema=False)

TILES = 12
FIXTURES = 60
NEWEST_ENTRIES = 8
ENTRIES = 100
BOTS = 50
MATCHES = 20
STEPS_SHOWN = 100
LEAGUES = 50
SEASONS = 20
RATED = 200


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis of the ratings of a table, from *low* to *high*, drawn 200 wide."""

    low: float
    high: float

    def x(self, rating: float) -> str:
        """Where *rating* stands."""
        return f"{200 * (rating - self.low) / (self.high - self.low):.1f}"

    @classmethod
    def over(cls, lines: list[schemas.TableLine]) -> Scale:
        """A scale that holds every rating with its error."""
        low = min((line.rating - (line.error or 0) for line in lines), default=1500)
        high = max((line.rating + (line.error or 0) for line in lines), default=1500)
        return cls(low - 5, high + 5)


@router.get("/")
def home(request: Request, arena: Arena, before: Before = None) -> Response:
    """Tournaments with their progress, and the best of each ladder."""
    context = {"tournaments": arena.tournaments(before=before, limit=TILES), "ladders": arena.ladders()}
    return templates.TemplateResponse(request, "home.html", context)


@router.get("/tournaments/{tournament_id}")
def tournament(
    request: Request, arena: Arena, tournament_id: Id, after: Schedule, state: FixtureState = None
) -> Response:
    """A tournament: progress, table, fixtures, and what proves that it is fair."""
    table = arena.table(tournament_id)
    context = {
        "tournament": arena.tournament(tournament_id),
        "table": table,
        "scale": Scale.over(table.lines),
        "fixtures": arena.fixtures(tournament_id, after=after, state=state, limit=FIXTURES),
        "state": state,
        "after": None if after is None else f"{after[0]}.{after[1]}",
        "log": arena.log(tournament_id, before=None, limit=NEWEST_ENTRIES, routine=False),
    }
    return templates.TemplateResponse(request, "tournament.html", context)


@router.get("/fixtures/{fixture_id}")
def fixture(request: Request, arena: Arena, fixture_id: Id) -> Response:
    """A fixture: in play, as spectators may see it, or its results."""
    return templates.TemplateResponse(request, "fixture.html", {"fixture": arena.fixture(fixture_id)})


@router.get("/tournaments/{tournament_id}/log")
def log(request: Request, arena: Arena, tournament_id: Id, before: Before = None, routine: Routine = False) -> Response:
    """The log of a tournament: who did what, when and why."""
    context = {
        "tournament": arena.tournament(tournament_id),
        "log": arena.log(tournament_id, before=before, limit=ENTRIES, routine=routine),
        "before": before,
        "routine": routine,
    }
    return templates.TemplateResponse(request, "log.html", context)


@router.get("/leagues")
def leagues(request: Request, arena: ArenaLeagues, before: Before = None) -> Response:
    """All leagues."""
    return templates.TemplateResponse(request, "leagues.html", {"leagues": arena.all(before=before, limit=LEAGUES)})


@router.get("/leagues/{league_id}")
def league(request: Request, arena: ArenaLeagues, league_id: Id, before: Before = None) -> Response:
    """A league: its windows, its newest season with who goes up and down, its members, and its seasons."""
    found = arena.one(league_id)
    context = {
        "league": found,
        "season": None if found.newest is None else arena.season(league_id, found.newest),
        "seasons": arena.seasons(league_id, before=before, limit=SEASONS),
        "before": before,
    }
    return templates.TemplateResponse(request, "league.html", context)


@router.get("/leagues/{league_id}/seasons/{season_no}")
def season(request: Request, arena: ArenaLeagues, league_id: Id, season_no: SeasonNo) -> Response:
    """A season: its divisions with their standings."""
    return templates.TemplateResponse(request, "season.html", {"season": arena.season(league_id, season_no)})


@router.get("/ladders/{ladder}")
def ladder(request: Request, arena: Arena, ladder: LadderName, after: After = 0) -> Response:
    """A ladder: the joint fit with its errors beside Elo, some lines at a time."""
    found = arena.ladder(ladder)
    end = after + RATED
    context = {"ladder": found, "lines": found.lines[after:end], "after": after, "next": end < len(found.lines) and end}
    return templates.TemplateResponse(request, "ladder.html", context)


@router.get("/ladders/{ladder}/luck")
def luck(request: Request, arena: Arena, ladder: LadderName) -> Response:
    """The luck in the results of a ladder, and what is done about it."""
    return templates.TemplateResponse(request, "luck.html", {"luck": arena.luck(ladder)})


@router.get("/bots")
def bots(request: Request, arena: Arena, q: Prefix, after: After = 0) -> Response:
    """All bots."""
    context = {"bots": arena.bots(after=after, prefix=q, limit=BOTS), "q": q, "after": after}
    return templates.TemplateResponse(request, "bots.html", context)


@router.get("/bots/{bot_id}")
def bot(request: Request, arena: Arena, bot_id: Id, before: Before = None) -> Response:
    """A bot: its ratings over time, matches and versions."""
    context = {
        "bot": arena.bot(bot_id),
        "ladders": arena.ratings(bot_id, limit=STEPS_SHOWN).ladders,
        "matches": arena.bot_matches(bot_id, before=before, limit=MATCHES),
    }
    return templates.TemplateResponse(request, "bot.html", context)


@router.get("/matches/{match_id}")
def match(request: Request, arena: Arena, match_id: Id) -> Response:
    """A match: result, and the replay to step through, or the reason why it cannot be shown."""
    found = arena.match(match_id)
    try:
        deals, damage = () if found.waits else arena.film(match_id).deals, None
    except ReplayMismatch as error:
        deals, damage = (), str(error)
    context = {"match": found, "deals": deals, "damage": damage}
    return templates.TemplateResponse(request, "match.html", context)


@router.get("/verify")
def verify(request: Request) -> Response:
    """How anybody checks a replay and a tournament's deals."""
    return templates.TemplateResponse(request, "verify.html", {})


@router.get("/reference")
def reference(request: Request) -> Response:
    """Every address of the JSON interface."""
    paths = request.app.openapi()["paths"]
    calls = [
        {"path": path, "summary": call["description"], "parameters": call.get("parameters", [])}
        for path, methods in paths.items()
        for call in methods.values()
    ]
    return templates.TemplateResponse(request, "reference.html", {"calls": calls})
