"""What a process is told by its environment, read once."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rummy.errors import SettingsError
from rummy.logs import FORMATS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of the arena; one that was not given and has no default is the empty string."""

    database_url: str = field(default="", repr=False)  # PostgreSQL, with the role and the password of the service.
    redis_url: str = field(default="", repr=False)  # The broker: redis:// or redis+socket://.
    bots_listen: str = "127.0.0.1:50151"  # Where bots dial in and are submitted.
    bots_address: str = ""  # The same as bots reach it, for those that dial several arbiters; by default `bots_listen`.
    tls_certificate: str = ""  # With `tls_key`: PEM files with which the bots' port speaks TLS.
    tls_key: str = ""
    plain_bots: bool = False  # Without TLS also where other machines reach the bots' port, by the operator's word.
    bots_socket: str = ""  # A unix socket for hosted bots; by default in the run folder.
    arbiter_listen: str = ""  # Where workers call the arbiter; by default a unix socket in the run folder.
    arbiter_address: str = ""  # The same as others reach it; by default `arbiter_listen`.
    arbiter_token: str = field(default="", repr=False)  # The workers' credential.
    metrics_listen: str = ""  # Where Prometheus scrapes the arbiter; nowhere by default.
    drain_seconds: float = 5.0  # How long an arbiter that is told to end lets its matches finish.
    watch_delay: float = 0.0  # Seconds by which spectators are behind.
    watch_address: str = ""  # Where the dashboard follows fixtures, in plain text; by default as bots do.
    log_format: str = "text"  # Or "json".
    http_host: str = "127.0.0.1"
    http_port: int = 8101
    run_dir: Path = Path("/tmp/rummy-arena")
    bot_logs: str = ""  # Folder for what hosted bots write; by default in the run folder.
    trust_bots: bool = False  # Host packages as plain processes, by the operator's word.
    owner_token: str = field(default="", repr=False)  # The credential of the command line's submissions.

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """The settings of this process. Raises `SettingsError`, which names the variable and what it should be."""
        given = os.environ if environ is None else environ
        settings = cls(
            **{f.name: _read(f.name, given[_variable(f.name)]) for f in fields(cls) if _given(f.name, given)}
        )
        if bool(settings.tls_certificate) != bool(settings.tls_key):
            raise SettingsError("ARENA_TLS_CERTIFICATE and ARENA_TLS_KEY go together: give both or neither")
        return settings._with_places()

    def need(self, *names: str) -> Settings:
        """The same settings. Raises `SettingsError` where one of *names* was not given."""
        for name in names:
            if not getattr(self, name):
                raise SettingsError(f"{_variable(name)} is not set: {_HOW[name]}")
        return self

    def _with_places(self) -> Settings:
        """Fills in the addresses that follow from others."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["bot_logs"] = self.bot_logs or str(self.run_dir / "hosting" / "logs")
        values["bots_socket"] = self.bots_socket or str(self.run_dir / "bots.sock")
        values["arbiter_listen"] = self.arbiter_listen or f"unix:{self.run_dir / 'arbiter.sock'}"
        values["arbiter_address"] = self.arbiter_address or values["arbiter_listen"]
        return Settings(**values)


_HOW = {
    "database_url": "give the address of a PostgreSQL database, or start the embedded one with 'arena up'",
    "redis_url": "give the address of a Redis-protocol server, or start the embedded one with 'arena up'",
    "arbiter_token": "give arbiter and workers the same long random text",
    "owner_token": "start an arena here ('arena up'), or give the token that 'arena owner add NAME' printed there",
}


def _variable(name: str) -> str:
    return f"ARENA_{name.upper()}"


def _given(name: str, environ: Mapping[str, str]) -> bool:
    return bool(environ.get(_variable(name)))


def _read(name: str, text: str) -> Any:
    match name:
        case "http_port":
            return _port(text)
        case "trust_bots" | "plain_bots":
            return _switch(text)
        case "run_dir":
            return Path(_absolute(name, text))
        case "bot_logs":
            return _absolute(name, text)
        case "drain_seconds" | "watch_delay":
            return _seconds(name, text)
        case "log_format":
            return _one_of(name, text, FORMATS)
        case "metrics_listen":
            return _host_and_port(name, text)
        case "bots_listen" | "bots_address" | "arbiter_listen" | "arbiter_address" | "watch_address":
            return check_address(_variable(name), text)
        case "database_url":
            return _with_scheme(name, text, ("postgresql://", "postgres://"))
        case "redis_url":
            return _with_scheme(name, text, ("redis://", "rediss://", "redis+socket://", "unix://"))
        case _:
            return text


def _port(text: str) -> int:
    if not _is_port(text) or int(text) == 0:
        raise SettingsError(f"ARENA_HTTP_PORT is {text[:40]!r}: it must be a port number from 1 to 65535")
    return int(text)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65535  # 0: any that is free.


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise SettingsError(f"ARENA_TRUST_BOTS is {text!r}: it must be 1 or 0")
    return text == "1"


def _seconds(name: str, text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", text):
        raise SettingsError(f"{_variable(name)} is {text[:40]!r}: it must be a number of seconds from 0 to 9999")
    return float(text)


def _one_of(name: str, text: str, known: Sequence[str]) -> str:
    if text not in known:
        raise SettingsError(f"{_variable(name)} is {text[:40]!r}: it must be {' or '.join(known)}")
    return text


def _host_and_port(name: str, text: str) -> str:
    if text.startswith("unix:"):
        raise SettingsError(f"{_variable(name)} is {text[:80]!r}: it must be HOST:PORT")
    return check_address(_variable(name), text)


def _absolute(name: str, text: str) -> str:
    if not Path(text).is_absolute():
        raise SettingsError(f"{_variable(name)} is {text!r}: it must be an absolute path")
    return text


def check_address(what: str, text: str) -> str:
    """*text*, which names a place to listen or to dial. Raises `SettingsError`, which calls it *what*."""
    host, _, port = text.rpartition(":")
    if text.startswith("unix:/") or (host and _is_port(port)):
        return text
    raise SettingsError(f"{what} is {text[:80]!r}: it must be HOST:PORT or unix:/PATH")


def _with_scheme(name: str, text: str, schemes: tuple[str, ...]) -> str:
    if not text.startswith(schemes):
        raise SettingsError(f"{_variable(name)} must begin with {' or '.join(schemes)}")
    return text
