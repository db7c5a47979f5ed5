"""The arbiter: plays the fixtures of workers over the streams of bots."""

import rummy.wire  # noqa: F401 - before gRPC is imported
