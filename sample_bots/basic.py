"""How the sample bots play Basic rummy: an upcard that helps, melds and lay-offs at once, the dearest idle card away.

A bot may differ in two things: whether it *takes* from the pile, and whether it *waits* with its melds, for the double
count of going rummy, until it can go out or somebody else is about to.
"""

from __future__ import annotations

from collections.abc import Sequence

from rummy.rules.actions import Action, Card, Cards, Discard, DrawPile, DrawStock, EndMelds, LayOff, Meld, TurnOver
from rummy.rules.arranging import Arranger
from rummy.rules.game import Phase, View
from rummy.rules.games.basic import Basic
from rummy.rules.tabling import JOKER, MeldRules, ends_for, without
from sample_bots import sdk

NEAR_END = 3  # With so few cards in another hand, or so few turns of stock left, nobody waits any more.
SEARCHED = 16  # Larger hands are judged without their jokers.


def choose(decision: sdk.Decision, *, takes: bool = True, waits: bool = False) -> sdk.Answer:
    """An action that costs little now."""
    game, view, legal = decision.game, decision.view, decision.legal
    assert isinstance(game, Basic)
    match decision.phase:
        case Phase.START:
            return start(game, view, legal, takes=takes)
        case Phase.PLAY:
            return play(game, view, legal, waits=waits)
        case Phase.DISCARD:
            return finish(game, view, legal)
        case _:
            return legal[0]  # Calls what can be called.


# The draw.


def start(game: Basic, view: View, legal: sdk.Actions, *, takes: bool) -> Action:
    """The pile if it brings the hand nearer to its end, else the stock; a new stock before an upcard without use."""
    draws = [action for action in legal if isinstance(action, DrawPile)]
    rest = next((action for action in legal if isinstance(action, DrawStock | TurnOver)), None)
    if not takes and rest is not None:
        return rest
    solver, idle = game.arranger(), len(idle_cards(game.arranger(), view.hand))
    best = min(draws, key=lambda draw: loose_after(game, solver, view, draw.count), default=None)
    if best is not None and (rest is None or loose_after(game, solver, view, best.count) < idle):
        return best
    return rest or legal[0]


def loose_after(game: Basic, solver: Arranger, view: View, count: int) -> int:
    """The cards that would lie in no meld after taking *count* and throwing one; a lay-off takes one as well."""
    taken = view.pile[-count:]
    loose = idle_cards(solver, tuple(sorted((*view.hand, *taken))))
    if count == 1 and taken[0] in loose:
        return len(loose) - 2 if fits(game, view, taken[0]) else len(loose)
    return len(loose) - 1


def fits(game: Basic, view: View, card: Card) -> bool:
    """Whether *card* can be laid off on the table in this turn."""
    if game.own_meld_first and not any(meld.seat == view.seat for meld in view.melds):
        return False
    rules: MeldRules = game.meld_rules()
    return any(True in ends_for(meld, card, rules) for meld in view.melds)


# The melds.


def play(game: Basic, view: View, legal: sdk.Actions, *, waits: bool) -> Action:
    """A meld of the best arrangement, then a card of no meld that can be laid off, then the end."""
    melds = [action for action in legal if isinstance(action, Meld)]
    lay_offs = [action for action in legal if isinstance(action, LayOff)]
    _, best = arranged(game.arranger(), view.hand)
    idle = idle_cards(game.arranger(), view.hand)
    if waits and EndMelds() in legal and len(idle) > 1 and not is_late(view):
        return EndMelds()
    wanted = {tuple(sorted(cards)) for cards in best}
    for meld in sorted(melds, key=lambda meld: -len(meld.cards)):
        if tuple(sorted(meld.cards)) in wanted or EndMelds() not in legal:
            return meld
    for lay_off in lay_offs:
        if lay_off.cards[0] in idle or EndMelds() not in legal:
            return lay_off
    return EndMelds() if EndMelds() in legal else legal[0]


def is_late(view: View) -> bool:
    """Whether the deal may end soon, or its seat has tabled something already."""
    others = [size for seat, size in enumerate(view.hand_sizes) if seat != view.seat and view.status[seat] == 1]
    placed = any(view.seat in meld.placers for meld in view.melds)
    return placed or min(others, default=0) <= NEAR_END or view.stock <= NEAR_END * view.seats


# The discard.


def finish(game: Basic, view: View, legal: sdk.Actions) -> Action:
    """The idle card that counts most and has fewest others beside it; last of all one that goes on the table."""
    cards = [action.card for action in legal if isinstance(action, Discard)]
    idle = idle_cards(game.arranger(), view.hand)
    values = game.values()

    def worth(card: Card) -> tuple[bool, bool, int, Card]:
        value = 0 if card >= JOKER else values[card % 13]
        return card not in idle, card >= JOKER, 4 * beside(view.hand, card) - value, card

    return Discard(min(cards, key=worth))


def beside(hand: Cards, card: Card) -> int:
    """How many cards of *hand* could make a meld with *card* if a third came."""
    return sum(
        other != card
        and other < JOKER
        and (other % 13 == card % 13 or (other // 13 == card // 13 and near(other, card)))
        for other in hand
    )


def near(one: Card, other: Card) -> bool:
    """Whether two cards of a suit lie at most two apart, the ace beside the king as well."""
    apart = abs(one - other)
    return min(apart, 13 - apart) <= 2


def arranged(solver: Arranger, hand: Cards) -> tuple[int, Sequence[Cards]]:
    """The best arrangement of a hand."""
    return solver.best(hand if len(hand) <= SEARCHED else tuple([card for card in hand if card < JOKER]))


def idle_cards(solver: Arranger, hand: Cards) -> Cards:
    """The cards of *hand* that lie in no meld of its best arrangement."""
    left: Cards | None = hand
    for cards in arranged(solver, hand)[1]:
        left = without(left or (), cards)
    return left or ()
