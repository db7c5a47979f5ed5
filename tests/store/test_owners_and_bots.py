from datetime import timedelta

import pytest
from world import NOON, World

from rummy.errors import BadInput, Conflict, NotFound, Unauthenticated
from rummy.store import arbiters, bots, owners


def test_a_token_is_good_until_it_is_revoked_and_is_not_stored(world: World) -> None:
    with world.database.transaction() as tx:
        token = owners.new_token(tx, world.owner_id, now=NOON)
        found = owners.find_by_token(tx, token)
        assert (found.owner_id, found.owner, found.version_id) == (world.owner_id, "Ann", None)
        assert tx.execute("SELECT digest FROM token").fetchall() == [(owners.digest(token),)]
        assert owners.revoke(tx, world.owner_id, now=NOON) == 1
        with pytest.raises(Unauthenticated):
            owners.find_by_token(tx, token)
        with pytest.raises(Unauthenticated):
            owners.find_by_token(tx, token[:-1])


@pytest.mark.parametrize("name", ["", "a" * 65, "a\u202eb", " a"])
def test_an_unusable_name_is_refused(world: World, name: str) -> None:
    with world.database.transaction() as tx:
        with pytest.raises(BadInput):
            owners.create(tx, name, now=NOON)
        with pytest.raises(BadInput):
            world.bot(tx, name)


def test_an_owner_is_made_once(world: World) -> None:
    with world.database.transaction() as tx, pytest.raises(Conflict, match="already"):
        owners.create(tx, "Ann", now=NOON)


def test_a_version_is_submitted_once_and_a_package_stored_once(world: World) -> None:
    with world.database.transaction() as tx:
        version = bots.get(tx, world.bot(tx, "Ann's bot"))
        assert version.package is not None
        assert bots.package(tx, version.package) == b"Ann's bot"
        assert version.games == ("gin",)
        with pytest.raises(Conflict, match="submitted before"):
            world.bot(tx, "Ann's bot")


def test_a_bot_is_found_by_id_name_version_or_owner(world: World) -> None:
    with world.database.transaction() as tx:
        version_id = world.bot(tx, "Knocker")
        for text in (str(version_id), "Knocker", "Knocker 1", "Ann/Knocker"):
            assert bots.find(tx, text).version_id == version_id
        for text in ("knocker", "9" * 30, "999", ""):
            with pytest.raises(NotFound):
                bots.find(tx, text)


def test_bots_of_one_name_stay_apart(world: World) -> None:
    with world.database.transaction() as tx:
        first = world.bot(tx, "Twin")
        world.owner_id = owners.create(tx, "Bob", now=NOON).owner_id
        second = world.bot(tx, "Twin")
        with pytest.raises(Conflict, match=f"Bob/Twin \\({second}\\), Ann/Twin \\({first}\\)"):
            bots.find(tx, "Twin")
        assert bots.find(tx, "Bob/Twin").version_id == second


def test_a_live_bot_is_known_by_its_token(world: World) -> None:
    with world.database.transaction() as tx:
        version_id = world.bot(tx, "Live", hosted=False)
        token = owners.new_token(tx, world.owner_id, now=NOON, version_id=version_id)
        assert owners.find_by_token(tx, token).version_id == version_id
        with pytest.raises(Unauthenticated):
            owners.find_by_token(tx, "other")


def test_tokens_that_have_been_revoked_are_told(world: World) -> None:
    with world.database.transaction() as tx:
        bots_of = [world.bot(tx, name, hosted=False) for name in ("Live", "Other")]
        tokens = [owners.new_token(tx, world.owner_id, now=NOON, version_id=bot) for bot in bots_of]
        first, second = (owners.find_by_token(tx, token).token_id for token in tokens)
        assert owners.revoked(tx, [first, second]) == owners.revoked(tx, []) == set()
        owners.revoke_of_version(tx, bots_of[0], now=NOON)
        assert owners.revoked(tx, [first, second]) == {first}


def test_presence_ends_with_the_arbiters_incarnation(world: World) -> None:
    with world.database.transaction() as tx:
        bot = world.bot(tx, "Live", hosted=False)
        here = {"address": "unix:/a", "bots_address": "127.0.0.1:1"}
        first = arbiters.announce(tx, **here, incarnation="x", now=NOON)
        arbiters.attach(tx, first, bot, 0, now=NOON)
        arbiters.attach(tx, first, bot, 0, now=NOON)
        assert arbiters.with_bots(tx, [bot], now=NOON) == {first}
        assert arbiters.announce(tx, **here, incarnation="y", now=NOON) == first
        assert arbiters.with_bots(tx, [bot], now=NOON) == set()
        assert not arbiters.heartbeat(tx, first, "x", load=1, now=NOON)
        arbiters.withdraw(tx, first, "x")
        assert [arbiter.incarnation for arbiter in arbiters.live(tx, now=NOON)] == ["y"]


def test_a_silent_arbiter_is_not_live(world: World) -> None:
    with world.database.transaction() as tx:
        made = arbiters.announce(tx, address="unix:/a", bots_address="b", incarnation="x", now=NOON)
        late = NOON + arbiters.ALIVE + timedelta(seconds=1)
        assert arbiters.live(tx, now=late) == []
        assert arbiters.heartbeat(tx, made, "x", load=7, now=late)
        assert [arbiter.load for arbiter in arbiters.live(tx, now=late)] == [7]
