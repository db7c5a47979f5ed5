"""Rummy 500 for the sample bots: takes of the pile what can be melded, tables it, and throws what nobody else wants.

A bot may differ in two things: whether it *takes* from the pile, and whether it *waits* with its melds, which nobody
can add to as long as they are held, until somebody may soon go out.
"""

from __future__ import annotations

from rummy.rules.actions import Action, Card, Cards, Discard, DrawPile, DrawStock, EndMelds, LayOff, Meld
from rummy.rules.game import Phase, TableMeld, View
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.rummy500_deal import hand_points
from rummy.rules.tabling import ends_for, with_cards, without
from sample_bots import sdk

DENIED = 0.3  # What a point of a card taken is worth because the others do not get it.
CLOSE = 6  # What a card is worth that could become a meld with another one.
FEW = 4  # With fewer cards in some hand the deal may soon be over, and what is held counts against its seat.
SURVEYED = 40  # Cards of a hand up to which its best melds are looked for.


def choose(decision: sdk.Decision, *, takes: bool = True, waits: bool = False) -> sdk.Answer:
    """The action of the phase that earns most now."""
    game, view, legal = decision.game, decision.view, decision.legal
    assert isinstance(game, Rummy500)
    match decision.phase:
        case Phase.START:
            return start(game, view, legal, takes=takes)
        case Phase.PLAY:
            return play(game, view, legal, waits=waits)
        case _:
            return discard(game, view, decision.fallback)


def start(game: Rummy500, view: View, legal: sdk.Actions, *, takes: bool) -> Action:
    """The draw after which hand and melds are worth most; with an empty stock the end, unless the pile has more."""
    found = DrawStock() if view.stock else legal[-1]
    most = worth(game, view, view.hand)
    for action in legal if takes else ():
        if isinstance(action, DrawPile) and len(view.hand) + action.count <= SURVEYED:
            taken = view.pile[-action.count :]
            value = worth(game, view, with_cards(view.hand, taken))
            if action.count > 1:
                value += DENIED * hand_points(taken)
            if value > most:
                found, most = action, value
    return found


def worth(game: Rummy500, view: View, hand: Cards) -> float:
    """What *hand* earns: what can be placed, less what is left at the risk that the deal ends soon."""
    loose = loose_cards(game, hand)
    stuck = hand_points([card for card in loose if not fits(game, view.melds, card)])
    return hand_points(hand) - stuck * (1 + max(0, FEW - fewest(view)) / 5)


def fewest(view: View) -> int:
    """The fewest cards in another hand."""
    return min(size for seat, size in enumerate(view.hand_sizes) if seat != view.seat and view.status[seat])


def loose_cards(game: Rummy500, hand: Cards) -> Cards:
    """The cards that the best arrangement of *hand* leaves."""
    if len(hand) > SURVEYED:
        return hand
    rest = without(hand, [card for meld in game.arranger().best(hand)[1] for card in meld])
    assert rest is not None, "an arrangement consists of cards of the hand"
    return rest


def fits(game: Rummy500, melds: tuple[TableMeld, ...], card: Card) -> bool:
    """Whether *card* can be laid off."""
    return any(True in ends_for(meld, card, game.meld_rules()) for meld in melds)


def play(game: Rummy500, view: View, legal: sdk.Actions, *, waits: bool) -> Action:
    """What is owed where that leaves most, then the melds of the best arrangement, then cards that fit."""
    if waits and EndMelds() in legal and min(len(loose_cards(game, view.hand)), fewest(view)) > FEW < view.stock:
        return EndMelds()
    placing = [action for action in legal if isinstance(action, Meld | LayOff)]
    if view.owed is not None:
        return max(placing, key=lambda action: after(game, view, action))
    if len(view.hand) <= SURVEYED:
        best = game.arranger().best(view.hand)[1]
        placing = [action for action in placing if not isinstance(action, Meld) or action.cards in best] or placing
    return placing[0] if placing else EndMelds()


def after(game: Rummy500, view: View, action: Meld | LayOff) -> float:
    """What the hand is worth with *action* played."""
    return hand_points(action.cards) + worth(game, view, without(view.hand, action.cards) or ())


def discard(game: Rummy500, view: View, fallback: Action) -> Action:
    """The loose card that is farthest from a meld with others, in the hand or in the pile, where it may be wanted."""
    loose = [card for card in loose_cards(game, view.hand) if card != view.forbidden]
    safe = [card for card in loose if not fits(game, view.melds, card)] or loose
    return Discard(min(safe, key=lambda card: (cost(view, card), card))) if safe else fallback


def cost(view: View, card: Card) -> int:
    """What throwing *card* gives away."""
    return hand_points((card,)) + CLOSE * (near(view.hand, card) + near(view.pile, card))


def near(cards: Cards, card: Card) -> int:
    """How many of *cards* could be in one meld with *card*."""
    return sum(
        other != card and (other % 13 == card % 13 or (other // 13 == card // 13 and abs(other - card) <= 2))
        for other in cards
    )
