"""The sample bots over the registry: every game has its bots, and none of them ever earns a strike."""

from __future__ import annotations

from pathlib import Path

import pytest

from rummy.cli.contest import SAMPLES, Bot
from rummy.cli.in_process import load
from rummy.manifest import FILE, read_manifest
from rummy.rules.game import seats_of
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match
from rummy.rules.shuffle import bot_seed
from rummy.wire.question import LocalQuestion

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "sample-bots.md"


def bots() -> list[Bot]:
    folders = sorted(path.parent for path in SAMPLES.glob(f"*/{FILE}"))
    return [Bot(folder.name, folder, read_manifest((folder / FILE).read_bytes())) for folder in folders]


BOTS = {bot.name: bot for bot in bots()}


def tables() -> list[tuple[str, str, int]]:
    """Each sample bot in each game that it declares, with the fewest seats and with the most."""
    played = [(name, key) for name, bot in BOTS.items() for key in bot.manifest.games]
    return [(name, key, seats) for name, key in played for seats in sorted(set(seats_of(find_game(key))))]


def play(bot: Bot, key: str, seats: int, deals: int | None, seed: bytes = b"sample bots".ljust(32)) -> Match:
    """A match of *bot* against itself. Raises `IllegalAction` for what would be a strike."""
    match = Match(find_game(key), seats, seed, max_deals=deals)
    choose, told = [load(bot) for _ in range(seats)], [0] * seats
    while match.decision is not None:
        seat = match.decision.seat
        chosen = choose[seat](LocalQuestion(0, match, bot_seed(seed, 0, seat), told[seat]))
        told[seat] = len(match.events)
        for action in chosen if isinstance(chosen, list | tuple) else (chosen,):
            if match.decision is None or match.decision.seat != seat:
                break
            match.apply(action)
    return match


@pytest.mark.parametrize(("name", "key", "seats"), tables())
def test_a_deal_without_a_strike(name: str, key: str, seats: int) -> None:
    result = play(BOTS[name], key, seats, deals=1).result
    assert result is not None and result.deals == 1 and result.forfeits == (None,) * seats


@pytest.mark.long
@pytest.mark.parametrize(("name", "key", "seats"), tables())
def test_a_match_without_a_strike(name: str, key: str, seats: int) -> None:
    result = play(BOTS[name], key, seats, deals=None).result
    assert result is not None and result.reason != "short match" and result.forfeits == (None,) * seats


def test_every_bot_but_the_searching_one_plays_every_game() -> None:
    for name, bot in BOTS.items():
        if name != "montecarlo":
            assert set(bot.manifest.games) == set(GAMES), name


def rows() -> list[list[str]]:
    """The cells of the page's table of figures: game, bots, seats, matches, score, error, seed and options."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]


def test_the_page_has_figures_for_every_bot_in_every_game_it_declares() -> None:
    told = {(row[0], bot) for row in rows() for bot in row[1].split()}
    declared = {(key, name) for name, bot in BOTS.items() for key in bot.manifest.games}
    assert {key for key, _ in told} == set(GAMES)
    assert told == declared
