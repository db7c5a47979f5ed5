"""From value to wire, assembled by hand: this runs once a decision, and is faster than protobuf's own classes.

A message is its fields one after the other; a field is a tag and a value. So a field whose value recurs is one of a few
thousand byte strings that never change, and an encoded message is a `join` of such strings:

- `_Number(tag)[n]` is the whole field, and b"" for zero, which protobuf leaves out;
- `_Sized(tag)[n]` is tag and length of a field of n bytes; the bytes follow;
- fields that stand side by side and change together are one string, by all their values (`_STANDING` and the like);
- what is constant in a match (its number, game, options, seat, seed) is one string, made once.

All these tables fill by themselves and forget when they are full (`_Kept`), whatever numbers come.

A *part* is a field of `ToBot` or `FromBot`. Parts of many matches, joined, are a message: nothing is copied twice, and
a part can be sent again as it is. Fields stand in the order of their numbers, so that the bytes are those which the
generated classes write; a test compares them for every decision of random play.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
    Cards,
    Continue,
    Discard,
    DrawPile,
    DrawStock,
    Drop,
    EndMelds,
    GoOut,
    Knock,
    LayOff,
    Meld,
    Pass,
    Seat,
    Take,
    TurnOver,
)
from rummy.rules.game import Event, MatchResult, Renewal, TableMeld, View
from rummy.rules.match import Match
from rummy.wire import codec
from rummy.wire.v1 import table_pb2

_MOST_KEPT = 1 << 14  # Entries of a table: match numbers, times and hands are without end.
K = TypeVar("K")


def varint(number: int) -> bytes:
    """The base-128 form of a number that is not negative."""
    if number < 1 << 7:
        return bytes((number,))
    if number < 1 << 14:
        return bytes((number & 127 | 128, number >> 7))
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number: int) -> bytes:
    """The form of a signed number of 32 bits (sint32)."""
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


class _Kept(dict[K, bytes]):
    """What has been made of a key, until the table is full."""

    def keep(self, key: K, made: bytes) -> bytes:
        """Remembers *made*, and returns it."""
        if len(self) >= _MOST_KEPT:
            self.clear()
        self[key] = made
        return made


class _Number(_Kept[int]):
    """By number: the field *field* of a varint type, nothing for zero."""

    def __init__(self, field: int) -> None:
        self._tag = varint(field << 3)

    def __missing__(self, number: int) -> bytes:
        return self.keep(number, self._tag + varint(number) if number else b"")


class _OneMore(_Kept[int | None]):
    """By number: the field *field* with the number plus one, nothing for None."""

    def __init__(self, field: int) -> None:
        self._tag = varint(field << 3)

    def __missing__(self, number: int | None) -> bytes:
        return self.keep(number, b"" if number is None else self._tag + varint(number + 1))


class _Sized(_Kept[int]):
    """By length: tag and length of the field *field* of bytes, text or a message."""

    def __init__(self, field: int) -> None:
        self._tag = varint(field << 3 | 2)

    def __missing__(self, size: int) -> bytes:
        return self.keep(size, self._tag + varint(size))

    def of(self, data: bytes) -> bytes:
        """The whole field, nothing where it is empty."""
        return self[len(data)] + data if data else b""

    def message(self, body: bytes) -> bytes:
        """The whole field of a message, which is there even where it says nothing (a discard of card 0)."""
        return self[len(body)] + body


# Action, CardGroup, LayOff
_CODE, _GROUPS, _LAY_OFFS, _OWN = _Number(1), _Sized(2), _Sized(3), b"\x20\x01"
_CARDS, _MELD_NUMBER, _LOW = _Sized(1), _Number(2), (b"", b"\x18\x01")
# TableMeld
_PLACERS, _MELD_SEAT, _RUN = _Sized(2), _Number(3), (b"", b"\x20\x01")
# View
_SEAT, _SEATS, _HAND, _HAND_SIZES, _STOCK, _PILE = _Number(1), _Number(2), _Sized(3), _Sized(4), _Number(5), _Sized(6)
_MELDS, _KNOWN, _SCORES, _STATUS, _TURN, _DEALER = _Sized(7), _Sized(8), _Sized(9), _Sized(10), _Number(11), _Number(12)
_KNOCK_LIMIT, _FORBIDDEN, _OWED, _CLOSER, _TURNS = _Number(13), _OneMore(14), _OneMore(15), _OneMore(16), _Number(17)
_BROKEN_AT, _WILD, _CONTRACT, _RENEWAL, _TO_ASK = _OneMore(18), _OneMore(19), _Sized(20), _Sized(22), _Sized(24)
_BOUGHT, _LOSSES, _IDLE, _WHOLE = _Sized(25), _Sized(26), _Number(29), (b"", b"\xa8\x01\x01")
_RENEWING, _HAD_LAID, _LAID_OFF = (b"", b"\xb8\x01\x01"), (b"", b"\xd8\x01\x01"), (b"", b"\xe0\x01\x01")
# Renewal
_RENEWED, _ORDER, _SHUFFLED, _DRAWN, _REVEALED = _Number(1), _Sized(2), _Sized(3), _Sized(4), _Sized(5)
# Event
_KIND, _EVENT_SEAT, _EVENT_CARDS, _EVENT_GROUPS = _Number(1), _Number(2), _Sized(3), _Sized(4)
_EVENT_LAY_OFFS, _POINTS, _REASON = _Sized(5), _Sized(6), _Sized(7)
# Decision
_MATCH, _NUMBER, _GAME, _OPTIONS, _DEAL, _PLY, _PHASE = (
    _Number(1), _Number(2), _Sized(3), _Sized(4), _Number(5), _Number(6), _Number(7),
)  # fmt: skip
_VIEW, _EVENTS, _LEGAL, _MOVES, _FALLBACK = _Sized(8), _Sized(9), _Sized(10), _Sized(11), _Sized(12)
_SEED, _LIMIT, _BANK, _LAST, _LAST_WAIT = b"\x69", _Number(14), _Number(15), _Number(16), _Number(17)
# ToBot and FromBot
_WELCOME, _STARTS, _DECISIONS, _REJECTIONS, _ENDS, _GOODBYE, _NEWS, _ARBITERS = (_Sized(n) for n in range(1, 9))
_HELLO, _ANSWERS, _ANSWER_ACTIONS, _ANSWER_CODES = _Sized(1), _Sized(2), _Sized(3), _Sized(4)

_BARE: dict[type, int] = {
    DrawStock: codec.DRAW_STOCK,
    Take: codec.TAKE,
    Pass: codec.PASS,
    EndMelds: codec.END_MELDS,
    TurnOver: codec.TURN_OVER,
    GoOut: codec.GO_OUT,
    Continue: codec.CONTINUE,
    Drop: codec.DROP,
}
_PILE_CODE = {count: codec.draw_pile_code(count) for count in range(1, codec.MOST_TAKEN + 1)}


# ---- actions


def code_of(action: Action) -> int | None:
    """The byte of a simple action; None where it is composite."""
    kind = action.__class__
    if kind is Discard:
        return action.card  # type: ignore[union-attr]
    code = _BARE.get(kind)
    if code is None:
        return _PILE_CODE.get(action.count) if kind is DrawPile else _rare_code(action)  # type: ignore[union-attr]
    return code


def _rare_code(action: Action) -> int | None:
    match action:
        case Knock(card, None):
            return codec.KNOCK_BARE if card is None else codec.KNOCK + card
        case BigGin(None):
            return codec.BIG_GIN
        case Arrange(None, ()):
            return codec.SHOW_BEST
    return None


def encode_action(action: Action) -> bytes:
    """The message `Action`. Raises `ValueError` for an action that the wire has no form for."""
    code = code_of(action)
    if code is not None:
        return _CODE[code]
    match action:
        case Meld(cards):
            return _CODE[codec.MELD] + _grouped((cards,))
        case LayOff():
            return _CODE[codec.LAY_OFF] + _laid((action,))
        case Arrange(tuple(melds), lay_offs):
            return _CODE[codec.SHOW_OWN] + _grouped(melds) + _laid(lay_offs)
        case Knock(card, tuple(melds)):
            return _CODE[codec.KNOCK_BARE if card is None else codec.KNOCK + card] + _grouped(melds) + _OWN
        case BigGin(tuple(melds)):
            return _CODE[codec.BIG_GIN] + _grouped(melds) + _OWN
    raise ValueError(f"{action!r} has no form on the wire.")


def _grouped(groups: Iterable[Cards], outer: _Sized = _GROUPS) -> bytes:
    bodies = [_CARDS.of(bytes(cards)) for cards in groups]
    return b"".join([outer.message(body) for body in bodies])


def _laid(lay_offs: Iterable[LayOff], outer: _Sized = _LAY_OFFS) -> bytes:
    bodies = [_CARDS.of(bytes(lay_off.cards)) + _MELD_NUMBER[lay_off.meld] + _LOW[lay_off.low] for lay_off in lay_offs]
    return b"".join([outer.message(body) for body in bodies])


# ---- views and events


class _Counts(_Kept[tuple[tuple[int, ...], int]]):
    """By hand sizes and stock: their fields, 4 and 5."""

    def __missing__(self, key: tuple[tuple[int, ...], int]) -> bytes:
        sizes, stock = key
        return self.keep(key, _HAND_SIZES.of(bytes(sizes)) + _STOCK[stock])


class _Standing(_Kept[tuple[tuple[int, ...], tuple[int, ...], Seat, Seat, int]]):
    """By scores, status, turn, dealer and limit, which change once a turn or a deal: their fields, 9 to 13."""

    def __missing__(self, key: tuple[tuple[int, ...], tuple[int, ...], Seat, Seat, int]) -> bytes:
        scores, status, turn, dealer, limit = key
        return self.keep(
            key,
            _signed(_SCORES, scores) + _STATUS.of(bytes(status)) + _TURN[turn] + _DEALER[dealer] + _KNOCK_LIMIT[limit],
        )


_COUNTS, _STANDING = _Counts(), _Standing()


class _Few(_Kept[tuple[int | None, int | None, int | None, int, int | None, int | None]]):
    """By forbidden, owed, closer, turns, broken at and wild, of which most are None: their fields, 14 to 19."""

    def __missing__(self, key: tuple[int | None, int | None, int | None, int, int | None, int | None]) -> bytes:
        forbidden, owed, closer, turns, broken_at, wild = key
        return self.keep(
            key,
            _FORBIDDEN[forbidden] + _OWED[owed] + _CLOSER[closer] + _TURNS[turns] + _BROKEN_AT[broken_at] + _WILD[wild],
        )


_FEW = _Few()


def encode_view(view: View) -> bytes:
    """The message `View`; for a spectator, one of seat 0 without a hand."""
    hand, pile, melds = bytes(view.hand), bytes(view.pile), view.melds
    return b"".join((
        _SEAT[view.seat or 0], _SEATS[view.seats], _HAND[len(hand)] if hand else b"", hand,
        _COUNTS[view.hand_sizes, view.stock], _PILE[len(pile)] if pile else b"", pile,
        _table(melds) if melds else b"", *[_KNOWN[len(cards)] + bytes(cards) for cards in view.known],
        _STANDING[view.scores, view.status, view.turn, view.dealer, view.knock_limit],
        _FEW[view.forbidden, view.owed, view.closer, view.turns, view.broken_at, view.wild],
        # A field that few games have, or few moments: the others are spared a look at each.
        _rare(view) if (
            view.contract or view.renewal or view.had_laid or view.laid_off or view.idle or view.renewing
            or view.to_ask or view.bought or view.losses or view.whole
        ) else b"",
    ))  # fmt: skip


def _rare(view: View) -> bytes:
    renewal = b"" if view.renewal is None else _RENEWAL.message(_renewed(view.renewal))
    return b"".join((
        _CONTRACT.of(bytes(view.contract)), _WHOLE[view.whole], renewal, _RENEWING[view.renewing],
        _TO_ASK.of(bytes(view.to_ask)), _BOUGHT.of(bytes(view.bought)), _signed(_LOSSES, view.losses),
        _HAD_LAID[view.had_laid], _LAID_OFF[view.laid_off], _IDLE[view.idle],
    ))  # fmt: skip


def _renewed(renewal: Renewal) -> bytes:
    return b"".join((
        _RENEWED[renewal.number], _ORDER.of(bytes(renewal.order)), _SHUFFLED.of(bytes(renewal.cards)),
        _DRAWN.of(bytes(renewal.drawn)), *[_REVEALED.message(bytes(cards)) for cards in renewal.revealed],
    ))  # fmt: skip


def _signed(outer: _Sized, numbers: Sequence[int]) -> bytes:
    return outer.of(b"".join([zigzag(number) for number in numbers]))


def _table(melds: Iterable[TableMeld]) -> bytes:
    bodies = [
        _CARDS.of(bytes(meld.cards)) + _PLACERS.of(bytes(meld.placers)) + _MELD_SEAT[meld.seat] + _RUN[meld.run]
        for meld in melds
    ]
    return b"".join([_MELDS.message(body) for body in bodies])


def encode_event(event: Event, seat: Seat) -> bytes:
    """The message `Event` as *seat* may know it."""
    cards = b"" if event.private and event.seat != seat else bytes(event.cards)
    return b"".join((
        _KIND[event.kind], _EVENT_SEAT[event.seat], _EVENT_CARDS.of(cards),
        _grouped(event.groups, _EVENT_GROUPS), _laid(event.lay_offs, _EVENT_LAY_OFFS),
        _signed(_POINTS, event.points), _REASON.of(event.reason.encode()),
    ))  # fmt: skip


# ---- what the arena sends


class SeatEncoder:
    """Writes the parts of one seat of one match, and remembers which events the seat has been told."""

    options: str
    """The options of the match, as canonical JSON."""

    def __init__(self, number: int, match: Match, seat: Seat, *, options: str, seed: int, limit_ms: int) -> None:
        """*number* is the match's on the wire, *options* its canonical JSON, *seed* the seat's own (64 bits)."""
        game = match.game.spec.key
        self._number, self._seat, self._match, self._told = number, seat, match, 0
        self.options = options
        self._game, self._limit = game, limit_ms
        self._head = _MATCH[number]
        self._rules = _GAME.of(game.encode()) + _OPTIONS.of(options.encode())
        self._terms = (_SEED + seed.to_bytes(8, "little") if seed else b"") + _LIMIT[limit_ms]

    def start(self, bank_ms: int, increment_ms: int, *, strikes: int, grace_seconds: float, deaths: int) -> bytes:
        """The part `MatchStart`, with the clock of the match and its fault policy."""
        message = table_pb2.MatchStart(
            match=self._number, game=self._game, options=self.options, seat=self._seat, seats=self._match.seats,
            limit_ms=self._limit, bank_ms=bank_ms, increment_ms=increment_ms,
            strikes=strikes, grace_seconds=grace_seconds, deaths=deaths,
        )  # fmt: skip
        return _STARTS.message(message.SerializeToString())

    def decision(self, number: int, bank_ms: int, last_us: int, last_wait_us: int) -> bytes:
        """The open decision of the match, which is this seat's, as a part; *number* is what the answer repeats."""
        match, seat = self._match, self._seat
        assert match.decision is not None
        view, told = encode_view(match.view(seat)), _TOLD[seat]
        body = b"".join((
            self._head, _NUMBER[number], self._rules, _DEAL[match.deal], _PLY[match.ply], _PHASE[match.decision.phase],
            _VIEW[len(view)], view, *[(told.get(id(event)) or _telling(event, seat))[1] for event in self._fresh()],
            _legal(match.legal_actions()), _fallback(match.default_action()), self._terms,
            _BANK[bank_ms], _LAST[last_us], _LAST_WAIT[last_wait_us],
        ))  # fmt: skip
        return _DECISIONS[len(body)] + body

    def begin_anew(self) -> None:
        """Whoever is told from now on has been told nothing: the next events are all from the beginning."""
        self._told = 0

    def end(self) -> bytes:
        """The part `MatchEnd`, once the match has a result."""
        result: MatchResult | None = self._match.result
        assert result is not None
        message = table_pb2.MatchEnd(
            match=self._number, placements=result.placements, scores=result.scores, reason=result.reason
        )
        return _ENDS.message(message.SerializeToString() + self._told_now(_END_EVENTS))

    def news(self) -> bytes:
        """The part `News`, where something has happened that the seat has not been told of; nothing otherwise."""
        events = self._told_now(_NEWS_EVENTS)
        return _NEWS.message(self._head + events) if events else b""

    def _told_now(self, outer: _Sized) -> bytes:
        return b"".join([outer.message(encode_event(event, self._seat)) for event in self._fresh()])

    def _fresh(self) -> list[Event]:
        """What the seat has not been told of; from now on it has."""
        events, told = self._match.events, self._told
        self._told = len(events)
        return events[told:]


