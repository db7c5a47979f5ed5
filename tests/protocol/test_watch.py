"""Spectators: everything that is public, nothing before it is, and of deals that are played again no card at all."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import grpc
import grpc.aio
import pytest
from stage import Stage, an_order, checked

from arbiter.servicers import watch
from rummy.rules.game import Event
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.replay import Reader
from rummy.wire import codec
from rummy.wire.encoder import encode_view, followed_part
from rummy.wire.v1 import view_pb2, watch_pb2, watch_pb2_grpc


def stub(stage: Stage) -> Any:
    return watch_pb2_grpc.WatchStub(stage.bots_channel)


async def followed(stage: Stage, fixture: int) -> list[watch_pb2.FollowUpdate]:
    return [update async for update in stub(stage).Follow(watch_pb2.FollowRequest(fixture=fixture))]


def public_events(replay: bytes) -> list[Event]:
    """What everybody at the table has learned, from the replay."""
    reader = Reader(replay)
    reader.check()
    return [event.seen_by(None) for event in reader.match.events]


def public_tables(replay: bytes) -> dict[int, bytes]:
    """By the events that have happened: the table as everybody saw it then."""
    reader = Reader(replay)
    tables = {len(reader.match.events): encode_view(reader.match.view(None))}
    for _ in reader.play():
        tables[len(reader.match.events)] = encode_view(reader.match.view(None))
    return tables


def check_tables(updates: list[watch_pb2.FollowUpdate], replay: bytes) -> None:
    """Each table that was told stood like that after the events that were told before it, and shows no hand."""
    there, told = 0, 0
    tables = public_tables(replay)
    for update in updates:
        there += len(update.events)
        if update.HasField("table"):
            told += 1
            assert not update.table.hand
            assert update.table == view_pb2.View.FromString(tables[there])
    assert told


def plain(event: Event) -> tuple[object, ...]:
    return event.kind, event.seat, event.cards, event.groups, event.lay_offs, event.points, event.reason


@pytest.mark.parametrize(("game", "bots"), [("gin", (1, 2)), ("one_oh_one", (1, 2, 3))], ids=str)
async def test_a_match_whose_deals_are_used_once_is_told_whole(stage: Stage, game: str, bots: tuple[int, ...]) -> None:
    order = an_order(7, bots, game)
    first = await stage.bot(bots[0])
    playing = stage.start(order)  # One bot has come, the match has not begun.
    await stage.settle(lambda: stage.hall.orders.running)
    following = asyncio.ensure_future(followed(stage, 7))
    for number in bots[1:]:
        await stage.player(number)
    stage.spawn(first.play())
    updates = await following
    record = await playing
    [match] = checked(record)
    start = updates[0].start
    assert (start.game, start.options, start.legs, start.open) == (game, order.options, 1, True)
    assert list(start.bots) == [f"bot {number}" for number in bots]
    told = [codec.read_event(event) for update in updates for event in update.events]
    assert [plain(event) for event in told] == [plain(event) for event in public_events(record.record.replays[0])]
    check_tables(updates, record.record.replays[0])
    [result] = updates[-1].results
    assert tuple(result.placements) == match.result.placements
    assert (tuple(result.scores), result.reason) == (match.result.scores, match.result.reason)


async def test_who_comes_late_is_told_from_the_beginning(stage: Stage) -> None:
    for number in (1, 2):
        await stage.player(number)
    playing = stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: any(len(r.match.events) > 20 for r in stage.hall.tables.running) or playing.done())
    updates = await followed(stage, 7)
    record = await playing
    told = [codec.read_event(event) for update in updates for event in update.events]
    events = [plain(event) for event in public_events(record.record.replays[0])]
    assert [plain(event) for event in told] in (events, [])  # Of a match that is over its replay tells.
    assert updates[-1].results


async def test_of_mirrored_deals_only_progress_is_told(stage: Stage) -> None:
    """Another lane may be about to play the same deal: not a card, not a score before the last leg is over."""
    for number in (11, 12):
        for lane in range(2):
            await stage.player(number, lane=lane)
    playing = stage.start(an_order(7, (11, 12)))
    await stage.settle(lambda: stage.hall.orders.running)
    updates = await followed(stage, 7)
    matches = checked(await playing)
    assert not updates[0].start.open and updates[0].start.legs == 2
    for update in updates[1:-1]:
        assert update.HasField("progress") and not update.events and not update.results
    assert not any(update.HasField("table") for update in updates)
    assert [tuple(result.scores) for result in updates[-1].results] == [match.result.scores for match in matches]


async def test_a_delay_holds_back_what_is_young(stage: Stage) -> None:
    for number in (1, 2):
        await stage.player(number)
    playing = stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.tables.running)
    order = stage.hall.orders.of_fixture(7)
    with order.followed():
        story = watch.Story(order, stage.clock, 30.0)
        assert story.news() == b""
        await playing
        for wait in (29.9, 0.1):
            assert story.news() == b""
            assert not story.told
            stage.clock.time += wait
        last = watch_pb2.FollowUpdate.FromString(story.news())
        assert len(last.events) == len(order.events) > 20
        assert story.told and last.results
    assert order.events == []


async def test_the_table_is_as_old_as_the_events(stage: Stage) -> None:
    """With a delay of ten seconds nobody learns from the table what has happened since."""
    bots = [await stage.bot(number) for number in (1, 2)]
    playing = stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.tables.running)
    order = stage.hall.orders.of_fixture(7)
    updates = []
    with order.followed():
        story = watch.Story(order, stage.clock, 10.0)
        for bot in bots:
            stage.spawn(bot.play())
        while not story.told:
            if said := story.news():
                updates.append(watch_pb2.FollowUpdate.FromString(said))
            stage.clock.time += 0.2
            await asyncio.sleep(0)
    record = await playing
    check_tables(updates, record.record.replays[0])


async def test_who_comes_late_is_told_a_long_match_in_parts(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MAX_EVENTS", 7)
    for number in (1, 2):
        await stage.player(number)
    playing = stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.tables.running)
    order = stage.hall.orders.of_fixture(7)
    with order.followed():
        record = await playing
        story = watch.Story(order, stage.clock, 0.0)
        updates = []
        while not story.told:
            updates.append(watch_pb2.FollowUpdate.FromString(story.news()))
    assert {len(update.events) for update in updates[:-1]} == {7} and 0 < len(updates[-1].events) <= 7
    told = [plain(codec.read_event(event)) for update in updates for event in update.events]
    assert told == [plain(event) for event in public_events(record.record.replays[0])]
    assert [bool(update.results) for update in updates] == [False] * (len(updates) - 1) + [True]


async def test_of_hosted_bots_no_card_is_told_however_many_legs_there_are(stage: Stage) -> None:
    """Their deals are played again where the order is void."""
    for number in (11, 12):
        await stage.player(number, lane=0)
    playing = stage.start(an_order(7, (11, 12), legs=1))
    await stage.settle(lambda: stage.hall.orders.running)
    updates = await followed(stage, 7)
    checked(await playing)
    assert not updates[0].start.open and not any(update.events for update in updates)


async def test_waiting_for_a_delay_takes_no_room(stage: Stage) -> None:
    for number in (1, 2):
        await stage.bot(number)
    stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.orders.running)
    order = stage.hall.orders.of_fixture(7)
    await stage.settle(order.begun.is_set)
    story = watch.Story(order, stage.clock, 3600.0)
    for _ in range(1000):
        assert not story.news()
        stage.clock.time += 0.1
    assert len(story._seen) == 1


async def test_a_fixture_that_is_void_says_so(stage: Stage) -> None:
    await stage.bot(1)
    stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.orders.running)
    following = asyncio.ensure_future(followed(stage, 7))
    order = stage.hall.orders.of_fixture(7)
    await stage.settle(lambda: order._followers)
    closing = asyncio.ensure_future(stage.hall.orders.close(0))
    updates = await following
    await closing
    assert "ended before" in updates[-1].void and not updates[-1].results


@pytest.mark.parametrize(
    ("request_", "status", "says"),
    [
        (watch_pb2.FollowRequest(fixture=9).SerializeToString(), grpc.StatusCode.NOT_FOUND, "Fixture 9 is not in play"),
        (b"\xff", grpc.StatusCode.INVALID_ARGUMENT, "FollowRequest"),
    ],
    ids=["unknown", "garbage"],
)
async def test_what_cannot_be_followed_is_refused(
    stage: Stage, request_: bytes, status: grpc.StatusCode, says: str
) -> None:
    call: Any = stage.bots_channel.unary_stream("/rummy.wire.v1.Watch/Follow")
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        async for _ in call(request_):
            pass
    assert refused.value.code() is status
    assert says in str(refused.value.details())


async def test_there_is_room_for_so_many_spectators_and_they_leave(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MAX_FOLLOWERS", 2)
    await stage.bot(1)
    stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.orders.running)
    calls = [stub(stage).Follow(watch_pb2.FollowRequest(fixture=7)) for _ in range(2)]
    for call in calls:
        await call.read()
    with pytest.raises(grpc.aio.AioRpcError, match="2 spectators"):
        await followed(stage, 7)
    calls[0].cancel()
    while True:  # The place is free as soon as the arbiter has noticed.
        try:
            call = stub(stage).Follow(watch_pb2.FollowRequest(fixture=7))
            assert (await call.read()).HasField("start")
            break
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_spectator_has_no_seat() -> None:
    """Every card that is one seat's alone stays out, whoever's it is."""
    match = Match(find_game("gin"), 2, b"nobody")
    events = [Event(kind, seat, (5,), private=True) for seat in (0, 1) for kind in {e.kind for e in match.events}]
    update = watch_pb2.FollowUpdate.FromString(followed_part(events))
    assert [event.cards for event in update.events] == [b""] * len(events)


async def watch_command(stage: Stage, *options: str) -> tuple[int, str]:
    """What `arena watch 7` says, and its status."""
    command = (sys.executable, "-m", "rummy.cli", "watch", "7", "--arena", stage.address, *options)
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def test_the_command_tells_a_match_in_words_and_for_programs(stage: Stage) -> None:
    bot = await stage.bot(1)
    await stage.player(2)
    stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.orders.running)
    order = stage.hall.orders.of_fixture(7)
    words, objects = (asyncio.ensure_future(watch_command(stage, *options)) for options in ((), ("--json",)))
    await stage.settle(lambda: order._followers == 2)
    stage.spawn(bot.play())
    status, said = await words
    assert status == 0
    lines = said.splitlines()
    assert lines[0] == "bot 1 - bot 2, gin, 1 leg. Play is told as it happens."
    assert any("draws a card from the stock" in line for line in lines)
    assert lines[-1].startswith("Leg 0 has ended (target): 1. bot ")
    status, said = await objects
    updates = [json.loads(line) for line in said.splitlines()]
    assert (status, updates[0]["start"]["bots"]) == (0, ["bot 1", "bot 2"])
    kinds = [event["kind"] for update in updates for event in update.get("events", ())]
    assert kinds[0] == "deal" and kinds[-1] == "deal_end"
    assert updates[-1]["results"][0]["placements"] in ([1, 2], [2, 1])


async def test_the_command_ends_with_an_error_where_the_fixture_does_not_end_here(stage: Stage) -> None:
    await stage.bot(1)
    await stage.bot(2)
    stage.start(an_order(7, (1, 2)))
    await stage.settle(lambda: stage.hall.tables.running)
    order = stage.hall.orders.of_fixture(7)
    watching = [asyncio.ensure_future(watch_command(stage, *options)) for options in ((), ("--json",))]
    await stage.settle(lambda: order._followers == 2)
    [referee] = stage.hall.tables.running
    referee.void("The arena is <tired>.")
    (words_status, words), (status, objects) = await asyncio.gather(*watching)
    assert words_status == status != 0
    assert "The arena is <tired>." in words
    assert {"void": "The arena is <tired>."} in [json.loads(line) for line in objects.splitlines() if line[0] == "{"]


async def test_the_command_refuses_in_a_sentence(stage: Stage) -> None:
    status, said = await watch_command(stage)
    assert status != 0
    assert "Fixture 7 is not in play at this arbiter" in said and "Traceback" not in said
