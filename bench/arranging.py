"""The best arrangement of big hands of two packs and more, beside a limit in time.

Each hand is arranged once, by an arranger that has met other hands only. The figure is the median of the processor's
time over the hands; half of them are uniform and half rich in melds, or all come from play.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from statistics import median
from time import process_time
from typing import Any

from rummy.rules.actions import Action, Cards, DrawPile, DrawStock, EndMelds, Take
from rummy.rules.arranging import Arranger
from rummy.rules.cards import mask
from rummy.rules.deadwood import deadwood
from rummy.rules.game import Phase
from rummy.rules.games import find_game
from rummy.rules.games.club_deal import MELDS
from rummy.rules.games.club_score import IN_HAND
from rummy.rules.games.contract_deal import VALUES as CONTRACT_VALUES
from rummy.rules.games.contract_lay import RULES as CONTRACT
from rummy.rules.games.rummy500_deal import RULES as RUMMY_500
from rummy.rules.games.rummy500_deal import VALUES as VALUES_500
from rummy.rules.match import Match
from rummy.rules.tabling import JOKER, hand_of

LIMIT = 1000  # Microseconds.
HELD_AT = 0.9  # As for every goal: the processor is not ours alone.
HANDS = 200
WARM = 200  # Hands arranged before.
_TWO_PACKS = tuple(range(52)) * 2
_JOKERS = (JOKER, JOKER + 1) * 2

Hands = Iterator[Cards]


def rows() -> list[dict[str, Any]]:
    """One row a kind of hand: its median in microseconds against the limit, and in deadwoods of ten cards."""
    club = Arranger(MELDS["either"], IN_HAND[False][:13], (2, 1, 1, 1))
    five_hundred = Arranger(RUMMY_500, VALUES_500)
    contract = Arranger(CONTRACT, CONTRACT_VALUES)
    return [
        *[_row(f"{size} cards of two packs, Club", club, drawn(_TWO_PACKS, size)) for size in (20, 30, 40)],
        _row("15 cards and more of Club as it is played", club, played("club", 6, {}, least=15)),
        *[
            _row(f"{size} cards of two packs and 4 jokers, Rummy 500", five_hundred, drawn(_TWO_PACKS + _JOKERS, size))
            for size in (20, 30)
        ],
        _row(
            "14 cards and more of Contract as it is played", contract, played("contract", 6, {"buying": True}, least=14)
        ),
        *[
            _row(f"{size} cards of two packs and 2 jokers, Contract", contract, drawn(_TWO_PACKS + _JOKERS[:2], size))
            for size in (20, 30)
        ],
    ]


def _row(kind: str, solver: Arranger, hands: Hands) -> dict[str, Any]:
    for hand in islice(hands, WARM):
        solver.best(hand)
    taken = median([_microseconds(solver.best, hand) for hand in islice(hands, HANDS)])
    choose = random.Random(10)
    ten = [mask(choose.sample(range(52), 10)) for _ in range(20_000)]
    unit = _microseconds(lambda each: [deadwood(held) for held in each], ten) / len(ten)
    return {
        "figure": f"microseconds for the best arrangement: {kind}",
        "value": round(taken),
        "against": f"the limit: {LIMIT}; {taken / unit:.0f} times our least deadwood of 10 cards",
        "ratio": float(f"{LIMIT / taken:.3g}"),
        "goal": 1,
        "holds": taken <= LIMIT / HELD_AT,
    }


def _microseconds(work: Callable[[Any], object], argument: object) -> float:
    began = process_time()
    work(argument)
    return (process_time() - began) * 1e6


# Hands


def drawn(deck: Sequence[int], size: int) -> Hands:
    """Hands of *deck*, uniform and rich in melds in turn."""
    choose = random.Random(size)
    while True:
        yield hand_of(choose.sample(deck, size))
        yield rich_hand(deck, size, choose)


def rich_hand(deck: Sequence[int], size: int, choose: random.Random) -> Cards:
    """Cards gathered from runs and sets, with a few loose ones, and jokers as likely as ever."""
    left, hand = list(deck), choose.sample(deck, size)
    hand = [card for card in hand if card >= JOKER]
    while len(hand) < size:
        suit, rank, kind = choose.randrange(4), choose.randrange(13), choose.random()
        cards = [suit * 13 + rank]
        if kind < 0.45:
            cards = [suit * 13 + each for each in range(rank, min(13, rank + choose.randint(2, 5)))]
        elif kind < 0.8:
            cards = [choose.randrange(4) * 13 + rank for _ in range(choose.randint(2, 4))]
        for card in cards[: size - len(hand)]:
            if card in left:
                left.remove(card)
                hand.append(card)
    return hand_of(hand)


def played(key: str, seats: int, options: dict[str, Any], least: int) -> Hands:
    """Hands of *least* cards and more, as they come up between seats that take all they may, and keep all they may."""
    game, choose, number = find_game(key, options), random.Random(3), 0
    while True:
        match = Match(game, seats, number.to_bytes(8, "big"), max_deals=4)
        number += 1
        while (decision := match.decision) is not None:
            if decision.phase is Phase.PLAY:
                hand = match.view(decision.seat).hand
                if len(hand) >= least:
                    yield hand
            match.apply(_hoarding(match.legal_actions(), choose))


def _hoarding(legal: Sequence[Action], choose: random.Random) -> Action:
    first = legal[0]  # Of draws, the one from the stock, so that the upcard is offered to the others.
    wanted = [action for action in legal if isinstance(action, DrawPile | Take | EndMelds)]
    return first if isinstance(first, DrawStock) and choose.random() < 0.5 else [*wanted[::-1], choose.choice(legal)][0]
