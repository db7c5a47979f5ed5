"""What an entry of a tournament's log says, as a sentence; rounds and tables count from 1 there, as on pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rummy.store.log import Entry

Said = dict[str, Any]


def sentence(entry: Entry) -> str:
    """What was done, in a sentence without who and why."""
    told = _SENTENCES.get(entry.move)
    return told(entry.said) if told else f"The tournament is {entry.move}."


def _created(said: Said) -> str:
    kind = "" if said["rated"] else " practice"
    return f"A{kind} tournament of {said['game']} is made, {said['name']}; its commitment is {said['commitment']}."


def _changed(said: Said) -> str:
    return f"The format is now {said['format']}, cycles {said['cycles']}."


def _entered(said: Said) -> str:
    return f"{said['name']} enters as number {said['entrant'] + 1}."


def _started(said: Said) -> str:
    return f"It begins; {said['planned']} fixtures are planned."


def _drawn(said: Said) -> str:
    first, rounds = said["first"] + 1, said["rounds"]
    which = f"Round {first} is" if rounds == 1 else f"Rounds {first} to {first + rounds - 1} are"
    return f"{which} drawn: {said['fixtures']} fixtures."


def _result(said: Said) -> str:
    legs = "; ".join(
        ", ".join(f"{place}. entrant {entrant + 1} ({score})" for entrant, place, score, _, _ in _placed(leg))
        for leg in said["legs"]
    )
    return f"{_fixture(said)} has its result: {legs}."


def _placed(leg: Said) -> list[Any]:
    return sorted(leg["seats"], key=lambda seat: (seat[1], seat[0]))


def _fixture(said: Said) -> str:
    round_no, table_no, generation = said["fixture"]
    again = f", generation {generation + 1}," if generation else ""
    return f"Round {round_no + 1}, table {table_no + 1}{again}"


def _closed(said: Said) -> str:
    return f"Round {said['round'] + 1} is complete."


def _rated(said: Said) -> str:
    return f"Round {said['round'] + 1} is rated: {len(said['changes'])} ratings have moved."


def _revealed(said: Said) -> str:
    return f"Its seed was {said['seed']}."


def _withdrawn(said: Said) -> str:
    text = f"Entrant {said['entrant'] + 1} is withdrawn"
    if "played" not in said:
        return f"{text} before the start."
    counts = ": less than half, so all its fixtures count as won by the others" if said["annulled"] else ""
    return f"{text}, after {said['played']} of its {said['planned']} fixtures{counts}."


def _disqualified(said: Said) -> str:
    counts = "; all its fixtures count as won by the others" if said["annulled"] else ""
    return f"Entrant {said['entrant'] + 1} is disqualified{counts}."


def _unplayed(said: Said) -> str:
    absent = " and ".join(str(entrant + 1) for entrant in said["absent"])
    who = f"without entrant {absent}" if absent else "with nobody to blame: all share the first place"
    return f"{_fixture(said)} is decided without play, {who}."


def _voided(said: Said) -> str:
    return f"{_fixture(said)} is void, and is played again on new deals."


def _corrected(said: Said) -> str:
    rounds = ", ".join(str(number + 1) for number in said["rounds"])
    return f"The ratings of round{'s' * (len(said['rounds']) > 1)} {rounds} are taken back."


def _extended(said: Said) -> str:
    return f"The deadline of the round in play moves by {said['seconds']:.0f} seconds."


_SENTENCES: dict[str, Callable[[Said], str]] = {
    "created": _created,
    "changed": _changed,
    "entered": _entered,
    "started": _started,
    "drawn": _drawn,
    "result": _result,
    "closed": _closed,
    "rated": _rated,
    "withdrawn": _withdrawn,
    "disqualified": _disqualified,
    "unplayed": _unplayed,
    "voided": _voided,
    "corrected": _corrected,
    "extended": _extended,
    "revealed": _revealed,
}
