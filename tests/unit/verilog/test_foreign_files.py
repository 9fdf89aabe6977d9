"""Text of a design that names files outside of what may be read: each is as if it did not exist."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyslang
import pytest

import benchwright_verilog
from benchwright_verilog.semantics.compilation import parsing
from benchwright_verilog.semantics.compilation.trees import Preprocessing, parse_options_bag
from benchwright_verilog.semantics.project import plain_files
from benchwright_verilog.semantics.project.index.indexing import read_entries
from benchwright_verilog.semantics.project.lists.file_list import read_file_list
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.semantics.project.projects import Projects
from benchwright_verilog.settings import ProjectSettings
from benchwright_verilog.syntax.documents import Documents

CANARY = "zqcanary"
HIDDEN = f"`define {CANARY}_m 1\nmodule {CANARY} (input a, output {CANARY}_y); assign {CANARY}_y = a; endmodule\n"
USE = f"module top (input d, output q); {CANARY} u (.a(d), .{CANARY}_y(q)); initial $display(`{CANARY}_m); endmodule\n"
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="Windows makes no links without rights")
needs_landlock = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")

WAYS = {
    "absolute": '`include "{file}"\n',
    "dots": '`include "../{folder}/rtl/{name}"\n',
    "dots over an absolute": '`include "{workspace}/../{folder}/rtl/{name}"\n',
    "angle brackets": "`include <{file}>\n",
    "macro": '`define F "{file}"\n`include `F\n',
    "quoting macro": '`define Q(name) `"name`"\n`include `Q({file})\n',
    "macro writes the directive": '`define I `include\n`I "{file}"\n',
    "header": '`include "through.svh"\n',
    "setting": '`include "{name}"\n',
    "define of the settings": "`include `GIVEN\n",
    "proc": '`include "/proc/self/root{file}"\n',
    "link": '`include "link.sv"\n',
    "linked folder": '`include "linked/{name}"\n',
    "link in the list of links": '`include "chain.sv"\n',
}


def analysed(tmp_path: Path, way: str, *, is_there: bool) -> tuple[str, list[str]]:
    """Everything that is known of a design with an include of a hidden file, or of one that is missing."""
    folder = tmp_path / ("there" if is_there else "none")
    rtl, workspace = folder / "hidden" / "rtl", folder / "work"
    rtl.mkdir(parents=True)
    workspace.mkdir()
    if is_there:
        (rtl / "x.sv").write_text(HIDDEN)
    text = WAYS[way].format(file=rtl / "x.sv", folder="hidden", name="x.sv", workspace=workspace) + USE
    (workspace / "top.sv").write_text(text)
    (workspace / "through.svh").write_text(f'`include "{rtl / "x.sv"}"\n')
    (workspace / "link.sv").symlink_to(rtl / "x.sv")
    (workspace / "chain.sv").symlink_to("link.sv")
    (workspace / "linked").symlink_to(rtl)
    settings = ProjectSettings(
        include_dirs=(str(rtl), "../hidden/rtl", "linked"),
        defines=(f'GIVEN="{rtl / "x.sv"}"',),
        file_lists=("all.f", str(rtl / "x.sv")),
    )
    (workspace / "all.f").write_text(
        f"top.sv\n{rtl}/x.sv\n+incdir+{rtl}\n-y {rtl}\n-v {rtl}/x.sv\n-f {rtl}/x.sv\n-F ../hidden/rtl/x.sv\n"
        f"linked/x.sv\nlinked/*.sv\n{rtl}/*.sv\n"
    )
    projects = Projects(Documents(), lambda: settings, workspace_of=lambda path: workspace)
    project = projects.project_of_path(workspace / "top.sv")
    analysis = project.analysis_of(workspace / "top.sv")
    assert analysis is not None
    messages = [diagnostic.message for diagnostic in analysis.diagnostics]
    messages += [complaint.message for file_list in project.lists for complaint in file_list.complaints]
    messages += [str(path) for path in project.paths]
    messages += [instance.module for instance in project.instance_tree_of(workspace / "top.sv").tops()]
    messages += [unit.name for _, units in project.declared_names_by_file() for unit in units]
    messages += [
        str(project.find_include(workspace / "top.sv", name)) for name in ("x.sv", "link.sv", str(rtl / "x.sv"))
    ]
    messages += [str(buffer) for tree in analysis.compiled.trees for buffer in tree.included_files]
    sources = analysis.compiled.trees[0].sources
    texts = [sources.getSourceText(buffer) for buffer in sources.getAllBuffers()]
    return "".join(texts), [answer.replace(str(folder), "") for answer in messages]


@needs_links
@pytest.mark.parametrize("way", WAYS)
def test_a_hidden_file_is_like_one_that_is_missing(tmp_path: Path, way: str) -> None:
    texts, messages = analysed(tmp_path, way, is_there=True)
    assert f"output {CANARY}_y" not in texts
    assert (texts.count(CANARY), messages) == (
        (missing := analysed(tmp_path, way, is_there=False))[0].count(CANARY),
        missing[1],
    )
    assert any("No such file or directory" in answer for answer in messages) or way == "header"


@needs_links
@pytest.mark.parametrize("way", WAYS)
def test_slang_shows_nothing_where_the_kernel_does_not_keep_it_from_files(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "_forbid_this_thread_to_open_files", lambda: None)
    parsing._executor_without_file_access.cache_clear()
    try:
        _, messages = analysed(tmp_path, way, is_there=True)
        assert "assign" not in "".join(messages)
        assert any("unknown module" in answer for answer in messages)
    finally:
        parsing._executor_without_file_access.cache_clear()


@needs_landlock
def test_the_thread_that_parses_opens_no_file_at_all(tmp_path: Path) -> None:
    (tmp_path / "x.svh").write_text(HIDDEN)

    def tries() -> list[str]:
        outcomes = []
        for path in (tmp_path / "x.svh", Path(__file__), Path("/etc/hostname"), tmp_path):
            try:
                os.close(os.open(path, os.O_RDONLY))
                outcomes.append("opened")
            except PermissionError:
                outcomes.append("refused")
        return outcomes

    assert tries() == ["opened"] * 4
    assert parsing._executor_without_file_access().submit(tries).result() == ["refused"] * 4
    sources = pyslang.SourceManager()
    text = f'`include "{tmp_path}/x.svh"\n{USE}'
    for parse in (parsing.parse, parsing.parse_file):
        parse(text, sources, f"{tmp_path}/top.sv", parse_options_bag(Preprocessing((tmp_path,)), 64))
        assert not any(f"output {CANARY}" in sources.getSourceText(buffer) for buffer in sources.getAllBuffers())
    assert tries() == ["opened"] * 4


@needs_landlock
def test_parsing_goes_on_in_a_fork() -> None:
    program = (
        "import os, sys; from benchwright_verilog.semantics.names.module_shapes import module_shapes\n"
        "assert module_shapes('module a; endmodule')\n"
        "child = os.fork()\n"
        "names = [shape.name for shape in module_shapes('module b; endmodule')]\n"
        "if not child: os._exit(names != ['b'])\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_slang_parses_in_one_place_only() -> None:
    """Elsewhere it could open whatever the text names; the other rooms parse without includes."""
    package = Path(benchwright_verilog.__file__).parent
    callers = [
        path.relative_to(package).as_posix()
        for path in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in {"fromText", "fromFile", "fromFiles", "fromFileInMemory", "fromBuffer", "fromBuffers"}
    ]
    assert callers == ["semantics/compilation/parsing.py"] * 2


def test_sources_are_opened_in_one_place_only() -> None:
    package = Path(benchwright_verilog.__file__).parent
    opening = {"read_text", "read_bytes", "open", "is_file", "is_dir", "glob", "rglob", "iterdir", "scandir"}
    own_data = {
        "semantics/project/folder_state.py",
        "semantics/project/index/index_store.py",
        "semantics/project/lists/list_store.py",
        "findings/explained_rules.py",
    }
    """Files of Benchwright's own."""
    walk = {"semantics/project/index/files_below.py"}
    """Follows no links."""
    callers = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in opening
        and not any(name in ast.unparse(node.func.value).lower() for name in ("files", "documents"))
        and not (isinstance(node.func.value, ast.Name) and node.func.value.id == "dir_entry")
    }
    assert callers - own_data - walk == {"semantics/project/plain_files.py"}


