"""The notation of actions: every action has one text, every other text is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy.errors import BadNotation
from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
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
    Pass,
    Take,
    TurnOver,
)
from rummy.rules.notation import action_text, parse_action

TEXTS: dict[str, Action] = {
    "S": DrawStock(),
    "P1": DrawPile(1),
    "P12": DrawPile(12),
    "T": Take(),
    "N": Pass(),
    "E": EndMelds(),
    "O": TurnOver(),
    "G": GoOut(),
    "C": Continue(),
    "Q": Drop(),
    "D:Kc": Discard(12),
    "D:Xr": Discard(52),
    "K": Knock(),
    "K:Kc": Knock(12),
    "K:Kc/": Knock(12, ()),
    "K:Kc/As2s3s,7c7d7h": Knock(12, ((39, 40, 41), (6, 19, 32))),
    "K/As2s3s": Knock(None, ((39, 40, 41),)),
    "B": BigGin(),
    "B/As2s3s": BigGin(((39, 40, 41),)),
    "M:4s4h4d": Meld((42, 29, 16)),
    "L:5s6s>2": LayOff((43, 44), 2),
    "L:Xr>2-": LayOff((52,), 2, low=True),
    "A": Arrange(),
    "A/": Arrange(()),
    "A/As2s3s;5s>0,6s>0": Arrange(((39, 40, 41),), (LayOff((43,), 0), LayOff((44,), 0))),
    "A/;5s>10": Arrange((), (LayOff((43,), 10),)),
    "A;5s>1": Arrange(None, (LayOff((43,), 1),)),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_action_are_one(text: str) -> None:
    assert parse_action(text) == TEXTS[text]
    assert action_text(TEXTS[text]) == text


CARD = st.integers(0, 53)
GROUP = st.lists(CARD, min_size=1, max_size=8).map(tuple)
MELDS = st.none() | st.lists(GROUP, max_size=4).map(tuple)
LAY_OFF = st.builds(LayOff, GROUP, st.integers(0, 99), st.booleans())
ACTIONS = st.one_of(
    st.builds(Discard, CARD),
    st.builds(DrawPile, st.integers(1, 63)),
    st.builds(Knock, st.none() | CARD, MELDS),
    st.builds(BigGin, MELDS),
    st.builds(Meld, GROUP),
    LAY_OFF,
    st.builds(Arrange, MELDS, st.lists(LAY_OFF, max_size=3).map(tuple)),
)


@given(ACTIONS)
def test_every_action_reads_back(action: Action) -> None:
    assert parse_action(action_text(action)) == action


@pytest.mark.parametrize(
    "text",
    [
        "", "s", "X", "SS", "S ", "P", "P0", "P01", "P-1", "P100", "P\u0661", "T1", "D", "D:", "D:1s", "DKc", "D:KcKd",
        "K:", "K:Kc/As2s3s,", "K:Kc/,", "KKc", "B:", "B/,", "M", "M:", "M:4s4", "L:5s", "L:>1", "L:5s>", "L:5s>x",
        "L:5s>1>2", "A;", "A/;", "A/;5s", "Ax", "D:" + "Kc" * 400, None, 5,
    ],
)  # fmt: skip
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_action(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x" * 24, "'" + "x" * 24 + "'"), ("x" * 25, "'" + "x" * 20 + "...'"), ("x\u0661\n", r"'x\u0661\n'")],
)
def test_a_refusal_names_what_it_refuses_but_repeats_no_long_text(text: str, shown: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_action(text)
    assert str(caught.value).startswith(shown + " ")


@given(st.text(max_size=12))
def test_no_text_does_anything_else_than_parse_or_be_refused(text: str) -> None:
    try:
        action = parse_action(text)
    except BadNotation:
        return
    assert parse_action(action_text(action)) == action


def test_an_action_is_as_long_as_the_limit_at_most() -> None:
    longest = "M:" + "As" * 199
    assert action_text(parse_action(longest)) == longest
    with pytest.raises(BadNotation, match="at most 400"):
        parse_action(longest + " ")


def test_what_is_no_action_has_no_text() -> None:
    with pytest.raises(TypeError, match="int is no action"):
        action_text(3)  # type: ignore[arg-type]
