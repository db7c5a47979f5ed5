"""Replays: what was played comes out the same, and what was not is refused with its place."""

from __future__ import annotations

import json
import random
from hashlib import sha256

import pytest

from rummy.errors import BadInput, ReplayMismatch
from rummy.rules import canonical
from rummy.rules.cards import TEXTS
from rummy.rules.game import Event, EventKind, Phase
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.narrate import sentence
from rummy.rules.notation import action_text, parse_action
from rummy.rules.replay import MAX_BYTES, MAX_LINE, MAX_LINES, Recorder, seat_names, steps, verify

HEADER = {"bots": ["Anna", "Bert <b>", "Čeněk 🂡"], "leg": 0, "fixture": "7/3"}


def recorded(key: str = "one_oh_one", seats: int = 3, *, forfeit: int | None = None, strikes: bool = False) -> bytes:
    """A random match on record, with strikes and a forfeit where they are wanted."""
    rng = random.Random(seats)
    match = Match(find_game(key), seats, b"seed of the replay tests")
    recorder = Recorder({**HEADER, "bots": list(HEADER["bots"])[:seats]}, match)  # type: ignore[call-overload]
    while match.decision is not None:
        seat = match.decision.seat
        if match.actions == forfeit:
            forfeit = None
            match.forfeit(seat, "timeout")
            recorder.forfeit(seat, "timeout", "No answer for 10 s – “gone”.")
            continue
        fault = "illegal" if strikes and match.actions % 20 == 7 else None
        action = match.default_action() if fault else rng.choice(match.legal_actions())
        match.apply(action)
        recorder.action(seat, action, took_us=rng.randrange(5000), wait_us=rng.randrange(2), fault=fault)
    return recorder.finish()


REPLAY = recorded()
LINES = REPLAY.splitlines()


def rebuilt(lines: list[bytes]) -> bytes:
    """The lines with a footer whose digest fits them again."""
    head = b"".join(line + b"\n" for line in lines[:-1])
    footer = json.loads(lines[-1])
    footer["digest"] = sha256(head).hexdigest()
    return head + canonical.dumps(footer) + b"\n"


def changed(number: int, **values: object) -> list[bytes]:
    """The lines with some values of one of them changed."""
    lines = list(LINES)
    lines[number] = canonical.dumps({**json.loads(lines[number]), **values})
    return lines


@pytest.mark.parametrize(("key", "seats"), [("gin", 2), ("one_oh_one", 2), ("one_oh_one", 3)])
def test_what_was_played_verifies(key: str, seats: int) -> None:
    data = recorded(key, seats)
    found = verify(data)
    footer = json.loads(data.splitlines()[-1])
    assert found.header["game"] == key
    assert list(found.result.placements) == footer["placements"]
    assert found.digest == footer["digest"]
    assert found.actions == footer["actions"] == len(data.splitlines()) - 2


def test_strikes_and_forfeits_replay() -> None:
    data = recorded(forfeit=30, strikes=True)
    found = verify(data)
    assert found.result.forfeits.count("timeout") == 1
    assert sum(found.strikes) > 3
    assert found.result.reason != "forfeit"
    assert b'"reason":"void"' in data


def test_a_forfeit_ends_a_match_of_two() -> None:
    found = verify(recorded("gin", 2, forfeit=9))
    assert found.result.reason == "forfeit"
    assert found.actions == 9


def test_each_line_has_the_canonical_spelling() -> None:
    for data in (REPLAY, recorded(forfeit=30, strikes=True)):
        for line in data.splitlines():
            assert canonical.dumps(json.loads(line)) == line


def test_every_line_matters() -> None:
    for number in range(len(LINES)):
        with pytest.raises(ReplayMismatch):
            verify(b"\n".join(LINES[:number] + LINES[number + 1 :]) + b"\n")


