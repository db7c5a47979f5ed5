"""The formats of tournaments, by the name under which an organiser asks for them."""

from rummy.errors import LeagueError
from rummy.league.pairing.format import Format
from rummy.league.pairing.gauntlet import Gauntlet
from rummy.league.pairing.knockout import Knockout
from rummy.league.pairing.ladder import Ladder
from rummy.league.pairing.round_robin import RoundRobin
from rummy.league.pairing.swiss import Swiss

PAIRINGS: dict[str, Format] = {
    "round_robin": RoundRobin(),
    "gauntlet": Gauntlet(),
    "swiss": Swiss(),
    "knockout": Knockout(),
    "ladder": Ladder(),
}


def find_format(key: str) -> Format:
    """The format of that name. Raises `LeagueError`, which names all."""
    try:
        return PAIRINGS[key]
    except KeyError:
        raise LeagueError(f"there is no format {key!a}; there are: {', '.join(PAIRINGS)}") from None
