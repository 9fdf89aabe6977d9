from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyslang
import pytest
from lsprotocol.types import Position, Range, TextDocumentContentChangePartial
from pyslang.ast import Compilation
from pyslang.syntax import SyntaxTree

from benchwright_verilog.semantics.names.navigation import references
from benchwright_verilog.semantics.names.symbol_search import search_symbols
from benchwright_verilog.semantics.project.index import inventory
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.semantics.project.projects import Projects
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "_stamps_valid_s", lambda took_s: 0.0)


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def project(folder: Path, files: Mapping[str, str], **settings: Any) -> Project:
    write(folder, files)
    return Project(folder, Documents(), ProjectSettings(**settings))


def messages(of_files: Project, name: str) -> list[str]:
    assert of_files.folder is not None
    analysis = of_files.analysis_of(of_files.folder / name)
    assert analysis is not None
    return [diagnostic.message for diagnostic in analysis.diagnostics]


def test_modules_of_other_files_are_known(tmp_path: Path) -> None:
    design = project(tmp_path, {"a.sv": "module a; b x(); endmodule\n", "deep/b.sv": "module b; c y(); endmodule\n"})
    assert messages(design, "a.sv") == []
    assert messages(design, "deep/b.sv") == ["unknown module 'c'"]
    write(tmp_path, {"c.sv": "module c; endmodule\n"})
    assert messages(design, "deep/b.sv") == []
    (tmp_path / "c.sv").unlink()
    assert messages(design, "deep/b.sv") == ["unknown module 'c'"]


def test_of_several_files_the_nearest_is_taken(tmp_path: Path) -> None:
    files = {
        "one/top.sv": "module top; fifo #(.A(1)) f(); endmodule\n",
        "one/fifo.sv": "module fifo #(parameter A = 0)(); endmodule\n",
        "two/fifo.sv": "module fifo #(parameter B = 0)(); endmodule\n",
    }
    assert messages(project(tmp_path, files), "one/top.sv") == []


def test_files_that_need_nothing_of_each_other_are_not_mixed(tmp_path: Path) -> None:
    design = project(tmp_path, {f"{name}.sv": "module top; endmodule\n" for name in "abc"})
    assert messages(design, "a.sv") == []


def test_a_lone_file_is_not_told_of_unknown_modules(tmp_path: Path) -> None:
    write(tmp_path, {"a.sv": "module a; b x(); wire = 1; endmodule\n"})
    analysis = Project(None, Documents()).analysis_of(tmp_path / "a.sv")
    assert analysis is not None
    assert [diagnostic.message for diagnostic in analysis.diagnostics] == ["expected a declaration name"]


def test_headers_are_found_anywhere_and_looked_at_with_what_includes_them(tmp_path: Path) -> None:
    files = {
        "rtl/a.sv": '`include "defs.svh"\nmodule a; wire [`W:0] w; `include "sub/body.svh"\nendmodule\n',
        "inc/defs.svh": "`define W 3\n",
        "inc/sub/body.svh": "assign w = nowhere;\n",
    }
    design = project(tmp_path, files)
    assert messages(design, "rtl/a.sv") == []
    assert messages(design, "inc/sub/body.svh") == ["use of undeclared identifier 'nowhere'"]
    write(tmp_path, {"inc/sub/body.svh": "assign w = 1;\n"})
    os.utime(tmp_path / "inc/sub/body.svh", ns=(1, 1))
    assert messages(design, "inc/sub/body.svh") == []


def test_open_texts_count_also_of_headers(tmp_path: Path) -> None:
    files = {"a.sv": '`include "w.svh"\nmodule a; wire [`W:0] w; b x(); endmodule\n', "w.svh": "\n", "b.sv": "\n"}
    design = project(tmp_path, files)
    assert messages(design, "a.sv")
    documents = design._documents
    documents.open((tmp_path / "w.svh").as_uri(), 1, "`define W 3\n")
    documents.open((tmp_path / "b.sv").as_uri(), 1, "module b; endmodule\n")
    assert messages(design, "a.sv") == []
    documents.close((tmp_path / "w.svh").as_uri())
    assert messages(design, "a.sv")


def test_include_folders_and_macros_of_the_settings_are_used(tmp_path: Path) -> None:
    text = '`include "w.svh"\nmodule a; wire [`W:0] w; wire x = `ONE; endmodule\n'
    folder = tmp_path / "design"
    settings = {"include_dirs": ("../elsewhere",), "defines": ("WIDTH=3", "ONE=1'b1")}
    write(tmp_path / "elsewhere", {"w.svh": "`define W `WIDTH\n"})
    assert messages(project(folder, {"a.sv": text}, **settings), "a.sv") == []


