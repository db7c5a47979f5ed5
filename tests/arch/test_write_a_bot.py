"""What docs/howto/write-a-bot.md promises is what the code does."""

import re
from pathlib import Path

from arbiter.hosting import lanes, launch
from rummy import packages
from rummy.cli import bots

TEXT = (Path(__file__).parents[2] / "docs/howto/write-a-bot.md").read_text("utf-8")


def test_the_limits_are_those_of_the_code() -> None:
    table = TEXT.split("## Limits of a package")[1].split("Links, devices")[0]
    stated = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", table)]
    limits, mib = launch.LIMITS, launch.MIB
    assert stated == [
        packages.MAX_PACKAGE_BYTES, packages.MAX_UNPACKED_BYTES, packages.MAX_RATIO, packages.MAX_FILES,
        packages.MAX_DEPTH, packages.MAX_NAME_BYTES, packages.MAX_PART_BYTES, limits["AS"] // mib,
        limits["FSIZE"] // mib, limits["NOFILE"], launch.PROCESSES, lanes.LOG_BYTES // 1024,
    ]  # fmt: skip


def test_the_ten_lines_are_those_of_arena_bot_new() -> None:
    code = TEXT.split("```python\n")[1].split("```")[0]
    assert code == bots.SOURCE.split('"""\n\n', 1)[1]
