"""The best arrangement of a hand under `MeldRules`: fewest points left, exact, for several packs, jokers and any ace.

The hand is gone through place by place, ace or two first. At each it is chosen which cards of the rank go into sets,
and then, for each suit by itself, what becomes of its open runs and of its other cards (`tails`). The cheapest way
through is searched for, best first (A*); ways that have led to the same open runs are one.

What makes it quick is the bound. If a card could be sold to a set, and a joker bought, each at a price, then the suits
would have nothing to do with each other: each is solved by itself, from its last place back. What that leaves, less
what sets and jokers fall short of their prices, is never more than what is left in truth, whatever the prices are
(Lagrange). They are such that the cards of a rank that no run wants pay for those that they lure out of runs.

Jokers that find no place count nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import product
from typing import Final, NamedTuple

from rummy.rules.actions import Card, Cards
from rummy.rules.runs import Run, joined, taken_out
from rummy.rules.tabling import JOKER, LONGEST_RUN, MeldRules
from rummy.rules.tails import STOP, Place, Step, Tails

Suits = tuple[int, int, int, int]
Prices = tuple[int, ...]  # By how many cards of a suit are sold at a place.
_NEVER: Final = 1 << 20  # More than any hand counts.
_KEPT: Final = 1 << 16  # Entries of a dictionary before it begins anew.
_NONE: Final = (0, 0, 0, 0)


class Sets(NamedTuple):
    """The cards of a rank that go into sets, by suit, and the jokers with them."""

    counts: Suits
    jokers: int


_NO_SETS: Final = (Sets(_NONE, 0),)


class _Turn(NamedTuple):
    """A place of the hand: its number, rank, and copies by suit; the sets there may be, and what cards are sold at."""

    place: int
    rank: int
    copies: Suits
    sets: Sequence[Sets]
    prices: tuple[Prices, ...]
    short: int  # What the sets fall short of their prices at most; not above 0.


_Choice = tuple[int, int, int, int, Step]  # Least points from here on with prices, next state, points, jokers, step.
_Choices = tuple[int, list[_Choice]]  # The least of them, and all.
_Way = tuple["_Way | None", Suits, Sets, tuple[_Choice, ...]]  # All before a place, its states, and what was chosen.
_Node = tuple[int, int, int, int, int, Suits, "_Way | None"]


class Arranger:
    """Arranges hands under *rules*; a loose card of suit s and rank r counts *weights*[s] times *values*[r]."""

    def __init__(self, rules: MeldRules, values: tuple[int, ...], weights: Suits = (1, 1, 1, 1)) -> None:
        self.rules = rules
        self.values = values
        self.weights = weights
        self.points = tuple([tuple([weight * value for value in values]) for weight in weights])
        self.tails = Tails(rules)
        self._sets_of: dict[tuple[Suits, tuple[bool, ...], int], tuple[Sets, ...]] = {}
        self._hands: dict[Cards, int] = {}

    def count(self, cards: Sequence[Card]) -> int:
        """The values of *cards* together."""
        return sum([self.weights[card // 13] * self.values[card % 13] for card in cards if card < JOKER])

    def least(self, hand: Cards) -> int:
        """The fewest points that *hand* can leave."""
        least = self._hands.get(hand)
        if least is None:
            least, _ = _Search(self, hand).run()
            if len(self._hands) > _KEPT:
                self._hands.clear()
            self._hands[hand] = least
        return least

    def best(self, hand: Cards) -> tuple[int, list[Cards]]:
        """The fewest points that *hand* can leave, and melds that leave so many."""
        search = _Search(self, hand)
        least, way = search.run()
        return least, sorted(search.melds(way))

    def best_discards(self, hand: Cards, forbidden: Card | None = None) -> tuple[int, list[Card]]:
        """The fewest points after a discard other than *forbidden*, and every card that reaches it.

        Without a card that a best arrangement leaves loose, that much less is left; without another one no less than
        the least that it and the others leave together.
        """
        least, melds = self.best(hand)
        loose = list(hand)
        for meld in melds:
            for card in meld:
                loose.remove(card)
        after = {card: least - self.count((card,)) for card in loose if card < JOKER and card != forbidden}
        fewest = min(after.values(), default=_NEVER)
        for card in sorted(set(hand) - {forbidden, *after}, key=lambda card: -self.count((card,))):
            if least - self.count((card,)) <= fewest:
                at = hand.index(card)
                after[card] = self.least(hand[:at] + hand[at + 1 :])
                fewest = min(fewest, after[card])
        return min(after.values(), default=0), sorted([card for card, points in after.items() if points == fewest])

    def ready(self) -> Tails:
        """The steps of runs; they begin anew where they have become too many."""
        if self.tails.found > _KEPT:
            self.tails = Tails(self.rules)
        return self.tails

    def sets(self, copies: Suits, fixed: tuple[bool, ...], jokers: int) -> tuple[Sets, ...]:
        """What may go into sets of a rank; cards of a *fixed* suit are of no other use."""
        key = (copies, fixed, jokers)
        sets = self._sets_of.get(key)
        if sets is None:
            sets = self._sets_of[key] = tuple(self._all_sets(copies, fixed, jokers))
        return sets

    def _all_sets(self, copies: Suits, fixed: tuple[bool, ...], jokers: int) -> Iterator[Sets]:
        rules = self.rules
        yield from _NO_SETS
        all_in = [
            alone and (count <= 1 if rules.distinct_suits else sum(copies) <= rules.most_set)
            for count, alone in zip(copies, fixed, strict=True)
        ]
        for counts in product(*[range(n if whole else 0, n + 1) for n, whole in zip(copies, all_in, strict=True)]):
            number = self.number_of_sets(counts)
            size = sum(counts) // number
            wild = max(0, rules.least_set * number - sum(counts))
            if size >= 2 and wild <= jokers and (not wild or rules.allows(size, rules.least_set - size)):
                a, b, c, d = counts
                yield Sets((a, b, c, d), wild)

    def number_of_sets(self, counts: Sequence[int]) -> int:
        """Into how many sets so many cards by suit have to go at least."""
        rules = self.rules
        if not rules.distinct_suits:
            return max(1, -(-sum(counts) // rules.most_set))
        return max(1, *counts)


class _Search:
    """One hand, arranged."""

    def __init__(self, arranger: Arranger, hand: Cards) -> None:
        self.arranger = arranger
        self.rules = arranger.rules
        self.tails = arranger.ready()
        self.wild = [card for card in hand if card >= JOKER]
        self.jokers = len(self.wild)
        self.joker_price = 2 * max(arranger.values[1:]) if self.wild else 0
        self.held: list[list[int]] = [[0] * 13 for _ in range(4)]
        for card in hand:
            if card < JOKER:
                self.held[card // 13][card % 13] += 1
        self.settled = 0  # Points left at ranks that have nothing to do with the rest.
        self.settled_sets: list[tuple[int, Sets]] = []
        self._lay_out()
        self._tables: list[list[dict[int, tuple[int, list[_Choices]]]]] = [
            [*[{} for _ in self.turns], {0: (0, [])}] for _ in range(4)
        ]

    # ---- the places

    def _lay_out(self) -> None:
        """Which places there are, what may be done at each, and what sets fall short from each on."""
        ace, length = self.rules.ace, self.rules.least_run
        masks = [sum([1 << rank for rank in range(13) if held[rank]]) for held in self.held]
        if ace == "high":
            masks = [mask & ~1 | (mask & 1) << 13 for mask in masks]
        elif ace == "either":
            masks = [mask | (mask & 1) << 13 for mask in masks]
        ring = [mask | mask << 13 | mask << 26 if ace == "corner" else mask for mask in masks]
        runs = [_in_runs(mask, length) for mask in ring]
        if ace == "corner":
            runs = [mask >> 13 & 8191 for mask in runs]
        elif ace == "either":
            runs = [mask | mask >> 13 & 1 for mask in runs]
        self.turns = list(self._turns(runs, masks if self.jokers else runs))
        self.short = [0]
        for turn in reversed(self.turns):
            self.short.append(self.short[-1] + turn.short)
        self.short.reverse()
        self.places = [[self._place(mask, suit, at) for at in range(len(self.turns))] for suit, mask in enumerate(ring)]

    def _turns(self, runs: list[int], useful: list[int]) -> Iterator[_Turn]:
        """The places at which a run may have a card: all of them where there are jokers."""
        anywhere = (1 << 14) - 1 if self.jokers else useful[0] | useful[1] | useful[2] | useful[3]
        first, end = {"low": (0, 13), "high": (1, 14), "either": (0, 14)}.get(self.rules.ace, (0, 13))
        c, d, h, s = self.held
        for place in range(first, end):
            rank = place % 13
            copies = (c[rank], d[rank], h[rank], s[rank])
            if place == 13 and self.rules.ace == "either":
                if anywhere >> 13 & 1 and any(copies):
                    yield _Turn(place, rank, _NONE, _NO_SETS, ((0,),) * 4, 0)
            elif anywhere >> place & 1:
                fixed = tuple([not mask >> place & 1 for mask in useful])
                yield self._turn(place, copies, fixed, tuple([bool(mask >> place & 1) for mask in runs]))
            else:
                self._settle(rank, copies)

    def _turn(self, place: int, copies: Suits, fixed: tuple[bool, ...], in_runs: tuple[bool, ...]) -> _Turn:
        rank, size = place % 13, sum(copies)
        if size < 2 or size + self.jokers < self.rules.least_set:
            return _Turn(place, rank, copies, _NO_SETS, ((0,),) * 4, 0)
        sets = self.arranger.sets(copies, fixed, self.jokers)
        prices = self._prices(rank, copies, in_runs)
        one, two, three, four = prices
        short = min([
            self.joker_price * jokers - one[a] - two[b] - three[c] - four[d] for (a, b, c, d), jokers in sets
        ])  # fmt: skip
        return _Turn(place, rank, copies, sets, prices, short)

    def _settle(self, rank: int, copies: Suits) -> None:
        """Makes the best set of a rank that no run touches, where there are no jokers."""
        if not any(copies):
            return
        worth = [points[rank] for points in self.arranger.points]
        sets = _NO_SETS if sum(copies) < self.rules.least_set else self.arranger.sets(copies, (True,) * 4, 0)
        left, chosen = min(
            [
                (sum([(n - m) * value for n, m, value in zip(copies, each.counts, worth, strict=True)]), each)
                for each in sets
            ]
        )
        self.settled += left
        if any(chosen.counts):
            self.settled_sets.append((rank, chosen))

    def _place(self, mask: int, suit: int, at: int) -> Place:
        """What a step of *suit* at a place depends on; *mask* is the places of its cards."""
        place, jokers, ahead = self.turns[at].place, self.jokers, self.rules.least_run - 1
        last = at + 1 == len(self.turns)
        gap = not last and self.turns[at + 1].place != place + 1
        near = mask >> place + 1
        top = self.rules.ace == "either" and place == 0 and self.turns[-1].place == 13
        if jokers:
            start = near & (1 << jokers + 1) - 1 != 0
            keep = top and mask >> 12 - jokers & (1 << jokers + 1) - 1 != 0
        else:
            start = near & (1 << ahead) - 1 == (1 << ahead) - 1
            keep = top and mask >> 13 - ahead & (1 << ahead) - 1 == (1 << ahead) - 1
        return Place(
            start=start and place != 13,
            bridge=near & (1 << jokers) - 1 != 0,
            keep=keep,
            ends=2 if last else 1 if gap else 0,
            room=self.held[suit][(place + 1) % 13] + jokers,
            jokers=jokers,
        )

    # ---- prices, and what they leave of each suit

    def _prices(self, rank: int, copies: Suits, in_runs: tuple[bool, ...]) -> tuple[Prices, ...]:
        """By suit what is paid for so many of its cards to be in sets: less than nothing where a run may want them."""
        distinct, worth = self.rules.distinct_suits, [points[rank] for points in self.arranger.points]
        single = [min(count, 1) if distinct else count for count in copies]
        if sum(single) < self.rules.least_set:
            each = self._pair_prices(single, in_runs, worth)
        else:
            idle = [0 if wanted else count for count, wanted in zip(single, in_runs, strict=True)]
            lured = self.rules.least_set - sum(idle)
            if lured <= 0:
                each = [0] * 4
            else:
                paid = sum([count * value for count, value in zip(idle, worth, strict=True)])
                share = -(-paid // lured)
                each = [-share if wanted else value for wanted, value in zip(in_runs, worth, strict=True)]
        if not distinct:
            return tuple(
                [tuple([price * n for n in range(count + 1)]) for price, count in zip(each, copies, strict=True)]
            )
        twice = sum([min(count, 2) for count in copies]) + self.jokers >= 2 * self.rules.least_set
        return tuple([
            (0, *[price + (0 if twice else value * n) for n in range(count)])
            for price, count, value in zip(each, copies, worth, strict=True)
        ])  # fmt: skip

    def _pair_prices(self, single: list[int], in_runs: tuple[bool, ...], worth: list[int]) -> list[int]:
        """Two cards pay for a joker; the one that no run wants as much of it as the card is worth."""
        each = list(worth)
        suits = [suit for suit, count in enumerate(single) for _ in range(count)]
        if len(suits) != 2:
            return each
        one, other = sorted(suits, key=lambda suit: in_runs[suit])
        if in_runs[one] == in_runs[other]:
            each[one] = min(worth[one], self.joker_price // 2)
            each[other] = min(worth[other], self.joker_price // 2)
        else:
            each[one] = min(worth[one], self.joker_price)
            each[other] = self.joker_price - each[one]
        return each

    def _bound(self, suit: int, at: int, state: int) -> int:
        """The least that *suit* leaves from a place on, with prices; keeps by the cards sold what may be done."""
        table = self._tables[suit][at]
        known = table.get(state)
        if known is not None:
            return known[0]
        turn, place = self.turns[at], self.places[suit][at]
        steps, following = self.tails.known(place), self._tables[suit][at + 1]
        prices = turn.prices[suit]
        worth, joker_price = self.arranger.points[suit][turn.rank], self.joker_price
        copies = self.tails[state].aces if turn.place == 13 and self.rules.ace == "either" else turn.copies[suit]
        best = _NEVER
        choices: list[_Choices] = []
        for sold in range(copies + 1 if turn.sets is not _NO_SETS else 1):
            least = _NEVER
            some: list[_Choice] = []
            for step in steps.get((state, copies - sold)) or self.tails.steps(state, copies - sold, place):
                to, loose, jokers, _ = step
                after = following.get(to)
                left = loose * worth + jokers * joker_price + (after[0] if after else self._bound(suit, at + 1, to))
                if left < _NEVER:
                    some.append((left, to, loose * worth, jokers, step))
                    if left < least:
                        least = left
            choices.append((least, some))
            if least + prices[sold] < best:
                best = least + prices[sold]
        table[state] = (best, choices)
        return best

    # ---- the search

    def run(self) -> tuple[int, _Way | None]:
        """The fewest points left, and a way that leaves them."""
        end, number = len(self.turns), 0
        heap = list(self._firsts())
        heapify(heap)
        seen: dict[tuple[int, int, Suits], int] = {}
        while True:
            _, at, _, points, jokers, states, way = heappop(heap)
            if -at == end:
                return points + self.settled, way
            for least, now, used, to, sets, steps in self._next(-at, points, jokers, states):
                key = (at, used, to)
                if seen.get(key, _NEVER) > now:
                    seen[key] = now
                    number += 1
                    heappush(heap, (least, at - 1, number, now, used, to, (way, states, sets, steps)))

    def _firsts(self) -> Iterator[_Node]:
        """What the hand may begin with: no open runs, but where runs go round the corner."""
        begin = [[0]] * 4
        if self.rules.ace == "corner" and self.turns and (self.turns[0].place, self.turns[-1].place) == (0, 12):
            begin = [self.tails.claims(max(held[0], held[12]) + self.jokers, self.jokers) for held in self.held]
        bounds = [[(self._bound(suit, 0, state), state) for state in some] for suit, some in enumerate(begin)]
        for number, (c, d, h, s) in enumerate(
            product(*[[each for each in some if each[0] < _NEVER] for some in bounds])
        ):
            least = c[0] + d[0] + h[0] + s[0] + self.short[0] - self.joker_price * self.jokers
            yield max(0, least), 0, -number, 0, 0, (c[1], d[1], h[1], s[1]), None

    def _next(
        self, at: int, points: int, jokers: int, states: Suits
    ) -> Iterator[tuple[int, int, int, Suits, Sets, tuple[_Choice, ...]]]:
        """What may be done at a place: the bound of all, points and jokers so far, next states, sets and steps."""
        most, joker_price = self.jokers, self.joker_price
        base = points + self.short[at + 1] - joker_price * (most - jokers)
        (_, clubs), (_, diamonds), (_, hearts), (_, spades) = [
            table[at][state] for table, state in zip(self._tables, states, strict=True)
        ]
        for sets in self.turns[at].sets:
            (a, b, c, d), wild = sets
            left = most - jokers - wild
            if left < 0:
                continue
            before = base + joker_price * wild
            for one in clubs[a][1]:
                for two in diamonds[b][1]:
                    for three in hearts[c][1]:
                        for four in spades[d][1]:
                            used = one[3] + two[3] + three[3] + four[3]
                            if used <= left:
                                now = points + one[2] + two[2] + three[2] + four[2]
                                least = before + one[0] + two[0] + three[0] + four[0]
                                to = (one[1], two[1], three[1], four[1])
                                yield max(now, least), now, jokers + wild + used, to, sets, (one, two, three, four)

    # ---- the melds of a way

    def melds(self, way: _Way | None) -> Iterator[Cards]:
        """The melds that were made on *way*."""
        wild = iter(self.wild)
        ways = []
        while way is not None:
            ways.append(way)
            way = way[0]
        ways.reverse()
        chosen = [(turn.rank, way[2]) for turn, way in zip(self.turns, ways, strict=True)]
        for rank, sets in [*self.settled_sets, *chosen]:
            if any(sets.counts):
                yield from self._sets_of(rank, sets, wild)
        for suit in range(4):
            for start, run in self._runs_of(suit, ways):
                for first, part in self._parts(start, run):
                    yield self._with_jokers(suit, first, part, wild)

    def _sets_of(self, rank: int, sets: Sets, wild: Iterator[Card]) -> Iterator[Cards]:
        """The cards are dealt out over as many sets as they need, so that each suit is spread over all."""
        cards = [rank + 13 * suit for suit, count in enumerate(sets.counts) for _ in range(count)]
        number = self.arranger.number_of_sets(sets.counts)
        for first in range(number):
            meld = cards[first::number]
            yield (*meld, *[next(wild) for _ in range(self.rules.least_set - len(meld))])

    def _runs_of(self, suit: int, ways: Sequence[_Way]) -> Iterator[tuple[int, list[bool]]]:
        """The runs of a suit: first place, and by place whether the card is natural."""
        runs = [Run(tail) for tail in self.tails[ways[0][1][suit]].tails] if ways else []
        claims = [(run.tail, run) for run in runs]
        done: list[Run] = []
        going: list[Run] = []
        for at, way in enumerate(ways):
            step, place = way[3][suit][4], self.turns[at].place
            going = []
            for run, part in zip(runs, step.taken, strict=False):
                (done if part == STOP else going).append(run)
                run.take(part, self.tails, self.jokers)
            going += [Run(self.tails.begun(self.jokers), place, [True]) for _ in step.taken[len(runs) :]]
            runs = [taken_out(going, tail) for tail in self.tails[step.state].tails]
            done += [] if at + 1 == len(ways) else going
        yield from joined(done, going, claims)

    def _parts(self, start: int, run: list[bool]) -> Iterator[tuple[int, list[bool]]]:
        """The short runs into which a run falls; one that is longer than a suit always falls into some."""
        least, allows = self.rules.least_run, self.rules.allows
        for at in range(least, len(run) - least + 1):
            halves = run[:at], run[at:]
            if all(sum(half) >= 2 and allows(sum(half), len(half) - sum(half)) for half in halves):
                yield start, halves[0]
                yield from self._parts((start + at) % 13, halves[1])
                return
        assert len(run) <= LONGEST_RUN, "with so few jokers a long run falls into two"
        yield start, run

    def _with_jokers(self, suit: int, start: int, run: list[bool], wild: Iterator[Card]) -> Cards:
        cards = [suit * 13 + (start + at) % 13 if natural else next(wild) for at, natural in enumerate(run)]
        end = {"low": 13, "corner": 26}.get(self.rules.ace, 14)
        for at in range(self.rules.least_run - len(run)):
            cards.insert(len(cards) if start + len(run) + at < end else 0, next(wild))
        return tuple(cards)


def _in_runs(mask: int, length: int) -> int:
    """The places that lie on a run of natural cards."""
    low = high = mask
    for step in range(1, length):
        low &= mask >> step
    high = low
    for step in range(1, length):
        high |= low << step
    return high


@lru_cache(maxsize=64)
def arranger(rules: MeldRules, values: tuple[int, ...], weights: Suits = (1, 1, 1, 1)) -> Arranger:
    """The arranger of these rules and values; its dictionaries are shared by everybody who asks."""
    return Arranger(rules, values, weights)
