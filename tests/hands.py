"""Random hands for the tests: uniform ones, and ones that are full of melds."""

from __future__ import annotations

from random import Random

from oracle import JOKERS, ORDER, RANKS, SUITS, in_order


def uniform_hand(random: Random, size: int) -> tuple[str, ...]:
    """*size* cards of the pack, all hands alike."""
    return in_order(random.sample(ORDER, size))


def rich_hand(random: Random, size: int, among: list[str] | None = None) -> tuple[str, ...]:
    """*size* cards, of *among* if given, gathered from runs and sets that overlap."""
    pack = set(ORDER if among is None else among)
    hand: set[str] = set()
    while len(hand) < size:
        suit, place = random.choice(SUITS), random.randrange(13)
        if random.random() < 0.5:
            more = [rank + suit for rank in RANKS[place : place + random.randint(2, 5)]]
        elif random.random() < 0.7:
            more = [RANKS[place] + each for each in random.sample(SUITS, random.randint(2, 4))]
        else:
            more = [RANKS[place] + suit]
        hand.update(pack.intersection(more[: size - len(hand)]))
    return in_order(hand)


def hands(seed: int, number: int, size: int) -> list[tuple[str, ...]]:
    """*number* hands, uniform and rich in turn."""
    random = Random(seed)
    return [(rich_hand if each % 2 else uniform_hand)(random, size) for each in range(number)]


def drawn_hand(random: Random, size: int, among: list[str] | None = None) -> tuple[str, ...]:
    """*size* cards, of *among* if given: any, or full of melds, or made of whole melds for the most part."""
    pack = ORDER if among is None else among
    kind = random.randrange(4)
    if kind == 0:
        return in_order(random.sample(pack, size))
    return rich_hand(random, size, among) if kind < 3 else melded_hand(random, size, pack)


def melded_hand(random: Random, size: int, among: list[str]) -> tuple[str, ...]:
    """*size* cards of *among*: whole melds as far as they come, and whatever lies in the way of the last ones."""
    left = dict.fromkeys(among)
    hand: list[str] = []
    while len(hand) < size:
        more = _meld(random)
        if all(card in left for card in more) or random.random() < 0.02:
            more = [card for card in more if card in left][: size - len(hand)]
            hand += more
            for card in more:
                del left[card]
    return in_order(hand)


def _meld(random: Random) -> list[str]:
    length, suit = random.randint(3, 5), random.choice(SUITS)
    if random.random() < 0.5:
        place = random.randrange(14 - length)
        return [rank + suit for rank in RANKS[place : place + length]]
    rank = random.choice(RANKS)
    return [rank + each for each in random.sample(SUITS, min(length, 4))]


def packs_hand(random: Random, size: int, packs: int = 2, jokers: int = 0) -> tuple[str, ...]:
    """*size* cards of several packs and *jokers* jokers: any, crowded into a few suits and ranks, or melds joined."""
    pack, style = sorted(ORDER * packs, key=ORDER.index), random.randrange(4)
    if style == 0:
        return (*in_order(random.sample(pack, size)), *JOKERS[:1] * jokers)
    if style < 3:
        suits, at = random.sample(SUITS, 2), random.randrange(13)
        near = [RANKS[(at + step) % 13] for step in range(style + 1)]
        pack = [card for card in pack if card[1] in suits[: 3 - style] or card[0] in near]
        return (*in_order(random.sample(pack, min(size, len(pack)))), *JOKERS[:1] * jokers)
    left, hand = dict.fromkeys(ORDER, packs), list[str]()
    while len(hand) < size:
        for card in _meld(random)[: size - len(hand)]:
            if left[card] and random.random() < 0.95:
                left[card] -= 1
                hand.append(card)
    return (*in_order(hand), *JOKERS[:1] * jokers)


def near_cards(random: Random, meld: tuple[str, ...]) -> list[str]:
    """Some cards of the suits and ranks of *meld*, some others, and a joker."""
    ranks, suits = {card[0] for card in meld}, {card[1] for card in meld}
    near = [card for card in ORDER if card[0] in ranks or card[1] in suits]
    return [*sorted({*random.sample(near, 8), *random.sample(ORDER, 3)}, key=ORDER.index), JOKERS[0]]


def packs_meld(random: Random, packs: int = 2, jokers: int = 0, length: int = 0) -> tuple[str, ...]:
    """A set or run of several packs in its order, an ace at either end, up to *jokers* of its cards jokers."""
    length, suit = length or random.randint(3, 6), random.choice(SUITS)
    if random.random() < 0.5:
        place = random.randrange(15 - length)
        meld = [rank + suit for rank in (RANKS + "A")[place : place + length]]
    else:
        rank = random.choice(RANKS)
        meld = [rank + each for each in random.sample(SUITS * packs, min(length, 4))]
    for _ in range(jokers):
        meld[random.randrange(len(meld))] = JOKERS[0]
    return tuple(meld)
