"""The positions of a replay, for every game."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from season import careless, collect, draw_and_knock, play_match

from api.frames import film
from api.schemas import Frame
from rummy.errors import ReplayMismatch
from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match
from rummy.rules.replay import Reader, Recorder

STYLES = (draw_and_knock, collect, careless)
TABLES = [(key, seats) for key, game in GAMES.items() for seats in {game.spec.min_seats, min(game.spec.max_seats, 3)}]


def replay(key: str, seats: int, number: int = 0) -> bytes:
    return play_match(GAMES[key](), bytes([number, 7]), STYLES[:seats])


def cards_of(frame: Frame) -> list[int]:
    shown = [*frame.hands, frame.pile, frame.aside, *(meld.cards for meld in frame.melds)]
    return sorted(card for cards in shown for card in parse_cards(cards))


@pytest.mark.parametrize(("key", "seats"), TABLES)
@pytest.mark.parametrize("number", range(3))
def test_no_card_is_lost_or_doubled(key: str, seats: int, number: int) -> None:
    whole = film(replay(key, seats, number))
    pack = Counter(find_game(key).deck(seats))
    for frames in whole.frames:
        for frame in frames:
            cards = cards_of(frame)
            assert not Counter(cards) - pack and len(cards) + frame.stock == pack.total()


@pytest.mark.parametrize(("key", "seats"), TABLES)
def test_positions_are_those_of_the_match(key: str, seats: int) -> None:
    data = replay(key, seats)
    whole = film(data)
    reader = Reader(data)
    deal, step = 0, 0
    for _ in reader.play():
        step += 1
        if reader.match.deal != deal or reader.match.result:
            assert step == len(whole.frames[deal]) - 1
            deal, step = deal + 1, 0
            continue
        frame = whole.frames[deal][step]
        assert frame.hands == [cards_text(reader.match.view(seat).hand) for seat in range(seats)]
        assert frame.pile == cards_text(reader.match.view(None).pile)
        assert reader.match.decision is not None and frame.turn == reader.match.decision.seat


@pytest.mark.parametrize(("key", "seats"), TABLES)
def test_deals_have_the_points_that_were_scored(key: str, seats: int) -> None:
    data = replay(key, seats)
    reader = Reader(data)
    reader.check()
    ends = [event for event in reader.match.events if event.kind is EventKind.DEAL_END]
    assert [(tuple(deal.points), deal.reason) for deal in film(data).deals] == [(e.points, e.reason) for e in ends]


def test_a_forfeit_is_a_step_of_its_own() -> None:
    match = Match(GAMES["one_oh_one"](), 3, b"seed")
    recorder = Recorder({}, match)
    match.forfeit(1, "crashed")
    recorder.forfeit(1, "crashed", "the process ended with status 1")
    match.forfeit(2, "timeout")
    recorder.forfeit(2, "timeout", "three answers too late")
    whole = film(recorder.finish())
    assert [frames[-1].text for frames in whole.frames] == ["leaves the match: crashed", "leaves the match: timeout"]
    assert [deal.reason for deal in whole.deals] == ["void", "void"]


def test_a_strike_is_marked() -> None:
    match = Match(GAMES["one_oh_one"](), 2, b"seed", max_deals=1)
    recorder = Recorder({}, match)
    while match.decision is not None:
        seat, action = match.decision.seat, match.default_action()
        match.apply(action)
        recorder.action(seat, action, took_us=1, fault="timeout" if match.actions == 1 else None)
    frames = film(recorder.finish()).frames[0]
    assert [frame.fault for frame in frames[:3]] == [None, "timeout", None]


def test_an_altered_replay_is_refused() -> None:
    data = replay("gin", 2)
    with pytest.raises(ReplayMismatch):
        film(data.replace(b'"act":"S"', b'"act":"P1"', 1))


@pytest.mark.parametrize("name", ["five-call-rummy", "four-spread"])
def test_a_deal_ends_with_the_table_as_it_was_laid(name: str) -> None:
    data = (Path(__file__).parents[1] / f"golden/basic/{name}.jsonl").read_bytes()
    for frames in film(data).frames:
        laid: list[str] = []
        for frame in frames:
            now = [meld.cards for meld in frame.melds]
            assert len(now) >= len(laid)
            assert all(before in after or set_like(after) for before, after in zip(laid, now, strict=False))
            laid = now
        assert frames[-1].turn is None


def set_like(meld: str) -> bool:
    """Whether the natural cards of *meld* have one rank."""
    return len({meld[at] for at in range(0, len(meld), 2)} - {"X"}) == 1


GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def words_of(game: str) -> list[str]:
    """What the frames of all golden replays of a game say."""
    replays = sorted((GOLDEN / game).glob("*.jsonl"))
    return [frame.text for path in replays for frames in film(path.read_bytes()).frames for frame in frames]


def test_a_deal_opens_with_what_is_particular_to_it() -> None:
    assert {text for text in words_of("gin") if text.startswith("The cards")} == {"The cards are dealt."}
    contracts = [text for text in words_of("contract") if text.startswith("The cards")]
    assert "The cards are dealt. The contract: 2 sets." in contracts
    assert "The cards are dealt. The contract: 1 set and 2 runs." in contracts
    cut = [text for text in words_of("indian13") if text.startswith("The cards")]
    assert all(
        re.fullmatch(r"The cards are dealt. Cut for the wild rank: (\w+[♣♦♥♠]|a joker, so aces .*)\.", each)
        for each in cut
    )


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("basic", r"calls rummy and lays off \w+.; for that its discarder (draws|takes) .+"),
        ("contract", r"takes the offered \w+. and \w+. from the stock"),
        ("indian13", r"declares, discarding \S+: .+; nothing left over"),
        ("indian13", r"shuffles the pile into a new stock and draws \S+ from the stock"),
        ("contract", r"shuffles the pile into a new stock and draws \S+ from the stock"),
        ("club", r"shuffles the pile into a new stock and draws \S+ from the stock"),
        ("basic", r"turns the pile over"),
    ],
)
def test_what_only_one_game_has_is_said_in_its_own_words(game: str, words: str) -> None:
    assert any(re.fullmatch(words, text) for text in words_of(game))


def test_nobody_knocks_in_indian_rummy() -> None:
    assert not [text for text in words_of("indian13") if "knocks" in text]
