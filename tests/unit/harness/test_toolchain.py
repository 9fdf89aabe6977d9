from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright_harness.errors import ToolchainError, ToolMissingError
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.toolchain import Toolchain, tree
from benchwright_harness.toolchain.manifest import CONTENT, MANIFEST, content, digest_of
from benchwright_problems.verdict import Reason

from ...support.machine.toolchain import built

SYSTEM = "0.23"


def test_no_toolchain_names_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError) as missing:
        Toolchain.find(tmp_path)
    assert missing.value.reason is Reason.TOOL_MISSING
    assert "benchwright toolchain build" in missing.value.hint


@pytest.mark.parametrize("text", ["", "{", '{"digest": 1}', "[]"])
def test_a_broken_manifest_names_the_folder(text: str, tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    (toolchain.folder / MANIFEST).write_text(text)
    with pytest.raises(ToolMissingError) as missing:
        Toolchain.find(tmp_path)
    assert str(toolchain.folder) in missing.value.hint


def test_a_toolchain_of_another_kind_of_machine_is_told(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError) as missing:
        built(tmp_path, machine="z80")
    assert "z80" in missing.value.hint


def test_the_one_in_use_is_found_and_can_be_changed(tmp_path: Path) -> None:
    first_toolchain, second_toolchain = built(tmp_path, "oss-sim-1"), built(tmp_path, "oss-sim-2", text="other")
    assert [toolchain.name for toolchain in Toolchain.find_all(tmp_path)] == ["oss-sim-1", "oss-sim-2"]
    assert Toolchain.find(tmp_path).digest == second_toolchain.digest != first_toolchain.digest
    first_toolchain.use()
    assert Toolchain.find(tmp_path).name == "oss-sim-1"


def test_the_digest_is_that_of_the_files_alone(tmp_path: Path) -> None:
    first_toolchain, second_toolchain = built(tmp_path / "a"), built(tmp_path / "b")
    os.utime(second_toolchain.root / "etc" / "hosts", (1, 1))
    assert (
        digest_of(content(first_toolchain.root)) == digest_of(content(second_toolchain.root)) == first_toolchain.digest
    )


def test_verify_names_what_differs(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    assert toolchain.changes_since_build() == []
    (toolchain.root / "etc" / "hosts").write_text("x")
    (toolchain.root / "usr" / "bin" / "yosys").unlink()
    (toolchain.root / "bin").unlink()
    (toolchain.root / "bin").symlink_to("usr/sbin")
    (toolchain.root / "new file").write_text("")
    assert toolchain.changes_since_build() == [
        "bin: has changed",
        "etc/hosts: has changed",
        "new file: is new",
        "usr/bin/yosys: is missing",
    ]


def test_verify_notices_a_program_that_can_not_be_started_any_more(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    (toolchain.root / "usr" / "bin" / "yosys").chmod(0o644)
    assert toolchain.changes_since_build() == ["usr/bin/yosys: has changed"]


@pytest.mark.parametrize("change", [None, "program 00 etc/hosts\n"])
def test_verify_does_not_trust_a_list_that_was_changed_too(change: str | None, tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    if change is None:
        (toolchain.folder / CONTENT).unlink()
    else:
        (toolchain.folder / CONTENT).write_text(change)
    with pytest.raises(ToolchainError, match=CONTENT):
        toolchain.changes_since_build()


def test_a_selection_decides_which_programs_come_first(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    folders = {
        icarus: toolchain.environment(ToolSelection(icarus=icarus, yosys=SYSTEM))["PATH"].split(":")
        for icarus in ("12", "13")
    }
    assert folders["12"][:2] == [f"{tree.INSIDE}/bin", f"{tree.icarus('12')}/bin"]
    assert folders["13"][:2] == [f"{tree.INSIDE}/bin", f"{tree.icarus('13')}/bin"]
    assert tree.yosys("0.40") not in ":".join(folders["13"])
    newer = toolchain.environment(ToolSelection(yosys="0.40"))["PATH"].split(":")
    assert newer.index(f"{tree.yosys('0.40')}/bin") < newer.index("/usr/bin")


def test_the_layer_for_older_cocotbs_is_only_there_when_chosen(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    assert "PYTHONPATH" not in toolchain.environment(ToolSelection())
    assert toolchain.environment(ToolSelection(cocotb="compat"))["PYTHONPATH"] == f"{tree.INSIDE}/compat"


def test_a_newer_cocotb_is_first_on_pythons_path_when_chosen(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    chosen = ToolSelection(cocotb="2.1.0")
    assert toolchain.environment(chosen)["PYTHONPATH"] == "/opt/benchwright/cocotb-2.1.0"
    with pytest.raises(ToolMissingError, match=r"cocotb 2\.1\.0.*") as caught:
        toolchain.require_tools([], chosen)
    assert "benchwright toolchain build" in str(caught.value.hint)
    (toolchain.root / tree.cocotb("2.1.0").lstrip("/")).mkdir(parents=True)
    toolchain.require_tools([], chosen)


def test_versions_are_those_of_the_selection(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    assert toolchain.versions(ToolSelection(icarus="12", yosys="0.23")) == {
        "cocotb": "2.0.1",
        "icarus": "12.0",
        "yosys": "0.23",
    }
    assert toolchain.versions(ToolSelection(cocotb="compat"))["cocotb"].startswith("2.0.1 ")


def test_a_missing_tool_is_named(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    toolchain.require_tools([], ToolSelection())
    toolchain.require_tools(["yosys"], ToolSelection())
    with pytest.raises(ToolMissingError, match=r"^tool missing \(nonsense\)$"):
        toolchain.require_tools(["nonsense", "yosys"], ToolSelection())


def test_our_own_programs_are_shown_from_a_copy_that_others_can_read(tmp_path: Path) -> None:
    toolchain = built(tmp_path)
    assert toolchain.own_programs_folder.parent == toolchain.folder.parent
    assert toolchain.own_programs_folder == built(tmp_path, "oss-sim-2").own_programs_folder, "one copy is enough"
    assert toolchain.own_programs_folder.stat().st_mode & 0o005 == 0o005
