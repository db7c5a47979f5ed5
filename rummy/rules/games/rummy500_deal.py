"""A deal of Rummy 500: what may be taken from the spread pile, what may be tabled, and what cards are worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Card, Cards, EndMelds, LayOff, Meld
from rummy.rules.cards import TEXTS
from rummy.rules.game import TableMeld
from rummy.rules.games.gathered import Gathered, melds_with
from rummy.rules.games.zones import (
    Zones,
    add_on,
    can_end,
    held,
    lay_down,
    leads_on,
    may_throw,
    meld_of,
    still_forbidden,
    table_after,
)
from rummy.rules.tabling import (
    JOKER,
    MeldRules,
    ends_for,
    melds_in,
    places,
    single_lay_offs,
    with_cards,
)

RULES: Final = MeldRules(ace="either")  # R500-4
VALUES: Final = (15, *range(2, 11), 10, 10, 10)  # R500-6.1, 6.3: by rank.
JOKER_VALUE: Final = 15
END: Final = EndMelds()


# ---- the pile


def takes(state: Zones) -> list[int]:
    """How many cards may be taken from the pile: the top one, or so many that the deepest can be played (R500-3)."""
    hand = state.hands[state.turn]
    gathered, jokers = Gathered(hand, RULES), any(card >= JOKER for card in hand)
    counts = []
    for count, card in enumerate(reversed(state.pile), 1):
        gathered.add(card)
        jokers = jokers or card >= JOKER
        if count == 1 or _is_laid_off(state, card):
            counts.append(count)
        elif jokers:
            more = with_cards(hand, state.pile[-count:])
            if melds_with(more, card, RULES):
                counts.append(count)
        elif gathered.melds(card):
            counts.append(count)
    return counts


def _is_laid_off(state: Zones, card: Card) -> bool:
    return any(True in ends_for(meld, card, RULES) for meld in state.melds)


# ---- melds


def plays(state: Zones) -> list[Action]:
    """Every meld of the hand, every lay-off of one card, and the end; what is owed comes before all else (R500-3.2)."""
    hand, owed = state.hands[state.turn], state.owed
    if owed is not None:
        # More cards than it takes are left, and any of them may be thrown: nothing to look ahead for.
        return [*map(Meld, melds_with(hand, owed, RULES)), *single_lay_offs((owed,), state.melds, RULES)]
    actions: list[Meld | LayOff] = [*map(Meld, melds_in(hand, RULES)), *single_lay_offs(hand, state.melds, RULES)]
    if state.forbidden is not None:
        actions = [action for action in actions if leads_on(state, action, RULES)]
    return [*actions, END] if may_throw(hand, state.forbidden) else [*actions]


def meld(state: Zones, cards: Cards) -> None:
    """Tables *cards* as one meld. Raises `IllegalAction` before anything has changed."""
    left = held(state, cards)
    new = meld_of(state, cards, RULES)
    if state.owed is not None and state.owed not in cards:
        raise IllegalAction(_owes(state.owed), state.turn)
    _check_end(state, cards, left, [*state.melds, new])
    lay_down(state, new, cards, left)


def lay_off(state: Zones, action: LayOff) -> None:
    """Adds cards to a meld on the table. Raises `IllegalAction` before anything has changed."""
    left = held(state, action.cards)
    table = table_after(state, action, RULES)
    if state.owed is not None and state.owed != action.cards[0]:
        raise IllegalAction(_owes(state.owed), state.turn)
    _check_end(state, action.cards, left, table)
    add_on(state, table[action.meld], action, left)


def _check_end(state: Zones, cards: Cards, left: Cards, table: list[TableMeld]) -> None:
    if not can_end(left, table, still_forbidden(state, cards), RULES):
        raise IllegalAction("The card taken would be left, and may not be thrown in this turn (R500-3.3).", state.turn)


def _owes(card: Card) -> str:
    return f"{TEXTS[card]} was taken from the pile: it is melded or laid off first (R500-3.2)."


# ---- what cards are worth (R500-6)


def hand_points(cards: Iterable[Card]) -> int:
    """What *cards* count in a hand."""
    return sum([VALUES[card % 13] if card < JOKER else JOKER_VALUE for card in cards])


def meld_points(meld: TableMeld) -> list[int]:
    """What each card of *meld* counts: an ace below a two less than any other (R500-6.2)."""
    points = [hand_points((card,)) for card in meld.cards]
    if meld.run and meld.cards[0] < JOKER and places(meld)[0] == 0:
        points[0] = 1
    return points


def table_points(melds: Iterable[TableMeld], seats: int) -> list[int]:
    """By seat: what the cards count that it has placed (R500-4)."""
    earned = [0] * seats
    for meld in melds:
        for placer, points in zip(meld.placers, meld_points(meld), strict=True):
            earned[placer] += points
    return earned
