"""How a turn of gin ends, and a deal: what may be thrown or knocked with, what is laid open, and what counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rummy.rules.actions import Action, BigGin, Card, Cards, Discard, Knock, Seat
from rummy.rules.cards import BIT, PACK, cards_of, suit_tables
from rummy.rules.deadwood import deadwood
from rummy.rules.game import DealResult, Event, EventKind, Phase
from rummy.rules.games.gin_state import GinState
from rummy.rules.melds import extended, tabled
from rummy.rules.show import Arrangement, best_show, check_arrangement

DISCARDS: Final = tuple(map(Discard, PACK))
_BIG_GIN: Final = BigGin()
_KNOCKS: Final = tuple(map(Knock, PACK))
_DISCARDS_C, _DISCARDS_D, _DISCARDS_H, _DISCARDS_S = suit_tables(DISCARDS)


def ends_of_turn(held: int, taken: Card, limit: int) -> Sequence[Action]:
    """Every discard and knock from *held* but for the card *taken* from the pile (GIN-4.5), and big gin."""
    loose = held if taken < 0 else held ^ BIT[taken]
    discards: tuple[Action, ...] = (
        _DISCARDS_C[loose & 8191]
        + _DISCARDS_D[loose >> 13 & 8191]
        + _DISCARDS_H[loose >> 26 & 8191]
        + _DISCARDS_S[loose >> 39]
    )
    least = deadwood(held)
    if least > limit + 10:  # A discard takes ten off at most.
        return discards
    knocks = [_KNOCKS[card] for card in cards_of(loose) if deadwood(held ^ BIT[card]) <= limit]
    return (*discards, *knocks) if least else (*discards, *knocks, _BIG_GIN)


def own_melds(held: int, melds: tuple[Cards, ...] | None, seat: Seat) -> Arrangement:
    """The arrangement that ends the deal: the best one, or the seat's own (COM-8). It never lays off (GIN-6.3)."""
    if melds is not None:
        return check_arrangement(held, melds, (), (), seat)
    return best_show(held)


def lay_open(state: GinState, seat: Seat, shown: Arrangement) -> None:
    """Puts a hand on the table: melds, lay-offs, and what is left, which everybody now knows."""
    for lay_off in shown.lay_offs:
        for card in lay_off.cards:
            state.melds[lay_off.meld] = extended(state.melds[lay_off.meld], card, seat)
    state.melds.extend([tabled(meld, seat) for meld in shown.melds])
    rest = sum([BIT[card] for card in shown.rest])
    state.hands[seat] = state.known[seat] = rest
    state.events.append(Event(EventKind.SHOW, seat, shown.rest, shown.melds, shown.lay_offs))


def sizes(state: GinState) -> tuple[int, int]:
    """Cards held by each seat, from what everybody knows."""
    seat, closer = state.turn, state.closer
    if closer is None:
        decision = state.decision
        if decision is None or decision.phase is not Phase.DISCARD:
            return 10, 10
        return (10, 11) if seat else (11, 10)
    shown = state.known[closer].bit_count()
    other = 10 if state.result is None else state.known[1 - closer].bit_count()
    return (other, shown) if closer else (shown, other)


def won(winner: Seat, points: int, reason: str) -> DealResult:
    """How a deal ends that *winner* has won by *points*."""
    return DealResult((points, 0) if winner == 0 else (0, points), reason, winner)


def end(state: GinState, result: DealResult) -> None:
    """Ends the deal: nobody is asked any more."""
    state.decision = None
    state.result = result


def placements(totals: tuple[int, ...], retired: Sequence[Seat]) -> tuple[int, ...]:
    """Places by grand total (GIN-8.5), shared by equals (GIN-8.6), behind them whoever has forfeited."""
    standing = [(seat in retired, -total) for seat, total in enumerate(totals)]
    if len(retired) == 2:
        return (1, 1)
    return tuple([1 + sum(other < mine for other in standing) for mine in standing])
