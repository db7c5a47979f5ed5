"""Results and ratings as files: what is in them, what they are called, and how many there may be."""

import asyncio
from collections.abc import Iterator

import pytest
from dashboard import browsing, serving
from httpx import Client
from season import Filled, filled
from starlette.types import Message

from api.downloads import CHUNK, Download, Downloads
from rummy.errors import HostFault, StoreUnavailable, TooMany
from rummy.store import exports, tournaments
from rummy.store.db import Database

__all__ = ["filled"]  # A fixture, which pytest finds by its name here.
TYPES = {"csv": "text/csv; charset=utf-8; header=present", "jsonl": "application/x-ndjson"}


@pytest.fixture(scope="module")
def client(filled: Filled) -> Iterator[Client]:
    with serving(filled.dashboard_url, now=lambda: filled.season.now) as address, browsing(address) as client:
        yield client


@pytest.fixture
def database(filled: Filled) -> Iterator[Database]:
    with Database(filled.dashboard_url) as database:
        yield database


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("what", ["results", "ratings"])
def test_a_file_has_what_the_command_writes(client: Client, filled: Filled, what: str, form: str) -> None:
    table = exports.TABLES[what]
    with filled.season.database.transaction() as tx:
        ladder = tournaments.get(tx, filled.running).ladder
        one = "".join(exports.TEXTS[form](table, exports.rows(tx, table, tournament_id=filled.running)))
        all_of_it = "".join(exports.TEXTS[form](table, exports.rows(tx, table, ladder=ladder)))
    game, mark = ladder.split(":")
    for source, name, text in (
        (f"tournaments/{filled.running}", f"tournament-{filled.running}", one),
        (f"ladders/{ladder}", f"{game}-{mark}", all_of_it),
    ):
        answer = client.get(f"/api/v1/{source}/export?what={what}&format={form}")
        assert answer.status_code == 200
        assert answer.text == text
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}-{what}.{form}"'
        assert (answer.headers["content-type"], answer.headers["cache-control"]) == (TYPES[form], "no-store")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "script" in one or what == "ratings"  # Names are as they were chosen; only the table tells.


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("tournaments/999/export", 404),
        ("ladders/gin:000000000000/export", 404),
        ("ladders/..%2Fgin/export", 404),
        ("tournaments/1/export?format=xls", 422),
        ("tournaments/1/export?what=tokens", 422),
    ],
)
def test_what_is_not_there_is_said(client: Client, address: str, status: int) -> None:
    answer = client.get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["status"]) == (status, status)


@pytest.mark.parametrize("page", ["tournaments/{}", "ladders/{}"])
def test_pages_link_to_their_files(client: Client, filled: Filled, page: str) -> None:
    with filled.season.database.transaction() as tx:
        ladder = tournaments.get(tx, filled.gin).ladder
    source = page.format(ladder if page.startswith("ladders") else filled.gin)
    text = client.get(f"/{source}").text
    for what in ("results", "ratings"):
        for form in ("csv", "jsonl"):
            assert f'href="/api/v1/{source}/export?what={what}&amp;format={form}" download' in text
    practice = client.get(f"/tournaments/{filled.practice}").text
    assert "export?what=results" in practice and "export?what=ratings" not in practice


IN_TRANSACTION = """
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'"""


def test_who_does_not_read_holds_one_of_a_bounded_number_of_files_and_no_transaction(
    filled: Filled, database: Database
) -> None:
    downloads = Downloads(database, at_once=1, held=2)
    unread = [downloads.of_tournament(filled.gin, "results", "csv") for _ in range(2)]
    with filled.season.database.transaction() as tx:
        assert tx.execute(IN_TRANSACTION).fetchone() == (0,)
    with pytest.raises(TooMany):
        downloads.of_tournament(filled.gin, "results", "csv")
    assert sent(unread[0]).startswith(b"ladder,")
    assert sent(downloads.of_tournament(filled.gin, "results", "csv")) == sent(unread[1])


def test_so_many_files_are_written_at_once(filled: Filled, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = Downloads(database, at_once=1)

    def another(*_: object) -> Iterator[str]:
        with pytest.raises(TooMany):
            downloads.of_tournament(filled.gin, "results", "jsonl")
        yield "written"

    monkeypatch.setitem(exports.TEXTS, "csv", another)
    assert sent(downloads.of_tournament(filled.gin, "results", "csv")) == b"written"
    assert sent(downloads.of_tournament(filled.gin, "results", "jsonl")).startswith(b"{")


def test_who_goes_in_the_middle_gives_the_place_free(filled: Filled, database: Database) -> None:
    downloads = Downloads(database, held=1)
    for _ in range(2):
        with pytest.raises(ConnectionResetError):
            sent(downloads.of_tournament(filled.gin, "results", "csv"), breaks=True)
    assert len(sent(downloads.of_tournament(filled.gin, "results", "csv"))) < CHUNK


def test_what_cannot_be_read_gives_the_place_free() -> None:
    with Database("postgresql://x@/x?host=/nowhere/at/all", wait_seconds=0.05) as nowhere:
        downloads = Downloads(nowhere, at_once=1, held=1)
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                downloads.of_tournament(1, "results", "csv")


def test_who_never_reads_on_loses_the_place(filled: Filled, database: Database) -> None:
    """Eight who read nothing would keep everybody from downloads for as long as they like."""
    downloads = Downloads(database, held=1, patience=0.05)
    for _ in range(2):
        download = downloads.of_tournament(filled.gin, "results", "csv")
        assert sent(download, stalls=True) == b""
    assert sent(Downloads(database).of_tournament(filled.gin, "results", "csv"))


def test_a_full_disk_is_said_and_gives_the_place_free(
    filled: Filled, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.downloads.IN_MEMORY", 1)
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    downloads = Downloads(database, at_once=1, held=1)
    for _ in range(2):
        with pytest.raises(HostFault, match="no room for the file"):
            downloads.of_tournament(filled.gin, "results", "csv")


def sent(download: Download, *, breaks: bool = False, stalls: bool = False) -> bytes:
    """What arrives at a reader, whose connection breaks at the first bytes, or takes none of them, if so wished."""
    found = b""

    async def receive() -> Message:
        return await asyncio.Event().wait()  # type: ignore[return-value]  # It never sends anything more.

    async def send(message: Message) -> None:
        nonlocal found
        if breaks and message["type"] == "http.response.body":
            raise ConnectionResetError
        if stalls and message["type"] == "http.response.body":
            await asyncio.Event().wait()
        found += message.get("body", b"")

    asyncio.run(download({"type": "http", "method": "GET", "asgi": {"version": "3.0"}}, receive, send))
    return found
