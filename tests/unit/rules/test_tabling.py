"""Melds of several packs with jokers, and the best arrangement of them, against an oracle that shares no code."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random
from typing import Any

import oracle
import oracle_tabled
import pytest

from rummy.rules.actions import LayOff
from rummy.rules.arranging import arranger
from rummy.rules.cards import TEXTS, cards_text, parse_card, parse_cards
from rummy.rules.game import TableMeld
from rummy.rules.tabling import (
    ACES,
    JOKER,
    MeldRules,
    after_lay_off,
    classified,
    hand_of,
    melds_in,
    minimal_melds,
    places,
    single_lay_offs,
    stands_for,
    tabled,
    with_cards,
    without,
)

VALUES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


class Sample:
    """A hand drawn at random, full of melds most of the time, under rules drawn at random."""

    def __init__(self, random: Random, most: int, jokers: int) -> None:
        self.ace = random.choice(ACES)
        self.packs = random.choice([1, 2])
        self.distinct = self.packs == 1 or random.random() < 0.5
        self.ace_value = random.choice([1, 11, 15])
        self.rules = MeldRules(
            ace=self.ace, distinct_suits=self.distinct, most_set=4 if self.distinct else 4 * self.packs
        )
        self.jokers = jokers
        pack, suits, rank = list(range(52)) * self.packs, random.sample(range(4), 2), random.randrange(13)
        rich = [card for card in pack if card // 13 in suits or abs(card % 13 - rank) <= 1]
        drawn = random.sample(rich if random.random() < 0.7 else pack, random.randint(3, most))
        self.hand = hand_of(drawn + [JOKER + number % 2 for number in range(jokers)])

    def is_meld(self, cards: tuple[int, ...]) -> bool:
        """What the oracle says of *cards* as they stand."""
        texts = [TEXTS[card] for card in cards]
        return oracle.is_basic_meld(texts, ace=self.ace, packs=self.packs, distinct=self.distinct)

    def least(self) -> int:
        """The fewest points that the oracle can leave."""
        natural = oracle.in_order(TEXTS[card] for card in self.hand if card < JOKER)
        return oracle.basic_least(natural, self.jokers, self.ace, self.packs, self.distinct, self.ace_value)


def check_arrangement(sample: Sample) -> None:
    """The best arrangement is one, and leaves what the oracle leaves."""
    solver = arranger(sample.rules, (sample.ace_value, *VALUES[1:]))
    least, melds = solver.best(sample.hand)
    left: tuple[int, ...] | None = sample.hand
    for meld in melds:
        assert left is not None
        assert sample.is_meld(meld), (sample.rules, meld)
        left = without(left, meld)
    assert left is not None
    assert least == solver.count(left) == solver.least(sample.hand)
    assert least == sample.least(), (sample.rules, cards_text(sample.hand))


@pytest.mark.parametrize(("jokers", "most", "number"), [(0, 11, 18_000), (1, 8, 1500), (2, 7, 800), (3, 5, 300)])
def test_the_best_arrangement_is_the_oracles(jokers: int, most: int, number: int) -> None:
    random = Random(jokers)
    for _ in range(number):
        check_arrangement(Sample(random, most, jokers))
    oracle.basic_least.cache_clear()


@pytest.mark.long
@pytest.mark.parametrize(("jokers", "most", "number"), [(0, 12, 900_000), (1, 9, 60_000), (2, 8, 40_000)])
def test_the_best_arrangement_of_a_million_hands(jokers: int, most: int, number: int) -> None:
    random = Random(100 + jokers)
    for done in range(number):
        check_arrangement(Sample(random, most, jokers))
        if done % 10_000 == 0:
            oracle.basic_least.cache_clear()


def test_what_is_a_meld_is_what_the_oracle_says() -> None:
    random = Random(5)
    seen = {True: 0, False: 0}
    for _ in range(20_000):
        sample = Sample(random, 6, random.choice([0, 0, 1, 2]))
        size = random.randint(1, min(6, len(sample.hand)))
        start = random.randrange(len(sample.hand) - size + 1)
        cards = list(sample.hand[start : start + size])
        melds = melds_in(sample.hand, sample.rules)
        if melds and random.random() < 0.5:
            cards = list(random.choice(melds))
        elif random.random() < 0.8:
            random.shuffle(cards)
        judged = classified(cards, sample.rules)
        assert (judged is not None) is sample.is_meld(tuple(cards)), (sample.rules, cards_text(cards))
        seen[judged is not None] += 1
    assert min(seen.values()) > 500


def test_the_melds_of_a_hand_are_all_there_are() -> None:
    random = Random(6)
    for _ in range(400):
        sample = Sample(random, 7, 0)
        listed = melds_in(sample.hand, sample.rules)
        subsets = {cards for size in range(3, 8) for cards in combinations(sample.hand, size)}
        assert len(listed) == len(set(listed))
        assert {tuple(sorted(cards)) for cards in listed} == {cards for cards in subsets if sample.is_meld(cards)}
        assert minimal_melds(sample.hand, sample.rules) == [cards for cards in listed if len(cards) == 3]


def test_the_melds_of_a_hand_with_a_joker_are_those_in_which_it_stands_for_a_card_not_held() -> None:
    random = Random(7)
    for _ in range(300):
        sample = Sample(random, 5, 1)
        wanted = set()
        for size in (3, 4, 5, 6):
            for subset in combinations(sample.hand, size):
                for cards in permutations(subset) if JOKER in subset else [subset]:
                    if sample.is_meld(cards):
                        meld = tabled(cards, 0, sample.rules)
                        assert meld is not None
                        joker = [stands_for(meld)[at] for at, card in enumerate(meld.cards) if card == JOKER]
                        if not meld.run or not set(joker) & set(sample.hand):
                            wanted.add(meld.cards)
        assert set(melds_in(sample.hand, sample.rules)) == wanted


def test_a_lay_off_leaves_what_could_have_been_laid_at_once() -> None:
    random = Random(8)
    grown = 0
    for _ in range(6000):
        sample = Sample(random, 9, random.choice([0, 1]))
        melds = melds_in(sample.hand, sample.rules)
        if not melds:
            continue
        meld = tabled(random.choice(melds), 0, sample.rules)
        assert meld is not None
        rest = without(sample.hand, meld.cards)
        assert rest is not None
        fits = {(lay_off.cards[0], lay_off.low) for lay_off in single_lay_offs(rest, [meld], sample.rules)}
        for card in set(rest):
            for low in (False, True):
                after = after_lay_off(meld, LayOff((card,), 0, low), 1, sample.rules)
                assert (after is not None) is ((card, low) in fits)
                if after is not None:
                    grown += 1
                    assert sample.is_meld(after.cards)
                    assert sorted(after.placers) == [0] * len(meld.cards) + [1]
            if not meld.run and card < JOKER and card in stands_for(meld) and sample.distinct:
                assert card not in {fit for fit, _ in fits}
    assert grown > 300


def test_the_place_of_an_ace() -> None:
    rules = MeldRules(ace="either")
    for text, expected in (("As2s3s", (0, 1, 2)), ("QsKsAs", (11, 12, 13)), ("QsXrAs", (11, 12, 13))):
        meld = tabled(parse_cards(text), 0, rules)
        assert meld is not None
        assert places(meld) == expected
    corner = TableMeld(parse_cards("XrAs2s"), (0, 0, 0), 0, run=True)
    assert places(corner) == (12, 13, 14)
    assert cards_text(stands_for(corner)) == "KsAs2s"


def test_longer_runs_and_half_natural_melds() -> None:
    rules = MeldRules(ace="either", distinct_suits=False, most_set=108, least_run=4, half_natural=True)
    assert classified(parse_cards("2c3c4c"), rules) is None
    assert classified(parse_cards("2cXrXb5c"), rules) is not None
    assert classified(parse_cards("2cXrXb5cXr"), rules) is None
    assert classified(parse_cards("9cXrXb"), rules) is None
    assert (
        arranger(rules, VALUES).best(hand_of(parse_cards("5d2h5h9hKhXrXrXb")))[0] == 21
    )  # 5d5h with jokers (CON-4.3).
    assert arranger(rules, VALUES).best(parse_cards("2c3c4c5c6c7c8c9c")) == (
        0,
        [parse_cards("2c3c4c5c"), parse_cards("6c7c8c9c")],
    )


def test_best_discards_and_hands_as_multisets() -> None:
    solver = arranger(MeldRules(), VALUES)
    hand = hand_of(parse_cards("4c4d4hKdKd9s"))
    assert solver.best_discards(hand) == (19, [parse_card("Kd")])
    assert solver.best_discards(hand, parse_card("Kd")) == (20, [parse_card("9s")])
    assert solver.best_discards(parse_cards("9s"), parse_card("9s")) == (0, [])
    assert without(hand, parse_cards("KdKd")) == parse_cards("4c4d4h9s")[:1] + hand_of(parse_cards("4d4h9s"))
    assert without(hand, parse_cards("9s9s")) is None
    assert with_cards((), parse_cards("Kd4cKd")) == hand_of(parse_cards("4cKdKd"))


def test_the_best_arrangement_under_the_rules_of_a_contract_is_the_oracles_con_4() -> None:
    rules = MeldRules(ace="either", distinct_suits=False, most_set=158, least_run=4, half_natural=True)
    random, solver, melded = Random(9), arranger(rules, VALUES), 0
    for _ in range(150):
        jokers = random.choice([0, 1, 2])
        pack, suits, rank = list(range(52)) * 3, random.sample(range(4), 2), random.randrange(13)
        rich = [card for card in pack if card // 13 == suits[0] or abs(card % 13 - rank) <= 1]
        hand = hand_of(random.sample(rich, random.randint(4, 9 - jokers)) + [JOKER, JOKER + 1][:jokers])
        least, melds = solver.best(hand)
        left: tuple[int, ...] | None = hand
        for meld in melds:
            assert left is not None
            assert classified(meld, rules) is not None
            left = without(left, meld)
        assert left is not None
        assert least == solver.count(left) == contract_least(hand)
        melded += len(melds)
    assert melded > 100


def is_run_in_some_order(cards: list[str]) -> bool:
    """CON-4.1, 4.3: jokers may stand wherever one is missing."""
    natural = oracle_tabled.natural_of(cards)
    if len(cards) < 4 or 2 * len(natural) < len(cards) or len(set(natural)) < len(natural):
        return False
    line = oracle.LINES["either"]
    rows = [line[at : at + len(cards)] for at in range(len(line) - len(cards) + 1)]
    return len({card[1] for card in natural}) == 1 and any(all(card[0] in row for card in natural) for row in rows)


def contract_least(hand: tuple[int, ...]) -> int:
    """What the oracle's contract melds leave at least, every choice of cards tried."""
    texts = [TEXTS[card] for card in hand]
    worth = [VALUES[card % 13] if card < JOKER else 0 for card in hand]
    melds = set()
    for size in range(3, len(hand) + 1):
        for chosen in combinations(range(len(hand)), size):
            cards = [texts[at] for at in chosen]
            if oracle_tabled.is_contract_set(cards) or is_run_in_some_order(cards):
                melds.add(sum(1 << at for at in chosen))
    least = [0] * (1 << len(hand))
    for held in range(1, 1 << len(hand)):
        low = held & -held
        ways = [least[held & ~meld] for meld in melds if meld & low and meld & held == meld]
        least[held] = min([worth[low.bit_length() - 1] + least[held ^ low], *ways])
    return least[-1]


