import re
from dataclasses import fields
from pathlib import Path

import pytest

from rummy.errors import SettingsError
from rummy.settings import Settings


def test_defaults_follow_from_the_run_folder() -> None:
    settings = Settings.from_environment({"ARENA_RUN_DIR": "/run/arena", "OTHER": "x"})
    assert settings.run_dir == Path("/run/arena")
    assert settings.bots_socket == "/run/arena/bots.sock"
    assert settings.arbiter_listen == settings.arbiter_address == "unix:/run/arena/arbiter.sock"
    assert settings.bot_logs == "/run/arena/hosting/logs"
    assert (settings.http_host, settings.http_port, settings.trust_bots) == ("127.0.0.1", 8101, False)


def test_an_address_of_ones_own_is_kept() -> None:
    given = {"ARENA_ARBITER_LISTEN": "0.0.0.0:50152", "ARENA_ARBITER_ADDRESS": "arbiter:50152"}
    settings = Settings.from_environment(given)
    assert (settings.arbiter_listen, settings.arbiter_address) == ("0.0.0.0:50152", "arbiter:50152")


def test_secrets_do_not_show_in_a_log() -> None:
    given = {"ARENA_DATABASE_URL": "postgresql://a:hush@/x", "ARENA_REDIS_URL": "redis://:hush@x"}
    assert "hush" not in repr(Settings.from_environment(given | {"ARENA_ARBITER_TOKEN": "hush"}))


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("ARENA_HTTP_PORT", "0"),
        ("ARENA_HTTP_PORT", "65536"),
        ("ARENA_HTTP_PORT", "eight"),
        ("ARENA_HTTP_PORT", "٣"),
        ("ARENA_HTTP_PORT", "1" * 9999),
        ("ARENA_TRUST_BOTS", "yes"),
        ("ARENA_RUN_DIR", "here"),
        ("ARENA_BOT_LOGS", "there"),
        ("ARENA_BOTS_LISTEN", "50151"),
        ("ARENA_BOTS_LISTEN", ":50151"),
        ("ARENA_BOTS_ADDRESS", "arena.example"),
        ("ARENA_TLS_KEY", "/key.pem"),
        ("ARENA_ARBITER_LISTEN", "host:99999"),
        ("ARENA_ARBITER_ADDRESS", "unix:"),
        ("ARENA_DATABASE_URL", "mysql://x"),
        ("ARENA_REDIS_URL", "amqp://x"),
    ],
)
def test_what_makes_no_sense_is_named(variable: str, text: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        Settings.from_environment({variable: text})


def test_what_is_needed_and_missing_is_named() -> None:
    with pytest.raises(SettingsError, match="ARENA_DATABASE_URL is not set"):
        Settings.from_environment({"ARENA_DATABASE_URL": ""}).need("database_url")
    assert Settings.from_environment({"ARENA_OWNER_TOKEN": "x"}).need("owner_token").owner_token == "x"


def test_the_reference_page_names_every_setting_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/settings.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(ARENA_\w+)` \|[^|]+\|([^|]*)\|", page, re.MULTILINE))
    assert sorted(rows) == sorted(f"ARENA_{field.name.upper()}" for field in fields(Settings))
    for field in fields(Settings):
        said, default = rows[f"ARENA_{field.name.upper()}"].strip(), field.default
        if default != "":
            assert said == f"`{int(default) if isinstance(default, bool) else default}`"
