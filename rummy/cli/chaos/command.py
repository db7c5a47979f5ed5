"""`arena chaos`: a tournament of many short fixtures while everything is killed, and then the same one in peace."""

from __future__ import annotations

import json
import logging
import math
import os
import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from rummy.cli import following, ground
from rummy.cli.chaos import evidence, victims
from rummy.cli.chaos.cuts import Detour, detour
from rummy.cli.chaos.evidence import Check, Record
from rummy.cli.chaos.points import Point
from rummy.cli.chaos.victims import Kind
from rummy.cli.chaos.wreck import CELLS, CUTS, TO_ARBITERS, Wreck
from rummy.cli.ground import Ground
from rummy.cli.plan import own_folder
from rummy.embedded.service import START_SECONDS
from rummy.errors import HostFault, SettingsError, StoreUnavailable
from rummy.store import db, tournaments

SERVERS = ("ARENA_DATABASE_URL", "ARENA_REDIS_URL")
PARTS = 2 + ground.ARBITERS + ground.WORKERS + 1

Tell = Callable[[str, tournaments.Progress], None]
Looks = Callable[[str, int], Callable[[], object]]
"""Shows how far something is, by its title and of how many: what it gives is called after each of them."""


@dataclass(frozen=True, slots=True)
class Run:
    """One of the two runs, when it is over."""

    numbers: list[int]
    record: Record
    checks: list[Check]
    seconds: float


def chaos(
    minutes: Annotated[float, typer.Option(min=0.1, max=1440, help="For how long things are killed at most.")] = 10.0,
    seed: Annotated[
        str | None,
        typer.Option(help="All deals, and the draw of what is done to whom, follow from it; by default new."),
    ] = None,
    fixtures: Annotated[
        int, typer.Option(min=1, max=100_000, help="Fixtures of a tournament, rounded up to whole cycles.")
    ] = 1002,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> None:
    """Kill everything while a tournament is played; its table and ratings must be those of a calm run, to the bit.

    An arena of its own, in a folder that goes with it, plays a tournament of short fixtures between deterministic
    hosted bots. Meanwhile workers, arbiters, bots, Valkey and PostgreSQL are killed with SIGKILL, at known points of a
    fixture and at random; processes are frozen, connections cut. Once every kind has died before the claim, in play,
    before and after the commit, every kind of connection was cut, something was frozen, and the tournament is over, a
    second arena plays the same in peace. If something is missing, another tournament begins, until the minutes are
    over: then the run has failed.

    Ends with status 1 where anything does not hold.
    """
    for name in SERVERS:
        if os.environ.get(name):
            raise SettingsError(f"{name} names a server, and 'arena chaos' kills its servers: unset it for this run.")
    logging.getLogger("psycopg.pool").disabled = True  # That a server does not answer is nothing to tell of here.
    chosen = secrets.token_hex(4) if seed is None else seed
    cycles = math.ceil(fixtures / ground.PAIRS)
    out = Console(stderr=as_json, highlight=False)
    out.print(
        f"Seed {chosen}: tournaments of {cycles * ground.PAIRS} fixtures, killing for {minutes:g} minutes at most."
    )
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out) as bar:
        looks = _looks(bar)
        wreck, disturbed = _disturbed(chosen, cycles, minutes * 60, _teller(bar, "everything is killed"), looks)
        calm = _calm(chosen, cycles, len(disturbed.numbers), _teller(bar, "the same in peace"), looks)
    checks = [*struck(wreck), *disturbed.checks, *evidence.compared(disturbed.record, calm.record)]
    _tell(out, _answer(chosen, wreck, disturbed, calm, checks), as_json=as_json)
    if not all(check.holds for check in checks):
        raise typer.Exit(1)


def _teller(bar: Progress, title: str) -> Tell:
    task = bar.add_task(title, total=None)
    begun = time.monotonic()

    def tell(what: str, now: tournaments.Progress) -> None:
        bar.update(task, total=now.fixtures, completed=now.done)
        if what:
            seconds = time.monotonic() - begun
            bar.console.print(
                f"{seconds:7.1f} s  {now.done:6} of {now.fixtures}  {what}", highlight=False, soft_wrap=True
            )

    return tell


def _looks(bar: Progress) -> Looks:
    def begin(title: str, many: int) -> Callable[[], object]:
        bar.console.print(f"{title}: {many}.", highlight=False)
        task = bar.add_task(title, total=many)
        return lambda: bar.advance(task)

    return begin


def struck(wreck: Wreck) -> Iterator[Check]:
    """Whether enough was done: a run in which something never died or was never cut, or nothing froze, shows little."""
    missing, uncut = wreck.missing(), wreck.uncut()
    yield Check("every kind died at every point", not missing, f"{len(CELLS) - len(missing)} of {len(CELLS)}")
    yield Check("every kind of connection was cut", not uncut, f"{len(CUTS) - len(uncut)} of {len(CUTS)}")
    yield Check("processes were frozen", wreck.freezes.total() > 0, f"{wreck.freezes.total()} times")


