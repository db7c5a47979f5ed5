"""The PettingZoo environment: its own tests, over every game, and what its arrays say."""

from __future__ import annotations

import random
import warnings
from dataclasses import fields, replace
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="the extra `rl` is not installed")

import numpy as np
from pettingzoo.test import api_test, seed_test
from tables import PLAIN_TABLES, states

from rummy.errors import BadInput, BadOptions, UnknownGame
from rummy.rl.aec import ACTIONS, env
from rummy.rl.observation import HIGH, LOW, PARTS, observed
from rummy.rules.actions import Action, LayOff, Meld
from rummy.rules.cards import parse_cards
from rummy.rules.game import Renewal, TableMeld, View
from rummy.rules.games import find_game
from rummy.rules.match import Match

EXPECTED = (  # What the test says of every environment with a mask in its observation.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",
)


def played(game: str, seats: int, seed: int, max_deals: int | None = 1, asked: int = 100_000) -> Any:
    """An environment in which agents have chosen at random for so many turns."""
    table, rng = env(game, seats, max_deals=max_deals), random.Random(seed)
    table.reset(seed=seed)
    for _, agent in zip(range(asked), table.agent_iter(), strict=False):
        seen, _, over, _, _ = table.last()
        table.step(None if over else rng.choice(np.flatnonzero(seen["action_mask"])))
        assert agent in table.possible_agents
    return table


@pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
def test_pettingzoo_accepts_it(table: tuple[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        for text in EXPECTED:
            warnings.filterwarnings("ignore", message=text)
        api_test(env(*table), num_cycles=150)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
def test_a_seed_gives_the_same_match(table: tuple[str, int]) -> None:
    seed_test(lambda: env(*table), num_cycles=60)


@pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
def test_whole_matches_end_with_rewards_that_sum_to_zero(table: tuple[str, int]) -> None:
    game = env(*table)
    rng = random.Random(5)
    game.reset(seed=5)
    while not all(game.terminations.values()):
        seen, *_ = game.last()
        game.step(rng.choice(np.flatnonzero(seen["action_mask"])))
    assert sum(game.rewards.values()) == pytest.approx(0)
    assert {info["place"] for info in game.infos.values()} <= set(range(1, table[1] + 1))
    assert played(*table, seed=5).agents == []


@pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
def test_the_mask_is_what_the_rules_list(table: tuple[str, int]) -> None:
    game = env(*table).unwrapped
    game.reset(seed=1)
    rng = random.Random(1)
    while game._match.decision is not None:
        seen = game.observe(game.agent_selection)
        legal = list(game._match.legal_actions())
        chosen = [game._read(number) for number in np.flatnonzero(seen["action_mask"])]
        assert len(chosen) == min(len(legal), len(chosen)) >= 1
        assert set(chosen) <= set(legal)
        others = [agent for agent in game.agents if agent != game.agent_selection]
        assert not any(game.observe(agent)["action_mask"].any() for agent in others)
        game.step(rng.choice(np.flatnonzero(seen["action_mask"])))


def test_a_masked_action_is_refused_and_changes_nothing() -> None:
    game = env("gin").unwrapped
    game.reset(seed=1)
    before = game.observe("seat_0")
    for action in (None, -1, ACTIONS, 55, 0, 256):
        with pytest.raises(BadInput, match="may not be chosen"):
            game.step(action)
    assert all(np.array_equal(before[key], game.observe("seat_0")[key]) for key in before)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(("chess",), UnknownGame), (("gin", 3), BadOptions), (("gin", 2, {"wild": 1}), BadOptions)],
)
def test_a_wrong_game_is_refused(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        env(*arguments)


def test_the_table_in_text() -> None:
    game = env("gin", render_mode="ansi")
    game.reset(seed=1)
    assert "seat_1: " in str(game.render())
    assert env("gin").unwrapped.render() is None


# ---- the arrays


def part(array: Any, name: str) -> Any:
    where, shape = PARTS[name]
    return array[where].reshape(shape)


def test_a_view_is_seen_from_its_seat() -> None:
    match = Match(find_game("one_oh_one"), 4, b"seen")
    view = replace(match.view(2), scores=(1, 2, 3, 4), pile=parse_cards("Ac2d"), known=((), (), (), parse_cards("Kc")))
    melds = (TableMeld(parse_cards("3h4h5h"), (3, 3, 3), 3, True),)
    moves: list[Action] = [Meld(parse_cards("7c7d7h")), LayOff(parse_cards("6h"), 0)]
    array = observed(replace(view, melds=melds), moves)
    cards = part(array, "cards")
    assert list(np.flatnonzero(cards[0])) == list(view.hand)
    assert cards[1][0] == 1
    assert cards[3].sum() == 1
    assert cards[9][12] == 1  # Known of the left neighbour.
    assert list(part(array, "pile")[:3]) == [parse_cards("2d")[0] + 1, 1, 0]
    assert list(part(array, "seats")[:, 2]) == [3, 4, 1, 2, 0, 0]
    assert list(part(array, "melds")[0][:5]) == [2, 2, *[card + 1 for card in parse_cards("3h4h5h")]][:5]
    assert list(part(array, "moves")[0][:4]) == [1, 0, 0, parse_cards("7c")[0] + 1]
    assert list(part(array, "moves")[1][:4]) == [2, 1, 0, parse_cards("6h")[0] + 1]
    assert part(array, "phase").sum() == 1


CHANGED: dict[str, Any] = {
    "phase": None, "seat": 1, "hand": (3,), "hand_sizes": (10, 3), "stock": 4, "pile": (5, 6), "known": ((), (9,)),
    "melds": (TableMeld((1, 2, 3), (0, 0, 0), 0, True),), "scores": (7, 0), "status": (1, 0), "turn": None,
    "dealer": None, "knock_limit": 3, "forbidden": 8, "owed": 8, "closer": 1, "turns": 9, "broken_at": 0, "wild": 1,
    "contract": (0, 1), "whole": True, "renewal": Renewal(0, cards=(4,)), "renewing": True, "to_ask": (1, 0),
    "bought": (0, 1), "losses": (20, 0), "had_laid": True, "laid_off": True, "idle": 1,
}  # fmt: skip


def test_every_part_of_a_view_makes_a_difference() -> None:
    view = Match(find_game("gin"), 2, b"fields").view(0)
    for field in fields(View):
        if field.name in ("game", "seats"):  # Fixed with the environment.
            continue
        value = CHANGED[field.name]
        value = 1 - getattr(view, field.name) if field.name in ("turn", "dealer") else value
        assert not np.array_equal(observed(replace(view, **{field.name: value}), ()), observed(view, ())), field.name


@pytest.mark.parametrize(
    "renewal",
    [Renewal(1), Renewal(0, (4,)), Renewal(0, (), (4,)), Renewal(0, drawn=(0, 1)), Renewal(0, revealed=((), (4,)))],
)
def test_every_part_of_a_renewed_stock_makes_a_difference(renewal: Renewal) -> None:
    view = Match(find_game("gin"), 2, b"fields").view(0)
    assert not np.array_equal(observed(replace(view, renewal=renewal), ()), observed(view, ()))


@pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
def test_arrays_stay_within_their_bounds(table: tuple[str, int]) -> None:
    for match in states(*table, b"bounds", random.Random(1)):
        if match.deal > 1:
            break
        array = observed(match.view(0), ())
        assert ((array >= LOW) & (array <= HIGH)).all()
        assert array.dtype == np.float32
