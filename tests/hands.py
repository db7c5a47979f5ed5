"""Random hands for the tests: uniform ones, and ones that are full of melds."""

from __future__ import annotations

from random import Random

from oracle import ORDER, RANKS, SUITS, in_order


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
