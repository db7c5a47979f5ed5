"""Contract rummy against the oracle: melds, contracts, lay-offs, the best arrangement, and what a deal scores."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import oracle_tabled as judge
from hands import near_cards, packs_hand, packs_meld
from judging import cards_of_texts, kind, texts_of
from oracle import in_order, minus
from oracle_arranged import Arranged, Melding

from rummy.rules.actions import Discard
from rummy.rules.game import DealTerms, Phase
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState
from rummy.rules.games.contract_lay import RULES, exactly, some
from rummy.rules.tabling import hand_of, single_lay_offs, tabled

GAME = Contract()
HOW = Melding("either", distinct=False, most_set=99, least_run=4, naturals=1, half=True)
NEEDS = [(2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]  # CON-2.1


def melds(random: Random) -> Iterator[str]:
    """CON-1, 4.1, 4.3: what is a set or a run."""
    jokers = random.choice((0, 0, 0, 1, 1, 2, 3))
    cards = list(packs_hand(random, random.choice((3, 3, 4, 4, 5, 6, 9, 13)) - min(jokers, 2), 3, jokers))
    if random.random() < 0.3:
        cards = list(packs_meld(random, 3, jokers))
    elif jokers and random.random() < 0.6:
        cards.insert(random.randrange(len(cards)), cards.pop())
    else:
        random.shuffle(cards)
    found = tabled(cards_of_texts(cards), 0, RULES)
    wanted = "run" if judge.is_contract_run(cards) else "set" if judge.is_contract_set(cards) else "neither"
    assert ("neither" if found is None else "run" if found.run else "set") == wanted, cards
    yield f"{wanted} with a joker" if found is not None and "Xr" in cards else wanted


def hand_for(random: Random, need: tuple[int, int], *, whole: bool) -> tuple[str, ...]:
    """Cards that may well hold a contract: melds that make it, with some left out, others added, some jokers."""
    jokers = random.choice((0, 0, 1, 1, 2, 3))
    size = 3 * need[0] + 4 * need[1] + (0 if random.random() < 0.5 else random.choice((1, 2)))
    cards: list[str] = []
    while len(cards) < size - jokers:
        cards += packs_meld(random, 3)
    if whole and random.random() < 0.5:
        cards = [card for _ in range(sum(need)) for card in packs_meld(random, 3)][: 14 - jokers]
    else:
        random.shuffle(cards)
        cards = list(random.choice((cards[: size - jokers], packs_hand(random, max(1, size - jokers), 3))))
    cards = [card for at, card in enumerate(cards) if cards[:at].count(card) < 3]  # There are three packs.
    return (*in_order(cards), *["Xr"] * jokers)


def contracts(random: Random) -> Iterator[str]:
    """CON-4.2, 4.3, 6: whether a hand holds the melds that are asked for, or consists of them; and melds that do it."""
    need, whole = random.choice(NEEDS), random.random() < 0.5
    hand = hand_for(random, need, whole=whole)
    wanted = Arranged(hand, HOW, lambda card: 0).splits(*need, whole=whole)
    found = (exactly if whole else some)(hand_of(cards_of_texts(hand)), *need)
    assert (found is not None) is wanted, (hand, need, whole)
    if found is not None:
        left: tuple[str, ...] | None = hand
        runs = 0
        for meld in map(texts_of, found):
            runs += judge.is_contract_run(meld)
            assert judge.is_contract_run(meld) or judge.is_contract_set(meld), (hand, meld)
            left = minus(left or (), meld)
        assert left is not None and not (whole and left), (hand, found)
        assert (len(found) - runs, runs) == need, (hand, found)
    yield ("whole hand" if whole else "part") if wanted else "neither"


def lay_offs(random: Random) -> Iterator[str]:
    """CON-4.3, 5, 8, COM-5, 6: every card that a meld on the table takes, and at which end a joker may lie."""
    table = tabled(cards_of_texts(packs_meld(random, 3, random.choice((0, 0, 1, 2)))), 0, RULES)
    if table is None:
        return
    meld = texts_of(table.cards)
    every, wanted = near_cards(random, meld), set()
    found = single_lay_offs(hand_of(cards_of_texts(every)), [table], RULES)
    for card in every:
        low, high = judge.contract_ends(meld, card, run=table.run)
        wanted |= {(card, False)} if low or high else set()
        wanted |= {(card, True)} if low and high and card == "Xr" else set()
    assert {(texts_of(each.cards)[0], each.low) for each in found} == wanted, meld
    yield "run" if table.run else "set"


def arrangements(random: Random) -> Iterator[str]:
    """CON-4.1, 7: the fewest points that a hand leaves, and the discards after which it does."""
    hand = packs_hand(random, random.randint(3, 13), 3)
    best = Arranged(hand, HOW, lambda card: judge.held_contract([card]))
    cards = hand_of(cards_of_texts(hand))
    assert GAME.arranger().least(cards) == best.least(), hand
    after = {card: best.least(card) for card in hand}
    points, thrown = GAME.arranger().best_discards(cards)
    assert points == min(after.values()), hand
    assert list(texts_of(thrown)) == [card for card in after if after[card] == points], hand
    yield "all melded" if not best.least() else "melds" if best.pieces else "none"


def scores(random: Random) -> Iterator[str]:
    """CON-7: what the others count when a seat is out, and all where nobody is."""
    seats, out = random.randint(3, 6), random.random() < 0.5
    turn = random.randrange(seats)
    hands = [packs_hand(random, random.randint(2, 13), 3, random.choice((0, 0, 1, 2))) for _ in range(seats)]
    if out:
        hands[turn] = hands[turn][:1]
    held = [hand_of(cards_of_texts(hand)) for hand in hands]
    terms = DealTerms(seats, tuple(range(seats)), 0, turn, (0,) * seats)
    state = ContractState(terms, (held, [], []), (2, 0), whole=False)
    state.phase = Phase.DISCARD
    GAME.apply(state, Discard(state.hands[turn][0]))
    wanted = [judge.held_contract(hand[1:] if seat == turn else hand) for seat, hand in enumerate(hands)]
    assert state.result is not None
    assert (state.result.reason, list(state.result.points)) == ("out" if out else "stock", wanted), hands
    yield from [state.result.reason] * seats


KINDS = {
    "melds": kind(melds, "set, run, neither, set with a joker, run with a joker"),
    "contracts": kind(contracts, "whole hand, part, neither"),
    "lay-offs": kind(lay_offs, "set, run"),
    "arrangements": kind(arrangements, "all melded, melds, none"),
    "scores": kind(scores, "out, stock"),
}
