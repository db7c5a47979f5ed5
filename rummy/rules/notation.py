"""Actions as text: the one notation of tests, replays, logs and pages.

S            draw from the stock          M:4s4h4d     meld
P1           take one card of the pile    L:5s6s>2     lay off on table meld 2
O            turn the pile over           L:Xr>2-      the same, a joker at the low end of the run
T  N         take, pass                   E            end the melds
D:Kc         discard
K:Kc  K      knock, with or without a card; K:Kc/As2s3s,7c7d7h with melds of one's own, K:Kc/ with none
G  C         go out, continue without going out
Q            drop out of the deal
B            big gin; B/As2s3s,… with melds of one's own
A            show the best arrangement; A/As2s3s;5s>0,6s>0 one's own: melds, then lay-offs in order
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rummy.errors import BadNotation
from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
    Cards,
    Continue,
    Discard,
    DrawPile,
    DrawStock,
    Drop,
    EndMelds,
    GoOut,
    Knock,
    LayOff,
    Meld,
    Pass,
    Take,
    TurnOver,
)
from rummy.rules.cards import TEXTS, cards_text, parse_card, parse_cards

_LONGEST = 400
_FIXED: Final[dict[str, Action]] = {
    "S": DrawStock(),
    "T": Take(),
    "N": Pass(),
    "O": TurnOver(),
    "E": EndMelds(),
    "K": Knock(),
    "B": BigGin(),
    "A": Arrange(),
    "G": GoOut(),
    "C": Continue(),
    "Q": Drop(),
}


def action_text(action: Action) -> str:
    """*action* in the notation; `parse_action` gives it back."""
    match action:
        case DrawStock():
            return "S"
        case Discard(card):
            return "D:" + TEXTS[card]
        case DrawPile(count):
            return f"P{count}"
        case Take():
            return "T"
        case Pass():
            return "N"
        case EndMelds():
            return "E"
        case TurnOver():
            return "O"
        case GoOut():
            return "G"
        case Continue():
            return "C"
        case Drop():
            return "Q"
        case _:
            return _composite_text(action)


def _composite_text(action: Action) -> str:
    match action:
        case Knock(card, melds):
            return ("K" if card is None else "K:" + TEXTS[card]) + _melds_text(melds)
        case BigGin(melds):
            return "B" + _melds_text(melds)
        case Meld(cards):
            return "M:" + cards_text(cards)
        case LayOff():
            return "L:" + _lay_off_text(action)
        case Arrange(melds, lay_offs):
            tail = ";" + ",".join(map(_lay_off_text, lay_offs)) if lay_offs else ""
            return "A" + _melds_text(melds) + tail
        case _:
            raise TypeError(f"{type(action).__name__} is no action.")


def _melds_text(melds: tuple[Cards, ...] | None) -> str:
    return "" if melds is None else "/" + ",".join(map(cards_text, melds))


def _lay_off_text(lay_off: LayOff) -> str:
    return f"{cards_text(lay_off.cards)}>{lay_off.meld}{'-' if lay_off.low else ''}"


def parse_action(text: str) -> Action:
    """The action that *text* writes. Raises `BadNotation`."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise BadNotation(f"An action is a text of at most {_LONGEST} characters.")
    fixed = _FIXED.get(text)
    if fixed is not None:
        return fixed
    reader = _READERS.get(text[:1])
    if reader is None:
        raise BadNotation(f"{_shown(text)} is no action: it begins with one of S P O T N D K B M L E A G C Q.")
    return reader(text)


def _pile(text: str) -> Action:
    return DrawPile(_number(text[1:], text, least=1))


def _discard(text: str) -> Action:
    return Discard(parse_card(_after_colon(text)))


def _knock(text: str) -> Action:
    head, slash, melds = text.partition("/")
    card = None if head == "K" else parse_card(_after_colon(head))
    return Knock(card, _melds(melds) if slash else None)


def _big_gin(text: str) -> Action:
    return BigGin(_melds(_after("B/", text)))


def _meld(text: str) -> Action:
    return Meld(_cards(_after_colon(text)))


def _lay_off_action(text: str) -> Action:
    return _lay_off(_after_colon(text))


def _arrange(text: str) -> Action:
    head, semicolon, tail = text.partition(";")
    melds = None if head == "A" else _melds(_after("A/", head))
    return Arrange(melds, tuple(map(_lay_off, tail.split(","))) if semicolon else ())


_READERS: Final[dict[str, Callable[[str], Action]]] = {
    "P": _pile,
    "D": _discard,
    "K": _knock,
    "B": _big_gin,
    "M": _meld,
    "L": _lay_off_action,
    "A": _arrange,
}


def _lay_off(text: str) -> LayOff:
    cards, arrow, meld = text.partition(">")
    if not arrow:
        raise BadNotation(f"{_shown(text)} is no lay-off: write the cards, then > and the number of the table meld.")
    return LayOff(_cards(cards), _number(meld.removesuffix("-"), text, least=0), meld.endswith("-"))


def _melds(text: str) -> tuple[Cards, ...]:
    return tuple(map(_cards, text.split(","))) if text else ()


def _cards(text: str) -> Cards:
    cards = parse_cards(text)
    if not cards:
        raise BadNotation("A meld or lay-off without a card: leave it out, or write its cards.")
    return cards


def _after_colon(text: str) -> str:
    return _after(text[:1] + ":", text)


def _after(head: str, text: str) -> str:
    if not text.startswith(head):
        raise BadNotation(f"{_shown(text)} is no action: after {head[0]} comes {head[1]}.")
    return text[len(head) :]


def _number(digits: str, text: str, *, least: int) -> int:
    # A number has one spelling, so that an action has one text.
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 2 and str(int(digits)) == digits):
        raise BadNotation(f"{_shown(text)} has no number where one is needed: write {least} to 99.")
    if int(digits) < least:
        raise BadNotation(f"{_shown(text)} has a number that is too small: the least is {least}.")
    return int(digits)


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 24 else text[:20] + "...")
