"""How the services write their logs: a line of text for people, or a JSON object a line for programs.

What a line is about stands beside its words, as `extra={"match": ..., "bot": ...}`, and is written in both forms.
"""

from __future__ import annotations

import logging

from pythonjsonlogger.json import JsonFormatter

FORMATS = ("text", "json")
SUBJECTS = ("fixture", "generation", "match", "seat", "bot", "cause")
"""What a line can be about, in this order."""


def configure(form: str, level: int = logging.INFO) -> None:
    """Writes logs from *level* on to the standard error stream; *form* is one of FORMATS."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Text() if form == "text" else _json())
    logging.basicConfig(level=level, handlers=[handler])


class _Text(logging.Formatter):
    """Words first, then what they are about."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line. What a bot has said or named itself cannot end it."""
        record.message = "".join([c if c.isprintable() else ascii(c)[1:-1] for c in record.message])
        about = [(name, record.__dict__[name]) for name in SUBJECTS if name in record.__dict__]
        return super().formatMessage(record) + "".join([f" {name}={_word(value)}" for name, value in about])


def _word(value: object) -> str:
    text = str(value)
    return text if text.isascii() and text.isprintable() and " " not in text else ascii(text)


def _json() -> logging.Formatter:
    return JsonFormatter(
        ("asctime", "levelname", "name", "message"),
        rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
        datefmt="%Y-%m-%dT%H:%M:%S%z",
    )
