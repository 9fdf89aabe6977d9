"""A large package of the editor goes on where its download was interrupted."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fetch_package
import pytest

CONTENT = bytes(range(256)) * 4000
NAME = "/editor/-/editor-1.2.0.tgz"


@contextmanager
def registry(*cut_offsets: int, ranges: bool = True) -> Iterator[tuple[str, list[str | None]]]:
    """A registry whose connections end after so many bytes, then none does; with the ranges that were asked for."""
    ranges_seen: list[str | None] = []
    remaining_cuts = list(cut_offsets)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == NAME
            ranges_seen.append(self.headers["Range"])
            first_byte = int(self.headers["Range"][6:-1]) if self.headers["Range"] and ranges else 0
            if first_byte == len(CONTENT):
                self.send_error(416)
                return
            self.send_response(206 if first_byte else 200)
            self.send_header("Content-Length", str(len(CONTENT) - first_byte))
            self.end_headers()
            self.wfile.write(CONTENT[first_byte:][: remaining_cuts.pop(0) if remaining_cuts else None])

        def log_message(self, format: str, *args: object) -> None:
            pass

    http_server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http_server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http_server.server_port}/", ranges_seen
    finally:
        http_server.shutdown()
        thread.join()
        http_server.server_close()


def locked(folder: Path, content: bytes = CONTENT) -> Path:
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    lock = folder / "package-lock.json"
    lock.write_text(json.dumps({"packages": {"node_modules/editor": {"version": "1.2.0", "integrity": integrity}}}))
    return lock


def test_an_interrupted_download_goes_on_where_it_was(tmp_path: Path) -> None:
    lock = locked(tmp_path)
    with registry(300_000, 200_000) as (address, ranges_seen):
        file = fetch_package.fetch_ahead(tmp_path, "editor", address)
    assert file.read_bytes() == CONTENT
    assert ranges_seen == [None, "bytes=300000-", "bytes=500000-"]
    assert json.loads(lock.read_text())["packages"]["node_modules/editor"]["resolved"] == address[:-1] + NAME


def test_a_second_start_goes_on_with_what_the_first_left(tmp_path: Path) -> None:
    lock = locked(tmp_path)
    old_lock = lock.read_bytes()
    with registry(*[100_000] * 5) as (address, _), pytest.raises(OSError, match="did not come"):
        fetch_package.fetch_ahead(tmp_path, "editor", address)
    assert lock.read_bytes() == old_lock
    with registry() as (address, ranges_seen):
        assert fetch_package.fetch_ahead(tmp_path, "editor", address).read_bytes() == CONTENT
        assert ranges_seen == ["bytes=500000-"]
        # Whole, but not yet in npm's cache.
        assert fetch_package.fetch_ahead(tmp_path, "editor", address).read_bytes() == CONTENT


def test_a_registry_without_ranges_sends_all_again(tmp_path: Path) -> None:
    locked(tmp_path)
    with registry(300_000, ranges=False) as (address, _):
        assert fetch_package.fetch_ahead(tmp_path, "editor", address).read_bytes() == CONTENT


def test_another_file_than_the_locked_one_is_not_kept(tmp_path: Path) -> None:
    lock = locked(tmp_path, b"another")
    old_lock = lock.read_bytes()
    with registry() as (address, _), pytest.raises(OSError, match="not what package-lock"):
        fetch_package.fetch_ahead(tmp_path, "editor", address)
    assert lock.read_bytes() == old_lock
    assert [path.name for path in tmp_path.iterdir()] == [lock.name]
