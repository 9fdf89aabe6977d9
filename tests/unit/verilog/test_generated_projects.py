"""Projects of many files: what is compiled for one of them, and that the answers are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_verilog.semantics import compilation_files, inventory
from benchwright_verilog.semantics.diagnostics import Severity
from benchwright_verilog.semantics.project import Project
from benchwright_verilog.syntax.documents import Documents

from ...generated_project import generated_project

GENERATED = generated_project(60)


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "_current_s", lambda took_s: 0.0)


def names(project: Project, name: str) -> list[str]:
    assert project.folder is not None
    analysis = project.analysis_of(project.folder / name)
    assert analysis is not None
    return [tree.path.stem for tree in analysis.trees]


@pytest.mark.parametrize("file_list", [True, False], ids=["list", "folder"])
def test_no_file_of_a_right_project_has_an_error(tmp_path: Path, file_list: bool) -> None:
    project = Project(GENERATED.write(tmp_path, file_list=file_list), Documents())
    for name in GENERATED.listed:
        analysis = project.analysis_of(tmp_path / name)
        assert analysis is not None
        assert [one.message for one in analysis.diagnostics if one.severity is Severity.ERROR] == [], name


def test_a_short_list_is_compiled_whole(tmp_path: Path) -> None:
    project = Project(GENERATED.write(tmp_path, file_list=True), Documents())
    assert names(project, "block_0/unit_9.sv") == [Path(name).stem for name in GENERATED.listed]


def test_of_a_long_list_a_file_is_compiled_with_what_it_needs_and_what_instantiates_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation_files, "_MAX_BYTES", 30_000)
    project = Project(GENERATED.write(tmp_path, file_list=True), Documents())
    found = names(project, "block_0/unit_9.sv")
    assert found[:3] == ["unit_9", "unit_2", "top"]
    assert {"common_pkg", "unit_37", "unit_38", "unit_39", "unit_40", "block_0_pkg", "block_1_pkg", "common_queue"} <= {
        *found
    }
    assert not {"unit_1", "unit_10", "unit_41"} & {*found}


def test_a_parent_that_is_being_written_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation_files, "_MAX_BYTES", 30_000)
    GENERATED.write(tmp_path, file_list=True)
    documents = Documents()
    documents.open((tmp_path / "block_0/unit_2.sv").as_uri(), 1, "module unit_2; endmodule\n")
    documents.open((tmp_path / "block_0/unit_3.sv").as_uri(), 1, "module unit_3; unit_9 u_nine (); endmodule\n")
    assert names(Project(tmp_path, documents), "block_0/unit_9.sv")[:3] == ["unit_9", "unit_3", "top"]


def test_the_index_tells_which_files_have_a_name_in_their_code(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text("module a; wire \\x+y ; endmodule // not_here\n")
    (tmp_path / "b.sv").write_text('module b; initial $display("a"); endmodule\n')
    project = Project(tmp_path, Documents())
    project.refresh()
    assert project.inventory is not None
    found = {name: [path.name for path in project.inventory.naming(name)] for name in ("a", "b", "x+y", "not_here")}
    assert found == {"a": ["a.sv"], "b": ["b.sv"], "x+y": ["a.sv"], "not_here": []}
