"""Club for the sample bots: draws what leaves it best off, tables all it can, goes out where nobody can hold less."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.rules.actions import (
    Action,
    Card,
    Cards,
    Continue,
    Discard,
    DrawPile,
    DrawStock,
    EndMelds,
    GoOut,
    LayOff,
    Meld,
)
from rummy.rules.game import Phase, TableMeld, View
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import LIMIT, MELDS, arranger_of
from rummy.rules.games.club_score import CHEAPEST, IN_HAND, ON_TABLE, hand_points
from rummy.rules.tabling import after_lay_off, tabled, with_cards
from sample_bots import sdk

SURVEYED = 24  # Cards of a hand up to which its best melds are looked for.
PILE = 10  # What cards of the pile may cost: it is good to have more than the others.
NEAR = 30  # The worth of a hand that may go out.
PARTNER = 4  # What a card is worth for each one in the hand that could meld with it.
LATE = 12  # With so few cards in the stock a patient seat goes out as well.


def choose(decision: sdk.Decision, *, takes_pile: bool = True, waits: bool = False) -> sdk.Answer:
    """The answer of a seat that takes from the pile or not, and that waits to go out without a card or does not."""
    game, view, legal = decision.game, decision.view, decision.legal
    assert isinstance(game, Club)
    match decision.phase:
        case Phase.START:
            return start(game, view, legal) if takes_pile else DrawStock()
        case Phase.PLAY:
            return play(game, view, legal)
        case Phase.DISCARD:
            return Discard(max(view.hand, key=lambda card: useless(game, view.hand, card)))
        case _:
            return GoOut() if GoOut() in legal and is_time(game, view, waits=waits) else Continue()


def start(game: Club, view: View, legal: Sequence[Action]) -> Action:
    """The draw after which the turn could leave most."""
    found: Action = DrawStock()
    if len(view.hand) >= SURVEYED:
        return found
    most = prospect(game, view, view.hand) - PILE
    for action in legal:
        if isinstance(action, DrawPile) and len(view.hand) + action.count <= SURVEYED:
            value = prospect(game, view, with_cards(view.hand, view.pile[-action.count :]))
            if value > most:
                found, most = action, value
    return found


def prospect(game: Club, view: View, hand: Cards) -> int:
    """What *hand* is worth if all is tabled that can be: the gain on the table, less what is left after a discard."""
    on_table, in_hand, rules = ON_TABLE[game.double_clubs], IN_HAND[game.double_clubs], MELDS[game.ace]
    _, melds = arranger_of(game.ace, double=game.double_clubs).best(hand)
    table = [*view.melds, *[new for meld in melds if (new := tabled(meld, 0, rules)) is not None]]
    placed = [card for meld in melds for card in meld]
    left = list(hand)
    for card in placed:
        left.remove(card)
    for card in sorted(left, key=lambda card: -in_hand[card]):
        if lay(game, table, card):
            left.remove(card)
            placed.append(card)
    rest = sum([in_hand[card] for card in left]) - max([in_hand[card] for card in left], default=0)
    return sum([on_table[card] for card in placed]) - rest + (NEAR if rest <= LIMIT else 0)


def lay(game: Club, table: list[TableMeld], card: Card) -> bool:
    """Whether a meld of *table* takes *card*; it then has it."""
    for number, meld in enumerate(table):
        grown = after_lay_off(meld, LayOff((card,), number), 0, MELDS[game.ace])
        if grown is not None:
            table[number] = grown
            return True
    return False


def play(game: Club, view: View, legal: Sequence[Action]) -> Action:
    """What is owed, then a meld of the best arrangement, then the dearest card that fits a meld on the table."""
    worth = ON_TABLE[game.double_clubs]
    melds = [action for action in legal if isinstance(action, Meld)]
    if melds and view.owed is None and len(view.hand) <= SURVEYED:
        return Meld(arranger_of(game.ace, double=game.double_clubs).best(view.hand)[1][0])
    if melds:
        return max(melds, key=lambda meld: sum([worth[card] for card in meld.cards]))
    lay_offs = [action for action in legal if isinstance(action, LayOff)]
    return max(lay_offs, key=lambda lay_off: worth[lay_off.cards[0]]) if lay_offs else EndMelds()


def useless(game: Club, hand: Cards, card: Card) -> int:
    """How much is won by throwing *card*: what it counts, less for each card that could make a meld with it."""
    rank, suit = card % 13, card // 13
    partners = (
        sum(each % 13 == rank or (each // 13 == suit and 0 < abs(each % 13 - rank) <= 2) for each in hand) - 1
    )  # The card itself.
    return IN_HAND[game.double_clubs][card] - PARTNER * partners


def is_time(game: Club, view: View, *, waits: bool) -> bool:
    """Whether nobody can hold less than this seat, and it does not wait for more."""
    if not view.hand:
        return True
    if waits and view.stock > LATE:
        return False
    fewest = min(size for seat, size in enumerate(view.hand_sizes) if seat != view.seat and view.status[seat])
    return hand_points(view.hand, double=game.double_clubs) <= CHEAPEST * fewest