def test_best_discards_are_those_that_leave_least_com_14() -> None:
    random = Random(10)
    for _ in range(150):
        sample = Sample(random, 14, random.choice([0, 0, 1]))
        solver = arranger(sample.rules, (sample.ace_value, *VALUES[1:]))
        hand = sample.hand
        kept = random.choice([None, *hand])
        after = {card: solver.least(hand[:at] + hand[at + 1 :]) for at, card in enumerate(hand) if card != kept}
        least = min(after.values(), default=0)
        best = sorted(card for card, points in after.items() if points == least)
        assert solver.best_discards(hand, kept) == (least, best)


@pytest.mark.parametrize(
    ("ace", "cards", "least"),
    [
        ("low", "As9c", 10),  # The ace has one place, and counts once.
        ("low", "AsXr9c", 10),
        ("high", "2c9d", 11),
        ("either", "QsXrAs", 0),  # The joker leads to the ace above the king.
        ("either", "5sXr7s", 0),
        ("low", "7c7dXr9h", 9),
        ("corner", "Ah2h4h9hThKhXr", 4),  # KA2 and 9T with the joker: only the four is left.
        ("corner", "Ah4h5h9hJhKhXr", 18),
        ("corner", "7c9cJc5d6dAh2h3hQhKh7s", 44),
        ("corner", "2h3hThQhQhKhKhXr", 25),  # TQK with the joker.
        ("either", "5c8cKcAh3hJhKhXrXb", 23),  # Kings and A23, rather than a run up to the ace.
    ],
)
def test_hands_that_are_counted_by_heart(ace: str, cards: str, least: int) -> None:
    solver = arranger(MeldRules(ace=ace), VALUES)
    assert solver.best(hand_of(parse_cards(cards)))[0] == solver.least(hand_of(parse_cards(cards))) == least


