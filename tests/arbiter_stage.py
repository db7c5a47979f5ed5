"""An arbiter's service in this process, which plays orders by itself, or does what a test tells it instead."""

import random
import secrets
from collections.abc import Callable, Iterator
from concurrent import futures
from datetime import datetime
from pathlib import Path

import grpc

from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.replay import Recorder
from rummy.store import arbiters
from rummy.store.db import Database
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc

TOKEN = "workers only"
SHORT: dict[str, object] = {"target": 10, "deal_cap": 2}  # Options with which a match of gin is over soon.
Context = grpc.ServicerContext
Answer = Callable[[arbiter_pb2.Order, Context], Iterator[arbiter_pb2.OrderUpdate]]


def play_leg(order: arbiter_pb2.Order, leg: int) -> bytes:
    """The replay of a leg in which everybody plays at random, the same whenever it is played."""
    names = [entrant.name for entrant in order.entrants]
    options = {} if order.options == "{}" else SHORT
    match = Match(find_game(order.game, options), len(names), order.seed)
    recorder = Recorder({"leg": leg, "bots": names[leg:] + names[:leg]}, match)
    chance = random.Random(order.seed)
    while match.decision is not None:
        seat, action = match.decision.seat, chance.choice(list(match.legal_actions()))
        match.apply(action)
        recorder.action(seat, action, took_us=1)
    return recorder.finish()


def play(order: arbiter_pb2.Order, context: Context) -> Iterator[arbiter_pb2.OrderUpdate]:
    """All legs."""
    yield arbiter_pb2.OrderUpdate(progress=arbiter_pb2.OrderProgress(legs_done=0))
    replays = [play_leg(order, leg) for leg in range(order.legs)]
    yield arbiter_pb2.OrderUpdate(record=arbiter_pb2.OrderRecord(replays=replays))


class Stage(arbiter_pb2_grpc.ArbiterServicer):
    """Answers each order with the next of *answers*, and plays it once there are none left."""

    def __init__(self, folder: Path, database: Database, now: datetime) -> None:
        self.orders: list[arbiter_pb2.Order] = []
        self.answers: list[Answer] = []
        self.address = f"unix:{folder}/{secrets.token_hex(4)}.sock"
        self.incarnation = secrets.token_hex(4)
        self._server = grpc.server(futures.ThreadPoolExecutor(8))
        arbiter_pb2_grpc.add_ArbiterServicer_to_server(self, self._server)
        self._server.add_insecure_port(self.address)
        self._server.start()
        self.announce(database, now)

    def announce(self, database: Database, now: datetime) -> None:
        """Says in the database that this arbiter is up."""
        with database.transaction() as tx:
            self.arbiter_id = arbiters.announce(
                tx, address=self.address, bots_address="none", incarnation=self.incarnation, now=now
            )

    def Play(self, request: arbiter_pb2.Order, context: Context) -> Iterator[arbiter_pb2.OrderUpdate]:
        if ("authorization", f"Bearer {TOKEN}") not in context.invocation_metadata():
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "Who are you?")
        self.orders.append(request)
        yield from (self.answers.pop(0) if self.answers else play)(request, context)

    def Status(self, request: arbiter_pb2.StatusRequest, context: Context) -> arbiter_pb2.StatusReply:
        return arbiter_pb2.StatusReply(incarnation=self.incarnation)

    def close(self) -> None:
        """Ends at once, like a process that is killed."""
        self._server.stop(None).wait()
