"""A stored replay as positions for the player: every hand open, the pile, the melds, and each action in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import zstandard

from api.schemas import Deal, Frame, FrameMeld
from rummy.errors import NotFound, ReplayMismatch
from rummy.rules.actions import (
    Arrange,
    BigGin,
    Cards,
    Continue,
    Discard,
    DrawPile,
    DrawStock,
    Drop,
    EndMelds,
    GoOut,
    Knock,
    LayOff,
    Meld,
    Take,
    TurnOver,
)
from rummy.rules.actions import Pass as PassOffer
from rummy.rules.cards import TEXTS, card_text, cards_text
from rummy.rules.game import Event, EventKind, TableMeld, View
from rummy.rules.match import Match
from rummy.rules.notation import action_text
from rummy.rules.replay import Played, Reader, Staged
from rummy.rules.tabling import JOKER
from rummy.store import matches

_SYMBOLS = dict(zip("cdhs", "♣♦♥♠", strict=True))


@dataclass(frozen=True, slots=True)
class Film:
    """A whole match: its deals, and by deal the positions."""

    deals: tuple[Deal, ...]
    frames: tuple[tuple[Frame, ...], ...]


def unpacked(stored: bytes) -> bytes:
    """The replay's own bytes. Raises `ReplayMismatch` where what is stored cannot be unpacked."""
    try:
        return matches.unpack(stored)
    except (zstandard.ZstdError, NotFound) as error:
        raise ReplayMismatch(f"The stored replay is damaged and cannot be unpacked: {error}.") from None


def film(data: bytes) -> Film:
    """Every position of a replay. Raises `ReplayMismatch` at the first line that does not replay."""
    reader = Reader(data, Staged)
    assert isinstance(reader.match, Staged)
    projector = _Projector(reader.match)
    for played in reader.play():
        projector.show(played)
    return Film(tuple(projector.deals), tuple(tuple(frames) for frames in projector.frames))


class _Projector:
    """Follows a match and notes each position. The last one of a deal is gone from the match when it can be asked for,
    since the next deal has begun; the match keeps it for this."""

    def __init__(self, match: Staged) -> None:
        self._match = match
        self._seen = len(match.events)
        self._aside = _cut(match)
        self.deals: list[Deal] = []
        self.frames: list[list[Frame]] = [[_dealt(match)]]

    def show(self, played: Played) -> None:
        """Notes the position after *played*, and the next deal's first where one has begun."""
        match = self._match
        events, self._seen = match.events[self._seen :], len(match.events)
        over = len(match.deals) > len(self.deals)
        until = next((at for at, event in enumerate(events) if event.kind is EventKind.DEAL_END), len(events))
        before = self.frames[-1][-1]
        self._aside += tuple(card for event in events if event.kind is EventKind.KNOCK for card in event.cards)
        position = _closed(match.closing or []) if over else _position(match)
        position |= {"aside": cards_text(self._aside), **_said(before, played, events[:until])}
        self.frames[-1].append(before.model_copy(update=position))
        if not over:
            return
        end = match.deals[-1]
        self.deals.append(
            Deal(deal=played.deal, frames=len(self.frames[-1]), points=list(end.points), reason=end.reason)
        )
        if match.result is None:
            self._aside = _cut(match)
            self.frames.append([_dealt(match)])


def _dealt(match: Match) -> Frame:
    view = match.view(None)
    return Frame(
        deal=match.deal,
        ply=0,
        seat=None,
        act=None,
        text=" ".join(["The cards are dealt.", *_terms(view)]),
        fault=None,
        us=None,
        aside=cards_text(_cut(match)),
        scores=list(view.scores),
        dealer=view.dealer,
        **_position(match),
    )


def _terms(view: View) -> Iterator[str]:
    """What is particular to this deal, where the game has anything: the wild rank, and the contract."""
    if view.wild is not None:
        rank = "a joker, so aces are wild" if view.wild >= JOKER else _all([(view.wild,)])
        yield f"Cut for the wild rank: {rank}."
    if view.contract:
        sets, runs = view.contract
        asked = [_count(sets, "set")] * (sets > 0) + [_count(runs, "run")] * (runs > 0)
        yield f"The contract: {' and '.join(asked)}."


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number > 1)}"


def _cut(match: Match) -> Cards:
    """The card that lies beside the pile from the first: the one cut for the wild rank, where the game cuts one."""
    wild = match.view(None).wild
    return () if wild is None else (wild,)


def _position(match: Match) -> dict[str, Any]:
    decision = match.decision
    return {
        **_closed([match.view(seat) for seat in range(match.seats)]),
        "turn": None if decision is None else decision.seat,
        "phase": None if decision is None else decision.phase.name.lower(),
    }


