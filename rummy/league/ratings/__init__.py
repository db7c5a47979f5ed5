"""The rating models, by name."""

from collections.abc import Callable, Mapping, Sequence

from rummy.league.model import Entrant, FixtureResult
from rummy.league.ratings import elo, joint

RATINGS: dict[str, Callable[[Mapping[Entrant, float], Sequence[FixtureResult]], dict[Entrant, float]]] = {
    "elo": elo.rate_rounds,
    "joint": joint.rate,
}
"""Name to rating: of the ratings at the opening and the results of closed rounds."""
