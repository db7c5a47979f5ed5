"""Makes what follows from proto/: the stubs in rummy/wire/v1 and docs/reference/protocol.md.

    python -m rummy.wire.generate           writes them
    python -m rummy.wire.generate --check   names the files that are not as they would be written; status 1 if any

Needs a source checkout and the development tools (grpcio-tools, mypy-protobuf).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rummy.wire import reference

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path("proto/rummy/wire/v1")
STUBS = Path("rummy/wire/v1")
INTRODUCTION = Path("proto/introduction.md")
PAGE = Path("docs/reference/protocol.md")


def generated() -> dict[Path, str]:
    """Every generated file, by its path from the root of the repository. Raises `RuntimeError` where protoc fails."""
    files = dict(_stubs())
    files[PAGE] = reference.page((ROOT / INTRODUCTION).read_text(encoding="utf-8"), _proto_texts())
    return files


def stale() -> list[Path]:
    """The files that differ from what would be written, those that should not be there included."""
    wanted = generated()
    present = {path.relative_to(ROOT) for path in (ROOT / STUBS).glob("*_pb2*.py*")}
    changed = [path for path, text in wanted.items() if not _is(ROOT / path, text)]
    return sorted({*changed, *(present - wanted.keys())})


def write() -> list[Path]:
    """Brings all generated files up to date and names those that have changed."""
    wanted = generated()
    changed = stale()
    for path in changed:
        if path in wanted:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(wanted[path], encoding="utf-8")
        else:
            (ROOT / path).unlink()
    return changed


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


def _proto_texts() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / SOURCES).glob("*.proto"))}


def _stubs() -> Iterator[tuple[Path, str]]:
    with tempfile.TemporaryDirectory() as folder:
        _run_protoc(folder)
        for path in sorted(Path(folder).rglob("*_pb2*.py*")):
            text = path.read_text(encoding="utf-8")
            if not (path.stem.endswith("_grpc") and "def add_" not in text):  # A file without a service has no use.
                yield path.relative_to(folder), text


def _run_protoc(folder: str) -> None:
    outputs = [f"--{plugin}_out={folder}" for plugin in ("python", "grpc_python", "mypy", "mypy_grpc")]
    sources = [str(SOURCES / name) for name in _proto_texts()]
    plugins = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", "-Iproto", *outputs, *sources],
        cwd=ROOT, env={**os.environ, "PATH": plugins}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"protoc has refused the sources in {SOURCES}:\n{done.stderr}")


def main(arguments: list[str]) -> int:
    """Writes, or with --check compares; the status for the shell."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m rummy.wire.generate [--check]", file=sys.stderr)  # noqa: T201
        return 2
    paths = stale() if arguments else write()
    for path in paths:
        print(f"{'stale' if arguments else 'wrote'}: {path}")  # noqa: T201
    if arguments and paths:
        print("Run python -m rummy.wire.generate and commit what it writes.")  # noqa: T201
    return 1 if arguments and paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