@pytest.mark.parametrize("suits", list(permutations("cdhs", 3)), ids="".join)
def test_aces_that_count_more_than_a_joker_costs_are_still_melded_with_it_com_4(suits: tuple[str, ...]) -> None:
    a, b, c = suits
    # The joker saves 30 beside the aces, of which the run needs one, and 21 with the eight below it.
    solver = arranger(MeldRules(ace="high", least_run=4), (15, *VALUES[1:]))
    hand = hand_of(parse_cards(f"J{a}Q{a}K{a}A{a}A{b}A{c}6{c}7{c}8{c}Xr"))
    assert solver.best(hand)[0] == 21


@pytest.mark.parametrize(
    ("rules", "cards", "least"),
    [
        (MeldRules(naturals=3), "5c5dXr7h8hXb", 25),
        (MeldRules(naturals=3), "5c5d5h7h8h9hXr", 0),
        (MeldRules(distinct_suits=False, most_set=4), "5c5c5d5d5h", 5),
        (MeldRules(distinct_suits=False, most_set=4), "5c5c5d5d5hXr", 0),
        (MeldRules(distinct_suits=False, most_set=4), "5c5c5d5d5h5h5s5s", 0),
        (MeldRules(distinct_suits=False, most_set=4), "5c5c5d5d5h5h5s5s5s", 0),
    ],
)
def test_sets_of_rules_that_no_game_has_yet(rules: MeldRules, cards: str, least: int) -> None:
    hand = hand_of(parse_cards(cards))
    found, melds = arranger(rules, VALUES).best(hand)
    assert found == least
    assert all(classified(meld, rules) is not None for meld in melds)
    assert without(hand, [card for meld in melds for card in meld]) is not None


