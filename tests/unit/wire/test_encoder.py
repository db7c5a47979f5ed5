"""The bytes assembled by hand are those of the generated classes, and come back as the values they were made from."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from tables import OPTION_SETS

from rummy.errors import BadInput
from rummy.rules.actions import Action, Arrange, BigGin, Cards, Knock, LayOff, Meld
from rummy.rules.game import Event, EventKind, Phase, Renewal, TableMeld, View
from rummy.rules.games import GAMES, find_game, options_json
from rummy.rules.match import Match
from rummy.wire import codec, encoder
from rummy.wire.encoder import SeatEncoder
from rummy.wire.v1 import cards_pb2, table_pb2, view_pb2

# ---- the slow, readable oracle


def action_message(action: Action) -> cards_pb2.Action:
    code = encoder.code_of(action)
    if code is not None:
        return cards_pb2.Action(code=code)
    match action:
        case Meld(cards):
            return cards_pb2.Action(code=136, groups=groups((cards,)))
        case LayOff():
            return cards_pb2.Action(code=137, lay_offs=laid((action,)))
        case Arrange(melds, lay_offs):
            return cards_pb2.Action(code=135, groups=groups(melds or ()), lay_offs=laid(lay_offs))
        case Knock(card, melds):
            return cards_pb2.Action(code=131 if card is None else 64 + card, groups=groups(melds or ()), own=True)
        case BigGin(melds):
            return cards_pb2.Action(code=133, groups=groups(melds or ()), own=True)
    raise AssertionError(action)


def groups(melds: tuple[Cards, ...]) -> list[cards_pb2.CardGroup]:
    return [cards_pb2.CardGroup(cards=bytes(cards)) for cards in melds]


def laid(lay_offs: tuple[LayOff, ...]) -> list[cards_pb2.LayOff]:
    return [cards_pb2.LayOff(cards=bytes(lay_off.cards), meld=lay_off.meld, low=lay_off.low) for lay_off in lay_offs]


def view_message(view: View) -> view_pb2.View:
    return view_pb2.View(
        seat=view.seat or 0, seats=view.seats, hand=bytes(view.hand), hand_sizes=bytes(view.hand_sizes),
        stock=view.stock, pile=bytes(view.pile), melds=[meld_message(meld) for meld in view.melds],
        known=[bytes(cards) for cards in view.known], scores=view.scores, status=bytes(view.status), turn=view.turn,
        dealer=view.dealer, knock_limit=view.knock_limit, forbidden=one_more(view.forbidden),
        owed=one_more(view.owed), closer=one_more(view.closer), turns=view.turns,
        broken_at=one_more(view.broken_at), wild=one_more(view.wild), contract=bytes(view.contract),
        whole=view.whole, renewal=None if view.renewal is None else renewal_message(view.renewal),
        renewing=view.renewing, to_ask=bytes(view.to_ask), bought=bytes(view.bought), losses=view.losses,
        had_laid=view.had_laid, laid_off=view.laid_off, idle=view.idle,
    )  # fmt: skip


def renewal_message(renewal: Renewal) -> view_pb2.Renewal:
    return view_pb2.Renewal(
        number=renewal.number, order=bytes(renewal.order), cards=bytes(renewal.cards), drawn=bytes(renewal.drawn),
        revealed=[bytes(cards) for cards in renewal.revealed],
    )  # fmt: skip


def meld_message(meld: TableMeld) -> view_pb2.TableMeld:
    return view_pb2.TableMeld(cards=bytes(meld.cards), placers=bytes(meld.placers), seat=meld.seat, run=meld.run)


def one_more(number: int | None) -> int:
    return 0 if number is None else number + 1


def event_message(event: Event) -> view_pb2.Event:
    return view_pb2.Event(
        kind=view_pb2.Event.Kind.Name(event.kind), seat=event.seat, cards=bytes(event.cards),  # type: ignore[arg-type]
        groups=groups(event.groups), lay_offs=laid(event.lay_offs), points=event.points, reason=event.reason,
    )  # fmt: skip


def decision_message(match: Match, seat: int, events: list[Event], number: int) -> table_pb2.Decision:
    assert match.decision is not None
    legal = match.legal_actions()
    codes = [code for code in map(encoder.code_of, legal) if code is not None]
    return table_pb2.Decision(
        match=77, number=number, game=match.game.spec.key, options=options_json(match.game), deal=match.deal,
        ply=match.ply, phase=int(match.decision.phase), view=view_message(match.view(seat)),  # type: ignore[arg-type]
        events=[event_message(event) for event in events], legal=bytes(codes),
        moves=[action_message(action) for action in legal if encoder.code_of(action) is None],
        fallback=action_message(match.default_action()), seed=2**64 - 2 - seat, limit_ms=1000, bank_ms=60000 - number,
        last_us=number * 3, last_wait_us=number * 5,
    )  # fmt: skip


# ---- random play of every game


def tables() -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Every game at every number of seats, and once with each set of options."""
    for key, game in sorted(GAMES.items()):
        numbers = range(game.spec.min_seats, game.spec.max_seats + 1)
        yield from ((key, seats, {}) for seats in numbers)
        chosen = [options for options in OPTION_SETS.get(key, []) if options]
        yield from ((key, numbers[at % len(numbers)], options) for at, options in enumerate(chosen))


