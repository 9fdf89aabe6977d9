"""The files that a run of a solver's own tests gets."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchwright_server.errors import OwnTestError
from benchwright_server.own_tests import bench
from benchwright_server.own_tests.design_files import design_files
from benchwright_server.own_tests.discovery import find_test_files
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings
from benchwright_verilog.syntax.documents import Documents

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows makes no links without rights")
TESTBENCH = '`include "x.svh"\nmodule tb; top u (); initial $finish; endmodule\n'


def test_no_list_or_link_brings_a_hidden_file(tmp_path: Path) -> None:
    hidden, work = tmp_path / "hidden", tmp_path / "work"
    for folder in (hidden, work):
        folder.mkdir()
    for name in ("x.svh", "x.sv", "x.hex", "x.f"):
        (hidden / name).write_text("// zqcanary\n")
        (work / f"link{Path(name).suffix}").symlink_to(hidden / name)
    (work / "linked").symlink_to(hidden)
    (work / "top.sv").write_text("module top; endmodule\n")
    (work / "tb.sv").write_text(TESTBENCH)
    (work / "all.f").write_text(f"top.sv\ntb.sv\n+incdir+{hidden}\n-I linked\n-y {hidden}\nlinked/x.sv\n-f link.f\n")
    settings = ProjectSettings(file_lists=("all.f",), include_dirs=(str(hidden), "linked"))
    project = Project(work, Documents(), settings, is_workspace=True)
    test_file = next(test_file for test_file in find_test_files(project) if test_file.path == "tb.sv")
    snapshot = bench._read_snapshot(project, design_files(project, settings, test_file, "tb"))
    assert set(snapshot.files) >= {"top.sv", "tb.sv"}
    assert not any("hidden" in name or "link" in name for name in (*snapshot.files, *snapshot.include_dirs))


def test_a_link_that_is_put_there_later_is_not_followed(tmp_path: Path) -> None:
    hidden, work = tmp_path / "hidden", tmp_path / "work"
    hidden.mkdir()
    (work / "rtl").mkdir(parents=True)
    (hidden / "top.sv").write_text("// zqcanary\nmodule top; endmodule\n")
    (work / "rtl" / "top.sv").write_text("module top; endmodule\n")
    (work / "tb.sv").write_text(TESTBENCH)
    project = Project(work, Documents(), is_workspace=True)
    compiled_files = design_files(project, ProjectSettings(), find_test_files(project)[0], "tb")
    (work / "rtl").rename(work / "old")
    (work / "rtl").symlink_to(hidden)
    with pytest.raises(OwnTestError, match="can't be read"):
        bench._read_snapshot(project, compiled_files)
