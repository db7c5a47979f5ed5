"""Where unseen cards may lie once a pile has been shuffled into the stock, held against all that can have happened."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from basic_table import position
from zones_table import play

from rummy.errors import BadInput
from rummy.rules.actions import Cards
from rummy.rules.cards import cards_text
from rummy.rules.game import Phase, Renewal, View
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.sample import sample
from rummy.rules.unseen import STOCK, Lots, lots_of

Deal = tuple[tuple[int, ...], ...]  # What each hand holds, and the stock, whose next card comes last.


def seen(sizes: tuple[int, ...], stock: int, renewal: Renewal, **more: Any) -> View:
    """A view of two or three seats, by nobody, of a deal in which nothing is known but *renewal*."""
    view = Match(find_game("rummy500"), len(sizes), b"unseen").view(None)
    nothing: tuple[Cards, ...] = ((),) * len(sizes)
    return replace(view, hand_sizes=sizes, stock=stock, renewal=renewal, pile=(), melds=(), known=nothing, **more)


def happened(before: Cards, sizes: tuple[int, ...], turned: Cards, story: str) -> Counter[Deal]:
    """In how many ways the deals can have come about to which *story* leads, copies of a card told apart.

    Hands of these *sizes* were made of *before* when *turned* became the stock. Then "0" is a draw by seat 0, and "0:5"
    the card 5 that comes to light from its hand.
    """
    found = Counter[Deal]()
    for dealt in set(permutations(range(len(before)))):
        hands, at = [], 0
        for size in sizes:
            hands.append([before[each] for each in dealt[at : at + size]])
            at += size
        for order in permutations(turned):
            end = played([list(hand) for hand in hands], list(order), story)
            if end is not None:
                found[end] += 1
    return found


def played(hands: list[list[int]], stock: list[int], story: str) -> Deal | None:
    """The end of *story*, or None where it cannot be told of these cards."""
    for step in story.split():
        seat, _, card = step.partition(":")
        hand = hands[int(seat)]
        if not card:
            hand.append(stock.pop())
        elif int(card) in hand:
            hand.remove(int(card))
        else:
            return None
    return (*[tuple(sorted(hand)) for hand in hands], tuple(stock))


def told(before: Cards, sizes: tuple[int, ...], turned: Cards, story: str) -> tuple[View, list[int]]:
    """What *story* shows to everybody, and the cards that nobody sees at its end."""
    drawn, left, cards = [0] * len(sizes), list(sizes), [*before, *turned]
    revealed: list[list[int]] = [[] for _ in sizes]
    for step in story.split():
        seat, _, card = step.partition(":")
        if card:
            revealed[int(seat)].append(int(card))
            cards.remove(int(card))
        else:
            drawn[int(seat)] += 1
        left[int(seat)] += -1 if card else 1
    shown = tuple(tuple(sorted(each)) for each in revealed)
    renewal = Renewal(1, (), tuple(sorted(turned)), tuple(drawn), shown)
    return seen(tuple(left), len(turned) - sum(drawn), renewal), cards


def sampled(view: View, cards: list[int], rounds: int) -> Counter[Deal]:
    """How often each deal is made of *cards*."""
    rng, found = random.Random(5), Counter[Deal]()
    lots = lots_of(view, list(cards))
    weights = lots.weights()
    for _ in range(rounds):
        places: dict[int, list[int]] = {place: [] for place in (*range(view.seats), STOCK)}
        for place, some in lots.split(weights, rng).dealt(rng):
            places.setdefault(place, []).extend(some)
        stock = tuple(places.pop(STOCK))
        found[*[tuple(sorted(places[seat])) for seat in range(view.seats)], stock] += 1
    return found


@pytest.mark.parametrize(
    ("before", "sizes", "turned", "story"),
    [
        ((0, 1, 2), (2, 1), (10, 11, 12), ""),
        ((0, 1, 2), (2, 1), (10, 11, 12), "0"),
        ((0, 1, 2), (1, 2), (10, 11, 12), "0 1 0:10"),
        ((0, 1, 2), (1, 2), (10, 11, 12, 13), "0 0:1 1 1:10 0"),
        ((0, 1, 2, 3), (2, 2), (10, 11, 12), "0 0:10 1 1:11 0 0:0"),
    ],
)
def test_com_15_every_deal_that_can_be_is_as_likely_as_any_other(
    before: Cards, sizes: tuple[int, ...], turned: Cards, story: str
) -> None:
    """Where no copy of a card is on both sides."""
    wanted = happened(before, sizes, turned, story)
    assert len(set(wanted.values())) == 1
    view, cards = told(before, sizes, turned, story)
    rounds = 200 * len(wanted)
    found = sampled(view, cards, rounds)
    assert found.keys() == wanted.keys()
    assert all(abs(count - 200) < 5 * 200**0.5 for count in found.values())


@pytest.mark.parametrize(
    ("before", "sizes", "turned", "story"),
    [
        ((0, 1, 5), (2, 1), (5, 11, 12), "0 0:5"),
        ((0, 1, 5), (2, 1), (5, 5, 12), "0 0:5 1"),
        ((0, 5, 5), (1, 2), (5, 11, 12), "1 1:5 1:5 0"),
        ((0, 1, 5, 6), (2, 2), (5, 6, 12), "0 1 0:5 1:6"),
        ((0, 1, 5, 6), (2, 2), (5, 6, 12), "0 0:5 0:12 1"),
        ((5, 5, 6), (1, 2), (5, 6, 6), "0 0:6 1 1:5"),
    ],
)
def test_copies_on_both_sides_rule_out_nothing_that_can_be(
    before: Cards, sizes: tuple[int, ...], turned: Cards, story: str
) -> None:
    view, cards = told(before, sizes, turned, story)
    can_be = happened(before, sizes, turned, story).keys()
    assert can_be - sampled(view, cards, 6000).keys() == set()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cards": (10, 11)}, "not where they can be"),
        ({"cards": (10, 11, 20)}, "does not show"),
        ({"drawn": (0,)}, "does not show"),
        ({"revealed": ()}, "does not show"),
        ({"drawn": (0, 0)}, "not where they can be"),
    ],
)
def test_a_stock_that_cannot_be_is_refused(change: dict[str, Any], says: str) -> None:
    view, cards = told((0, 1, 2), (2, 1), (10, 11, 12), "0")
    assert view.renewal is not None
    broken = replace(view, renewal=view.renewal._replace(**change))
    with pytest.raises(BadInput, match=says):
        lots_of(broken, cards)


def test_a_hand_that_has_shown_more_than_it_has_drawn_is_refused() -> None:
    view, cards = told((0, 1, 2), (2, 1), (10, 11, 12), "0 0 0:10 0:11")
    assert view.renewal is not None
    broken = replace(view, stock=2, hand_sizes=(1, 1), renewal=view.renewal._replace(drawn=(1, 0)))
    with pytest.raises(BadInput, match="more cards of the stock than it has drawn"):
        lots_of(broken, cards)


def test_a_card_thrown_face_down_comes_from_the_hand_that_has_shown() -> None:
    """With all of that hand open, and one of its draws not in it, the card face down is one of the stock."""
    renewal = Renewal(1, (), (10, 11, 12), (1, 0), ((0, 1), ()))
    view = seen((0, 1), 2, renewal, phase=Phase.SHOW, closer=0)
    deals = sampled(view, [10, 11, 12, 2], 400)
    assert {stock for _, _, stock in deals} == set(permutations((10, 11, 12), 2))
    assert {hand for _, hand, _ in deals} == {(2,)}


def test_com_15_an_order_that_all_know_is_shorter_by_each_card_drawn() -> None:
    game = find_game("basic")
    state = position("3c5d7h9sJcKd", "4s6d8h2sTcQd", stock="2c4d6h8s", pile="Kh", turned=1)
    state.renewal = Renewal(1, tuple(state.stock))
    play(game, state, "S")
    view = game.view(state, None)
    assert view.renewal is not None
    assert (cards_text(view.renewal.order), view.stock, cards_text(view.known[0])) == ("8s6h4d", 3, "2c")


@pytest.mark.parametrize("change", [{"stock": 1}, {"stock": 3}, {"hand_sizes": (1, 2)}, {"turn": 2}])
def test_numbers_that_do_not_make_the_pack_are_refused(change: dict[str, Any]) -> None:
    view, cards = told((0, 1, 2), (2, 1), (10, 11, 12), "0")
    lots_of(view, cards)
    with pytest.raises(BadInput, match="numbers of cards"):
        lots_of(replace(view, **change), cards)


def test_a_known_order_is_the_whole_stock() -> None:
    view = seen((2, 1), 2, Renewal(1, (5, 6)))
    assert lots_of(view, [0, 1, 2]).places[:2] == [(0, 2), (1, 1)]
    with pytest.raises(BadInput, match="numbers of cards"):
        lots_of(replace(view, stock=3), [0, 1, 2, 3])


def test_a_seat_sees_all_of_its_own_hand() -> None:
    view = replace(seen((2, 1), 1, Renewal(1, (), (10,), (0, 0), ((), ()))), seat=0, hand=(0, 1))
    lots = lots_of(view, [2, 10])
    assert lots.turned == [10]
    assert room(lots) == 2
    with pytest.raises(BadInput, match="numbers of cards"):
        lots_of(replace(view, hand=(0,)), [2, 10])


def test_what_is_known_of_a_hand_is_dealt_to_nobody() -> None:
    view = replace(seen((2, 1), 1, Renewal(1, (), (10,), (0, 0), ((), ()))), known=((7,), ()))
    deals = sampled(view, [2, 3, 10], 50)
    assert {tuple(map(len, deal)) for deal in deals} == {(1, 1, 1)}


def room(lots: Lots) -> int:
    """How many cards the places take."""
    return sum([count for places in (lots.places, lots.other_places, lots.either_places) for _, count in places])


class Fixed:
    """Chance that leaves every order as it is, and draws the number that it was made with."""

    def __init__(self, number: int) -> None:
        self.number = number

    def shuffle(self, x: list[Any]) -> None:
        """Nothing."""

    def randrange(self, start: int) -> int:
        """The number."""
        assert self.number < start
        return self.number


def either(cards: list[int]) -> Lots:
    """A card that was turned, one that was not, and *cards* that may be either, all of one hand."""
    return Lots([10], [(STOCK, 1)], [1], [(0, 1)], cards, [(0, len(cards))])


def test_com_15_deals_are_counted_by_how_many_of_the_doubtful_cards_were_turned() -> None:
    assert either([5]).weights() == [2, 2]  # Of two cards on one side and one on the other, two orders each way.
    assert either([5, 6]).weights() == [6, 16, 6]


@pytest.mark.parametrize(("drawn", "turned"), [(0, [10]), (1, [10, 5]), (2, [10, 5, 6])])
def test_com_15_a_share_of_the_doubtful_cards_was_turned(drawn: int, turned: list[int]) -> None:
    lots = either([5, 6]).split([1, 1, 1], Fixed(drawn))
    assert lots.turned == turned
    assert sum([count for _, count in lots.places]) == len(turned)
    assert room(lots) == len(lots.turned) + len(lots.others) == 4


def test_places_may_be_doubtful_where_no_card_is() -> None:
    certain = Lots([10], [(STOCK, 1)])
    assert certain.split((), Fixed(0)) is certain
    lots = Lots([10, 11], [(STOCK, 1)], either_places=[(0, 1)])
    assert lots.split(lots.weights(), Fixed(0)).places == [(STOCK, 1), (0, 1)]


def test_a_hand_has_as_many_places_as_cards() -> None:
    view, cards = told((0, 1, 2), (2, 1), (10, 11, 12), "0")
    assert room(lots_of(view, cards)) == len(cards)


def test_what_a_seat_has_drawn_of_the_turned_stock_it_sees_itself() -> None:
    view = replace(seen((2, 1), 0, Renewal(1, (), (10,), (1, 0), ((), ()))), seat=0, hand=(0, 10))
    assert (lots_of(view, [2]).turned, lots_of(view, [2]).others) == ([], [2])


def test_com_15_what_is_shuffled_later_is_chance_too() -> None:
    """Five seats play with two packs (CLB-1.1)."""
    match = Match(find_game("club"), 5, b"later")
    chances = [sample(match.game, match.view(0), random.Random(number)).terms.chance for number in (1, 2)]
    assert [len(chance) for chance in chances] == [8, 8]
    assert len({*chances, match._state.terms.chance}) == 3


def test_what_a_seat_took_from_the_pile_is_none_of_what_it_drew() -> None:
    renewal = Renewal(1, (), (5, 10), (1, 0), ((), ()))
    view = replace(seen((2, 1), 1, renewal), seat=0, hand=(5, 10), known=((10,), ()))
    lots = lots_of(view, [5, 10])
    assert (lots.turned, lots.either) == ([10], [5])


def test_what_comes_from_a_hand_that_has_drawn_nothing_was_there_before() -> None:
    lots = lots_of(*told((5, 6, 7), (2, 1), (5, 6), "0:5 1 1:6"))
    assert (lots.turned, lots.either, lots.others) == ([5], [6], [7])


def test_a_card_that_was_not_turned_takes_no_draw_away() -> None:
    lots = lots_of(*told((6, 7, 9), (2, 1), (5, 6, 8), "1 1 1:6 1:7"))
    assert (1, 1) in lots.places


def test_only_a_show_has_a_card_face_down() -> None:
    view = seen((2, 1), 2, Renewal(1, (5, 6)), closer=0)
    with pytest.raises(BadInput, match="numbers of cards"):
        lots_of(view, [0, 1, 2, 3])
