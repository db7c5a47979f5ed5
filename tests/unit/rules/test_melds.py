"""Melds, lay-offs and shows, by clause and against the oracle."""

from random import Random

import oracle
import pytest
from hands import hands, rich_hand

from rummy.errors import IllegalAction
from rummy.rules.actions import LayOff
from rummy.rules.cards import cards_of, cards_text, mask, parse_card, parse_cards
from rummy.rules.deadwood import in_meld, melds_in
from rummy.rules.game import TableMeld
from rummy.rules.melds import is_run, is_set, minimal_melds, single_lay_offs, tabled, takes
from rummy.rules.show import best_show, check_arrangement, show_actions


def table_of(*melds: str) -> list[TableMeld]:
    return [tabled(parse_cards(meld), 0) for meld in melds]


@pytest.mark.parametrize("text", ["4s4h4d", "4s4h4d4c", "KcKdKh"])
def test_a_set_is_three_or_four_of_a_rank_gin_2_1(text: str) -> None:
    assert is_set(parse_cards(text))
    assert not is_run(parse_cards(text))


@pytest.mark.parametrize("text", ["", "4s4h", "4s4h5d", "4s4s4h", "As2s3s"])
def test_no_other_cards_are_a_set(text: str) -> None:
    assert not is_set(parse_cards(text))


@pytest.mark.parametrize("text", ["As2s3s", "3sAs2s", "JdQdKd", "AhKhQhJhTh9h8h7h6h5h4h3h2h"])
def test_a_run_is_three_or_more_of_a_suit_gin_2_2(text: str) -> None:
    assert is_run(parse_cards(text))
    assert not is_set(parse_cards(text))


@pytest.mark.parametrize("text", ["", "As2s", "QsKsAs", "KsAs2s", "KcAdAd", "As2s4s", "As2d3s", "As2s2s", "QcKcAd"])
def test_no_wrap_no_gap_no_other_suit_gin_2_2(text: str) -> None:
    assert not is_run(parse_cards(text))


def test_an_ace_joins_no_kings() -> None:  # R4
    assert not is_set(parse_cards("KcKdKhAs"))


def test_jokers_and_other_numbers_are_in_no_meld() -> None:
    assert not is_set((52, 53, 39)) and not is_run((51, 52, 53)) and not is_run((-1, 0, 1))
    assert not is_set((0, 13, 52)) and not is_set((-13, 0, 13))
    assert not is_run((52, 53, 54)) and not is_run((-3, -2, -1))


def test_minimal_melds_are_runs_of_three_and_sets() -> None:
    held = mask(parse_cards("As2s3s4s4c4d4h"))
    assert [cards_text(meld) for meld in minimal_melds(held)] == [
        "4c4d4h", "4c4d4h4s", "4c4d4s", "4c4h4s", "4d4h4s", "As2s3s", "2s3s4s",
    ]  # fmt: skip


def test_all_melds_of_a_hand_agree_with_the_oracle() -> None:
    for hand in hands(1, 400, 11):
        every = {oracle.in_order(meld) for n in range(11) for meld in oracle.melds_with_first(hand[n:])}
        held = mask(map(parse_card, hand))
        found = [cards for _, cards in melds_in(held)]
        assert found == sorted(found)
        assert {cards_text(cards) for cards in found} == {"".join(meld) for meld in every}
        small = {meld for meld in every if len(meld) == 3 or oracle.is_set(meld)}
        assert {cards_text(cards) for cards in minimal_melds(held)} == {"".join(meld) for meld in small}
        melded = {card for meld in every for card in meld}
        assert [in_meld(held, parse_card(card)) for card in hand] == [card in melded for card in hand]


@pytest.mark.parametrize(
    ("meld", "card", "fits"),
    [
        ("4s5s6s", "7s", True), ("4s5s6s", "3s", True), ("4s5s6s", "8s", False), ("4s5s6s", "7h", False),
        ("As2s3s", "Ks", False), ("JsQsKs", "As", False), ("JcQcKc", "Ad", False), ("Ad2d3d", "Kc", False),
        ("2c3c4c", "Ac", True), ("AdAhAs", "Ac", True), ("4d4h4s", "4c", True), ("JsQsKs", "Ts", True),
        ("AcAdAh", "Xr", False), ("JsQsKs", "Xr", False), ("AcAdAhAs", "Xr", False),
        ("4c4d4h", "4s", True), ("4c4d4h", "5s", False), ("4c4d4h4s", "4s", False), ("4c4d4h", "4h", False),
    ],
)  # fmt: skip
def test_a_meld_stays_what_it_is_com_5(meld: str, card: str, fits: bool) -> None:
    assert takes(table_of(meld)[0], parse_card(card)) is fits


def test_single_lay_offs_name_the_meld_com_7() -> None:  # R12: the four fits both, and both are listed.
    held = mask(parse_cards("4s9d"))
    assert single_lay_offs(held, table_of("4c4d4h", "5s6s7s")) == [LayOff((42,), 0), LayOff((42,), 1)]


def show(hand: str, *table: str) -> tuple[str, int]:
    best = best_show(mask(parse_cards(hand)), table_of(*table))
    melds = ",".join(map(cards_text, best.melds))
    lay_offs = ",".join(f"{cards_text(each.cards)}>{each.meld}" for each in best.lay_offs)
    return f"{melds};{lay_offs};{cards_text(best.rest)}", best.points


