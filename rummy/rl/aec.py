"""Any game as a PettingZoo AEC environment: `env("gin")`. Comes with the extra `rl`.

**Actions** are the numbers below `ACTIONS`. The first 256 are the codes of simple actions (`rummy.rules.actions`):
0..53 discards that card, 64..117 knocks with it, 128 draws from the stock, and so on. 256 + n is the n-th composite
action (meld, lay-off, arrangement of one's own) in the list of the rules; what the list holds beyond `MOVES` of them is
not offered. `observation["action_mask"]` has a 1 for each action that may be chosen now.

**Observations** are one array of floats, `observation["observation"]`, made from the view of the seat by
`rummy.rl.observation`, which says what stands where, the composite actions included.

**Rewards** come at the end of the match: the mean over the opponents of 1 for each that ended behind, 0 for a shared
place, -1 for each that ended before. A match has *max_deals* deals, or all that the game asks for with None; with 1 a
reward is that of a deal. A seat that is out before the end is asked no more, and terminates with the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from rummy.errors import BadInput
from rummy.rl.observation import HIGH, LOW, MOVES, observed
from rummy.rules.actions import Action
from rummy.rules.cards import cards_text
from rummy.rules.game import seats_of
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.wire.codec import SIMPLE
from rummy.wire.encoder import code_of

CODES = 256
ACTIONS = CODES + MOVES

Observation = dict[str, Any]


def env(
    game: str = "gin",
    seats: int | None = None,
    options: Mapping[str, object] | None = None,
    max_deals: int | None = 1,
    render_mode: str | None = None,
) -> AECEnv[str, Observation, int]:
    """The environment, which says so where it is used out of order. Raises `UnknownGame` and `BadOptions`."""
    return OrderEnforcingWrapper(RummyEnv(game, seats, options, max_deals, render_mode))


class RummyEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo is untyped.
    """A match of *game* between *seats* agents, as few as the game allows where that is None."""

    metadata = {"name": "rummy_v1", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        seats: int | None,
        options: Mapping[str, object] | None,
        max_deals: int | None,
        render_mode: str | None,
    ) -> None:
        super().__init__()
        self.render_mode = render_mode
        self._game = find_game(game, options)
        self._seats = seats_of(self._game)[0] if seats is None else seats
        self._max_deals = max_deals
        self._match = Match(self._game, self._seats, b"spaces", max_deals)  # Raises where the options are wrong.
        self._random, _ = seeding.np_random()
        self._moves: list[Action] = []
        self.possible_agents = [f"seat_{seat}" for seat in range(self._seats)]
        self.agents: list[str] = []
        shown = spaces.Dict(
            {"observation": spaces.Box(LOW, HIGH, dtype=np.float32), "action_mask": spaces.MultiBinary(ACTIONS)}
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, shown)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What `observe` gives."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What `step` takes."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new match, the same for the same *seed*; without one, chance goes on from the last."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self._match = Match(self._game, self._seats, self._random.bytes(32), self._max_deals)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, int]] = {agent: {} for agent in self.agents}
        self._ask()

    def step(self, action: int | None) -> None:
        """Plays *action* for the agent that is asked. Raises `BadInput` where the mask has a 0, and nothing changes."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._match.apply(self._read(action))
        self._cumulative_rewards[agent] = 0.0
        self._ask()
        if self._match.result is not None:
            self._end()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What *agent* may see now; its mask is empty while it is not asked."""
        seat = self.possible_agents.index(agent)
        decision = self._match.decision
        asked = decision is not None and decision.seat == seat
        return {
            "observation": observed(self._match.view(seat), self._moves if asked else ()),
            "action_mask": _mask(self._match.legal_actions() if asked else (), self._moves),
        }

    def render(self) -> str | None:
        """The table in text, with every hand; None without the render mode "ansi"."""
        if self.render_mode != "ansi":
            return None
        views = [self._match.view(seat) for seat in range(self._seats)]
        lines = [f"{agent}: {cards_text(view.hand)}" for agent, view in zip(self.possible_agents, views, strict=True)]
        table = [f"{number}: {cards_text(meld.cards)}" for number, meld in enumerate(views[0].melds)]
        return "\n".join([*lines, f"stock: {views[0].stock}", f"pile: {cards_text(views[0].pile)}", *table])

    def close(self) -> None:
        """Nothing is open."""

    def _ask(self) -> None:
        decision = self._match.decision
        legal = self._match.legal_actions()
        self._moves = [action for action in legal if code_of(action) is None][:MOVES]
        self.agent_selection = self.possible_agents[0 if decision is None else decision.seat]

    def _read(self, action: int | None) -> Action:
        number = -1 if action is None else int(action)
        if not 0 <= number < ACTIONS or not _mask(self._match.legal_actions(), self._moves)[number]:
            raise BadInput(f"The action {action} may not be chosen now: see the action mask.")
        simple = SIMPLE[number] if number < CODES else self._moves[number - CODES]
        assert simple is not None, "the mask has no code that means nothing"
        return simple

    def _end(self) -> None:
        result = self._match.result
        assert result is not None
        for seat, agent in enumerate(self.agents):
            place, others = result.placements[seat], list(result.placements)
            lead = sum([(other > place) - (other < place) for other in others])
            self.rewards[agent] = lead / (self._seats - 1)
            self.infos[agent] = {"place": place, "score": result.scores[seat]}
        self.terminations = dict.fromkeys(self.agents, True)


def _mask(legal: Sequence[Action], moves: Sequence[Action]) -> np.ndarray[Any, np.dtype[np.int8]]:
    mask = np.zeros(ACTIONS, np.int8)
    codes = [code for action in legal if (code := code_of(action)) is not None]
    mask[codes] = 1
    mask[CODES : CODES + len(moves)] = bool(legal)
    return mask
