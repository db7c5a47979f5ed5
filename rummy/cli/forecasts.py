"""What a tournament comes to, as the command line says it."""

from typing import Any

from rummy.league.pairing.balance import Balance
from rummy.store.planning import Forecast


def as_json(planned: Forecast) -> dict[str, Any]:
    """For programs. `measured` is the number of fixtures that the time is taken from; 0 where it is assumed."""
    even = planned.balance
    return {
        "entrants": planned.entrants,
        "table_size": planned.table_size,
        "cycles": planned.cycles,
        "rounds": planned.size.rounds,
        "fixtures": planned.size.fixtures,
        "most_fixtures": planned.size.most,
        "byes": planned.size.byes,
        "matches": planned.matches,
        "seconds": round(planned.seconds, 1),
        "seconds_a_fixture": round(planned.fixture_seconds, 3),
        "measured": planned.measured,
        "balance": even and {"fixtures": even.each, "meetings": even.pairs, "seat_difference": even.seats},
    }


def shown(planned: Forecast) -> str:
    """The same in lines of text."""
    title = f"{planned.title[0].upper()}{planned.title[1:]} at tables of {planned.table_size}"
    return "\n".join([f"{title}, {_many(planned.cycles, 'cycle')}:", *(f"  {line}" for line in _lines(planned))])


def _lines(planned: Forecast) -> list[str]:
    size = planned.size
    more = f", up to {size.most:,} with ties played off" if size.most > size.fixtures else ""
    matches = _many(planned.matches, "match", "matches")
    lines = [
        f"{planned.entrants} entrants, {_many(size.rounds, 'round')}, {_many(size.fixtures, 'fixture')}{more}",
        matches if planned.all_hosted else f"at most {matches}: a fixture with a live bot is a single match",
        f"expected time: {_time(planned.seconds)}, at {planned.fixture_seconds:.2g} s a fixture, {_source(planned)}",
    ]
    if size.byes:
        lines.append(f"{_many(size.byes, 'bye')}, which count{'s' * (size.byes == 1)} as won")
    return [*lines, *(_evenness(planned.balance) if planned.balance else [])]


def _source(planned: Forecast) -> str:
    if not planned.measured:
        return "which is assumed: nothing like it has been played here"
    return f"measured on the newest {_many(planned.measured, 'fixture')} of its ladder"


def _evenness(even: Balance) -> list[str]:
    seats = "equally often" if not even.seats else f"equally often to {even.seats}"
    return [
        f"each entrant plays {_range(even.each, 'fixture')}, each pair meets {_range(even.pairs, 'time')}",
        f"everybody has each seat {seats} in the first legs",
    ]


def _range(ends: tuple[int, int], one: str) -> str:
    least, most = ends
    return _many(most, one) if least == most else f"{least:,} to {_many(most, one)}"


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return _many(max(1, round(seconds)), "second")
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
