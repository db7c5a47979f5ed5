"""A shelf of bad bots, each beside good ones: they cost themselves what is stated, and nobody else anything."""

from __future__ import annotations

import asyncio
import resource

import grpc
import grpc.aio
import pytest
from stage import BANK_MS, GRACE, LIMIT_MS, PATIENCE, Bot, Stage, an_order, checked, everybody, first_legal, token
from test_fuzz import SHORT

from arbiter import server
from arbiter.directory import LaneKey
from arbiter.hall import Hall
from arbiter.lane import IDLE_AGAIN, MOST_IDLE
from arbiter.lobby import DIALLED_AGAIN, MOST_DIALLED
from rummy.rules.actions import DrawStock
from rummy.rules.games import GAMES
from rummy.wire import codec, encoder
from rummy.wire.v1 import arbiter_pb2, table_pb2, view_pb2

ALLOWED = (LIMIT_MS + BANK_MS) / 1000
PATIENT = arbiter_pb2.FaultPolicy(strikes=1000, grace_seconds=GRACE, deaths=3)
CROWD = 1000


def here(stage: Stage, version: int) -> bool:
    return any(lane.key.version_id == version for lane in stage.hall.lobby.present())


async def leave(stage: Stage, bot: Bot, version: int) -> None:
    """Vanishes, and waits until the arbiter knows."""
    bot.call.cancel()
    await stage.settle(lambda: not here(stage, version))


@pytest.mark.parametrize(("seconds", "strikes"), [(ALLOWED, 0), (ALLOWED + 0.001, 1)], ids=["in time", "1 ms late"])
async def test_a_millisecond_decides(stage: Stage, seconds: float, strikes: int) -> None:
    bot = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    decision = await bot.decision()
    stage.clock.time += seconds
    await bot.send(first_legal(decision))
    await bot.play_until_end(order)
    [match] = checked(await order)
    assert match.strikes == (strikes, 0) and match.result.forfeits == (None, None)


def illegal(decision: table_pb2.Decision) -> bytes:
    """A simple action that the decision does not list."""
    code = next(code for code in (141, 138, 133, 129, 131, 140) if code not in decision.legal)
    return encoder.answer_part(decision.match, decision.number, codec.simple_actions(bytes([code])))


def melding(decision: table_pb2.Decision) -> bytes:
    """Lays what it can, so that it comes to go out, and else waits until somebody ends the deal."""
    action = codec.read_action(decision.moves[0] if decision.moves else decision.fallback)
    return encoder.answer_part(decision.match, decision.number, [action])


OFFER, START, PLAY, DISCARD, SHOW, GO_OUT = range(1, 7)
PHASES = {
    "basic": {START, PLAY, DISCARD},
    "club": {START, PLAY, DISCARD, GO_OUT},
    "contract": {OFFER, START, PLAY, DISCARD},
    "gin": {OFFER, START, DISCARD, SHOW},
    "indian13": {START, DISCARD},  # Nobody shows by chance.
    "one_oh_one": {START, PLAY, DISCARD},
    "rummy500": {START, PLAY, DISCARD},
}
LONGER = {
    "club": '{"rounds":1}',
    "contract": '{"buying":true,"cards":[6],"contracts":[[1,0]],"packs":"two","turn_cap":12}',
    "gin": '{"target":100}',
    "one_oh_one": "{}",
}


def test_each_phase_is_on_the_shelf() -> None:
    assert PHASES.keys() == GAMES.keys()
    assert set().union(*PHASES.values()) == {number for number in view_pb2.Phase.values() if number}


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_an_illegal_answer_in_each_phase_is_a_strike_with_its_reason(stage: Stage, game: str) -> None:
    seats = max(2, GAMES[game].spec.min_seats)
    cheat = await stage.bot(1)
    for number in range(2, seats + 1):
        await stage.player(number)
    order = stage.start(an_order(1, range(1, seats + 1), game, options=LONGER.get(game, SHORT[game]), faults=PATIENT))
    tried: set[int] = set()
    while not order.done():
        await stage.settle(lambda: order.done() or cheat.asked or stage.hall.tables.running)
        if not (cheat.asked or await until_asked(cheat)):
            break
        decision = cheat.asked.pop(0)
        await cheat.send(melding(decision) if decision.phase in tried else illegal(decision))
        tried.add(decision.phase)
    [match] = checked(await order)
    await cheat.until(lambda: len(cheat.rejections) >= len(tried))
    assert match.strikes == (len(tried), *[0] * (seats - 1)) and tried >= PHASES[game]
    assert match.result.forfeits == (None,) * seats
    assert all(rejection.reason.endswith((".", ")")) for rejection in cheat.rejections)


