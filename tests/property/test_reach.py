"""What random and eager play reaches of every game while nothing that is hidden is told: each phase, event and end.

What there is to reach is read from the source of the game (`game_source`). Some of it is rare between players who only
want to win, so deals are played in several moods, from decks that are full of melds or nearly empty too, under every
set of options of `tables`. Where a position of a phase comes up that has been tried less often than wanted, what its
seats are told is held against another world, as in `test_hidden`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import pytest
from game_source import sayings_of
from tables import OPTION_SETS, accepts, cards_in, wrong_show
from test_hidden import check_step, other_world, told

from rummy.rules.actions import (
    Arrange,
    BigGin,
    Discard,
    DrawPile,
    Drop,
    GoOut,
    Knock,
    LayOff,
    Meld,
    Take,
    TurnOver,
)
from rummy.rules.game import DealTerms, Phase, seats_of
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match

WANTED = 100  # Times that each phase, event and end is reached.
MOST_DEALS = 20_000
MOST_CARDS = 14  # In a hand: to find the best discard among more takes long.
Mood = Callable[["Deal", random.Random], Any]  # What is played next.


@dataclass
class Deal:
    """One deal between *seats* seats, with what `check_step` reads of a match."""

    game: Any
    _state: Any
    active: tuple[int, ...]

    @property
    def decision(self) -> Any:
        return self.game.decision(self._state)

    def legal_actions(self) -> Any:
        return self.game.legal_actions(self._state)

    def default_action(self) -> Any:
        return self.game.default_action(self._state)

    def view(self, seat: int | None) -> Any:
        return self.game.view(self._state, seat)


# ---- decks


class Recipe(NamedTuple):
    """How a deal is made and played: what has led to a rare end leads there again."""

    game: Any
    seats: int
    melds: bool  # Whether the hands are full of melds.
    cards: int  # Left over after dealing; below 0 all.
    mood: Mood


def any_recipe(games: list[Any], number: int, rng: random.Random) -> Recipe:
    """The games in turn, all else by chance."""
    game = games[number % len(games)]
    seats = rng.randint(*seats_of(game))
    short = rng.choice((3, 3, seats + 2, 12)) if rng.random() < 0.3 else -1
    return Recipe(game, seats, rng.random() < 0.5, short, rng.choice(MOODS))


def dealt(recipe: Recipe, rng: random.Random) -> Deal:
    """A deal from a shuffled deck, with other hands or fewer cards by *recipe*."""
    game, seats = recipe.game, recipe.seats
    deck = list(game.deck(seats))
    rng.shuffle(deck)
    turn = rng.randrange(seats)
    scores = tuple([rng.choice((0, 30, 60, 90)) for _ in range(seats)])
    terms = DealTerms(seats, tuple(range(seats)), (turn - 1) % seats, turn, scores, rng.randbytes(8), rng.randrange(7))
    hand = len(game.view(game.deal(deck, terms), turn).hand)
    if recipe.melds:
        deck = with_melds(deck, seats, hand, rng)
    if recipe.cards >= 0:
        deck = deck[: seats * hand + recipe.cards]
    return Deal(game, game.deal(deck, terms), terms.active)


def with_melds(deck: list[int], seats: int, hand: int, rng: random.Random) -> list[int]:
    """The cards of *deck* in such an order that every seat is dealt whole melds as far as they come.

    The card after the hands belongs to the melds of the seat that is dealt to first.
    """
    left = Counter(deck)
    hands = [melded(left, hand + (seat == 0), rng) for seat in range(seats)]
    upcard = hands[0].pop()
    rest = list(left.elements())
    rng.shuffle(rest)
    return [hands[at % seats][at // seats] for at in range(seats * hand)] + [upcard, *rest]


def melded(left: Counter[int], size: int, rng: random.Random) -> list[int]:
    """So many cards of *left*, which loses them: whole melds, and here and there a loose card."""
    cards: list[int] = []
    while len(cards) < size:
        length = rng.choice([each for each in (3, 4) if size - len(cards) - each not in (1, 2)] or [3])
        suit, rank = 13 * rng.randrange(4), rng.randrange(13)
        run, alike = [suit + rank + step for step in range(length)], [rank + 13 * each for each in range(4)]
        more = run if rank + length <= 13 and rng.random() < 0.6 else rng.sample(alike, length)
        whole = all(left[card] for card in more) and len(cards) + len(more) <= size
        if whole or rng.random() < 0.04:
            more = more if whole else [rng.choice(list(left.elements()))]
            cards += more
            left.subtract(more)
    rng.shuffle(cards)
    return cards


# ---- moods


def choices(deal: Deal) -> list[Any]:
    """The legal actions, but for those that make a hand larger than any that is searched in play."""
    room = MOST_CARDS - len(cards_in(deal._state.hands[deal.decision.seat]))
    return [each for each in deal.legal_actions() if not isinstance(each, DrawPile) or each.count <= max(1, room)]


def eager(deal: Deal, rng: random.Random) -> Any:
    """Ends the deal where it may, melds and lays off, and takes what is offered."""
    legal = choices(deal)
    for kinds in ((BigGin, Knock, GoOut), (Meld, LayOff, Take)):
        liked = [action for action in legal if isinstance(action, kinds)]
        if liked and rng.random() < 0.9:
            return rng.choice(liked)
    return deal.default_action() if rng.random() < 0.6 else rng.choice(legal)


def hoarding(deal: Deal, rng: random.Random) -> Any:
    """Melds and lays off, takes from the pile and turns it over, and never ends the deal by its own word."""
    legal = [action for action in choices(deal) if not isinstance(action, GoOut | Knock | BigGin | Drop)]
    liked = [action for action in legal if isinstance(action, Meld | LayOff | DrawPile | TurnOver | Take)]
    return rng.choice(liked) if liked and rng.random() < 0.8 else rng.choice(legal)


def idle(deal: Deal, rng: random.Random) -> Any:
    """What is played for a seat that does not answer; now and then anything."""
    return rng.choice(choices(deal)) if rng.random() < 0.05 else deal.default_action()


def any_way(deal: Deal, rng: random.Random) -> Any:
    """Any legal action."""
    return rng.choice(choices(deal))


def rash(deal: Deal, rng: random.Random) -> Any:
    """Knocks with any hand, and shows what is no show, where a game lets it; eager else."""
    if rng.random() < 0.3:
        action: Any = Knock() if deal.decision.phase is Phase.START else None
        if isinstance(deal.legal_actions()[0], Discard):
            action = wrong_show(cast("Match", deal))
        if action is not None and not isinstance(accepts(deal.game, deal._state, action), str):
            return action
    return eager(deal, rng)


MOODS: tuple[Mood, ...] = (eager, hoarding, idle, any_way, rash)


# ---- what is reached


def games_of(key: str) -> list[Any]:
    """The game under every set of options of `tables`, and under each with few turns as well."""
    games = []
    for options in OPTION_SETS.get(key, [{}]):
        games.append(find_game(key, options))
        if hasattr(games[-1], "turn_cap"):
            games += [find_game(key, {**options, "turn_cap": turns}) for turns in (2, 8, 16)]
    return games


def hold(deal: Deal, rng: random.Random) -> None:
    """Holds what the seat that is asked, and one that may be another, are told against other worlds."""
    for seat in (deal.decision.seat, rng.choice([*deal.active, None])):
        world = world_of(deal, seat, rng)
        assert told(deal.game, deal._state, seat) == told(deal.game, world, seat)
        check_step(cast("Match", deal), world, seat, rng)


def world_of(deal: Deal, seat: int | None, rng: random.Random) -> Any:
    """Another world; a stock that was turned over unshuffled is known to everybody, and stays (COM-12)."""
    renewal = getattr(deal.view(None), "renewal", None)
    if renewal is None or not renewal.order:
        return other_world(deal._state, seat, rng)
    twin = deal._state.copy()
    stock, twin.stock = twin.stock, []
    world = other_world(twin, seat, rng)
    world.stock = stock
    return world


def play(deal: Deal, mood: Mood, reached: Counter[str], rng: random.Random) -> None:
    """Plays a deal to its end, counts what it reaches, and tries its positions."""
    while deal.decision is not None:
        phase = f"phase {deal.decision.phase.name}"
        if reached[phase] < WANTED:
            hold(deal, rng)
        reached[phase] += 1
        if deal.decision.phase is Phase.SHOW:
            reached.update(dict.fromkeys(map(show_of, deal.legal_actions()), 0))  # What is listed is wanted as well.
        action = mood(deal, rng)
        if isinstance(action, Arrange):
            reached[show_of(action)] += 1
        deal.game.apply(deal._state, action)
    for event in deal._state.events:
        reached[f"event {event.kind.name}"] += 1
        reached[f"told {event.reason}"] += 1
    reached[f"end {deal.game.result(deal._state).reason}"] += 1


def show_of(action: Arrange) -> str:
    """What kind of show an arrangement is."""
    if action.melds is None:
        return "show by default"
    return "show with lay-offs" if action.lay_offs else "show of melds"


def wanted_of(key: str) -> set[str]:
    """All that there is to reach of a game."""
    sayings = sayings_of(GAMES[key])
    wanted = {f"phase {phase.name}" for phase in sayings.phases} | {f"end {reason}" for reason in sayings.ends}
    return wanted | {f"event {kind.name}" for kind in sayings.events} | {f"told {reason}" for reason in sayings.told}


def lacking(wanted: set[str], reached: Counter[str]) -> list[str]:
    """What has not been reached often enough."""
    shows = {each for each in reached if each.startswith("show")} - {"show by default"}
    return sorted([each for each in wanted | shows if reached[each] < WANTED])


@pytest.mark.parametrize("key", GAMES)
def test_each_phase_event_and_end_is_reached_and_nothing_hidden_told(key: str) -> None:
    wanted, reached, games = wanted_of(key), Counter[str](), games_of(key)
    led_to: dict[str, list[Recipe]] = {}
    number, rare = 0, lacking(wanted, reached)
    while number < 2 * len(games) or (rare and number < MOST_DEALS):
        rng = random.Random(number)
        known = [recipe for each in rare for recipe in led_to.get(each, ())]
        recipe = rng.choice(known) if known and rng.random() < 0.7 else any_recipe(games, number, rng)
        before = reached.copy()
        play(dealt(recipe, rng), recipe.mood, reached, rng)
        for each in rare:
            if reached[each] > before[each]:
                led_to.setdefault(each, []).append(recipe)
        number, rare = number + 1, lacking(wanted, reached)
    assert {each: reached[each] for each in rare} == {}, f"after {number} deals"
    assert {each for each in reached if each.startswith(("phase", "end"))} <= wanted
