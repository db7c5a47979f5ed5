"""How a game is held against the oracle: what is judged of it, hand by hand, and how often.

A game of the registry has a module `judge_<key>` with `KINDS`: by name, what is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from rummy.rules.cards import TEXTS, mask, parse_card

Judge = Callable[[Random], Iterable[str]]


@dataclass(frozen=True)
class Kind:
    """One thing that is judged: *judge* draws hands, holds the rules against the oracle, and gives a word a hand.

    The words say what the hands were; each of *words* has to come up, so that no rule is judged on nothing.
    """

    judge: Judge
    words: frozenset[str]


def kind(judge: Judge, words: str) -> Kind:
    """A kind whose words stand between commas."""
    return Kind(judge, frozenset(words.split(", ")))


def judged(what: Kind, seed: int, hands: int) -> Counter[str]:
    """The words of so many hands, or a few more. `AssertionError` at the first that the oracle sees otherwise."""
    random, seen = Random(seed), Counter[str]()
    done = 0
    while done < hands:
        words = list(what.judge(random))
        seen.update(words)
        done += len(words)
    return seen


def texts_of(cards: Iterable[int]) -> tuple[str, ...]:
    """Cards of the rules as those of the oracle."""
    return tuple([TEXTS[card] for card in cards])


def cards_of_texts(texts: Iterable[str]) -> tuple[int, ...]:
    """Cards of the oracle as those of the rules."""
    return tuple([parse_card(text) for text in texts])


def mask_of(texts: Iterable[str]) -> int:
    """Cards of the oracle as a hand of one pack."""
    return mask(map(parse_card, texts))
