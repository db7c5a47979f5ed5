"""Whether packages may be hosted at all: without a sandbox only by the operator's word, and on one machine."""

from __future__ import annotations

from rummy.errors import Forbidden, SettingsError
from rummy.wire.dial import is_local


def check_trust(*, trust_bots: bool, bots_listen: str) -> None:
    """For the start of the arbiter: raises `SettingsError` where bots are trusted that strangers could submit."""
    if trust_bots and not is_local(bots_listen):
        raise SettingsError(
            "--trust-bots runs what is submitted without a sandbox, so it works only where the bots' port listens on "
            f"loopback; ARENA_BOTS_LISTEN is {bots_listen}, and 127.0.0.1:50151 would do."
        )


def require_trust(*, trust_bots: bool) -> None:
    """Raises `Forbidden` where packages are not hosted."""
    if not trust_bots:
        raise Forbidden(
            "This arena does not host packages, since it has no sandbox; its operator can allow it with --trust-bots, "
            "or you can run the bot on your own machine: arena bot run."
        )