def _closed(views: Sequence[View]) -> dict[str, Any]:
    """The position that the seats see in *views*, which asks nobody."""
    view = views[0]
    return {
        "hands": [cards_text(each.hand) for each in views],
        "stock": view.stock,
        "pile": cards_text(view.pile),
        "melds": [_meld(meld) for meld in view.melds],
        "status": list(view.status),
        "turn": None,
        "phase": None,
    }


def _meld(meld: TableMeld) -> FrameMeld:
    return FrameMeld(seat=meld.seat, cards=cards_text(meld.cards), placers=list(meld.placers))


def _said(before: Frame, played: Played, events: Sequence[Event]) -> dict[str, Any]:
    """Who did what, for the frame after it."""
    record = played.record
    text = f"leaves the match: {record['forfeit']}" if played.action is None else _words(played, before, events)
    return {
        "ply": played.ply + (played.action is not None),
        "seat": played.seat,
        "act": None if played.action is None else action_text(played.action),
        "text": text,
        "fault": record.get("fault") or record.get("forfeit"),
        "us": record.get("us"),
    }


def _words(played: Played, before: Frame, events: Sequence[Event]) -> str:
    """The action as a sentence without its subject."""
    match played.action:
        case DrawStock():
            shuffled = any(event.kind is EventKind.TURN_OVER for event in events)
            return ("shuffles the pile into a new stock and " * shuffled) + f"draws {_drawn(events)} from the stock"
        case DrawPile(count):
            return f"takes {_all([_split(before.pile)[-count:]])} from the pile"
        case Take():
            bought = f" and {_drawn(events)} from the stock" if _drawn(events) else ""
            return f"takes the offered {_all([_split(before.pile)[-1:]])}{bought}"
        case PassOffer():
            return "passes"
        case Discard(card):
            return f"discards {_all([(card,)])}"
        case Knock(card) if any(event.kind is EventKind.DROP for event in events):
            return f"shows wrongly, discarding {_all([(card or 0,)])}" + _shown(events, played.seat)
        case Knock(card) if any(event.reason == "declares" for event in events):
            return f"declares, discarding {_all([(card or 0,)])}" + _shown(events, played.seat)
        case Knock(card):
            return ("knocks" if card is None else f"knocks, discarding {_all([(card,)])}") + _shown(events, played.seat)
        case BigGin():
            return "has big gin" + _shown(events, played.seat)
        case Meld(cards):
            return f"melds {_all([cards])}"
        case LayOff(cards) if before.phase == "offer":
            return f"calls rummy and lays off {_all([cards])}; for that {_penalty(events)}"
        case LayOff(cards):
            return f"lays off {_all([cards])}"
        case EndMelds():
            return "ends the melds"
        case TurnOver():
            return "turns the pile over"
        case GoOut():
            return "goes out"
        case Continue():
            return "does not go out"
        case Drop():
            return "drops out of the deal"
        case Arrange():
            return "shows the hand" + _shown(events, played.seat)
        case _:
            raise AssertionError("a forfeit has words of its own")


def _drawn(events: Sequence[Event]) -> str:
    """The cards that came from the stock."""
    return _all(event.cards for event in events if event.kind is EventKind.DRAW_STOCK)


def _penalty(events: Sequence[Event]) -> str:
    """What the seat got that threw a card which could be laid off (BAS-10.6); its caller took the card first."""
    pile = _all(event.cards for event in events[1:] if event.kind is EventKind.DRAW_PILE)
    drawn = _drawn(events)
    return f"its discarder draws {drawn}" if drawn else f"its discarder takes {pile or 'nothing'} from the pile"


def _shown(events: Sequence[Event], seat: int) -> str:
    """What *seat* laid open."""
    show = next((event for event in events if event.kind is EventKind.SHOW and event.seat == seat), None)
    if show is None:
        return ""
    parts = [_all([group]) for group in show.groups]
    parts += [f"lays off {_all([lay_off.cards])}" for lay_off in show.lay_offs]
    parts.append(f"left over {_all([show.cards])}" if show.cards else "nothing left over")
    return ": " + "; ".join(parts)


def _all(groups: Iterable[Cards]) -> str:
    """Cards with suit symbols, such as `K♣ Q♣`."""
    return " ".join(
        text[0].replace("T", "10") + _SYMBOLS[text[1]] if text[1] in _SYMBOLS else "joker"
        for group in groups
        for text in map(card_text, group)
    )


def _split(cards: str) -> Cards:
    return tuple(TEXTS.index(cards[at : at + 2]) for at in range(0, len(cards), 2))
