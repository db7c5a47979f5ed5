"""Rummy 500 against an oracle that was written from the rulebook alone."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import oracle
import oracle_tabled as judge
import pytest
from zones_table import draw_up, terms

from rummy.rules.actions import DrawPile, LayOff, Meld
from rummy.rules.cards import TEXTS, parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.rummy500_deal import RULES, meld_points
from rummy.rules.games.zones import Zones
from rummy.rules.match import Match
from rummy.rules.tabling import tabled

GAME = Rummy500()


def some_cards(rng: random.Random, size: int, jokers: int = 0) -> list[str]:
    """Cards of two packs, half of the time crowded into few ranks and suits, so that they are full of melds."""
    suits = rng.sample("cdhs", rng.choice([1, 2, 4]))
    line = oracle.RANKS + "A"
    start = rng.randrange(9)
    ranks = line if rng.random() < 0.4 else line[start : start + rng.choice([1, 5, 5])]
    pack = 2 * sorted({rank + suit for rank in ranks for suit in (suits if len(ranks) > 1 else "cdhs")})
    return rng.sample([*pack, *["Xr"] * jokers], min(size, len(pack)))


@pytest.mark.parametrize("jokers", [0, 2])
def test_melds_and_their_points_are_what_the_oracle_says(jokers: int) -> None:
    rng = random.Random(jokers)
    kinds: Counter[str] = Counter()
    for _ in range(20_000):
        cards = some_cards(rng, rng.randint(2, 6), jokers)
        found = tabled(parse_cards("".join(cards)), 0, RULES)
        kind = "run" if judge.is_500_run(cards) else "set" if judge.is_500_set(cards) else "none"
        assert kind == ("none" if found is None else "run" if found.run else "set"), cards
        kinds[kind] += 1
        if found is not None:
            assert meld_points(found) == judge.table_500([TEXTS[card] for card in found.cards])
    assert min(kinds.values()) > 200, kinds


def test_what_may_be_taken_from_the_pile_is_what_the_oracle_says() -> None:
    rng = random.Random(2)
    taken = 0
    for _ in range(400):
        cards = some_cards(rng, 24)
        hand, pile = cards[:8], cards[8:]
        state: Any = Zones(terms(2), [()] * 2, [], [])
        draw_up(GAME, state, "".join(hand), "2c", stock="3c", pile="".join(pile), melds="1:5h6h7h 0:9c9d9s", turn=0)
        counts = [action.count for action in GAME.legal_actions(state) if isinstance(action, DrawPile)]
        assert counts == judge.takes_500(hand, pile, [("5h", "6h", "7h"), ("9c", "9d", "9s")])
        taken += len(counts)
    assert taken > 800


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
