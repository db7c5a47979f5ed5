"""Actions, answers and greetings: there and back, and every kind of garbage."""

from __future__ import annotations

import random

import pytest

from rummy.errors import BadInput, BotProtocolFault
from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
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
    Take,
    TurnOver,
)
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.wire import codec, encoder
from rummy.wire.v1 import cards_pb2, table_pb2, view_pb2

RUN, SET = (0, 1, 2), (6, 19, 32, 45)

ACTIONS: list[Action] = [
    DrawStock(), DrawPile(), DrawPile(64), DrawPile(65), DrawPile(112), TurnOver(), GoOut(), Continue(), Drop(),
    Take(), Pass(), EndMelds(),
    *(Discard(card) for card in (0, 51, 52, 53)),
    Knock(), Knock(0), Knock(53), Knock(None, ()), Knock(5, ()), Knock(0, (RUN, SET)), Knock(None, (RUN,)),
    BigGin(), BigGin(()), BigGin((RUN, SET)),
    Meld(RUN), LayOff((3,), 0), LayOff((3, 4), 7), LayOff((52,), 7, low=True),
    Arrange(), Arrange(()), Arrange((RUN,), (LayOff((3,), 0), LayOff((0,), 1))),
]  # fmt: skip


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_action_there_and_back(action: Action) -> None:
    message = cards_pb2.Action.FromString(encoder.encode_action(action))
    assert codec.read_action(message) == action
    assert message.SerializeToString() == encoder.encode_action(action)


def test_simple_codes_are_those_that_the_rules_state() -> None:
    for code, action in enumerate(codec.SIMPLE):
        if action is not None:
            assert encoder.code_of(action) == code
    assert codec.SIMPLE[12] == Discard(12)
    assert codec.SIMPLE[64 + 12] == Knock(12)
    assert [codec.SIMPLE[code] for code in range(128, 135)] == [
        DrawStock(), Take(), Pass(), Knock(), EndMelds(), BigGin(), Arrange(),
    ]  # fmt: skip
    assert [codec.SIMPLE[code] for code in (138, 139, 140)] == [TurnOver(), GoOut(), Continue()]
    assert [codec.SIMPLE[code] for code in (192, 255, 144, 191)] == [
        DrawPile(1), DrawPile(64), DrawPile(65), DrawPile(112),
    ]  # fmt: skip
    assert [code for code in range(54, 64) if codec.SIMPLE[code]] == []


@pytest.mark.parametrize("action", [DrawPile(113), DrawPile(0), Arrange(None, (LayOff((3,), 0),))], ids=repr)
def test_action_without_a_form_is_refused(action: Action) -> None:
    with pytest.raises(ValueError, match="no form on the wire"):
        encoder.encode_action(action)


GROUP = cards_pb2.CardGroup(cards=bytes(RUN))
LAID = cards_pb2.LayOff(cards=b"\x03", meld=0)
BAD_ACTIONS = {
    "unknown code": cards_pb2.Action(code=60),
    "code of two bytes": cards_pb2.Action(code=4000),
    "no code of its own": cards_pb2.Action(code=142),
    "cards beside a discard": cards_pb2.Action(code=1, groups=[GROUP]),
    "lay-offs beside a knock": cards_pb2.Action(code=70, lay_offs=[LAID], own=True),
    "own draw": cards_pb2.Action(code=128, own=True),
    "meld without cards": cards_pb2.Action(code=136),
    "two melds at once": cards_pb2.Action(code=136, groups=[GROUP, GROUP]),
    "no card": cards_pb2.Action(code=136, groups=[cards_pb2.CardGroup(cards=b"\x36\x01\x02")]),
    "too many cards": cards_pb2.Action(code=136, groups=[cards_pb2.CardGroup(cards=bytes(159))]),
    "too many groups": cards_pb2.Action(code=135, groups=[GROUP] * 37),
    "too many lay-offs": cards_pb2.Action(code=135, lay_offs=[LAID] * 159),
    "no such meld": cards_pb2.Action(code=137, lay_offs=[cards_pb2.LayOff(cards=b"\x03", meld=256)]),
}


@pytest.mark.parametrize("message", BAD_ACTIONS.values(), ids=BAD_ACTIONS.keys())
def test_garbage_in_an_action_costs_that_answer_only(message: cards_pb2.Action) -> None:
    with pytest.raises(BadInput, match=r"\w{3,}.*\."):
        codec.read_action(message)
    good = table_pb2.Answer(match=8, number=1, codes=b"\x80")
    bad = table_pb2.Answer(match=7, number=3, actions=[message])
    first, second = codec.read_answers(table_pb2.FromBot(answers=[bad, good]).SerializeToString())
    assert (first.match, first.number, first.actions) == (7, 3, ())
    assert first.fault
    assert second == codec.Answer(8, 1, (DrawStock(),), None)