def test_every_byte_matters() -> None:
    rng = random.Random(5)
    for _ in range(300):
        at = rng.randrange(len(REPLAY))
        other = bytes([rng.choice([byte for byte in range(256) if byte != REPLAY[at]])])
        with pytest.raises(ReplayMismatch):
            verify(REPLAY[:at] + other + REPLAY[at + 1 :])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_replay_cut_short_is_refused(share: float) -> None:
    with pytest.raises(ReplayMismatch):
        verify(REPLAY[: int(len(REPLAY) * share)])
    with pytest.raises(ReplayMismatch, match="cut short"):
        verify(REPLAY[:-1])
    with pytest.raises(ReplayMismatch, match=r"in play|cannot be read|footer"):
        verify(b"\n".join(LINES[: max(2, int(len(LINES) * share))]) + b"\n")


def test_another_draw_is_found_even_with_a_new_digest() -> None:
    # Another discard may lead to the same end, which is then another true match; another draw moves the whole stock.
    rng = random.Random(3)
    match = Match(find_game("one_oh_one"), 3, b"seed of the replay tests")
    checked = 0
    for number, line in enumerate(LINES[1:-1]):
        action = json.loads(line)["act"]
        assert match.decision is not None
        others = [text for each in match.legal_actions() if (text := action_text(each)) != action]
        if others and action in "S P1" and number % 3 == 0:
            with pytest.raises(ReplayMismatch) as refusal:
                verify(rebuilt(changed(number + 1, act=rng.choice(others))))
            assert refusal.value.ply is None or refusal.value.ply >= number
            checked += 1
        match.apply(next(each for each in match.legal_actions() if action_text(each) == action))
    assert checked > 5


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"act": "D:Zz"}, "is no card"),
        ({"act": "X"}, "is no action"),
        ({"act": 5}, "text"),
        ({"act": "P1"}, "pile is empty"),
        ({"act": "N"}, "begins with a draw"),
        ({"seat": 5}, "should read"),
        ({"deal": 1}, "should read"),
        ({"ply": True}, "should read"),
        ({"us": -1}, "clock reading"),
        ({"us": 1.5}, "clock reading"),
        ({"us": "5"}, "clock reading"),
        ({"us": 1 << 60}, "clock reading"),
        ({"wait": False}, "clock reading"),
        ({"fault": "Timeout!"}, "small letters"),
        ({"fault": 7}, "small letters"),
        ({"more": 1}, "should read"),
        ({"forfeit": "timeout"}, "reason"),
        ({"forfeit": ["timeout"], "reason": ""}, "small letters"),
    ],
)
def test_a_line_that_the_recorder_would_not_write_is_refused(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(ReplayMismatch, match=sentence) as refusal:
        verify(rebuilt(changed(1, **values)))
    assert refusal.value.ply == 0
    assert "Line 2" in str(refusal.value)


def test_a_fault_must_stand_for_the_default_action() -> None:
    match = Match(find_game("one_oh_one"), 3, b"seed of the replay tests")
    number = 0
    while json.loads(LINES[number + 1])["act"] == action_text(match.default_action()):
        match.apply(match.default_action())
        number += 1
    with pytest.raises(ReplayMismatch, match="not the default action") as refusal:
        verify(rebuilt(changed(number + 1, fault="timeout")))
    assert refusal.value.ply == number


def test_a_strike_that_was_added_is_found_in_the_footer() -> None:
    match = Match(find_game("one_oh_one"), 3, b"seed of the replay tests")
    number = next(
        number
        for number, line in enumerate(LINES[1:-1])
        if _apply(match, json.loads(line)["act"]) == json.loads(line)["act"]
    )
    with pytest.raises(ReplayMismatch, match="strikes"):
        verify(rebuilt(changed(number + 1, fault="timeout")))


def _apply(match: Match, text: str) -> str:
    """Plays *text*, and gives back what the default would have been."""
    default = action_text(match.default_action())
    match.apply(next(each for each in match.legal_actions() if action_text(each) == text))
    return default


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"us": 1}, "digest differs"),
        ({"wait": 77}, "digest differs"),
    ],
)
def test_a_clock_reading_is_protected_by_the_digest(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(ReplayMismatch, match=sentence):
        verify(b"\n".join(changed(1, **{"us": 1, **values})) + b"\n")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"leg": 1}, "digest differs"),
        ({"bots": ["Anna", "Bert", "Zoe"]}, "digest differs"),
        ({"version": 2}, "no replay of the format"),
        ({"format": "x"}, "no replay of the format"),
        ({"version": True}, "canonical"),
        ({"game": "bridge"}, "no game"),
        ({"game": None}, "no game"),
        ({"options": {"colour": 1}}, "no option"),
        ({"options": {"target": 0}}, "target"),
        ({"options": [1]}, "Options"),
        ({"options": {"target": 101}}, "options"),
        ({"rules_version": 99}, "rules_version"),
        ({"seats": 7}, "seats"),
        ({"seats": "3"}, "seats"),
        ({"seed": "zz"}, "header cannot be played"),
        ({"seed": ""}, "seed"),
        ({"seed": "AB"}, "seed"),
        ({"seed": 5}, "header cannot be played"),
        ({"max_deals": 0}, "at least 1 deal"),
        ({"max_deals": None}, "canonical|digest"),
    ],
)
def test_an_altered_header_is_refused(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(ReplayMismatch, match=sentence) as refusal:
        verify(b"\n".join(changed(0, **values)) + b"\n")
    assert refusal.value.ply is None


@pytest.mark.parametrize(
    ("key", "sentence"),
    [("game", "There is no game ''"), ("seats", "2 to 6 seats, not 0"), ("seed", "cannot be played")],
)
def test_a_header_that_lacks_what_a_match_needs_is_refused(key: str, sentence: str) -> None:
    header = {name: value for name, value in json.loads(LINES[0]).items() if name != key}
    with pytest.raises(ReplayMismatch, match=sentence):
        verify(b"\n".join([canonical.dumps(header), *LINES[1:]]) + b"\n")


def test_a_short_match_says_so_in_its_header() -> None:
    match = Match(find_game("one_oh_one"), 2, b"seed", max_deals=1)
    recorder = Recorder({}, match)
    while match.decision is not None:
        seat, action = match.decision.seat, match.default_action()
        match.apply(action)
        recorder.action(seat, action, took_us=1)
    data = recorder.finish()
    assert json.loads(data.splitlines()[0])["max_deals"] == 1
    assert verify(data).result.deals == 1
    with pytest.raises(BadInput, match="max_deals 2"):
        Recorder({"max_deals": 2}, match)


def test_a_replay_is_as_large_as_the_limits_at_most() -> None:
    for data in (b"x" * MAX_BYTES, b"{}\n" * MAX_LINES, b"{}" + b" " * (MAX_LINE - 2) + b"\n{}\n"):
        with pytest.raises(ReplayMismatch, match=r"cut short|no replay of the format"):
            verify(data)
    with pytest.raises(ReplayMismatch, match=f"at most {MAX_BYTES} bytes"):
        verify(b"x" * (MAX_BYTES + 1))
    with pytest.raises(ReplayMismatch, match=f"at most {MAX_LINES} lines"):
        verify(b"{}\n" * (MAX_LINES + 1))
    with pytest.raises(ReplayMismatch, match=f"longer than {MAX_LINE} bytes"):
        verify(b"{}" + b" " * (MAX_LINE - 1) + b"\n{}\n")


@pytest.mark.parametrize(
    ("number", "start", "ply"),
    [(0, "The header cannot", None), (2, "Line 3 of the replay cannot", 1), (-1, "The footer cannot", None)],
)
def test_a_line_that_cannot_be_read_is_named(number: int, start: str, ply: int | None) -> None:
    lines = list(LINES)
    lines[number] = b"{"
    with pytest.raises(ReplayMismatch) as refusal:
        verify(b"\n".join(lines) + b"\n")
    assert str(refusal.value).startswith(start)
    assert refusal.value.ply == ply


def test_a_line_without_an_action_is_refused() -> None:
    record = {key: value for key, value in json.loads(LINES[1]).items() if key != "act"}
    with pytest.raises(ReplayMismatch, match="'' is no action"):
        verify(rebuilt([LINES[0], canonical.dumps(record), *LINES[2:]]))


def test_clock_readings_are_as_long_as_every_reader_of_json_can_hold() -> None:
    match = Match(find_game("one_oh_one"), 2, b"seed", max_deals=1)
    recorder = Recorder({}, match)
    readings: list[dict[str, int]] = [
        {"took_us": 1 << 53, "wait_us": 0},
        {"took_us": 0, "wait_us": 1 << 53},
        {"took_us": 7},
    ]
    for reading in readings:
        assert match.decision is not None
        seat, action = match.decision.seat, match.default_action()
        match.apply(action)
        recorder.action(seat, action, **reading)  # type: ignore[arg-type]
    match.forfeit(0, "timeout")
    recorder.forfeit(0, "timeout", "y" * 501)
    data = recorder.finish()
    records = [json.loads(line) for line in data.splitlines()[1:-1]]
    assert [(record.get("us"), record.get("wait")) for record in records[:3]] == [
        (1 << 53, None), (0, 1 << 53), (7, None),
    ]  # fmt: skip
    assert records[3] == {"deal": 0, "forfeit": "timeout", "ply": 3, "reason": "y" * 500, "seat": 0}
    verify(data)
    for number, values in ((1, {"us": (1 << 53) + 1}), (2, {"wait": (1 << 53) + 1}), (4, {"reason": "y" * 501})):
        lines = data.splitlines()
        lines[number] = canonical.dumps({**json.loads(lines[number]), **values})
        with pytest.raises(ReplayMismatch, match=r"clock reading|at most 500"):
            verify(rebuilt(lines))


def test_a_header_is_as_long_as_a_line_may_be() -> None:
    match = Match(find_game("one_oh_one"), 2, b"seed")
    short = len(Recorder({"x": ""}, match)._lines[0]) - 1
    Recorder({"x": "y" * (MAX_LINE - short)}, match)
    with pytest.raises(BadInput, match=f"at most {MAX_LINE} bytes"):
        Recorder({"x": "y" * (MAX_LINE - short + 1)}, match)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("placements", [1, 1, 1]),
        ("scores", [0, 0, 0]),
        ("reason", "forfeit"),
        ("deals", []),
        ("actions", 5),
        ("strikes", [1, 0, 0]),
        ("forfeits", ["timeout", None, None]),
        ("digest", "0" * 64),
        ("more", 1),
    ],
)
def test_an_altered_footer_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(ReplayMismatch, match=key) as refusal:
        verify(b"\n".join(changed(-1, **{key: value})) + b"\n")
    assert refusal.value.ply is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\n\n\n",
        b"\x00\xff" * 50 + b"\n\n",
        b"[]\n[]\n",
        b"null\n{}\n",
        b"{}\n{}\n",
        b"[" * 60000 + b"\n{}\n",
        b'{"a":NaN}\n{}\n',
        b'{"a":1,"a":1}\n{}\n',
        b'{"a":' + b"9" * 5000 + b"}\n{}\n",
        b'{"format":"rummy-arena-replay","version":1}\n{}\n',
        b" " * 70000 + b"\n{}\n",
        b"{}\n" * (MAX_LINES + 1),
        b"x" * (MAX_BYTES + 1),
        REPLAY.replace(b"\n", b"\r\n"),
        REPLAY + b"\n",
        REPLAY + REPLAY,
        b"\xef\xbb\xbf" + REPLAY,
    ],
    ids=range(19),
)
def test_garbage_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(ReplayMismatch) as refusal:
        verify(data)
    assert len(str(refusal.value)) < 400


