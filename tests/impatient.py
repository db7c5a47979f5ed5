"""The program of a worker whose broker gives a message out again while a fixture is still being played (P1)."""

VISIBILITY_SECONDS = 5
# It says what is delivered to it.
IMPATIENT = f"""
import sys
from workers import app, fixtures
app.VISIBILITY_SECONDS = {VISIBILITY_SECONDS}
play = fixtures.Player.play
def said(self, fixture_id):
    print("delivered", fixture_id, flush=True)
    play(self, fixture_id)
fixtures.Player.play = said
from workers.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
