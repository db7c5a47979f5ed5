"""Indian 13-card rummy: the fewest points that a hand can count, exact, and the groups that reach them.

Natural cards are two masks: those held, and those held twice. Jokers, printed or of the wild rank, are a number;
outside of a pure sequence a wild card never does better as itself. Each pure sequence is tried as the first one. What
is left is searched card by card: the lowest natural card lies in one of the groups whose lowest natural card it is, or
stays loose; a branch ends where it has left as many points as the best one so far. *owed* says that the second sequence
is still missing, *spare* that one more card may be left for nothing, which is the discard. No sequence has more than
five cards here: a longer one is two. Leftover jokers count nothing, and fit into the second sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from rummy.rules.actions import Card, Cards
from rummy.rules.cards import cards_of
from rummy.rules.games.indian13_groups import VALUES, Kind, is_joker, kind_of
from rummy.rules.show import Arrangement
from rummy.rules.tabling import without

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
_WILDS: Final = tuple([0x8004002001 << rank for rank in range(13)])
_held_groups: dict[int, tuple[_Group, ...]] = {}
_pure_of: list[tuple[tuple[int, int], ...] | None] = [None] * 8192


def _pure_in(held: int) -> list[tuple[int, int]]:
    """The pure sequences of at most five cards that *held* has, and their points, wild cards standing as themselves."""
    found: list[tuple[int, int]] = []
    for shift in (0, 13, 26, 39):
        suit = held >> shift & 8191
        runs = _pure_of[suit]
        if runs is None:
            runs = _pure_of[suit] = tuple([(run, _points(run)) for run in _PURE if run & suit == run])
        found += [(run << shift, points) for run, points in runs]
    return found


def _points(held: int) -> int:
    return sum([_VALUE[card] for card in cards_of(held)])


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


class _Hand(NamedTuple):
    """A hand for the search: its natural cards held and held twice, its jokers, its points; and where to begin."""

    held: int
    twice: int
    jokers: int
    total: int
    starts: list[tuple[int, int, int, int, int]]  # By pure sequence: its points, what is left (three numbers), itself.


def _hand(cards: Sequence[Card], wild: int) -> _Hand:
    held = twice = jokers = total = 0
    for card in cards:
        bit = 1 << card
        if card >= 52:
            jokers += 1
            continue
        if held & bit:
            twice |= bit
        else:
            held |= bit
        total += _VALUE[card]
    wilds = _WILDS[wild]
    if held & wilds:
        wild_cards = (held & wilds).bit_count() + (twice & wilds).bit_count()
        jokers += wild_cards
        total -= wild_cards * VALUES[wild]
    starts = []
    for pure, points in _pure_in(held):
        own, rest = pure & wilds, pure & ~wilds
        left = held & ~wilds ^ (rest & ~twice)
        starts.append((points - (VALUES[wild] if own else 0), left, twice & ~wilds & ~rest, jokers - bool(own), pure))
    starts.sort(reverse=True)
    return _Hand(held & ~wilds, twice & ~wilds, jokers, total, starts)


class _Search:
    """Finds what leaves fewer points than *best*, which is then what it leaves; `found` are the groups, `pure` too."""

    __slots__ = ("_path", "_seen", "best", "found", "pure")

    def __init__(self, best: int) -> None:
        self.best = best
        self.pure = 0
        self.found: list[_Group] | None = None
        self._path: list[_Group] = []
        self._seen: dict[int, int] = {}  # With so few points a position has been looked at before.

    def beside(self, hand: _Hand, *, spare: bool = False) -> bool:
        """Looks for a second sequence and other groups beside each pure sequence; whether it has found better."""
        before = self.best
        for _, held, twice, jokers, pure in hand.starts:
            if not self.best:
                break
            least_points = self.best
            self.look(held, twice, jokers, True, spare, 0)
            if self.best < least_points:
                self.pure = pure
        return self.best < before

    def look(self, held: int, twice: int, jokers: int, owed: bool, spare: bool, spent: int) -> None:
        """Decides on the lowest natural card of *held* and *twice*, and so on; *spent* points are loose already."""
        while held:
            low = held & -held
            card = low.bit_length() - 1
            groups = _groups_with(held, card)
            if groups and groups[0][1] <= jokers:
                break
            held, twice = (held, twice ^ low) if twice & low else (held ^ low, twice)
            if spare:
                self.look(held, twice, jokers, owed, False, spent)
            spent += _VALUE[card]
            if spent >= self.best:
                return
        else:
            if not owed and spent < self.best:
                self.best, self.found = spent, self._path[:]
            return
        key = ((held << 52 | twice) << 4 | jokers) << 2 | owed << 1 | spare
        if self._seen.get(key, _NEVER) <= spent:
            return
        self._seen[key] = spent
        for group in groups:
            naturals, wild, run = group
            if wild > jokers:
                break
            self._path.append(group)
            self.look(held ^ (naturals & ~twice), twice & ~naturals, jokers - wild, owed and not run, spare, spent)
            self._path.pop()
            if spent >= self.best:
                return
        held, twice = (held, twice ^ low) if twice & low else (held ^ low, twice)
        if spare:
            self.look(held, twice, jokers, owed, False, spent)
        if spent + _VALUE[card] < self.best:
            self.look(held, twice, jokers, owed, spare, spent + _VALUE[card])


def least(cards: Sequence[Card], wild: int, *, whole_hand: bool = False) -> int:
    """The fewest points that a hand can count, before the cap (IND-7.2 to 7.4)."""
    hand = _hand(cards, wild)
    search = _Search(_without_second(hand, whole_hand=whole_hand))
    search.beside(hand)
    return search.best


def _without_second(hand: _Hand, *, whole_hand: bool) -> int:
    """The fewest points that count without a second sequence (IND-7.2, 7.3)."""
    return hand.total - hand.starts[0][0] if hand.starts and not whole_hand else hand.total


def unmatched(cards: Sequence[Card], wild: int) -> int:
    """The fewest points that a hand leaves outside of groups, whatever sequences it has: what a bot may go by."""
    hand = _hand(cards, wild)
    search = _Search(hand.total + 1)
    search.look(hand.held, hand.twice, hand.jokers, False, False, 0)
    return search.best


def arrange(cards: Cards, wild: int, *, whole_hand: bool = False) -> Arrangement:
    """The groups of a hand with the fewest points, and what is left over."""
    hand = _hand(cards, wild)
    alone = _without_second(hand, whole_hand=whole_hand)
    search = _Search(alone + 1)
    second = search.beside(hand)
    if not second and alone == hand.total:
        return Arrangement((), (), tuple(cards), alone)
    jokers = [card for card in cards if is_joker(card, wild)]
    groups = [_pure_cards(search.pure if second else hand.starts[0][4])]
    for card in groups[0]:
        if card in jokers:
            jokers.remove(card)
    if search.found is not None:
        groups += [_laid_out(group, jokers) for group in search.found]
        if jokers:
            _place(jokers, groups, wild)
    rest = without(cards, [card for group in groups for card in group])
    assert rest is not None, "a group is made of the cards of the hand"
    return Arrangement(tuple(groups), (), rest, search.best if second else alone)


def _pure_cards(run: int) -> Cards:
    """The cards of a mask of one suit in their order, an ace behind the king where it stands there."""
    cards = cards_of(run)
    return cards if cards[-1] - cards[0] < len(cards) else (*cards[1:], cards[0])


def _laid_out(group: _Group, jokers: list[Card]) -> Cards:
    """The cards of a group in their order; takes its jokers out of *jokers*."""
    naturals = list(cards_of(group.naturals))
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
    if not _Search(1).beside(_hand(cards, wild), spare=True):
        return ()
    return tuple([card for card in throwable(cards, forbidden) if _Search(1).beside(_hand(_thrown(cards, card), wild))])


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
    bound = _bound(_hand(cards, wild), whole_hand=whole_hand)
    best, least_points = order[0], _NEVER
    for card in order:
        points = least(_thrown(cards, card), wild, whole_hand=whole_hand)
        if points < least_points:
            best, least_points = card, points
            if points <= bound:
                break
    return best


def _bound(hand: _Hand, *, whole_hand: bool) -> int:
    """No discard leaves fewer points than this; mostly one leaves just so many."""
    bound = hand.total - _dearest(hand.held)
    if not whole_hand:
        bound = min([bound, *[hand.total - points - _dearest(left) for points, left, *_ in hand.starts]])
    search = _Search(bound)
    search.beside(hand, spare=True)
    return search.best


def _dearest(held: int) -> int:
    return max([_VALUE[card] for card in cards_of(held)], default=0)


def small_groups(cards: Cards, wild: int) -> list[Cards]:
    """The pure sequences of three and the sets of three without a joker in a hand, in their order."""
    held = sum([1 << card for card in set(cards) if card < 52])
    runs = [_pure_cards(run) for run, _ in _pure_in(held) if run.bit_count() == 3]
    sets: list[Cards] = []
    for rank in range(13):
        sets += combinations([card for card in range(rank, 52, 13) if held >> card & 1], 3)
    return sorted([*runs, *sets])