def test_a_match_that_goes_on_has_no_replay_yet() -> None:
    match = Match(find_game("gin"), 2, b"seed")
    with pytest.raises(BadInput, match="in play"):
        Recorder({}, match).finish()


def test_the_recorder_writes_each_action_once_and_for_its_seat() -> None:
    match = Match(find_game("one_oh_one"), 2, b"seed")
    recorder = Recorder({}, match)
    assert match.decision is not None
    seat, action = match.decision.seat, match.legal_actions()[0]
    with pytest.raises(BadInput, match="once"):
        recorder.action(seat, action, took_us=1)
    match.apply(action)
    with pytest.raises(BadInput, match="once"):
        recorder.action(1 - seat, action, took_us=1)
    recorder.action(seat, action, took_us=1)
    with pytest.raises(BadInput, match="once"):
        recorder.action(seat, action, took_us=1)
    with pytest.raises(BadInput, match="forfeit"):
        recorder.forfeit(seat, "timeout", "")


@pytest.mark.parametrize(
    "header", [{"game": "gin"}, {"seats": 3}, {"x": float("nan")}, {"x": "\ud800"}, {"x": {1}}, {"x": "y" * 70000}]
)
def test_a_header_that_contradicts_or_cannot_be_written_is_refused(header: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Recorder(header, Match(find_game("one_oh_one"), 2, b"seed"))


def test_frames_show_every_deal_with_all_hands_open() -> None:
    data = recorded(forfeit=30, strikes=True)
    frames = list(steps(data))
    footer = json.loads(data.splitlines()[-1])
    openings = [frame for frame in frames if frame["act"] is None and frame["forfeit"] is None]
    assert len(openings) == len(footer["deals"])
    assert len(frames) == len(openings) + len(data.splitlines()) - 2
    ends = [frame for frame in frames if frame["points"] is not None]
    assert [{"points": end["points"], "reason": end["reason"]} for end in ends] == footer["deals"]
    assert all(frame["text"] for frame in frames)
    for frame in frames:
        zones = [*frame["hands"], frame["pile"], *[meld["cards"] for meld in frame["melds"]]]
        shown = [card for zone in zones for card in zone]
        assert len(shown) == len(set(shown))
        assert len(shown) + frame["stock"] == 52
    json.dumps(frames)
    assert Phase[openings[0]["phase"]] is Phase.START


def frame_of(match: Match, **said: object) -> dict[str, object]:
    """What a frame shows of the match, beside what is said of its line."""
    views = [match.view(seat) for seat in range(match.seats)]
    view = views[0]
    melds = [
        {"cards": [TEXTS[c] for c in meld.cards], "placers": list(meld.placers), "seat": meld.seat, "run": meld.run}
        for meld in view.melds
    ]
    return {
        "deal": match.deal,
        "ply": match.ply,
        "act": None,
        "forfeit": None,
        "fault": None,
        "us": None,
        "points": None,
        "reason": None,
        "phase": view.phase and view.phase.name,
        "turn": view.turn,
        "dealer": view.dealer,
        "closer": view.closer,
        "hands": [[TEXTS[card] for card in each.hand] for each in views],
        "stock": view.stock,
        "pile": [TEXTS[card] for card in view.pile],
        "melds": melds,
        "scores": list(view.scores),
        "status": list(view.status),
        **said,
    }


def test_a_frame_shows_the_table_as_it_is_after_its_line() -> None:
    data = recorded(forfeit=30, strikes=True)
    match = Match(find_game("one_oh_one"), 3, b"seed of the replay tests")
    frames = steps(data)
    shown = next(frames)
    assert shown == frame_of(match, seat=shown["seat"], text=shown["text"])
    assert shown["text"] == "Deal 1. " + sentence(match.events[0], HEADER["bots"])  # type: ignore[arg-type]
    compared, names = 0, list(HEADER["bots"])  # type: ignore[call-overload]
    for record in map(json.loads, data.splitlines()[1:-1]):
        deal, ply, deals, seen = match.deal, match.ply, len(match.deals), len(match.events)
        if "act" in record:
            match.apply(parse_action(record["act"]))
        else:
            match.forfeit(record["seat"], record["forfeit"])
        shown = next(frames)
        line = {key: record.get(key) for key in ("act", "forfeit", "fault", "us", "seat")}
        assert (shown["deal"], shown["ply"]) == (deal, ply) == (record["deal"], record["ply"])
        assert {key: shown[key] for key in line} == line
        told = [sentence(event, names) for event in match.events[seen:] if event.kind is not EventKind.DEAL]
        assert shown["text"] == (" ".join(told) or f"{names[record['seat']]} ends the melds.")
        if len(match.deals) > deals:  # The frame still shows the deal that has ended.
            assert (shown["points"], shown["reason"]) == (list(match.deals[-1].points), match.deals[-1].reason)
            assert shown["phase"] is None or shown["reason"] == "void"
            if match.result is None:
                opening = next(frames)
                assert opening == frame_of(match, seat=opening["seat"], text=opening["text"], ply=0)
                assert opening["text"].startswith(f"Deal {match.deal + 1}. ")
            continue
        assert shown == frame_of(match, deal=deal, ply=ply, text=shown["text"], **line)
        compared += 1
    assert compared > 100
    assert next(frames, None) is None


def test_what_leaves_no_event_is_told_all_the_same() -> None:
    told: set[str] = set()
    for key in ("one_oh_one", "basic", "club"):
        for frame in steps(recorded(key, 2)):
            if frame["act"] in ("E", "C"):
                told.add(frame["text"].removeprefix(f"{list(HEADER['bots'])[frame['seat']]} "))  # type: ignore[call-overload]
    assert told <= {"ends the melds.", "does not go out."}
    assert "ends the melds." in told


def test_frames_of_an_altered_replay_end_where_it_was_altered() -> None:
    frames = steps(rebuilt(changed(5, act="D:Zz")))
    seen: list[dict[str, object]] = []
    with pytest.raises(ReplayMismatch):
        seen.extend(frames)
    told = iter(steps(REPLAY))
    for frame in seen:
        assert frame == next(told)


@pytest.mark.parametrize("bots", [None, ["Anna"], "ab", [1, 2]])
def test_without_names_the_seats_are_numbered(bots: object) -> None:
    assert seat_names({"bots": bots}, 2) == ["Seat 1", "Seat 2"]
    assert seat_names({"bots": ["Anna", "Bert"]}, 2) == ["Anna", "Bert"]


@pytest.mark.parametrize(("key", "seats", "turns", "deals"), [("gin", 2, 200, 200), ("one_oh_one", 6, 6 * 60, 100)])
def test_the_longest_match_that_options_allow_fits_a_replay(key: str, seats: int, turns: int, deals: int) -> None:
    find_game(key, {"turn_cap": turns // (seats if key == "one_oh_one" else 1), "deal_cap": deals})
    once_a_deal = 8 * seats  # Offers, shows, what is tabled after a break: each seat at most that.
    assert (2 * turns + once_a_deal) * deals < MAX_LINES  # A draw and a discard.
    assert MAX_BYTES // MAX_LINES > 150  # A line of an ordinary action has about 100 bytes.


def test_a_pile_that_is_shuffled_is_not_said_to_be_turned_over() -> None:
    assert sentence(Event(EventKind.TURN_OVER, 1, (3,)), "ab") == "b turns the pile over. The upcard is 4c."
    shuffled = sentence(Event(EventKind.TURN_OVER, 0, (3,), reason="shuffled"), "ab")
    assert shuffled == "a shuffles the pile into a new stock. The upcard is 4c."
