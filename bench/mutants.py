"""Mutants of the rules: each a small change in one function, which some test or the type checker ought to notice.

mutmut writes the mutants; this runs them. It would start pytest anew for each of them, seconds for a test of a
millisecond. Here the tests are collected once, a fork of the process puts the code of one mutant in the place of the
function's own, so that nothing else slows down, and calls the tests that reach this function, the fastest first, until
one fails. Tables that are computed on import would not notice: with `--fresh` a fork computes those of the module anew.

Outcomes are appended to a file, one JSON object a line; for a mutant that ran twice the later line holds.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import difflib
import gc
import importlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from time import process_time
from types import FunctionType
from typing import Any, NamedTuple

import pytest

TESTS = ("tests/unit/rules", "tests/golden", "tests/property")
KILLED, SURVIVED, TIMEOUT, TYPES, UNREACHED = "killed", "survived", "timeout", "types", "unreached"
MEMORY = 2 << 30
_TOO_LONG = 3  # The status of a process.
# What mypy says of the many copies of one method in a class, whatever is changed in them.
_OF_COPIES = {"no-redef", "has-type"}


class Mutant(NamedTuple):
    """One changed function, by the name that mutmut gives it, and its source as it was and as it is."""

    module: str
    function: str  # f, or C.f
    name: str
    before: str
    after: str

    def diff(self) -> list[str]:
        """The lines that differ."""
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), n=0, lineterm="")
        return [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]


def mutants_of(path: Path) -> tuple[str, list[Mutant]]:
    """The text of a module with all its mutants beside their originals, and these mutants."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    text = mutate_file_contents(str(path), path.read_text(encoding="utf-8")).code
    lines = text.splitlines(keepends=True)
    tree, module = ast.parse(text), ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    sources: dict[str, tuple[str, str]] = {}
    owners: list[ast.Module | ast.ClassDef] = [tree, *[node for node in tree.body if isinstance(node, ast.ClassDef)]]
    for owner in owners:
        prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name:
                plain = node.name.partition("__mutmut_")[0].rpartition("ǁ")[2]
                plain = plain if prefix else plain.removeprefix("x_")
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                source = "".join(lines[first - 1 : node.end_lineno]).replace(node.name, plain, 1)
                sources[node.name] = prefix + plain, source
    return text, [
        Mutant(module, function, name, sources[name.partition("__mutmut_")[0] + "__mutmut_orig"][1], source)
        for name, (function, source) in sources.items()
        if not name.endswith("_orig")
    ]


def caught_by_types(paths: Sequence[Path], texts: Sequence[str]) -> set[tuple[str, str]]:
    """Module and name of the mutants in which mypy finds a fault."""
    found: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copytree("rummy", tree / "rummy", ignore=ignore_patterns("__pycache__"))
        copy("pyproject.toml", tree)
        for path, text in zip(paths, texts, strict=True):
            (tree / path).write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--output=json", "--no-incremental", *map(str, paths)]
        said = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        errors = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
        if not errors:
            raise SystemExit(f"mypy found no fault in any mutant, so it has not run: {said.stdout}{said.stderr}")
    for path, text in zip(paths, texts, strict=True):
        spans = sorted(
            (node.lineno, node.end_lineno or 0, node.name)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name
        )
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        for error in errors:
            if error["severity"] == "error" and error["file"] == str(path) and _is_of_one(error):
                at = bisect_right(spans, (error["line"], sys.maxsize, "")) - 1
                if at >= 0 and error["line"] <= spans[at][1]:
                    found.add((module, spans[at][2]))
    return found


def _is_of_one(error: dict[str, Any]) -> bool:
    return error["code"] not in _OF_COPIES and not error["message"].startswith("Cannot determine type")


