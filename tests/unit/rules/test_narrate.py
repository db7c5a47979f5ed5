"""Events in words: one sentence for each kind, with what is known and without what is not."""

from __future__ import annotations

import pytest

from rummy.rules.actions import LayOff
from rummy.rules.cards import parse_cards
from rummy.rules.game import Event, EventKind
from rummy.rules.narrate import sentence

KC, FOURS, RUN = (12,), parse_cards("4s4h4d"), parse_cards("As2s3s")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event(EventKind.DEAL, 1), "Bert begins."),
        (Event(EventKind.DEAL, 1, KC), "Bert begins. The upcard is Kc."),
        (
            Event(EventKind.DEAL, 0, KC, groups=(parse_cards("7h"),)),
            "Anna begins. The upcard is Kc. The card cut for the wild rank is 7h.",
        ),
        (Event(EventKind.DRAW_STOCK, 0, KC), "Anna draws Kc from the stock."),
        (Event(EventKind.DRAW_STOCK, 0), "Anna draws a card from the stock."),
        (Event(EventKind.DRAW_PILE, 0, (12, 52)), "Anna takes Kc Xr from the pile."),
        (Event(EventKind.PASS, 0), "Anna passes."),
        (Event(EventKind.DISCARD, 0, KC), "Anna discards Kc."),
        (Event(EventKind.KNOCK, 0, KC), "Anna knocks with Kc."),
        (Event(EventKind.KNOCK, 0), "Anna knocks."),
        (Event(EventKind.KNOCK, 0, KC, reason="declares"), "Anna declares with Kc."),
        (Event(EventKind.BIG_GIN, 1), "Bert declares big gin."),
        (Event(EventKind.MELD, 0, FOURS), "Anna tables 4s 4h 4d."),
        (
            Event(EventKind.LAY_OFF, 0, lay_offs=(LayOff(KC, 0), LayOff((43, 44), 2))),
            "Anna lays off Kc on meld 1, 5s 6s on meld 3.",
        ),
        (Event(EventKind.SHOW, 0), "Anna shows nothing left over."),
        (Event(EventKind.SHOW, 0, KC, groups=(FOURS, RUN)), "Anna shows 4s 4h 4d, As 2s 3s, Kc left over."),
        (
            Event(EventKind.SHOW, 1, groups=(FOURS,), lay_offs=(LayOff(KC, 1),)),
            "Bert shows 4s 4h 4d, lays off Kc on meld 2, nothing left over.",
        ),
        (Event(EventKind.DEAL_END, 0, points=(0, 12), reason="out"), "The deal ends (out): Anna 0, Bert 12."),
        (Event(EventKind.TURN_OVER, 0), "Anna turns the pile over."),
        (Event(EventKind.TURN_OVER, 0, KC), "Anna turns the pile over. The upcard is Kc."),
        (
            Event(EventKind.TURN_OVER, 1, KC, reason="shuffled"),
            "Bert shuffles the pile into a new stock. The upcard is Kc.",
        ),
        (Event(EventKind.OUT, 1, reason="points"), "Bert leaves the match (points)."),
        (Event(EventKind.GO_OUT, 1), "Bert goes out."),
        (Event(EventKind.DROP, 1, reason="middle"), "Bert leaves the deal (middle)."),
    ],
)  # fmt: skip
def test_an_event_is_one_sentence(event: Event, words: str) -> None:
    assert sentence(event, ["Anna", "Bert"]) == words
