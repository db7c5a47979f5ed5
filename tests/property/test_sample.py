"""Deals taken up from a view: what the seat knows stays, what it does not know is dealt anew, and play goes on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tables import OPTION_SETS, TABLES, cards_in, eager, states

from rummy.errors import BadInput
from rummy.rules.actions import DrawPile, DrawStock, Drop, EndMelds, Knock, Meld
from rummy.rules.cards import parse_cards
from rummy.rules.game import DealTerms, Phase, View
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match
from rummy.rules.sample import sample

SAMPLED = [table for table in TABLES if hasattr(GAMES[table[0]], "resume")]
DOCS = Path(__file__).parents[2] / "docs" / "howto" / "write-a-bot.md"
DEALS = {"gin": 8, "one_oh_one": 2, "contract": 2}  # Of each match, from its first; else one.
MORE: dict[str, list[dict[str, Any]]] = {
    "contract": [
        {
            "two_seats": True,
            "contracts": [[1, 1]],
            "cards": [16],
            "buying": True,
            "max_buys": 10,
            "last_at_once": False,
        }
    ]
}


def longer(match: Match, rng: random.Random) -> Any:
    """A policy that hardly knocks, melds or keeps what it needs: it gets to the end of the stock, with a small hand."""
    legal, phase = match.legal_actions(), match.decision and match.decision.phase
    if phase is Phase.START:
        drawn = DrawPile() if DrawPile() in legal and rng.random() < 0.3 else match.default_action()
        return eager(match, rng) if isinstance(legal[-1], Drop | Knock) and rng.random() < 0.02 else drawn
    if phase is Phase.OFFER:
        return match.default_action() if rng.random() < 0.8 else rng.choice(legal)
    return eager(match, rng) if rng.random() < 0.2 else match.default_action()


both = pytest.mark.parametrize("policy", [eager, longer])
every = pytest.mark.parametrize("table", SAMPLED, ids=str)
RENEWED = ("basic", "club", "contract", "indian13")
IN_ORDER = ("basic",)  # Whose pile is turned over unshuffled.


def moments(table: tuple[str, int], policy: Any, share: float) -> Iterator[tuple[Match, random.Random]]:
    """Matches with every set of options at a *share* of their decisions, and chance."""
    key, seats = table
    for number, options in enumerate([*OPTION_SETS.get(key, [{}, {}, {}]), *MORE.get(key, ())]):
        rng = random.Random(number)
        match = Match(find_game(key, options), seats, bytes([number]))
        while match.decision is not None and match.deal < DEALS.get(key, 1):
            if rng.random() < share:
                yield match, rng
            match.apply(policy(match, rng))


def cards_of_deal(state: Any) -> Counter[int]:
    """Every card that lies somewhere."""
    cards = Counter([*state.stock, *state.pile])
    for zone in [cards_in(hand) for hand in state.hands] + [list(meld.cards) for meld in state.melds]:
        cards.update(zone)
    return cards


def missing(match: Match, state: Any) -> Counter[int]:
    """The cards of the pack that lie nowhere: the one cut for the wild rank, and one thrown face down."""
    return Counter(match.game.deck(len(match.active))) - cards_of_deal(state)


@both
@every
def test_what_the_seat_sees_stays_and_every_card_is_somewhere(table: tuple[str, int], policy: Any) -> None:
    for match, rng in moments(table, policy, 0.1):
        seat = rng.choice([*range(match.seats), None])
        view = match.view(seat)
        state = sample(match.game, view, rng)
        assert match.game.view(state, seat) == view
        assert match.game.view(state, None) == match.view(None)
        assert match.game.decision(state) == match.decision
        assert missing(match, state).total() == missing(match, match._state).total()
        assert missing(match, state).total() <= (view.phase is Phase.SHOW) + (view.wild is not None)


@both
@every
def test_the_seat_that_is_asked_has_the_same_answers(table: tuple[str, int], policy: Any) -> None:
    for match, rng in moments(table, policy, 0.1):
        assert match.decision is not None
        state = sample(match.game, match.view(match.decision.seat), rng)
        assert list(match.game.legal_actions(state)) == list(match.legal_actions())
        assert match.game.default_action(state) == match.default_action()


@both
@every
def test_playing_on_ends_and_raises_nothing(table: tuple[str, int], policy: Any) -> None:
    for match, rng in moments(table, policy, 0.005):
        game = match.game
        state = sample(game, match.view(rng.choice([*range(match.seats), None])), rng)
        while game.decision(state) is not None:
            legal = game.legal_actions(state)
            assert legal
            game.apply(state, game.default_action(state) if rng.random() < 0.3 else rng.choice(legal))
        assert game.result(state) is not None


@every
def test_a_line_played_in_both_has_one_end(table: tuple[str, int]) -> None:
    """With all the cards where they are, what a view shows is enough for the rest of the deal to go as it does."""
    for match, _ in moments(table, longer, 0.01):
        game, deal = match.game, match._state.copy()
        state = true_deal(match)
        played = 0
        while game.decision(deal) is not None:
            assert list(game.legal_actions(state)) == list(game.legal_actions(deal))
            action = game.legal_actions(deal)[0 if played % 5 else -1]
            game.apply(state, action)
            game.apply(deal, action)
            assert game.view(state, None) == game.view(deal, None)
            played += 1
        assert game.result(state) == game.result(deal)


def true_deal(match: Match) -> Any:
    """The deal in play, taken up from what a spectator sees and the hidden cards themselves."""
    deal, resume = match._state, getattr(match.game, "resume")  # noqa: B009 - not every game has it.
    hands = [tuple(cards_in(hand)) for hand in deal.hands]
    state = resume(match.view(None), hands, list(deal.stock))
    if hasattr(state, "terms"):
        state.terms = replace(state.terms, chance=deal.terms.chance)
    return state


PHASES = {
    "gin": (Phase.OFFER, Phase.START, Phase.DISCARD, Phase.SHOW),
    "one_oh_one": (Phase.START, Phase.DISCARD, Phase.SHOW),
    "basic": (Phase.START, Phase.PLAY, Phase.DISCARD, Phase.OFFER),
    "club": (Phase.START, Phase.PLAY, Phase.DISCARD, Phase.GO_OUT),
    "contract": (Phase.START, Phase.OFFER, Phase.PLAY, Phase.DISCARD),
    "rummy500": (Phase.START, Phase.PLAY, Phase.DISCARD),
    "indian13": (Phase.START, Phase.DISCARD, Phase.SHOW),
}


def where_cards_can_be(view: View, state: Any, gone: Counter[int]) -> None:
    """Holds the places of all cards in *state* against what everybody knows of a stock that was shuffled."""
    renewal = view.renewal
    assert renewal is not None
    stock, turned = Counter(state.stock), Counter(renewal.cards)
    hidden = [Counter(hand) - Counter(known) for hand, known in zip(state.hands, state.known, strict=True)]
    if view.closer is not None:
        hidden[view.closer] += gone  # Thrown face down.
    had = [held + Counter(shown) for held, shown in zip(hidden, renewal.revealed, strict=True)]
    in_hands = sum(had, stock) - turned  # When the pile was turned.
    assert stock <= turned <= sum(had, stock)
    assert sum(renewal.drawn) + len(state.stock) == len(renewal.cards)
    for drawn, cards in zip(renewal.drawn, had, strict=True):
        surely = sum(count for card, count in cards.items() if not in_hands[card])
        surely_not = sum(count for card, count in cards.items() if not turned[card])
        assert surely <= drawn <= cards.total() - surely_not


@both
@pytest.mark.parametrize("key", sorted({*RENEWED} - {*IN_ORDER}))
def test_com_15_cards_of_a_turned_pile_are_only_where_they_can_be(key: str, policy: Any) -> None:
    """In the deal in play, so that the view rules out nothing that is, and in those that are sampled."""
    seen = 0
    for match, rng in chain.from_iterable(moments(table, policy, 0.2) for table in SAMPLED if table[0] == key):
        view = match.view(None)
        if view.renewal is None or not view.renewal.cards:
            continue
        seen += 1
        gone = missing(match, match._state) - Counter([view.wild] if view.wild is not None else [])
        where_cards_can_be(view, match._state, gone)
        state = sample(match.game, match.view(rng.choice([*range(match.seats), None])), rng)
        gone = missing(match, state) - Counter([view.wild] if view.wild is not None else [])
        where_cards_can_be(view, state, gone)
    assert seen > 0


@pytest.mark.parametrize("key", IN_ORDER)
def test_com_15_a_pile_turned_over_in_its_order_leaves_nothing_of_the_stock_to_chance(key: str) -> None:
    """Everybody knows the stock, and what was drawn from it."""
    seen = 0
    for match, rng in chain.from_iterable(moments(table, longer, 0.2) for table in SAMPLED if table[0] == key):
        view = match.view(None)
        if view.renewal is None or view.renewal.cards:
            continue
        seen += 1
        assert list(view.renewal.order) == match._state.stock
        assert sample(match.game, match.view(rng.choice([*range(match.seats), None])), rng).stock == match._state.stock
    assert seen > 0


@pytest.mark.parametrize("key", sorted({key for key, _ in SAMPLED}))
def test_every_phase_is_reached_before_and_after_the_stock_has_run_out(key: str) -> None:
    reached = Counter[tuple[Phase, bool]]()
    for table in [table for table in SAMPLED if table[0] == key]:
        for policy in (eager, longer):
            for match, _ in moments(table, policy, 1):
                view = match.view(None)
                assert view.phase is not None
                reached[view.phase, view.broken_at is not None or view.renewal is not None] += 1
    assert key in PHASES, f"add to PHASES what {key} asks, and to RENEWED where its pile becomes a new stock"
    wanted = [(phase, False) for phase in PHASES[key]]
    if key in RENEWED:
        wanted += [(phase, True) for phase in PHASES[key]]
    if key == "one_oh_one":
        wanted += [(phase, True) for phase in (Phase.START, Phase.PLAY, Phase.DISCARD)]
    assert [case for case in wanted if reached[case] < 5] == []


@every
def test_the_hidden_cards_themselves_play_no_part(table: tuple[str, int]) -> None:
    """Worlds that look alike to a seat give it the same deals from the same chance (faults R18)."""
    match = next(match for match in states(*table, b"hidden", random.Random(0)) if match.ply > 5)
    assert match.decision is not None
    seat = match.decision.seat
    world = sample(match.game, match.view(seat), random.Random(1))
    assert cards_of_deal(world) == cards_of_deal(match._state)
    assert (world.hands, world.stock) != (match._state.hands, match._state.stock)
    one = sample(match.game, match.view(seat), random.Random(2))
    other = sample(match.game, match.game.view(world, seat), random.Random(2))
    assert (one.hands, one.stock) == (other.hands, other.stock)


@pytest.mark.parametrize(
    "table", [("gin", 2), ("one_oh_one", 4), ("rummy500", 3), ("contract", 3), ("indian13", 4)], ids=str
)
def test_every_unseen_card_is_as_likely_as_any_other_in_every_place(table: tuple[str, int]) -> None:
    match = next(match for match in states(*table, b"even", random.Random(0)) if match.ply > 9)
    assert match.decision is not None
    seat, rng, rounds = match.decision.seat, random.Random(3), 4000
    other = next(at for at in match.active if at != seat)
    view = match.view(seat)
    assert view.renewal is None
    held, topmost = Counter[int](), Counter[int]()
    for _ in range(rounds):
        state = sample(match.game, view, rng)
        held.update(Counter(cards_in(state.hands[other])) - Counter(view.known[other]))
        topmost[state.stock[-1]] += 1
    seen = Counter([*view.hand, *view.pile, *[card for meld in view.melds for card in meld.cards]])
    seen.update([card for at, known in enumerate(view.known) if at != seat for card in known])
    seen.update([] if view.wild is None else [view.wild])
    unseen = Counter(match.game.deck(match.seats)) - seen
    assert held.keys() == topmost.keys() == unseen.keys()
    hidden = view.hand_sizes[other] - len(view.known[other])
    for counts, share in ((held, hidden / unseen.total()), (topmost, 1 / unseen.total())):
        for card, copies in unseen.items():
            spread = (rounds * copies * share * (1 - share)) ** 0.5
            assert abs(counts[card] - rounds * copies * share) < 4.5 * spread


def test_who_has_played_since_the_break_is_dealt_no_meld() -> None:
    game = find_game("one_oh_one")
    checked = 0
    for number in range(40):
        rng = random.Random(number)
        for match in states("one_oh_one", 4, bytes([number]), rng, longer):
            view = match.view(match.decision.seat if match.decision else None)
            if view.broken_at is None or view.phase is not Phase.START or view.closer == view.turn:
                continue
            state = sample(game, view, rng)
            state.turn, state.phase = view.closer, Phase.PLAY
            assert EndMelds() in game.legal_actions(state)
            checked += 1
    assert checked > 20


def opened(key: str = "gin") -> tuple[Match, View]:
    match = Match(find_game(key), 2, b"refused")
    return match, match.view(0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"phase": None}, "over"),
        ({"game": "one_oh_one"}, "of one_oh_one"),
        ({"stock": 30}, "numbers of cards"),
        ({"hand_sizes": (9, 10)}, "numbers of cards"),
        ({"turn": 2}, "numbers of cards"),
        ({"pile": (0, 0)}, "more often"),
        ({"known": ((), (99,))}, "more often"),
    ],
)
def test_a_view_that_cannot_be_is_refused(change: dict[str, Any], says: str) -> None:
    match, view = opened()
    with pytest.raises(BadInput, match=says):
        sample(match.game, replace(view, **change), random.Random(0))


def test_a_view_that_no_deal_leads_to_is_refused() -> None:
    match = next(
        match
        for match in states("one_oh_one", 2, b"break", random.Random(4), longer)
        if match.view(None).broken_at is not None and match.decision and match.decision.phase is Phase.START
    )
    seat = match.decision.seat if match.decision else 0
    view = match.view(seat)
    with pytest.raises(BadInput, match="no deal leads to it"):
        sample(match.game, replace(view, phase=Phase.PLAY, owed=view.hand[0], turn=1 - seat), random.Random(0))


def laying(contracts: list[list[int]], held: str, drawn: str, laid: str) -> tuple[Any, Any]:
    """The last deal of *contracts*, in which seat 0 has drawn a card and laid a first part of its contract."""
    cards = parse_cards(held)
    game = find_game("contract", {"contracts": contracts, "cards": [len(cards)] * len(contracts)})
    rest = list((Counter(game.deck(3)) - Counter(cards) - Counter(parse_cards(drawn))).elements())
    random.Random(2).shuffle(rest)
    dealt = [card for own in cards for card in (own, rest.pop(), rest.pop())]
    deck = [*dealt, rest.pop(), *parse_cards(drawn), *rest]
    state: Any = game.deal(deck, DealTerms(3, (0, 1, 2), 2, 0, (0, 0, 0), number=len(contracts) - 1))
    game.apply(state, DrawStock())
    game.apply(state, Meld(parse_cards(laid)))
    return game, state


def test_who_lays_a_contract_is_dealt_the_rest_of_it() -> None:
    """CON-4.2, CON-6: another seat knows that the hand completes the contract."""
    game, state = laying([[1, 1]], "4s4h4d 6c7c8c", "9c", "4s4h4d")
    rng = random.Random(1)
    for seat in (0, 1, None):
        world = sample(game, game.view(state, seat), rng)
        (meld,) = [action for action in game.legal_actions(world) if isinstance(action, Meld)]
        game.apply(world, meld)
        assert game.result(world).reason == "out"


def test_what_chance_does_not_find_is_refused() -> None:
    """Two runs that take up nine hidden cards: no one of so many deals has them. The seat itself sees them."""
    game, state = laying([[0, 3]], "2c3c4c5c 2d3d4d5d 2h3h4h5h", "6c", "2d3d4d5d")
    assert sample(game, game.view(state, 0), random.Random(1)).hands[0] == state.hands[0]
    with pytest.raises(BadInput, match="by chance no deal leads to it"):
        sample(game, game.view(state, 1), random.Random(1))


def test_a_game_that_cannot_do_it_says_so() -> None:
    match, view = opened()
    game: Any = SimpleNamespace(spec=match.game.spec)
    with pytest.raises(BadInput, match="Gin rummy cannot be taken up"):
        sample(game, view, random.Random(0))


def test_every_game_can_do_it_as_the_docs_say() -> None:
    assert [key for key, kind in GAMES.items() if not hasattr(kind, "resume")] == []
    assert "With `rummy.rules.sample` deals of every game can be taken up." in DOCS.read_text(encoding="utf-8")
