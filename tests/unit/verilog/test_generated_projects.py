"""Projects of many files: what is compiled for one of them, and that the answers are right."""

from __future__ import annotations

import random
import re
import threading
from pathlib import Path

import pytest

from benchwright_verilog.semantics.compilation import compilation_files
from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity
from benchwright_verilog.semantics.names.navigation import candidate_files, references
from benchwright_verilog.semantics.project.index import inventory
from benchwright_verilog.semantics.project.index.index_store import IndexStore
from benchwright_verilog.semantics.project.index.inventory import Inventory
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

from ...support.designs.generated_project import generated_project

GENERATED = generated_project(60)


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "_stamps_valid_s", lambda took_s: 0.0)


def names(project: Project, name: str) -> list[str]:
    assert project.folder is not None
    analysis = project.analysis_of(project.folder / name)
    assert analysis is not None
    return [tree.path.stem for tree in analysis.trees]


@pytest.mark.parametrize("file_list", [True, False], ids=["list", "folder"])
def test_no_file_of_a_right_project_has_an_error(tmp_path: Path, file_list: bool) -> None:
    project = Project(GENERATED.write(tmp_path, file_list=file_list), Documents())
    for name in GENERATED.listed_files:
        analysis = project.analysis_of(tmp_path / name)
        assert analysis is not None
        assert [
            diagnostic.message for diagnostic in analysis.diagnostics if diagnostic.severity is DiagnosticSeverity.ERROR
        ] == [], name


def test_a_short_list_is_compiled_whole(tmp_path: Path) -> None:
    project = Project(GENERATED.write(tmp_path, file_list=True), Documents())
    assert names(project, "block_0/unit_9.sv") == [Path(name).stem for name in GENERATED.listed_files]


def test_of_a_long_list_a_file_is_compiled_with_what_it_needs_and_what_instantiates_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation_files, "_MAX_BYTES", 30_000)
    project = Project(GENERATED.write(tmp_path, file_list=True), Documents())
    compiled_names = names(project, "block_0/unit_9.sv")
    assert compiled_names[:3] == ["unit_9", "unit_2", "top"]
    assert {"common_pkg", "unit_37", "unit_38", "unit_39", "unit_40", "block_0_pkg", "block_1_pkg", "common_queue"} <= {
        *compiled_names
    }
    assert not {"unit_1", "unit_10", "unit_41"} & {*compiled_names}


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
    project.refresh_if_stale()
    assert project.inventory is not None
    paths_by_name = {
        name: [path.name for path in project.inventory.files_naming(name)] for name in ("a", "b", "x+y", "not_here")
    }
    assert paths_by_name == {"a": ["a.sv"], "b": ["b.sv"], "x+y": ["a.sv"], "not_here": []}


def test_references_are_those_that_every_file_by_itself_has(tmp_path: Path) -> None:
    small = generated_project(20)
    project = Project(small.write(tmp_path, file_list=False), Documents())
    dice, target_count = random.Random(3), 0
    while target_count < 12:
        path = tmp_path / dice.choice(small.listed_files)
        analysis = project.analysis_of(path)
        assert analysis is not None
        offset = dice.choice([match.start() for match in re.finditer(rb"\b[a-z_]\w+", analysis.data)])
        for target in {occurrence.target for occurrence in analysis.occurrences_at(offset)}:
            target_count += 1
            everywhere = (project.analysis_of(tmp_path / name) for name in small.texts)
            expected_occurrences = {
                occurrence_
                for file_analysis in everywhere
                if file_analysis is not None
                for occurrence_ in (*file_analysis.occurrences(), *file_analysis.occurrences_of(target.name))
                if occurrence_.target == target
            }
            assert set(references(project, target)) == expected_occurrences, (path, offset, target)


def test_a_name_that_a_macro_writes_is_found_where_the_macro_is_used(tmp_path: Path) -> None:
    (tmp_path / "names.svh").write_text("`define READY ready_q\n`define STATE(x) x``_q\n")
    text = '`include "names.svh"\nmodule a(output y); wire ready_q; assign y = `READY & `STATE(ready); endmodule\n'
    (tmp_path / "a.sv").write_text(text)
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "a.sv")
    assert analysis is not None
    (declared_occurrence,) = analysis.occurrences_at(text.index("ready_q"))
    assert sorted(occurrence.start for occurrence in references(project, declared_occurrence.target)) == [
        text.index("ready_q"),
        text.index("`READY"),
        text.index("ready)"),
    ]


