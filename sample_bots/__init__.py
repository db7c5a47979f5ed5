"""Bots that come with the arena, and `sdk`, with which bots are written."""

from rummy.wire.engine import use_polling

use_polling()