def test_lay_offs_chain_com_6() -> None:  # P30, R28: a third card on one end.
    assert show("6s7s8sKd", "3s4s5s") == ("6s7s8s;;Kd", 10)  # As few lay-offs as may be.
    assert show("6s7s8s8d8hKd", "3s4s5s") == ("8d8h8s;6s>0,7s>0;Kd", 10)
    assert show("2sAsKd", "3s4s5s") == (";2s>0,As>0;Kd", 10)


def test_own_melds_and_lay_offs_are_searched_together_gin_6_4() -> None:  # R14
    assert show("9dTdJdTcTsJsQcQdQh3s", "7s8s9s", "AcAdAh", "4c4d4h") == ("QcQdQh,9dTdJd;Ts>0,Js>0;Tc3s", 13)


def test_ties_go_to_fewer_lay_offs_then_to_the_first_com_8() -> None:
    assert show("4c4d4h4s9d", "5s6s7s") == ("4c4d4h4s;;9d", 9)
    assert show("4s6sKd", "5c5d5h", "7s8s9s") == (";6s>1;Kd4s", 14)
    assert show("6c7c8c6d7d8d6h7h8h") == ("6c7c8c,6d7d8d,6h7h8h;;", 0)
    assert show("6s", "3s4s5s", "7s8s9s") == (";6s>0;", 0)


def test_shows_agree_with_the_oracle() -> None:
    random = Random(2)
    for _ in range(2500):
        pack = list(oracle.ORDER)
        table: list[tuple[str, ...]] = []
        while len(table) < 3:  # A meld of the knocker's, somewhere.
            melds = [m for n in range(9) for m in oracle.melds_with_first(rich_hand(random, 9, pack)[n:])]
            if melds:
                table.append(random.choice(melds))
                pack = [card for card in pack if card not in table[-1]]
        hand = rich_hand(random, 8, pack)
        best = best_show(mask(map(parse_card, hand)), table_of(*map("".join, table)))
        placed = sorted((each.cards[0], each.meld) for each in best.lay_offs)
        points, expected_melds, expected_placed = oracle.best_show(hand, tuple(table))
        assert best.points == points == oracle.least_show(hand, tuple(table))
        assert tuple(map(cards_text, best.melds)) == tuple(map("".join, expected_melds)), hand
        assert [(cards_text([card]), number) for card, number in placed] == list(expected_placed)


def test_the_best_show_passes_its_own_check() -> None:
    random = Random(3)
    table = table_of("3s4s5s", "9c9d9h", "JhQhKh")
    rest = [card for card in oracle.ORDER if card not in "3s4s5s9c9d9hJhQhKh"]
    for _ in range(500):
        held = mask(map(parse_card, rich_hand(random, 10, rest)))
        best = best_show(held, table)
        assert check_arrangement(held, best.melds, best.lay_offs, table, 1) == best
        for action in show_actions(held, table):
            if action.melds is not None:
                check_arrangement(held, action.melds, action.lay_offs, table, 1)


@pytest.mark.parametrize(
    ("melds", "lay_offs", "reason"),
    [
        (["As2s4s"], [], "As2s4s is neither a set nor a run"),
        (["As2s"], [], "As2s is neither"),
        ([""], [], "each of them the cards"),
        (["5c5d5h"], [], "5c is not in the hand"),
        (["As2s3s", "3s4s5s"], [], "3s is used twice"),  # R2, COM-4
        (["AsAs2s"], [], "As is used twice"),
        ([], ["Kd>0"], "Kd does not fit 6s7s8s"),
        ([], ["4s>0"], "4s does not fit"),
        ([], ["4s5s>0"], "4s does not fit"),  # The order counts: after each card it must be a meld (COM-6).
        ([], ["5s>2"], "one of the 2 melds on the table"),
        (["3s4s5s"], ["5s>0"], "5s is used twice"),
        ([], ["9h>1"], "9h is not in the hand"),
    ],
)
def test_a_show_that_is_none_has_its_reason(melds: list[str], lay_offs: list[str], reason: str) -> None:
    held = mask(parse_cards("As2s3s4s5sKd"))
    placed = [LayOff(parse_cards(text[:-2]), int(text[-1])) for text in lay_offs]
    with pytest.raises(IllegalAction, match=reason):
        check_arrangement(held, [parse_cards(meld) for meld in melds], placed, table_of("6s7s8s", "9c9d9s"), 1)


@pytest.mark.parametrize(
    ("melds", "lay_off", "reason"),
    [
        (((39, 40, 60),), None, "card that this pack does not have"),
        (((39, 40, 52),), None, "card that this pack does not have"),
        (((39, 40, 53),), None, "card that this pack does not have"),
        (((39, 40, -1),), None, "card that this pack does not have"),
        (((39, 40, True),), None, "card that this pack does not have"),
        ((), LayOff((), 0), "at least one card"),
        ((), LayOff((43,), -1), "one of the 1 melds"),
        ((), LayOff((43,), True), "one of the 1 melds"),
        ((), LayOff((99,), 0), "card that this pack does not have"),
    ],
)
def test_numbers_that_are_no_cards_have_their_reason(
    melds: tuple[tuple[int, ...], ...], lay_off: LayOff | None, reason: str
) -> None:
    held = mask(parse_cards("As2s3s4s5sKd"))
    with pytest.raises(IllegalAction, match=reason):
        check_arrangement(held, melds, () if lay_off is None else (lay_off,), table_of("6s7s8s"), 1)


def test_a_worse_arrangement_stands_com_8() -> None:
    held = mask(parse_cards("As2s3s4s"))
    shown = check_arrangement(held, [parse_cards("3sAs2s")], [], [], 1)
    assert (shown.points, shown.rest) == (4, (42,))
    assert check_arrangement(held, [], [], [], 1).rest == cards_of(held)
