"""The cards that a view does not show, and where each of them may lie.

A stock that was dealt may be any of them. One that the pile was shuffled into is *turned* cards and nothing else; the
other unseen cards are in hands, and of a hand everybody knows how many cards have come into it from that stock. Only
where copies of a card are on both sides is it not certain of some cards, and of some places, to which side they belong:
these are *either*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, factorial
from typing import Any, Final, Protocol

from rummy.errors import BadInput
from rummy.rules.actions import Card, Seat
from rummy.rules.game import Phase, Renewal, View

STOCK: Final = -1
NOWHERE: Final = -2  # Where the card lies that a knock has thrown face down (GIN-5.1, IND-6).
Places = list[tuple[int, int]]  # Seats, or one of the above, with how many cards lie there.


class Chance(Protocol):
    """Where the unseen cards come from; a `random.Random` is one."""

    def shuffle(self, x: list[Any]) -> None:
        """Brings *x* into an order, each as likely as any other."""

    def randrange(self, start: int) -> int:
        """A number below *start*, each as likely as any other."""


@dataclass(slots=True)
class Lots:
    """Cards and the places for them, *turned* and *others* apart; *either* are both, as chance will have it."""

    turned: list[Card]
    places: Places
    others: list[Card] = field(default_factory=list)
    other_places: Places = field(default_factory=list)
    either: list[Card] = field(default_factory=list)
    either_places: Places = field(default_factory=list)

    def weights(self) -> list[int]:
        """How many deals there are with 0, 1, 2 … of the cards that may be either turned. All 0: there are none."""
        cards, places = len(self.either), _count(self.either_places)
        missing = _count(self.places) - len(self.turned)
        found = []
        for number in range(cards + 1):
            ways = comb(cards, number) * comb(places, number - missing) if number >= missing else 0
            turned, others = len(self.turned) + number, len(self.others) + cards - number
            found.append(ways * factorial(turned) * factorial(others))
        return found

    def split(self, weights: Sequence[int], random: Chance) -> Lots:
        """These lots with nothing either any more; *weights* are those of `weights`."""
        if not self.either and not _count(self.either_places):
            return self
        number, at = 0, random.randrange(sum(weights))
        while at >= weights[number]:
            at -= weights[number]
            number += 1
        random.shuffle(self.either)
        slots = [place for place, count in self.either_places for _ in range(count)]
        random.shuffle(slots)
        turned = len(self.turned) + number - _count(self.places)
        return Lots(
            self.turned + self.either[:number],
            self.places + [(place, 1) for place in slots[:turned]],
            self.others + self.either[number:],
            self.other_places + [(place, 1) for place in slots[turned:]],
        )

    def dealt(self, random: Chance) -> Iterator[tuple[int, list[Card]]]:
        """Places with the cards that chance puts there, every deal alike; nothing is either any more."""
        for cards, places in ((self.turned, self.places), (self.others, self.other_places)):
            random.shuffle(cards)
            at = 0
            for place, count in places:
                yield place, cards[at : at + count]
                at += count


def lots_of(view: View, cards: list[Card]) -> Lots:
    """*cards*, which are what *view* does not show, and their places. Raises `BadInput` where they do not go together.

    A stock whose order everybody knows is none of it.
    """
    hidden = _hidden(view, len(cards))
    renewal = view.renewal
    if renewal is None or not renewal.cards:
        return Lots(cards, list(hidden.items()))
    lots = _sorted_out(view, renewal, cards, hidden)
    if not any(lots.weights()):
        raise _contradiction("the cards that went into the stock are not where they can be")
    return lots


def _hidden(view: View, cards: int) -> dict[int, int]:
    """How many unseen cards lie in each place."""
    sizes = enumerate(view.hand_sizes)
    places = {seat: size - len(view.known[seat]) for seat, size in sizes if seat != view.seat}
    order = () if view.renewal is None else view.renewal.order
    places[STOCK] = view.stock - len(order)
    spare = cards - sum(places.values())
    own = view.seat is None or len(view.hand) == view.hand_sizes[view.seat]
    face_down = int(view.phase is Phase.SHOW and view.closer is not None)
    fits = 0 <= spare <= face_down and min(places.values()) >= 0 and view.turn < view.seats
    if not own or not fits or (order and places[STOCK]):
        raise _contradiction("its numbers of cards do not make the pack")
    places[NOWHERE] = spare
    return places


def _sorted_out(view: View, renewal: Renewal, cards: Sequence[Card], hidden: Mapping[int, int]) -> Lots:
    """Which of *cards* were turned, and how many such cards there are in each place of *hidden*."""
    turned, unseen, shown = Counter(renewal.cards), Counter(cards), _shown(view, renewal)
    copies = sum(shown, unseen)
    if turned - copies or len(renewal.drawn) != view.seats:
        raise _contradiction("it does not show what has become of the cards that went into the stock")
    copies -= turned  # What was in hands when the pile became the stock.
    lots = Lots([], [(STOCK, hidden[STOCK])])
    passed = Counter[Card]()  # Shown cards that may have been one side's or the other's.
    for seat, seen in enumerate(shown):
        most = renewal.drawn[seat] - sum([count for card, count in seen.items() if turned[card] and not copies[card]])
        doubtful = {card: count for card, count in seen.items() if turned[card] and copies[card]} if most > 0 else {}
        passed.update(doubtful)
        _add_hand(lots, view, hidden, seat, (max(0, most - sum(doubtful.values())), most))
    for card, count in unseen.items():
        most = min(turned[card], count)
        least = min(most, max(0, turned[card] - passed[card])) if copies[card] else most
        lots.turned += [card] * least
        lots.either += [card] * (most - least)
        lots.others += [card] * (count - most)
    return lots


def _shown(view: View, renewal: Renewal) -> list[Counter[Card]]:
    """By seat: cards that the viewer has seen come from its hand, or sees there, but that not all knew to be there."""
    shown = [Counter(cards) for cards in renewal.revealed]
    if len(shown) != view.seats:
        raise _contradiction("it does not show what has become of the cards that went into the stock")
    if view.seat is not None:
        shown[view.seat].update(Counter(view.hand) - Counter(view.known[view.seat]))
    return shown


def _add_hand(lots: Lots, view: View, hidden: Mapping[int, int], seat: Seat, turned: tuple[int, int]) -> None:
    """Adds the places of a hand, with the least and the most of *turned* cards there."""
    places = {seat: hidden.get(seat, 0)}
    if seat == view.closer:
        places[NOWHERE] = hidden[NOWHERE]  # Thrown from a hand that has been shown.
    for place, count in places.items():
        least, most = [min(number, count) for number in turned]
        if most < 0:
            raise _contradiction("a hand has shown more cards of the stock than it has drawn")
        lots.places.append((place, least))
        lots.either_places.append((place, most - least))
        lots.other_places.append((place, count - most))


def _count(places: Places) -> int:
    return sum([count for _, count in places])


def _contradiction(why: str) -> BadInput:
    return BadInput(f"The view contradicts itself: {why}.")
