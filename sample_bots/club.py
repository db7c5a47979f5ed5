"""Club for the sample bots: the pile is a store that it fills and empties, melds stay hidden, and out it goes early.

What decides most deals is the discard. A card in the pile is not lost: whoever melds it takes all that lies above it.
So of a pair one card may go there, and a third one brings it back with company; a card that makes nothing with the
hand, the pile and the unseen cards is what to throw. And what lies in the pile is there for the others as well.
`prospects` counts both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

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
from rummy.rules.cards import PACK
from rummy.rules.game import Phase, TableMeld, View
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import LIMIT, MELDS, arranger_of
from rummy.rules.games.club_score import (
    BASE,
    CHEAPEST,
    EXTRA,
    IN_HAND,
    ON_TABLE,
    OUT_AT_ONCE,
    OUT_BEATEN,
    OUT_CLEAN,
    hand_points,
    table_points,
)
from rummy.rules.tabling import after_lay_off, minimal_melds, tabled, with_cards, without
from sample_bots import sdk

SURVEYED = 24  # Cards of a hand up to which its best melds are looked for.
HELD = 0.37  # What a point in the hand costs: the deal may go on, and the card be melded.
RISK = 0.05  # By how much more for each card that another hand is smaller than FEW.
FEW = 7  # With so few cards in another hand the deal may soon be over: melds are tabled at once.
NEAR = 40.0  # The worth of a hand that may go out.
HOPE = {(2, 0): 0.17, (1, 1): 0.093, (1, 0): 0.027}  # What a meld is worth by its cards in the hand and in the pile.
EARLY, FADING, LONG = 1.32, 0.08, 10  # By what hopes count in the first turn, and less in each up to the last of these.
STOCK = 10.0  # The worth of a card of the stock.
THREAT = 0.3  # What a meld costs by the chance that another can take it from the pile.
LATE = 12  # With so few cards in the stock a patient seat goes out as well.


class Plan(NamedTuple):
    """What a hand becomes if all is tabled that can be: the melds, the points that earns, and the cards left."""

    melds: Sequence[Cards]
    gain: int
    rest: Cards


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
            return discard(game, view, decision.fallback)
        case _:
            is_last = decision.deal + 1 >= game.rounds * view.seats
            return GoOut() if GoOut() in legal and is_time(game, view, is_last, waits=waits) else Continue()


# ---- what a hand is worth


def planned(game: Club, view: View, hand: Cards) -> Plan:
    """What is tabled of *hand*: its best melds, then what fits on them and on the table."""
    worth, rules = ON_TABLE[game.double_clubs], MELDS[game.ace]
    melds = joined(game, arranger_of(game.ace, double=game.double_clubs).best(hand)[1])
    table = [*view.melds, *[new for meld in melds if (new := tabled(meld, 0, rules)) is not None]]
    rest = without(hand, [card for meld in melds for card in meld])
    assert rest is not None, "an arrangement consists of cards of the hand"
    gain = sum([worth[card] for meld in melds for card in meld]) + EXTRA * sum([len(meld) - BASE for meld in melds])
    while (card := next((card for card in rest if lay(game, table, card)), None)) is not None:
        gain += worth[card] + EXTRA
        rest = without(rest, (card,)) or ()
    return Plan(melds, gain, rest)


def joined(game: Club, melds: Sequence[Cards]) -> list[Cards]:
    """*melds* with two that make one laid as one: each card beyond three earns more (CLB-8.8)."""
    made: list[Cards] = []
    for meld in melds:
        at = next((at for at, other in enumerate(made) if tabled(other + meld, 0, MELDS[game.ace])), None)
        if at is None:
            made.append(meld)
        else:
            made[at] += meld
    return made


def lay(game: Club, table: list[TableMeld], card: Card) -> bool:
    """Whether a meld of *table* takes *card*; it then has it."""
    for number, meld in enumerate(table):
        grown = after_lay_off(meld, LayOff((card,), number), 0, MELDS[game.ace])
        if grown is not None:
            table[number] = grown
            return True
    return False


Worth = tuple[int, int]  # The cards of a meld, as bits, and what it earns.


class Sight(NamedTuple):
    """What a decision rests on, whatever this seat may do."""

    free: int  # Cards, as bits, that are in the stock or in other hands.
    weight: float  # By what hopes count.
    others: Sequence[tuple[int, float]]  # By other hand: what it is known to hold, and the chance of any unseen card.


def seen(game: Club, view: View) -> Sight:
    """The sight of the seat whose *view* it is."""
    hidden = unseen(game, view)
    free, others = bits(hidden), []
    for seat, (known, size) in enumerate(zip(view.known, view.hand_sizes, strict=True)):
        if seat != view.seat and view.status[seat]:
            free |= bits(known)
            others.append((bits(known), (size - len(known)) / max(1, len(hidden))))
    return Sight(free, EARLY - FADING * min(view.turns / view.seats, LONG), others)


def throws(game: Club, view: View, sight: Sight, plan: Plan, pile: Cards) -> Iterator[tuple[float, Card]]:
    """By card of the rest: what *plan* is worth if it is thrown on *pile*."""
    cost = HELD + RISK * max(0, FEW - fewest(view))
    kept, stored = bits(plan.rest), bits(pile)
    melds = [meld for meld in all_melds(game) if not meld[0] & ~(sight.free | kept | stored)]
    outlook = prospects(sight, melds, kept, stored)
    for card in plan.rest:
        rest = without(plan.rest, (card,)) or ()
        points = hand_points(rest, double=game.double_clubs)
        value = plan.gain - cost * points + (NEAR if points <= LIMIT else 0) + (0 if rest else OUT_CLEAN)
        touched = [meld for meld in melds if meld[0] >> card & 1]
        change = prospects(sight, touched, bits(rest), stored | 1 << card) - prospects(sight, touched, kept, stored)
        yield value + outlook + change, card


def prospects(sight: Sight, melds: Sequence[Worth], hand: int, pile: int) -> float:
    """What *melds* may earn this seat, less what they may earn the others, who take from the pile as well."""
    total = 0.0
    for cards, worth in melds:
        held, stored = cards & hand, cards & pile
        if held:
            total += sight.weight * worth * HOPE.get((held.bit_count(), (stored & ~hand).bit_count()), 0.0)
        elif stored:
            missing = cards & ~pile
            chances = [chance ** (missing & ~known).bit_count() for known, chance in sight.others]
            total -= THREAT * worth * sum(chances) / len(chances)
    return total


@lru_cache(maxsize=16)
def all_melds(game: Club) -> list[Worth]:
    """Every meld of three cards, as bits, and what it earns."""
    worth = ON_TABLE[game.double_clubs]
    return [(bits(cards), sum([worth[card] for card in cards])) for cards in minimal_melds(PACK, MELDS[game.ace])]


def bits(cards: Sequence[Card]) -> int:
    """*cards* as a number with a bit for each; copies are one."""
    found = 0
    for card in cards:
        found |= 1 << card
    return found


def unseen(game: Club, view: View) -> list[Card]:
    """The cards that lie in other hands or in the stock, nobody tells where."""
    cards = list(game.deck(sum([status != 0 for status in view.status])))
    others = [known for seat, known in enumerate(view.known) if seat != view.seat]
    for zone in (view.hand, view.pile, *others, *[meld.cards for meld in view.melds]):
        for card in zone:
            if card in cards:  # A hand that is only thought of holds cards of the pile.
                cards.remove(card)
    return cards


def fewest(view: View) -> int:
    """The fewest cards in another hand."""
    return min(size for seat, size in enumerate(view.hand_sizes) if seat != view.seat and view.status[seat])


# ---- the turn


def start(game: Club, view: View, legal: Sequence[Action]) -> Action:
    """The draw after which the turn could leave most."""
    found: Action = DrawStock()
    if len(view.hand) >= SURVEYED:
        return found
    sight = seen(game, view)
    most = prospect(game, view, sight, 0) + STOCK
    for action in legal:
        if isinstance(action, DrawPile) and len(view.hand) + action.count <= SURVEYED:
            value = prospect(game, view, sight, action.count)
            if value > most:
                found, most = action, value
    return found


def prospect(game: Club, view: View, sight: Sight, count: int) -> float:
    """What the turn may leave after taking *count* cards from the pile."""
    left = len(view.pile) - count
    plan = planned(game, view, with_cards(view.hand, view.pile[left:]))
    if not plan.rest:
        return plan.gain + NEAR + (OUT_CLEAN if is_laid(view) else OUT_AT_ONCE)
    return max(throws(game, view, sight, plan, view.pile[:left]))[0]


def is_laid(view: View) -> bool:
    """Whether this seat has a card on the table."""
    return any(view.seat in meld.placers for meld in view.melds)


def play(game: Club, view: View, legal: Sequence[Action]) -> Action:
    """What is owed; then nothing until the seat could go out, or another soon will; then all that can be tabled."""
    worth = ON_TABLE[game.double_clubs]
    melds = [action for action in legal if isinstance(action, Meld)]
    lay_offs = [action for action in legal if isinstance(action, LayOff)]
    if len(view.hand) <= SURVEYED:
        plan = planned(game, view, view.hand)
        if view.owed is None and hides(game, view, plan):
            return EndMelds()
        planned_melds = [Meld(cards) for cards in plan.melds if view.owed is None or view.owed in cards]
        melds = planned_melds if planned_melds or view.owed is None else melds
    if melds:
        return max(melds, key=lambda meld: after(game, view, meld))
    return max(lay_offs, key=lambda lay_off: worth[lay_off.cards[0]]) if lay_offs else EndMelds()


def hides(game: Club, view: View, plan: Plan) -> bool:
    """Whether melds stay in the hand, where nobody adds to them: while neither this seat nor another can go out."""
    if fewest(view) < FEW or view.stock <= view.seats:
        return False
    left = [IN_HAND[game.double_clubs][card] for card in plan.rest]
    return view.turns + 1 < view.seats or sum(left) - max(left, default=0) > LIMIT


def after(game: Club, view: View, meld: Meld) -> int:
    """What tabling *meld* and all else earns, less what is then held; of a great hand the meld alone."""
    gain = sum([ON_TABLE[game.double_clubs][card] for card in meld.cards])
    rest = without(view.hand, meld.cards)
    if rest is None or len(rest) > SURVEYED:
        return gain
    plan = planned(game, view, rest)
    return gain + plan.gain - hand_points(plan.rest, double=game.double_clubs)


def discard(game: Club, view: View, fallback: Action) -> Action:
    """The card that the hand misses least; a great hand is not looked through."""
    if len(view.hand) > SURVEYED:
        return fallback
    plan = planned(game, view, view.hand)
    if not plan.rest:
        return fallback
    return Discard(max(throws(game, view, seen(game, view), plan, view.pile))[1])


def is_time(game: Club, view: View, is_last: bool, *, waits: bool) -> bool:
    """Whether to end the deal here: not where that loses the match; a seat that waits wants to lose no point by it."""
    if waits and view.hand and view.stock > LATE:
        return hand_points(view.hand, double=game.double_clubs) <= CHEAPEST
    return not is_last or lead(game, view) >= 0


def lead(game: Club, view: View) -> float:
    """By how much this seat would be ahead in the match if it went out now, the other hands at their mean."""
    double, me = game.double_clubs, view.seat
    assert me is not None
    cards = unseen(game, view)
    mean = hand_points(cards, double=double) / len(cards) if cards else 0.0
    held = [
        hand_points(known, double=double) + mean * (size - len(known))
        for known, size in zip(view.known, view.hand_sizes, strict=True)
    ]
    held[me] = hand_points(view.hand, double=double)
    table = table_points(view.melds, view.seats, double=double)
    totals = [score + earned - lost for score, earned, lost in zip(view.scores, table, held, strict=True)]
    others = [seat for seat in range(view.seats) if seat != me and view.status[seat]]
    beaten = any(held[seat] < held[me] for seat in others)
    bonus = OUT_CLEAN if not view.hand else -OUT_BEATEN if beaten else 0
    return totals[me] + bonus - max(totals[seat] for seat in others)
