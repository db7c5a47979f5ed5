"""Gin positions in notation: a deal with chosen hands, and actions played by their text."""

from __future__ import annotations

from rummy.rules.cards import PACK, cards_text, parse_card, parse_cards
from rummy.rules.game import DealTerms
from rummy.rules.games.gin import Gin
from rummy.rules.games.gin_state import GinState
from rummy.rules.notation import action_text, parse_action

FIRST = "As2s3s7c7d7hKcKd9s5d"
SECOND = "4c4d4h9c9d9hTcTdTh5s"


def dealt(
    first: str = FIRST,
    second: str = SECOND,
    *,
    upcard: str = "Qh",
    stock: str = "",
    game: Gin | None = None,
    scores: tuple[int, int] = (0, 0),
) -> GinState:
    """A deal in which seat 0 starts with *first*, against *second*; *stock* comes first from the stock."""
    mine, other = parse_cards(first), parse_cards(second)
    assert len(mine) == len(other) == 10
    head = [card for pair in zip(mine, other, strict=True) for card in pair] + [parse_card(upcard), *parse_cards(stock)]
    deck = head + [card for card in PACK if card not in head]
    assert len(set(deck)) == len(deck) == 52
    return (game or Gin()).deal(deck, DealTerms(2, (0, 1), dealer=1, starter=0, scores=scores))


def play(state: GinState, texts: str, game: Gin | None = None) -> GinState:
    """Plays the actions of *texts*, one after the other."""
    for text in texts.split():
        (game or Gin()).apply(state, parse_action(text))
    return state


def legal(state: GinState, game: Gin | None = None) -> list[str]:
    """The legal actions as texts."""
    return [action_text(action) for action in (game or Gin()).legal_actions(state)]


def hand(state: GinState, seat: int) -> str:
    """The hand that *seat* sees."""
    return cards_text(Gin().view(state, seat).hand)


def frozen(state: GinState) -> tuple[object, ...]:
    """All of a state, to compare."""
    return tuple(
        [
            tuple(value) if isinstance(value, list) else value
            for value in (getattr(state, name) for name in GinState.__slots__)
        ]
    )
