"""Tables as Parquet, by pyarrow of the Apache Arrow project (Apache-2.0): the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rummy.errors import BadInput
from rummy.store.exports import Row, Table

GROUP = 20_000  # Lines of a row group: so many are in memory.


def write(table: Table, lines: Iterator[Row], out: Path) -> int:
    """Writes *lines* to *out*; returns how many. Raises `BadInput` without the extra, and what *lines* raises."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise BadInput(
            "Parquet needs the extra 'parquet': ARENA_EXTRAS=parquet ./arena --help, or pip install -e '.[parquet]'."
        ) from None
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in table.columns.items()])
    count = 0
    with parquet.ParquetWriter(out, schema) as writer:
        while group := list(islice(lines, GROUP)):
            columns = [list(column) for column in zip(*group, strict=True)]
            writer.write_table(pyarrow.table(columns, schema=schema))
            count += len(group)
    return count
