"""Rummy 500 against the oracle: melds and their points, lay-offs, the pile, the default discard, what a deal scores."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import oracle
import oracle_tabled as judge
from hands import near_cards, packs_hand, packs_meld
from judging import cards_of_texts, kind, texts_of
from oracle_arranged import Arranged, Melding

from rummy.rules.actions import Discard, DrawPile, LayOff, Pass
from rummy.rules.cards import parse_card
from rummy.rules.game import DealTerms, Phase
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.rummy500_deal import RULES, meld_points
from rummy.rules.games.zones import Zones
from rummy.rules.tabling import after_lay_off, hand_of, single_lay_offs, tabled

GAME = Rummy500()
HOW = Melding("either", distinct=True, most_set=4)


def state_of(seats: int, turn: int, hands: list[tuple[str, ...]], pile: tuple[str, ...], stock: str = "2c") -> Zones:
    """A deal in play."""
    terms = DealTerms(seats, tuple(range(seats)), 0, turn, (0,) * seats)
    return Zones(
        terms,
        [hand_of(cards_of_texts(hand)) for hand in hands],
        list(cards_of_texts([stock])),
        list(cards_of_texts(pile)),
    )


def melds(random: Random) -> Iterator[str]:
    """R500-4, 6.1, 6.2: what is a set or a run, and what each card of it counts."""
    jokers = random.choice((0, 0, 0, 1, 1, 2))
    cards = list(packs_hand(random, random.choice((3, 3, 3, 4, 4, 5, 6, 9, 13)) - jokers, jokers=jokers))
    if random.random() < 0.3:
        cards = list(packs_meld(random, jokers=jokers))
    elif jokers and random.random() < 0.6:
        cards.insert(random.randrange(len(cards)), cards.pop())
    else:
        random.shuffle(cards)
    found = tabled(cards_of_texts(cards), 0, RULES)
    wanted = "run" if judge.is_500_run(cards) else "set" if judge.is_500_set(cards) else "neither"
    assert ("neither" if found is None else "run" if found.run else "set") == wanted, cards
    if found is not None:
        assert meld_points(found) == judge.table_500(texts_of(found.cards)), cards
    yield f"{wanted} with a joker" if found is not None and "Xr" in cards else wanted


def lay_offs(random: Random) -> Iterator[str]:
    """R500-4, COM-5, 6: every card that a meld on the table takes, and at which end a joker may lie."""
    table = tabled(cards_of_texts(packs_meld(random, jokers=random.choice((0, 0, 1)))), 0, RULES)
    if table is None:
        return
    meld = texts_of(table.cards)
    every, wanted = near_cards(random, meld), set()
    found = single_lay_offs(hand_of(cards_of_texts(every)), [table], RULES)
    for card in every:
        low, high = judge.basic_ends(meld, card, run=table.run, ace="either", packs=1, distinct=True)
        wanted |= {(card, False)} if low or high else set()
        wanted |= {(card, True)} if low and high and card == "Xr" else set()
    assert {(texts_of(each.cards)[0], each.low) for each in found} == wanted, meld
    yield "run" if table.run else "set"


def takes(random: Random) -> Iterator[str]:
    """R500-3: how many cards of the spread pile may be taken."""
    cards = list(packs_hand(random, random.randint(4, 16)))
    random.shuffle(cards)
    size = random.randint(1, len(cards) - 2)
    hand, pile = oracle.in_order(cards[:size]), tuple(cards[size:])
    state = state_of(2, 0, [hand, ("3d",)], pile)
    tables = [tabled(cards_of_texts(packs_meld(random)), 1, RULES) for _ in range(random.randrange(3))]
    state.melds = [table for table in tables if table is not None]
    found = [action.count for action in GAME.legal_actions(state) if isinstance(action, DrawPile)]
    assert found == judge.takes_500(hand, pile, [texts_of(meld.cards) for meld in state.melds]), (hand, pile)
    yield "many" if len(found) > 1 else "one"


def discards(random: Random) -> Iterator[str]:
    """R500-4, 6.3, COM-14: the discard after which the fewest points are unmelded, of several the highest card."""
    hand = packs_hand(random, random.randint(2, 13))
    best = Arranged(hand, HOW, lambda card: judge.held_500([card]))
    after = {card: best.least(card) for card in hand}
    least = [card for card in after if after[card] == min(after.values())]
    rank = {card: (oracle.RANKS.index(card[0]), -oracle.SUITS.index(card[1])) for card in least}
    state = state_of(2, 0, [hand, ("3d",)], ("4d",))
    state.phase = Phase.DISCARD
    assert GAME.default_action(state) == Discard(parse_card(max(least, key=rank.__getitem__))), hand
    assert GAME.arranger().least(hand_of(cards_of_texts(hand))) == best.least(), hand
    yield "all melded" if not min(after.values()) else "melds" if best.pieces else "none"


def scores(random: Random) -> Iterator[str]:
    """R500-4, 5, 6: what each seat scores for the cards that it has placed, less what it holds."""
    seats, out = random.randint(2, 6), random.random() < 0.5
    turn = random.randrange(seats)
    hands = [packs_hand(random, random.randint(1, 10), jokers=random.choice((0, 0, 1))) for _ in range(seats)]
    if out:
        hands[turn] = hands[turn][:1]
    state = state_of(seats, turn, hands, ("2d",))
    points = [0] * seats
    for _ in range(random.randrange(4)):
        add_meld(random, state, points, seats)
    if out:
        state.phase = Phase.DISCARD
        GAME.apply(state, Discard(state.hands[turn][0]))
        hands[turn] = ()
    else:
        state.stock = []
        GAME.apply(state, Pass())
    wanted = [points[seat] - judge.held_500(hands[seat]) for seat in range(seats)]
    assert state.result is not None
    assert (state.result.reason, list(state.result.points)) == ("out" if out else "stock", wanted), (hands, state.melds)
    yield from [state.result.reason] * seats


def add_meld(random: Random, state: Zones, points: list[int], seats: int) -> None:
    """Tables a meld of any seat, has any seats lay cards off on it, and adds what that is worth."""
    owner = random.randrange(seats)
    table = tabled(cards_of_texts(packs_meld(random, jokers=random.choice((0, 0, 1)))), owner, RULES)
    if table is None:
        return
    placed = [(card, owner) for card in texts_of(table.cards)]
    for card in near_cards(random, texts_of(table.cards))[:-1]:
        seat = random.randrange(seats)
        grown = after_lay_off(table, LayOff((parse_card(card),), 0), seat, RULES)
        if grown is not None:
            low = table.run and texts_of(grown.cards)[0] == card != placed[0][0]
            placed.insert(0 if low else len(placed), (card, seat))
            table = grown
    if not table.run:
        placed.sort(key=lambda each: each[0] in oracle.JOKERS)
    for (_, seat), worth in zip(placed, judge.table_500([card for card, _ in placed]), strict=True):
        points[seat] += worth
    state.melds.append(table)


KINDS = {
    "melds": kind(melds, "set, run, neither, set with a joker, run with a joker"),
    "lay-offs": kind(lay_offs, "set, run"),
    "takes": kind(takes, "many, one"),
    "discards": kind(discards, "all melded, melds, none"),
    "scores": kind(scores, "out, stock"),
}
