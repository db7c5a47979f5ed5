"""Runs that are put together from the steps of `tails`, card by card: what `arranging` makes its melds of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rummy.rules.tails import NATURAL, STOP, Tail, Tails


class Run:
    """A run that is being put together: its tail, first place, and by place whether the card is natural."""

    def __init__(self, tail: Tail, start: int = 0, cards: Iterable[bool] = ()) -> None:
        self.tail = tail
        self.start = start
        self.cards = list(cards)

    def take(self, part: str, tails: Tails, jokers: int) -> None:
        """Adds a card, or none."""
        if part != STOP:
            self.cards.append(part == NATURAL)
            self.tail = tails.grown(self.tail, jokers, natural=part == NATURAL)


def taken_out(runs: list[Run], tail: Tail) -> Run:
    """The run of *runs* that has *tail*, which leaves them."""
    found = next(run for run in runs if run.tail == tail)
    runs.remove(found)
    return found


def joined(done: list[Run], last: list[Run], claims: list[tuple[Tail, Run]]) -> Iterator[tuple[int, list[bool]]]:
    """The runs; those of the *last* place go on with what round the corner was claimed of them."""
    after: dict[Run, Run] = {}
    waiting = list(last)
    for tail, claim in claims:
        after[taken_out(waiting, tail)] = claim
    claimed = [claim for _, claim in claims]
    heads = [run for run in (*done, *last) if run not in claimed]
    for run in (*heads, *claimed):  # A whole suit may have no head.
        cards, at = list(run.cards), after.pop(run, None)
        if run in claimed and at is None:
            continue
        while at is not None:
            cards += at.cards if at is not run else []
            at = after.pop(at, None)
        yield run.start, cards
