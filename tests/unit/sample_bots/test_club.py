"""What the Club bot makes of the pile: a store of its own that others empty as well."""

import pytest

from rummy.rules.cards import parse_cards
from rummy.rules.games.club import Club
from sample_bots.club import HOPE, THREAT, Sight, all_melds, bits, prospects

KINGS = parse_cards("Kd Kh Ks")
MELD = next(meld for meld in all_melds(Club()) if meld[0] == bits(KINGS))
CHANCE = 0.25


def worth(hand: str, pile: str, *known: str) -> float:
    """What three kings, 30 points, are to a seat with *hand*; of other hands *known* is known."""
    others = [(bits(parse_cards(cards)), CHANCE) for cards in known]
    return prospects(Sight(bits(KINGS), 1.0, others), [MELD], bits(parse_cards(hand)), bits(parse_cards(pile)))


@pytest.mark.parametrize(
    ("hand", "pile", "known", "expected"),
    [
        ("Kd Kh", "", [""], 30 * HOPE[2, 0]),
        ("Kd", "Kh", [""], 30 * HOPE[1, 1]),
        ("", "", [""], 0.0),
        ("", "Kd Kh", [""], -30 * THREAT * CHANCE),
        ("", "Kd", [""], -30 * THREAT * CHANCE**2),
        ("", "Kd Kh", ["Ks"], -30 * THREAT),
        ("", "Kd Kh", ["Ks", ""], -30 * THREAT * (1 + CHANCE) / 2),
        ("Ks", "Kd Kh", [""], 0.0),  # A card that is held is in nobody else's meld.
    ],
)
def test_a_meld_is_hoped_for_or_feared(hand: str, pile: str, known: list[str], expected: float) -> None:
    assert worth(hand, pile, *known) == pytest.approx(expected)
