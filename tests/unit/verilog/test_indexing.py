"""The first look at a large folder: answers before all of its files have been read, and after."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity
from benchwright_verilog.semantics.names.navigation import references
from benchwright_verilog.semantics.project.index import indexing, inventory
from benchwright_verilog.semantics.project.index.entry import entry_as_json_values
from benchwright_verilog.semantics.project.index.inventory import Inventory
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Document, Documents

FILLERS = 120


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """More files than are read at once; what `top` needs is in files of other names."""
    for number in range(FILLERS):
        (tmp_path / f"filler_{number}.sv").write_text(f"module filler_{number}; leaf u_leaf (); endmodule\n")
    (tmp_path / "types.sv").write_text("package types_pkg; typedef logic [3:0] nibble_t; endpackage\n")
    (tmp_path / "child.sv").write_text("module child(input logic a); leaf u_leaf (); endmodule\n")
    (tmp_path / "leaf.sv").write_text("module leaf; endmodule\n")
    return tmp_path


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Lets the background begin."""
    opened_gate, original = threading.Event(), indexing.read_entries

    def wait_and_read(*arguments: object) -> object:
        opened_gate.wait(20)
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(inventory, "read_entries", wait_and_read)
    yield opened_gate
    opened_gate.set()


def opened(folder: Path, text: str, documents: Documents) -> tuple[Path, Document]:
    path = folder / "top.sv"
    path.write_text(text)
    return path, documents.open(path.as_uri(), 1, text)


def errors(project: Project, path: Path) -> list[str]:
    analysis = project.analysis_of(path)
    assert analysis is not None
    return [
        diagnostic.message for diagnostic in analysis.diagnostics if diagnostic.severity is DiagnosticSeverity.ERROR
    ]


def test_what_other_files_may_hold_is_no_error_before_they_were_read(folder: Path, gate: threading.Event) -> None:
    documents = Documents()
    text = "module top; import types_pkg::*; nibble_t x; missing u_missing (); child u_child (.b(x)); endmodule\n"
    path, _ = opened(folder, text, documents)
    project = Project(folder, documents)
    assert errors(project, path) == []
    assert not project.is_wholly_read
    gate.set()
    assert project.inventory is not None
    project.inventory.wait_for_background_reading()
    assert sorted(errors(project, path)) == ["port 'b' does not exist in 'child'", "unknown module 'missing'"]
    assert project.is_wholly_read


def test_a_syntax_error_is_told_before_the_others_were_read(folder: Path, gate: threading.Event) -> None:
    documents = Documents()
    path, _ = opened(folder, "module top; import types_pkg::*; nibble_t x\n endmodule\n", documents)
    assert errors(Project(folder, documents), path) == ["expected ';'"]


def test_files_that_are_called_like_what_is_named_are_read_first(folder: Path, gate: threading.Event) -> None:
    documents = Documents()
    path, _ = opened(folder, "module top; wire w; child u_child (.b(w)); endmodule\n", documents)
    project = Project(folder, documents)
    analysis = project.analysis_of(path)
    assert analysis is not None
    assert [tree.path.stem for tree in analysis.trees] == ["top", "child", "leaf"]


def test_a_search_waits_for_all_files(folder: Path, gate: threading.Event) -> None:
    documents = Documents()
    path, _ = opened(folder, "module top; leaf u_leaf (); endmodule\n", documents)
    project = Project(folder, documents)
    analysis = project.analysis_of(path)
    assert analysis is not None
    target = analysis.occurrences_at(analysis.data.index(b"leaf"))[0].target
    threading.Timer(0.05, gate.set).start()
    assert len(list(references(project, target))) == FILLERS + 3


def test_the_background_reads_what_a_look_at_once_would(folder: Path) -> None:
    progress_counts: list[tuple[int, int]] = []
    index = Inventory(folder, on_progress=lambda read_count, number: progress_counts.append((read_count, number)))
    index.refresh_if_stale()
    index.wait_for_background_reading()
    index.refresh_if_stale()
    assert index.is_wholly_read
    assert {path: entry_as_json_values(entry) for path, entry in index.entries.items()} == {
        path: entry_as_json_values(indexing.read_entry(path, stamp, ReadableFiles.below(folder)))
        for path, stamp in index.stamps.items()
    }
    assert progress_counts[0][0] == 0
    assert progress_counts[-1][0] == progress_counts[-1][1] == FILLERS + 3


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/true"])
def test_without_the_process_the_files_are_read_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    index = Inventory(folder)
    index.refresh_if_stale()
    index.wait_for_background_reading()
    index.refresh_if_stale()
    assert len(index.entries) == FILLERS + 3


def test_a_module_of_the_working_directory_is_not_imported(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("open('taken', 'w')\n")
    monkeypatch.chdir(tmp_path)
    index = Inventory(folder)
    index.refresh_if_stale()
    index.wait_for_background_reading()
    assert not (tmp_path / "taken").exists()


def test_a_file_that_changed_while_it_was_read_is_read_again(folder: Path, gate: threading.Event) -> None:
    index = Inventory(folder)
    index.refresh_if_stale()
    (folder / "filler_7.sv").write_text("module filler_7; wire brand_new; endmodule\n")
    gate.set()
    index.wait_for_background_reading()
    index.refresh_if_stale()
    assert list(index.files_naming("brand_new")) == [folder / "filler_7.sv"]
