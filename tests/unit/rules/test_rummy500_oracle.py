"""Rummy 500 against an oracle that was written from the rulebook alone."""

from __future__ import annotations

import random
from collections import Counter

import oracle
import oracle_tabled as judge
import pytest

from rummy.rules.actions import LayOff, Meld
from rummy.rules.cards import TEXTS
from rummy.rules.game import EventKind
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.match import Match

GAME = Rummy500()


@pytest.mark.parametrize("seats", range(2, 7))
def test_deals_score_what_the_oracle_says(seats: int) -> None:
    """Who placed what is followed by the events alone."""
    rng = random.Random(seats)
    ends: Counter[str] = Counter()
    for number in range(12):
        match = Match(Rummy500(jokers=number % 3, turn_cap=40), seats, bytes([number]), max_deals=3)
        while match.decision is not None:
            legal = match.legal_actions()
            placing = [action for action in legal if isinstance(action, Meld | LayOff)]
            match.apply(rng.choice(placing) if placing and rng.random() < 0.8 else rng.choice(legal))
        check_deals(match)
        ends.update(deal.reason for deal in match.deals)
    assert ends["out"] > 10


def check_deals(match: Match) -> None:
    """Every finished deal of *match*, from its melds and lay-offs and the hands that were shown."""
    table: list[tuple[list[str], list[int]]] = []
    held: dict[int, list[str]] = {}
    for event in match.events:
        if event.kind is EventKind.DEAL:
            table, held = [], {}
        elif event.kind is EventKind.MELD:
            table.append(([TEXTS[card] for card in event.cards], [event.seat] * len(event.cards)))
        elif event.kind is EventKind.LAY_OFF:
            for lay_off in event.lay_offs:
                lay(table[lay_off.meld], [TEXTS[card] for card in lay_off.cards], event.seat, low=lay_off.low)
        elif event.kind is EventKind.SHOW:
            held[event.seat] = [TEXTS[card] for card in event.cards]
        elif event.kind is EventKind.DEAL_END:
            points = [-judge.held_500(held[seat]) for seat in range(match.seats)]
            for cards, placers in table:
                for placer, worth in zip(placers, judge.table_500(cards), strict=True):
                    points[placer] += worth
            assert tuple(points) == event.points


def lay(meld: tuple[list[str], list[int]], cards: list[str], seat: int, *, low: bool) -> None:
    """Adds *cards* to the end of a run that takes them; a joker to the high one unless *low*."""
    held, placers = meld
    for card in cards:
        first, last = [card, *held], [*held, card]
        if judge.is_500_set(held):
            at = len(held)
        elif card in oracle.JOKERS:
            at = 0 if low or not judge.windows(last) else len(held)
        else:
            at = 0 if stands(first) else len(held)
            assert stands(first) or stands(last)
        held.insert(at, card)
        placers.insert(at, seat)


def stands(cards: list[str]) -> bool:
    """Whether *cards* are a row as they stand."""
    line = oracle.LINES["either"]
    return any(judge.stand_in(cards, line[at : at + len(cards)]) for at in range(len(line) - len(cards) + 1))
