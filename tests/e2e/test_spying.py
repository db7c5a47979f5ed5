"""A bot that spies for what it could know of its deals from elsewhere finds nothing, and plays as its honest twin.

A mirrored deal is played in two lanes, and the hand of one is that of the opponent in the other. The spy notes the hand
of each deal wherever it can, and looks for such notes and in everything that the arena shows. Where it finds one it
plays otherwise, so an action gives it away. With a leak made on purpose it does.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from real_arena import PATIENCE, Arena, dialled_in

ROOTED = os.geteuid() == 0
# Without root all lanes are one user, and can read each other's folders: see docs/why/fairness.md.
CLOSED = ("shown", "watched", *(("folders", "processes") if ROOTED else ()))
MANIFEST = 'name = "{name}"\nversion = "1"\ngames = ["gin"]\nlanguage = "python"\nentry = "bot.py"\n'
SPY = '''
import glob, json, os, sys, urllib.request
import grpc
from sample_bots import knocking, sdk
from rummy.rules.cards import cards_text
from rummy.wire.v1 import watch_pb2, watch_pb2_grpc

CHANNELS, DASHBOARD, ARBITER, LEAK = {channels!r}, {dashboard!r}, {arbiter!r}, {leak!r}
ME = str(os.getpid())
found = dict.fromkeys(CHANNELS, 0)
asked = dict.fromkeys(CHANNELS, 0)
hands, begun = [], set()


def noted(paths):
    """The notes that others have left there."""
    for path in paths:
        for file in glob.glob(path + "/note-*"):
            if not file.endswith("-" + ME):
                try:
                    yield from map(json.loads, open(file))
                except (OSError, ValueError):
                    pass


def note(paths, record):
    for path in paths:
        try:
            with open(path + "/note-" + ME, "a") as file:
                file.write(json.dumps(record) + "\\n")
            os.chmod(path + "/note-" + ME, 0o666)
        except OSError:
            pass


HOME, PACKAGE = os.environ.get("HOME", "/"), os.environ.get("ARENA_BOT_DIR", "/")


def folders(record):
    os.chmod(HOME, 0o777)
    note([HOME, PACKAGE, os.path.dirname(HOME), os.path.dirname(PACKAGE)], record)
    up = os.path.dirname(os.path.dirname(HOME))
    return noted([up + "/*", up + "/*/*", up + "/*/*/*", up + "/*/*/*/*", PACKAGE + "/../*"])


def processes(record):
    for folder in glob.glob("/proc/[0-9]*"):
        for part in ("environ", "mem", "fd/0"):
            try:
                if not folder.endswith("/" + ME) and os.stat(folder).st_uid != os.getuid():
                    open(folder + "/" + part, "rb").read(1)
                    yield dict(record, stolen=folder + "/" + part)
            except OSError:
                pass
    yield from noted(glob.glob("/proc/[0-9]*/cwd") + glob.glob("/proc/[0-9]*/root/tmp"))


def get(path):
    with urllib.request.urlopen(DASHBOARD + "/api/v1" + path, timeout=10) as answer:
        return json.load(answer)


def newest(which):
    """The fixtures of the newest tournament, if there is one."""
    for tournament in get("/tournaments?limit=1")["items"]:
        yield from get("/tournaments/%d/fixtures?%s" % (tournament["tournament_id"], which))["items"]


def shown(record):
    """The hands at the beginning of the same deal, in whatever match the dashboard shows now."""
    for match in [match for fixture in newest("limit=200") for match in fixture["matches"]][-4:]:
        try:
            frames = get("/matches/%d/frames?deal=%d" % (match, record["deal"]))["frames"]
        except OSError:
            continue
        for hand in frames[0]["hands"]:
            yield dict(record, hand=hand, pile=frames[0]["pile"])


def watched(record):
    """Hands in what spectators are told of fixtures in play."""
    with grpc.insecure_channel(ARBITER) as channel:
        for fixture in newest("limit=20&state=running"):
            try:
                story = watch_pb2_grpc.WatchStub(channel).Follow(
                    watch_pb2.FollowRequest(fixture=fixture["fixture_id"]), timeout=0.3)
                for update in story:
                    if update.table.hand:
                        yield dict(record, hand=cards_text(update.table.hand))
            except grpc.RpcError:
                pass


def leak(record):
    note([LEAK], record)
    return noted([LEAK])


def cards(text):
    return {{text[at:at + 2] for at in range(0, len(text), 2)}}


def choose(decision):
    view = decision.view
    key = decision.match, decision.deal
    if key not in begun:
        begun.add(key)
        hands.clear()
        record = dict(deal=decision.deal, hand=cards_text(view.hand), pile=cards_text(view.pile[:1]))
        mine = cards(record["hand"])
        for channel in CHANNELS:
            asked[channel] += 1
            for other in globals()[channel](record):
                same = other["deal"] == record["deal"] and other["pile"] == record["pile"]
                if other.get("stolen") or same and not cards(other["hand"]) & (mine | cards(record["pile"])):
                    found[channel] += 1
                    hands.append(other["hand"])
        print("spied", json.dumps(dict(asked=asked, found=found)), file=sys.stderr, flush=True)
    return decision.fallback if hands else knocking.choose(view, decision.legal)


if __name__ == "__main__":
    sdk.run(choose)
'''


@pytest.fixture
def kennel(tmp_path: Path) -> Iterator[Path]:
    """A folder in which every user may write: the leak made on purpose."""
    folder = Path("/tmp") / f"arena-leak-{os.getpid()}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def a_bot(folder: Path, name: str, channels: Sequence[str], arena: Arena, leak: Path | None = None) -> Path:
    made = folder / name
    made.mkdir()
    (made / "bot.toml").write_text(MANIFEST.format(name=name))
    source = SPY.format(channels=tuple(channels), dashboard=arena.dashboard, arbiter=bots_of(arena), leak=str(leak))
    (made / "bot.py").write_text(source)
    return made


def bots_of(arena: Arena) -> str:
    """Where bots and spectators reach the arbiter."""
    kept = json.loads((Path(arena.environ["ARENA_DATA"]) / "state.json").read_text())
    return str(kept["bots"])


def actions(arena: Arena, seed: str, bot: str) -> list[list[Any]]:
    """What was done in each leg of a small practice tournament of *bot* against drawer."""
    number = arena.tournament(f"{bot} {seed}", "gin", "--cycles", "3", "--seed", seed, bots=[bot, "drawer"])
    arena.table(number)
    with httpx.Client(base_url=f"{arena.dashboard}/api/v1", trust_env=False, timeout=PATIENCE) as client:
        fixtures = client.get(f"/tournaments/{number}/fixtures", params={"limit": 200}).json()["items"]
        legs = [match for fixture in fixtures for match in fixture["matches"]]
        replays = [client.get(f"/matches/{match}/replay").text.splitlines() for match in legs]
    assert len(fixtures) == 3
    return [[(line.get("seat"), line.get("act")) for line in map(json.loads, lines[1:-1])] for lines in replays]


def spied(arena: Arena, since: float) -> dict[str, dict[str, int]]:
    """What the lanes that have written since then have asked and found, added up over lanes."""
    sums: dict[str, dict[str, int]] = {"asked": {}, "found": {}}
    for log in (Path(arena.environ["ARENA_DATA"]) / "logs" / "bots").rglob("*"):
        if log.is_file() and log.stat().st_mtime >= since:
            add(sums, log.read_text())
    return sums


def add(sums: dict[str, dict[str, int]], text: str) -> None:
    said = [json.loads(line.removeprefix("spied ")) for line in text.splitlines() if line.startswith("spied ")]
    for part in sums:
        for channel, times in (said[-1][part] if said else {}).items():
            sums[part][channel] = sums[part].get(channel, 0) + times


def test_a_hosted_spy_plays_as_its_honest_twin(arena: Arena, tmp_path: Path) -> None:
    began = time.time()
    arena.run("bot", "submit", str(a_bot(tmp_path, "spy", CLOSED, arena)))
    arena.run("bot", "submit", str(a_bot(tmp_path, "honest", (), arena)))
    spy = actions(arena, "spied on", "spy")
    told = spied(arena, began)
    assert all(told["asked"].get(channel, 0) >= 6 for channel in CLOSED)
    assert not any(told["found"].values()), told
    assert spy == actions(arena, "spied on", "honest")
    assert len(spy) == 6


def test_a_leak_made_on_purpose_is_noticed(arena: Arena, tmp_path: Path, kennel: Path) -> None:
    """A folder that all lanes can write, as there are on any machine without a sandbox: the spy's lanes conspire."""
    began = time.time()
    arena.run("bot", "submit", str(a_bot(tmp_path, "leaky", ("leak",), arena, kennel)))
    arena.run("bot", "submit", str(a_bot(tmp_path, "tight", (), arena)))
    leaky = actions(arena, "leak", "leaky")
    assert spied(arena, began)["found"]["leak"] > 0
    assert leaky != actions(arena, "leak", "tight")


def test_a_live_spy_plays_as_its_honest_twin(arena: Arena, tmp_path: Path) -> None:
    """Its deals are played once, and what is shown of them is what it knows."""
    found = []
    for name, channels in (("live spy", ("shown", "watched")), ("live twin", ())):
        log = tmp_path / f"{name}.log"
        with dialled_in(arena, a_bot(tmp_path, name, channels, arena), log):
            found.append(actions(arena, "live", name))
    sums: dict[str, dict[str, int]] = {"asked": {}, "found": {}}
    add(sums, (tmp_path / "live spy.log").read_text())
    assert sums["asked"]["shown"] >= 3
    assert not any(sums["found"].values()), sums
    assert found[0] == found[1]
    assert len(found[0]) == 3
