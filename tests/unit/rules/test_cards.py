"""Cards, hands and their text."""

from collections.abc import Sequence

import pytest

from rummy.errors import BadNotation
from rummy.rules.cards import PACK, TEXTS, card_text, cards_of, cards_text, mask, parse_card, parse_cards, suit_tables


def test_a_card_is_suit_times_thirteen_plus_rank() -> None:
    assert [parse_card(text) for text in ("Ac", "Kc", "Ad", "Ah", "As", "Ks", "Xr", "Xb")] == [
        0, 12, 13, 26, 39, 51, 52, 53,
    ]  # fmt: skip


def test_every_card_reads_back() -> None:
    assert len(set(TEXTS)) == 54
    assert [parse_card(card_text(card)) for card in range(54)] == list(range(54))


def test_cards_are_read_with_or_without_spaces() -> None:
    assert parse_cards("As2s3s") == parse_cards("As 2s 3s") == (39, 40, 41)
    assert parse_cards("") == ()
    assert cards_text((39, 40, 41)) == "As2s3s"


@pytest.mark.parametrize("text", ["", "as", "AS", "10s", "1s", "Ax", "A", "A\u0455", "As2s", " As", None, 7, b"As"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(BadNotation, match="is no card"):
        parse_card(text)


@pytest.mark.parametrize("text", ["As2", "As,2s", "As\n2s", "As" * 500, None])
def test_what_is_no_list_of_cards_is_refused(text: str) -> None:
    with pytest.raises(BadNotation):
        parse_cards(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x" * 22, "'" + "x" * 22 + "'"), ("x" * 23, "'" + "x" * 19 + "…"), ("x" * 10_000, "'" + "x" * 19 + "…")],
)
def test_a_refusal_names_what_it_refuses_but_repeats_no_long_text(text: str, shown: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_card(text)
    assert str(caught.value).startswith(shown + " ")


def test_a_list_of_cards_is_as_long_as_the_limit_at_most() -> None:
    assert len(parse_cards("As" * 200)) == 200
    with pytest.raises(BadNotation, match="at most 400"):
        parse_cards("As" * 200 + " ")


@pytest.mark.parametrize("values", [range(52), [card % 13 for card in range(52)]])
def test_tables_by_suit_have_the_values_of_the_cards_in_a_mask(values: Sequence[int]) -> None:
    tables = suit_tables(values)
    assert [len(table) for table in tables] == [8192] * 4
    for suit, table in enumerate(tables):
        for held in (0, 1, 0b1010000000001, 8191):
            assert table[held] == tuple(values[suit * 13 + rank] for rank in range(13) if held >> rank & 1)


def test_a_mask_gives_its_cards_ascending() -> None:
    assert cards_of(mask((51, 0, 26, 13, 12))) == (0, 12, 13, 26, 51)
    assert cards_of(mask(range(54))) == (*PACK, 52, 53)
    assert cards_of(0) == ()


def test_a_mask_has_each_card_once() -> None:
    with pytest.raises(ValueError, match="As occurs twice"):
        mask((39, 39))
