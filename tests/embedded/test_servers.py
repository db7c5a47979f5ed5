"""The embedded servers: what they hold survives whatever happens to them."""

import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pytest
import redis

from rummy.embedded import finder, folders
from rummy.embedded.postgres import PostgresServer
from rummy.embedded.valkey import NEVER_AGAIN, ValkeyServer
from rummy.errors import Conflict, SettingsError

Folders = tuple[Path, Path]


@pytest.fixture(params=["open to all", "closed"])
def places(request: pytest.FixtureRequest) -> Iterator[Folders]:
    """Data and run folder; in a closed folder root's servers cannot be another user's."""
    above = Path(tempfile.mkdtemp(prefix="arena-places-"))
    above.chmod(0o711 if request.param == "open to all" else 0o700)
    data = folders.make_data(above / "data")
    run = folders.make_run(data)
    yield data, run
    shutil.rmtree(above)
    shutil.rmtree(run)


def postgres_in(places: Folders) -> PostgresServer:
    server = PostgresServer(*places, places[0] / "postgres.log")
    server.prepare()
    return server


def valkey_in(places: Folders) -> ValkeyServer:
    server = ValkeyServer(*places, places[0] / "valkey.log")
    server.prepare()
    return server


def redis_client(server: ValkeyServer) -> redis.Redis:
    parts = urlsplit(server.url)
    return redis.Redis(unix_socket_path=unquote(parts.path), password=parts.password)


def test_postgres_has_all_rows_after_a_kill_and_a_restart(places: Folders) -> None:
    server = postgres_in(places)
    server.start()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept SELECT generate_series(1, 1000)")
    assert server.running is not None
    os.kill(server.running.pid, signal.SIGKILL)
    server.running.wait()
    server.start()  # At once: the old server's children may still be there.
    with psycopg.connect(server.url()) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1000,)
    server.stop()
    again = postgres_in(places)
    again.start()
    with psycopg.connect(again.url()) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1000,)
    again.stop()


def test_postgres_wants_its_password_and_listens_on_no_port(places: Folders) -> None:
    server = postgres_in(places)
    server.start()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.url(password="wrong"))
    with psycopg.connect(server.url()) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
    server.stop()
    assert (places[0] / "postgres.password").stat().st_mode & 0o077 == 0
    assert (places[1] / "postgres").stat().st_mode & 0o077 == 0


def test_data_of_another_major_is_refused_in_a_sentence(places: Folders) -> None:
    postgres_in(places)
    (places[0] / "postgres" / "PG_VERSION").write_text("13\n")
    with pytest.raises(SettingsError, match=r"made by PostgreSQL 13.* choose another --data"):
        postgres_in(places)


def test_an_interrupted_first_start_is_begun_again(places: Folders) -> None:
    (places[0] / "postgres.new").mkdir()
    (places[0] / "postgres.new" / "half").touch()
    server = postgres_in(places)
    server.start()
    server.stop()
    assert not (places[0] / "postgres.new").exists()


def test_a_pid_file_whose_number_is_another_process_is_no_hindrance(places: Folders) -> None:
    server = postgres_in(places)
    (places[0] / "postgres" / "postmaster.pid").write_text(f"{os.getppid()}\n")
    server.start()
    assert server.answers()
    server.stop()


def test_a_server_that_outlived_its_supervisor_is_ended_first(places: Folders) -> None:
    left = postgres_in(places)
    left.start()
    server = postgres_in(places)
    server.start()
    assert left.running is not None
    assert left.running.wait(10) is not None
    server.stop()


def test_valkey_has_all_keys_after_a_kill_and_a_restart(places: Folders) -> None:
    server = valkey_in(places)
    server.start()
    with redis_client(server) as client:
        client.set("kept", "yes")
    assert server.running is not None
    os.kill(server.running.pid, signal.SIGKILL)
    server.running.wait()
    server.start()
    with redis_client(server) as client:
        assert client.get("kept") == b"yes"
    server.stop()


def test_valkey_wants_its_password(places: Folders) -> None:
    server = valkey_in(places)
    server.start()
    with (
        redis.Redis(unix_socket_path=str(server.socket), retry=NEVER_AGAIN) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()
    server.stop()


def test_whoever_looks_for_the_holder_keeps_nobody_from_holding(
    places: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = places[0]
    with (data / "lock").open("w") as look:
        fcntl.flock(look, fcntl.LOCK_SH)  # As `holder` does for a moment.
        monkeypatch.setattr("time.sleep", lambda _: look.close())
        with folders.locked(data):
            assert folders.holder(data) == os.getpid()


def test_two_arenas_never_share_a_folder(places: Folders) -> None:
    data = places[0]
    assert folders.holder(data) is None
    with folders.locked(data):
        assert folders.holder(data) == os.getpid()
        with pytest.raises(Conflict, match="Another arena runs on"), folders.locked(data):
            pass
    assert folders.holder(data) is None


def test_a_bin_folder_without_postgres_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARENA_PG_BIN", str(tmp_path))
    with pytest.raises(SettingsError, match="ARENA_PG_BIN is"):
        finder.find_postgres()


def test_a_run_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    run = folders.make_run(tmp_path)
    run.chmod(0o777)
    with pytest.raises(SettingsError, match="belongs to somebody else"):
        folders.make_run(tmp_path)
    run.rmdir()


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="choose another folder with --data"):
        folders.make_data(tmp_path / "file")
