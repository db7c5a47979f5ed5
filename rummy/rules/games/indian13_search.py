"""Indian 13-card rummy: the fewest points that a hand can count, exact, and the groups that reach them.

Natural cards are one integer: bits 0 to 51 say which are held, bits 52 to 103 which are held twice. Jokers, printed or
of the wild rank, are a number; outside of a pure sequence a wild card never does better as itself. Each pure sequence
is tried as the first one. What is left is searched card by card: the lowest natural card stays loose, or lies in one
of the groups whose lowest natural card it is. *owed* says that the second sequence is still missing, *spare* that one
more card may be left for nothing, which is the discard. No sequence has more than five cards here: a longer one is
two. Leftover jokers count nothing, and fit into the second sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from rummy.rules.actions import Card, Cards
from rummy.rules.games.indian13_groups import VALUES, Kind, is_joker, kind_of
from rummy.rules.show import Arrangement
from rummy.rules.tabling import without

_HELD: Final = (1 << 52) - 1
_NEVER: Final = 1 << 20  # More than any hand counts.
_VALUE: Final = VALUES * 4
_KEPT: Final = 1 << 16


class _Group(NamedTuple):
    """Natural cards that make a group with so many jokers."""

    naturals: int
    jokers: int
    run: bool


def _run_masks(length: int) -> list[int]:
    """The runs of *length* of one suit, as masks of thirteen bits."""
    return [sum(1 << place % 13 for place in range(low, low + length)) for low in range(15 - length)]


def _groups() -> tuple[tuple[_Group, ...], ...]:
    """By card: the groups whose lowest natural card it is, those with few jokers first."""
    least: dict[tuple[int, bool], int] = {}
    for length in (3, 4, 5):
        for run in _run_masks(length):
            part = run
            while part:
                for suit in range(4):
                    key = (part << 13 * suit, True)
                    least[key] = min(least.get(key, length), length - part.bit_count())
                part = part - 1 & run
    for rank in range(13):
        for suits in range(1, 16):
            naturals = sum(1 << 13 * suit + rank for suit in range(4) if suits >> suit & 1)
            if suits.bit_count() > 1:  # One card and two jokers are a sequence as well.
                least[naturals, False] = max(0, 3 - suits.bit_count())
    by_card: list[list[_Group]] = [[] for _ in range(52)]
    for (naturals, run_like), jokers in least.items():
        by_card[(naturals & -naturals).bit_length() - 1].append(_Group(naturals, jokers, run_like))
    return tuple([tuple(sorted(each, key=lambda g: (g.jokers, -g.naturals.bit_count()))) for each in by_card])


_GROUPS: Final = _groups()
_PURE: Final = [run for length in (3, 4, 5) for run in _run_masks(length)]
_held_groups: dict[int, tuple[_Group, ...]] = {}
_pure_of: dict[int, tuple[int, ...]] = {}


def _pure_in(held: int) -> list[int]:
    """The pure sequences of at most five cards that *held* has, wild cards standing as themselves."""
    found = []
    for shift in (0, 13, 26, 39):
        suit = held >> shift & 8191
        runs = _pure_of.get(suit)
        if runs is None:
            runs = _pure_of[suit] = tuple([run for run in _PURE if run & suit == run])
        found += [run << shift for run in runs]
    return found


def _groups_with(held: int, card: Card) -> tuple[_Group, ...]:
    """The groups whose lowest natural card is *card*, the lowest of *held*, with natural cards that are held."""
    rank = card % 13
    column = held >> rank & 0x8004002001
    suit = held >> card - rank & 8191
    key = card << 56 | suit << 40 | column
    groups = _held_groups.get(key)
    if groups is None:
        if len(_held_groups) > _KEPT:
            _held_groups.clear()
        groups = _held_groups[key] = tuple([g for g in _GROUPS[card] if g.naturals & held == g.naturals])
    return groups


def _minus(cards: int, group: int) -> int:
    """*cards* without one copy of each of *group*."""
    twice = cards >> 52
    return (cards & _HELD ^ (group & ~twice)) | (twice & ~group) << 52


def _total(cards: int) -> int:
    points, twice = 0, cards >> 52
    held = cards & _HELD
    while held:
        low = held & -held
        points += _VALUE[low.bit_length() - 1] * (2 if twice & low else 1)
        held ^= low
    return points


_Memo = dict[int, int]


def _least(cards: int, jokers: int, owed: bool, spare: bool, memo: _Memo) -> int:
    """The fewest points that natural *cards* leave with *jokers*; `_NEVER` where the sequence owed cannot be had."""
    if not cards:
        return _NEVER if owed else 0
    key = cards << 8 | jokers << 2 | owed << 1 | spare
    known = memo.get(key)
    if known is not None:
        return known
    held, twice = cards & _HELD, cards >> 52
    low = held & -held
    card = low.bit_length() - 1
    best = _NEVER
    for naturals, wild, run in _groups_with(held, card):
        if wild > jokers:
            break
        left = (held ^ (naturals & ~twice)) | (twice & ~naturals) << 52
        points = _least(left, jokers - wild, owed and not run, spare, memo)
        if points < best:
            best = points
            if not points:
                break
    if best:
        left = held | (twice ^ low) << 52 if twice & low else held ^ low | twice << 52
        points = _VALUE[card] + _least(left, jokers, owed, spare, memo)
        if points < best:
            best = points
        if spare and best:
            points = _least(left, jokers, owed, False, memo)
            if points < best:
                best = points
    memo[key] = best
    return best


class _Hand(NamedTuple):
    """A hand for the search: wild and other cards as masks, natural ones alone, jokers, points."""

    held: int
    twice: int
    wilds: int
    naturals: int
    jokers: int
    total: int


_WILDS: Final = tuple([0x8004002001 << rank for rank in range(13)])


def _hand(cards: Sequence[Card], wild: int) -> _Hand:
    held = twice = printed = 0
    for card in cards:
        bit = 1 << card
        if card >= 52:
            printed += 1
        elif held & bit:
            twice |= bit
        else:
            held |= bit
    wilds = _WILDS[wild]
    naturals = held & ~wilds | (twice & ~wilds) << 52
    jokers = printed + (held & wilds).bit_count() + (twice & wilds).bit_count()
    return _Hand(held, twice, wilds, naturals, jokers, _total(naturals))


def _after_pure(hand: _Hand, pure: int) -> tuple[int, int]:
    """The natural cards and the jokers that are left beside a pure sequence."""
    own = pure & hand.wilds
    return _minus(hand.naturals, pure ^ own), hand.jokers - own.bit_count()


def least(cards: Sequence[Card], wild: int, *, whole_hand: bool = False) -> int:
    """The fewest points that a hand can count, before the cap (IND-7.2 to 7.4)."""
    return _choice(_hand(cards, wild), {}, whole_hand=whole_hand)[0]


def unmatched(cards: Sequence[Card], wild: int) -> int:
    """The fewest points that a hand leaves outside of groups, whatever sequences it has: what a bot may go by."""
    hand = _hand(cards, wild)
    return _least(hand.naturals, hand.jokers, False, False, {})


def _choice(hand: _Hand, memo: _Memo, *, whole_hand: bool) -> tuple[int, int, bool]:
    """The fewest points, the pure sequence that reaches them (0 for none), and whether a second one goes with it."""
    best = (hand.total, 0, False)
    for pure in _pure_in(hand.held):
        left, jokers = _after_pure(hand, pure)
        points = _least(left, jokers, True, False, memo)
        if points < best[0] or (points == best[0] and not best[2]):
            best = (points, pure, True)
            if not points:
                break
        if not whole_hand:
            points = _total(left)
            if points < best[0]:
                best = (points, pure, False)
    return best


def arrange(cards: Cards, wild: int, *, whole_hand: bool = False) -> Arrangement:
    """The groups of a hand with the fewest points, and what is left over."""
    hand, memo = _hand(cards, wild), _Memo()
    points, pure, second = _choice(hand, memo, whole_hand=whole_hand)
    if not pure:
        return Arrangement((), (), tuple(cards), points)
    jokers = [card for card in cards if is_joker(card, wild)]
    groups = [_pure_cards(pure)]
    for card in groups[0]:
        if card in jokers:
            jokers.remove(card)
    if second:
        left, number = _after_pure(hand, pure)
        groups += [_laid_out(group, jokers) for group in _chosen(left, number, memo)]
        _place(jokers, groups, wild)
    rest = without(cards, [card for group in groups for card in group])
    assert rest is not None, "a group is made of the cards of the hand"
    return Arrangement(tuple(groups), (), rest, points)


def _chosen(cards: int, jokers: int, memo: _Memo) -> Iterator[_Group]:
    """The groups that reach the least, with a second sequence among them: the first that is found."""
    owed = True
    while cards:
        least_points = _least(cards, jokers, owed, False, memo)
        held = cards & _HELD
        low = held & -held
        card = low.bit_length() - 1
        for group in _groups_with(held, card):
            if group.jokers <= jokers:
                after = _minus(cards, group.naturals), jokers - group.jokers, owed and not group.run
                if _least(*after, False, memo) == least_points:
                    yield group
                    cards, jokers, owed = after
                    break
        else:
            cards = _minus(cards, low)


def _pure_cards(run: int) -> Cards:
    """The cards of a mask of one suit in their order, an ace behind the king where it stands there."""
    cards = [card for card in range(52) if run >> card & 1]
    return tuple(cards) if cards[-1] - cards[0] < len(cards) else (*cards[1:], cards[0])


def _laid_out(group: _Group, jokers: list[Card]) -> Cards:
    """The cards of a group in their order; takes its jokers out of *jokers*."""
    naturals = [card for card in range(52) if group.naturals >> card & 1]
    if not group.run:
        return (*naturals, *[jokers.pop(0) for _ in range(group.jokers)])
    if naturals[-1] - naturals[0] >= 5:  # The ace stands above the king.
        naturals = [*naturals[1:], naturals[0]]
    places = {card % 13 or 13 * (card == naturals[-1] and len(naturals) > 1): card for card in naturals}
    run = [places[place] if place in places else jokers.pop(0) for place in range(min(places), max(places) + 1)]
    for _ in range(max(0, 3 - len(run))):
        run.insert(len(run) if min(places) + len(run) <= 13 else 0, jokers.pop(0))
    return tuple(run)


def _place(jokers: list[Card], groups: list[Cards], wild: int) -> None:
    """Adds the jokers that are left over to the second sequence."""
    kinds = [kind_of(group, wild) for group in groups]
    at = next(number for number, kind in enumerate(kinds) if number and kind in (Kind.PURE, Kind.SEQUENCE))
    first = next(number for number, card in enumerate(groups[at]) if not is_joker(card, wild))
    place = groups[at][first] % 13 - first
    for card in jokers:
        run = groups[at]
        groups[at] = (*run, card) if place + len(run) <= 13 else (card, *run)


@lru_cache(maxsize=4096)
def shows(cards: Cards, wild: int, forbidden: Card | None = None) -> tuple[Card, ...]:
    """The cards of fourteen, each once, without which the other thirteen are a valid show (IND-6)."""
    hand, memo = _hand(cards, wild), _Memo()
    if not any(_least(*_after_pure(hand, pure), True, True, memo) == 0 for pure in _pure_in(hand.held)):
        return ()
    return tuple([card for card in throwable(cards, forbidden) if _goes_out(_thrown(cards, card), wild, memo)])


def _goes_out(cards: Cards, wild: int, memo: _Memo) -> bool:
    hand = _hand(cards, wild)
    return any(_least(*_after_pure(hand, pure), True, False, memo) == 0 for pure in _pure_in(hand.held))


def throwable(cards: Cards, forbidden: Card | None) -> list[Card]:
    """Each card that may be thrown, once: not the one just taken, unless there is another copy (IND-4.3)."""
    return [card for card in dict.fromkeys(cards) if card != forbidden or cards.count(card) > 1]


def _thrown(cards: Cards, card: Card) -> Cards:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


@lru_cache(maxsize=4096)
def best_discard(cards: Cards, wild: int, forbidden: Card | None, *, whole_hand: bool = False) -> Card:
    """The card without which the hand counts least: among equals the highest rank, then clubs to spades (COM-14).

    Jokers rank below all others here.
    """
    order = sorted(throwable(cards, forbidden), key=lambda card: (is_joker(card, wild), -(card % 13), card))
    hand, memo = _hand(cards, wild), _Memo()
    bound = _bound(hand, memo, whole_hand=whole_hand)
    best, least_points = order[0], _NEVER
    for card in order:
        points = _choice(_hand(_thrown(cards, card), wild), memo, whole_hand=whole_hand)[0]
        if points < least_points:
            best, least_points = card, points
            if points <= bound:
                break
    return best


def _bound(hand: _Hand, memo: _Memo, *, whole_hand: bool) -> int:
    """No discard leaves fewer points than this; mostly one leaves just so many."""
    bound = hand.total - _dearest(hand.naturals)
    for pure in _pure_in(hand.held):
        left, jokers = _after_pure(hand, pure)
        bound = min(bound, _least(left, jokers, True, True, memo))
        if not whole_hand:
            bound = min(bound, _total(left) - _dearest(left))
    return bound


def _dearest(cards: int) -> int:
    held = cards & _HELD
    return max([_VALUE[card] for card in range(52) if held >> card & 1], default=0)


def small_groups(cards: Cards, wild: int) -> list[Cards]:
    """The pure sequences of three and the sets of three without a joker in a hand, in their order."""
    held = _hand(cards, wild).held
    runs = [_pure_cards(run) for run in _pure_in(held) if run.bit_count() == 3]
    sets: list[Cards] = []
    for rank in range(13):
        sets += combinations([card for card in range(rank, 52, 13) if held >> card & 1], 3)
    return sorted([*runs, *sets])
