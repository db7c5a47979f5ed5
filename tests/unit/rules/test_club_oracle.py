"""Club against an oracle that was written from the rulebook alone."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import oracle
import oracle_tabled as judge
import pytest

from rummy.rules.actions import GoOut, LayOff, Meld
from rummy.rules.cards import TEXTS, parse_cards
from rummy.rules.game import EventKind, Phase
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import MELDS
from rummy.rules.match import Match
from rummy.rules.tabling import minimal_melds

GAME = Club()


def some_cards(rng: random.Random, size: int) -> list[str]:
    """Cards of two packs, half of the time crowded into few ranks and suits, so that they are full of melds."""
    suits = rng.sample("cdhs", rng.choice([1, 2, 4]))
    line = oracle.RANKS + "A"
    start = rng.randrange(9)
    ranks = line if rng.random() < 0.4 else line[start : start + rng.choice([1, 5, 5])]
    pack = 2 * sorted({rank + suit for rank in ranks for suit in (suits if len(ranks) > 1 else "cdhs")})
    return rng.sample(pack, min(size, len(pack)))


def test_the_smallest_melds_of_a_hand_are_those_of_the_oracle() -> None:
    rng = random.Random(1)
    for _ in range(300):
        hand = some_cards(rng, rng.randint(3, 14))
        threes = {tuple(sorted(three)) for three in combinations(hand, 3)}
        wanted = {three for three in threes if judge.is_club_run(three) or judge.is_club_set(three)}
        found = minimal_melds(tuple(sorted(parse_cards("".join(hand)))), MELDS["either"])
        assert {tuple(sorted(TEXTS[card] for card in cards)) for cards in found} == wanted
        assert len(found) == len(wanted)


@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("seats", range(2, 7))
def test_deals_score_what_the_oracle_says(seats: int, double: bool) -> None:
    """Placing is followed by the events alone; how a turn began tells whether it melded all at once."""
    rng = random.Random(seats)
    ends: Counter[str] = Counter()
    for number in range(12):
        match = Match(Club(double_clubs=double, packs_for_four=1 + number % 2), seats, bytes([number]), max_deals=3)
        while match.decision is not None:
            phase = match.decision.phase
            legal = match.legal_actions()
            strong = [action for action in legal if isinstance(action, Meld | LayOff | GoOut)]
            action = rng.choice(strong) if strong and rng.random() < 0.8 else match.default_action()
            if phase is Phase.START and rng.random() < 0.3:
                action = legal[-1]
            match.apply(action)
        ends.update(check_deals(match, seats, double=double))
    assert ends["out"] > 10


def check_deals(match: Match, seats: int, *, double: bool) -> list[str]:
    checked: list[str] = []
    melds: list[judge.ClubMeld] = []
    hands: list[list[str]] = []
    out, turn = None, 0
    placed: list[set[int]] = []  # By seat: the numbers of the turns in which it has placed cards.
    for event in match.events:
        if event.kind is EventKind.DEAL:
            melds, hands, out, turn, placed = [], [[] for _ in range(seats)], None, 0, [set() for _ in range(seats)]
        elif event.kind in (EventKind.DRAW_STOCK, EventKind.DRAW_PILE):
            turn += 1
        elif event.kind is EventKind.MELD:
            melds.append([(TEXTS[card], event.seat) for card in event.cards])
            placed[event.seat].add(turn)
        elif event.kind is EventKind.LAY_OFF:
            (lay_off,) = event.lay_offs
            melds[lay_off.meld] += [(TEXTS[card], event.seat) for card in lay_off.cards]
            placed[event.seat].add(turn)
        elif event.kind is EventKind.GO_OUT:
            out = event.seat
        elif event.kind is EventKind.SHOW:
            hands[event.seat] = [TEXTS[card] for card in event.cards]
        elif event.kind is EventKind.DEAL_END:
            at_once = out is not None and placed[out] == {turn}
            assert list(event.points) == judge.club_score(melds, hands, out, at_once=at_once, double=double)
            checked.append("out" if out is not None else event.reason)
    return checked
