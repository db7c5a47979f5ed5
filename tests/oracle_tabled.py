"""The slow second opinion on games that score what lies on the table, from the rulebook alone: no code is shared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from oracle import JOKERS, LINES, SUITS, is_basic_set

# ---- Rummy 500


def natural_of(cards: Iterable[str]) -> list[str]:
    """The cards that are no jokers."""
    return [card for card in cards if card not in JOKERS]


def windows(cards: Sequence[str]) -> list[str]:
    """The rows of ranks, ace at either end, in which *cards* can stand; with a joker they stand as they are given."""
    natural = natural_of(cards)
    line = LINES["either"]
    rows = [line[at : at + len(cards)] for at in range(len(line) - len(cards) + 1)]
    if len(natural) == len(cards):
        return [row for row in rows if sorted(row) == sorted(card[0] for card in cards)]
    return [row for row in rows if stand_in(cards, row)]


def stand_in(cards: Sequence[str], row: str) -> bool:
    """Whether *cards* as they are given have the ranks of *row*, jokers any."""
    return all(card in JOKERS or card[0] == rank for card, rank in zip(cards, row, strict=True))


def is_500_set(cards: Sequence[str]) -> bool:
    """R500-4: three or four of a rank, all of different suits; of the cards two are natural."""
    natural = natural_of(cards)
    return (
        len(cards) in (3, 4)
        and len(natural) >= 2
        and len({card[0] for card in natural}) == 1
        and len({card[1] for card in natural}) == len(natural)
    )


def is_500_run(cards: Sequence[str]) -> bool:
    """R500-4: three to thirteen of a suit in order, the ace at either end and never between."""
    natural = natural_of(cards)
    if not 3 <= len(cards) <= 13 or len(natural) < 2:
        return False
    return len({card[1] for card in natural}) == 1 and len(windows(cards)) > 0


def held_500(cards: Iterable[str]) -> int:
    """R500-6.1, 6.3: what cards count in a hand."""
    return sum(15 if card in JOKERS or card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in cards)


def table_500(cards: Sequence[str]) -> list[int]:
    """R500-6.1, 6.2: what each card of a meld, in the order of a run, counts."""
    low = is_500_run(cards) and cards[0][0] == "A"
    return [1 if low and at == 0 else held_500([card]) for at, card in enumerate(cards)]


def takes_500(hand: Sequence[str], pile: Sequence[str], melds: Iterable[Sequence[str]]) -> list[int]:
    """R500-3.1 to 3.3, without jokers: so many cards, whose deepest makes a meld of three or goes on one."""
    table = list(melds)
    found = []
    for count in range(1, len(pile) + 1):
        deepest, others = pile[-count], [*hand, *pile[len(pile) - count + 1 :]]
        alike = combinations([card for card in others if card[0] == deepest[0]], 2)
        row = combinations([card for card in others if card[1] == deepest[1]], 2)
        melded = any(is_500_set((deepest, *pair)) for pair in alike) or any(
            is_500_run((deepest, *pair)) for pair in row
        )
        if count == 1 or melded or any(takes_card_500(meld, deepest) for meld in table):
            found.append(count)
    return found


def takes_card_500(meld: Sequence[str], card: str) -> bool:
    """R500-4: whether the meld with the card is one of the same kind."""
    return is_500_set((*meld, card)) if is_500_set(meld) else is_500_run((*meld, card))


# ---- Contract rummy


def is_contract_set(cards: Sequence[str]) -> bool:
    """CON-4.1, 4.3: three or more of a rank, suits free, at least half of them natural."""
    natural = natural_of(cards)
    return len(cards) >= 3 and 2 * len(natural) >= len(cards) and len({card[0] for card in natural}) == 1


def is_contract_run(cards: Sequence[str]) -> bool:
    """CON-1, 4.1, 4.3: four to thirteen of a suit in order, the ace at either end, at least half of them natural."""
    natural = natural_of(cards)
    if not 4 <= len(cards) <= 13 or 2 * len(natural) < len(cards):
        return False
    return len({card[1] for card in natural}) == 1 and len(windows(cards)) > 0


def held_contract(cards: Iterable[str]) -> int:
    """CON-7: joker and ace 15, faces and tens 10, others their number."""
    return held_500(cards)


# ---- Club: one or two packs, sets of any suits, an ace at either end.


def is_club_set(cards: Sequence[str]) -> bool:
    """CLB-2.1: three or more of one rank, whatever the suits."""
    return len(cards) >= 3 and len({card[0] for card in cards}) == 1


def is_club_run(cards: Sequence[str], ace: str = "either") -> bool:
    """CLB-1.2, 2.2: three to thirteen of a suit, each rank once, next to each other where the ace stands so."""
    line, size = LINES[ace], len(cards)
    rows = [sorted(line[at : at + size]) for at in range(len(line) - size + 1)]
    return 3 <= size <= 13 and len({card[1] for card in cards}) == 1 and sorted(card[0] for card in cards) in rows


def club_value(card: str, *, table: bool, double: bool) -> int:
    """CLB-8.1, 9.1."""
    worth = (15 if table else 5) if card[0] == "A" else 10 if card[0] in "TJQK" else 5
    return worth * 2 if double and card[1] == "c" else worth


ClubMeld = list[tuple[str, int]]  # In the order in which they were placed: a card, and the seat that placed it.


def club_score(
    melds: Sequence[ClubMeld], hands: Sequence[Sequence[str]], out: int | None, *, at_once: bool, double: bool
) -> list[int]:
    """CLB-8, 9: what each seat scores in a deal; *out* has gone out, *at_once* with all its cards in one turn."""
    held = [sum(club_value(card, table=False, double=double) for card in hand) for hand in hands]
    points = [-count for count in held]
    for meld in melds:
        for number, (card, seat) in enumerate(meld):
            points[seat] += club_value(card, table=True, double=double) + (5 if number >= 3 else 0)
    if out is not None and not hands[out]:
        points[out] += 100 if at_once else 40
    elif out is not None and held[out] > min(held):
        points[out] -= 35
    return points


def club_takes(hand: Sequence[str], pile: Sequence[str]) -> list[int]:
    """CLB-4.4: how many cards of the pile (its top last) may be taken: the deepest lies on a meld with the others."""
    found = []
    for count in range(1, len(pile) + 1):
        cards, deepest = [*hand, *pile[len(pile) - count + 1 :]], pile[len(pile) - count]
        alike = combinations([card for card in cards if card[0] == deepest[0]], 2)
        row = combinations([card for card in cards if card[1] == deepest[1]], 2)
        if any(is_club_set((deepest, *pair)) for pair in alike) or any(is_club_run((deepest, *pair)) for pair in row):
            found.append(count)
    return found


# ---- Lay-offs, in every game that has them


def stands(cards: Sequence[str], ace: str) -> bool:
    """Whether *cards* are in the order of a row of ranks, of one suit, jokers anywhere."""
    line = LINES[ace]
    suits = {card[1] for card in natural_of(cards)}
    rows = [line[at : at + len(cards)] for at in range(len(line) - len(cards) + 1)]
    return len(cards) <= 13 and len(suits) == 1 and any(stand_in(cards, row) for row in rows)


def fixed_suits(meld: Sequence[str]) -> set[str]:
    """The suits of a set of different suits; jokers stand for the first that are missing, and keep them (COM-5)."""
    suits = {card[1] for card in natural_of(meld)}
    missing = [suit for suit in SUITS if suit not in suits]
    return suits | set(missing[: len(meld) - len(suits)])


def basic_ends(meld: Sequence[str], card: str, *, run: bool, ace: str, packs: int, distinct: bool) -> tuple[bool, bool]:
    """BAS-5.1, 10.1: whether a meld takes *card* before its first and behind its last card; a set behind it only."""
    if run:
        return stands((card, *meld), ace), stands((*meld, card), ace)
    taken = distinct and card not in JOKERS and card[1] in fixed_suits(meld)
    return False, not taken and is_basic_set((*meld, card), packs=packs, distinct=distinct)


def contract_ends(meld: Sequence[str], card: str, *, run: bool) -> tuple[bool, bool]:
    """CON-4.3, 5, 8: whether a meld takes *card* before its first and behind its last card; a set behind it only."""
    low, high = (card, *meld), (*meld, card)
    if run:
        return is_contract_run(low) and stands(low, "either"), is_contract_run(high) and stands(high, "either")
    return False, is_contract_set(high)