async def until_asked(bot: Bot) -> bool:
    """Reads on; False once the match has ended."""
    while not bot.asked and not bot.ends:
        assert await bot.read()
    return bool(bot.asked)


MOMENTS = ("before welcome", "when asked", "with its answer", "in the other's turn", "after news")


async def test_leaving_and_coming_back_in_every_state_costs_nothing(stage: Stage) -> None:
    """Fault P22: everything open is asked again in full, and the slots return to nothing."""
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    for moment in MOMENTS * 3:
        bot = Bot(stage.bots_channel)
        await bot.hello(token(1), push_events=moment == "after news")
        if moment == "before welcome":
            bot.call.cancel()
            continue
        while bot.welcome is None:
            assert await bot.read()
        assert await until_asked(bot)
        if moment not in ("when asked", "after news"):
            await bot.send(b"".join(map(first_legal, bot.asked)))
        if moment == "in the other's turn":
            await stage.settle(lambda: asked(stage, 2))
        if moment == "after news":
            while not bot.news and await until_asked(bot):
                await bot.send(b"".join(map(first_legal, bot.asked)))
                bot.asked.clear()
                assert await bot.read()
        await leave(stage, bot, 1)
    last = await stage.player(1)
    [match] = checked(await order)
    assert match.result.forfeits == (None, None) and match.strikes == (0, 0)
    await leave(stage, last, 1)
    assert not stage.hall.tables.running and not stage.hall.tables.waiting
    assert [lane.key.version_id for lane in stage.hall.lobby.present()] == [2]


def asked(stage: Stage, version: int) -> bool:
    """Whether that bot's answer is waited for."""
    lanes = [lane for referee in stage.hall.tables.running for lane in referee.lanes]
    return any(lane.key.version_id == version and any(c.open for c in lane.chairs.values()) for lane in lanes)


def all_sent(stage: Stage) -> bool:
    """Whether no message is under way: who does not read while seconds pass is turned out."""
    return not any(lane.connection and lane.connection.writing_since for lane in stage.hall.lobby.present())


async def test_one_that_is_silent_in_one_of_eight_matches_holds_up_none(stage: Stage) -> None:
    """Fault P19: a loss on time is one match's affair."""
    forgetful = await stage.bot(1)
    await stage.player(2)
    orders = [stage.start(an_order(fixture, (1, 2))) for fixture in range(1, 9)]
    await forgetful.until(lambda: len(forgetful.starts) == 8)
    silent = forgetful.starts[3].match

    def choose(decision: table_pb2.Decision) -> bytes:
        return b"" if decision.match == silent else first_legal(decision)

    stage.spawn(forgetful.play(choose))
    await stage.settle(lambda: sum(order.done() for order in orders) == 7)
    while not all(order.done() for order in orders):
        await stage.settle(lambda: all(order.done() for order in orders) or (asked(stage, 1) and all_sent(stage)))
        stage.pass_time(ALLOWED + 0.1)
        await asyncio.sleep(0)
    matches = [checked(await order)[0] for order in orders]
    assert sorted(match.result.forfeits[0] or "" for match in matches) == [""] * 7 + ["timeout"]


FLOODS = {
    "empty messages": (b"", "not open"),
    "answers to nothing": (encoder.answer_part(1, 1, [DrawStock()]) * 1000, "not open"),
    "too many answers": (b"\x12\x00" * 1025, "at most 1024 answers"),
    "too large": (bytes(64 << 10) + b"\x00", "at most 65536 bytes"),
}


