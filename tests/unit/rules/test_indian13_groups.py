"""Groups of Indian rummy and what a hand counts, clause by clause and against the oracle."""

from __future__ import annotations

from collections import Counter
from random import Random

import oracle
import pytest

from rummy.rules.cards import RANKS, cards_text, parse_cards
from rummy.rules.games.indian13_groups import DECK, VALUES, Kind, is_joker, kind_of, points, why_not_valid, wild_rank
from rummy.rules.games.indian13_search import arrange, best_discard, least, shows, small_groups, unmatched
from rummy.rules.tabling import hand_of, without


def kind(cards: str, wild: str = "K") -> Kind | None:
    """What *cards* are, in whatever order they come."""
    some, rank = parse_cards(cards), RANKS.index(wild)
    found = {kind_of(order, rank) for order in (some, some[::-1], tuple(sorted(some)))}
    assert len(found) == 1
    return found.pop()


def test_ind_2_2_a_printed_joker_makes_the_aces_wild() -> None:
    assert [wild_rank(card) for card in (52, 53, 0, 12, 51, 19)] == [0, 0, 0, 12, 12, 6]
    assert kind("2sXrAd4s", "A") is Kind.SEQUENCE


@pytest.mark.parametrize("cards", ["As2s3s", "QsKsAs", "9h Th Jh Qh Kh Ah", "As2s3s4s5s6s7s8s9sTsJsQsKs", "2sAs3s"])
def test_ind_3_1_pure_sequences(cards: str) -> None:
    assert kind(cards, "7" if "7" not in cards else "8") is Kind.PURE


def test_ind_3_1_a_wild_card_as_itself_keeps_it_pure() -> None:
    assert kind("5h6h7h", "6") is Kind.PURE
    assert kind("5h6d7h", "6") is Kind.SEQUENCE
    assert kind("QsKsAs", "K") is Kind.PURE


@pytest.mark.parametrize("cards", ["4sXr6s7s", "2h3hXr", "XrXb5c", "KcXrXb", "9c6dJcQc", "TsXrXbKsAs", "4sXrXb6d8s"])
def test_ind_3_2_sequences_with_substitutes(cards: str) -> None:
    assert kind(cards, "6") is Kind.SEQUENCE


@pytest.mark.parametrize("cards", ["4sXr9s", "4s4sXr", "4s5hXr", "3sXrXb7s", "As5s", "4s5s", "4s"])
def test_ind_3_2_no_sequences(cards: str) -> None:
    assert kind(cards) is None


def test_ind_3_3_the_ace_is_low_or_high_and_never_between() -> None:
    assert kind("KsAs2s", "7") is None
    assert kind("KsAsXr", "7") is kind("AsXr2s", "7") is Kind.SEQUENCE
    assert kind("KsXr2s", "7") is None
    assert kind("QsXrAs", "7") is Kind.SEQUENCE


def test_ind_3_4_sets_have_three_or_four_cards_of_different_suits() -> None:
    assert kind("QcQdQh") is kind("QcQdQhQs") is kind("QcQdXr") is kind("QcQdQhXr") is kind("QcKdXrQs") is Kind.SET
    assert kind("5s5s5h") is kind("5s5sXr") is kind("QcQdQhQsXr") is kind("QcQdXrXb5s") is kind("QcJdXr") is None


def test_ind_3_5_jokers_alone_are_no_group_but_a_natural_set_of_the_wild_rank_is() -> None:
    assert kind("KcKdKh") is kind("KcKdKhKs") is Kind.SET
    assert kind("KcKdXr") is kind("KcKcKd") is kind("KcXrXb") is kind("KcKdKhXr") is kind("KcKcKdKh") is None


def test_ind_6_what_is_wrong_with_a_show() -> None:
    def wrong(text: str) -> str | None:
        return why_not_valid([parse_cards(group) for group in text.split(",")], 12)

    assert wrong("4s5s6s7s,2h3hXr,QcQdQh,9c9d9s") is None
    assert wrong("4s5s6s7s,2h3h4h,QcQdQh,9c9d9s") is None
    assert wrong("4sXr6s7s,2h3hKd,QcQdQh,9c9d9s") == "no pure sequence"
    assert wrong("4s5s6s7s,8c8d8h,QcQdQh,9c9d9s") == "fewer than two sequences"
    assert wrong("4s5s6s7s,2h3h4h,5s5s5h,9c9d9s") == "invalid group 5s5s5h"


def count(groups: str, loose: str, *, whole: bool = False, wild: str = "J") -> int:
    laid = [parse_cards(group) for group in groups.split(",")] if groups else []
    return points(laid, parse_cards(loose), RANKS.index(wild), whole_hand=whole)


def test_ind_7_1_values() -> None:
    assert count("", "AcKcQcTc") == 40
    assert count("", "Jc2c9d") == 11  # The jack is wild.
    assert count("", "XrXb") == 0
    assert count("", "AcAdXr", wild="A") == 0


