"""Least deadwood, exactly and fast: the arithmetic under every decision to knock, discard or show.

A hand is cut into its four suit masks of 13 bits, which index tables made once (8192 entries each):

    POINTS[m]   what the cards of m count: king, queen, jack and ten 10, ace 1, others their number
    RUNS[m]     the least that is left of m after runs alone (interval programming over the lowest card)
    IN_RUN[m]   the cards of m that lie on some run of m
    GAIN[m]     the most that leaving out one card takes off RUNS[m], and DROPS[suit][m]: the cards that do

Where no rank is held in three suits, no set is possible, and the answer is the sum of four look-ups; that is three
hands in four. Otherwise the ranks that no run competes for are melded outright, and each of the others is branched on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rummy.rules.actions import Card, Cards
from rummy.rules.cards import cards_of

VALUES: Final = tuple([min(rank + 1, 10) for rank in range(13)] * 4)


def _points() -> tuple[int, ...]:
    table = [0] * 8192
    for held in range(1, 8192):
        table[held] = table[held & (held - 1)] + VALUES[(held & -held).bit_length() - 1]
    return tuple(table)


POINTS: Final = _points()
# By lowest rank: every run that begins there, shortest first.
RUN_SHAPES: Final = tuple(tuple(((1 << length) - 1) << low for length in range(3, 14 - low)) for low in range(13))


def _runs() -> tuple[int, ...]:
    table = [0] * 8192
    for held in range(1, 8192):
        low = (held & -held).bit_length() - 1
        least = table[held & (held - 1)] + VALUES[low]
        for run in RUN_SHAPES[low]:
            if run & held != run:
                break
            least = min(least, table[held ^ run])
        table[held] = least
    return tuple(table)


def _in_run() -> tuple[int, ...]:
    middle = (held & held >> 1 & held >> 2 for held in range(8192))
    return tuple([low | low << 1 | low << 2 for low in middle])


RUNS: Final = _runs()
IN_RUN: Final = _in_run()
_alike: dict[Cards, Cards] = {}


def _shared(cards: Cards) -> Cards:
    """One object for equal values: what is looked up stays in the processor's cache."""
    return _alike.setdefault(cards, cards)


def _gains() -> tuple[tuple[int, ...], tuple[tuple[Cards, ...], ...]]:
    gains = [-999]  # An empty suit has nothing to leave out.
    ranks: list[Cards] = [()]
    for held in range(1, 8192):
        by_rank = {card: RUNS[held] - RUNS[held ^ (1 << card)] for card in cards_of(held)}
        best = max(by_rank.values())
        gains.append(best)
        ranks.append(tuple([rank for rank, gain in by_rank.items() if gain == best]))
    drops = tuple(
        tuple([_shared(tuple([first + rank for rank in some])) for some in ranks]) for first in (0, 13, 26, 39)
    )
    return tuple(gains), drops


_GAIN, (_DROPS_C, _DROPS_D, _DROPS_H, _DROPS_S) = _gains()

Suits = tuple[int, int, int, int]


def points(held: int) -> int:
    """What the cards of a mask count, melded or not."""
    return POINTS[held & 8191] + POINTS[held >> 13 & 8191] + POINTS[held >> 26 & 8191] + POINTS[held >> 39]


def deadwood(held: int) -> int:
    """The least that the cards of a mask can count, over every arrangement into melds."""
    c = held & 8191
    d = held >> 13 & 8191
    h = held >> 26 & 8191
    s = held >> 39
    ranks = c & d & (h | s) | h & s & (c | d)
    if not ranks:
        return RUNS[c] + RUNS[d] + RUNS[h] + RUNS[s]
    contested = ranks & (IN_RUN[c] | IN_RUN[d] | IN_RUN[h] | IN_RUN[s])
    if contested != ranks:
        keep = ~ranks | contested  # No run competes for the other sets: they are melded.
        c &= keep
        d &= keep
        h &= keep
        s &= keep
    return _branch(c, d, h, s, contested)