def test_a_file_list_says_what_belongs_together(tmp_path: Path) -> None:
    files = {
        "all.f": "+define+ON\nrtl/top.sv\nrtl/one.sv\n-y lib\n",
        "rtl/top.sv": "`ifdef ON\nmodule top; sub s(); cell_a c(); endmodule\n`endif\n",
        "rtl/one.sv": "module sub; wire = 1; endmodule\n",
        "rtl/two.sv": "module sub; endmodule\n",
        "lib/cell_a.v": "module cell_a; endmodule\n",
        "lib/cell_b.v": "module cell_b; wire = 1; endmodule\n",
    }
    design = project(tmp_path, files)
    assert messages(design, "rtl/top.sv") == []
    top_analysis = design.analysis_of(tmp_path / "rtl/top.sv")
    assert top_analysis is not None
    assert {tree.path.name for tree in top_analysis.trees} == {"top.sv", "one.sv", "cell_a.v"}


@pytest.mark.parametrize(
    "files",
    [
        {
            "a.sv": "module a; b #(.W(9)) x(); endmodule\n",
            "b.sv": "module b #(int W = 1)(); wire [W-8:0] w = 2'b11; wire [1:0] v = w[3]; endmodule\n",
        },
        {"a.sv": "module a; wire = 1; endmodule", "b.sv": "module a; endmodule\n"},
        {"a.sv": "package p; int x; endpackage\n", "b.sv": "module b import p::*; (); int y = x + z; endmodule\n"},
        {"a.sv": "interface i; logic d; endinterface\n", "b.sv": "module b(i x); assign x.e = 1; endmodule\n"},
    ],
)
def test_diagnostics_of_a_listed_design_are_slangs_own(tmp_path: Path, files: dict[str, str]) -> None:
    design = project(tmp_path, {**files, "all.f": "\n".join(files)})
    own_messages = {(name, message) for name in files for message in messages(design, name)}
    sources = pyslang.SourceManager()
    compilation = Compilation()
    for name in files:
        compilation.addSyntaxTree(SyntaxTree.fromFile(str(tmp_path / name), sources))
    engine = pyslang.DiagnosticEngine(sources)
    engine.setWarningOptions(["default"])
    slang_messages = {
        (Path(sources.getFileName(diagnostic.location)).name, engine.formatMessage(diagnostic))
        for diagnostic in compilation.getAllDiagnostics()
        if engine.getSeverity(diagnostic.code, diagnostic.location).name != "Ignored"
    }
    assert own_messages == slang_messages
    assert own_messages


def test_the_same_text_is_analysed_once(tmp_path: Path) -> None:
    design = project(tmp_path, {"a.sv": "module a; b x(); endmodule\n", "b.sv": "module b; endmodule\n"})
    first_analysis = design.analysis_of(tmp_path / "a.sv")
    assert design.analysis_of(tmp_path / "a.sv") is first_analysis
    write(tmp_path, {"b.sv": "module b; wire w; endmodule\n"})
    os.utime(tmp_path / "b.sv", ns=(1, 1))
    assert design.analysis_of(tmp_path / "a.sv") is not first_analysis


def test_references_go_through_the_whole_folder(tmp_path: Path) -> None:
    files = {
        "a.sv": "module sub(input clk); endmodule\n",
        **{f"u{number}.sv": f"module u{number}; wire clk; sub s(.clk(clk)); endmodule\n" for number in range(5)},
    }
    design = project(tmp_path, files)
    analysis = design.analysis_of(tmp_path / "a.sv")
    assert analysis is not None
    port = analysis.occurrence_at(files["a.sv"].index("clk"))
    assert port is not None
    assert len(list(references(design, port.target))) == 6


def test_projects_are_told_apart_by_folder(tmp_path: Path) -> None:
    for name in ("one", "two", "two/inner"):
        (tmp_path / name).mkdir()
    projects = Projects(Documents())
    projects.change_folders([tmp_path / "one", tmp_path / "two", tmp_path / "two/inner"], [])
    assert projects.project_of_path(tmp_path / "two/inner/a.sv").folder == tmp_path / "two/inner"
    assert projects.project_of_path(tmp_path / "two/a.sv").folder == tmp_path / "two"
    assert projects.project_of_path(tmp_path / "a.sv").folder is None
    projects.change_folders([], [tmp_path / "two/inner"])
    assert projects.project_of_path(tmp_path / "two/inner/a.sv").folder == tmp_path / "two"