@needs_links
@pytest.mark.parametrize("moment", ["stat", "realpath"])
def test_a_link_that_is_put_there_while_a_file_is_read_leads_nowhere(
    tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden, work = tmp_path / "hidden", tmp_path / "work"
    for folder in (hidden, work / "inc"):
        folder.mkdir(parents=True)
    (hidden / "x.sv").write_text(HIDDEN)
    (work / "inc" / "x.sv").write_text("module x; endmodule\n")
    files = ReadableFiles.below(work)
    assert files.read_text(work / "inc" / "x.sv") == "module x; endmodule\n"
    original = plain_files.stamp_of

    def swap_after(path: Path) -> object:
        stamp = original(path)
        if moment == "stat":
            path.unlink()
            path.symlink_to(hidden / "x.sv")
        else:
            (work / "inc").rename(work / "old")
            (work / "inc").symlink_to(hidden)
        return stamp

    monkeypatch.setattr(plain_files, "stamp_of", swap_after)
    assert files.read_text(work / "inc" / "x.sv") is None


@needs_links
def test_the_process_that_reads_a_large_folder_follows_no_link_out_of_it(tmp_path: Path) -> None:
    hidden, work = tmp_path / "hidden", tmp_path / "work"
    hidden.mkdir()
    work.mkdir()
    (hidden / "x.sv").write_text(HIDDEN)
    (work / "a.sv").symlink_to(hidden / "x.sv")
    (work / "b.sv").write_text("module b; endmodule\n")
    # As if the link had been put there after the folder was listed.
    entries = read_entries(work, {work / name: (1, 1) for name in ("a.sv", "b.sv")}, lambda count: None)
    assert {path.name: [unit.name for unit in entry.units] for path, entry in entries.items()} == {
        "a.sv": [],
        "b.sv": ["b"],
    }


def sealed_below(folder: Path) -> Callable[[Path], bool]:
    real_folder = folder.resolve()
    return lambda real_path: real_path.is_relative_to(real_folder)


@needs_links
def test_a_list_leads_out_of_an_opened_folder_but_not_to_what_is_sealed(tmp_path: Path) -> None:
    for name in ("work", "ip/inc", "pack/hidden"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ip" / "leaf.sv").write_text('`include "w.svh"\nmodule leaf; wire [`W-1:0] q; endmodule\n')
    (tmp_path / "ip" / "inc" / "w.svh").write_text("`define W 4\n")
    (tmp_path / "pack" / "hidden" / "x.sv").write_text(HIDDEN)
    (tmp_path / "work" / "top.sv").write_text(f"module top; leaf u (); {CANARY} v (); endmodule\n")
    (tmp_path / "work" / "all.f").write_text("top.sv\n../ip/leaf.sv\n+incdir+../ip/inc\n../pack/hidden/x.sv\n")
    documents = Documents()
    projects = Projects(documents, is_sealed=sealed_below(tmp_path / "pack"))
    projects.change_folders([tmp_path / "work"], [])
    analysis = projects.project_of_path(tmp_path / "work" / "top.sv").analysis_of(tmp_path / "work" / "top.sv")
    assert analysis is not None
    assert [diagnostic.message for diagnostic in analysis.diagnostics] == [f"unknown module '{CANARY}'"]
    projects.change_folders([tmp_path / "pack"], [])
    projects.discard_all_projects()
    analysis = projects.project_of_path(tmp_path / "work" / "top.sv").analysis_of(tmp_path / "work" / "top.sv")
    assert analysis is not None
    assert "unknown module" not in str(analysis.diagnostics), "who opens a pack reads it"


def test_a_workspace_reads_another_opened_folder_and_not_the_one_around_it(tmp_path: Path) -> None:
    for name in ("home/work", "home/hidden", "library", "pack"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("home/hidden", "library", "pack"):
        (tmp_path / name / "x.svh").write_text("`define X 1\n")
    work = tmp_path / "home" / "work"
    projects = Projects(Documents(), workspace_of=lambda path: work, is_sealed=sealed_below(tmp_path / "pack"))
    projects.change_folders([tmp_path / "home", tmp_path / "library", tmp_path / "pack"], [])
    is_read_by_place = {}
    for name in ("home/hidden", "library", "pack"):
        (work / "top.sv").write_text(f'`include "{tmp_path / name / "x.svh"}"\nmodule top; endmodule\n')
        project = projects.project_of_path(work / "top.sv")
        project.note_disk_change()
        analysis = project.analysis_of(work / "top.sv")
        assert analysis is not None
        is_read_by_place[name] = not analysis.diagnostics
    assert is_read_by_place == {"home/hidden": False, "library": True, "pack": False}


def test_an_open_document_elsewhere_is_not_included(tmp_path: Path) -> None:
    for name in ("work", "hidden"):
        (tmp_path / name).mkdir()
    hidden, top = tmp_path / "hidden" / "x.sv", tmp_path / "work" / "top.sv"
    hidden.write_text(HIDDEN)
    top.write_text(f'`include "{hidden}"\n{USE}')
    documents = Documents()
    documents.open(hidden.as_uri(), 1, HIDDEN)
    analysis = Project(tmp_path / "work", documents, is_workspace=True).analysis_of(top)
    assert analysis is not None
    assert f"unknown module '{CANARY}'" in [diagnostic.message for diagnostic in analysis.diagnostics]


def test_a_workspace_stays_one_when_its_marker_goes(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    marker.touch()
    projects = Projects(Documents(), workspace_of=lambda path: tmp_path if marker.exists() else None)
    projects.change_folders([tmp_path], [])
    assert projects.project_of_path(tmp_path / "top.sv").is_workspace
    marker.unlink()
    projects.note_disk_changes([marker])
    assert projects.project_of_path(tmp_path / "top.sv").is_workspace


def test_a_comment_that_begins_to_matter_is_noticed(tmp_path: Path) -> None:
    """What a file includes by macros is asked anew where a comment on a line of its own opens or closes."""
    (tmp_path / "x.svh").write_text("`define X 1\n")
    text = '`define F "x.svh"\n/*\n`include `F\n*/\nmodule top; endmodule\n'
    documents = Documents()
    path = tmp_path / "top.sv"
    path.write_text(text)
    project = Project(tmp_path, documents)
    for number, version in enumerate((text, text.replace("/*\n", "\n").replace("*/\n", "\n"))):
        analysis = project.analysis(documents.open(path.as_uri(), number, version))
        assert not analysis.diagnostics


def test_without_a_folder_a_list_reads_everything(tmp_path: Path) -> None:
    (tmp_path / "a.sv").touch()
    (tmp_path / "all.f").write_text("a.sv\n")
    assert read_file_list(tmp_path / "all.f").sources == (tmp_path / "a.sv",)


def test_nothing_closed_is_read_whatever_is_opened(tmp_path: Path) -> None:
    kept_folder = tmp_path / "kept"
    kept_folder.mkdir()
    (kept_folder / "x.sv").write_text(HIDDEN)
    top = tmp_path / "top.sv"
    top.write_text(f'`include "{kept_folder}/x.sv"\n{USE}')
    for opened in (tmp_path, kept_folder):
        projects = Projects(Documents(), closed_folders=(kept_folder,))
        projects.change_folders([opened], [])
        project = projects.project_of_path(top)
        analysis = project.analysis_of(top)
        assert analysis is not None
        assert any("No such file" in diagnostic.message for diagnostic in analysis.diagnostics)
        assert kept_folder / "x.sv" not in project.paths
        assert projects.read_text(kept_folder / "x.sv") is None
        assert projects.project_of_path(kept_folder / "x.sv").analysis_of(kept_folder / "x.sv") is None
    workspace = kept_folder / "preview"
    workspace.mkdir()
    (workspace / "top.sv").write_text("module top; endmodule\n")
    projects = Projects(Documents(), workspace_of=lambda path: workspace, closed_folders=(kept_folder,))
    assert projects.project_of_path(workspace / "top.sv").analysis_of(workspace / "top.sv") is not None


def test_a_file_by_itself_includes_what_is_beside_it_but_for_what_is_sealed(tmp_path: Path) -> None:
    for name in ("loose", "pack"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.svh").write_text("`define X 1\n")
        (tmp_path / name / "top.sv").write_text('`include "x.svh"\nmodule top; endmodule\n')
    documents = Documents()
    projects = Projects(documents, is_sealed=sealed_below(tmp_path / "pack"))
    are_included = {}
    for name in ("loose", "pack"):
        document = documents.open(
            (tmp_path / name / "other.sv").as_uri(), 1, '`include "x.svh"\nmodule other; endmodule\n'
        )
        are_included[name] = not projects.project_of(document).analysis(document).diagnostics
    assert are_included == {"loose": True, "pack": False}
    assert projects.project_of_path(tmp_path / "pack" / "top.sv").analysis_of(tmp_path / "pack" / "top.sv") is None
    projects.change_folders([tmp_path / "pack"], [])
    assert projects.project_of_path(tmp_path / "pack" / "top.sv").analysis_of(tmp_path / "pack" / "top.sv") is not None
