"""Lanes: what a bot gets, what it cannot do, and that nothing of it is left."""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from lane_stage import SECONDS, Caller, Stage, a_package

from arbiter.hosting import lanes as hosting
from arbiter.hosting.lanes import LaneKey, Lanes
from arbiter.hosting.reach import open_to_lanes
from arbiter.hosting.users import User
from rummy.errors import BotNeverStarted, Conflict, Forbidden, SettingsError

WAIT = "s = dial(); tell(s, pid=os.getpid(), token=os.environ['ARENA_TOKEN']); s.recv(1)"
ROOT = os.geteuid() == 0
NEEDS_ROOT = pytest.mark.skipif(not ROOT, reason="lanes have users of their own under root only")


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder that other users can pass, unlike pytest's own, kept for the session since it holds the runtime."""
    folder = Path(tempfile.mkdtemp(prefix="arena-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
async def stage(folder: Path) -> AsyncIterator[Stage]:
    stage: Stage
    socket = folder / "s.sock"
    address = f"unix:{socket}"
    lanes = Lanes(
        lambda version_id: stage.packages[version_id],
        folder=folder,
        logs=folder / "logs",
        address=address,
        trusted=True,
    )
    stage = Stage(lanes)
    stage.lanes.on_lane_died = lambda key, death: stage.deaths.put_nowait((key, death))
    writers = []

    async def called(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        stage.callers.put_nowait(Caller(reader, writer))

    server = await asyncio.start_unix_server(called, socket)
    open_to_lanes(socket)
    yield stage
    await stage.lanes.close()
    for writer in writers:
        writer.close()
    server.close()
    await server.wait_closed()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_a_lane_is_started_once_and_known_by_its_token(stage: Stage) -> None:
    await stage.start(WAIT)
    await stage.lanes.ensure(1, 0)
    told = await (await stage.caller()).told()
    assert stage.lanes.lane_of(told["token"]) == LaneKey(1, 0)
    assert stage.lanes.pid(1, 0) == told["pid"]
    assert stage.lanes.lane_of("anything else") is None
    assert stage.lanes.lane_of("\ud800") is None
    assert stage.callers.empty()


async def test_each_lane_is_a_process_of_its_own(stage: Stage) -> None:
    await asyncio.gather(stage.start(WAIT), stage.start(WAIT, lane=1), stage.start(WAIT, version_id=2))
    told = [await (await stage.caller()).told() for _ in range(3)]
    assert len({each["pid"] for each in told}) == 3
    assert {stage.lanes.lane_of(each["token"]) for each in told} == {(1, 0), (1, 1), (2, 0)}


async def test_the_environment_is_empty_but_for_what_is_needed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://secret")
    await stage.start("s = dial(); tell(s, env=dict(os.environ), argv=sys.argv, cwd=os.getcwd()); s.recv(1)")
    told = await (await stage.caller()).told()
    allowed = {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_BOT_DIR", "PATH", "HOME", "LANG", "LC_CTYPE", "MALLOC_ARENA_MAX"}
    allowed |= {"PYTHONUNBUFFERED", "PYTHONHASHSEED", "LD_LIBRARY_PATH"}
    assert set(told["env"]) <= allowed
    assert told["env"]["ARENA_TOKEN"] not in " ".join(told["argv"])
    assert told["cwd"] == told["env"]["HOME"]


async def test_a_bot_has_its_own_site(stage: Stage) -> None:
    await stage.start("""
import importlib
def there(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True
names = ["grpc", "google.protobuf.message", "rummy.rules.cards", "rummy.wire.v1", "rummy.store", "arbiter", "celery"]
s = dial(); tell(s, there={name: there(name) for name in names}); s.recv(1)
""")
    there = (await (await stage.caller()).told())["there"]
    assert [name for name, found in there.items() if found] == list(there)[:4]


async def test_a_package_and_the_rest_cannot_be_written(stage: Stage) -> None:
    await stage.start("""
def writes(path):
    try:
        open(path, "w").close()
    except OSError:
        return False
    return True
bot = os.environ["ARENA_BOT_DIR"]
s = dial(); tell(s, writes=[writes(p) for p in (bot + "/bot.py", bot + "/new", "mine")]); s.recv(1)
""")
    writes = (await (await stage.caller()).told())["writes"]
    assert writes == [False, False, True] if ROOT else writes[2]


@NEEDS_ROOT
async def test_a_bot_of_root_has_no_power_of_root(stage: Stage, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    secret.chmod(0o600)
    await stage.start(WAIT, version_id=9)
    await (await stage.caller()).told()
    other = stage.lanes._homes[LaneKey(9, 0)].place
    await stage.start(f"""
def reads(path):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path).close()
    except OSError:
        return False
    return True
ids = [os.getresuid(), os.getresgid(), os.getgroups()]
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
paths = [{str(secret)!r}, "/etc/shadow", {str(other.bot)!r}, {str(other.work)!r}, {str(other.log.parent)!r}]
s = dial(); tell(s, ids=ids, caps=status["CapEff"], nnp=status["NoNewPrivs"], reads=[reads(p) for p in paths])
s.recv(1)
""")
    told = await (await stage.caller()).told()
    (uid, *_), (gid, *_), groups = told["ids"]
    assert uid >= 200_000 and told["ids"][0] == [uid] * 3
    assert gid == uid and groups == []
    assert int(told["caps"], 16) == 0 and told["nnp"].strip() == "1"
    assert told["reads"] == [False] * 5


FORKS = """
for number in range(20):
    if os.fork() == 0:
        if number % 2:
            os.setsid()
        if number % 3 == 0 and os.fork():
            os._exit(0)
        break
"""


async def twenty_one(stage: Stage) -> list[tuple[Caller, int]]:
    """A bot and its children, with their processes."""
    callers = [await stage.caller() for _ in range(21)]
    return [(caller, (await caller.told())["pid"]) for caller in callers]


async def assert_gone(family: list[tuple[Caller, int]]) -> None:
    for caller, pid in family:
        await caller.gone()
        assert not exists(pid)


async def test_a_bot_that_forks_twenty_children_leaves_none_when_it_is_stopped(stage: Stage) -> None:
    """Fault P24."""
    await stage.start(FORKS + WAIT)
    family = await twenty_one(stage)
    await stage.lanes.stop(1, 0)
    await assert_gone(family)


async def test_a_bot_that_forks_twenty_children_leaves_none_when_it_ends_itself(stage: Stage) -> None:
    await stage.start(FORKS + WAIT)
    family = await twenty_one(stage)
    bot = stage.lanes.pid(1, 0)
    next(caller for caller, pid in family if pid == bot).writer.write(b"x")
    key, death = await stage.death()
    assert key == (1, 0) and death.text == "The bot ended by itself, with status 0."
    await assert_gone(family)


@NEEDS_ROOT  # Nothing but a user of its own bounds the processes of a bot here.
async def test_a_bot_that_never_stops_forking_is_ended(stage: Stage) -> None:
    await stage.start(
        """
s = dial(); tell(s, pid=os.getpid())
for _ in range(20):
    os.fork()
    try:
        while True:
            os.fork()
    except OSError:
        pass
"""
    )
    caller = await stage.caller()
    await caller.told()
    await asyncio.wait_for(stage.lanes.stop(1, 0), SECONDS)
    await caller.gone()


async def test_a_gigabyte_on_stderr_neither_blocks_nor_fills(stage: Stage) -> None:
    """Fault P23."""
    await stage.start(r"""
piece = b"x" * (1 << 20)
for _ in range(1024):
    os.write(2, piece)
s = dial(); tell(s, done=True)
print("\nlast words")
os._exit(5)
""")
    assert (await (await stage.caller()).told())["done"]
    _, death = await stage.death()
    log = stage.lanes._log(LaneKey(1, 0))
    assert log.stat().st_size <= 256 * 1024
    text = log.read_text()
    assert "[cut here" in text and "bytes left out]" in text
    assert stage.lanes.tail(1, 0, 1) == "last words"
    assert death.text == "The bot ended by itself, with status 5."


async def test_what_a_bot_has_written_outlives_its_arbiter_for_the_operator_alone(stage: Stage, folder: Path) -> None:
    await stage.start("print('before the end'); " + WAIT, version_id=7, lane=1)
    await (await stage.caller()).told()
    await stage.lanes.close()
    kept = folder / "logs" / "7-lane-1.log"
    assert kept.read_text() == "before the end\n"
    assert kept.stat().st_mode & 0o777 == 0o600 and kept.parent.stat().st_mode & 0o777 == 0o700
    later = Lanes(lambda _: stage.packages[7], folder=folder, logs=folder / "logs", address="unix:/x", trusted=True)
    await later.ensure(7, 1)
    await later.close()
    assert kept.with_name("7-lane-1.before.log").read_text() == "before the end\n"


def test_the_youngest_logs_are_kept_and_those_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "LOGS_KEPT", 2)
    for age in range(5):
        (tmp_path / f"{age}-lane-0.log").touch()
        os.utime(tmp_path / f"{age}-lane-0.log", (1000 - age, 1000 - age))
    hosting._drop_old_logs(tmp_path, {tmp_path / "4-lane-0.log"})
    assert sorted(log.name[0] for log in tmp_path.iterdir()) == ["0", "1", "4"]


async def test_a_lane_is_started_again_after_a_death_with_another_token(stage: Stage) -> None:
    await stage.start("open('left', 'x').close();" + WAIT)
    before = await (await stage.caller()).told()
    os.kill(before["pid"], signal.SIGKILL)
    key, death = await stage.death()
    assert (key, death.cause, death.text) == ((1, 0), "crashed", "The bot was ended by SIGKILL.")
    assert stage.lanes.lane_of(before["token"]) is None
    await stage.lanes.ensure(1, 0)
    after = await (await stage.caller()).told()
    assert after["token"] != before["token"] and stage.lanes.lane_of(after["token"]) == (1, 0)


async def test_stopping_is_no_death(stage: Stage) -> None:
    await stage.start(WAIT)
    caller = await stage.caller()
    told = await caller.told()
    await stage.lanes.stop(1, 0)
    await caller.gone()
    assert stage.deaths.empty() and stage.lanes.lane_of(told["token"]) is None


async def test_the_death_of_the_keeper_ends_the_bot(stage: Stage) -> None:
    await stage.start(WAIT)
    caller = await stage.caller()
    told = await caller.told()
    os.kill(parent_of(told["pid"]), signal.SIGKILL)
    await caller.gone()
    _, death = await stage.death()
    assert "keeper" in death.text


async def test_what_a_bot_without_a_user_has_started_ends_with_its_keeper(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.hosting.lanes.User", lambda: None)  # As where the arena is no root.
    await stage.start("any(os.fork() == 0 for _ in range(5))\n" + WAIT)
    family = [await stage.caller() for _ in range(6)]
    pids = [(await caller.told())["pid"] for caller in family]
    bot = stage.lanes.pid(1, 0)
    assert bot is not None and bot in pids
    os.kill(parent_of(bot), signal.SIGKILL)
    for caller in family:
        await caller.gone()
    _, death = await stage.death()
    assert "keeper" in death.text


@NEEDS_ROOT
def test_a_user_is_held_by_one_at_a_time_and_by_none_after_its_holder(tmp_path: Path) -> None:
    folder = tmp_path / "users"
    first, second = User(folder), User(folder)
    assert first.number < second.number
    first.release()
    third = User(folder)
    assert third.number <= first.number  # Less where another arena on this machine has ended a lane meanwhile.
    for user in (second, third):
        user.release()
    assert folder.stat().st_mode & 0o777 == 0o700


@NEEDS_ROOT
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755])
def test_users_are_not_held_where_others_may_come(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(SettingsError, match="0700"):
        User(tmp_path)


@NEEDS_ROOT
async def test_a_lane_cannot_take_users(stage: Stage) -> None:
    await stage.start("""
import fcntl
s = dial()
try:
    open("/run/rummy-arena-users/200001", "w")
    tell(s, held=True)
except OSError as error:
    tell(s, held=False)
""")
    assert not (await (await stage.caller()).told())["held"]


async def test_the_death_of_the_arbiter_ends_its_lanes(stage: Stage, folder: Path) -> None:
    package = folder / "package"
    package.write_bytes(a_package(FORKS + WAIT))
    script = textwrap.dedent(f"""
        import asyncio
        from pathlib import Path
        from arbiter.hosting.lanes import Lanes
        async def main():
            folder = Path({str(folder)!r})
            fetch = lambda _: (folder / "package").read_bytes()
            lanes = Lanes(fetch, folder=folder, logs=folder / "logs", address=f"unix:{{folder}}/s.sock", trusted=True)
            await lanes.ensure(1, 0)
            await asyncio.Event().wait()
        asyncio.run(main())
    """)
    arbiter = await asyncio.create_subprocess_exec(sys.executable, "-c", script, cwd=Path(__file__).parents[3])
    family = await twenty_one(stage)
    arbiter.kill()
    await arbiter.wait()
    for caller, _ in family:
        await caller.gone()


async def test_memory_and_files_are_limited(stage: Stage) -> None:
    await stage.start("""
try:
    bytearray(2 << 30)
    memory = True
except MemoryError:
    memory = False
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open("big", "wb") as file:
        file.write(bytes(32 << 20))
    disk = True
except OSError:
    disk = False
s = dial(); tell(s, memory=memory, disk=disk); s.recv(1)
""")
    assert await (await stage.caller()).told() == {"memory": False, "disk": False}


@pytest.mark.parametrize(
    ("source", "cause", "text"),
    [
        ("hoard = []\nwhile True: hoard.append(bytes(32 << 20))", "resources", "limit of its process: MemoryError."),
        ("bytearray(2 << 30)", "resources", "with status 1, at a limit of its process: MemoryError."),
        ("[open('/dev/null') for _ in range(200)]\n", "resources", "[Errno 24]"),
        ("open('big', 'wb').write(bytes(32 << 20))", "resources", "[Errno 27]"),
        ("import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
         "open('big', 'wb').write(bytes(32 << 20))", "resources", "ended by SIGXFSZ."),
        ("raise ValueError('no')", "crashed", "with status 1."),
        ("os.kill(os.getpid(), 9)", "crashed", "ended by SIGKILL."),
        ("print('MemoryError')", "crashed", "with status 0."),
    ],
    ids=["memory", "much at once", "files", "disk", "disk, by signal", "error", "signal", "mere words"],
)  # fmt: skip
async def test_a_bot_that_runs_into_a_limit_is_told_from_one_that_crashes(
    stage: Stage, source: str, cause: str, text: str
) -> None:
    await stage.start(source)
    _, death = await asyncio.wait_for(stage.deaths.get(), SECONDS)
    assert death.cause == cause and text in death.text


async def test_a_package_that_cannot_be_read_never_starts(stage: Stage) -> None:
    stage.packages[1] = b"garbage"
    with pytest.raises(BotNeverStarted, match="zip"):
        await stage.lanes.ensure(1, 0)


async def test_a_provisional_version_is_forgotten_with_its_lanes(stage: Stage) -> None:
    version_id = stage.lanes.admit(a_package(WAIT))
    assert version_id < 0
    await stage.lanes.ensure(version_id, 0)
    caller = await stage.caller()
    await caller.told()
    await stage.lanes.dismiss(version_id)
    await caller.gone()
    with pytest.raises(KeyError):
        await stage.lanes.ensure(version_id, 0)


async def test_nothing_is_hosted_without_the_operators_word(folder: Path) -> None:
    lanes = Lanes(lambda _: b"", folder=folder, logs=folder / "logs", address="unix:/nowhere", trusted=False)
    with pytest.raises(Forbidden, match="--trust-bots"):
        await lanes.ensure(1, 0)


async def test_two_arbiters_do_not_share_a_folder(stage: Stage, folder: Path) -> None:
    await stage.start(WAIT)
    second = Lanes(lambda _: b"", folder=folder, logs=folder / "logs", address="unix:/nowhere", trusted=True)
    with pytest.raises(Conflict, match="Another arbiter"):
        await second.ensure(1, 0)
