"""Packages: a bot's folder as one zip file. Packing is repeatable; reading trusts nothing that the file says of itself.

Limits are checked against bytes that are there: the headers of a zip file can claim anything.
"""

from __future__ import annotations

import io
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from rummy import manifest
from rummy.errors import BadInput, TooMany
from rummy.manifest import Manifest, read_manifest

MAX_PACKAGE_BYTES = 20_000_000
MAX_UNPACKED_BYTES = 60_000_000
MAX_FILES = 2_000
MAX_NAME_BYTES = 200
MAX_PART_BYTES = 100
MAX_DEPTH = 10
MAX_RATIO = 200  # Unpacked to packed, of the whole; ordinary files stay under 20.
FREE_BYTES = 1_000_000  # Below this the ratio does not matter.

_READ = 65_536
_START, _ENTRY = b"PK\x03\x04", b"PK\x01\x02"
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Others can ask for gigabytes of memory to unpack a few bytes.
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_EPOCH = (1980, 1, 1, 0, 0, 0)  # The first date that a zip file can name.
_REFUSED = re.compile(r'[\x00-\x1f\x7f:*?"<>|]')
_LEFT_OUT = ("__pycache__",)


@dataclass(frozen=True, slots=True)
class Package:
    """What is in a package that has passed every check."""

    digest: bytes  # SHA-256 of the zip file.
    manifest: Manifest
    files: Mapping[str, bytes]  # By name within the package, with "/" between folders.


def read(content: bytes) -> Package:
    """The package in the bytes of a zip file. Raises `BadInput`, `TooMany` (a limit) or `UnknownGame`."""
    return of_files(content, read_files(content))


def of_files(content: bytes, files: Mapping[str, bytes]) -> Package:
    """The package in *content*, whose *files* have been read. Raises `BadInput` or `UnknownGame`."""
    return Package(sha256(content).digest(), _manifest_of(files), files)


