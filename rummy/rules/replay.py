"""A match on record: what was asked for, every action, and how it ended, as JSON Lines that anybody can play again.

The format is stated in docs/reference/replay-format.md. Each line has one spelling, so a reader plays the match, writes
the line that ought to stand there, and compares bytes: what is not exactly as the recorder would write it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from rummy.errors import BadInput, ReplayMismatch, RulesError
from rummy.rules import canonical
from rummy.rules.actions import Action, Continue, EndMelds, Seat
from rummy.rules.cards import TEXTS
from rummy.rules.game import DealResult, EventKind, MatchResult, View
from rummy.rules.games import find_game, options_of
from rummy.rules.match import Match
from rummy.rules.narrate import sentence
from rummy.rules.notation import action_text, parse_action

FORMAT = "rummy-arena-replay"
VERSION = 1
MAX_BYTES = 16 << 20
MAX_LINE = 1 << 16
MAX_LINES = 100_000
_MAX_MICROSECONDS = 1 << 53  # What every JSON reader can hold.
_SILENT: dict[type | None, str] = {EndMelds: "ends the melds", Continue: "does not go out"}  # Without an event.
_CAUSE = re.compile(r"[a-z][a-z ]{0,31}")
_MAX_REASON = 500


@dataclass(frozen=True, slots=True)
class Verified:
    """A replay that was played again and came out the same; *digest* is that of all lines before the footer."""

    header: dict[str, Any]
    result: MatchResult
    strikes: tuple[int, ...]
    actions: int
    digest: str


@dataclass(frozen=True, slots=True)
class Played:
    """One line that has just been played on the match; *action* is None for a forfeit."""

    deal: int
    ply: int
    seat: Seat
    action: Action | None
    record: dict[str, Any]


class Recorder:
    """Writes *match* down while it is played. *header* adds bots, leg and the like; `BadInput` where it contradicts.

    Actions are kept as they are, and become lines a deal at a time: that costs a third of writing each at once.
    """

    def __init__(self, header: Mapping[str, object], match: Match) -> None:
        self._match = match
        self._digest = sha256()
        self._lines: list[bytes] = []
        self._unwritten: list[tuple[int, int, Seat, Action, int, int, str | None]] = []  # Of the deal in play.
        self._strikes = [0] * match.seats
        self._deal = self._ply = self._actions = self._seat = 0
        self._write(_head(header, match))
        self._mark()

    def action(self, seat: Seat, action: Action, *, took_us: int, wait_us: int = 0, fault: str | None = None) -> None:
        """Writes down what the match has just accepted; *fault* is the strike's cause where the default was played."""
        match = self._match
        if seat != self._seat or match.actions != self._actions + 1:
            raise BadInput("Each action is written down once, right after the match has accepted it.")
        self._unwritten.append((self._deal, self._ply, seat, action, took_us, wait_us, fault))
        if fault is not None:
            self._strikes[seat] += 1
        decision = match.decision
        if decision is None or match.deal != self._deal:
            self._mark()
        else:
            self._ply, self._actions, self._seat = match.ply, match.actions, decision.seat

    def forfeit(self, seat: Seat, cause: str, reason: str) -> None:
        """Writes down a forfeit that the match has just accepted, with its *reason* in a sentence."""
        if self._match.forfeits[seat] != cause:
            raise BadInput("A forfeit is written down right after the match has accepted it.")
        self._write_deal()
        self._write(_forfeit_line(self._deal, self._ply, seat, cause, reason[:_MAX_REASON]))
        self._mark()

    def finish(self) -> bytes:
        """The whole replay with its footer. Raises `BadInput` while the match is in play."""
        if self._match.result is None:
            raise BadInput("The match is still in play; its replay has no end yet.")
        footer = _footer(self._match, self._strikes, self._digest.hexdigest())
        return b"".join([*self._lines, footer, b"\n"])

    def _write(self, line: bytes) -> None:
        line += b"\n"
        self._lines.append(line)
        self._digest.update(line)

    def _write_deal(self) -> None:
        if self._unwritten:
            self._write(b"\n".join([_action_line(*played) for played in self._unwritten]))
            self._unwritten.clear()

    def _mark(self) -> None:
        """A deal begins, or the match is over."""
        self._write_deal()
        match = self._match
        self._deal, self._ply, self._actions = match.deal, match.ply, match.actions
        self._seat = -1 if match.decision is None else match.decision.seat


