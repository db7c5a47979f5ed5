"""The slow second opinion on games that score what lies on the table, from the rulebook alone: no code is shared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from oracle import JOKERS, LINES

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
        melded = any(is_500_set((deepest, *pair)) or is_500_run((deepest, *pair)) for pair in combinations(others, 2))
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


def splits(cards: tuple[str, ...], sets: int, runs: int, *, all_of_them: bool) -> bool:
    """CON-4.2, 6: whether *cards* hold so many melds that share none, or consist of them. Tries every choice."""
    if sets == runs == 0:
        return not (all_of_them and cards)
    for size in range(3 if sets else 4, len(cards) + 1):
        for chosen in combinations(range(len(cards)), size):
            if all_of_them and 0 not in chosen:
                continue
            meld = [cards[at] for at in chosen]
            rest = tuple([card for at, card in enumerate(cards) if at not in chosen])
            if sets and is_contract_set(meld) and splits(rest, sets - 1, runs, all_of_them=all_of_them):
                return True
            if runs and may_be_run(meld) and splits(rest, sets, runs - 1, all_of_them=all_of_them):
                return True
        if not all_of_them and size == 4:
            return False  # Whatever holds a longer meld holds a shortest one.
    return False


def may_be_run(cards: Sequence[str]) -> bool:
    """Whether *cards* are a run in some order."""
    natural = natural_of(cards)
    if not 4 <= len(cards) <= 13 or 2 * len(natural) < len(cards):
        return False
    if len({card[1] for card in natural}) != 1 or len(set(natural)) < len(natural):
        return False
    line = LINES["either"]
    rows = [line[at : at + len(cards)] for at in range(len(line) - len(cards) + 1)]
    return any(all(card[0] in row for card in natural) for row in rows)
