"""What an installed arena has: all that a checkout finds beside its code."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SETTINGS = PROJECT["tool"]["setuptools"]
SERVICES = ("rummy", "arbiter", "workers", "api", "sample_bots")


def there() -> set[Path]:
    """All files of the services, as they are in a fresh clone."""
    every = (path for name in SERVICES for path in (ROOT / name).rglob("*"))
    return {path for path in every if path.is_file() and not {"__pycache__", "node_modules"} & {*path.parts}}


def installed() -> set[Path]:
    """What goes into a wheel."""
    folders = {name: ROOT / name.replace(".", "/") for name in SETTINGS["packages"]}
    code = {path for folder in folders.values() for path in folder.glob("*.py")}
    data = {
        path for name, wanted in SETTINGS["package-data"].items() for one in wanted for path in folders[name].glob(one)
    }
    return code | {path for path in data if path.is_file()}


def test_nothing_of_the_services_is_left_out_of_an_installation() -> None:
    left_out = {path.relative_to(ROOT) for path in there() - installed() if path.suffix != ".pyi"}
    assert left_out == set()
    assert {"base.html", "0001_init.sql", "bot.toml", "htmx-4.0.1.min.js"} <= {path.name for path in installed()}


def test_a_bot_needs_nothing_but_what_is_installed_with_it() -> None:
    script = "import sys; before = {*sys.modules}; import sample_bots.sdk; print(*{*sys.modules} - before)"
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, text=True)
    others = {name.split(".")[0] for name in ran.stdout.split()} - sys.stdlib_module_names - {*SERVICES}
    # grpc itself loads its siblings where there are any, and compiled modules have modules of their own.
    others = {name for name in others if not re.match(r"_|cython_runtime|grpc_", name)}
    needed = {re.split(r"[^a-z]", name)[0] for name in PROJECT["project"]["dependencies"]}
    packages = {"grpc": "grpcio", "google": "protobuf", "uvloop": "uvloop", "typing_extensions": "grpcio"}
    assert {packages[name] for name in others} == needed