def verify(data: bytes) -> Verified:
    """Plays a replay again. Raises `ReplayMismatch`, which names the first line that differs."""
    return Reader(data).check()


def steps(data: bytes) -> Iterator[dict[str, Any]]:
    """Frames of plain values for a player: one for each deal as it begins and one a line, with every hand open.

    Cards are texts. Raises `ReplayMismatch` at the line that differs; the frames before it stand.
    """
    reader = Reader(data, Staged)
    match = reader.match
    assert isinstance(match, Staged)
    names = seat_names(reader.header, match.seats)
    seen = len(match.events)
    yield _opening(match, names)
    for played in reader.play():
        news = match.events[seen:]
        seen = len(match.events)
        told = " ".join(sentence(event, names) for event in news if event.kind is not EventKind.DEAL)
        text = told or f"{names[played.seat]} {_SILENT.get(type(played.action), 'goes on')}."
        ended, match.closing = match.closing, None
        yield _frame(ended or _views(match), text, played, match.deals[-1] if ended else None)
        if ended and match.result is None:
            yield _opening(match, names)


def seat_names(header: Mapping[str, Any], seats: int) -> list[str]:
    """The bots' names by seat as the header gives them, else the seats' numbers, for people: from 1."""
    bots = header.get("bots")
    if isinstance(bots, list) and len(bots) == seats and all(isinstance(bot, str) for bot in bots):
        return bots
    return [f"Seat {seat + 1}" for seat in range(seats)]


class Staged(Match):
    """A match that keeps, in `closing`, the last look at a deal, before the next one is dealt."""

    closing: list[View] | None = None

    def _end_deal(self, result: DealResult) -> None:
        self.closing = _views(self)
        super()._end_deal(result)


def _views(match: Match) -> list[View]:
    return [match.view(seat) for seat in range(match.seats)]


def _opening(match: Match, names: list[str]) -> dict[str, Any]:
    dealt = next(event for event in reversed(match.events) if event.kind is EventKind.DEAL)
    played = Played(match.deal, 0, dealt.seat, None, {})
    return _frame(_views(match), f"Deal {match.deal + 1}. {sentence(dealt, names)}", played, None)


def _frame(views: list[View], text: str, played: Played, ended: DealResult | None) -> dict[str, Any]:
    view, record = views[0], played.record
    return {
        "deal": played.deal,
        "ply": played.ply,
        "seat": played.seat,
        "act": record.get("act"),
        "forfeit": record.get("forfeit"),
        "fault": record.get("fault"),
        "us": record.get("us"),
        "text": text,
        "phase": None if view.phase is None else view.phase.name,
        "turn": view.turn,
        "dealer": view.dealer,
        "closer": view.closer,
        "hands": [_texts(each.hand) for each in views],
        "stock": view.stock,
        "pile": _texts(view.pile),
        "melds": [
            {"cards": _texts(meld.cards), "placers": list(meld.placers), "seat": meld.seat, "run": meld.run}
            for meld in view.melds
        ],
        "scores": list(view.scores),
        "status": list(view.status),
        "points": None if ended is None else list(ended.points),
        "reason": None if ended is None else ended.reason,
    }


def _texts(cards: tuple[int, ...]) -> list[str]:
    return [TEXTS[card] for card in cards]


