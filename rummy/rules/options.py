"""What an option of a game may be: one check a kind, each naming the option and what it takes."""

from __future__ import annotations

from rummy.errors import BadOptions


def whole(name: str, value: object, least: int, most: int) -> None:
    """Raises `BadOptions` unless *value* is a whole number from *least* to *most*."""
    if type(value) is not int or not least <= value <= most:
        raise BadOptions(f"The option {name} is a whole number from {least} to {most}, not {shown(value)}.")


def flag(name: str, value: object) -> None:
    """Raises `BadOptions` unless *value* is true or false."""
    if type(value) is not bool:
        raise BadOptions(f"The option {name} is true or false, not {shown(value)}.")


def one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raises `BadOptions` unless *value* is one of *choices*."""
    if type(value) is not str or value not in choices:
        raise BadOptions(f"The option {name} is one of {', '.join(choices)}, not {shown(value)}.")


def shown(value: object) -> str:
    """*value* as it may stand in a sentence, whatever it is."""
    text = ascii(value)
    return text if len(text) <= 40 else text[:36] + "..."
