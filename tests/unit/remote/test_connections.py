from __future__ import annotations

import stat
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_remote.connections import Connections
from benchwright_remote.errors import ServiceError
from benchwright_remote.joining import checked_service_address


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})


def test_a_token_is_kept_where_only_its_user_can_read_it(home: Home) -> None:
    connections = Connections(home)
    connections.add("https://one.example", "Ada", "bws_1")
    connections.add("https://two.example", "Ada", "bws_2")
    connections.add("https://one.example", "Ada", "bws_3")
    assert stat.S_IMODE((home.data / "connections.json").stat().st_mode) == 0o600
    assert [(connection.url, connection.token) for connection in connections.list_all()] == [
        ("https://two.example", "bws_2"),
        ("https://one.example", "bws_3"),
    ]
    connections.remove("https://two.example")
    assert Connections(home).find_connection("https://two.example") is None


def test_a_damaged_file_is_named_without_what_is_in_it(home: Home) -> None:
    home.data.mkdir(parents=True)
    (home.data / "connections.json").write_text('[{"token": "bws_secret"}]')
    with pytest.raises(ServiceError, match=r"connections.json.*benchwright login") as raised:
        Connections(home).list_all()
    assert "bws_secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("bench.example.org", "not an address"),
        ("ftp://bench.example.org", "not an address"),
        ("http://bench.example.org", "unencrypted; use https://bench.example.org"),
    ],
)
def test_an_address_that_would_not_do_is_refused(url: str, message: str) -> None:
    with pytest.raises(ServiceError, match=message):
        checked_service_address(url)


def test_an_address_is_kept_in_one_way() -> None:
    assert checked_service_address(" https://bench.example.org/arch/ ") == "https://bench.example.org/arch"
    assert checked_service_address("http://127.0.0.1:8443") == "http://127.0.0.1:8443"
