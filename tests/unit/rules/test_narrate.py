"""Events in words."""

from __future__ import annotations

import pytest

from rummy.rules.game import Event, EventKind
from rummy.rules.narrate import sentence


@pytest.mark.parametrize("kind", EventKind)
def test_every_kind_of_event_has_a_sentence(kind: EventKind) -> None:
    said = sentence(Event(kind, 1, (5,), ((6,),), points=(1, 2), reason="knocks"), ["Ann", "Bob"])
    assert said, f"give {kind.name} its words in rummy/rules/narrate.py"
    assert "Bob" in said
    assert said.endswith(".")
