"""What is written about the HTTP interface, and the table of its errors."""

from pathlib import Path

import pytest

from api import errors as outward
from api.reference import page
from rummy import errors

ROOT = Path(__file__).parents[2]


def test_the_reference_page_is_that_of_the_service() -> None:
    written = (ROOT / "docs/reference/http.md").read_text("utf-8")
    assert written == page(), "make it anew: python -m api.reference > docs/reference/http.md"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.NotFound("x"), 404),
        (errors.BadInput("x"), 422),
        (errors.UnknownGame("x"), 422),
        (errors.BadTransition("x"), 409),
        (errors.Conflict("x"), 409),
        (errors.Unauthenticated("x"), 401),
        (errors.Forbidden("x"), 403),
        (errors.TooMany("x"), 429),
        (errors.ReplayMismatch("x"), 500),
        (errors.StoreUnavailable("x"), 503),
        (errors.ArbiterUnavailable("x"), 503),
        (errors.BotTimeout("x"), 500),
    ],
)
def test_every_error_has_a_status(error: errors.RummyError, status: int) -> None:
    assert outward.status_of(error) == status


def test_the_vendored_files_have_their_licences() -> None:
    folder = ROOT / "api/web/static/vendor"
    licences = (folder / "LICENSES").read_text("utf-8")
    for file in folder.iterdir():
        assert file.name == "LICENSES" or file.name in licences
