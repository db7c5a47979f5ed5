"""From a claim to the order for an arbiter, and from an arbiter's record to results: nothing is taken on trust."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.errors import ReplayMismatch
from rummy.rules.games import find_game, options_json
from rummy.store.fixtures import Claim, Terms
from rummy.store.matches import PlayedMatch
from rummy.store.played import leg_of
from rummy.wire.v1 import arbiter_pb2


def order_of(claim: Claim, terms: Terms) -> arbiter_pb2.Order:
    """What is asked of an arbiter."""
    return arbiter_pb2.Order(
        fixture=claim.fixture_id,
        generation=claim.generation,
        game=claim.game,
        options=options_json(find_game(claim.game, claim.options)),
        seed=terms.seed,
        entrants=[
            arbiter_pb2.OrderEntrant(version_id=entrant.version_id, name=entrant.name, hosted=entrant.hosted)
            for entrant in terms.entrants
        ],
        legs=terms.legs,
        clock=arbiter_pb2.ClockTerms(limit_ms=claim.limit_ms, bank_ms=claim.bank_ms, increment_ms=claim.increment_ms),
        faults=arbiter_pb2.FaultPolicy(
            strikes=claim.faults["strikes"],
            grace_seconds=claim.faults["grace_seconds"],
            deaths=claim.faults["deaths"],
        ),
        deadline_seconds=claim.match_seconds,
    )


def results_of(claim: Claim, terms: Terms, replays: Sequence[bytes]) -> list[PlayedMatch]:
    """The result of each leg, from replays that were played again. Raises `ReplayMismatch` for any other match."""
    if len(replays) != terms.legs:
        raise ReplayMismatch(f"the record has {len(replays)} legs, and {terms.legs} were ordered")
    return [leg_of(claim.game, claim.options, terms, leg, data) for leg, data in enumerate(replays)]