_END_EVENTS, _NEWS_EVENTS = _Sized(5), _Sized(2)
_NOBODY = -1
_TOLD: tuple[dict[int, tuple[Event, bytes]], ...] = tuple([{} for _ in range(codec.MAX_SEATS)])
"""By seat and id: an event as a field of `Decision`, and the event itself, so that no other gets its id.

A game has most of its events ready made, and uses the same ones again.
"""


def _telling(event: Event, seat: Seat) -> tuple[Event, bytes]:
    told = _TOLD[seat]
    if len(told) >= _MOST_KEPT:
        told.clear()
    made = told[id(event)] = event, _EVENTS.message(encode_event(event, seat))
    return made


def _legal(actions: Sequence[Action]) -> bytes:
    """The fields `legal` and `moves`."""
    codes = [
        action.card if action.__class__ is Discard else _BARE.get(action.__class__) or code_of(action)
        for action in actions
    ]
    try:
        return _LEGAL[len(codes)] + bytes(codes)  # type: ignore[arg-type]
    except TypeError:  # Some are composite and have no code.
        moves = [encode_action(action) for action, code in zip(actions, codes, strict=True) if code is None]
    simple = _LEGAL.of(bytes([code for code in codes if code is not None]))
    return simple + b"".join([_MOVES.message(move) for move in moves])


