"""Which arena a command means: the one that the environment names, else the one that runs on this machine."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rummy.embedded import folders
from rummy.settings import Settings, check_address

STATE = "state.json"


def data_folder() -> Path:
    """The data folder that ARENA_DATA names, or the usual one."""
    chosen = os.environ.get("ARENA_DATA")
    return Path(chosen).expanduser().absolute() if chosen else folders.default_data()


@dataclass(frozen=True, slots=True)
class Running:
    """An arena that runs on this machine."""

    keeper: int
    state: dict[str, Any]
    """Its addresses, processes, and the operator's settings."""


def running(data: Path) -> Running | None:
    """The arena that holds *data*, or None where none does or one may not look."""
    try:
        keeper = folders.holder(data)
        if keeper is None:
            return None
        return Running(keeper, json.loads((data / STATE).read_text()))
    except FileNotFoundError:  # It is starting or stopping.
        return Running(keeper, {}) if keeper else None
    except PermissionError:
        return None


def adopt() -> None:
    """Fill what the environment does not say about the arena from the one that runs on this machine."""
    found = running(data_folder())
    if found is not None:
        for name, value in found.state.get("operator", {}).items():
            os.environ.setdefault(name, value)


def bots_address(given: str | None) -> str:
    """Where the arbiter serves bots and spectators: as the option --arena says, else here. Raises `SettingsError`."""
    return check_address("--arena", given) if given else Settings.from_environment().bots_listen
