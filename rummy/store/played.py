"""From replays to the matches that were asked for: nothing is taken on trust."""

from __future__ import annotations

from collections.abc import Mapping

from rummy.errors import ReplayMismatch
from rummy.rules.games import find_game, options_of
from rummy.rules.replay import Verified, verify
from rummy.store.fixtures import Terms
from rummy.store.matches import PlayedMatch, SeatResult


def leg_of(game: str, options: Mapping[str, object], terms: Terms, leg: int, data: bytes) -> PlayedMatch:
    """A leg of a fixture, from its replay, which is played again. Raises `ReplayMismatch` for any other match."""
    verified = verify(data)
    _check(game, options, terms, leg, verified)
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


def _check(game: str, options: Mapping[str, object], terms: Terms, leg: int, verified: Verified) -> None:
    ordered = {
        "game": game,
        "options": options_of(find_game(game, options)),
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
