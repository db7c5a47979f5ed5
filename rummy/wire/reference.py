"""The protocol's reference page, made from the comments in the .proto files, which are the only place to write them.

Reads the plain subset of the language that this project uses: one declaration a line, a comment above what it explains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

FILES = ("table.proto", "view.proto", "cards.proto", "watch.proto", "bots.proto", "arbiter.proto")  # In reading order.
_FIELD = re.compile(r"(?P<type>(?:repeated )?[\w.]+) (?P<name>\w+) = (?P<number>\d+);")
_VALUE = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*) = (?P<number>\d+);")
_CALL = re.compile(r"rpc (?P<name>\w+)\((?P<takes>[\w ]+)\) returns \((?P<gives>[\w ]+)\);")
_BLOCK = re.compile(r"(?P<kind>message|enum|service|oneof) (?P<name>\w+) \{(?P<closed>\})?")

_HEADS = {"service": ("call", "type"), "enum": ("value", "number"), "message": ("field", "type", "number")}


@dataclass
class _Row:
    name: str
    type: str
    number: str
    text: str


@dataclass
class _Block:
    kind: str
    name: str
    text: list[str]
    rows: list[_Row] = field(default_factory=list)


def page(introduction: str, sources: Mapping[str, str]) -> str:
    """The whole page. Raises `ValueError` for a line that this reader does not understand."""
    parts = [introduction.rstrip() + "\n"]
    for name in (*FILES, *sorted(set(sources) - set(FILES))):
        intro, blocks = _read(name, sources[name])
        parts.append(f"## {name}\n")
        parts += [intro] if intro else []
        parts += [_section(block) for block in blocks]
    return "\n".join(parts)


def _read(name: str, source: str) -> tuple[str, list[_Block]]:
    blocks: list[_Block] = []
    open_blocks: list[_Block] = []
    comment: list[str] = []
    intro = ""
    for line in (line.strip() for line in source.splitlines()):
        if line.startswith("//"):
            comment.append(line[2:].removeprefix(" "))
            continue
        if not line and comment and not open_blocks:  # A comment that stands alone speaks of the file.
            intro += _prose(comment) + "\n"
        elif line and not line.startswith(("syntax", "package", "import")):
            _declaration(name, line, comment, blocks, open_blocks)
        comment = []
    return intro, blocks


def _declaration(name: str, line: str, comment: list[str], blocks: list[_Block], open_blocks: list[_Block]) -> None:
    if line == "}":
        open_blocks.pop()
    elif block := _BLOCK.fullmatch(line):
        _open(block, comment, blocks, open_blocks)
    elif open_blocks and (row := _row(line, " ".join(comment))):
        open_blocks[-1].rows.append(row)
    else:
        raise ValueError(f"{name}: the reference page cannot be made from the line {line!r}")


def _open(block: re.Match[str], comment: list[str], blocks: list[_Block], open_blocks: list[_Block]) -> None:
    if block["kind"] == "oneof":  # Its fields belong to the message around it.
        open_blocks.append(open_blocks[-1])
        return
    inner = ".".join([*(outer.name for outer in open_blocks), block["name"]])
    made = _Block(block["kind"], inner, comment)
    blocks.append(made)
    if not block["closed"]:
        open_blocks.append(made)


def _row(line: str, text: str) -> _Row | None:
    if call := _CALL.fullmatch(line):
        return _Row(call["name"], f"{call['takes']} → {call['gives']}", "", text)
    if member := _FIELD.fullmatch(line):
        return _Row(member["name"], member["type"], member["number"], text)
    if value := _VALUE.fullmatch(line):
        return _Row(value["name"], "", value["number"], text)
    return None


def _section(block: _Block) -> str:
    lines = [f"### {block.kind} {block.name}\n"]
    lines += [_prose(block.text)] if block.text else []
    if block.rows:
        lines.append(_table(block))
    return "\n".join(lines)


def _table(block: _Block) -> str:
    heads = {"service": ("call", "type"), "enum": ("value", "number"), "message": ("field", "type", "number")}[
        block.kind
    ]
    rows = [_cells(block.kind, row) for row in block.rows]
    table = [(*heads, "meaning"), ("---",) * (len(heads) + 1), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in table) + "\n"


def _cells(kind: str, row: _Row) -> tuple[str, ...]:
    middle = {"service": (row.type,), "enum": (row.number,), "message": (row.type, row.number)}[kind]
    return (f"`{row.name}`", *middle, row.text)


def _prose(comment: list[str]) -> str:
    """Paragraphs of a comment; indented lines stay as they are."""
    out = ""
    for line in comment:
        indented = line.startswith("  ")
        out += f"\n    {line.strip()}" if indented else f"\n{line}"
    return out.strip("\n") + "\n"
