"""Indian 13-card rummy against the oracle: groups, what a hand counts, who may show, and what a deal scores."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import oracle
from hands import packs_hand, packs_meld
from indian13_table import position
from judging import cards_of_texts, kind, texts_of
from oracle_arranged import IndianHand

from rummy.rules.actions import Arrange, Discard, Drop, Knock
from rummy.rules.cards import parse_card
from rummy.rules.game import Phase
from rummy.rules.games.indian13 import Indian13
from rummy.rules.games.indian13_deal import Indian13State
from rummy.rules.games.indian13_groups import Kind, kind_of
from rummy.rules.games.indian13_search import arrange, least
from rummy.rules.tabling import hand_of

GAMES = [Indian13(), Indian13(scoring="pool"), Indian13(without_second="all"), Indian13(scoring="pool", target=201)]
Groups = list[tuple[str, ...]]


def groups(random: Random) -> Iterator[str]:
    """IND-3: what a group is, in whatever order its cards come."""
    wild, jokers = random.choice(oracle.RANKS), random.choice((0, 0, 0, 1, 1, 2))
    if random.random() < 0.4:
        cards = list(packs_meld(random, jokers=jokers))
    else:
        cards = list(packs_hand(random, random.choice((3, 3, 4, 4, 5, 7)) - jokers, jokers=jokers))
    random.shuffle(cards)
    pure, sequence = oracle.is_indian_pure(cards), oracle.is_indian_sequence(cards, wild)
    found = kind_of(cards_of_texts(cards), parse_card(wild + "c"))
    assert (found is Kind.PURE) is pure, (cards, wild)
    assert (found in (Kind.PURE, Kind.SEQUENCE)) is sequence, (cards, wild)
    assert (found is not None) is (sequence or oracle.is_indian_set(cards, wild)), (cards, wild)
    yield "no group" if found is None else found.name.lower()


def some_hand(random: Random, size: int) -> tuple[str, ...]:
    """A hand with up to two printed jokers; some are made of groups for the most part."""
    jokers = random.choice((0, 0, 0, 1, 1, 2))
    if random.random() < 0.7:
        return packs_hand(random, size - jokers, jokers=jokers)
    cards: list[str] = []
    while len(cards) < size - jokers:
        for card in packs_meld(random):
            if cards.count(card) < 2:
                cards.append(card)
    return (*oracle.in_order(cards[: size - jokers]), *["Xr", "Xb"][:jokers])


def counts(random: Random) -> Iterator[str]:
    """IND-7: the fewest points of a hand, under both readings of 7.3, and groups that leave so many."""
    hand, wild, whole = (
        some_hand(random, random.choice((7, 10, 13, 13))),
        random.choice(oracle.RANKS),
        random.random() < 0.4,
    )
    wanted = IndianHand(hand, wild).least(whole=whole)
    cards, rank = hand_of(cards_of_texts(hand)), oracle.RANKS.index(wild)
    assert min(80, least(cards, rank, whole_hand=whole)) == wanted, (hand, wild, whole)
    found = arrange(cards, rank, whole_hand=whole)
    laid = [texts_of(group) for group in found.melds]
    assert oracle.indian_count(laid, texts_of(found.rest), wild, whole=whole) == wanted, (hand, wild, whole)
    left: tuple[str, ...] | None = texts_of(cards)
    for group in laid:
        left = oracle.minus(left or (), group)
    assert left is not None and sorted(left) == sorted(texts_of(found.rest)), (hand, wild)
    yield "nothing" if not wanted else "capped" if wanted == 80 else "reading B" if whole else "some"


def shows(random: Random) -> Iterator[str]:
    """IND-6: the cards that may be put to the finish slot."""
    groups, wild = show_of(random), random.choice(oracle.RANKS)
    cards = [card for group in groups for card in group]
    for _ in range(random.choice((0, 0, 1, 2, 3))):
        cards[random.randrange(13)] = random.choice([*oracle.ORDER, "Xr", wild + "h"])
    cards = [card for at, card in enumerate(cards) if cards[:at].count(card) < (2 if card != "Xr" else 1)]
    spare = [card for card in oracle.ORDER if card not in cards]
    cards += random.sample(spare, 14 - len(cards))
    hand = (*oracle.in_order([card for card in cards if card != "Xr"]), *[card for card in cards if card == "Xr"])
    state = state_of(0, [hand, ()], wild)
    state.phase = Phase.DISCARD
    found = [action.card for action in GAMES[0].legal_actions(state) if isinstance(action, Knock)]
    wanted = IndianHand(hand, wild).shows()
    assert found == [parse_card(card) for card in wanted], (hand, wild)
    yield "show" if found else "no show"


def show_of(random: Random) -> Groups:
    """Four groups of thirteen cards that are a valid show, with no jokers in them."""
    while True:
        groups = [packs_meld(random, length=length) for length in (3, 3, 3, 4)]
        cards = [card for group in groups for card in group]
        runs = sum(oracle.is_indian_pure(group) for group in groups)
        sets = sum(oracle.is_indian_set(group, "?") for group in groups)
        if runs >= 2 and runs + sets == 4 and max(map(cards.count, cards)) < 3:
            return groups


def state_of(turn: int, hands: list[tuple[str, ...]], wild: str) -> Indian13State:
    """A deal in play."""
    return position(*map("".join, hands), stock="2c", pile="3d", cut=wild + "d", turn=turn)


def scores(random: Random) -> Iterator[str]:
    """IND-5 to 8: what a show, a wrong show, drops and the cap on turns cost, and who gets it."""
    seats, game, wild = random.randint(2, 6), random.choice(GAMES), random.choice(oracle.RANKS)
    turn, way = random.randrange(seats), random.choice(("show", "show", "show", "wrong", "drop", "cap"))
    hands = [some_hand(random, 13) for _ in range(seats)]
    groups = show_of(random)
    cards = tuple([card for group in groups for card in group])
    if way in ("show", "wrong"):
        hands[turn] = (*cards, random.choice(oracle.ORDER))
    state = state_of(turn, hands, wild)
    losses = [0] * seats
    for seat in range(seats):  # Some have left the deal before.
        if seat != turn and len(state.playing) > 2 and random.random() < 0.2:
            state.playing.remove(seat)
            losses[seat] = state.losses[seat] = random.choice((20, 40, 80))
    whole, winner = game.without_second == "all", turn
    if way == "show":
        state.phase = Phase.DISCARD
        game.apply(state, Knock(parse_card(hands[turn][-1]), tuple(map(cards_of_texts, groups))))
        while game.decision(state) is not None:
            game.apply(state, random_show(random, hands[state.turn], wild))
    elif way == "wrong":
        state.phase, state.playing = Phase.DISCARD, sorted([turn, (turn + 1) % seats])
        game.apply(state, Knock(parse_card(hands[turn][-1]), tuple([(card,) for card in cards_of_texts(cards)])))
        losses, winner = state.losses[:], (turn + 1) % seats
        losses[turn] = 80
    elif way == "drop":
        state.playing, state.drawn[turn] = sorted([turn, (turn + 1) % seats]), random.random() < 0.5
        losses, winner = state.losses[:], (turn + 1) % seats
        losses[turn] = 40 if state.drawn[turn] else 20
        game.apply(state, Drop())
    else:
        state.phase, state.turns, winner = Phase.DISCARD, 40 * seats - 1, -1
        state.hands[turn] = hand_of((*state.hands[turn], parse_card("9s")))
        game.apply(state, Discard(parse_card("9s")))
    for seat in set(state.playing) - ({turn} if way == "show" else set()) if way in ("show", "cap") else ():
        melds = [texts_of(meld.cards) for meld in state.melds if meld.seat == seat]
        losses[seat] = oracle.indian_count(melds, texts_of(state.hands[seat]), wild, whole=whole)
    wanted = losses if game.scoring == "pool" else [-loss for loss in losses]
    if winner >= 0 and game.scoring == "points":
        wanted[winner] = sum(losses)
    assert state.result is not None and list(state.result.points) == wanted, (way, hands, wild)
    yield from [way] * seats


def random_show(random: Random, hand: tuple[str, ...], wild: str) -> Arrange:
    """The default arrangement, or one with a single group, or none at all."""
    if random.random() < 0.4:
        return Arrange()
    three = random.sample(hand, 3)
    valid = oracle.is_indian_sequence(three, wild) or oracle.is_indian_set(three, wild)
    return Arrange((cards_of_texts(three),) if valid else ())


KINDS = {
    "groups": kind(groups, "pure, sequence, set, no group"),
    "counts": kind(counts, "nothing, capped, reading B, some"),
    "shows": kind(shows, "show, no show"),
    "scores": kind(scores, "show, wrong, drop, cap"),
}
