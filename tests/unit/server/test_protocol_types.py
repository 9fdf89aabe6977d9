from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

IMPORT = """
import sys, builtins
from pathlib import Path
from benchwright_server.protocol_types import import_protocol_types
compiled = []
real = builtins.compile
def counting(source, filename, mode, *rest, **options):
    if "lsprotocol" in str(filename): compiled.append(filename)
    return real(source, filename, mode, *rest, **options)
builtins.compile = counting
import_protocol_types(Path(sys.argv[1]))
from lsprotocol import types
position = types.Position(1, 2)
assert position == types.Position(1, 2) and position < types.Position(2, 0), position
assert repr(types.Hover("x")) == "Hover(contents='x', range=None)", repr(types.Hover("x"))
print(len(compiled))
"""


def compiled_methods(cache: Path) -> int:
    """The number of pieces of code that are compiled in a new process that imports the types of LSP."""
    completed_process = subprocess.run(
        [sys.executable, "-c", IMPORT, str(cache)], capture_output=True, text=True, timeout=300, check=False
    )
    assert completed_process.stderr == ""
    return int(completed_process.stdout)


def test_code_is_compiled_once_and_used_from_then_on(tmp_path: Path) -> None:
    assert compiled_methods(tmp_path) > 400
    assert compiled_methods(tmp_path) == 0


@pytest.mark.parametrize("damage", ["cut", "changed", "writable"])
def test_code_that_may_not_be_ours_is_compiled_again(damage: str, tmp_path: Path) -> None:
    compiled_methods(tmp_path)
    (file,) = (tmp_path / "protocol").iterdir()
    content = file.read_bytes()
    if damage == "cut":
        file.write_bytes(content[:-100])
    elif damage == "changed":
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    else:
        file.chmod(0o666)
    assert compiled_methods(tmp_path) > 400


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert compiled_methods(file) > 400