@pytest.mark.parametrize(("key", "seats", "options"), list(tables()), ids=str)
def test_every_decision_of_random_play(key: str, seats: int, options: dict[str, Any]) -> None:  # R21
    chance = random.Random(f"{key} {seats}")
    match = Match(find_game(key, options), seats, b"wire" + bytes([seats]), max_deals=3 if options else 12)
    encoders = [
        SeatEncoder(77, match, seat, options=options_json(match.game), seed=2**64 - 2 - seat, limit_ms=1000)
        for seat in range(seats)
    ]
    told = [0] * seats
    while match.decision is not None:
        seat = match.decision.seat
        events = [event.seen_by(seat) for event in match.events[told[seat] :]]
        told[seat] = len(match.events)
        data = encoders[seat].decision(match.actions, 60000 - match.actions, match.actions * 3, match.actions * 5)
        check_decision(match, seat, events, data)
        match.apply(chance.choice(match.legal_actions()))
    for seat in range(seats):
        check_end(match, encoders[seat].end(), [event.seen_by(seat) for event in match.events[told[seat] :]])


def test_events_that_do_not_fit_the_table_of_ready_ones_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_MOST_KEPT", 4)
    monkeypatch.setattr(encoder, "_TOLD", ({}, {}))
    test_every_decision_of_random_play("gin", 2, {})
    assert all(0 < len(told) <= 4 for told in encoder._TOLD)


@pytest.mark.parametrize("key", sorted(GAMES))
def test_pushed_events_and_those_of_decisions_are_all_of_them_once(key: str) -> None:
    chance = random.Random(key)
    match = Match(find_game(key), GAMES[key].spec.max_seats, b"news", max_deals=3)
    encoders = [SeatEncoder(77, match, seat, options="{}", seed=0, limit_ms=1) for seat in range(match.seats)]
    heard: list[list[Event]] = [[] for _ in encoders]
    while match.decision is not None:
        for seat, seat_encoder in enumerate(encoders):
            data = b"" if chance.random() < 0.5 else seat_encoder.news()
            if seat == match.decision.seat:
                data += seat_encoder.decision(match.actions, 0, 0, 0)
            message = codec.read_to_bot(data)
            for told in (message.news, message.decisions):
                assert all(part.match == 77 for part in told)
                heard[seat] += [codec.read_event(event) for part in told for event in part.events]
        match.apply(chance.choice(match.legal_actions()))
    for seat, seat_encoder in enumerate(encoders):
        (end,) = codec.read_to_bot(seat_encoder.end()).ends
        heard[seat] += map(codec.read_event, end.events)
        assert heard[seat] == [public(event.seen_by(seat)) for event in match.events]
        assert seat_encoder.news() == b""


def check_decision(match: Match, seat: int, events: list[Event], data: bytes) -> None:
    wanted = decision_message(match, seat, events, match.actions)
    assert data == table_pb2.ToBot(decisions=[wanted]).SerializeToString()
    (got,) = codec.read_to_bot(data).decisions
    assert match.decision is not None
    assert codec.read_view(got.view, got.game, codec.read_phase(got.phase)) == match.view(seat)
    assert [codec.read_event(event) for event in got.events] == [public(event) for event in events]
    legal = codec.simple_actions(got.legal) + tuple(map(codec.read_action, got.moves))
    assert sorted(legal, key=repr) == sorted(match.legal_actions(), key=repr)
    assert codec.read_action(got.fallback) == match.default_action()


