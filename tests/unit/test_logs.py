"""Logs: for people and for programs, with what they are about, whatever bots say."""

from __future__ import annotations

import json
import logging

import pytest

from rummy import logs

NASTY = "knock\nERROR root: all is lost \x1b[31m"
ABOUT = {"match": 17, "bot": "ann's bot 1\n", "cause": "never started"}


def line(form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(logging.root, "handlers", [])
    level = logging.root.level
    logs.configure(form)
    try:
        logging.getLogger("arbiter.referee").info("A strike: %s", NASTY, extra=ABOUT)
    finally:
        logging.root.setLevel(level)
    return capsys.readouterr().err


def test_a_line_for_people(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    written = line("text", capsys, monkeypatch)
    assert written.count("\n") == 1 and "\x1b" not in written
    assert "INFO arbiter.referee: A strike: knock\\nERROR root: all is lost \\x1b[31m match=17 bot=" in written
    assert written.endswith("bot=\"ann's bot 1\\n\" cause='never started'\n")


def test_an_object_for_programs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    written = line("json", capsys, monkeypatch)
    assert written.count("\n") == 1
    said = json.loads(written)
    assert {name: said[name] for name in ABOUT} == ABOUT
    assert (said["level"], said["logger"], said["message"]) == ("INFO", "arbiter.referee", f"A strike: {NASTY}")
    assert said["time"].startswith("20")
