"""The arbiter: plays the fixtures of workers over the streams of bots."""

import os

import rummy.wire  # noqa: F401 - before gRPC is imported

# Keepers of hosted bots are started by fork and exec. gRPC's fork handlers run in between, in the child: with them one
# child in ten was killed by a segmentation fault under uvloop, without them none. It reads this when it is imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
