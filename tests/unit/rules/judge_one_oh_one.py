"""101 against the oracle: knocks and what they cost, the turn after the break, and a deal that ends without a knock."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import oracle
from hands import drawn_hand, rich_hand
from judging import cards_of_texts, kind, mask_of, texts_of

from rummy.rules.actions import Discard, DrawPile, EndMelds, Knock, LayOff, Meld
from rummy.rules.cards import parse_card
from rummy.rules.game import DealTerms, Phase
from rummy.rules.games.one_oh_one import OneOhOne
from rummy.rules.games.one_oh_one_deal import OneOhOneState
from rummy.rules.melds import tabled

GAMES = [
    (OneOhOne(tie_penalty=ties, over_limit=over), ties, over) for ties in (False, True) for over in ("score", "void")
]
Hands = dict[int, tuple[str, ...]]


def position(hands: Hands, scores: tuple[int, ...]) -> OneOhOneState:
    """A deal in which the first of *hands*, which come clockwise, is to begin; a stock that suffices."""
    seats = len(hands)
    held = {card for hand in hands.values() for card in hand}
    terms = DealTerms(seats, tuple(range(seats)), seats - 1, next(iter(hands)), scores)
    stock = cards_of_texts([card for card in oracle.ORDER if card not in held])
    return OneOhOneState(terms, [mask_of(hands[seat]) for seat in range(seats)], list(stock))


def some_hands(random: Random, seats: int, size: int) -> Hands:
    """A hand for each seat, clockwise from any of them."""
    first = random.randrange(seats)
    left, hands = list(oracle.ORDER), {}
    for seat in range(first, first + seats):
        hand = random.choice((drawn_hand, rich_hand))(random, size, left)
        hands[seat % seats] = hand
        left = [card for card in left if card not in hand]
    return hands


def knocks(random: Random) -> Iterator[str]:
    """101-6, 7: who may knock, what each seat shows and adds, and what a knock over the limit does."""
    seats = random.randint(2, 6)
    hands, scores = some_hands(random, seats, 7), tuple([random.randint(0, 100) for _ in range(seats)])
    game, ties, over = random.choice(GAMES)
    state, knocker = position(hands, scores), next(iter(hands))
    own = oracle.least(hands[knocker])
    fair = own <= oracle.limit_101(scores[knocker])
    assert (Knock() in game.legal_actions(state)) is fair, (hands, scores)
    game.apply(state, Knock())
    while game.decision(state) is not None:
        game.apply(state, game.default_action(state))
    assert state.result is not None
    if fair:
        added = oracle.score_101(oracle.show_101(hands, knocker), knocker, tie_counts=ties)
        word = "knock" if own else "go rummy"
        assert (state.result.reason, state.result.out) == (word, ()), hands
        assert state.result.points == tuple([added[seat] for seat in range(seats)]), hands
        yield from [word if added[knocker] == own else "beaten"] * seats
        return
    assert (state.result.reason, state.result.out) == ("foul knock", (knocker,)), hands
    for seat in range(seats):
        if seat != knocker:
            wanted = oracle.least(hands[seat]) if over == "score" else 0
            assert state.result.points[seat] == wanted, hands
            yield f"foul {over}"


def turns_after_the_break(random: Random) -> Iterator[str]:
    """101-3, 9.2, 9.3, 9.5: whether the discard may be taken, every meld, and every card that may be laid off."""
    hand = drawn_hand(random, random.randint(3, 8))
    left = [card for card in oracle.ORDER if card not in hand]
    top, table = random.choice(left), []
    for _ in range(random.randrange(4)):
        cards = drawn_hand(random, 4, left)
        every = [meld for at in range(4) for meld in oracle.melds_with_first(cards[at:]) if top not in meld]
        if every:
            table.append(random.choice(every))
            left = [card for card in left if card not in table[-1]]
    game, state = GAMES[0][0], position({0: hand, 1: ()}, (0, 0))
    state.melds = [tabled(cards_of_texts(meld), 1) for meld in table]
    state.breaker, state.break_turn, state.turns = 1, 30, 31
    state.stock, state.pile = state.stock[:1], [parse_card(top)]
    more = oracle.in_order((*hand, top))
    usable = any(top in meld for at in range(len(more)) for meld in oracle.melds_with_first(more[at:]))
    assert (DrawPile() in game.legal_actions(state)) is usable, (hand, top)
    state.phase = Phase.PLAY
    every = [meld for at in range(len(hand)) for meld in oracle.melds_with_first(hand[at:])]
    fits = [(card, n) for n, meld in enumerate(table) for card in hand if card in oracle.takers(oracle.in_order(meld))]
    legal = game.legal_actions(state)
    assert {texts_of(action.cards) for action in legal if isinstance(action, Meld)} == set(every), hand
    laid = [(texts_of(action.cards)[0], action.meld) for action in legal if isinstance(action, LayOff)]
    assert sorted(laid) == sorted(fits), (hand, table)
    assert (EndMelds() in legal) is not bool(every)
    assert len(legal) == len(every) + len(fits) + (not every)
    yield "meld and lay off" if every and fits else "meld" if every else "lay off" if fits else "neither"


def ends_without_a_knock(random: Random) -> Iterator[str]:
    """101-9.8, 9.10: all that is unmelded counts, without lay-offs and without a penalty."""
    seats = random.randint(2, 6)
    hands = some_hands(random, seats, random.randint(2, 7))
    capped = random.random() < 0.5
    game, seat = GAMES[0][0], next(iter(hands))
    state = position(hands, (0,) * seats)
    thrown = random.choice(hands[seat])
    hands[seat] = tuple([card for card in hands[seat] if card != thrown])
    if capped:
        state.turns = 40 * seats - 1
    else:
        state.stock = []
    state.phase = Phase.DISCARD
    game.apply(state, Discard(parse_card(thrown)))
    assert state.result is not None
    word = "turn cap" if capped else "stock"
    wanted = tuple([oracle.least(hands[each]) for each in range(seats)])
    assert (state.result.reason, state.result.points) == (word, wanted), hands
    yield from [word] * seats


KINDS = {
    "knocks": kind(knocks, "knock, beaten, go rummy, foul score, foul void"),
    "turns after the break": kind(turns_after_the_break, "meld and lay off, meld, lay off, neither"),
    "ends without a knock": kind(ends_without_a_knock, "stock, turn cap"),
}
