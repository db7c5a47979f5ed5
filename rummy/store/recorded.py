"""What is on record of a tournament, beside what its log comes to: the first thing that differs by a single bit."""

from __future__ import annotations

from dataclasses import asdict
from itertools import zip_longest
from typing import Any, LiteralString

from rummy.store import drawing, ratings, tournaments
from rummy.store.db import Connection
from rummy.store.rebuild import Rebuilt

_ENTRANTS: LiteralString = """
    SELECT version_id, encode(nonce, 'hex'), left_as, annulled FROM entrant
     WHERE tournament_id = %(tournament_id)s ORDER BY entrant_no"""
_FIXTURES: LiteralString = """
    SELECT round_no, table_no, state = 'done', CASE state WHEN 'done' THEN generation END, absent,
           array_agg(entrant_no ORDER BY seat)
      FROM fixture JOIN fixture_seat USING (fixture_id, tournament_id)
     WHERE tournament_id = %(tournament_id)s GROUP BY fixture_id ORDER BY round_no, table_no"""
_SCORES: LiteralString = """
    SELECT round_no, table_no, entrant_no, score FROM fixture JOIN fixture_score USING (fixture_id)
     WHERE tournament_id = %(tournament_id)s ORDER BY round_no, table_no, entrant_no"""
_MATCHES: LiteralString = """
    SELECT round_no, table_no, m.generation, leg, reason, deals, actions, encode(digest, 'hex'),
           jsonb_agg(jsonb_build_array(entrant_no, placement, score, forfeit, strikes) ORDER BY seat)
      FROM fixture f JOIN match m USING (fixture_id) JOIN seat_result USING (match_id)
     WHERE tournament_id = %(tournament_id)s
     GROUP BY f.fixture_id, m.match_id ORDER BY round_no, table_no, m.generation, leg"""
_STEPS: LiteralString = """
    SELECT round_no, version_id, before, after, fixtures FROM rating_change
     WHERE tournament_id = %(tournament_id)s ORDER BY change_id"""
_TERMS = (
    "name", "game", "options", "ladder", "format", "table_size", "cycles", "format_options", "limit_ms", "bank_ms",
    "increment_ms", "faults", "deadlines", "rated",
)  # fmt: skip


def first_difference(tx: Connection, tournament_id: int, anew: Rebuilt) -> str | None:
    """Where the record of a tournament is not what its log comes to; None where all is the same to the last bit."""
    opening = ratings.opening(tx, tournament_id)
    computed, stored = _of_log(anew, opening), _on_record(tx, tournament_id)
    for what, lines in stored.items():
        for mine, theirs in zip_longest(lines, computed[what]):
            if mine != theirs:
                return f"{what}: on record {_told(mine)}, by the log {_told(theirs)}"
    return None


def _told(line: object) -> str:
    return "nothing" if line is None else repr(line)


def _on_record(tx: Connection, tournament_id: int) -> dict[str, list[Any]]:
    tournament = tournaments.get(tx, tournament_id)
    values = {"tournament_id": tournament_id}
    terms = asdict(tournament) | {"ladder": tournament.ladder.partition("@")[0]}
    known = tournaments.as_logged(tx, tournament_id)
    return {
        "state": [tournament.state],
        "terms": [[name, terms[name]] for name in _TERMS],
        "commitment": [tournament.commitment.hex()],
        "entrants": [[known.get(version, version), *row] for version, *row in tx.execute(_ENTRANTS, values)],
        "fixtures": [list(row) for row in tx.execute(_FIXTURES, values)],
        "matches": [list(row) for row in tx.execute(_MATCHES, values)],
        "scores": [list(row) for row in tx.execute(_SCORES, values)],
        "rating changes": [
            [round_no, known.get(version, version), *row] for round_no, version, *row in tx.execute(_STEPS, values)
        ],
        "table": [asdict(line) for line in drawing.table(tx, tournament_id)()],
    }


def _of_log(anew: Rebuilt, opening: dict[int, float]) -> dict[str, list[Any]]:
    fixtures = sorted(anew.fixtures.items())
    return {
        "state": [anew.state.value],
        "terms": [[name, anew.terms[name]] for name in _TERMS],
        "commitment": [anew.terms["commitment"]],
        "entrants": [
            [each.version_id, each.nonce, each.left and each.left.left_as, bool(each.left and each.left.annulled)]
            for each in anew.entrants
        ],
        "fixtures": [
            [*place, each.done, each.generation if each.done else None,
             None if each.absent is None else list(each.absent), list(each.entrants)]
            for place, each in fixtures
        ],
        "matches": [
            [*place, generation, number, leg["reason"], leg["deals"], leg["actions"], leg["replay"], leg["seats"]]
            for place, each in fixtures
            for generation, legs in sorted(each.legs.items())
            for number, leg in enumerate(legs)
        ],
        "scores": [
            [*place, entrant, score]
            for place, each in fixtures
            if each.done
            for entrant, score in sorted(zip(each.entrants, anew.result(place).scores, strict=True))
        ],
        "rating changes": [list(step) for step in anew.steps],
        "table": [asdict(line) for line in anew.table(opening)],
    }  # fmt: skip
