"""Where an arena may listen: what is no such place is said in a sentence that names the option."""

import pytest

from rummy.cli.launch import need_port
from rummy.errors import SettingsError


@pytest.mark.parametrize(
    "address",
    ["", "foo", "127.0.0.1", *(f"127.0.0.1:{port}" for port in ("", "x", "-5", "0", "65536", "9" * 5000)), ":8101"],
)
def test_no_address_is_named_with_the_option(address: str) -> None:
    with pytest.raises(SettingsError, match=r"names no place to listen: .* --bots"):
        need_port(address, "--bots")


@pytest.mark.parametrize("host", ["a\udcffb", "x" * 64])
def test_no_name_of_a_host_is_named(host: str) -> None:
    with pytest.raises(SettingsError, match="is no name of a host"):
        need_port(f"{host}:8101", "--host")