def public(event: Event) -> Event:
    """Who else may see an event is not on the wire."""
    return Event(
        event.kind, event.seat, event.cards, event.groups, event.lay_offs, event.points, event.reason
    )  # fmt: skip


def check_end(match: Match, data: bytes, events: list[Event]) -> None:
    assert match.result is not None
    wanted = table_pb2.MatchEnd(
        match=77, placements=match.result.placements, scores=match.result.scores, reason=match.result.reason,
        events=[event_message(event) for event in events],
    )  # fmt: skip
    assert data == table_pb2.ToBot(ends=[wanted]).SerializeToString()


# ---- what random play does not reach


def test_a_view_with_everything_in_it() -> None:
    meld = TableMeld((53, 1, 2), (1, 0, 5), 1, True)
    view = View(
        game="any", phase=Phase.PLAY, seat=5, seats=6, hand=tuple(range(54)), hand_sizes=(54, 0, 1, 2, 3, 200),
        stock=300, pile=tuple(range(53, -1, -1)) * 2, melds=(meld, TableMeld((), (), 0, False)),
        known=((), (0,), (), (1, 2), (), ()), scores=(0, -1, 1, -(1 << 31), 2147483647, 101), status=(1, 2, 0, 1, 1, 1),
        turn=5, dealer=4, knock_limit=1000, forbidden=0, owed=53, closer=0, turns=5000, broken_at=0,
        wild=53, contract=(2, 1), whole=True, renewing=True, to_ask=(5, 0), bought=(0, 0, 0, 3, 0, 255),
        renewal=Renewal(300, (53, 0, 0), (0, 1, 53), (0, 1, 2, 3, 4, 255), ((), (0,), (1, 1), (), (53, 0), ())),
        losses=(0, 80, 1000, -5, 0, 1), had_laid=True, laid_off=True, idle=200,
    )  # fmt: skip
    data = encoder.encode_view(view)
    assert data == view_message(view).SerializeToString()
    assert codec.read_view(view_pb2.View.FromString(data), "any", Phase.PLAY) == view


@pytest.mark.parametrize("field", ["drawn", "revealed", "bought", "losses"])
def test_a_list_by_seat_of_another_length_is_refused(field: str) -> None:
    message = view_message(Match(find_game("contract"), 3, b"lists").view(0))
    part = message.renewal if field in ("drawn", "revealed") else message
    if field in ("drawn", "bought"):
        setattr(part, field, b"\0\0")
    else:
        getattr(part, field).extend([b""] if field == "revealed" else [0])
    with pytest.raises(BadInput, match="one element a seat"):
        codec.read_view(message, "contract", Phase.START)


@pytest.mark.parametrize("kind", EventKind)
def test_an_event_with_everything_in_it(kind: EventKind) -> None:
    event = Event(kind, 3, (0, 53), ((1, 2, 3),), (LayOff((4,), 300 % 256),), (-5, 0, 2147483647), "größer")
    assert encoder.encode_event(event, 3) == event_message(event).SerializeToString()
    assert codec.read_event(view_pb2.Event.FromString(encoder.encode_event(event, 3))) == event


def test_a_private_card_reaches_its_seat_only() -> None:
    event = Event(EventKind.DRAW_STOCK, 1, (17,), private=True)
    assert view_pb2.Event.FromString(encoder.encode_event(event, 1)).cards == b"\x11"
    assert view_pb2.Event.FromString(encoder.encode_event(event, 0)).cards == b""


def test_numbers_and_parts() -> None:
    for number in (0, 1, 127, 128, 300, 2**32 - 1, 2**63):
        part = encoder.rejection_part(number, 5, "late", 1)
        assert table_pb2.ToBot.FromString(part).rejections[0].match == number
    welcome = table_pb2.Welcome(protocol=1, bot="x")
    message = table_pb2.ToBot.FromString(encoder.welcome_part(welcome) + encoder.goodbye_part("so long"))
    assert message.welcome == welcome
    assert message.goodbye == "so long"