def _fallback(action: Action) -> bytes:
    """The field `fallback`."""
    code = code_of(action)
    return _FALLBACK.message(encode_action(action)) if code is None else _FALLBACKS[code]


_FALLBACKS = [_FALLBACK.message(_CODE[code]) for code in range(256)]


def welcome_part(welcome: table_pb2.Welcome) -> bytes:
    """The part `Welcome`."""
    return _WELCOME.message(welcome.SerializeToString())


def rejection_part(match: int, number: int, reason: str, strikes: int) -> bytes:
    """The part `Rejection`: why an answer was not accepted."""
    message = table_pb2.Rejection(match=match, number=number, reason=reason, strikes=strikes)
    return _REJECTIONS.message(message.SerializeToString())


def goodbye_part(reason: str) -> bytes:
    """The part `goodbye`: why the arena is about to close the stream."""
    return _GOODBYE.of(reason.encode())


def arbiters_part(addresses: Iterable[str]) -> bytes:
    """The field `arbiters`: where a bot that is here should dial from now on."""
    return b"".join([_ARBITERS.of(address.encode()) for address in addresses])


def followed_part(events: Iterable[Event]) -> bytes:
    """The field `events` of `FollowUpdate`: what a spectator may know of *events*."""
    return b"".join([_FOLLOWED.message(encode_event(event, _NOBODY)) for event in events])


def followed_table(view: View) -> bytes:
    """The field `table` of `FollowUpdate`."""
    return _FOLLOWED_TABLE.message(encode_view(view))


_FOLLOWED, _FOLLOWED_TABLE = _Sized(3), _Sized(6)


# ---- what a bot sends


def hello_part(hello: table_pb2.Hello) -> bytes:
    """The part `Hello`."""
    return _HELLO.message(hello.SerializeToString())


def answer_part(match: int, number: int, actions: Sequence[Action]) -> bytes:
    """The part `Answer`. Raises `ValueError` for an action that the wire has no form for."""
    try:
        tail = _ANSWER_CODES[len(actions)] + bytes(map(code_of, actions))  # type: ignore[arg-type]
    except TypeError:  # Some are composite and have no code.
        tail = b"".join([_ANSWER_ACTIONS.message(encode_action(action)) for action in actions])
    body = _MATCH[match] + _NUMBER[number] + tail
    return _ANSWERS[len(body)] + body
