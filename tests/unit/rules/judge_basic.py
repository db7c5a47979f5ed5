"""Basic against the oracle: melds, lay-offs, the best arrangement of a hand, and what a deal scores."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import oracle
import oracle_tabled
from basic_table import position
from hands import near_cards, packs_hand, packs_meld
from judging import cards_of_texts, kind, texts_of
from oracle_arranged import Arranged, Melding

from rummy.rules.actions import Discard, EndMelds, LayOff, Meld
from rummy.rules.game import Phase
from rummy.rules.games.basic import Basic
from rummy.rules.tabling import classified, hand_of, single_lay_offs, tabled

GAMES = [
    Basic(packs=packs, ace=ace, distinct_suits=distinct, ace_value=worth, going_out_bonus=bonus, jokers=4)
    for ace, worth, bonus in (("low", 1, 10), ("high", 11, 0), ("either", 15, 25), ("corner", 1, 10))
    for packs, distinct in ((1, False), (2, False), (2, True))
]
BLOCKS = [Basic(packs=2, ace_value=worth, block=True) for worth in (1, 11, 15)]


def is_distinct(game: Basic) -> bool:
    """Whether the suits of a set differ: in one pack they cannot do otherwise."""
    return game.packs == 1 or game.distinct_suits


def is_meld(game: Basic, cards: tuple[str, ...]) -> str:
    """What the oracle calls cards as they stand."""
    if oracle.is_basic_set(cards, packs=game.packs, distinct=is_distinct(game)):
        return "set"
    return "run" if oracle.is_basic_run(cards, ace=game.ace) else "neither"


def melds(random: Random) -> Iterator[str]:
    """BAS-4, 10.1, 10.5: what is a set or a run; with a joker as the cards stand, else in whatever order."""
    game, jokers = random.choice(GAMES), random.choice((0, 0, 0, 1, 1, 2))
    size = random.choice((3, 3, 3, 3, 4, 4, 5, 6, 9, 13))
    cards = list(packs_hand(random, size - jokers, game.packs, jokers))
    if jokers and random.random() < 0.6:
        cards.insert(random.randrange(len(cards)), cards.pop())
    elif random.random() < 0.7:
        random.shuffle(cards)
    found = classified(cards_of_texts(cards), game.meld_rules())
    wanted = is_meld(game, tuple(cards))
    assert ("neither" if found is None else "run" if found[1] else "set") == wanted, (game, cards)
    yield wanted if wanted == "neither" or not jokers else f"{wanted} with a joker"


def lay_offs(random: Random) -> Iterator[str]:
    """BAS-4, 5.1, 10.1, COM-5, 6: every card that a meld on the table takes, and at which end a joker may lie."""
    game, jokers = random.choice(GAMES), random.choice((0, 0, 1))
    table = tabled(cards_of_texts(packs_meld(random, game.packs, jokers)), 0, game.meld_rules())
    if table is None:
        return
    meld = texts_of(table.cards)
    every = near_cards(random, meld)
    found = {
        (texts_of(each.cards)[0], each.low)
        for each in single_lay_offs(hand_of(cards_of_texts(every)), [table], game.meld_rules())
    }
    wanted = set()
    for card in every:
        low, high = oracle_tabled.basic_ends(
            meld, card, run=table.run, ace=game.ace, packs=game.packs, distinct=is_distinct(game)
        )
        wanted |= {(card, False)} if low or high else set()
        wanted |= {(card, True)} if low and high and card == "Xr" else set()
    assert found == wanted, (game, meld, found ^ wanted)
    yield "run" if table.run else "set"


def arrangements(random: Random) -> Iterator[str]:
    """BAS-4, 9.2: the fewest points that a hand leaves, melds that do it, and the discards after which it does."""
    game = random.choice(GAMES)
    jokers = random.choice((0, 0, 0, 0, 0, 0, 1, 1, 1, 2))
    hand = packs_hand(random, random.randint(3, 12 - 2 * jokers), game.packs, jokers)
    how = Melding(game.ace, is_distinct(game), 4 if is_distinct(game) else 4 * game.packs)
    judge = Arranged(hand, how, lambda card: oracle.basic_value([card], game.ace_value))
    cards, arranger = hand_of(cards_of_texts(hand)), game.arranger()
    least, found = arranger.best(cards)
    assert least == judge.least(), (game, hand)
    left: oracle.Hand | None = hand
    for meld in found:
        assert is_meld(game, texts_of(meld)) != "neither", (game, hand, meld)
        left = oracle.minus(left or (), texts_of(meld))
    assert left is not None and oracle.basic_value(left, game.ace_value) == least, (game, hand)
    if not jokers:
        after = {card: judge.least(card) for card in hand}
        best = [card for card in dict.fromkeys(hand) if after[card] == min(after.values())]
        points, thrown = arranger.best_discards(cards)
        assert (points, list(texts_of(thrown))) == (min(after.values()), best), (game, hand)
    yield ("all melded" if not least else "melds" if found else "none") + " with jokers" * bool(jokers)


def scores(random: Random) -> Iterator[str]:
    """BAS-8, 9, 10.4: what the winner takes from the others, and what everybody loses where nobody is out."""
    seats, block = random.randint(2, 6), random.random() < 0.3
    game = random.choice(BLOCKS if block else GAMES)
    hands = [packs_hand(random, random.randint(1, 12), 2, random.choice((0, 0, 1))) for _ in range(seats)]
    seat, way = random.randrange(seats), random.choice(("discard", "meld", "lay off"))
    hands[seat] = ("7h",) if block or way != "meld" else ("9c", "9d", "9h")
    if block:
        hands[seat] += ("8s",)
    table = f"{(seat + 1) % seats}:4h5h6h"
    state = position(*map("".join, hands), stock="" if block else "3d", pile="2c", melds=table, turn=seat)
    state.phase = Phase.PLAY
    before = state.had_laid = random.random() < 0.4
    if way == "meld" and not block:
        game.apply(state, Meld(state.hands[seat]))
    elif way == "lay off" and not block:
        game.apply(state, LayOff(state.hands[seat], 0))
    else:
        game.apply(state, EndMelds())
        game.apply(state, Discard(state.hands[seat][-1]))
    assert state.result is not None
    if block:
        hands[seat] = ("7h",)
        wanted = [-oracle.basic_value(hand, game.ace_value) for hand in hands]
        word = "block"
    else:
        rummy = not before and way != "lay off"
        losers = [hand for at, hand in enumerate(hands) if at != seat]
        won = oracle.basic_hand_score(losers, ace=game.ace_value, bonus=game.going_out_bonus, rummy=rummy)
        wanted = [won if at == seat else 0 for at in range(seats)]
        word = "rummy" if rummy else "out"
    assert (state.result.reason, list(state.result.points)) == (word, wanted), (game, hands)
    yield from [word] * seats


KINDS = {
    "melds": kind(melds, "set, run, neither, set with a joker, run with a joker"),
    "lay-offs": kind(lay_offs, "set, run"),
    "arrangements": kind(
        arrangements, "all melded, melds, none, all melded with jokers, melds with jokers, none with jokers"
    ),
    "scores": kind(scores, "out, rummy, block"),
}
