"""The bytes that a seat is sent do not depend on a card that it cannot see, rejections and sizes of messages included.

Two tables play the same script. Now and then the cards that one seat cannot see are dealt anew at the second table;
from then on both must send that seat the same bytes, until a card that differs becomes visible. Then the second table
is made like the first again, and so on through whole matches, with what the seat is told at a new stream as well.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from tables import OPTION_SETS, TABLES, accepts, cards_in, eager, odd_actions
from test_hidden import lays_open

from arbiter.clock import Terms
from arbiter.directory import LaneKey
from arbiter.lane import Lane
from arbiter.metrics import Counts
from arbiter.referee import Policy, Referee
from rummy.rules.game import Event, EventKind
from rummy.rules.games import GAMES, find_game, options_json
from rummy.rules.match import Match
from rummy.rules.replay import Recorder
from rummy.rules.sample import sample
from rummy.wire import codec
from rummy.wire.codec import Greeting
from rummy.wire.encoder import answer_part

ORDINARY, LONG = 40, 1_500  # Deals a game: 10,500 of all games.


class Ear:
    """Stands at the end of a lane in place of a stream, and keeps every byte."""

    def __init__(self) -> None:
        self.heard = b""

    def push(self, item: bytes) -> None:
        """What is sent."""
        self.heard += item

    def release(self) -> None:
        """The bot has answered; nothing was held."""

    def close(self, last: bytes = b"", error: Exception | None = None) -> None:
        """The stream is taken over."""
        self.heard += last


class Table:
    """A referee with a lane a seat."""

    def __init__(self, key: str, seats: int, options: dict[str, Any], seed: bytes) -> None:
        game = find_game(key, options)
        self.match = Match(game, seats, seed, max_deals=4)
        self.lanes = [Lane(LaneKey(seat + 1, 0), f"bot {seat}", hosted=False, now=lambda: 1.0) for seat in range(seats)]
        for seat in range(seats):
            self.listen(seat)
        self._referee = Referee(
            7, self.match, Recorder({"leg": 0, "bots": [lane.name for lane in self.lanes]}, self.match), self.lanes,
            Terms(1000, 0), Policy(strikes=1_000_000), options_json(game), list(range(seats)), Counts(),
        )  # fmt: skip
        self._referee.begin()

    def listen(self, seat: int) -> None:
        """A new stream of that seat, which is told everything; seats with odd numbers hear of events at once."""
        self.lanes[seat].attach(Ear(), Greeting("", push_events=bool(seat % 2)), 9)  # type: ignore[arg-type]

    def heard(self, seat: int) -> bytes:
        """All that was sent on the seat's stream."""
        ear: Any = self.lanes[seat].connection
        return bytes(ear.heard)

    def answer(self, action: Any) -> None:
        """The open decision is answered with *action*, as bytes."""
        assert self.match.decision is not None
        lane = self.lanes[self.match.decision.seat]
        asked = lane.chairs[7].open
        assert asked is not None
        lane.sent(1.0)
        lane.answer(codec.read_answers(answer_part(7, asked.number, [action])))

    def be_like(self, other: Table) -> None:
        """Makes the hidden cards those of *other*, which has had the same script."""
        self.match.events[:] = other.match.events
        self.match._state = other.match._state.copy()
        self.match._state.events = self.match.events

    def hide(self, seat: int, rng: random.Random) -> None:
        """Deals anew what *seat* cannot see."""
        self.match._state = sample(self.match.game, self.match.view(seat), rng)
        self.match._state.events = self.match.events


def shows(table: Table, twin: Table, action: Any, seat: int) -> bool:
    """Whether by *action* a card that differs becomes visible to *seat*: hands are shown, or it draws another one."""
    here, there = (accepts(each.match.game, each.match._state, action) for each in (table, twin))
    if isinstance(here, str) or isinstance(there, str):
        return here != there
    drawn, other = ([event.cards for event in events if own_draw(event, seat)] for events in (here[1], there[1]))
    return drawn != other or lays_open(here[1]) or table.match.game.decision(here[0]) is None


def own_draw(event: Event, seat: int) -> bool:
    return event.kind is EventKind.DRAW_STOCK and event.seat == seat


def odd(match: Match, rng: random.Random) -> Any:
    """Something that the seat may not do, as far as it has a form on the wire."""
    assert match.decision is not None
    held = cards_in(match._state.hands[match.decision.seat])
    for action in rng.sample(odd_actions(held, 1, rng), 6):
        try:
            answer_part(7, 1, [action])
        except (ValueError, TypeError, AttributeError):
            continue
        if isinstance(accepts(match.game, match._state, action), str):
            return action
    return None


def follow(table: Table, twin: Table, seat: int, rng: random.Random, count: Counter[str]) -> None:
    """Plays both to the end of the match."""
    count["deals"] += 1
    deal, apart = 0, False
    while (decision := table.match.decision) is not None:
        if table.match.deal != deal:
            deal, apart = table.match.deal, False
            count["deals"] += 1
        if not apart and seat in table.match.active and rng.random() < 0.3:
            twin.hide(seat, rng)
            for each in (table, twin):
                each.listen(seat)
            apart = True
            count["hidden"] += 1
        bad = odd(table.match, rng) if decision.seat == seat and rng.random() < 0.1 else None
        action = table.match.default_action() if bad is not None else eager(table.match, rng)
        if apart and shows(table, twin, action, seat):
            twin.be_like(table)
            apart = False
        for each in (table, twin):
            each.answer(action if bad is None else bad)
        assert table.heard(seat) == twin.heard(seat)
        count["compared"] += apart
        count["rejected"] += bad is not None and apart
    assert twin.match.result == table.match.result


def play(key: str, deals: int) -> Counter[str]:
    """As many deals of game *key*, at all its tables and with all its options."""
    count: Counter[str] = Counter()
    tables = [seats for game, seats in TABLES if game == key]
    sets = OPTION_SETS.get(key, [{}])
    number = 0
    while count["deals"] < deals:
        seats, options = tables[number % len(tables)], sets[number % len(sets)]
        rng = random.Random(f"{key} {number}")
        seed = number.to_bytes(4, "big")
        if find_game(key, options).spec.min_seats <= seats:
            table, twin = (Table(key, seats, options, seed) for _ in range(2))
            follow(table, twin, rng.randrange(seats), rng, count)
        number += 1
    return count


@pytest.mark.parametrize("key", sorted(GAMES))
async def test_the_stream_of_a_seat_does_not_tell_hidden_cards(key: str) -> None:
    count = play(key, ORDINARY)
    assert count["hidden"] >= ORDINARY and count["compared"] >= 5 * ORDINARY and count["rejected"] >= 5, count


@pytest.mark.long
@pytest.mark.parametrize("key", sorted(GAMES))
async def test_the_streams_of_ten_thousand_deals_of_all_games_do_not_tell_hidden_cards(key: str) -> None:
    count = play(key, LONG)
    print(key, dict(count))
    assert count["compared"] >= 5 * LONG
