"""From wire to value. Everything that comes from outside passes here once, and what cannot be read gets a sentence.

`rummy.wire.encoder` is the other direction. Messages are parsed by the generated classes, which are C; this module
turns their fields into the values of `rummy.rules`. A simple action is one byte, and `SIMPLE` has the value of each
(see `rummy.rules.actions`), so that the usual answer costs one look-up. A list of cards is a `bytes` field.

Bytes from a bot raise `BotProtocolFault`; a single answer that makes no sense keeps its sentence in `Answer.fault`,
since it costs that match a strike and no other match anything. Bytes from the arena raise `BadInput`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, TypeVar, cast

from google.protobuf.message import DecodeError

from rummy.errors import BadInput, BotProtocolFault, RulesError
from rummy.rules import canonical
from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
    Card,
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
from rummy.rules.game import Event, EventKind, Phase, Renewal, TableMeld, View
from rummy.rules.games import find_game, options_json
from rummy.wire.v1 import cards_pb2, table_pb2, view_pb2

PROTOCOL = 1
T = TypeVar("T")
CARD_COUNT = 54  # Fifty-two, and two jokers.
MAX_MESSAGE_BYTES = 1 << 16
"""The largest message that a bot may send: answers to 256 decisions, with room to spare."""
MAX_ANSWERS = 1024  # In one message.
MAX_ACTIONS = 64  # In one answer.
MAX_GROUPS = 36  # Melds in one action: two packs in melds of three.
MAX_CARDS = 158  # In one list: three packs and two jokers.
MAX_MELD = 255
MAX_OFFERS = 64
MAX_OPTIONS_BYTES = 4096
MAX_SEATS = 6

KNOCK, DRAW_STOCK, TAKE, PASS, KNOCK_BARE, END_MELDS, BIG_GIN = 64, 128, 129, 130, 131, 132, 133
SHOW_BEST, SHOW_OWN, MELD, LAY_OFF, TURN_OVER, DRAW_PILE = 134, 135, 136, 137, 138, 191
GO_OUT, CONTINUE, DROP, DRAW_DEEP = 139, 140, 141, 79
MOST_TAKEN = 112  # Cards in one draw from the pile.
MOST_BY_DRAW_PILE = 64  # More than so many are counted from DRAW_DEEP.


def draw_pile_code(count: int) -> int:
    """The byte that takes *count* cards from the pile."""
    return count + (DRAW_PILE if count <= MOST_BY_DRAW_PILE else DRAW_DEEP)


def _simple_actions() -> tuple[Action | None, ...]:
    table: list[Action | None] = [None] * 256
    for card in range(CARD_COUNT):
        table[card] = Discard(card)
        table[KNOCK + card] = Knock(card)
    table[DRAW_STOCK], table[TAKE], table[PASS] = DrawStock(), Take(), Pass()
    table[TURN_OVER] = TurnOver()
    table[KNOCK_BARE], table[END_MELDS], table[BIG_GIN], table[SHOW_BEST] = Knock(), EndMelds(), BigGin(), Arrange()
    table[GO_OUT], table[CONTINUE], table[DROP] = GoOut(), Continue(), Drop()
    for count in range(1, MOST_TAKEN + 1):
        table[draw_pile_code(count)] = DrawPile(count)
    return tuple(table)


SIMPLE = _simple_actions()
"""By code: the simple action, or None where the byte means none."""
_SIMPLE_CODES = bytes([code for code, action in enumerate(SIMPLE) if action is not None])
_simple = cast(Callable[[int], Action], SIMPLE.__getitem__)  # For those codes.
_PHASES = {int(phase): phase for phase in Phase}
_KINDS = frozenset(int(kind) for kind in EventKind)


class Answer(NamedTuple):
    """An answer to decision *number* of *match*; *fault* says why it cannot be read, and then there are no actions."""

    match: int
    number: int
    actions: tuple[Action, ...]
    fault: str | None


_made = tuple.__new__  # Half the time of calling the class, for what every decision needs.


class Offer(NamedTuple):
    """A game that a bot plays, with its options as canonical JSON; none means any."""

    game: str
    options: tuple[str, ...]


class Greeting(NamedTuple):
    """What a bot says first. *token* is empty where it stands in the metadata; *concurrency* 0 asks for the limit."""

    token: str
    offers: tuple[Offer, ...] = ()
    concurrency: int = 0
    sdk: str = ""
    push_events: bool = False


# ---- from a bot


def read_hello(data: bytes) -> Greeting:
    """The first message of a stream. Raises `BotProtocolFault` for garbage, another version, or anything else."""
    message = _from_bot(data)
    if not message.HasField("hello"):
        raise BotProtocolFault("The first message of a stream has to hold `hello`.")
    hello = message.hello
    if hello.protocol != PROTOCOL:
        raise BotProtocolFault(
            f"This arena speaks version {PROTOCOL} of the protocol, not {hello.protocol}; update the bot's SDK."
        )
    if len(hello.games) > MAX_OFFERS or any(_too_long(offer) for offer in hello.games):
        raise BotProtocolFault(f"`hello` may offer {MAX_OFFERS} games, with {MAX_OPTIONS_BYTES} bytes of options each.")
    offers = tuple(_offer(offer) for offer in hello.games)
    return Greeting(hello.token, offers, hello.concurrency, hello.sdk[:100], hello.push_events)


def read_answers(data: bytes) -> list[Answer]:
    """The answers of a later message. Raises `BotProtocolFault` where it is no message of answers."""
    message = _from_bot(data)
    if message.HasField("hello"):
        raise BotProtocolFault("Only the first message of a stream holds `hello`.")
    if len(message.answers) > MAX_ANSWERS:
        raise BotProtocolFault(f"A message holds at most {MAX_ANSWERS} answers, not {len(message.answers)}.")
    simple = SIMPLE
    answers = []
    for raw in message.answers:
        codes = raw.codes
        action = simple[codes[0]] if len(codes) == 1 else None
        if action is not None and not raw.actions:
            answers.append(_made(Answer, (raw.match, raw.number, (action,), None)))
        else:
            answers.append(_answer(raw))
    return answers


def _from_bot(data: bytes) -> table_pb2.FromBot:
    if len(data) > MAX_MESSAGE_BYTES:
        raise BotProtocolFault(f"A message of a bot has at most {MAX_MESSAGE_BYTES} bytes, not {len(data)}.")
    try:
        return table_pb2.FromBot.FromString(data)
    except DecodeError:
        raise BotProtocolFault(
            f"A message of {len(data)} bytes could not be read as rummy.wire.v1.FromBot; see proto/."
        ) from None


def _offer(offer: table_pb2.GameOffer) -> Offer:
    try:
        games = [find_game(offer.game, canonical.loads(text.encode())) for text in offer.options]
        find_game(offer.game)
    except (RulesError, ValueError) as error:
        raise BotProtocolFault(f"`hello` offers what this arena does not have: {error}") from None
    return Offer(offer.game, tuple(options_json(game) for game in games))


def _too_long(offer: table_pb2.GameOffer) -> bool:
    return len(offer.game) > 64 or sum(len(text) for text in offer.options) > MAX_OPTIONS_BYTES


def _answer(raw: table_pb2.Answer) -> Answer:
    try:
        return Answer(raw.match, raw.number, _actions(raw), None)
    except BadInput as error:
        return Answer(raw.match, raw.number, (), str(error))


def _actions(raw: table_pb2.Answer) -> tuple[Action, ...]:
    count = len(raw.actions) + len(raw.codes)
    if raw.actions and raw.codes:
        raise BadInput("An answer has `actions` or `codes`, not both.")
    if not 1 <= count <= MAX_ACTIONS:
        raise BadInput(f"An answer holds 1 to {MAX_ACTIONS} actions, not {count}.")
    parts = sum([len(action.groups) + len(action.lay_offs) for action in raw.actions])
    if parts > MAX_CARDS:
        raise BadInput(f"An answer holds at most {MAX_CARDS} melds and lay-offs, not {parts}.")
    return simple_actions(raw.codes) + tuple(read_action(action) for action in raw.actions)


# ---- actions


def simple_actions(codes: bytes) -> tuple[Action, ...]:
    """The simple actions of *codes*, in order. Raises `BadInput` for a byte that means none."""
    wrong = codes.translate(None, _SIMPLE_CODES)
    if wrong:
        raise BadInput(f"The code {wrong[0]} is no simple action.")
    return tuple(map(_simple, codes))


def read_action(message: cards_pb2.Action) -> Action:
    """One action of either kind. Raises `BadInput` for an unknown code, bad cards, or fields that do not fit."""
    code = message.code
    groups, lay_offs, own = _groups(message.groups), _lay_offs(message.lay_offs), message.own
    simple = SIMPLE[code] if code < 256 else None
    if simple is not None and not (groups or lay_offs or own):
        return simple
    if isinstance(simple, Knock | BigGin) and not lay_offs:
        return Knock(simple.card, groups) if isinstance(simple, Knock) else BigGin(groups)
    if code == SHOW_OWN and not own:
        return Arrange(groups, lay_offs)
    if code == MELD and len(groups) == 1 and not (lay_offs or own):
        return Meld(groups[0])
    if code == LAY_OFF and len(lay_offs) == 1 and not (groups or own):
        return lay_offs[0]
    known = simple is not None or code in (SHOW_OWN, MELD, LAY_OFF)
    raise BadInput(
        f"What stands beside the code {code} does not go with it." if known else f"No action has code {code}."
    )


def read_cards(data: bytes) -> Cards:
    """The cards of a `bytes` field. Raises `BadInput` for a byte that is no card, and for too many."""
    if len(data) > MAX_CARDS:
        raise BadInput(f"A list of cards has at most {MAX_CARDS}, not {len(data)}.")
    if data and max(data) >= CARD_COUNT:
        raise BadInput(f"{max(data)} is no card; cards are the numbers 0 to {CARD_COUNT - 1}.")
    return tuple(data)


def _groups(messages: Collection[cards_pb2.CardGroup]) -> tuple[Cards, ...]:
    return tuple(read_cards(message.cards) for message in _counted(messages, MAX_GROUPS, "melds"))


def _lay_offs(messages: Collection[cards_pb2.LayOff]) -> tuple[LayOff, ...]:
    return tuple(_lay_off(message) for message in _counted(messages, MAX_CARDS, "lay-offs"))


def _lay_off(message: cards_pb2.LayOff) -> LayOff:
    if message.meld > MAX_MELD:
        raise BadInput(f"There is no meld {message.meld} on a table.")
    return LayOff(read_cards(message.cards), message.meld, message.low)


def _counted(items: Collection[T], limit: int, what: str) -> Collection[T]:
    if len(items) > limit:
        raise BadInput(f"An action or event holds at most {limit} {what}, not {len(items)}.")
    return items


# ---- from the arena


def read_to_bot(data: bytes) -> table_pb2.ToBot:
    """A message of the arena. Raises `BadInput` where it is none."""
    try:
        return table_pb2.ToBot.FromString(data)
    except DecodeError:
        raise BadInput(f"The arena sent {len(data)} bytes that are no rummy.wire.v1.ToBot.") from None


def read_phase(number: int) -> Phase:
    """The phase with that number. Raises `BadInput`."""
    phase = _PHASES.get(number)
    if phase is None:
        raise BadInput(f"No phase has the number {number}.")
    return phase


def read_view(message: view_pb2.View, game: str, phase: Phase) -> View:
    """What a seat may see. Raises `BadInput` where numbers make no sense."""
    seats = message.seats
    if not 1 <= seats <= MAX_SEATS or message.seat >= seats:
        raise BadInput(f"There is no seat {message.seat} at a table of {seats}.")
    by_seat = (message.hand_sizes, message.known, message.scores, message.status)
    if any(len(field) != seats for field in by_seat) or any(
        len(field) not in (0, seats) for field in (message.bought, message.losses)
    ):
        raise BadInput(_BY_SEAT)
    return View(
        game=game, phase=phase, seat=message.seat, seats=seats,
        hand=read_cards(message.hand), hand_sizes=tuple(message.hand_sizes), stock=message.stock,
        pile=read_cards(message.pile), melds=tuple(_table_meld(meld) for meld in message.melds),
        known=tuple(read_cards(cards) for cards in message.known),
        scores=tuple(message.scores), status=tuple(message.status), turn=message.turn, dealer=message.dealer,
        knock_limit=message.knock_limit, forbidden=_optional(message.forbidden), owed=_optional(message.owed),
        closer=_optional(message.closer), turns=message.turns, broken_at=_optional(message.broken_at),
        wild=_optional(message.wild), contract=tuple(message.contract), whole=message.whole,
        renewal=_renewal(message.renewal, seats) if message.HasField("renewal") else None, renewing=message.renewing,
        to_ask=tuple(message.to_ask), bought=tuple(message.bought), losses=tuple(message.losses),
        had_laid=message.had_laid, laid_off=message.laid_off, idle=message.idle,
    )  # fmt: skip


_BY_SEAT = "A list by seat has one element a seat."


def _renewal(message: view_pb2.Renewal, seats: int) -> Renewal:
    if any(len(field) not in (0, seats) for field in (message.drawn, message.revealed)):
        raise BadInput(_BY_SEAT)
    return Renewal(
        message.number, read_cards(message.order), read_cards(message.cards), tuple(message.drawn),
        tuple(read_cards(cards) for cards in message.revealed),
    )  # fmt: skip


def _optional(number: int) -> Card | Seat | None:
    return number - 1 if number else None


def _table_meld(message: view_pb2.TableMeld) -> TableMeld:
    if len(message.placers) != len(message.cards):
        raise BadInput("A meld names who laid each of its cards.")
    return TableMeld(read_cards(message.cards), tuple(message.placers), message.seat, message.run)


def read_events(messages: Iterable[view_pb2.Event]) -> list[Event]:
    """What has happened, without the kinds that a newer arena knows and we do not. Raises `BadInput` for no cards."""
    return [read_event(message) for message in messages if message.kind in _KINDS]


def read_event(message: view_pb2.Event) -> Event:
    """What has happened. Raises `BadInput` for an unknown kind or cards that are none."""
    try:
        kind = EventKind(message.kind)
    except ValueError:
        raise BadInput(f"No event has the kind {message.kind}.") from None
    return Event(
        kind, message.seat, read_cards(message.cards), _groups(message.groups), _lay_offs(message.lay_offs),
        tuple(message.points), message.reason,
    )  # fmt: skip
