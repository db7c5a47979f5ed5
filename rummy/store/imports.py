"""Tournaments of other arenas: an archive is checked in every part, and then saved in one transaction or not at all.

Nobody vouches for an archive. So what it names is kept apart from what is here: its bots belong to owners of their own,
for whom there is no token, and its ladder is one of its own, so that no rating of this arena moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rummy.errors import BadInput, ReplayMismatch
from rummy.league.model import TournamentState
from rummy.league.schedule import fixture_seed
from rummy.names import check_name, check_reason, check_version
from rummy.rules import canonical
from rummy.rules.games import find_game
from rummy.store import matches, played, said
from rummy.store.archive import Place, Reader
from rummy.store.fixtures import Entrant, Terms
from rummy.store.log import Entry
from rummy.store.rebuild import Rebuilt
from rummy.store.terms import Plan, checked

DIGEST = re.compile("[0-9a-f]{64}")
BOT = {
    "version_id": int, "owner": str, "bot": str, "version": str, "language": str, "hosted": bool, "package": str,
    "opening": float,
}  # fmt: skip
"""What is said of a bot: `package` is the digest of a hosted one's, `opening` the rating with which it began."""
Watch = Callable[[int, int], None]
"""Is told how many replays have been checked, and of how many."""


@dataclass(frozen=True, slots=True)
class Checked:
    """An archive in which everything holds; *digest* is that of the file's lines."""

    bots: list[dict[str, Any]]
    entries: list[Entry]
    anew: Rebuilt
    digest: str

    @property
    def mark(self) -> str:
        """What tells this tournament from all others: 12 hex digits of the digest of its log's first entry."""
        return self.entries[0].digest.hex()[:12]

    @property
    def newest(self) -> str:
        """The digest of the newest entry of the log, in hex digits: whoever has noted it elsewhere can compare."""
        return self.entries[-1].digest.hex()


def check(reader: Reader, watch: Watch = lambda done, of: None) -> Checked:
    """Makes the tournament anew from its log, and plays every replay again.

    Raises `BadInput`, `ReplayMismatch` or another `RummyError` that says what does not hold.
    """
    try:
        _check_entries(reader.entries)
        anew = Rebuilt(reader.entries)
        _check_over(anew)
        _check_bots(anew, reader.bots)
        places = list(_places(anew))
        found = -1
        for found, (place, data) in enumerate(reader.replays()):
            _demand(found < len(places) and place == places[found], "a replay is missing, or one is there too many")
            _check_replay(anew, place, data)
            watch(found + 1, len(places))
        _demand(found + 1 == len(places), "a replay is missing at the end")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise BadInput(f"this is no archive as an arena writes it: {error!r}") from None
    return Checked(reader.bots, reader.entries, anew, reader.digest)


def _check_entries(entries: list[Entry]) -> None:
    """All that can be said of an entry by itself; terms before anything is made of them."""
    terms: dict[str, Any] = {}
    for entry in entries:
        what = entry.said
        try:
            said.check(entry.move, what)
        except BadInput as error:
            raise BadInput(f"entry {entry.entry_no} of the log cannot be one of an arena: {error}") from None
        _check_entry(entry)
        if entry.move in ("created", "changed"):
            terms |= what
            _check_terms(terms)


def _check_entry(entry: Entry) -> None:
    kind, _, name = entry.who.partition(" ")
    known = check_name(name) == name if kind == "owner" else entry.who in ("operator", "worker", "schedule")
    _demand(known, f"entry {entry.entry_no} of the log is by nobody who could be")
    _demand(entry.why == "" or check_reason(entry.why) == entry.why, f"entry {entry.entry_no} has no proper reason")


def _check_terms(terms: dict[str, Any]) -> None:
    kept = {name: value for name, value in terms.items() if name not in ("commitment", "rated", "state", "ladder")}
    anew = checked(Plan(**kept), find_game(terms["game"], terms["options"]))
    made = {name: terms[name] for name in ("commitment", "rated", "state")}
    _demand(canonical.dumps({**anew, **made}) == canonical.dumps(terms), "its terms are not as they are written here")
    _demand(terms["state"] in ("draft", "open"), "its terms are none")


