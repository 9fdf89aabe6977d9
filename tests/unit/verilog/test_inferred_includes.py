"""Include folders that a file list leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchwright_verilog.semantics.project.lists.file_list import FileList
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

USER = '`include "h.svh"\nmodule m; initial $display(`TEXT); endmodule\n'


class IncludeCase:
    """A project, what is said of `rtl/m.sv`, and what is told of its list."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.complaints: list[str] = []
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.project = Project(folder, Documents(), on_lists_read=self._read)
        self._path = folder / "rtl/m.sv"

    def _read(self, lists: Sequence[FileList]) -> None:
        self.complaints = [complaint.message for file_list in lists for complaint in file_list.complaints]

    def messages(self) -> list[str]:
        self.project.note_disk_change()
        analysis = self.project.analysis_of(self._path)
        assert analysis is not None
        return [diagnostic.message for diagnostic in analysis.diagnostics]

    def header(self) -> Path | None:
        return self.project.find_include(self._path, "h.svh")


def test_the_folder_of_a_header_that_is_there_once_is_used_and_told(tmp_path: Path) -> None:
    folder_view = IncludeCase(
        tmp_path, {"all.f": "rtl/m.sv\n", "rtl/m.sv": USER, "lib/inc/h.svh": '`define TEXT "lib"\n'}
    )
    assert folder_view.messages() == []
    assert folder_view.complaints == [
        "No folder of this list has h.svh, which a file includes. It is read from lib/inc: add +incdir+lib/inc."
    ]


@pytest.mark.parametrize("name", ["h.inc", "h.def", "h"])
@pytest.mark.parametrize("lists", [{}, {"all.f": "rtl/m.sv\n"}])
def test_a_header_is_found_whatever_its_suffix(tmp_path: Path, name: str, lists: dict[str, str]) -> None:
    user = USER.replace("h.svh", name)
    folder_view = IncludeCase(tmp_path, lists | {"rtl/m.sv": user, f"lib/inc/{name}": '`define TEXT "lib"\n'})
    assert folder_view.messages() == []


def test_a_name_with_a_folder_starts_above_that_folder(tmp_path: Path) -> None:
    user = USER.replace("h.svh", "inc/h.svh")
    folder_view = IncludeCase(
        tmp_path, {"all.f": "rtl/m.sv\n", "rtl/m.sv": user, "lib/inc/h.svh": '`define TEXT "lib"\n'}
    )
    assert folder_view.messages() == []
    assert "add +incdir+lib." in folder_view.complaints[0]


def test_of_several_headers_the_nearest_is_used_and_all_are_told(tmp_path: Path) -> None:
    far, near_files = {"far/x/h.svh": '`define TEXT "far"\n'}, {"rtl/inc/h.svh": '`define TEXT "near"\n'}
    folder_view = IncludeCase(tmp_path, {"all.f": "rtl/m.sv\n", "rtl/m.sv": USER, **far, **near_files})
    assert folder_view.messages() == []
    assert folder_view.header() == tmp_path / "rtl/inc/h.svh"
    assert "(far/x, rtl/inc), and the nearest is used" in folder_view.complaints[0]


def test_a_list_that_says_everything_is_followed_and_nothing_is_told(tmp_path: Path) -> None:
    files = {"rtl/inc/h.svh": '`define TEXT "near"\n', "far/h.svh": '`define TEXT "far"\n', "rtl/m.sv": USER}
    folder_view = IncludeCase(tmp_path, {"all.f": "+incdir+far\nrtl/m.sv\n", **files})
    assert folder_view.messages() == []
    assert folder_view.header() == tmp_path / "far/h.svh"
    assert folder_view.complaints == []


def test_a_header_that_is_nowhere_is_an_error_until_it_is_created(tmp_path: Path) -> None:
    folder_view = IncludeCase(tmp_path, {"all.f": "rtl/m.sv\n", "rtl/m.sv": USER})
    assert "'h.svh': No such file or directory" in folder_view.messages()
    assert folder_view.complaints == []
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/h.svh").write_text('`define TEXT "lib"\n')
    assert folder_view.messages() == []
    assert len(folder_view.complaints) == 1
    (tmp_path / "all.f").write_text("+incdir+lib\nrtl/m.sv\n")
    assert folder_view.messages() == []
    assert folder_view.complaints == []


def test_what_only_files_beside_the_list_include_is_not_told(tmp_path: Path) -> None:
    files = {"all.f": "rtl/n.sv\n", "rtl/n.sv": "module n; endmodule\n", "lib/h.svh": '`define TEXT "lib"\n'}
    folder_view = IncludeCase(tmp_path, {**files, "rtl/m.sv": USER})
    assert folder_view.messages() == []
    assert folder_view.complaints == []
