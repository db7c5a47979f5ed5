"""What tools expect of a server: health, reflection, metrics; and how the arbiter ends."""

from __future__ import annotations

import asyncio
import urllib.request
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families
from stage import CREDENTIAL, Stage, an_order, bearer, checked, token

from arbiter import metrics
from rummy.errors import SettingsError

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
BOTS = ["rummy.wire.v1.Table", "rummy.wire.v1.Watch"]
STANDARD = ["grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"]


async def reflect(channel: grpc.aio.Channel, metadata: Any = (), **asked: str) -> Any:
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
    call = stub.ServerReflectionInfo(metadata=metadata)
    await call.write(reflection_pb2.ServerReflectionRequest(**asked))  # type: ignore[arg-type]
    answer = await call.read()
    call.cancel()
    return answer


async def test_each_port_lists_what_it_serves(stage: Stage) -> None:
    answer = await reflect(stage.bots_channel, list_services="")
    assert [service.name for service in answer.list_services_response.service] == sorted(BOTS + STANDARD)
    answer = await reflect(stage.workers_channel, bearer(CREDENTIAL), list_services="")
    names = [service.name for service in answer.list_services_response.service]
    assert names == sorted(["rummy.wire.v1.Arbiter", *STANDARD])


@pytest.mark.parametrize("symbol", ["rummy.wire.v1.Table", "rummy.wire.v1.Decision", "rummy.wire.v1.FollowUpdate"])
async def test_a_tool_can_learn_how_to_call_it(stage: Stage, symbol: str) -> None:
    answer = await reflect(stage.bots_channel, file_containing_symbol=symbol)
    assert answer.file_descriptor_response.file_descriptor_proto


@pytest.mark.parametrize(
    "asked",
    [
        {"file_containing_symbol": "rummy.wire.v1.Arbiter"},
        {"file_containing_symbol": "rummy.wire.v1.Order"},
        {"file_by_filename": "rummy/wire/v1/arbiter.proto"},
    ],
    ids=str,
)
async def test_bots_cannot_reflect_on_what_workers_call(stage: Stage, asked: dict[str, str]) -> None:
    answer = await reflect(stage.bots_channel, **asked)
    assert answer.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]


async def test_a_bot_that_tries_the_workers_service_gets_nowhere(stage: Stage) -> None:
    """The bots' port does not have it, and the workers' port wants another credential than a bot's."""
    for channel, metadata, status in (
        (stage.bots_channel, bearer(token(1)), grpc.StatusCode.UNIMPLEMENTED),
        (stage.bots_channel, bearer(CREDENTIAL), grpc.StatusCode.UNIMPLEMENTED),
        (stage.workers_channel, bearer(token(1)), grpc.StatusCode.UNAUTHENTICATED),
        (stage.workers_channel, (), grpc.StatusCode.UNAUTHENTICATED),
    ):
        for method in ("Play", "Status"):
            call: Any = channel.unary_unary(f"/rummy.wire.v1.Arbiter/{method}")
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call(an_order(1, (1, 2)).SerializeToString(), metadata=metadata)
            assert refused.value.code() is status
    with pytest.raises(grpc.aio.AioRpcError, match="workers' service"):
        await reflect(stage.workers_channel, bearer(token(1)), list_services="")


async def test_health_is_told_and_an_arbiter_that_ends_says_so_first(stage: Stage) -> None:
    health: Any = health_pb2_grpc.HealthStub(stage.bots_channel)
    for service in ("", *BOTS):
        assert (await health.Check(health_pb2.HealthCheckRequest(service=service))).status == SERVING
    with pytest.raises(grpc.aio.AioRpcError) as unknown:
        await health.Check(health_pb2.HealthCheckRequest(service="rummy.wire.v1.Arbiter"))
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND
    watching: Any = health.Watch(health_pb2.HealthCheckRequest(service=""))
    assert (await watching.read()).status == SERVING
    await stage.bot(1)
    running = stage.start(an_order(1, (1, 2)))
    await stage.settle(lambda: stage.hall.orders.running)
    closing = asyncio.ensure_future(stage.hall.close(60.0))
    assert (await watching.read()).status == NOT_SERVING
    assert not closing.done()  # What is in play may end.
    stage.pass_time(60.0)
    [match] = checked(await running)
    assert match.result.forfeits == (None, "never started")
    watching.cancel()
    await closing


async def test_what_is_measured_is_told_to_whoever_scrapes(stage: Stage) -> None:
    silent = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    with metrics.exposed("127.0.0.1:0", stage.hall.reading) as port:
        await silent.decision()
        playing = await _scrape(port)
        assert playing["arena_matches_running", ""] == 1 and playing["arena_orders_running", ""] == 1
        assert playing["arena_bots_connected", ""] == 2
        for _ in range(2):
            stage.pass_time(4.0)
            await silent.decision()
        stage.pass_time(4.0)
        checked(await order)
        over = await _scrape(port)
    assert over["arena_matches_running", ""] == 0
    assert over["arena_matches_total", "finished"] == 1
    assert over["arena_strikes_total", "timeout"] == 3
    assert over["arena_forfeits_total", "timeout"] == 1
    assert over["arena_decisions_total", ""] == stage.hall.tables.decisions > 3
    assert over["process_resident_memory_bytes", ""] > 0


async def _scrape(port: int) -> dict[tuple[str, str], float]:
    def fetch() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as page:
            return str(page.read().decode())

    families = text_string_to_metric_families(await asyncio.to_thread(fetch))
    return {
        (sample.name, "".join(sample.labels.values())): sample.value for family in families for sample in family.samples
    }


async def test_metrics_that_cannot_listen_say_so(stage: Stage) -> None:
    with metrics.exposed("127.0.0.1:0", stage.hall.reading) as port:
        taken = metrics.exposed(f"127.0.0.1:{port}", stage.hall.reading)
        with pytest.raises(SettingsError, match=f"ARENA_METRICS_LISTEN is 127.0.0.1:{port}"), taken:
            pass