def test_of_two_runs_side_by_side_the_one_with_more_natural_cards_goes_on_con_4() -> None:
    rules = MeldRules(ace="either", distinct_suits=False, most_set=158, least_run=4, half_natural=True)
    hand = hand_of(parse_cards("2c3c3c4c4c7cJc" + 7 * "Xr"))
    assert arranger(rules, VALUES).best(hand)[0] == 0  # 34 with two jokers, and 234 with two, 7, three, J.


@pytest.mark.parametrize("ace", ACES)
def test_a_whole_suit_is_one_run_com_5(ace: str) -> None:
    rules, suit = MeldRules(ace=ace), tuple(range(13, 26))
    made = tabled(suit, 0, rules)
    assert made is not None and made.run
    assert places(made) == (tuple(range(1, 14)) if ace == "high" else tuple(range(13)))
    assert [cards for cards in melds_in(suit, rules) if len(cards) == 13] == [made.cards]


def test_the_thirteenth_card_of_a_run_round_the_corner_goes_to_its_high_end_com_6() -> None:
    rules = MeldRules(ace="corner")
    run = tabled(parse_cards("2c3c4c5c6c7c8c9cTcJcQcKc"), 0, rules)
    assert run is not None
    grown = after_lay_off(run, LayOff(parse_cards("Ac"), 0), 1, rules)
    assert grown is not None
    assert (cards_text(grown.cards), grown.placers) == ("2c3c4c5c6c7c8c9cTcJcQcKcAc", (0,) * 12 + (1,))


