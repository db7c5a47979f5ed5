"""How the sample bots play Indian rummy: a pure sequence first, then groups; an upcard that helps; a show at once.

A bot may differ in two things: whether it *takes* from the pile, and how *bold* it is, which is how poor a first hand
may be before it drops.
"""

from __future__ import annotations

from collections.abc import Iterator

from rummy.rules.actions import Action, Card, Cards, Discard, DrawPile, DrawStock, Drop, Knock
from rummy.rules.game import Phase, View
from rummy.rules.games.indian13 import Indian13
from rummy.rules.games.indian13_groups import is_joker, wild_rank
from rummy.rules.games.indian13_search import least, throwable, unmatched
from rummy.rules.tabling import with_cards, without
from sample_bots import sdk

LINK = 4.0  # Points that two cards next to each other are worth, for what may come between or beside them.
PAIR = 1.0  # The same for two cards of a rank.
DUTY = 0.5  # Weight of what the hand would count at once, beside what lies in no group.
GAIN = 4.0  # An upcard has to be worth so much more than what is held, since everybody sees it taken.
POOR = 24.0  # A first hand without a joker, and with links worth less, is dropped where there are three seats or more.


def choose(decision: sdk.Decision, *, takes: bool = True, bold: bool = False) -> sdk.Answer:
    """The action of the phase that costs least now."""
    game, view, legal = decision.game, decision.view, decision.legal
    assert isinstance(game, Indian13) and view.wild is not None
    wild = wild_rank(view.wild)
    if decision.phase is Phase.START:
        return start(game, view, legal, wild, takes=takes, bold=bold)
    if decision.phase is Phase.DISCARD:
        show = next((action for action in legal if isinstance(action, Knock)), None)
        return show or Discard(best(view.hand, view.forbidden, wild)[1])
    return decision.fallback


def start(game: Indian13, view: View, legal: sdk.Actions, wild: int, *, takes: bool, bold: bool) -> Action:
    """Drop a hopeless first hand; else the upcard if it brings the hand nearer to a show; else the stock."""
    if not bold and is_hopeless(view, wild):
        return Drop()
    if takes and DrawPile() in legal:
        upcard = view.pile[-1]
        more = with_cards(view.hand, (upcard,))
        forbidden = upcard if game.rediscard_ban else None
        if is_joker(upcard, wild) or best(more, forbidden, wild)[0] < cost(view.hand, wild) - GAIN:
            return DrawPile()
    return DrawStock()


def is_hopeless(view: View, wild: int) -> bool:
    """Whether a hand that has seen no draw yet is worth less than a first drop; with two seats none is."""
    playing = sum(status == 1 for status in view.status)
    if view.turns >= view.seats or playing < 3 or any(is_joker(card, wild) for card in view.hand):
        return False
    return links(view.hand, wild) < POOR


def best(hand: Cards, forbidden: Card | None, wild: int) -> tuple[float, Card]:
    """The least cost of the hand after a discard, and the card to throw; never a joker but for want of others."""
    cards = throwable(hand, forbidden)
    natural = [card for card in cards if not is_joker(card, wild)] or cards
    return min((cost(left, wild), card) for card in natural if (left := without(hand, (card,))) is not None)


def cost(hand: Cards, wild: int) -> float:
    """How far a hand is from a show, in points."""
    return DUTY * least(hand, wild) + unmatched(hand, wild) - links(hand, wild)


def links(hand: Cards, wild: int) -> float:
    """What the natural cards of a hand may still become, two by two."""
    natural = sorted({card for card in hand if not is_joker(card, wild)})
    return sum(worth for at, card in enumerate(natural) for worth in _beside(card, natural[at + 1 :]))


def _beside(card: Card, others: list[Card]) -> Iterator[float]:
    for other in others:
        if other % 13 == card % 13:
            yield PAIR
        elif other // 13 == card // 13:
            apart = min(other - card, 13 - (other % 13) if card % 13 == 0 else 13)
            if apart <= 2:
                yield LINK if apart == 1 else LINK / 2