class Reader:
    """A replay with its header read: `match` is at its beginning, `play` moves it on, `check` plays it to its end."""

    def __init__(self, data: bytes, kind: type[Match] = Match) -> None:
        self._lines = _split(data)
        self.header = _read(self._lines[0], None, "The header")
        self.match = _match_of(self.header, self._lines[0], kind)
        self._strikes = [0] * self.match.seats

    def play(self) -> Iterator[Played]:
        """Plays one line after the other on `match`. Raises `ReplayMismatch` at the first that differs."""
        for number, raw in enumerate(self._lines[1:-1]):
            yield self._play(number, raw)
        if self.match.result is None:
            raise ReplayMismatch(
                f"The replay ends while the match is in play: line {len(self._lines)} should be an action.",
                len(self._lines) - 2,
            )
        self._check_footer()

    def check(self) -> Verified:
        """Plays what is left. Raises `ReplayMismatch`."""
        for _ in self.play():
            pass
        result, digest = self.match.result, self._digest()
        assert result is not None
        return Verified(self.header, result, tuple(self._strikes), self.match.actions, digest)

    def _play(self, number: int, raw: bytes) -> Played:
        record = _read(raw, number, f"Line {number + 2} of the replay")
        try:
            return self._forfeit(record, raw) if "forfeit" in record else self._action(record, raw)
        except (RulesError, BadInput, ValueError, _Differs) as error:
            raise ReplayMismatch(f"Line {number + 2} of the replay: {error}", number) from None

    def _action(self, record: dict[str, Any], raw: bytes) -> Played:
        match = self.match
        if match.decision is None:
            raise _Differs("the match was over before this action.")
        seat, deal, ply = match.decision.seat, match.deal, match.ply
        action, fault = parse_action(record.get("act", "")), record.get("fault")
        _compare(raw, _action_line(deal, ply, seat, action, record.get("us"), record.get("wait", 0), fault))
        if fault is not None:
            if action != match.default_action():
                raise _Differs("the action that stands for a fault is not the default action.")
            self._strikes[seat] += 1
        match.apply(action)
        return Played(deal, ply, seat, action, record)

    def _forfeit(self, record: dict[str, Any], raw: bytes) -> Played:
        match = self.match
        deal, ply, seat, cause = match.deal, match.ply, record.get("seat"), record["forfeit"]
        if type(seat) is not int:
            raise _Differs("a forfeit names its seat by number.")
        _compare(raw, _forfeit_line(deal, ply, seat, cause, record.get("reason")))
        match.forfeit(seat, cause)
        return Played(deal, ply, seat, None, record)

    def _check_footer(self) -> None:
        footer = _read(self._lines[-1], None, "The footer")
        expected = _footer(self.match, self._strikes, self._digest())
        if self._lines[-1] == expected:
            return
        played = canonical.loads(expected)
        wrong = sorted(key for key in played.keys() | footer.keys() if played.get(key) != footer.get(key))
        if wrong == ["digest"]:
            raise ReplayMismatch("The digest differs: a line of the replay has been altered since it was recorded.")
        raise ReplayMismatch(f"The footer differs from what was played: {', '.join(wrong) or 'its spelling'}.")

    def _digest(self) -> str:
        return sha256(b"\n".join(self._lines[:-1]) + b"\n").hexdigest()


class _Differs(Exception):
    """A line that is not what the recorder would have written here."""


def _compare(raw: bytes, expected: bytes) -> None:
    if raw != expected:
        raise _Differs(f"it should read {expected[:200].decode('ascii')}.")


def _split(data: bytes) -> list[bytes]:
    if len(data) > MAX_BYTES:
        raise ReplayMismatch(f"A replay has at most {MAX_BYTES} bytes; this one has {len(data)}.")
    *lines, rest = data.split(b"\n", MAX_LINES + 1)
    if len(lines) > MAX_LINES:
        raise ReplayMismatch(f"A replay has at most {MAX_LINES} lines.")
    if rest != b"" or len(lines) < 2:
        raise ReplayMismatch("The replay has been cut short, or is none: it is lines of JSON, each with its line end.")
    return lines


