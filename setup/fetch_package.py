"""Fetches a large npm package ahead of `npm ci`, which would begin an interrupted file again from its start.

    fetch_package.py FOLDER PACKAGE

FOLDER has the package-lock.json. What is fetched goes to npm's cache by its hash, where `npm ci` looks first. Whatever
fails here is left to npm, which knows the user's settings better.
"""

import base64
import hashlib
import http
import http.client
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

_TRIES = 5
_TIMEOUT_S = 30
_BLOCK = 1 << 18


def fetch_ahead(folder: Path, package: str, registry: str) -> Path:
    """Fetches a package, continuing where an earlier try stopped, and names its address in the lock.

    Args:
        folder: Has the package-lock.json; the file is kept there, also where only a part of it came.
        package: Its name.
        registry: Its address.

    Returns:
        The package's file.

    Raises:
        OSError: The package did not come, or is not the one that the lock names.
    """
    lock = folder / "package-lock.json"
    packages = json.loads(lock.read_text(encoding="utf-8"))
    entry = packages["packages"][f"node_modules/{package}"]
    algorithm, _, expected = entry["integrity"].partition("-")
    address = f"{registry.rstrip('/')}/{package}/-/{package.rpartition('/')[2]}-{entry['version']}.tgz"
    file = folder / f"{package.rpartition('/')[2]}-{entry['version']}.tgz"
    for number in range(1, _TRIES + 1):
        try:
            _continue_download(address, file)
            break
        except (OSError, http.client.HTTPException) as error:
            print(f"try {number} ended after {_size_or_0(file)} bytes: {error}", flush=True)
            if number == _TRIES:
                raise OSError(f"{package} did not come") from error
    with file.open("rb") as content:
        if base64.b64encode(hashlib.file_digest(content, algorithm).digest()).decode() != expected:
            file.unlink()
            raise OSError(f"{address} is not what package-lock.json names")
    entry["resolved"] = address
    lock.write_text(json.dumps(packages), encoding="utf-8")
    return file


def _continue_download(address: str, file: Path) -> None:
    if not address.startswith(("https://", "http://")):
        raise OSError(f"{address} is not an address on the network")
    have = _size_or_0(file)
    range_request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310
    try:
        answer = urllib.request.urlopen(range_request, timeout=_TIMEOUT_S)  # noqa: S310
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            # All of it is there; if not, its hash says so.
            return
        raise
    with answer, file.open("ab" if answer.status == http.HTTPStatus.PARTIAL_CONTENT else "wb") as output:
        while block := answer.read(_BLOCK):
            output.write(block)
        left = answer.length
    if left:
        raise OSError(f"the connection ended {left} bytes early")


def _size_or_0(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def main() -> None:
    """Fetches, and leaves the rest to npm."""
    folder, package = Path(sys.argv[1]), sys.argv[2]
    try:
        process = subprocess.run(("npm", "config", "get", "registry"), check=True, capture_output=True, text=True)
        file = fetch_ahead(folder, package, process.stdout.strip())
        subprocess.run(("npm", "cache", "add", os.fspath(file)), check=True)
        file.unlink()
    except (OSError, KeyError, ValueError, subprocess.CalledProcessError) as error:
        print(f"left to npm: {error}")


if __name__ == "__main__":
    main()
