"""The generated files are what their sources say."""

from rummy.wire import generate


def test_stubs_and_reference_are_up_to_date() -> None:
    assert generate.stale() == [], "run python -m rummy.wire.generate and commit what it writes"