def _check_over(anew: Rebuilt) -> None:
    over = anew.state in (TournamentState.FINISHED, TournamentState.CANCELLED) and anew.seed is not None
    _demand(over, "the tournament is not over, or its seed is not revealed")
    rated = anew.closed if anew.terms["rated"] else set()
    _demand(anew.rated_rounds == rated, "other rounds are rated than are complete")


def _check_bots(anew: Rebuilt, bots: list[Any]) -> None:
    _demand(len(bots) == len(anew.entrants), "others have entered than the archive names")
    for bot, entrant in zip(bots, anew.entrants, strict=True):
        _check_bot(bot)
        known = (bot["version_id"], f"{bot['bot']} {bot['version']}", bot["hosted"])
        _demand(known == (entrant.version_id, entrant.name, entrant.hosted), f"{known[1]!r} has not entered")
    _demand(len({bot["version_id"] for bot in bots}) == len(bots), "a bot is in it twice")
    opening = {number: bot["opening"] for number, bot in enumerate(bots)}
    begun = anew.opening(opening if anew.terms["rated"] else {})
    _demand(begun == opening, "a bot began with another rating than its first change says")


def _check_bot(bot: dict[str, Any]) -> None:
    _demand(bot.keys() == BOT.keys(), "a bot is described otherwise than it should be")
    _demand(
        all(type(bot[name]) is kind for name, kind in BOT.items() if name != "package"), "a bot is described wrongly"
    )
    names = [check_name(bot[name]) == bot[name] for name in ("owner", "bot", "language")]
    _demand(all(names) and check_version(bot["version"]) == bot["version"], "a bot has an impossible name")
    digest = isinstance(bot["package"], str) and DIGEST.fullmatch(bot["package"]) is not None
    _demand(digest if bot["hosted"] else bot["package"] is None, "a bot has no proper package")
    _demand(said.is_rating(bot["opening"]) and said.is_version(bot["version_id"]), "a bot has an impossible number")


def _places(anew: Rebuilt) -> Iterator[Place]:
    """Every match that the log has, in the order of the archive."""
    for place, fixture in sorted(anew.fixtures.items()):
        hosted = all(anew.entrants[entrant].hosted for entrant in fixture.entrants)
        for generation, legs in sorted(fixture.legs.items()):
            _demand(len(legs) == matches.legs_of(len(fixture.entrants), hosted=hosted), "a fixture has too few legs")
            yield from ((*place, generation, leg) for leg in range(len(legs)))


def _check_replay(anew: Rebuilt, place: Place, data: bytes) -> None:
    round_no, table_no, generation, leg = place
    nonces = [bytes.fromhex(entrant.nonce) for entrant in anew.entrants]
    fixture = anew.fixtures[round_no, table_no]
    terms = Terms(
        seed=fixture_seed(bytes.fromhex(str(anew.seed)), nonces, round_no, table_no, generation),
        entrants=tuple(_seated(anew, seat, entrant) for seat, entrant in enumerate(fixture.entrants)),
    )
    where = f"round {round_no + 1}, table {table_no + 1}, generation {generation + 1}, leg {leg + 1}"
    try:
        match = played.leg_of(anew.terms["game"], anew.terms["options"], terms, leg, data)
    except ReplayMismatch as error:
        raise ReplayMismatch(f"the replay of {where}: {error}") from None
    told, logged = canonical.dumps(matches.told(match)), canonical.dumps(fixture.legs[generation][leg])
    _demand(told == logged, f"the replay of {where} comes to another result than the log has")


def _seated(anew: Rebuilt, seat: int, number: int) -> Entrant:
    entrant = anew.entrants[number]
    return Entrant(
        seat=seat, entrant_no=number, version_id=entrant.version_id, name=entrant.name, hosted=entrant.hosted
    )


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ReplayMismatch(f"this archive does not hold together: {otherwise}")