def _read(raw: bytes, number: int | None, where: str) -> dict[str, Any]:
    if len(raw) > MAX_LINE:
        raise ReplayMismatch(f"{where} is longer than {MAX_LINE} bytes.", number)
    try:
        record = canonical.loads(raw)
    except ValueError as error:
        raise ReplayMismatch(f"{where} cannot be read: {error}.", number) from None
    if not isinstance(record, dict):
        raise ReplayMismatch(f"{where} is no JSON object.", number)
    return record


def _match_of(header: dict[str, Any], raw: bytes, kind: type[Match]) -> Match:
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        raise ReplayMismatch(f"This is no replay of the format {FORMAT}, version {VERSION}.")
    try:
        game = find_game(header.get("game", ""), header.get("options"))
        seed = bytes.fromhex(str(header.get("seed")))
        match = kind(game, header.get("seats", 0), seed, header.get("max_deals"))
        expected = _head(header, match)
    except (RulesError, BadInput, ValueError) as error:
        raise ReplayMismatch(f"The header cannot be played: {error}") from None
    if raw != expected:
        raise ReplayMismatch("The header is not in its canonical spelling.")
    return match


def _head(header: Mapping[str, object], match: Match) -> bytes:
    """The header line: what the caller adds, and what the match says of itself."""
    said: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "game": match.game.spec.key,
        "options": options_of(match.game),
        "rules_version": match.game.spec.rules_version,
        "seats": match.seats,
        "seed": match.seed.hex(),
    }
    if match.max_deals is not None:
        said["max_deals"] = match.max_deals
    for key, value in said.items():
        if header.get(key, value) != value:
            raise BadInput(f"The header says {key} {header[key]!r}, but the match is played with {value!r}.")
    try:
        line = canonical.dumps({**header, **said})
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"The header cannot be written as JSON: {error}.") from None
    if len(line) > MAX_LINE:
        raise BadInput(f"The header of a replay has at most {MAX_LINE} bytes.")
    return line


def _action_line(deal: int, ply: int, seat: Seat, action: Action, us: Any, wait: Any, fault: Any) -> bytes:
    # Written by hand, since every action of every match passes here; the tests compare it with `canonical.dumps`.
    if not (type(us) is type(wait) is int and 0 <= us <= _MAX_MICROSECONDS and 0 <= wait <= _MAX_MICROSECONDS):
        raise BadInput(f"A clock reading is a whole number of microseconds, not {str(us)[:40]} or {str(wait)[:40]}.")
    strike = "" if fault is None else f'"fault":"{_cause(fault)}",'
    waited = f',"wait":{wait}' if wait else ""
    text = action_text(action)
    return f'{{"act":"{text}","deal":{deal},{strike}"ply":{ply},"seat":{seat},"us":{us}{waited}}}'.encode("ascii")


def _forfeit_line(deal: int, ply: int, seat: Seat, cause: Any, reason: Any) -> bytes:
    if not isinstance(reason, str) or len(reason) > _MAX_REASON:
        raise BadInput(f"The reason of a forfeit is a text of at most {_MAX_REASON} characters.")
    line = {"deal": deal, "forfeit": _cause(cause), "ply": ply, "reason": reason, "seat": seat}
    return canonical.dumps(line)


def _cause(cause: Any) -> str:
    if not isinstance(cause, str) or not _CAUSE.fullmatch(cause):
        raise BadInput("The cause of a fault is a word or two of small letters.")
    return cause


def _footer(match: Match, strikes: list[int], digest: str) -> bytes:
    result = match.result
    assert result is not None
    return canonical.dumps(
        {
            "actions": match.actions,
            "deals": [{"points": deal.points, "reason": deal.reason} for deal in match.deals],
            "digest": digest,
            "forfeits": result.forfeits,
            "placements": result.placements,
            "reason": result.reason,
            "scores": result.scores,
            "strikes": strikes,
        }
    )
