"""The golden replays. `PYTHONPATH=. python tests/golden/golden_replays.py` records them anew: read the difference."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

from rummy.rules.actions import BigGin, Discard, Drop, GoOut, Knock, LayOff, Meld
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.replay import Recorder

FOLDER = Path(__file__).parent


class Golden(NamedTuple):
    """One replay to be recorded; *forfeit* is the action before which a seat leaves."""

    game: str
    name: str
    seats: int
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed
    forfeit: int | None = None
    max_deals: int | None = None

    @property
    def path(self) -> Path:
        return FOLDER / self.game / f"{self.name}.jsonl"


GOLDEN = (
    Golden("gin", "match", 2),
    Golden("gin", "oklahoma-stock-only", 2, {"oklahoma": True, "after_two_passes": "stock_only"}),
    Golden("gin", "forfeit", 2, forfeit=100),
    Golden("one_oh_one", "two", 2),
    Golden("one_oh_one", "three-void-deal", 3, forfeit=60),
    Golden("one_oh_one", "six", 6),
    Golden("one_oh_one", "four-options", 4, {"over_limit": "void", "tie_penalty": True, "rediscard_ban": False}),
    Golden("one_oh_one", "five-short", 5, max_deals=2),
    Golden("basic", "two", 2),
    Golden("basic", "three-void-deal", 3, forfeit=60),
    Golden("basic", "four-spread", 4, {"pile": "spread", "packs": 2, "jokers": 2, "own_meld_first": True, "deals": 3}),
    Golden("basic", "five-call-rummy", 5, {"call_rummy": True, "ace": "either", "ace_value": 15, "deals": 4}),
    Golden("basic", "six-block-short", 6, {"block": True, "must_discard_out": True}, max_deals=3),
    Golden("club", "two", 2),
    Golden("club", "three-without-variations", 3, {"double_clubs": False, "shared_partials": False}),
    Golden("club", "four-two-packs", 4, {"packs_for_four": 2, "partial_discharges": True, "ace": "corner"}),
    Golden("club", "five-void-deal", 5, forfeit=100),
    Golden("club", "six-short", 6, max_deals=3),
    Golden("indian13", "two", 2),
    Golden("indian13", "three-void-deal", 3, forfeit=60),
    Golden("indian13", "four-pool", 4, {"scoring": "pool", "turn_cap": 20}),
    Golden("indian13", "five-reading-b", 5, {"without_second": "all", "rediscard_ban": False, "cap": 60, "rounds": 1}),
    Golden("indian13", "six-short", 6, max_deals=3),
    Golden("contract", "two", 2, {"two_seats": True}),
    Golden("contract", "three", 3),
    Golden("contract", "four-void-deal-buying", 4, {"buying": True}, forfeit=60, max_deals=3),
    Golden("contract", "five-two-packs-short", 5, {"cards": [7, 10, 10, 10, 12, 12, 14], "packs": "two"}, max_deals=2),
    Golden("contract", "six-small", 6, {"contracts": [[1, 0], [0, 1]], "cards": [4, 3], "packs": "two"}),
    Golden("rummy500", "two", 2),
    Golden("rummy500", "two-thirteen-jokers", 2, {"cards_for_two": 13, "jokers": 2, "target": 200}),
    Golden("rummy500", "three-void-deal", 3, forfeit=100),
    Golden("rummy500", "four-jokers", 4, {"jokers": 4, "deal_cap": 3}),
    Golden("rummy500", "five", 5),
    Golden("rummy500", "six-short", 6, max_deals=2),
)


def recorded(golden: Golden) -> bytes:
    """The replay of a match between seats that knock and meld often, and now and then answer late."""
    rng = random.Random(golden.name)
    match = Match(find_game(golden.game, golden.options), golden.seats, golden.name.encode(), golden.max_deals)
    recorder = Recorder({"bots": [f"Golden {seat}" for seat in range(golden.seats)], "leg": 0}, match)
    while match.decision is not None:
        if match.actions == golden.forfeit and not any(match.forfeits):
            match.forfeit(match.active[0], "disconnected")
            recorder.forfeit(0, "disconnected", "It was gone for longer than its grace.")
            continue
        _step(match, recorder, rng)
    return recorder.finish()


def _step(match: Match, recorder: Recorder, rng: random.Random) -> None:
    assert match.decision is not None
    seat = match.decision.seat
    fault = "timeout" if rng.random() < 0.01 else None
    legal = match.legal_actions()
    strong = [action for action in legal if isinstance(action, Knock | BigGin | Meld | LayOff | GoOut)]
    action = match.default_action()
    if fault is None and strong and rng.random() < 0.7:
        action = rng.choice(strong)
    elif fault is None and rng.random() < 0.3:
        action = rng.choice(legal)
    if isinstance(action, Drop) and rng.random() < 0.9:
        action = match.default_action()
    if fault is None and match.game.spec.key == "indian13" and isinstance(legal[0], Discard) and rng.random() < 0.02:
        left = match.view(seat).hand[1:]
        action = Knock(legal[0].card, tuple([(card,) for card in left]))  # A wrong show.
    match.apply(action)
    recorder.action(seat, action, took_us=rng.randrange(100, 5000), wait_us=rng.randrange(2) * 50, fault=fault)


if __name__ == "__main__":
    for golden in GOLDEN:
        golden.path.parent.mkdir(exist_ok=True)
        golden.path.write_bytes(recorded(golden))