class Collected:
    """The tests, collected once, to be called as often as wanted."""

    def __init__(self, folders: Sequence[str]) -> None:
        """Raises `SystemExit` when they cannot be collected. One that asks for fixtures is left out."""
        self.items: list[Any] = []
        arguments = ["--collect-only", "-qqq", "--noconftest", "-p", "no:cacheprovider", *folders]
        with redirect_stdout(StringIO()):
            status = pytest.main(arguments, plugins=[self])
        if status != 0:
            raise SystemExit(f"The tests cannot be collected (pytest ends with {int(status)}).")
        self.by_name = {item.nodeid: _call(item) for item in self.items if not _missing(item)}

    def pytest_sessionstart(self) -> None:
        """Has Hypothesis try the same cases each time, and not look for a simpler one when one fails."""
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", derandomize=True, database=None, deadline=None, phases=phases)
        settings.load_profile("mutants")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keeps what pytest has collected and selected."""
        self.items = list(session.items)


def _given(item: Any) -> dict[str, Any]:
    return dict(item.callspec.params) if hasattr(item, "callspec") else {}


def _missing(item: Any) -> set[str]:
    return set(item.fixturenames) - set(_given(item)) - {"request", "event_loop_policy"}


def _call(item: Any) -> Callable[[], None]:
    given = _given(item)

    def call() -> None:
        item.obj(**given)

    return call


def functions_of(module: str) -> dict[str, FunctionType]:
    """The functions and methods that a module defines, by name."""
    found: dict[str, FunctionType] = {}
    spaces = {"": vars(importlib.import_module(module))}
    kinds = [kind for kind in spaces[""].values() if isinstance(kind, type) and kind.__module__ == module]
    spaces |= {f"{kind.__name__}.": dict(vars(kind)) for kind in kinds}
    for prefix, space in spaces.items():
        for name, value in space.items():
            function = getattr(value, "__func__", value)
            if not isinstance(function, FunctionType) or (function.__module__, function.__name__) != (module, name):
                continue
            if function.__code__.co_freevars in ((), ("__class__",)):  # Others are what dataclasses adds.
                found[prefix + name] = function
    return found


def reach(tests: Collected, functions: dict[str, FunctionType]) -> dict[str, Any]:
    """The time of each test, and the tests that enter each function: a tripwire in its place notes the first call."""
    entered: set[str] = set()
    real = {name: (f.__code__, f.__defaults__, f.__kwdefaults__) for name, f in functions.items()}
    wires = {name: _wire(name, function) for name, function in functions.items()}

    def disarm(name: str) -> None:
        function = functions[name]
        function.__code__, function.__defaults__, function.__kwdefaults__ = real[name]

    def trip(name: str, args: Any, kwargs: Any) -> Any:
        entered.add(name)
        disarm(name)
        return functions[name](*args, **kwargs)

    builtins._trip = trip  # type: ignore[attr-defined]
    seconds: dict[str, float] = {}
    by_function: dict[str, list[str]] = {name: [] for name in functions}
    armed = set(functions)
    for test, call in tests.by_name.items():
        entered.clear()
        for name in armed:
            function = functions[name]
            function.__defaults__ = function.__kwdefaults__ = None
            function.__code__ = wires[name]
        begun = process_time()
        call()
        seconds[test] = process_time() - begun
        for name in entered:
            by_function[name].append(test)
        armed = set(entered)  # The others still are.
    return {"seconds": seconds, "tests": by_function}


def _wire(name: str, function: FunctionType) -> Any:
    text = f"def wire(*args, **kwargs): return _trip({name!r}, args, kwargs)"
    if function.__code__.co_freevars:  # Of a method that calls super().
        text = f"def outer(__class__):\n def wire(*args, **kwargs): __class__; return _trip({name!r}, args, kwargs)\n"
        text += " return wire\nwire = outer(None)"
    space: dict[str, Any] = {}
    exec(text, space)
    return space["wire"].__code__


def put(mutant: Mutant, function: FunctionType) -> None:
    """The mutant's code in the place of the function's: whoever holds the function calls the mutant."""
    space = dict(function.__globals__)
    text = "from __future__ import annotations\n"
    source = ast.unparse(_undecorated(mutant.after))
    if function.__code__.co_freevars:
        text += "def outer(__class__):\n" + "\n".join("  " + line for line in source.splitlines())
        text += f"\n  return {function.__name__}\n{function.__name__} = outer(None)"
    else:
        text += source
    exec(text, space)
    changed = space[function.__name__]
    function.__code__ = changed.__code__
    function.__defaults__, function.__kwdefaults__ = changed.__defaults__, changed.__kwdefaults__


def _undecorated(source: str) -> ast.stmt:
    indented = source[0] in " \t"
    node = ast.parse("if True:\n" + source if indented else source).body[0]
    node = node.body[0] if isinstance(node, ast.If) else node
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list = []
    return node


def recompute(module: str) -> None:
    """Computes the tables of *module* again, as an import would, for everybody who has imported them by name."""
    here = importlib.import_module(module)
    kept = dict(vars(here))
    for node in ast.parse(Path(str(here.__file__)).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            exec(compile(ast.Module([node], []), module, "exec"), vars(here))
    users = [vars(each) for name, each in sys.modules.items() if name.startswith("rummy.rules")]
    for name, value in kept.items():
        if vars(here)[name] is not value:
            for space in users:
                space.update({name: vars(here)[name]} if space.get(name) is value else {})


def forked(work: Callable[[], str], cpu_seconds: float) -> tuple[str, str]:
    """The outcome of work that a fork does: what it returned names the test that failed, if any."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        limit = int(process_time() + cpu_seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        status = 2
        try:
            warnings.simplefilter("error")
            os.write(sending, work().encode())
            status = 0
        except TooLong:
            status = _TOO_LONG
        finally:
            os._exit(status)
    os.close(sending)
    with os.fdopen(receiving, encoding="utf-8") as stream:
        said = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        return (KILLED if said else SURVIVED), said
    return (TIMEOUT, "") if status in (_TOO_LONG, -signal.SIGXCPU) else (KILLED, f"the process ended with {status}")


