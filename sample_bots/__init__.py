"""Bots to copy, and the SDK that they are made with."""

import rummy.wire  # noqa: F401 - before gRPC is imported
