"""`arena compare`: two bots play mirrored fixtures until it is decided which is better, or that it makes no odds."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from math import sqrt
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from rummy.cli import contest
from rummy.cli.contest import Leg
from rummy.cli.play import options_of_text, played
from rummy.errors import BadInput
from rummy.league.sequential import Answer, Question
from rummy.rules.game import Game
from rummy.rules.games import find_game, options_of

SEATS = 2
MOST = 500_000


@dataclass(slots=True)
class Tally:
    """What the fixtures have scored for the first bot."""

    seen: Counter[float] = field(default_factory=Counter)
    matches: int = 0
    strikes: tuple[int, int] = (0, 0)

    def add(self, legs: list[Leg]) -> None:
        """Counts a whole fixture."""
        self.seen[contest.score(0, legs)] += 1
        self.matches += len(legs)
        struck = [leg.strikes[leg.fixture.seated(leg.leg).index(entrant)] for entrant in (0, 1) for leg in legs]
        half = len(legs)
        self.strikes = self.strikes[0] + sum(struck[:half]), self.strikes[1] + sum(struck[half:])

    @property
    def score(self) -> float:
        """The mean; one half before the first fixture."""
        return sum(score * times for score, times in self.seen.items()) / self.seen.total() if self.seen else 0.5

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None where the fixtures tell none."""
        count, mean = self.seen.total(), self.score
        if len(self.seen) < 2:
            return None
        return sqrt(sum(times * (score - mean) ** 2 for score, times in self.seen.items()) / (count - 1) / count)


def compare(
    one: Annotated[str, typer.Argument(help="The bot in question: a folder with a bot.toml, or a sample bot's name.")],
    other: Annotated[str, typer.Argument(help="The bot that it is compared with.")],
    game: Annotated[str, typer.Option(help="The game, such as gin.")],
    elo0: Annotated[float, typer.Option(help="Elo points by which it may lead and is still not better.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Elo points by which it leads where it is better.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="How probable a wrong 'better' may be, at elo0.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How probable a wrong 'not better' may be, at elo1.")] = 0.05,
    most: Annotated[int, typer.Option(help="Fixtures after which the question is left open.")] = 20_000,
    seed: Annotated[str | None, typer.Option(help="Any text: the same text gives the same deals.")] = None,
    options: Annotated[str, typer.Option(help="The game's options that differ, as a JSON object.")] = "{}",
    wire: Annotated[bool, typer.Option("--wire", help="Through the real gRPC server, each bot in processes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> None:
    """Play until it is decided whether a bot is better than another.

    Each fixture is two matches on the same deals, the seats exchanged. The test stops as soon as their scores say
    "better by elo1" or "not better than elo0", with the stated probabilities of being wrong;
    docs/why/comparing.md says how.
    """
    question = Question(elo0, elo1, alpha, beta)
    if not 1 <= most <= MOST:
        raise BadInput(f"--most is a number of fixtures from 1 to {MOST:,}, not {most}.")
    rules = find_game(game, options_of_text(options))
    bots = contest.find_bots([one, other], rules)
    chosen = secrets.token_hex(8) if seed is None else seed
    fixtures = contest.drawn(len(bots), contest.seats_for(rules, len(bots), SEATS), most, chosen)
    began = perf_counter()
    with closing(played(rules, bots, fixtures, SEATS, wire=wire)) as legs:
        tally = _until_decided(question, legs, as_json)
    _tell(_answer(rules, question, tally, [bot.name for bot in bots], chosen), perf_counter() - began, as_json)


def _until_decided(question: Question, legs: Iterable[Leg], quiet: bool) -> Tally:
    tally = Tally()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as progress:
        bar = progress.add_task("playing", total=None)
        for fixture in in_order(legs):
            tally.add(fixture)
            progress.update(bar, description=_progress(question, tally))
            if question.answer(tally.seen) is not Answer.OPEN:
                break
    return tally


def in_order(legs: Iterable[Leg]) -> Iterator[list[Leg]]:
    """Whole fixtures in the order of the schedule. As they end they would be biased: short matches would come first."""
    waiting: dict[int, list[Leg]] = {}
    due = 1
    for leg in legs:
        waiting.setdefault(leg.fixture.number, []).append(leg)
        while len(waiting.get(due, ())) == len(leg.fixture.entrants):
            yield waiting.pop(due)
            due += 1


def _progress(question: Question, tally: Tally) -> str:
    lower, upper = question.bounds
    ratio = question.log_ratio(tally.seen)
    return (
        f"{tally.seen.total():,} fixtures, score {_score(tally.score, tally.error)}, "
        f"log likelihood ratio {ratio:+.2f} of {lower:+.2f} to {upper:+.2f}"
    )


def _score(score: float, error: float | None) -> str:
    return f"{100 * score:.1f} %" + ("" if error is None else f" ± {100 * error:.1f}")


def _answer(rules: Game, question: Question, tally: Tally, names: list[str], seed: str) -> dict[str, Any]:
    return {
        "game": rules.spec.key,
        "options": options_of(rules),
        "bots": names,
        "question": {"elo0": question.elo0, "elo1": question.elo1, "alpha": question.alpha, "beta": question.beta},
        "answer": question.answer(tally.seen),
        "log_ratio": question.log_ratio(tally.seen),
        "bounds": question.bounds,
        "fixtures": tally.seen.total(),
        "matches": tally.matches,
        "score": tally.score,
        "error": tally.error,
        "scores": {f"{score:g}": times for score, times in sorted(tally.seen.items())},
        "strikes": tally.strikes,
        "seed": seed,
    }


_SENTENCES = {
    Answer.BETTER: "{one} is better than {other}: by {elo1:g} Elo points rather than {elo0:g}.",
    Answer.NOT_BETTER: "{one} is not better than {other}: by {elo0:g} Elo points rather than {elo1:g}.",
    Answer.OPEN: "It is open whether {one} is better than {other}; --most allows more fixtures.",
}


def _tell(answer: dict[str, Any], seconds: float, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({**answer, "seconds": round(seconds, 3)}))
        return
    one, other = answer["bots"]
    console = Console(highlight=False, soft_wrap=True, markup=False)
    console.print(_SENTENCES[answer["answer"]].format(one=one, other=other, **answer["question"]))
    console.print(
        f"{answer['fixtures']:,} fixtures in {seconds:.1f} s, score {_score(answer['score'], answer['error'])}; "
        f"play the same deals again with --seed {answer['seed']}"
    )
