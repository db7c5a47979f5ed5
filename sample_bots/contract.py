"""Contract rummy for the sample bots: collects towards the contract, lays it at once, then lays off what fits.

A bot may differ in two things: whether it *takes* upcards at all, and whether it *waits* for its own turn to do so,
instead of buying them with a card of the stock.
"""

from __future__ import annotations

from collections import Counter

from rummy.rules.actions import Action, Card, Cards, Discard, DrawPile, DrawStock, EndMelds, LayOff, Meld, Pass, Take
from rummy.rules.game import Phase, View
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import hand_points
from rummy.rules.games.contract_lay import RULES, some
from rummy.rules.tabling import JOKER, ends_for, with_cards, without
from sample_bots import sdk

IN_SET = (0, 2, 9, 24)  # What so many cards of a rank are worth, up to a whole set,
IN_RUN = (0, 1, 5, 14, 30)  # and so many cards of four places in a row.
WILD = 12  # A joker.
GAIN = 3  # So much better must the upcard make a hand than it was.


def choose(decision: sdk.Decision, *, takes: bool = True, waits: bool = False) -> sdk.Answer:
    """The action of the phase that helps most now."""
    view, legal = decision.view, decision.legal
    assert isinstance(decision.game, Contract)
    match decision.phase:
        case Phase.OFFER:
            return Take() if takes and not waits and wants(view, view.pile[-1]) else Pass()
        case Phase.START:
            return DrawPile() if takes and wants(view, view.pile[-1]) else DrawStock()
        case Phase.PLAY:
            return play(view, legal)
        case _:
            return discard(view, decision.fallback)


def has_laid(view: View) -> bool:
    """Whether this seat has its contract on the table."""
    return any(meld.seat == view.seat for meld in view.melds)


def fits(view: View, card: Card) -> bool:
    """Whether *card* can be laid off."""
    return any(True in ends_for(meld, card, RULES) for meld in view.melds)


def wants(view: View, card: Card) -> bool:
    """Whether *card* brings the contract nearer, or can be laid off at once."""
    if has_laid(view):
        return fits(view, card)
    more = with_cards(view.hand, (card,))
    sets, runs = view.contract
    if some(more, sets, runs) is not None:
        return True
    return worth(view, more) >= worth(view, view.hand) + GAIN


def worth(view: View, hand: Cards) -> int:
    """How near *hand* is to so many sets and runs: its best parts, a card in one of them only."""
    sets, runs = view.contract
    left = [card for card in hand if card < JOKER]
    total = WILD * (len(hand) - len(left))
    for kind in ["run"] * runs + ["set"] * sets:
        part = best_run(left) if kind == "run" else best_set(left)
        total += (IN_RUN if kind == "run" else IN_SET)[len(part)]
        for card in part:
            left.remove(card)
    return total


def best_run(cards: list[Card]) -> list[Card]:
    """The most cards of four places in a row."""
    held = set(cards)
    windows = [[suit + (start + at) % 13 for at in range(4)] for suit in range(0, 52, 13) for start in range(11)]
    return max(([card for card in window if card in held] for window in windows), key=len)


def best_set(cards: list[Card]) -> list[Card]:
    """The most cards of a rank, three at most."""
    ranks = Counter(card % 13 for card in cards)
    if not ranks:
        return []
    rank, _ = max(ranks.items(), key=lambda each: (each[1], -each[0]))
    return [card for card in cards if card % 13 == rank][:3]


def play(view: View, legal: sdk.Actions) -> Action:
    """The contract with its dearest cards, then what fits on the table."""
    melds = [action for action in legal if isinstance(action, Meld)]
    if melds:
        return max(melds, key=lambda meld: hand_points(meld.cards))
    return next((action for action in legal if isinstance(action, LayOff)), EndMelds())


def discard(view: View, fallback: Action) -> Action:
    """The card that the hand misses least, the dearest of several; what others could lay off is kept."""
    cards = [card for card in dict.fromkeys(view.hand) if card < JOKER]
    cards = [card for card in cards if card != view.forbidden or view.hand.count(card) > 1]
    if not cards:
        return fallback
    if has_laid(view):
        return Discard(max(cards, key=lambda card: (not fits(view, card), hand_points((card,)), card)))
    return Discard(
        max(cards, key=lambda card: (worth(view, without(view.hand, (card,)) or ()), kept(view, card), card))
    )


def kept(view: View, card: Card) -> int:
    """Among cards that help alike: throw the dear ones without neighbours."""
    near = sum(
        other != card and (other % 13 == card % 13 or (other // 13 == card // 13 and abs(other - card) <= 3))
        for other in view.hand
    )
    return hand_points((card,)) - 4 * near