@pytest.mark.parametrize(
    ("comparison_testbench_text", "is_found"),
    [
        ("module tb; dut u_dut (.data(1'b0)); endmodule", True),
        ("module tb; dut #(.W(1)) u_dut (.*); assign u_dut.data = 1; endmodule", True),
        ("module probe(input data); endmodule bind dut probe u_probe (.data(data));", True),
        ("module tb; logic data; dut u_dut (data); endmodule", False),
        ("module mid; dut u_dut (1'b0); endmodule module tb; mid u_mid (); wire w = u_mid.u_dut.data; endmodule", True),
        ("module tb; other u_other (.data(1'b0)); endmodule", False),
    ],
)
def test_only_files_that_can_name_what_is_in_a_module_are_looked_into(
    tmp_path: Path, comparison_testbench_text: str, is_found: bool
) -> None:
    text = "module dut #(parameter W = 1) (input [W-1:0] data); endmodule\n"
    (tmp_path / "dut.sv").write_text(text)
    (tmp_path / "tb.sv").write_text(comparison_testbench_text)
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "dut.sv")
    assert analysis is not None
    (declared_occurrence,) = analysis.occurrences_at(text.index("data"))
    assert (tmp_path / "tb.sv" in candidate_files(project, declared_occurrence.target)) == is_found
    assert (
        tmp_path / "tb.sv" in {occurrence.path for occurrence in references(project, declared_occurrence.target)}
    ) == is_found


def test_a_path_leads_through_modules_that_do_not_have_the_name(tmp_path: Path) -> None:
    (tmp_path / "dut.sv").write_text("module dut; wire data; endmodule\n")
    (tmp_path / "inner.sv").write_text("module inner; dut u_dut (); endmodule\n")
    (tmp_path / "outer.sv").write_text("module outer; inner u_inner (); endmodule\n")
    (tmp_path / "tb.sv").write_text("module tb; outer u_outer (); wire w = u_outer.u_inner.u_dut.data; endmodule\n")
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "dut.sv")
    assert analysis is not None
    (declared_occurrence,) = analysis.occurrences_at(len("module dut; wire "))
    assert [occurrence.path.name for occurrence in references(project, declared_occurrence.target)] == [
        "dut.sv",
        "tb.sv",
    ]


def read_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    read_names: list[str] = []
    original = ReadableFiles.read_text

    def counted(files: ReadableFiles, path: Path) -> str | None:
        read_names.append(path.name)
        return original(files, path)

    monkeypatch.setattr(ReadableFiles, "read_text", counted)
    return read_names


def indexed(folder: Path, store: IndexStore) -> Inventory:
    index = Inventory(folder, store)
    index.refresh_if_stale()
    index.wait_for_background_reading()
    index.refresh_if_stale()
    for thread in threading.enumerate():
        if thread.name == "inventory":
            thread.join()
    return index


def test_what_a_large_folder_declares_is_kept_from_one_start_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = generated_project(220).write(tmp_path / "rtl", file_list=False)
    store = IndexStore(tmp_path / "index")
    first_inventory = indexed(folder, store)
    read_names = read_files(monkeypatch)
    (folder / "block_0/unit_9.sv").write_text("module unit_9; wire brand_new; endmodule\n")
    second_inventory = indexed(folder, store)
    assert read_names == ["unit_9.sv"]
    assert [path.name for path in second_inventory.files_naming("brand_new")] == ["unit_9.sv"]
    assert list(second_inventory.files_naming("common_queue")) == [
        path for path in first_inventory.files_naming("common_queue") if path.stem != "unit_9"
    ]
    assert second_inventory.declaring_files_by_unit == first_inventory.declaring_files_by_unit
    assert (tmp_path / "index").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", ["", "{}", '{"reader": 1', "[]"])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: str) -> None:
    folder = generated_project(220).write(tmp_path / "rtl", file_list=False)
    store = IndexStore(tmp_path / "index")
    indexed(folder, store)
    (index_file,) = (tmp_path / "index").iterdir()
    index_file.write_text(damage)
    assert len(indexed(folder, store).entries) == 220
    assert len(store.load(folder)) == 220
