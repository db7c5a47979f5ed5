"""What the rulebook's pages say an option may be is what it may be: the edges, and a refusal just beyond them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rummy.errors import BadOptions
from rummy.rules.games import GAMES, find_game

PAGES = Path(__file__).parents[3] / "docs/rulebook"
NUMBER = re.compile(r"^\| `(\w+)` \| \d+ \| (\d+) to (\d+)\b", re.MULTILINE)
NUMBERS = re.compile(r"^\| `(\w+)` \| \d+ \| (\d+(?:, \d+)+) \|", re.MULTILINE)
CHOICE = re.compile(r'^\| `(\w+)` \| [`"]\w+[`"] \| ((?:[`"]\w+[`"](?: \([^)]*\))?(?:, )?)+)', re.MULTILINE)
FLAG = re.compile(r"^\| `(\w+)` \| (?:true|false) \| ", re.MULTILINE)
# What an option needs beside it.
WITH: dict[tuple[str, str], dict[str, object]] = {
    ("indian13", "target"): {"scoring": "pool"},
    ("contract", "max_buys"): {"buying": True},
}


def rows(pattern: re.Pattern[str]) -> list[tuple[str, ...]]:
    """By game, what *pattern* finds on its page."""
    found: list[tuple[str, ...]] = []
    for key in GAMES:
        for row in pattern.findall((PAGES / f"{key}.md").read_text(encoding="utf-8")):
            found.append((key, row) if isinstance(row, str) else (key, *row))
    return found


@pytest.mark.parametrize(("key", "name", "least", "most"), rows(NUMBER))
def test_a_number_goes_as_far_as_its_page_says(key: str, name: str, least: str, most: str) -> None:
    beside = WITH.get((key, name), {})
    for edge in (int(least), int(most)):
        assert getattr(find_game(key, {**beside, name: edge}), name) == edge
    for beyond in (int(least) - 1, int(most) + 1, True, str(least)):
        with pytest.raises(BadOptions, match=rf"The option {name} is a whole number from {least} to {most}, not "):
            find_game(key, {**beside, name: beyond})


@pytest.mark.parametrize(("key", "name", "choices"), rows(CHOICE))
def test_a_choice_is_one_of_those_on_its_page(key: str, name: str, choices: str) -> None:
    words = re.findall(r'[`"](\w+)[`"]', choices)
    for word in words:
        assert getattr(find_game(key, {name: word}), name) == word
    for other in ("nonsense", words[0].upper(), None, 1):
        with pytest.raises(BadOptions, match=rf"The option {name} is one of {', '.join(words)}, not "):
            find_game(key, {name: other})


@pytest.mark.parametrize(("key", "name"), rows(FLAG))
def test_a_flag_is_true_or_false(key: str, name: str) -> None:
    for other in (0, 1, "true", None):
        with pytest.raises(BadOptions, match=rf"The option {name} is true or false, not "):
            find_game(key, {name: other})


@pytest.mark.parametrize(("key", "name", "numbers"), rows(NUMBERS))
def test_a_number_is_one_of_those_on_its_page(key: str, name: str, numbers: str) -> None:
    some = [int(number) for number in numbers.split(", ")]
    for number in some:
        assert getattr(find_game(key, {name: number}), name) == number
    for other in (min(some) - 1, max(some) + 1, True, str(some[0])):
        with pytest.raises(BadOptions, match=rf"The option {name} is (a whole number from )?{some[0]}.*, not "):
            find_game(key, {name: other})


def test_so_many_deals_are_no_more_than_the_cap_bas_9_4() -> None:
    for options in ({"deals": 60}, {"deals": 1000, "deal_cap": 1000}):
        assert getattr(find_game("basic", options), "deals") == options["deals"]  # noqa: B009
    with pytest.raises(BadOptions, match="asks for more than the 60 that deal_cap allows"):
        find_game("basic", {"deals": 61})
    for beyond in (-1, 1001):
        with pytest.raises(BadOptions, match="The option deals is a whole number from 0 to 1000, not "):
            find_game("basic", {"deals": beyond})


def test_jokers_and_a_second_pack_make_room_for_cards_up_to_26_bas_2_2() -> None:
    for options in ({"jokers": 4, "cards": [26, 18, 13, 10, 9]}, {"packs": 2, "cards": [26, 26, 25, 20, 17]}):
        find_game("basic", options)
    for options in ({"jokers": 4, "cards": [26, 18, 13, 10, 10]}, {"packs": 2, "cards": [27, 26, 25, 20, 17]}):
        with pytest.raises(BadOptions, match=r"The option cards \(for [26] seats, with so large a pack\) is a whole"):
            find_game("basic", options)


def test_one_to_fourteen_contracts_and_hands_of_one_less_than_each_needs_to_sixteen_con_2() -> None:
    for count in (1, 14):
        assert getattr(find_game("contract", {"contracts": [[2, 0]] * count, "cards": [5] * count}), "cards")  # noqa: B009
    for count in (0, 15):
        with pytest.raises(BadOptions, match="The option contracts is a list of 1 to 14 pairs"):
            find_game("contract", {"contracts": [[2, 0]] * count, "cards": [5] * count})
    for pair, least in (([1, 0], 3), ([0, 1], 3), ([2, 0], 5), ([0, 2], 7), ([4, 1], 15)):
        for cards in (least, 16):
            find_game("contract", {"contracts": [pair], "cards": [cards]})
        for cards in (least - 1, 17):
            match = rf"The option cards \(for that contract\) is a whole number from {least} to 16, not {cards}"
            with pytest.raises(BadOptions, match=match):
                find_game("contract", {"contracts": [pair], "cards": [cards]})


def test_the_packs_hold_a_hand_for_every_seat_an_upcard_and_a_stock_card_bas_2_2() -> None:
    """With one pack 25 cards for two seats, 16 for three, and so on: two of the 52 are left."""
    fits = [25, 16, 12, 10, 8]
    assert getattr(find_game("basic", {"cards": fits}), "cards") == tuple(fits)  # noqa: B009
    for at, seats in enumerate(range(2, 7)):
        beyond = [count + (number == at) for number, count in enumerate(fits)]
        with pytest.raises(BadOptions, match=rf"for {seats} seats, with so large a pack\) is a whole number from 3 "):
            find_game("basic", {"cards": beyond})


def test_the_pages_tell_of_options() -> None:
    assert len(rows(NUMBER)) > 35
    assert [row[1] for row in rows(NUMBERS)] == ["packs", "ace_value", "packs_for_four"]
    assert len(rows(CHOICE)) > 6
    assert len(rows(FLAG)) > 15