def _branch(c: int, d: int, h: int, s: int, ranks: int) -> int:
    """The least over every way to meld some of *ranks* as sets; written out, because this is the hot half."""
    least = RUNS[c] + RUNS[d] + RUNS[h] + RUNS[s]
    while ranks and least:
        rank = ranks & -ranks
        ranks ^= rank
        keep = ~rank
        # The ways to use a set of this rank; the lower ranks have been declined.
        if not c & rank:
            left = _branch(c, d & keep, h & keep, s & keep, ranks)
        elif not d & rank:
            left = _branch(c & keep, d, h & keep, s & keep, ranks)
        elif not h & rank:
            left = _branch(c & keep, d & keep, h, s & keep, ranks)
        elif not s & rank:
            left = _branch(c & keep, d & keep, h & keep, s, ranks)
        else:
            left = min(
                _branch(c & keep, d & keep, h & keep, s & keep, ranks),
                _branch(c, d & keep, h & keep, s & keep, ranks),
                _branch(c & keep, d, h & keep, s & keep, ranks),
                _branch(c & keep, d & keep, h, s & keep, ranks),
                _branch(c & keep, d & keep, h & keep, s, ranks),
            )
        if left < least:
            least = left
    return least


def best_discards(held: int, forbidden: Card | None = None) -> tuple[int, Cards]:
    """The least deadwood that is left after one discard, and every card that reaches it, ascending.

    *forbidden* may not be discarded. Raises `ValueError` where no card is left to discard.
    """
    c = held & 8191
    d = held >> 13 & 8191
    h = held >> 26 & 8191
    s = held >> 39
    ranks = c & d & (h | s) | h & s & (c | d)
    if ranks:
        contested = ranks & (IN_RUN[c] | IN_RUN[d] | IN_RUN[h] | IN_RUN[s])
        if contested != ranks:
            keep = ~ranks | contested  # No run competes for the other sets: they are melded.
            c &= keep
            d &= keep
            h &= keep
            s &= keep
        if contested:
            least, cards = _best_of_leaves(_leaves(c, d, h, s, contested), least_left=1)
            if not cards:
                return _best_of_all(held, forbidden)
            return _best_one_by_one(held, forbidden) if forbidden in cards else (least, cards)
    gain_c = _GAIN[c]
    gain_d = _GAIN[d]
    gain_h = _GAIN[h]
    gain_s = _GAIN[s]
    gain = gain_c if gain_c > gain_d else gain_d
    if gain_h > gain:
        gain = gain_h
    if gain_s > gain:
        gain = gain_s
    if gain <= 0 and (ranks or not held):
        return _best_of_all(held, forbidden)
    cards = _DROPS_C[c] if gain_c == gain else ()
    if gain_d == gain:
        cards += _DROPS_D[d]
    if gain_h == gain:
        cards += _DROPS_H[h]
    if gain_s == gain:
        cards += _DROPS_S[s]
    if forbidden is None or forbidden not in cards:
        return RUNS[c] + RUNS[d] + RUNS[h] + RUNS[s] - gain, cards
    return _best_one_by_one(held, forbidden)


def _best_of_all(held: int, forbidden: Card | None) -> tuple[int, Cards]:
    """Where every card is melded: only there can a card of a set that no run competes for be as good as any."""
    c, d, h, s = held & 8191, held >> 13 & 8191, held >> 26 & 8191, held >> 39
    least, cards = _best_of_leaves(_leaves(c, d, h, s, c & d & (h | s) | h & s & (c | d)))
    return _best_one_by_one(held, forbidden) if forbidden in cards or not cards else (least, cards)


def _best_one_by_one(held: int, forbidden: Card | None) -> tuple[int, Cards]:
    """The long way, where a best discard is forbidden."""
    left = {card: deadwood(held ^ (1 << card)) for card in cards_of(held) if card != forbidden}
    if not left:
        raise ValueError("There is no card to discard.")
    least = min(left.values())
    return least, tuple([card for card, count in left.items() if count == least])


