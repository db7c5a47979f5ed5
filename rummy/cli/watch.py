"""`arena watch`: a fixture in play, as its arbiter tells it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import grpc
import typer

from rummy.cli import here
from rummy.errors import HostFault
from rummy.rules.actions import Cards
from rummy.rules.cards import card_text
from rummy.rules.game import Event
from rummy.rules.narrate import sentence
from rummy.wire import codec
from rummy.wire.dial import channel
from rummy.wire.status import error_of
from rummy.wire.v1 import watch_pb2, watch_pb2_grpc


def watch(
    fixture: Annotated[int, typer.Argument(help="The fixture's number, as the dashboard shows it.")],
    arena: Annotated[str | None, typer.Option(help="HOST:PORT of the arbiter that plays it (default: here).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="An object a line, for programs.")] = False,
) -> None:
    """Follow a fixture that is being played, from its beginning to its end.

    Where the deals are played once, everything is told that everybody at the table may know. Where they are played in
    several legs, no card is shown before the last leg is over: only how far the fixture is.
    """
    names: list[str] = []
    for update in _updates(here.bots_address(arena), fixture):
        if update.HasField("start"):
            names = list(update.start.bots)
        for line in [_object(update)] if as_json else _sentences(update, names):
            typer.echo(line)
        if update.void:
            raise HostFault(update.void)


def _updates(address: str, fixture: int) -> Iterator[watch_pb2.FollowUpdate]:
    """What the arbiter tells. Raises what it refuses with."""
    with channel(address) as dialled_to:
        try:
            yield from watch_pb2_grpc.WatchStub(dialled_to).Follow(watch_pb2.FollowRequest(fixture=fixture))
        except grpc.RpcError as error:
            raise error_of(error) from None


def _sentences(update: watch_pb2.FollowUpdate, names: list[str]) -> Iterator[str]:
    if update.HasField("start"):
        start = update.start
        told = "is told as it happens" if start.open else "is told once all legs are over: the same deals come again"
        yield f"{' - '.join(names)}, {start.game}, {start.legs} {'leg' if start.legs == 1 else 'legs'}. Play {told}."
    if update.HasField("progress"):
        yield f"{update.progress.legs_done} legs and {update.progress.deals_done} deals are done."
    for event in codec.read_events(update.events):
        yield sentence(event, names)
    for leg, result in enumerate(update.results):
        seated = [names[(seat + leg) % len(names)] for seat in range(len(names))]
        places = sorted(zip(result.placements, seated, result.scores, strict=True))
        told = ", ".join(f"{place}. {name} ({score})" for place, name, score in places)
        yield f"Leg {leg} has ended ({result.reason}): {told}."


def _object(update: watch_pb2.FollowUpdate) -> str:
    """The update with cards as texts."""
    said: dict[str, Any] = {}
    if update.HasField("start"):
        start = update.start
        said["start"] = {
            "game": start.game, "options": json.loads(start.options or "{}"), "bots": list(start.bots),
            "legs": start.legs, "open": start.open, "delay_seconds": start.delay_seconds,
        }  # fmt: skip
    if update.HasField("progress"):
        said["progress"] = {"legs_done": update.progress.legs_done, "deals_done": update.progress.deals_done}
    if update.events:
        said["events"] = [_event(event) for event in codec.read_events(update.events)]
    if update.results:
        said["results"] = [
            {"placements": list(result.placements), "scores": list(result.scores), "reason": result.reason}
            for result in update.results
        ]
    if update.void:
        said["void"] = update.void
    return json.dumps(said)


def _cards(cards: Cards) -> list[str]:
    return [card_text(card) for card in cards]


def _event(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind.name.lower(), "seat": event.seat, "cards": _cards(event.cards),
        "groups": [_cards(group) for group in event.groups],
        "lay_offs": [{"cards": _cards(laid.cards), "meld": laid.meld} for laid in event.lay_offs],
        "points": list(event.points), "reason": event.reason,
    }  # fmt: skip