@pytest.mark.parametrize(
    "answer",
    [
        table_pb2.Answer(match=1),
        table_pb2.Answer(match=1, codes=bytes(65)),
        table_pb2.Answer(match=1, codes=b"\x3f"),
        table_pb2.Answer(match=1, codes=b"\x80", actions=[cards_pb2.Action(code=128)]),
        table_pb2.Answer(match=1, actions=[cards_pb2.Action(code=128)] * 65),
    ],
)
def test_an_answer_that_makes_no_sense_says_so(answer: table_pb2.Answer) -> None:
    (read,) = codec.read_answers(table_pb2.FromBot(answers=[answer]).SerializeToString())
    assert read.actions == ()
    assert read.fault


def test_answers_there_and_back() -> None:
    turns: list[tuple[Action, ...]] = [(DrawStock(),), (DrawStock(), Discard(4)), (Meld(RUN), EndMelds(), Discard(0))]
    data = b"".join(encoder.answer_part(9 << 33, number, turn) for number, turn in enumerate(turns))
    assert codec.read_answers(data) == [codec.Answer(9 << 33, number, turn, None) for number, turn in enumerate(turns)]
    assert table_pb2.FromBot.FromString(data).SerializeToString() == data


def test_bytes_that_are_no_message_are_refused_with_a_sentence() -> None:
    chance = random.Random(5)
    for _ in range(2000):
        data = chance.randbytes(chance.randrange(60))
        for read in (codec.read_hello, codec.read_answers):
            try:
                read(data)
            except BotProtocolFault as error:
                assert str(error).endswith((".", "/."))


def offering(game: str, *options: str) -> table_pb2.FromBot:
    offers = [table_pb2.GameOffer(game=game, options=options)]
    return table_pb2.FromBot(hello=table_pb2.Hello(protocol=1, games=offers))


def test_hello_is_read() -> None:
    options = ["{}", '{ "target": 100, "knock_limit": 5 }']
    offers = [table_pb2.GameOffer(game="gin", options=options), table_pb2.GameOffer(game="one_oh_one")]
    data = encoder.hello_part(table_pb2.Hello(token="t", protocol=1, games=offers, concurrency=4, sdk="x" * 500))
    greeting = codec.read_hello(data)
    assert greeting.token == "t"
    assert greeting.offers == (codec.Offer("gin", ("{}", '{"knock_limit":5}')), codec.Offer("one_oh_one", ()))
    assert greeting.concurrency == 4
    assert len(greeting.sdk) == 100


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (table_pb2.FromBot(), "hello"),
        (table_pb2.FromBot(hello=table_pb2.Hello()), "version 1 of the protocol, not 0"),
        (table_pb2.FromBot(hello=table_pb2.Hello(protocol=2)), "update the bot's SDK"),
        (table_pb2.FromBot(hello=table_pb2.Hello(protocol=1, games=[table_pb2.GameOffer()] * 65)), "64 games"),
        (offering("whist"), "no game 'whist'"),
        (offering("gin", '{"colour":1}'), "no option 'colour'"),
        (offering("gin", "{"), "no JSON"),
        (offering("gin", "[]"), "names with values"),
        (
            table_pb2.FromBot(hello=table_pb2.Hello(protocol=1, games=[table_pb2.GameOffer(options=["x" * 5000])])),
            "4096 bytes",
        ),
    ],
)
def test_a_hello_that_cannot_be_served_says_why(message: table_pb2.FromBot, says: str) -> None:
    with pytest.raises(BotProtocolFault, match=says):
        codec.read_hello(message.SerializeToString())


def test_hello_among_answers_is_refused() -> None:
    data = table_pb2.FromBot(hello=table_pb2.Hello(protocol=1)).SerializeToString()
    with pytest.raises(BotProtocolFault, match="first message"):
        codec.read_answers(data)


def test_the_pile_of_three_packs_has_a_form() -> None:
    match = Match(find_game("contract", {"contracts": [[1, 0]], "cards": [3]}), 5, b"long")
    while match.decision is not None and len(match.view(0).pile) < 140:
        match.apply(match.default_action())
    view = match.view(0)
    assert len(view.pile) == 140
    message = view_pb2.View.FromString(encoder.encode_view(view))
    assert view.phase is not None
    assert codec.read_view(message, "contract", view.phase) == view
