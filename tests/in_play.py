"""An arbiter in a process of its own, with a fixture in play that goes on when the test says so.

`python -m in_play FIXTURE BOT...` says where spectators find it, and does what comes on standard input: `go N` lets the
bots answer N times more, `void TEXT` has the arena fail the match.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rummy.store import arbiters, fixtures
from rummy.store.db import Connection

TESTS = Path(__file__).parent
PATHS = os.pathsep.join(map(str, (TESTS.parent, TESTS, TESTS / "protocol")))


@dataclass(frozen=True)
class InPlay:
    """The arbiter's process."""

    address: str
    process: subprocess.Popen[str]

    def go(self, answers: int) -> None:
        """The bots answer so many times more."""
        self._say(f"go {answers}")

    def void(self, text: str) -> None:
        """The arena fails the match."""
        self._say(f"void {text}")

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


@contextmanager
def in_play(fixture: int, bots: Sequence[int] = (1, 2)) -> Iterator[InPlay]:
    """*fixture* in play between *bots* of the stage; those from 11 on are hosted and play two legs."""
    command = [sys.executable, "-m", "in_play", str(fixture), *map(str, bots)]
    environ = {**os.environ, "PYTHONPATH": PATHS}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        try:
            yield InPlay(process.stdout.readline().strip(), process)
        finally:
            process.kill()


def known(tx: Connection, claim: fixtures.Claim, address: str, now: datetime) -> None:
    """The database says that the fixture of *claim* is in play at the arbiter that bots dial at *address*."""
    here = arbiters.announce(tx, address="unix:/a", bots_address=address, incarnation="i", now=now)
    assert fixtures.sending(tx, claim, here, "i")


async def main(fixture: int, bots: Sequence[int]) -> None:
    """Plays."""
    from stage import CREDENTIAL, Clock, Stage, an_order, everybody, first_legal

    from arbiter.hall import Hall

    clock, gate = Clock(), asyncio.Semaphore(0)
    hall = Hall(now=clock)
    [address] = await hall.open_to_bots(everybody(), ["127.0.0.1:0"])
    [workers] = await hall.open_to_workers(CREDENTIAL, ["127.0.0.1:0"], "here and now")
    stage = Stage(address, workers, hall, clock)

    async def play(number: int, lane: int | None) -> None:
        bot = await stage.bot(number, lane=lane)
        bot.patience = None
        while True:
            decision = await bot.decision()
            await gate.acquire()
            await bot.send(first_legal(decision))

    for number in bots:
        for lane in range(2) if number > 10 else [None]:
            stage.spawn(play(number, lane))
    stage.spawn(stage.raw_play(an_order(fixture, bots).SerializeToString()).read())
    await stage.settle(lambda: len(hall.tables.running) == (2 if bots[0] > 10 else 1))
    print(address, flush=True)
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        word, _, rest = line.partition(" ")
        if word == "go":
            for _ in range(int(rest)):
                gate.release()
        else:
            for referee in list(hall.tables.running):
                referee.void(rest)
    await stage.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), [int(number) for number in sys.argv[2:]]))