class TooLong(BaseException):
    """A test has taken many times the time that it takes with the rules as they are."""


def first_failure(tests: Collected, seconds: dict[str, float]) -> str:
    """The first of these tests to fail, or nothing. Raises `TooLong` when one takes far more than its seconds."""

    def stop(signal_: int, frame: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    for name, time in seconds.items():
        signal.setitimer(signal.ITIMER_PROF, 0.5 + 8 * time)
        try:
            tests.by_name[name]()
        except (KeyboardInterrupt, TooLong):
            raise
        except BaseException:  # Whatever it is, pytest would have said that the test failed.
            return name
    return ""


def within(names: Sequence[str], seconds: dict[str, float], budget: float) -> dict[str, float]:
    """The fastest of the tests with their seconds, as many as fit."""
    chosen: dict[str, float] = {}
    for name in sorted(names, key=lambda test: seconds[test]):
        if chosen and sum(chosen.values()) + seconds[name] > budget:
            break
        chosen[name] = seconds[name]
    return chosen


def run(options: argparse.Namespace) -> None:
    """Runs the mutants of the modules named, and appends what became of each."""
    paths = [Path(path) for path in options.paths]
    made = [mutants_of(path) for path in paths]
    types = _types(Path(options.types), paths, made) if options.types else set()
    only: set[str] | None = set(json.loads(Path(options.only).read_text(encoding="utf-8"))) if options.only else None
    done = {record["mutant"] for record in _records(Path(options.out))} if only is None else set()
    named = {f"{m.module}.{m.name}": m for _, mutants in made for m in mutants}
    chosen: list[Mutant] = [m for name, m in named.items() if (name in only if only is not None else name not in done)]
    if options.share < 1:
        chosen = [m for m in chosen if random.Random(f"{options.seed}{m.module}{m.name}").random() < options.share]
    with Path(options.out).open("a", encoding="utf-8", buffering=1) as out:
        for mutant, (outcome, by) in _outcomes(chosen, types, options):
            record = {"mutant": f"{mutant.module}.{mutant.name}", "outcome": outcome, "by": by, "diff": mutant.diff()}
            out.write(json.dumps(record) + "\n")


def _types(kept: Path, paths: Sequence[Path], made: Sequence[tuple[str, list[Mutant]]]) -> set[tuple[str, str]]:
    if not kept.exists():
        found = caught_by_types(paths, [text for text, _ in made])
        kept.write_text(json.dumps(sorted(found)), encoding="utf-8")
    return {(module, name) for module, name in json.loads(kept.read_text(encoding="utf-8"))}


def _outcomes(
    chosen: Sequence[Mutant], types: set[tuple[str, str]], options: argparse.Namespace
) -> Iterator[tuple[Mutant, tuple[str, str]]]:
    known = json.loads(Path(options.reach).read_text(encoding="utf-8"))
    seconds: dict[str, float] = known["seconds"]
    tests = Collected(options.tests)
    gc.collect()
    gc.freeze()
    for mutant in chosen:
        if (mutant.module, mutant.name) in types:
            yield mutant, (TYPES, "")
            continue
        limit = 20 + 10 * options.seconds
        names = known["tests"].get(f"{mutant.module}.{mutant.function}", []) or (list(seconds) if options.fresh else [])
        some = within([name for name in names if name in tests.by_name], seconds, options.seconds)
        work = partial(_put, mutant, some, tests, options.fresh)
        yield mutant, (forked(work, limit) if some else (UNREACHED, ""))


def _put(mutant: Mutant, seconds: dict[str, float], tests: Collected, again: bool) -> str:
    put(mutant, functions_of(mutant.module)[mutant.function])
    if again:
        try:
            recompute(mutant.module)
        except Exception:
            return "the import of the module"
    return first_failure(tests, seconds)


def _records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def totals(file: Path) -> Iterator[str]:
    """A table of outcomes by module, and the survivors with their diffs."""
    last: dict[str, dict[str, Any]] = {}
    for record in _records(file):
        last[record["mutant"]] = record
    counts: dict[str, Counter[str]] = {}
    for record in last.values():
        counts.setdefault(record["mutant"].rpartition(".")[0], Counter())[record["outcome"]] += 1
    yield "| module | mutants | types | killed | timeout | survived | unreached |"
    for module, count in counts.items():
        cells = [str(count[outcome]) for outcome in (TYPES, KILLED, TIMEOUT, SURVIVED, UNREACHED)]
        yield f"| `{module}` | {count.total()} | {' | '.join(cells)} |"
    for name, record in last.items():
        if record["outcome"] in (SURVIVED, UNREACHED):
            yield f"\n{name}: {record['outcome']}"
            yield from record["diff"]


def main() -> None:
    """The command: `reach` first, then `run`, then `totals`."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("do", choices=("reach", "run", "totals"))
    parser.add_argument("paths", nargs="*", help="modules of rummy/rules")
    parser.add_argument("--out", default="mutants.jsonl")
    parser.add_argument("--reach", default="reach.json", help="which tests enter which function")
    parser.add_argument("--seconds", type=float, default=3.0, help="what the tests of one mutant may take")
    parser.add_argument("--share", type=float, default=1.0, help="of the mutants, drawn at random")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", help="a JSON list of the mutants to run")
    parser.add_argument("--types", help="ask mypy first, and keep here which mutants it catches")
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--fresh", action="store_true", help="compute the tables of the module anew")
    options = parser.parse_args()
    if options.do == "run":
        run(options)
    elif options.do == "totals":
        sys.stdout.write("\n".join(totals(Path(options.out))) + "\n")
    else:
        tests = Collected(options.tests)
        files = sorted(Path("rummy/rules").rglob("*.py"))
        modules = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files]
        functions = {f"{module}.{name}": f for module in modules for name, f in functions_of(module).items()}
        Path(options.reach).write_text(json.dumps(reach(tests, functions)), encoding="utf-8")


if __name__ == "__main__":
    main()
