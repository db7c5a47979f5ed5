"""Events in words, for replays and logs."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.rules.actions import Cards, LayOff
from rummy.rules.cards import cards_text
from rummy.rules.game import Event, EventKind


def sentence(event: Event, names: Sequence[str]) -> str:
    """What has happened, as one sentence; *names* are those of the seats."""
    name = names[event.seat]
    match event.kind:
        case EventKind.DEAL:
            cut = f" The card cut for the wild rank is {_cards(event.groups[0])}." if event.groups else ""
            return f"{name} begins." + (f" The upcard is {_cards(event.cards)}." if event.cards else "") + cut
        case EventKind.DRAW_STOCK:
            return f"{name} draws {_cards(event.cards) or 'a card'} from the stock."
        case EventKind.DRAW_PILE:
            return f"{name} takes {_cards(event.cards)} from the pile."
        case EventKind.PASS:
            return f"{name} passes."
        case EventKind.DISCARD:
            return f"{name} discards {_cards(event.cards)}."
        case EventKind.KNOCK:
            return f"{name} {event.reason or 'knocks'}" + (f" with {_cards(event.cards)}." if event.cards else ".")
        case EventKind.BIG_GIN:
            return f"{name} declares big gin."
        case EventKind.MELD:
            return f"{name} tables {_cards(event.cards)}."
        case EventKind.LAY_OFF:
            return f"{name} lays off {_lay_offs(event.lay_offs)}."
        case EventKind.SHOW:
            return f"{name} shows {_shown(event)}."
        case EventKind.DEAL_END:
            return f"The deal ends ({event.reason}): " + ", ".join(_points(event, names)) + "."
        case EventKind.TURN_OVER:
            renewed = "shuffles the pile into a new stock" if event.reason == "shuffled" else "turns the pile over"
            return f"{name} {renewed}." + (f" The upcard is {_cards(event.cards)}." if event.cards else "")
        case EventKind.OUT:
            return f"{name} leaves the match ({event.reason})."
        case EventKind.GO_OUT:
            return f"{name} goes out."
        case EventKind.DROP:
            return f"{name} leaves the deal ({event.reason})."


def _shown(event: Event) -> str:
    parts = [_cards(group) for group in event.groups]
    if event.lay_offs:
        parts.append(f"lays off {_lay_offs(event.lay_offs)}")
    parts.append(f"{_cards(event.cards)} left over" if event.cards else "nothing left over")
    return ", ".join(parts)


def _points(event: Event, names: Sequence[str]) -> list[str]:
    return [f"{name} {points}" for name, points in zip(names, event.points, strict=True)]


def _lay_offs(lay_offs: Sequence[LayOff]) -> str:
    return ", ".join(f"{_cards(lay_off.cards)} on meld {lay_off.meld + 1}" for lay_off in lay_offs)


def _cards(cards: Cards) -> str:
    return " ".join(cards_text((card,)) for card in cards)
