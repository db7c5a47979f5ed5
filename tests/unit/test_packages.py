"""Packages of every hostile kind: each is refused with its reason, and nothing is written outside."""

import io
import os
import stat
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from rummy import packages
from rummy.errors import BadInput, TooMany, UnknownGame
from rummy.manifest import read_manifest

MANIFEST = b'name = "Greedy"\nversion = "1"\ngames = ["gin"]\nlanguage = "python"\nentry = "bot.py"\n'
GOOD = {"bot.toml": MANIFEST, "bot.py": b"print()\n"}

Entry = tuple[str | zipfile.ZipInfo, bytes]


def archive(entries: Iterable[Entry], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as file:
        for name, content in entries:
            file.writestr(name, content)
    return packed.getvalue()


def with_name(name: str) -> bytes:
    """A package with a file called *name*, which the zipfile module would not write as it is."""
    if not name.isascii():
        return archive([*GOOD.items(), (name, b"")])
    plain = "x" * len(name)
    return archive([*GOOD.items(), (plain, b"")]).replace(plain.encode(), name.encode())


def special(name: str, mode: int, content: bytes = b"/etc/passwd") -> Entry:
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, mode << 16
    return entry, content


def test_a_package_is_read() -> None:
    content = archive([*GOOD.items(), ("lib/", b""), ("lib/a.py", b"1")])
    package = packages.read(content)
    assert package.manifest.name == "Greedy"
    assert package.manifest.games == ("gin",)
    assert dict(package.files) == {**GOOD, "lib/a.py": b"1"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil.py", r"no \. and no \.\."),
        ("a/../../evil", r"no \.\."),
        ("./a", r"no \."),
        ("a//b", "empty part"),
        ("/etc/passwd", "begins with a slash"),
        ("C:/evil", "colon"),
        ("C:evil", "colon"),
        ("..\\evil", "backslash"),
        ("\\\\host\\evil", "backslash"),
        ("a\nb", "control"),
        ("a\x1bb", "control"),
        ("a\u202eyp", "control or another"),
        ("x.", "full stop"),
        ("x ", "space"),
        ("bot.py", "twice"),
        ("BOT.py", "twice"),
        ("bot.py/a", "a file as well"),
        ("/".join("abcdefghijk"), "10 folders deep"),
        ("n" * 101, "at most 100 bytes"),
        ("n/" * 101, "longer than 200 bytes"),
    ],
)
def test_names_that_lead_elsewhere_or_collide(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        packages.read(with_name(name))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_are_one_name_on_some_system() -> None:
    for pair in (("a.py", "A.PY"), ("caf\u00e9", "cafe\u0301"), ("stra\u00dfe", "STRASSE"), ("a", "a")):
        with pytest.raises(BadInput, match="twice"):
            packages.read(archive([*GOOD.items(), *((name, b"") for name in pair)]))


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices(mode: int) -> None:
    with pytest.raises(BadInput, match="a link or a device"):
        packages.read(archive([*GOOD.items(), special("link", mode | 0o777)]))


def test_a_folder_that_is_a_file() -> None:
    with pytest.raises(BadInput, match="folder with content"):
        packages.read(archive([*GOOD.items(), special("lib", stat.S_IFDIR | 0o755)]))


def test_encryption_is_refused() -> None:
    content = bytearray(archive(GOOD.items()))
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1
    with pytest.raises(BadInput, match="encrypted"):
        packages.read(bytes(content))


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_unusual_compression_is_refused(method: int) -> None:
    with pytest.raises(BadInput, match="compressed in a way"):
        packages.read(archive(GOOD.items(), method))


def test_a_bomb_is_noticed_while_it_unpacks() -> None:
    with pytest.raises(TooMany, match="200 times"):
        packages.read(archive([*GOOD.items(), ("zeros", bytes(packages.MAX_UNPACKED_BYTES + 1))]))
    with pytest.raises(TooMany, match="200 times"):
        packages.read(archive([*GOOD.items(), ("zeros", bytes(2_000_000))]))


def test_a_bomb_whose_header_lies_is_no_way_round() -> None:
    content = bytearray(archive([*GOOD.items(), ("zeros", bytes(5_000_000))]))
    place = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, place + 24, 10)  # The unpacked size that the directory claims.
    with pytest.raises(BadInput, match="damaged"):
        packages.read(bytes(content))


