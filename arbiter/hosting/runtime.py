"""The Python that hosted bots run on: the arena's interpreter with a site of its own, not the arena's.

A runtime is a folder in the shape of a virtual environment, so that a bot needs no PYTHONPATH. Where the interpreter
itself lies in a folder that lanes cannot pass (a home of mode 0700), it is brought along. Files are linked, not copied,
where the file system allows it. A runtime is named by what went into it, made once, and moved into place in one step.
"""

from __future__ import annotations

import compileall
import importlib.util
import os
import shutil
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from arbiter.hosting.reach import barrier, lanes_are_others
from rummy.errors import SettingsError

SITE_MODULES = ("grpc", "google.protobuf", "google._upb", "typing_extensions", "uvloop")
_ROOT = Path(__file__).resolve().parents[2]
OWN_SOURCES = (
    "rummy/__init__.py",
    "rummy/errors.py",
    "rummy/rules",
    "rummy/wire",
    *sorted(f"sample_bots/{path.name}" for path in (_ROOT / "sample_bots").glob("*.py")),
)
_NOT_NEEDED = shutil.ignore_patterns(
    *("site-packages", "dist-packages", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3"),
    "config-*",
)
_PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"


@dataclass(frozen=True, slots=True)
class Runtime:
    """What starts a bot: the interpreter, and the environment that the interpreter needs."""

    python: Path
    environment: Mapping[str, str]


def make_runtime(folder: Path) -> Runtime:
    """The runtime in *folder*, made if it is not there yet, in place of older ones; the folder is the caller's alone.

    Raises `SettingsError` where a part of it is missing.
    """
    interpreter = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    bring = lanes_are_others() and any(map(barrier, (interpreter, Path(os.__file__))))
    place = folder / f"python-{_identity(interpreter, bring=bring)}"
    if not place.exists():
        _remove_others(folder)
        _build(place, interpreter, bring=bring)
    library = {"LD_LIBRARY_PATH": str(place / "base" / "lib")} if bring and _shared_library() else {}
    return Runtime(place / "bin" / "python", library)


def _identity(interpreter: Path, *, bring: bool) -> str:
    """The name of what goes in; another one once any of it has changed."""
    parts = [sys.version, str(interpreter), str(bring)]
    for path in (interpreter, *(path for _, path in _own()), *(path for _, path in _site())):
        parts.append(f"{path} {path.stat().st_mtime_ns}")
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


def _remove_others(folder: Path) -> None:
    """Takes away what earlier versions of the arena, or an arbiter that was killed, have left."""
    for old in folder.iterdir() if folder.exists() else ():
        shutil.rmtree(old, ignore_errors=True)


def _build(place: Path, interpreter: Path, *, bring: bool) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=".making-", dir=place.parent))
    home = interpreter.parent
    if bring:
        _bring(interpreter, making / "base")
        home = place / "base" / "bin"
    (making / "bin").mkdir()
    (making / "bin" / "python").symlink_to(home / interpreter.name)
    (making / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n", "utf-8")
    site = Path("lib") / _PYTHON / "site-packages"
    _fill(making / site)
    compileall.compile_dir(making / site, ddir=str(place / site), quiet=2)
    _open(making)
    making.rename(place)


def _bring(interpreter: Path, base: Path) -> None:
    (base / "bin").mkdir(parents=True)
    _place(str(interpreter), str(base / "bin" / interpreter.name))
    shutil.copytree(Path(os.__file__).parent, base / "lib" / _PYTHON, ignore=_NOT_NEEDED, copy_function=_place)
    if (library := _shared_library()) is not None:
        _place(str(library), str(base / "lib" / library.name))


def _shared_library() -> Path | None:
    """The interpreter's own shared library, if it has one."""
    folder, name = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED") or not folder or not name:
        return None
    library = Path(folder) / name
    return library.resolve().with_name(name) if library.exists() else None


def _fill(site: Path) -> None:
    for name, source in _site():
        target = site / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, copy_function=_place)
        else:
            _place(str(source), str(target))
    for name, source in _own():  # Copied: somebody may be editing them.
        target = site / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _site() -> Iterator[tuple[str, Path]]:
    """What others have written, by name within the site."""
    for module in SITE_MODULES:
        spec = importlib.util.find_spec(module)
        if spec is None:
            continue  # Not every platform has each of them; what a bot cannot do without is imported by its check.
        name = module.replace(".", "/")
        if spec.submodule_search_locations:
            yield name, Path(next(iter(spec.submodule_search_locations)))
        elif spec.origin:
            yield Path(spec.origin).name, Path(spec.origin)


def _own() -> Iterator[tuple[str, Path]]:
    """What the arena gives to bots of its own sources, by name within the site."""
    for name in OWN_SOURCES:
        source = _ROOT / name
        if not source.exists():
            raise SettingsError(f"The arena is installed incompletely: {source} is missing, which hosted bots need.")
        for path in sorted(source.rglob("*.py")) if source.is_dir() else (source,):
            yield path.relative_to(_ROOT).as_posix(), path


def _place(source: str, target: str) -> str:
    """A copy of a file that others may read; the file itself under a second name, where that can be."""
    mode = Path(source).stat().st_mode
    try:
        if not mode & stat.S_IROTH:
            raise PermissionError
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        Path(target).chmod(0o755 if mode & stat.S_IXUSR else 0o644)
    return target


def _open(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