def test_a_copy_that_is_laid_off_lies_behind_the_one_it_is_a_copy_of_com_6() -> None:
    rules = MeldRules(distinct_suits=False, most_set=8)
    made = tabled(parse_cards("7c7d7h"), 0, rules)
    assert made is not None
    grown = after_lay_off(made, LayOff(parse_cards("7c"), 0), 1, rules)
    assert grown is not None
    assert (cards_text(grown.cards), grown.placers) == ("7c7c7d7h", (0, 1, 0, 0))


def test_a_set_has_no_more_cards_than_the_rules_say_com_4() -> None:
    rules = MeldRules(distinct_suits=False, most_set=8)
    for cards in ("7c7c7d7d7h7h7s7s", "7c7c7d7d7h7hXrXb"):
        made = tabled(parse_cards(cards), 0, rules)
        assert made is not None
        assert single_lay_offs(hand_of(parse_cards("7s7hXr")), [made], rules) == []
        assert tabled((*parse_cards(cards), JOKER), 0, rules) is None
    full = tabled(parse_cards("7c7d7h7s"), 0, MeldRules())
    assert full is not None
    assert single_lay_offs(parse_cards("7sXr"), [full], MeldRules()) == []


def test_the_melds_of_a_hand_are_each_listed_once() -> None:
    for cards in ("AdAhAs", "AcAdAhAs", "As2s3sQsKs", "7c7d7h8h9h"):
        found = melds_in(hand_of(parse_cards(cards)), MeldRules(ace="either"))
        assert len(found) == len(set(found)) > 0


def test_of_two_natural_cards_a_half_natural_meld_has_two_jokers_at_most_con_4_3() -> None:
    rules = MeldRules(ace="either", distinct_suits=False, most_set=158, least_run=4, half_natural=True)
    found = melds_in(hand_of(parse_cards("5c5dXrXrXr")), rules)
    assert {cards_text(cards) for cards in found} == {"5c5dXr", "5c5dXrXr"}


