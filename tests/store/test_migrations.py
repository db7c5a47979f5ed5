from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from world import World

from rummy.embedded.postgres import PostgresServer
from rummy.errors import SettingsError, StoreUnavailable
from rummy.store import arbiters, db, migrate, owners


def run(url: str) -> list[str]:
    with db.connect(url) as connection:
        return migrate.migrate(connection)


def test_several_processes_at_once_apply_each_migration_once(empty_database: str) -> None:
    with ThreadPoolExecutor(3) as pool:
        applied = list(pool.map(run, [empty_database] * 3))
    assert sorted(map(len, applied)) == [0, 0, len(migrate.available())]


def test_a_database_made_by_other_files_is_refused(database_url: str) -> None:
    with db.connect(database_url) as connection:
        connection.execute("UPDATE migration SET digest = 'other'")
        with pytest.raises(SettingsError, match="another text of 0001_init"):
            migrate.migrate(connection)


def test_a_database_of_a_newer_program_is_refused(database_url: str) -> None:
    with db.connect(database_url) as connection:
        connection.execute("UPDATE migration SET number = 999 WHERE number = (SELECT max(number) FROM migration)")
        with pytest.raises(SettingsError, match="newer than this program"):
            migrate.migrate(connection)


def test_what_was_played_before_there_were_batches_counts_as_drawn(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tournament of an older program ends as it would have ended there."""
    every = migrate.available()
    monkeypatch.setattr(migrate, "available", lambda: every[:4])
    run(empty_database)
    with db.connect(empty_database) as connection:
        for state, started in (("running", "now()"), ("open", "NULL")):
            connection.execute(
                f"""
                INSERT INTO tournament (name, game, options, ladder, format, table_size, cycles, limit_ms, bank_ms,
                                        faults, commitment, rated, state, created_at, started_at)
                VALUES ('Cup', 'gin', '{{}}', 'gin:0', 'round_robin', 2, 1, 1, 1, '{{}}',
                        sha256('x'), true, '{state}', now(), {started})""".encode()
            )
        connection.execute("INSERT INTO round (tournament_id, round_no) VALUES (1, 0)")
        connection.execute("INSERT INTO fixture (tournament_id, round_no, table_no, due_at) VALUES (1, 0, 0, now())")
    monkeypatch.undo()
    run(empty_database)
    with db.connect(empty_database) as connection:
        rows = connection.execute("SELECT drawn, planned FROM tournament ORDER BY tournament_id").fetchall()
    assert rows == [(True, 1), (False, None)]


PLAYED_BEFORE = (
    "INSERT INTO owner (name, created_at) VALUES ('Ann', now())",
    "INSERT INTO bot (owner_id, name, created_at) SELECT 1, name, now() FROM unnest(ARRAY['a', 'b']) AS name",
    """INSERT INTO bot_version (bot_id, version, language, hosted, games, created_at)
       SELECT bot_id, '1', '', false, '{gin}', now() FROM bot ORDER BY bot_id""",
    """INSERT INTO tournament (name, game, options, ladder, format, table_size, cycles, limit_ms, bank_ms, faults,
                               commitment, rated, state, created_at, started_at)
       VALUES ('Cup', 'gin', '{}', 'gin:0', 'round_robin', 2, 1, 1, 1, '{}', sha256('x'), true, 'running', now(),
               now())""",
    "INSERT INTO entrant (tournament_id, entrant_no, version_id, nonce) VALUES (1, 0, 2, 'x'), (1, 1, 1, 'x')",
    "INSERT INTO round (tournament_id, round_no) VALUES (1, 0)",
    "INSERT INTO fixture (tournament_id, round_no, table_no, due_at) VALUES (1, 0, 0, now()), (1, 0, 1, now())",
    "INSERT INTO fixture_seat (fixture_id, tournament_id, seat, entrant_no) VALUES (1, 1, 0, 0), (1, 1, 1, 1)",
    "INSERT INTO fixture_score (fixture_id, entrant_no, score) VALUES (1, 0, 1), (1, 1, 0)",
    """INSERT INTO rating_change (ladder, tournament_id, round_no, version_id, before, after, fixtures, reason)
       VALUES ('gin:0', 1, 0, 2, 1500, 1516, 1, 'round'), ('gin:0', 1, 0, 1, 1500, 1484, 1, 'round'),
              ('gin:0', 1, 0, 2, 1516, 1500, -1, 'taken back')""",
)


def test_what_was_played_before_is_found_by_pages(empty_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    every = migrate.available()
    monkeypatch.setattr(migrate, "available", lambda: [each for each in every if each.number != 13])
    run(empty_database)
    with db.connect(empty_database) as connection:
        for statement in PLAYED_BEFORE:
            connection.execute(statement.encode())
    monkeypatch.undo()
    assert run(empty_database) == ["0013_bounded.sql"]
    with db.connect(empty_database) as connection:
        newest = "SELECT version_id, change_id, tournament_id, rating, fixtures FROM rating ORDER BY version_id"
        assert connection.execute(newest).fetchall() == [(1, 2, 1, 1484.0, 1), (2, 3, 1, 1500.0, 0)]
        scores = "SELECT entrant_no, of_version FROM fixture_score ORDER BY entrant_no"
        assert connection.execute(scores).fetchall() == [(0, 2), (1, 1)]
        assert connection.execute("SELECT saved FROM tournament").fetchall() == [(2,)]


def test_only_the_arenas_roles_get_passwords(database_url: str) -> None:
    with db.connect(database_url) as connection, pytest.raises(SettingsError, match="no role of the arena"):
        migrate.set_passwords(connection, {"postgres": "x"})


def test_a_server_that_is_not_there_is_named_as_such() -> None:
    with (
        pytest.raises(StoreUnavailable, match="does not answer"),
        db.connect("postgresql://x@/x?host=/nowhere/at/all"),
    ):
        pass


SECRET = {
    "arena_dashboard": ["tournament_seed", "token", "package"],
    "arena_worker": ["token", "package"],
    "arena_arbiter": ["tournament_seed", "fixture", "match"],
}


@pytest.mark.parametrize("role", sorted(SECRET))
def test_a_service_reads_nothing_that_it_does_not_need(postgres: PostgresServer, database_url: str, role: str) -> None:
    with db.connect(database_url) as connection:
        migrate.set_passwords(connection, {role: "a'b c%"})
    database = database_url.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
    with db.connect(postgres.url(role, "a'b c%", database)) as connection:
        connection.execute("SELECT FROM bot_version")
        for table in SECRET[role]:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT FROM {table}".encode())


def test_an_arbiter_stores_submissions(postgres: PostgresServer, world: World) -> None:
    with db.connect(world.database.url) as connection:
        migrate.set_passwords(connection, {"arena_arbiter": "x"})
    database = world.database.url.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
    with db.Database(postgres.url("arena_arbiter", "x", database)) as arbiter, arbiter.transaction() as tx:
        version_id = world.bot(tx, "Bot")
        owners.new_token(tx, world.owner_id, now=world.now, version_id=version_id)
        place = arbiters.announce(tx, address="a", bots_address="b", incarnation="x", now=world.now)
        arbiters.attach(tx, place, version_id, 0, now=world.now)
        assert arbiters.heartbeat(tx, place, "x", load=1, now=world.now)
        arbiters.detach(tx, place, version_id, 0)
        arbiters.withdraw(tx, place, "x")


def test_the_dashboard_changes_nothing(postgres: PostgresServer, database_url: str) -> None:
    query = """
        SELECT count(*) FROM information_schema.table_privileges
         WHERE grantee = 'arena_dashboard' AND privilege_type <> 'SELECT'"""
    with db.connect(database_url) as connection:
        row = connection.execute(query).fetchone()
    assert row == (0,)


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        ("arena_arbiter", "UPDATE bot SET name = 'x'"),
        ("arena_arbiter", "UPDATE bot_version SET state = 'retired'"),
        ("arena_arbiter", "UPDATE token SET owner_id = 1"),
        ("arena_arbiter", "DELETE FROM token"),
        ("arena_worker", "UPDATE fixture SET round_no = 0"),
        ("arena_worker", "UPDATE fixture_attempt SET holder = 'x'"),
        ("arena_worker", "UPDATE match SET replay = ''"),
        ("arena_worker", "UPDATE rating_change SET after = 0"),
        ("arena_worker", "UPDATE rating SET rating = 0"),
        ("arena_worker", "INSERT INTO rating DEFAULT VALUES"),
        ("arena_worker", "UPDATE tournament_seed SET master = ''"),
        ("arena_worker", "DELETE FROM match"),
        ("arena_worker", "UPDATE league SET seasons = 1"),
        ("arena_worker", "UPDATE league_log SET why = 'x'"),
        ("arena_worker", "UPDATE season_place SET bot_id = 1"),
        ("arena_dashboard", "INSERT INTO league_log DEFAULT VALUES"),
    ],
)
def test_a_service_changes_nothing_that_is_not_its_own(database_url: str, role: str, statement: str) -> None:
    with db.connect(database_url) as connection:
        connection.execute(f"SET ROLE {role}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())


def test_a_worker_cannot_put_a_table_of_its_own_before_the_ratings(database_url: str) -> None:
    """A function that has more rights than its caller would run the triggers of such a table with them."""
    with db.connect(database_url) as connection:
        connection.execute("SET ROLE arena_worker")
        connection.execute("CREATE TEMPORARY TABLE rating (LIKE public.rating INCLUDING ALL)")
        connection.execute("RESET ROLE")
        for statement in PLAYED_BEFORE[:-2]:
            connection.execute(statement.encode())
        connection.execute("SET ROLE arena_worker")
        connection.execute(PLAYED_BEFORE[-1].encode())
        assert connection.execute("SELECT count(*) FROM pg_temp.rating").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM public.rating").fetchone() == (2,)