def test_ind_7_2_without_a_pure_sequence_all_cards_count() -> None:
    assert count("QcQdQh,9c9d9s", "KcKsTdThJcJdAs", wild="2") == 127
    assert count("4sXr6s,QcQdQh", "2c") == 4 + 6 + 30 + 2


def test_ind_7_3_without_a_second_sequence_all_but_the_pure_one_counts_or_all() -> None:
    assert count("4s5s6s,QcQdQh", "2c") == 32
    assert count("4s5s6s,QcQdQh", "2c", whole=True) == 47
    assert least(parse_cards("4s5s6s2cQcQdQh"), 10) == 32
    assert least(parse_cards("4s5s6s2cQcQdQh"), 10, whole_hand=True) == 47


def test_ind_7_4_with_two_sequences_only_loose_cards_count() -> None:
    assert count("4s5s6s,2h3h4h", "KcQd9s8c7d2cAd") == 56
    assert count("4s5s6s,7h8hXr,QcQdQh", "3cJd2s4h") == 9
    assert least(parse_cards("4s5s6s2h3h4hKcQd9s8c7d2cAd"), 10) == 56


# ---- against the oracle


def dealt(chance: Random, size: int, number: int) -> tuple[tuple[int, ...], int]:
    """A hand and a wild rank: any hand, or one gathered from overlapping groups, with up to four jokers."""
    wild, pool = chance.randrange(13), Counter(DECK)
    if number % 3 == 0:
        return tuple(sorted(chance.sample(DECK, size))), wild
    hand = chance.sample([card for card in DECK if is_joker(card, wild)], chance.choice((0, 1, 1, 2, 2, 3, 4)))
    while len(hand) < size:
        suit, rank = chance.randrange(4), chance.randrange(13)
        more = [suit * 13 + (rank + step) % 13 for step in range(chance.randint(1, 4))]
        if chance.random() < 0.4:
            more = [each * 13 + rank for each in chance.sample(range(4), chance.randint(2, 4))]
        hand += [card for card in more if hand.count(card) < pool[card]][: size - len(hand)]
    return tuple(sorted(hand)), wild


def check(hand: tuple[int, ...], wild: int) -> None:
    texts, rank = tuple(map(cards_text, [(card,) for card in hand])), RANKS[wild]
    for whole in (False, True):
        least_points = least(hand, wild, whole_hand=whole)
        assert min(80, least_points) == oracle.indian_least(texts, rank, whole=whole), (texts, rank, whole)
        laid_out = arrange(hand, wild, whole_hand=whole)
        assert laid_out.points == least_points == points(laid_out.melds, laid_out.rest, wild, whole_hand=whole)
        assert without(laid_out.rest, ()) == without(hand, [card for group in laid_out.melds for card in group])
        assert all(kind_of(group, wild) for group in laid_out.melds)


def test_the_least_count_is_that_of_the_oracle() -> None:
    chance = Random(13)
    for number in range(1500):
        check(*dealt(chance, chance.randint(3, 9), number))
    for number in range(30):
        check(*dealt(chance, 13, number))


@pytest.mark.long
def test_the_least_count_is_that_of_the_oracle_for_many_hands() -> None:
    chance = Random(14)
    for number in range(20_000):
        check(*dealt(chance, chance.choice((8, 9, 10, 11, 13)), number))


def test_groups_are_those_of_the_oracle() -> None:
    chance = Random(15)
    kinds: Counter[Kind | None] = Counter()
    for number in range(20_000):
        size = chance.choice((3, 3, 4, 5))
        hand, wild = dealt(chance, size, number)
        if number % 2:
            hand = tuple(chance.sample(hand, size))
        texts, rank = [cards_text((card,)) for card in hand], RANKS[wild]
        found = kind_of(hand, wild)
        kinds[found] += 1
        assert (found is Kind.PURE) == oracle.is_indian_pure(texts)
        assert (found in (Kind.PURE, Kind.SEQUENCE)) == oracle.is_indian_sequence(texts, rank), (texts, rank)
        assert (found is not None) == (oracle.is_indian_sequence(texts, rank) or oracle.is_indian_set(texts, rank))
    assert min(kinds.values()) > 100 and len(kinds) == 4


def test_shows_are_the_cards_without_which_the_best_arrangement_is_one() -> None:
    chance, found = Random(16), 0
    for number in range(1200):
        hand, wild = dealt(chance, 14, number)
        forbidden = chance.choice((None, hand[3]))
        wanted = []
        for card in dict.fromkeys(hand):
            left = without(hand, (card,))
            assert left is not None
            laid_out = arrange(left, wild)
            whole = not laid_out.rest and why_not_valid(laid_out.melds, wild) is None
            if whole and (card != forbidden or hand.count(card) > 1):
                wanted.append(card)
        assert list(shows(hand, wild, forbidden)) == wanted
        found += bool(wanted)
    assert found > 60


