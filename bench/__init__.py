"""Benchmarks beside peers; gRPC alone has the engine that the arena has."""

from rummy.wire.engine import use_polling

use_polling()