@pytest.mark.parametrize(
    "rules", [{"ace": "middle"}, {"naturals": 1}, {"least_set": 2}, {"least_run": 2}, {"most_set": 3}, {"most_set": 5}]
)
def test_rules_of_melds_that_no_game_has(rules: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^A (meld|set) "):
        MeldRules(**rules)


@pytest.mark.parametrize("extra", ["", "Kc", "Kc2cAc", "QcKcAc2c", "KcAcAc2c2cKc", "3c4c5c6c7c8c9cTcJcQcKcAc2c"])
@pytest.mark.parametrize("short", ["", "Ac", "7c"])
def test_runs_that_go_all_the_way_round_come_out_whole_com_5(extra: str, short: str) -> None:
    rules = MeldRules(ace="corner", distinct_suits=False, most_set=8)
    left = without(hand_of((*range(13), *parse_cards(extra))), parse_cards(short))
    assert left is not None
    hand = hand_of((*left, *[JOKER] * (len(short) // 2)))
    least, melds = arranger(rules, VALUES).best(hand)
    assert least == 0
    assert all(classified(meld, rules) is not None for meld in melds)
    assert without(hand, [card for meld in melds for card in meld]) is not None


@pytest.mark.parametrize("ace", ACES)
@pytest.mark.parametrize("suit", range(4))
@pytest.mark.parametrize(("least", "jokers"), [(3, 1), (4, 2), (3, 2)])
def test_jokers_stand_where_there_is_room_for_them_com_5(ace: str, suit: int, least: int, jokers: int) -> None:
    rules = MeldRules(ace=ace, least_run=least)
    for rank in range(13):
        for step in (1, 2):
            hand = hand_of([suit * 13 + rank, suit * 13 + (rank + step) % 13, *[JOKER] * jokers])
            points, melds = arranger(rules, VALUES).best(hand)
            assert all(classified(meld, rules) is not None for meld in melds)
            fits = ace == "corner" or rank + step < 13 or (rank + step == 13 and ace != "low")
            fits = fits and not (ace == "high" and rank == 0)
            assert points == (0 if fits else sum(VALUES[card % 13] for card in hand if card < JOKER)), (hand, melds)


@pytest.mark.parametrize("suit", "cdhs")
@pytest.mark.parametrize("ranks", ["JQKA2", "KA2", "QKA23", "TJQKA2345"])
def test_a_run_goes_round_the_corner_in_every_suit_com_5(suit: str, ranks: str) -> None:
    hand = hand_of(parse_cards("".join(rank + suit for rank in ranks)))
    assert arranger(MeldRules(ace="corner"), VALUES).best(hand)[0] == 0
    assert arranger(MeldRules(ace="corner"), (15, *VALUES[1:])).best(hand)[0] == 0


@pytest.mark.parametrize(
    ("cards", "values", "weights", "least"),
    [
        ("AcAcKcAs2sKsXr", (40, *VALUES[1:]), (1, 1, 0, 1), 2),  # Two sets, one with the joker, and no run KA2.
        ("2cAdKd2hAs2sXrXr", (1,) * 13, (1, 0, 1, 1), 0),  # Two sets, and no run KA2; the king counts nothing.
    ],
)
def test_whatever_cards_are_worth_sets_may_be_better_than_a_run_round_the_corner_com_5(
    cards: str, values: tuple[int, ...], weights: tuple[int, int, int, int], least: int
) -> None:
    distinct = weights[1] == 0
    rules = MeldRules(ace="corner", distinct_suits=distinct, most_set=4 if distinct else 8)
    assert arranger(rules, values, weights).best(hand_of(parse_cards(cards)))[0] == least


def test_a_run_falls_into_runs_only_where_each_is_half_natural_con_4_3() -> None:
    rules = MeldRules(ace="either", distinct_suits=False, most_set=158, least_run=4, half_natural=True)
    least, melds = arranger(rules, VALUES).best(hand_of(parse_cards("2c6c7c8c9cTcXrXrXr")))
    assert least == 0
    assert all(classified(meld, rules) is not None for meld in melds)


@pytest.mark.parametrize("ace", ACES)
@pytest.mark.parametrize("suit", range(4))
def test_long_runs_beside_each_other_come_out_as_melds_com_5(ace: str, suit: int) -> None:
    rules = MeldRules(ace=ace, distinct_suits=False, most_set=8)
    for first, length, second, more in ((1, 6, 4, 5), (2, 9, 3, 3), (1, 12, 5, 4), (3, 3, 7, 6), (5, 7, 5, 7)):
        cards = [suit * 13 + rank for rank in (*range(first, first + length), *range(second, second + more))]
        for without_one in (0, 1):
            hand = hand_of([*cards[: len(cards) - without_one], *[JOKER] * without_one])
            points, melds = arranger(rules, VALUES).best(hand)
            assert points == 0
            assert all(classified(meld, rules) is not None for meld in melds)
            assert without(hand, [card for meld in melds for card in meld]) is not None
            assert sum(card < JOKER for meld in melds for card in meld) == len(cards) - without_one


def test_the_smallest_melds_are_sets_of_three_and_runs_of_four_con_4_1() -> None:
    rules = MeldRules(ace="either", distinct_suits=False, most_set=158, least_run=4, half_natural=True)
    hand = hand_of(parse_cards("5c5d6c7c8cXr"))
    wanted = {"5c5dXr", "5c6c7c8c", "Xr6c7c8c", "6c7c8cXr", "5cXr7c8c", "5c6cXr8c", "5c6c7cXr", "Xr5c6c7c"}
    found = {cards_text(cards) for cards in minimal_melds(hand, rules)}
    assert found <= wanted
    assert {"5c5dXr", "5c6c7c8c"} <= found
