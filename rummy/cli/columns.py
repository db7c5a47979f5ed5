"""The columns of a table for a terminal."""

from collections.abc import Iterable

from rich.table import Table


def add_columns(table: Table, words: Iterable[str], numbers: Iterable[str] = ()) -> None:
    """Gives *table* columns of words and then of numbers.

    A name is shown whole, on several lines where the terminal is narrow: by their beginnings alone some are alike.
    """
    for head in words:
        table.add_column(head, overflow="fold")
    for head in numbers:
        table.add_column(head, justify="right")
