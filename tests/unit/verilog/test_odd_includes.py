"""Includes that lead to no file to read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchwright_verilog.findings.piecewise import PiecewiseDiagnostics
from benchwright_verilog.language.completion.library import Library
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
NOT_PLAIN = "is not a plain file, so it is not read."
MISSING = "No such file or directory"


def quoted_messages(
    folder: Path, name: str = "a.sv", documents: Documents | None = None, settings: ProjectSettings | None = None
) -> list[str]:
    """Messages on a file, each with the text that it is said of."""
    project = Project(folder, documents or Documents(), settings)
    analysis = project.analysis_of(folder / name)
    assert analysis is not None
    data = (folder / name).read_bytes()
    return [
        f"{data[diagnostic.start : diagnostic.end].decode()}: {diagnostic.message}"
        for diagnostic in analysis.diagnostics
    ]


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_sv", ".sv")
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)


def test_a_pipe_is_not_read_and_everything_else_is_analysed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.svh")
    write(tmp_path, a_sv='`include "p.svh"\nmodule m; absent u (); endmodule\n')
    assert quoted_messages(tmp_path) == ["absent: unknown module 'absent'", f'"p.svh": p.svh {NOT_PLAIN}']


@pytest.mark.parametrize(
    "include",
    ['"../inc/p.svh"', '"./../inc/p.svh"', '"p.svh"', '"{folder}/inc/p.svh"', '"../inc/./p.svh"', '"..//inc/p.svh"'],
)
def test_a_pipe_is_found_under_every_name(tmp_path: Path, include: str) -> None:
    (tmp_path / "inc").mkdir()
    os.mkfifo(tmp_path / "inc" / "p.svh")
    name = include.format(folder=tmp_path)
    write(tmp_path, rtl__a_sv=f"`include {name}\nmodule m; endmodule\n")
    assert quoted_messages(tmp_path, "rtl/a.sv", settings=ProjectSettings(include_dirs=("inc",))) == [
        f"{name}: p.svh {NOT_PLAIN}"
    ]


def test_a_pipe_that_a_header_includes_is_reported_in_the_header(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.svh")
    write(tmp_path, a_sv='`include "h.svh"\nmodule m; endmodule\n', h_svh='\n`include "p.svh"\n')
    assert quoted_messages(tmp_path) == []
    assert quoted_messages(tmp_path, "h.svh") == [f'"p.svh": p.svh {NOT_PLAIN}']


@pytest.mark.parametrize(
    "text",
    [
        '`define P "p.svh"\n`include `P\n',
        '`define QUOTED(name) `"name`"\n`include `QUOTED(p.svh)\n',
        '`define READ `include\n`READ "p.svh"\n',
        '`define READ(name) `include name\n`READ("p.svh")\n',
        '`define WORD(rest) `in``rest "p.svh"\n`WORD(clude)\n',
        '`define S `" /* `"\n`include "p.svh" // */\n',
        '`include "names.svh"\n`include `NAME\n',
        '`define H "names.svh"\n`include `H\n`include `DEEP\n',
        "`include `GIVEN\n",
    ],
)
def test_a_pipe_is_not_read_where_a_macro_writes_the_include(tmp_path: Path, text: str) -> None:
    os.mkfifo(tmp_path / "p.svh")
    write(
        tmp_path,
        a_sv=f"{text}module m; endmodule\n",
        names_svh='`define NAME "p.svh"\n`define DEEP "deep.svh"\n',
        deep_svh='`include "p.svh"\n',
    )
    settings = ProjectSettings(defines=('GIVEN="p.svh"',))
    messages = [
        *quoted_messages(tmp_path, settings=settings),
        *quoted_messages(tmp_path, "deep.svh", settings=settings),
    ]
    assert any(message.endswith(f"p.svh {NOT_PLAIN}") for message in messages)


def test_a_link_to_a_device_is_as_if_it_were_missing(tmp_path: Path) -> None:
    (tmp_path / "z.svh").symlink_to("/dev/zero")
    write(tmp_path, a_sv='`include "z.svh"\n`include "/dev/zero"\n`include "none.svh"\nmodule m; endmodule\n')
    assert quoted_messages(tmp_path) == [
        f"\"{name}\": '{name}': {MISSING}" for name in ("z.svh", "/dev/zero", "none.svh")
    ]


def test_a_huge_header_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, a_sv='`include "h.svh"\nmodule m; endmodule\n')
    with (tmp_path / "h.svh").open("wb") as file:
        file.truncate(1 << 40)
    assert quoted_messages(tmp_path) == ['"h.svh": h.svh is larger than 16 MB, so it is not read.']


def test_names_that_too_many_macros_write_one_after_the_other_are_not_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "h70.svh")
    for number in range(70):
        (tmp_path / f"h{number}.svh").write_text(f'`define N{number + 1} "h{number + 1}.svh"\n')
    includes = "".join(f"`include `N{number}\n" for number in range(71))
    write(tmp_path, a_sv=f'`define N0 "h0.svh"\n{includes}module m; endmodule\n')
    assert any("include depth" in message for message in quoted_messages(tmp_path))


def test_a_name_that_is_too_long_for_a_path_is_an_error_at_its_place(tmp_path: Path) -> None:
    write(tmp_path, a_sv=f'`include "{"x/" * 4_000}"\nmodule m; endmodule\n')
    assert len(quoted_messages(tmp_path)) == 1


def test_a_header_that_includes_itself_by_ever_longer_names_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.svh")
    write(tmp_path, d__a_sv='`include "../d/h.svh"\n', d__h_svh='`include "../d/h.svh"\n`include "../d/../p.svh"\n')
    assert quoted_messages(tmp_path, "d/a.sv") == []
    assert f'"../d/../p.svh": p.svh {NOT_PLAIN}' in quoted_messages(tmp_path, "d/h.svh")


def test_a_pipe_that_becomes_a_file_is_read_and_a_file_that_becomes_a_pipe_is_not(tmp_path: Path) -> None:
    path = tmp_path / "h.svh"
    write(tmp_path, a_sv='`include "h.svh"\nmodule m; initial $display(`TEXT); endmodule\n')
    project = Project(tmp_path, Documents())

    def messages() -> list[str]:
        project.note_disk_change()
        analysis = project.analysis_of(tmp_path / "a.sv")
        assert analysis is not None
        return [diagnostic.message for diagnostic in analysis.diagnostics]

    assert len(messages()) == 2
    path.write_text('`define TEXT "text"\n')
    assert messages() == []
    path.unlink()
    os.mkfifo(path)
    assert f"h.svh {NOT_PLAIN}" in messages()
    path.unlink()
    path.write_text('`define TEXT "text"\n')
    assert messages() == []


def test_an_open_header_counts_however_it_is_included(tmp_path: Path) -> None:
    write(tmp_path, rtl__a_sv='`include "../inc/h.svh"\nmodule m; initial $display(`TEXT); endmodule\n', inc__h_svh="")
    documents = Documents()
    documents.open((tmp_path / "inc" / "h.svh").as_uri(), 1, '`define TEXT "text"\n')
    assert quoted_messages(tmp_path, "rtl/a.sv", documents) == []


def test_a_header_that_is_created_later_is_read(tmp_path: Path) -> None:
    write(tmp_path, a_sv='`include "h.svh"\nmodule m; initial $display(`TEXT); endmodule\n')
    documents = Documents()
    project = Project(tmp_path, documents)

    def messages() -> list[str]:
        project.note_disk_change()
        analysis = project.analysis_of(tmp_path / "a.sv")
        assert analysis is not None
        return [diagnostic.message for diagnostic in analysis.diagnostics]

    assert len(messages()) == 2
    documents.open((tmp_path / "h.svh").as_uri(), 1, '`define TEXT "unsaved"\n')
    assert messages() == []
    documents.close((tmp_path / "h.svh").as_uri())
    assert len(messages()) == 2
    (tmp_path / "h.svh").write_text('`define TEXT "saved"\n')
    assert messages() == []


def test_a_large_file_by_itself_reads_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.svh")
    document = Documents().open((tmp_path / "a.sv").as_uri(), 1, '`include "p.svh"\nmodule m; endmodule\n')
    diagnostics = PiecewiseDiagnostics(tmp_path / "a.sv", is_alone=True).diagnostics(document.units)
    assert [diagnostic.message for diagnostic in diagnostics] == [f"p.svh {NOT_PLAIN}"]


def test_reading_the_header_of_a_module_elsewhere_opens_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.svh")
    write(
        tmp_path,
        a_sv="module a; endmodule\n",
        b_sv=f'`include "{tmp_path}/p.svh"\nmodule b #(parameter W = 1) (input a); endmodule\n',
    )
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "a.sv")
    assert analysis is not None
    library = Library()
    unit = library.unit_named(project, analysis, "b")
    assert unit is not None
    header = library.header(project, analysis, unit)
    assert header is not None
    assert header.name == "b"


def test_a_header_that_includes_itself_twice_ends(tmp_path: Path) -> None:
    """Without a guard; 64 levels would be 2 to the power of 64 headers."""
    write(tmp_path, a_sv='`include "h.svh"\nmodule m; endmodule\n', h_svh='`include "h.svh"\n`include "h.svh"\n')
    assert quoted_messages(tmp_path) == []
    assert len(quoted_messages(tmp_path, "h.svh")) > 0


def test_headers_that_include_each_other_behind_guards_are_read_to_their_end(tmp_path: Path) -> None:
    chain = {
        f"h{n}_svh": f'`ifndef H{n}\n`define H{n}\n`include "h{n + 1}.svh"\n`include "h{n + 1}.svh"\n`endif\n'
        for n in range(30)
    }
    chain["h30_svh"] = (
        '`include "h0.svh"\n`include "h0.svh"\n`ifndef H30\n`define H30\nparameter int DEEP = 1;\n`endif\n'
    )
    for name, text in chain.items():
        (tmp_path / name.replace("_", ".")).write_text(text)
    write(tmp_path, a_sv='`include "h0.svh"\nmodule m; localparam int L = DEEP; endmodule\n')
    assert quoted_messages(tmp_path) == []


BY_MACRO = '`define P(name) `"name`"\n`include `P(p.svh)\nmodule m; endmodule\n'


def errors(project: Project, path: Path) -> list[str]:
    analysis = project.analysis_of(path)
    assert analysis is not None
    return [diagnostic.message for diagnostic in analysis.diagnostics]


def test_a_pipe_that_appears_is_noticed_though_nothing_was_typed(tmp_path: Path) -> None:
    write(tmp_path, a_sv=BY_MACRO)
    project = Project(tmp_path, Documents())
    assert not any(NOT_PLAIN in message for message in errors(project, tmp_path / "a.sv"))
    os.mkfifo(tmp_path / "p.svh")
    project.note_disk_change()
    assert any(NOT_PLAIN in message for message in errors(project, tmp_path / "a.sv"))


@pytest.mark.parametrize(
    ("old_text", "new_text"),
    [
        (BY_MACRO, BY_MACRO.replace("p.svh", "q.svh")),
        (BY_MACRO.replace("(p.svh)", "(\n  p.svh\n)"), BY_MACRO.replace("(p.svh)", "(\n  q.svh\n)")),
        (BY_MACRO.replace("`P(p.svh)", "`P(\\\np.svh)"), BY_MACRO.replace("`P(p.svh)", "`P(\\\nq.svh)")),
    ],
)
def test_another_name_that_a_macro_writes_is_looked_at(tmp_path: Path, old_text: str, new_text: str) -> None:
    os.mkfifo(tmp_path / "q.svh")
    documents = Documents()
    path = tmp_path / "a.sv"
    write(tmp_path, a_sv=old_text, p_svh="")
    (tmp_path / "p.svh").write_text("")
    project = Project(tmp_path, documents)
    documents.open(path.as_uri(), 1, old_text)
    assert not any(NOT_PLAIN in message for message in errors(project, path))
    documents.open(path.as_uri(), 2, f"// {old_text}".replace("// `define", "`define") + "// typed\n")
    assert not any(NOT_PLAIN in message for message in errors(project, path))
    documents.open(path.as_uri(), 3, new_text)
    assert any(NOT_PLAIN in message for message in errors(project, path))


def test_a_header_with_many_comments_that_includes_itself_ends(tmp_path: Path) -> None:
    write(tmp_path, a_sv="/* A line of a licence. */\n" * 60 + '`include "a.sv"\nmodule m; endmodule\n')
    assert any("recursive" in message or "depth" in message for message in quoted_messages(tmp_path))