def test_entries_that_share_their_bytes_count_each() -> None:
    """A bomb of the overlapping kind: many names, one stream."""
    content = archive([*GOOD.items(), ("zeros", bytes(900_000))])
    start, end = content.rindex(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    entry, tail = content[start:end], bytearray(content[end:])
    entries = b"".join(entry.replace(b"zeros", b"zer%02d" % number) for number in range(50))
    struct.pack_into("<HHI", tail, 8, 52, 52, struct.unpack_from("<I", tail, 12)[0] - len(entry) + len(entries))
    with pytest.raises((BadInput, TooMany)):
        packages.read(content[:start] + entries + bytes(tail))


def test_limits_on_size_and_number() -> None:
    with pytest.raises(TooMany, match="at most 20000000"):
        packages.read(b"PK\x03\x04" + bytes(packages.MAX_PACKAGE_BYTES))
    with pytest.raises(TooMany, match="more than 2000 files"):
        packages.read(archive([*GOOD.items(), *((f"f{n}", b"") for n in range(1_999))]))
    with pytest.raises(TooMany, match="more than 2000 files"):
        packages.read(b"PK\x03\x04" + b"PK\x01\x02" * 400_000)


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"PK\x05\x06" + bytes(18), b"PK\x03\x04garbage", os.urandom(1000), b"\x1f\x8b\x08"]
)
def test_garbage(content: bytes) -> None:
    with pytest.raises(BadInput):
        packages.read(content)


def test_no_damage_at_any_byte_is_more_than_bad_input() -> None:
    content = archive(GOOD.items())
    for cut in range(len(content)):
        with pytest.raises(BadInput):
            packages.read(content[:cut])
    for place in range(len(content)):
        for value in (0x00, 0xFF):
            damaged = content[:place] + bytes([value]) + content[place + 1 :]
            try:
                packages.read(damaged)
            except (BadInput, TooMany, UnknownGame):
                continue


def test_a_manifest_one_folder_down_gets_a_hint() -> None:
    with pytest.raises(BadInput, match=r"lies at 'greedy/bot\.toml': zip what is in that folder"):
        packages.read(archive([(f"greedy/{name}", content) for name, content in GOOD.items()]))


def test_an_entry_that_is_not_there() -> None:
    with pytest.raises(BadInput, match="names the entry"):
        packages.read(archive([("bot.toml", MANIFEST)]))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'"Greedy"', b'""', "name in bot.toml is empty"),
        (b'"Greedy"', b"7", "text in quotes"),
        (b'"1"', b"1", 'such as version = "1"'),
        (b'version = "1"\n', b"", "lacks the key version"),
        (b'"python"', b'"cobol"', "'cobol' is not hosted; there is: python"),
        (b'["gin"]', b'"gin"', "a list"),
        (b'["gin"]', b"[]", "at least one"),
        (b'["gin"]', b"[1]", "a list"),
        (b'["gin"]', b'["gin", "gin"]', "each named once"),
        (b'"bot.py"', b'"bot.sh"', "Python file"),
        (b'"bot.py"', b'"bot.py"\nconcurrency = "8"', "a number from 0 to 256"),
        (b'"bot.py"', b'"bot.py"\nconcurrency = true', "a number from 0 to 256"),
        (b'"bot.py"', b'"bot.py"\nconcurrency = 257', "a number from 0 to 256"),
        (b'name = "', b'nmae = "x"\nname = "', "unknown key 'nmae'"),
        (b'name = "', b'name == "', "not TOML"),
        (b'"Greedy"', b'"\xff"', "not UTF-8"),
        (b'"Greedy"', b'"' + b"x" * 20_000 + b'"', "at most 16384"),
        (b'["gin"]', b"[" * 8_000, "more than 64 opening brackets"),
        (b'["gin"]', b"{a=" * 65, "more than 64 opening brackets"),
        (b'["gin"]', b"[" * 64, "not TOML"),
        (b'"1"', b"1" * 5_000, "not TOML"),
    ],
)
def test_a_manifest_is_read_strictly(old: bytes, new: bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_manifest(MANIFEST.replace(old, new, 1))


def test_an_unknown_game_is_refused_with_the_list() -> None:
    with pytest.raises(UnknownGame, match=r"no game .*gni.*there are: .*gin"):
        read_manifest(MANIFEST.replace(b'"gin"', b'"gni"'))


def a_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    for name, content in {**GOOD, "lib/a.py": b"1", ".git": b"", "lib/b.pyc": b""}.items():
        (folder / name).write_bytes(content)
    return folder


def test_packing_is_repeatable_and_leaves_out_what_is_hidden(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    content = packages.pack(folder)
    os.utime(folder / "bot.py", (0, 0))
    (folder / "bot.py").chmod(0o600)
    assert packages.pack(folder) == content
    assert sorted(packages.read(content).files) == ["bot.py", "bot.toml", "lib/a.py"]


def test_packing_refuses_what_the_arena_would(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(BadInput, match="link"):
        packages.pack(folder)
    with pytest.raises(BadInput, match="no folder"):
        packages.pack(tmp_path / "nowhere")


def test_unpacking_writes_files_that_cannot_be_changed(tmp_path: Path) -> None:
    files = packages.read(packages.pack(a_folder(tmp_path))).files
    packages.unpack(files, tmp_path / "out")
    assert (tmp_path / "out/lib/a.py").read_bytes() == b"1"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert modes == {0o444}
    assert stat.S_IMODE((tmp_path / "out/lib").stat().st_mode) == 0o555