def test_the_best_discard_is_the_highest_of_those_that_leave_least() -> None:
    chance = Random(17)
    for number in range(400):
        hand, wild = dealt(chance, 14, number)
        whole = bool(number % 2)
        forbidden = chance.choice((None, hand[5]))
        after = {}
        for card in hand:
            left = without(hand, (card,))
            if left is not None and (card != forbidden or hand.count(card) > 1):
                after[card] = least(left, wild, whole_hand=whole)
        cards = [card for card, left_points in after.items() if left_points == min(after.values())]
        best = min(cards, key=lambda card: (is_joker(card, wild), -(card % 13), card))
        assert best_discard(hand, wild, forbidden, whole_hand=whole) == best


def test_small_groups_are_in_order_and_valid() -> None:
    hand = tuple(sorted(parse_cards("QsKsAs2s 5c5d5h5s 6h")))
    assert [cards_text(group) for group in small_groups(hand, 3)] == [
        "5c5d5h", "5c5d5s", "5c5h5s", "5d5h5s", "QsKsAs",
    ]  # fmt: skip


def laid_out(cards: str) -> list[str]:
    """The groups of a hand of thirteen, sevens wild."""
    return [cards_text(group) for group in arrange(parse_cards(cards), RANKS.index("7")).melds]


def test_ind_3_3_nothing_goes_above_an_ace_that_stands_above_the_king() -> None:
    assert "XrKhAh" in laid_out("2s3s4sKhAhXr9c9d4c6hTc8dJs")
    groups = laid_out("2s3s4s5c5d5h9c9d9hQhAhXrXb")
    assert groups[0] == "2s3s4s"
    assert any(group in ("XbQhXrAh", "XrQhXbAh") for group in groups)  # The joker that is left over goes below.


def test_ind_7_3_with_one_sequence_the_arrangement_counts_what_the_hand_does() -> None:
    hand = parse_cards("2s3s4s6cQc9cAc8d5dJdKdTh8h")
    shown = arrange(hand, RANKS.index("7"))
    assert shown.points == least(hand, RANKS.index("7"))


def test_what_a_bot_goes_by_counts_both_copies_of_a_card() -> None:
    assert unmatched(parse_cards("5s5s9dKc"), RANKS.index("7")) == 29
    assert unmatched(parse_cards("5s5s6s7h9dXr"), RANKS.index("7")) == 14
    assert unmatched(parse_cards("5s6s7s"), RANKS.index("7")) == 0


@pytest.mark.parametrize(("pair", "saved"), [("2h3h", 40), ("4h5h", 40), ("4h6h", 40), ("5h6h", 41), ("7h8h", 45)])
def test_the_wild_king_stays_in_the_pure_sequence_or_leaves_it_for_a_second_one(pair: str, saved: int) -> None:
    """With it TJQKA is worth 40, without it TJQ 30 and what the second sequence is worth."""
    hand = hand_of(parse_cards("TsJsQsKsAs" + pair + "5c9c3dJd"))
    loose = sum(VALUES[card % 13] for card in hand if card % 13 != 12)
    assert arrange(hand, 12).points == least(hand, 12) == loose - saved


def test_a_joker_that_a_pair_could_have_is_still_there_for_the_second_sequence() -> None:
    assert least(hand_of(parse_cards("5s6s7s2c2d9d9h9sQhKhXr")), 3) == 4


def test_the_sequences_of_an_arrangement_are_in_their_order() -> None:
    random, jokers = Random(4), 0
    for _ in range(300):
        suit = 13 * random.randrange(4)
        low, high = random.choice([(0, 0), (0, 2), (5, 0), (5, 10), (10, 0)])
        runs = [tuple([suit + (start + at) % 13 for at in range(random.choice((2, 3)))]) for start in (low, high)]
        hand = hand_of([*range(29, 33), *runs[0], *runs[1], 52, 53])
        for group in arrange(hand, 9).melds:
            if kind_of(group, 9) is not Kind.SET:
                starts = {card % 13 - at for at, card in enumerate(group) if card < 52 and card % 13}
                assert len(starts) <= 1 and all(0 <= start <= 14 - len(group) for start in starts), group
                jokers += any(card >= 52 for card in group)
    assert jokers > 100


def test_of_a_hand_that_is_one_pure_sequence_and_jokers_a_joker_may_be_thrown() -> None:
    hand = hand_of(parse_cards("5s6s7s8s" + "KcKcKdKdKhKhKsKsXrXb"))
    assert shows(hand, 12) == parse_cards("KcKdKhKsXrXb")
    assert best_discard(hand, 12, None) == parse_cards("8s")[0]


@pytest.mark.parametrize("hand", ["5s6s7s8s4h5h6h7h", "4s5s6s7s8s9hThJhQhKh", "TsJsQsKsAs4h5h6h", "AsKsQsJhQhKhAh"])
@pytest.mark.parametrize("more", ["", "AcAdAs", "KcKdKh", "9c9dXr", "AcAdXr", "KcKdXr", "9cXrXb"])
def test_two_sequences_of_three_to_five_cards_and_a_set(hand: str, more: str) -> None:
    assert least(hand_of(parse_cards(hand + more)), 1) == 0
