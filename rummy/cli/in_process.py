"""Matches in this process: the bots' functions are called directly, with the questions that the wire would bring."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

from rummy.cli.contest import SAMPLES, Bot, Fixture, Leg
from rummy.errors import BadInput, BotCrashed, BotIllegalAction, IllegalAction
from rummy.rules.actions import Action
from rummy.rules.game import Game
from rummy.rules.match import Match
from rummy.rules.replay import Recorder
from rummy.rules.shuffle import bot_seed
from rummy.wire.question import LocalQuestion, Question

Choose = Callable[[Question], Any]
_numbers = itertools.count()


class Table:
    """The loaded bots of a contest: one module a bot and leg, as the arena runs one process for each."""

    def __init__(self, game: Game, bots: Sequence[Bot], seats: int) -> None:
        self._game = game
        self._bots = bots
        self._choose = {(entrant, leg): load(bot) for entrant, bot in enumerate(bots) for leg in range(seats)}

    def play(self, fixtures: Iterable[Fixture]) -> Iterator[Leg]:
        """Plays all legs of *fixtures*. Raises `BotCrashed` and `BotIllegalAction`: here a fault ends everything."""
        for fixture in fixtures:
            for leg in range(len(fixture.entrants)):
                yield self._leg(fixture, leg)

    def _leg(self, fixture: Fixture, leg: int) -> Leg:
        seated = fixture.seated(leg)
        match = Match(self._game, len(seated), fixture.seed)
        names = [self._bots[entrant].name for entrant in seated]
        recorder = Recorder({"leg": leg, "bots": names, "fixture": fixture.number}, match)
        self._play(match, recorder, names, [self._choose[entrant, leg] for entrant in seated], leg)
        assert match.result is not None
        return Leg(
            fixture, leg, match.result.placements, match.result.scores, match.result.reason, match.actions,
            (0,) * match.seats, recorder.finish(),
        )  # fmt: skip

    def _play(self, match: Match, recorder: Recorder, names: Sequence[str], choose: Sequence[Choose], leg: int) -> None:
        number, told = next(_numbers), [0] * match.seats
        seeds = [bot_seed(match.seed, leg, seat) for seat in range(match.seats)]
        while match.decision is not None:
            seat = match.decision.seat
            question = LocalQuestion(number, match, seeds[seat], told[seat])
            chosen = _chosen(choose[seat], question, names[seat])
            told[seat] = len(match.events)
            for action in chosen if isinstance(chosen, list | tuple) else (chosen,):
                if match.decision is None or match.decision.seat != seat:
                    break
                _apply(match, action, names[seat])
                recorder.action(seat, action, took_us=0)


def _chosen(choose: Choose, question: Question, name: str) -> Any:
    try:
        return choose(question)
    except Exception as error:
        traceback.print_exc()
        where = f"deal {question.deal + 1}, ply {question.ply + 1}, {question.phase.name}"
        raise BotCrashed(f"{name} has failed at {where}: {error!r}") from error


def _apply(match: Match, action: Action, name: str) -> None:
    try:
        match.apply(action)
    except IllegalAction as error:
        raise BotIllegalAction(
            f"{name} chose {action!r} in deal {match.deal + 1}, ply {match.ply + 1}: {error.reason}"
        ) from None


def load(bot: Bot) -> Choose:
    """`choose` of the bot, in a module of its own. Raises `BotCrashed` where it cannot be imported, and `BadInput`."""
    if str(SAMPLES.parent) not in sys.path:
        sys.path.append(str(SAMPLES.parent))  # Bots say `from sample_bots import sdk`.
    module = _module(bot)
    choose = getattr(module, "choose", None)
    if not callable(choose):
        path = bot.folder / bot.manifest.entry
        raise BadInput(f"{path} has no function `choose`; it can be played with --wire only.")
    return choose  # type: ignore[no-any-return]


def _module(bot: Bot) -> ModuleType:
    path = bot.folder / bot.manifest.entry
    spec = importlib.util.spec_from_file_location(f"bot_{next(_numbers)}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} is no Python program; it can be played with --wire only.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        traceback.print_exc()
        raise BotCrashed(f"{path} cannot be loaded: {error!r}") from error
    return module
