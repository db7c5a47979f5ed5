"""From a claim to the order for an arbiter, and from an arbiter's record to results: nothing is taken on trust."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.errors import ReplayMismatch
from rummy.rules.games import find_game, options_json, options_of
from rummy.rules.replay import Verified, verify
from rummy.store.fixtures import Claim, Terms
from rummy.store.matches import PlayedMatch, SeatResult
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
    return [_result(claim, terms, leg, data) for leg, data in enumerate(replays)]


def _result(claim: Claim, terms: Terms, leg: int, data: bytes) -> PlayedMatch:
    verified = verify(data)
    _check_ordered(claim, terms, leg, verified)
    result = verified.result
    return PlayedMatch(
        leg=leg,
        reason=result.reason,
        deals=result.deals,
        actions=verified.actions,
        replay=data,
        digest=bytes.fromhex(verified.digest),
        seats=tuple(_seat(terms, leg, seat, verified) for seat in range(len(terms.entrants))),
    )


def _check_ordered(claim: Claim, terms: Terms, leg: int, verified: Verified) -> None:
    ordered = {
        "game": claim.game,
        "options": options_of(find_game(claim.game, claim.options)),
        "seats": len(terms.entrants),
        "seed": terms.seed.hex(),
        "leg": leg,
        "bots": [terms.entrants[_place(terms, leg, seat)].name for seat in range(len(terms.entrants))],
        "max_deals": None,
    }
    for name, value in ordered.items():
        if verified.header.get(name) != value:
            raise ReplayMismatch(f"leg {leg} was played with another {name} than was ordered")


def _place(terms: Terms, leg: int, seat: int) -> int:
    """Who sits in *seat* of a leg, by the seat of leg 0."""
    return (seat + leg) % len(terms.entrants)


def _seat(terms: Terms, leg: int, seat: int, verified: Verified) -> SeatResult:
    result = verified.result
    return SeatResult(
        seat=seat,
        entrant_no=terms.entrants[_place(terms, leg, seat)].entrant_no,
        placement=result.placements[seat],
        score=result.scores[seat],
        forfeit=result.forfeits[seat],
        strikes=verified.strikes[seat],
    )
