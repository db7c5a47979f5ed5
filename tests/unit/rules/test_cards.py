"""Cards, hands and their text."""

import pytest

from rummy.errors import BadNotation
from rummy.rules.cards import PACK, TEXTS, card_text, cards_of, cards_text, mask, parse_card, parse_cards


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


def test_a_refusal_does_not_repeat_a_long_text() -> None:
    with pytest.raises(BadNotation) as caught:
        parse_card("x" * 10_000)
    assert len(str(caught.value)) < 150


def test_a_mask_gives_its_cards_ascending() -> None:
    assert cards_of(mask((51, 0, 26, 13, 12))) == (0, 12, 13, 26, 51)
    assert cards_of(mask(range(54))) == (*PACK, 52, 53)
    assert cards_of(0) == ()


def test_a_mask_has_each_card_once() -> None:
    with pytest.raises(ValueError, match="As occurs twice"):
        mask((39, 39))