def _best_of_leaves(leaves: list[Suits], least_left: int = 0) -> tuple[int, Cards]:
    """The best discards over *leaves*, the ways to meld sets.

    A discard is best exactly if it is best in some leaf that reaches the least, so the union over those is all of them.
    No card where a leaf leaves less than *least_left*.
    """
    least = 9999
    cards: Cards = ()
    tied = False
    for c, d, h, s in leaves:
        gain_c = _GAIN[c]
        gain_d = _GAIN[d]
        gain_h = _GAIN[h]
        gain_s = _GAIN[s]
        gain = gain_c if gain_c > gain_d else gain_d
        if gain_h > gain:
            gain = gain_h
        if gain_s > gain:
            gain = gain_s
        left = RUNS[c] + RUNS[d] + RUNS[h] + RUNS[s]
        if left < least_left:
            return 0, ()
        left -= gain
        if left > least:
            continue
        if left < least:
            least = left
            cards = ()
            tied = False
        else:
            tied = True
        if gain_c == gain:
            cards += _DROPS_C[c]
        if gain_d == gain:
            cards += _DROPS_D[d]
        if gain_h == gain:
            cards += _DROPS_H[h]
        if gain_s == gain:
            cards += _DROPS_S[s]
    return least, tuple(sorted(set(cards))) if tied else cards


def _leaves(c: int, d: int, h: int, s: int, ranks: int) -> list[Suits]:
    """What is left for runs after each way to meld some of *ranks* as sets."""
    leaves = [(c, d, h, s)]
    while ranks:
        rank = ranks & -ranks
        ranks ^= rank
        keep = ~rank
        if not c & rank:
            leaves += [(c, d & keep, h & keep, s & keep) for c, d, h, s in leaves]
        elif not d & rank:
            leaves += [(c & keep, d, h & keep, s & keep) for c, d, h, s in leaves]
        elif not h & rank:
            leaves += [(c & keep, d & keep, h, s & keep) for c, d, h, s in leaves]
        elif not s & rank:
            leaves += [(c & keep, d & keep, h & keep, s) for c, d, h, s in leaves]
        else:
            leaves += [leaf for suits in leaves for leaf in _leaves_of_four(suits, keep)]
    return leaves


def _leaves_of_four(suits: Suits, keep: int) -> tuple[Suits, ...]:
    c, d, h, s = suits
    return (
        (c & keep, d & keep, h & keep, s & keep),
        (c, d & keep, h & keep, s & keep),
        (c & keep, d, h & keep, s & keep),
        (c & keep, d & keep, h, s & keep),
        (c & keep, d & keep, h & keep, s),
    )


def in_meld(held: int, card: Card) -> bool:
    """Whether *card*, which is in the mask, lies on some meld of it."""
    suit, rank = divmod(card, 13)
    if IN_RUN[held >> 13 * suit & 8191] >> rank & 1:
        return True
    alike = held >> rank
    return (alike & 1) + (alike >> 13 & 1) + (alike >> 26 & 1) + (alike >> 39 & 1) > 2


def best_melds(held: int) -> tuple[int, tuple[Cards, ...]]:
    """The least deadwood, and the arrangement that COM-8 chooses among those that reach it."""
    least = deadwood(held)
    return least, first_melds(held, least)


def first_melds(held: int, least: int) -> tuple[Cards, ...]:
    """The first arrangement, as sorted melds compare, that leaves *least*, the least deadwood of *held*.

    The first meld that keeps the least within reach begins it: an earlier one among the others would have been taken.
    """
    melds = []
    while points(held) > least:
        meld, cards = next(each for each in melds_in(held) if deadwood(held & ~each[0]) == least)
        melds.append(cards)
        held &= ~meld
    return tuple(melds)


def melds_in(held: int) -> list[tuple[int, Cards]]:
    """Every meld that the cards of a mask hold, as mask and cards, in the order in which melds compare (COM-8)."""
    return sorted([(meld, cards_of(meld)) for meld in (*_all_runs(held), *_all_sets(held))], key=lambda meld: meld[1])


def _all_runs(held: int) -> Iterator[int]:
    for shift in (0, 13, 26, 39):
        suit = held >> shift & 8191
        if IN_RUN[suit]:
            for shapes in RUN_SHAPES:
                for run in shapes:
                    if run & suit == run:
                        yield run << shift


def _all_sets(held: int) -> Iterator[int]:
    for rank in range(13):
        four = FOURS[rank]
        alike = held & four
        if alike == four:
            yield from (four, *[four ^ (1 << rank + shift) for shift in (0, 13, 26, 39)])
        elif alike.bit_count() == 3:
            yield alike


FOURS: Final = tuple((1 | 1 << 13 | 1 << 26 | 1 << 39) << rank for rank in range(13))