def read_files(content: bytes) -> dict[str, bytes]:
    """The files of a zip file by name, none of which leads out of a folder. Raises `BadInput` or `TooMany`."""
    _refuse_size(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read_entries(archive, len(content))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise BadInput(f"The package is a damaged zip file: {str(error)[:200] or 'it ends too early'}.") from None
    except (RuntimeError, ValueError, LookupError, OSError, OverflowError) as error:  # What zipfile raises on garbage.
        raise BadInput(f"The package cannot be read as a zip file: {str(error)[:200]}.") from None


def pack(folder: Path) -> bytes:
    """*folder* as a package: the same files give the same bytes. Raises `BadInput` or `TooMany`."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder.")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in _files_in(folder):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, path.read_bytes())
    content = packed.getvalue()
    read(content)  # Whatever the arena would refuse is refused here.
    return content


def unpack(files: Mapping[str, bytes], folder: Path) -> None:
    """Writes *files*, as `read_files` gives them, into *folder*, which has to be new: readable, and not writable."""
    folder.mkdir()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o444)
    for inner in (*folder.rglob("*"), folder):
        if inner.is_dir():
            inner.chmod(0o555)


def _refuse_size(content: bytes) -> None:
    if len(content) > MAX_PACKAGE_BYTES:
        raise TooMany(f"The package is {len(content)} bytes; at most {MAX_PACKAGE_BYTES} are allowed.")
    if not content.startswith(_START):
        raise BadInput("The package is no zip file with something in it; zip the folder that holds bot.toml.")
    if content.count(_ENTRY) > 2 * MAX_FILES:  # Before anything is made of each of them.
        raise _too_many_files()


def _read_entries(archive: zipfile.ZipFile, packed: int) -> dict[str, bytes]:
    entries = archive.infolist()
    if len(entries) > MAX_FILES:
        raise _too_many_files()
    files: dict[str, bytes] = {}
    taken: dict[str, bool] = {}  # Names in the form in which they would collide; true for a folder.
    left = min(MAX_UNPACKED_BYTES, max(FREE_BYTES, MAX_RATIO * packed))
    for entry in entries:
        folder = _check_entry(entry)
        name = check_path(entry.orig_filename.rstrip("/") if folder else entry.orig_filename)
        _claim(taken, name, folder=folder)
        if not folder:
            files[name] = _content(archive, entry, left)
            left -= len(files[name])
    return files


def _check_entry(entry: zipfile.ZipInfo) -> bool:
    """Whether *entry* is a folder. Raises `BadInput` where it is neither folder nor ordinary file."""
    shown = _shown(entry.orig_filename)
    if entry.flag_bits & _ENCRYPTED:
        raise BadInput(f"{shown} is encrypted; pack without a password.")
    if entry.compress_type not in _PLAIN:
        raise BadInput(f"{shown} is compressed in a way that is not accepted; use ordinary deflate, or none.")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadInput(f"{shown} is a link or a device; a package holds files and folders only.")
    folder = entry.orig_filename.endswith("/")
    if (folder and entry.file_size) or (kind == stat.S_IFDIR and not folder):
        raise BadInput(f"{shown} is a folder with content of its own; pack it again.")
    return folder


def check_path(name: str) -> str:
    """*name*, if it names a file within a package on any system. Raises `BadInput`."""
    if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        raise BadInput(f"A file name in the package is longer than {MAX_NAME_BYTES} bytes: {_shown(name)}.")
    if name.startswith("/"):
        raise BadInput(f"{_shown(name)} begins with a slash; names are relative to the package.")
    if "\\" in name:
        raise BadInput(f"{_shown(name)} holds a backslash; folders are separated by a slash.")
    if _REFUSED.search(name) or any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Cn", "Co") for c in name):
        raise BadInput(f"{_shown(name)} holds a colon, a control or another character that not every system allows.")
    parts = name.split("/")
    if len(parts) > MAX_DEPTH:
        raise BadInput(f"{_shown(name)} lies more than {MAX_DEPTH} folders deep.")
    for part in parts:
        _check_part(part, name)
    return name


def _check_part(part: str, name: str) -> None:
    if part in ("", ".", ".."):
        raise BadInput(f"{_shown(name)} is not the plain name of a file: no empty part, no . and no .. are allowed.")
    if part != part.strip(" ") or part.endswith("."):
        raise BadInput(f"{_shown(name)}: no part may begin or end with a space, or end with a full stop.")
    if len(part.encode()) > MAX_PART_BYTES:
        raise BadInput(f"{_shown(name)}: each part may have at most {MAX_PART_BYTES} bytes.")


def _claim(taken: dict[str, bool], name: str, *, folder: bool) -> None:
    """Books *name* and the folders above it. Raises `BadInput` where two entries would be one on some system."""
    parts = unicodedata.normalize("NFC", name).casefold().split("/")
    for depth in range(1, len(parts)):
        if not taken.setdefault("/".join(parts[:depth]), True):
            raise BadInput(f"{_shown(name)} lies in a folder that is a file as well.")
    key = "/".join(parts)
    if key in taken and not (folder and taken[key]):
        raise BadInput(f"{_shown(name)} is in the package twice; upper and lower case alone make no difference.")
    taken[key] = folder


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    parts: list[bytes] = []
    with archive.open(entry) as file:
        while part := file.read(_READ):
            left -= len(part)
            if left < 0:
                raise TooMany(
                    f"The package unpacks to more than {MAX_UNPACKED_BYTES} bytes, or to more than {MAX_RATIO} times "
                    "its size."
                )
            parts.append(part)
    return b"".join(parts)


def _manifest_of(files: Mapping[str, bytes]) -> Manifest:
    if manifest.FILE not in files:
        inner = next((name for name in files if name.endswith(f"/{manifest.FILE}")), None)
        hint = f"it lies at {_shown(inner)}: zip what is in that folder" if inner else "every package needs one"
        raise BadInput(f"There is no {manifest.FILE} at the top of the package; {hint}.")
    said = read_manifest(files[manifest.FILE])
    if said.entry not in files:
        raise BadInput(f"{manifest.FILE} names the entry {_shown(said.entry)}, which is not in the package.")
    return said


def _files_in(folder: Path) -> Iterable[Path]:
    """Files in the order of their names, without hidden ones and caches. Raises `BadInput` on a link."""
    found = []
    size = 0
    for path in folder.rglob("*"):
        inner = path.relative_to(folder).parts
        if any(part.startswith(".") or part in _LEFT_OUT or part.endswith(".pyc") for part in inner):
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise BadInput(f"{path} is a link or a device; a package holds files and folders only.")
        if path.is_file():
            found.append(path)
            size += path.stat().st_size
        if len(found) > MAX_FILES:
            raise _too_many_files()
        if size > MAX_UNPACKED_BYTES:
            raise TooMany(f"The files in {folder} are more than {MAX_UNPACKED_BYTES} bytes.")
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _too_many_files() -> TooMany:
    return TooMany(f"The package holds more than {MAX_FILES} files.")


def _shown(name: str) -> str:
    return f"{name[:80]!a}" + ("…" if len(name) > 80 else "")
