"""What travels: messages, their values, and how to dial.

gRPC 1.80 has given Python an event engine with threads of its own, three of which wake for each message on either side:
twice the processor time of the one poller before (docs/why/speed.md). It keeps the poller for a while yet, behind a
switch that it reads when it is imported; a release that has it no longer would complain of the switch at each start.
"""

import os
from importlib.util import find_spec
from pathlib import Path

POLLER = "-event_engine_client,-event_engine_listener"
"""The switch: the value of `GRPC_EXPERIMENTS` that keeps the poller."""
_MEASURED = '"1.85.'
_grpc = find_spec("grpc")
if _grpc and _grpc.origin and _MEASURED in Path(_grpc.origin).with_name("_grpcio_metadata.py").read_text("utf-8"):
    os.environ.setdefault("GRPC_EXPERIMENTS", POLLER)

# Keepers of hosted bots are started by fork and exec, and bots fork for `multiprocessing`. gRPC's fork handlers run in
# the child: with them one keeper in ten was killed by a segmentation fault under uvloop, and a bot that forked for
# every third decision lost 19 of 20 matches, since a child did not answer it; without them none.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
