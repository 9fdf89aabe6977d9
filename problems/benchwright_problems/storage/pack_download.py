"""Published packs of an address."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from benchwright_problems.errors import ProblemsError
from benchwright_problems.storage.pack_file import LARGEST_BYTES

_TIMEOUT_S = 30.0


class DownloadError(ProblemsError):
    """A pack can't be fetched."""


@contextlib.contextmanager
def fetched_pack_file(
    path_or_url: str, *, refuses_http: bool, on_progress: Callable[[int, int], None] = lambda byte_count, size: None
) -> Iterator[Path]:
    """The file of a path or address, for as long as the block runs.

    Args:
        path_or_url: A path, or what begins with `https://` or `http://`.
        refuses_http: Refuse plain HTTP, by which anybody on the way could have changed it.
        on_progress: Called with bytes received, and all of them; 0 if the server does not say.

    Raises:
        DownloadError: The server can't be reached, refuses, or sends too much.
    """
    if urlsplit(path_or_url).scheme not in ("http", "https"):
        yield Path(path_or_url)
        return
    with tempfile.TemporaryDirectory(prefix="benchwright-pack-") as folder:
        file = Path(folder, "pack")
        with file.open("wb") as stream:
            _download(path_or_url, stream, refuses_http, on_progress)
        yield file


def _download(url: str, target_stream: BinaryIO, refuses_http: bool, on_progress: Callable[[int, int], None]) -> None:
    # It takes a while to import.
    import httpx2

    try:
        with httpx2.stream("GET", url, follow_redirects=True, timeout=_TIMEOUT_S) as reply:
            for response in (*reply.history, reply):
                if refuses_http and response.url.scheme != "https":
                    raise DownloadError(f"{response.url} is plain HTTP: give the file's --sha256, or an https address")
            if reply.status_code != httpx2.codes.OK:
                raise DownloadError(f"{url} answers {reply.status_code} {reply.reason_phrase}")
            size = int(reply.headers.get("content-length", "0"))
            byte_count = 0
            for chunk in reply.iter_bytes():
                byte_count += len(chunk)
                if byte_count > LARGEST_BYTES:
                    raise DownloadError(f"{url} is larger than {LARGEST_BYTES >> 20} MiB")
                target_stream.write(chunk)
                on_progress(byte_count, size)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise DownloadError(f"{url} can't be fetched: {error}") from error
