"""Whether a match was played on the deals that its tournament had committed to: checked from three downloaded files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rummy.errors import BadInput, ReplayMismatch
from rummy.league.schedule import commitment, fixture_seed
from rummy.rules.replay import Verified

MAX_BYTES = 64 << 20


def read_json(file: Path) -> dict[str, Any]:
    """The JSON object of *file*. Raises `BadInput`."""
    try:
        with file.open("rb") as source:
            found = json.loads(source.read(MAX_BYTES))
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file} is no JSON: {error}.") from None
    if not isinstance(found, dict):
        raise BadInput(f"{file} is no JSON object of the arena's /api/v1.")
    return found


def check_seed(
    played: Verified, match: Mapping[str, Any], tournament: Mapping[str, Any], noted: str | None = None
) -> dict[str, Any]:
    """What was checked: the commitment, the nonces, and the fixture's seed, all as hex digits.

    *match* and *tournament* are what /api/v1/matches/N and /api/v1/tournaments/N answer; *noted* is the commitment as
    somebody wrote it down before entries closed. Raises `ReplayMismatch` for what differs, `BadInput` for what is not
    there.
    """
    try:
        return _checked(played, match, tournament, noted)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BadInput(f"These are no answers of /api/v1/matches and /api/v1/tournaments: {error!r}.") from None


def _checked(
    played: Verified, match: Mapping[str, Any], tournament: Mapping[str, Any], noted: str | None
) -> dict[str, Any]:
    if tournament["seed"] is None:
        raise BadInput(f"Tournament {tournament['tournament_id']} shows its seed once it has ended; download it then.")
    master, committed = bytes.fromhex(tournament["seed"]), str(tournament["commitment"]).lower()
    entered = sorted(tournament["entered"], key=lambda entrant: int(entrant["entrant_no"]))
    nonces = [bytes.fromhex(entrant["nonce"]) for entrant in entered]
    place = int(match["round_no"]), int(match["table_no"]), int(match["generation"])
    seed = fixture_seed(master, nonces, *place).hex()
    _demand(match["tournament_id"] == tournament["tournament_id"], "The match is one of another tournament.")
    _demand(match["digest"] == played.digest, "The replay is not the one that the arena has on record for this match.")
    _demand(commitment(master).hex() == committed, "The SHA-256 of the master seed is not the commitment.")
    _demand(noted is None or noted.strip().lower() == committed, "The commitment is not the one that was noted.")
    _demand(
        seed == played.header["seed"],
        f"The match was played on the seed {played.header['seed']}, but from master seed and nonces follows {seed}.",
    )
    return {"commitment": committed, "nonces": [nonce.hex() for nonce in nonces], "seed": seed}


def _demand(holds: bool, sentence: str) -> None:
    if not holds:
        raise ReplayMismatch(sentence)