def _disturbed(seed: str, cycles: int, seconds: float, tell: Tell, looks: Looks) -> tuple[Wreck, Run]:
    with ground.arena() as place:
        with _detours(place) as detours:
            wreck = Wreck(place, detours, random.Random(seed))
            numbers, took = _wrecked(wreck, seed, cycles, seconds, tell)
            _settle(place)
        planned = len(numbers) * cycles * ground.PAIRS
        many = planned * ground.LEGS
        record = evidence.record(place.database, numbers, looks("what was played is read", many))
        checks = [
            *evidence.soundness(place.database, planned),
            evidence.logged(place.database, numbers),
            evidence.verified(place.database, numbers, many, looks("replays are verified", many)),
            evidence.agrees(place.database, wreck.kills),
        ]
        astray = victims.astray(place)
    left = [*astray, *ground.leavings(place)]
    checks.append(Check("no process is left over", not left, f"{len(left)} are"))
    return wreck, Run(numbers, record, checks, took)


@contextmanager
def _detours(place: Ground) -> Iterator[dict[str, Detour]]:
    """In front of all arbiters, by what can be cut there."""
    folders = [own_folder(place.run, arbiter.name) for arbiter in victims.services(place, Kind.ARBITER)]
    with ExitStack() as stack:
        yield {
            what: stack.enter_context(detour([folder / socket for folder in folders]))
            for what, socket in TO_ARBITERS.items()
        }


def _wrecked(wreck: Wreck, seed: str, cycles: int, seconds: float, tell: Tell) -> tuple[list[int], float]:
    """Tournaments one after the other, until enough was done or the time is up."""
    numbers: list[int] = []
    begun = time.monotonic()
    while not numbers or (not all(check.holds for check in struck(wreck)) and time.monotonic() - begun < seconds):
        _settle(wreck.ground)
        numbers.append(wreck.ground.start(f"{seed} {len(numbers)}", cycles))

        def last(now: tournaments.Progress) -> bool:
            over = now.state == "finished" and now.unrated == 0
            calm = over or time.monotonic() - begun >= seconds
            tell("" if calm else wreck.once(), now)
            return over

        _follow(wreck.ground, numbers[-1], last)
    return numbers, time.monotonic() - begun


def _calm(seed: str, cycles: int, many: int, tell: Tell, looks: Looks) -> Run:
    with ground.arena() as place:
        begun = time.monotonic()
        numbers = []
        for each in range(many):
            numbers.append(place.start(f"{seed} {each}", cycles))

            def last(now: tournaments.Progress) -> bool:
                tell("", now)
                return now.state == "finished" and now.unrated == 0

            _follow(place, numbers[-1], last)
        took = time.monotonic() - begun
        look = looks("what was played in peace is read", many * cycles * ground.PAIRS * ground.LEGS)
        return Run(numbers, evidence.record(place.database, numbers, look), [], took)


def _follow(place: Ground, number: int, last: following.Look) -> None:
    following.follow(place.database, number, last, check=place.kept.check, patience=math.inf)


def _settle(place: Ground) -> None:
    """Waits until everything runs again. Raises `HostFault`."""
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit:
        with suppress(StoreUnavailable), place.database.transaction() as tx:
            db.now(tx)
            if len(place.processes()) == PARTS:
                return
        time.sleep(following.LOOK_SECONDS)
    raise HostFault(f"A minute after the last kill only {', '.join(place.processes())} run again.")


def _answer(seed: str, wreck: Wreck, disturbed: Run, calm: Run, checks: Sequence[Check]) -> dict[str, Any]:
    kills = Counter((kill.kind, kill.point) for kill in wreck.kills)
    return {
        "seed": seed,
        "holds": all(check.holds for check in checks),
        "tournaments": len(disturbed.numbers),
        "matches": len(disturbed.record.played),
        "seconds": round(disturbed.seconds, 1),
        "calm_seconds": round(calm.seconds, 1),
        "kills": {
            kind.value: {**{point.value: kills[kind, point] for point in Point}, "at random": kills[kind, None]}
            for kind in Kind
        },
        "freezes": dict(wreck.freezes),
        "cuts": dict(wreck.cuts),
        "missed": wreck.missed,
        "checks": [asdict(check) for check in checks],
    }


def _tell(out: Console, answer: dict[str, Any], *, as_json: bool) -> None:
    out.print(_deaths(answer["kills"]))
    for title in ("freezes", "cuts"):
        told = ", ".join(f"{number} {what}" for what, number in sorted(answer[title].items()))
        out.print(f"{title.capitalize()}: {told or 'none'}.")
    verdict = Table("holds", "what", "figure", box=None)
    for check in answer["checks"]:
        verdict.add_row("yes" if check["holds"] else "NO", check["name"], check["figure"])
    out.print(verdict)
    out.print(
        f"{answer['matches']} matches in {answer['seconds']:.0f} s, in peace in {answer['calm_seconds']:.0f} s: "
        + ("what was killed has changed nothing." if answer["holds"] else "it does NOT hold.")
    )
    if as_json:
        typer.echo(json.dumps(answer))


def _deaths(kills: dict[str, dict[str, int]]) -> Table:
    table = Table("killed", *next(iter(kills.values())), title="Deaths", title_justify="left", box=None)
    for kind, points in kills.items():
        table.add_row(kind, *map(str, points.values()))
    return table
