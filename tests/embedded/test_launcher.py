"""The launcher: what it needs, and the sentence it says where it cannot go on."""

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
ARENA = ROOT / "arena"


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The launcher as a module, its environment in a folder that is not there yet."""
    monkeypatch.setenv("ARENA_VENV", str(tmp_path / "env"))
    monkeypatch.delenv("ARENA_EXTRAS", raising=False)  # The build server asks for some.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = SourceFileLoader("launcher", str(ARENA))
    spec = importlib.util.spec_from_loader("launcher", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ARENA), *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
    )


def test_an_old_python_can_read_it() -> None:
    ast.parse(ARENA.read_text(), feature_version=(3, 4))


def test_it_can_be_executed() -> None:
    assert os.access(ARENA, os.X_OK)


def test_an_old_python_says_so(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher.sys, "version_info", (3, 9, 1))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit):
        launcher.use_newer_python()
    assert capsys.readouterr().err == (
        "arena: this is Python 3.9, and no Python 3.11 or newer is on the PATH: install one.\n"
    )


def test_an_old_python_hands_over_to_a_newer_one(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken, working = tmp_path / "python3.13", tmp_path / "python3.12"
    broken.write_text("#!/bin/sh\nexit 127\n")
    working.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for python in (broken, working):
        python.chmod(0o755)
    became: list[str] = []
    monkeypatch.setattr(launcher.sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(launcher.os, "execv", lambda program, _: became.append(program))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(launcher, "give_up", became.append)
    launcher.use_newer_python()
    assert became[0] == str(working)


def test_a_python_without_venv_says_so(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit):
        launcher.make_venv()
    assert "this Python has no venv module: install the package python3." in capsys.readouterr().err


def test_a_folder_that_is_no_environment_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    ended = run("status", ARENA_VENV=str(tmp_path))
    assert ended.returncode == 1
    assert (
        ended.stderr == f"arena: {tmp_path} is no Python environment: remove it, or set ARENA_VENV to another path.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_place_where_one_may_not_write_is_refused(tmp_path: Path) -> None:
    ended = run("status", ARENA_VENV="/proc/arena/env")
    assert ended.returncode == 1
    assert ended.stderr.startswith("arena: /proc/arena cannot be used (")
    assert ended.stderr.endswith("set ARENA_VENV to another path.\n")


def test_an_environment_counts_as_ready_only_with_the_stamp_of_today(launcher: ModuleType, tmp_path: Path) -> None:
    python = Path(launcher.PYTHON)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert not launcher.is_ready()
    Path(launcher.STAMP).write_text("of yesterday")
    assert not launcher.is_ready()
    Path(launcher.STAMP).write_text(launcher.wanted_stamp())
    assert launcher.is_ready()


def test_it_works_through_a_link_from_another_folder(launcher: ModuleType, tmp_path: Path) -> None:
    """The environment is that of the test run itself, with the stamp of a finished one."""
    python = Path(launcher.PYTHON)
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    Path(launcher.STAMP).write_text(launcher.wanted_stamp())
    link = tmp_path / "link"
    link.symlink_to(ARENA)
    (tmp_path / "rummy").mkdir()  # What lies where one stands is not taken for the program.
    (tmp_path / "rummy" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    ended = subprocess.run(
        [str(link), "status", "--data", str(tmp_path / "none")],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ended.stdout == f"No arena runs on {tmp_path / 'none'}: 'arena up' starts one.\n"
    assert ended.returncode == 1


def test_a_benchmark_brings_what_it_compares_with_and_it_stays(
    launcher: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = Path(launcher.PYTHON)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    Path(launcher.STAMP).write_text(launcher.wanted_stamp())
    monkeypatch.setattr(sys, "argv", ["arena", "bench", "--help"])
    assert launcher.is_ready()
    monkeypatch.setattr(sys, "argv", ["arena", "bench", "rules"])
    assert not launcher.is_ready()
    assert launcher.all_extras() == ("server", "dev", "bench")
    assert {"open_spiel>=2.0", "rlcard>=1.2"} <= set(launcher.requirements(launcher.all_extras()))
    Path(launcher.STAMP).write_text(launcher.wanted_stamp(launcher.all_extras()))
    assert launcher.is_ready()
    monkeypatch.setattr(sys, "argv", ["arena", "status"])
    assert launcher.is_ready()
    Path(launcher.STAMP).write_text("of yesterday\n/here\nserver dev bench\n")
    assert not launcher.is_ready() and "bench" in launcher.all_extras()


def test_extras_are_asked_for_by_name(launcher: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_EXTRAS", "bench")
    assert launcher.wanted_extras() == ("server", "dev", "bench")
    ended = run("status", ARENA_EXTRAS="branch")
    assert (ended.returncode, ended.stderr) == (
        1,
        "arena: ARENA_EXTRAS names branch; there is only: bench, rl, parquet.\n",
    )


@pytest.mark.skipif(shutil.which("uv") is None, reason="there is no uv on this machine")
def test_uv_is_told_to_fetch_no_python(launcher: ModuleType) -> None:
    assert launcher.uv_settings()["UV_PYTHON_DOWNLOADS"] == "never"
    assert "--frozen" in launcher.uv_sync("uv", launcher.EXTRAS)
