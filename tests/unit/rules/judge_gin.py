"""Gin against the oracle: melds, the end of a turn, the show, and what a deal scores."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import oracle
from hands import drawn_hand, melded_hand, rich_hand
from judging import cards_of_texts, kind, mask_of, texts_of

from rummy.rules.actions import Action, Arrange, BigGin, Discard, DrawStock, Knock, Pass, Take
from rummy.rules.cards import TEXTS, parse_card
from rummy.rules.deadwood import best_discards, deadwood
from rummy.rules.game import DealTerms, EventKind
from rummy.rules.games.gin import Gin
from rummy.rules.games.gin_state import GinState
from rummy.rules.melds import is_run, is_set

LIMITS = {limit: Gin(knock_limit=limit) for limit in (0, 3, 10, 25, 40, 100)}
TERMS = DealTerms(2, (0, 1), dealer=1, starter=0, scores=(0, 0))


def melds(random: Random) -> Iterator[str]:
    """GIN-2.1, 2.2: what is a set, and what a run, in whatever order the cards come."""
    cards = list(drawn_hand(random, random.choice((2, 3, 3, 3, 4, 4, 5, 6))))
    random.shuffle(cards)
    some = cards_of_texts(cards)
    assert (is_set(some), is_run(some)) == (oracle.is_set(cards), oracle.is_run(cards)), cards
    yield "set" if oracle.is_set(cards) else "run" if oracle.is_run(cards) else "neither"


def turn_with(game: Gin, eleven: tuple[str, ...], drawn: str, other: tuple[str, ...], *, taken: bool) -> GinState:
    """A deal in which seat 0 holds *eleven* and has to end its turn; *drawn* is from the stock, or *taken*."""
    ten = [card for card in eleven if card != drawn]
    rest = [card for card in oracle.ORDER if card not in eleven and card not in other]
    head = [card for pair in zip(ten, other, strict=True) for card in pair]
    deck = [*head, drawn, *rest] if taken else [*head, rest[0], drawn, *rest[1:]]
    state = game.deal(cards_of_texts(deck), TERMS)
    turn: list[Action] = [Take()] if taken else [Pass(), Pass(), DrawStock()]
    for action in turn:
        game.apply(state, action)
    return state


def ends_of_turn(random: Random) -> Iterator[str]:
    """GIN-2.4, 4.5, 5.1 to 5.4, 5.7: deadwood, best discards, and every way in which the turn may end."""
    eleven = drawn_hand(random, 11)
    limit, taken, drawn = random.choice(list(LIMITS)), random.random() < 0.5, random.choice(eleven)
    rest = [card for card in oracle.ORDER if card not in eleven]
    state = turn_with(LIMITS[limit], eleven, drawn, tuple(rest[:10]), taken=taken)
    forbidden = drawn if taken else None
    held = mask_of(eleven)
    least, cards = best_discards(held, parse_card(drawn) if taken else None)
    left = oracle.least_without(eleven)
    best = min([left[card] for card in eleven if card != forbidden])
    wanted_cards = [card for card in eleven if card != forbidden and left[card] == best]
    assert (least, list(texts_of(cards))) == (best, wanted_cards), (eleven, forbidden)
    assert {card: deadwood(held ^ mask_of([card])) for card in eleven} == left, eleven
    wanted: list[Action] = [Discard(parse_card(card)) for card in eleven if card != forbidden]
    knocks = [card for card in eleven if card != forbidden and left[card] <= limit]
    wanted += [Knock(parse_card(card)) for card in knocks]
    big = oracle.least(eleven) == 0
    assert list(LIMITS[limit].legal_actions(state)) == [*wanted, *[BigGin()] * big], (eleven, limit)
    yield "big gin" if big else "gin" if 0 in [left[card] for card in knocks] else "knock" if knocks else "none"


def shows(random: Random) -> Iterator[str]:
    """GIN-5.6, 6, 7: both arrangements, lay-offs with them, and the points of the deal."""
    big = random.random() < 0.05
    eleven = melded_hand(random, 11, oracle.ORDER) if big else drawn_hand(random, 11)
    big = big and oracle.least(eleven) == 0
    rest = [card for card in oracle.ORDER if card not in eleven]
    other = random.choice((drawn_hand, drawn_hand, rich_hand))(random, 10, rest)
    drawn = random.choice(eleven)
    thrown = None if big else random.choice(oracle.discards(eleven)[1] if random.random() < 0.7 else eleven)
    game = LIMITS[100]
    state = turn_with(game, eleven, drawn, other, taken=False)
    game.apply(state, BigGin() if thrown is None else Knock(parse_card(thrown)))
    count, own, _ = oracle.best_show(tuple([card for card in eleven if card != thrown]), ())
    assert tuple([texts_of(meld.cards) for meld in state.melds]) == own, eleven
    left, melded, placed = oracle.best_show(other, own if count else ())
    game.apply(state, Arrange())
    event = next(event for event in reversed(state.events) if event.kind is EventKind.SHOW)
    assert tuple(map(texts_of, event.groups)) == melded, (own, other)
    lay_offs = [(TEXTS[card], each.meld) for each in event.lay_offs for card in each.cards]
    assert sorted(lay_offs, key=lambda each: (oracle.PLACE[each[0]], each[1])) == list(placed), (own, other)
    word, points, against = oracle.gin_score(count, left, big=big)
    assert state.result is not None
    assert (state.result.reason, state.result.points) == (word, (points, against)), (eleven, thrown, other)
    yield word if word != "knock" or not placed else "knock with lay-offs"
    yield "undercut with lay-offs" if word == "undercut" and placed else word


KINDS = {
    "melds": kind(melds, "set, run, neither"),
    "ends of turn": kind(ends_of_turn, "big gin, gin, knock, none"),
    "shows": kind(shows, "big gin, gin, knock, knock with lay-offs, undercut, undercut with lay-offs"),
}
