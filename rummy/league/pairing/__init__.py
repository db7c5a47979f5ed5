"""The formats of tournaments, by the name under which an organiser asks for them."""

from collections.abc import Callable

from rummy.league.model import Round
from rummy.league.pairing.round_robin import round_robin

PAIRINGS: dict[str, Callable[[int, int, int], list[Round]]] = {"round_robin": round_robin}
"""Format to schedule: of the number of entrants, the table size and the number of cycles."""