def test_names_are_found_by_their_letters(tmp_path: Path) -> None:
    text = (
        "`define DEPTH 4\nmodule fifo_sync; endmodule\n"
        "module sync; function int depth_of(int x); endfunction endmodule\n"
    )
    design = project(
        tmp_path, {"a.sv": text, "b.svh": "typedef struct {int a;} desc_t;\ntask automatic sync_up(); endtask\n"}
    )
    assert [match.declared_name.name for match in search_symbols([design], "sync")] == ["sync", "sync_up", "fifo_sync"]
    assert [match.declared_name.name for match in search_symbols([design], "dpt")] == ["DEPTH", "depth_of"]
    assert [match.declared_name.name for match in search_symbols([design], "desc_t")] == ["desc_t"]
    assert search_symbols([design], "nothing") == []
    assert len(search_symbols([design], "")) == 6


def test_an_outline_reads_past_comments_and_strings() -> None:
    text = (
        b'// module a;\n/* module b; */ module \\c-d ; initial $display("module e; `F"); endmodule\n'
        b"virtual class v; virtual interface bus x; endclass interface class ic; endclass typedef class fwd;\n"
        b'extern module ext;\n`include "x.svh" // y\n`include <z.svh>\n// `include "no.svh"\n`define M(a) `N\n'
    )
    outline = Outline(text)
    assert [unit.name for unit in outline.units] == ["c-d", "v", "ic"]
    assert [include.name for include in outline.includes] == ["x.svh", "z.svh"]
    assert [macro.name for macro in outline.macros] == ["M", "N"]
    named_spans = [(unit.name, unit.start, unit.end) for unit in outline.units]
    named_spans += [(include.name, include.start, include.end) for include in outline.includes]
    assert all(text[start:end].decode() == name for name, start, end in named_spans)


def test_memory_does_not_grow_with_edits(tmp_path: Path) -> None:
    text = "module a; wire w = 2'd1;\n" + "// a comment of some length, to have a large file\n" * 5000 + "endmodule\n"
    documents = Documents()
    design = Project(tmp_path, documents)
    document = documents.open((tmp_path / "a.sv").as_uri(), 1, text)

    def edit(times: int) -> int:
        nonlocal document
        for _ in range(times):
            position_range = Range(Position(5, 0), Position(5, 0))
            document, _ = documents.change(
                document.uri, document.version + 1, [TextDocumentContentChangePartial(position_range, " ")]
            )
            assert design.analysis(document).occurrence_at(7) is not None
            assert design.analysis(document).diagnostics == ()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    old_size = edit(120)
    assert edit(120) - old_size < 16 * 1024


def test_a_list_names_the_top_and_its_parameters(tmp_path: Path) -> None:
    files = {
        "all.f": "a.sv --top dut -Wconstant-conversion",
        "a.sv": "module dut #(parameter W = 8) (); wire [W-1:0] x = 8'hff; endmodule\n"
        "module tb; dut #(.W(2)) u_dut (); endmodule\n",
    }
    design = project(tmp_path, files)
    assert messages(design, "a.sv") == []
    write(tmp_path, {"all.f": "a.sv --top dut -G W=4 -Wconstant-conversion"})
    assert ["8" in message and "4" in message for message in messages(design, "a.sv")] == [True]


def test_variables_of_lists_are_set_in_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTL_DIR", str(tmp_path / "elsewhere"))
    write(
        tmp_path,
        {"all.f": "a.sv $RTL_DIR/b.sv", "a.sv": "module a; b u(); endmodule\n", "rtl/b.sv": "module b; endmodule\n"},
    )
    settings = ProjectSettings(variables={"RTL_DIR": "rtl"})
    design = Project(tmp_path, Documents(), settings)
    assert messages(design, "a.sv") == []
    assert messages(Project(tmp_path, Documents()), "a.sv") == ["unknown module 'b'"]


@pytest.mark.parametrize(
    ("name", "text", "target"),
    [
        ("Bender.yml", "sources:\n  - a.sv\n  - target: all(sim, fast)\n    files: [b.sv]\n", "sim, fast"),
        (
            "a.core",
            "CAPI=2:\nname: x:y:a\nfilesets:\n  rtl: {files: [a.sv, 'target_sim ? (b.sv)']}\n"
            "targets:\n  default: {filesets: [rtl]}\n  sim: {filesets: [rtl]}\n",
            "sim",
        ),
    ],
)
def test_a_description_of_the_project_says_which_files_belong_together(
    tmp_path: Path, name: str, text: str, target: str
) -> None:
    write(tmp_path, {name: text, "a.sv": "module a; b u(); endmodule\n", "b.sv": "module b; endmodule\n"})
    assert messages(Project(tmp_path, Documents()), "a.sv") == ["unknown module 'b'"]
    assert messages(Project(tmp_path, Documents(), ProjectSettings(target=target)), "a.sv") == []