@pytest.mark.parametrize("kind", FLOODS)
async def test_one_that_floods_is_turned_out_and_its_match_lost_and_others_play_on(stage: Stage, kind: str) -> None:
    """What it may send at once is bounded in bytes, in answers, and in answers to nothing."""
    flooding = await stage.bot(1)
    for number in (2, 3):
        await stage.player(number)
    flooded, other = stage.start(an_order(1, (1, 2))), stage.start(an_order(2, (2, 3)))
    await flooding.decision()
    message, why = FLOODS[kind]
    stage.spawn(pour(flooding, message))
    await flooding.listen()
    await stage.settle(lambda: not here(stage, 1))
    [lane] = stage.hall.lobby.lanes([LaneKey(1, 0)])
    assert why in lane.gone_text
    assert len(flooding.rejections) <= 2 * MOST_IDLE
    [match] = checked(await other)
    assert (match.strikes, match.result.forfeits) == ((0, 0), (None, None))
    stage.pass_time(GRACE + 0.1)
    [match] = checked(await flooded)
    assert match.result.forfeits == ("protocol", None)


async def pour(bot: Bot, message: bytes) -> None:
    """Sends it again and again, until nobody takes it."""
    try:
        while True:
            await bot.send(message)
    except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
        pass


async def test_answers_that_come_too_late_are_borne(stage: Stage) -> None:
    """As many as a slow bot with many matches can have under way, and again after a while."""
    slow = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    decision = await slow.decision()
    for _ in range(3):
        await slow.send(encoder.answer_part(1, 1, [DrawStock()]) * 1000)
        await slow.until(lambda: len(slow.rejections) == 1000)
        slow.rejections.clear()
        stage.clock.time += 1000 / IDLE_AGAIN
    stage.clock.time -= 3000 / IDLE_AGAIN
    await slow.send(first_legal(decision))
    await slow.play_until_end(order)
    assert checked(await order)[0].strikes == (0, 0)


async def test_one_that_dials_again_and_again_has_to_wait(stage: Stage) -> None:
    """Each new stream is told everything again, which takes the arbiter's time."""
    for _ in range(MOST_DIALLED):
        await stage.bot(1)
    bot = Bot(stage.bots_channel)
    await bot.hello(token(1))
    await bot.listen()
    code, text = await bot.status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED and "too often" in text
    assert here(stage, 1)  # The stream before is left alone.
    assert (await stage.bot(2)).welcome
    stage.clock.time += 1 / DIALLED_AGAIN
    assert (await stage.bot(1)).welcome


async def test_metadata_without_end_is_refused(stage: Stage) -> None:
    bot = Bot(stage.bots_channel, [("x-noise", "x" * 60_000)])
    await bot.listen()
    assert (await bot.status())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await stage.bot(1)).welcome


async def test_one_connection_has_room_for_so_many_calls(stage: Stage) -> None:
    """Streams that say nothing wait in the client that has opened them."""
    quiet = [Bot(stage.bots_channel) for _ in range(server.MAX_STREAMS)]
    await asyncio.gather(*(bot.call.wait_for_connection() for bot in quiet))
    late = Bot(stage.bots_channel)
    greeting = asyncio.ensure_future(late.hello(token(1)))
    async with grpc.aio.insecure_channel(stage.address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        other = Bot(channel)
        await other.hello(token(2))
        await other.until(lambda: other.welcome)
        assert here_in(stage.hall) == [2]
        quiet[0].call.cancel()
        await greeting
        await late.until(lambda: late.welcome)


@pytest.mark.realtime
async def test_a_thousand_half_open_clients_are_let_go_and_disturb_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault P21: connections that say hello to HTTP/2 and never answer again."""
    monkeypatch.setattr(server, "OPTIONS", server.keepalive(1.0, 1.0))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    hall = Hall()
    [address] = await hall.open_to_bots(everybody(), ["127.0.0.1:0"])
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
    crowd = []
    for _ in range(CROWD):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
        writer.write(preface)
        crowd.append((reader, writer))
    async with asyncio.timeout(PATIENCE), grpc.aio.insecure_channel(address) as channel:
        bot = Bot(channel)
        await bot.hello(token(1))
        await bot.until(lambda: bot.welcome)  # Everybody else is served.
        for reader, writer in crowd:
            await until_closed(reader)
            writer.close()
        assert here_in(hall) == [1]  # Who answers stays.
        bot.call.cancel()
    await hall.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def until_closed(reader: asyncio.StreamReader) -> None:
    """Reads until the arbiter has ended the connection."""
    try:
        while await reader.read(1 << 12):
            pass
    except ConnectionError:
        pass


def here_in(hall: Hall) -> list[int]:
    return [lane.key.version_id for lane in hall.lobby.present()]
