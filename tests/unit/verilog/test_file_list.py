from __future__ import annotations

from pathlib import Path

import pytest
from pyslang.driver import Driver

from benchwright_verilog.semantics.project.lists.file_list import FileList, read_file_list


def listed(folder: Path, text: str, **files: str) -> FileList:
    """Read a list; a file's name has `_` for `.` and `__` for `/`."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (folder / "all.f").write_text(text)
    return read_file_list(folder / "all.f")


def names(folder: Path, paths: tuple[Path, ...]) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in paths]


def test_files_folders_and_macros_are_read(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    text = "a.sv rtl/b.v\n+incdir+inc+rtl\n-I inc\n-Irtl\n+define+A=1+B\n-D C -DE=2\n"
    file_list = listed(tmp_path, text, a_sv="", rtl__b_v="")
    assert names(tmp_path, file_list.sources) == ["a.sv", "rtl/b.v"]
    assert names(tmp_path, file_list.include_dirs) == ["inc", "rtl"]
    assert file_list.defines == ("A=1", "B", "C", "E=2")
    assert file_list.complaints == ()


def test_comments_and_quotes_are_understood(tmp_path: Path) -> None:
    text = '// b.sv\n# c.sv\n/* d.sv\ne.sv */ a.sv // f.sv\n"with space.sv"\n'
    (tmp_path / "with space.sv").write_text("")
    file_list = listed(tmp_path, text, a_sv="")
    assert names(tmp_path, file_list.sources) == ["a.sv", "with space.sv"]
    assert file_list.complaints == ()


@pytest.mark.parametrize(("option", "start_folder"), [("-f", "."), ("-F", "ip")])
def test_the_paths_of_an_inner_list_start_where_its_option_says(tmp_path: Path, option: str, start_folder: str) -> None:
    (tmp_path / start_folder).mkdir(exist_ok=True)
    (tmp_path / start_folder / "core.sv").write_text("")
    file_list = listed(tmp_path, f"{option} ip/ip.f\n", ip__ip_f="core.sv\n")
    assert file_list.sources == ((tmp_path / start_folder / "core.sv").resolve(),)
    assert names(tmp_path, file_list.read_lists) == ["all.f", "ip/ip.f"]


def test_libraries_are_kept_apart(tmp_path: Path) -> None:
    text = "top.sv\n-y lib +libext+.v\n-v cells.sv\n"
    file_list = listed(tmp_path, text, top_sv="", lib__a_v="", lib__b_sv="", cells_sv="")
    assert names(tmp_path, file_list.sources) == ["top.sv"]
    assert names(tmp_path, file_list.libraries) == ["cells.sv", "lib/a.v"]


@pytest.mark.parametrize(
    ("text", "marked", "message"),
    [
        ("a.sv\n  missing.sv\n", "missing.sv", "There is no file"),
        ("$NO_ROOT/a.sv\n", "$NO_ROOT/a.sv", "The variable NO_ROOT is not set"),
        ("-I ${NO_INC}\n", "${NO_INC}", "The variable NO_INC is not set"),
        ("$(NO_ROOT)/a.sv\n", "$(NO_ROOT)/a.sv", "The variable NO_ROOT is not set"),
        ("-f all.f\n", "all.f", "includes itself"),
        ("-f gone.f\n", "gone.f", "does not exist or can't be read"),
        ("a.sv -I", "-I", "needs a value"),
        ("+incdir+\n", "+incdir+", "needs a value"),
        ("+incdir+nowhere\n", "+incdir+nowhere", "There is no folder"),
        ("+frob+1\n", "+frob+1", "has no effect here"),
        ("--frob\n", "--frob", "has no effect here"),
        ('"a.sv\n', '"', "is not closed"),
        ("x*.sv\n", "x*.sv", "No file matches"),
    ],
)
def test_what_can_not_be_used_is_told_with_its_place(tmp_path: Path, text: str, marked: str, message: str) -> None:
    file_list = listed(tmp_path, text, a_sv="")
    complaint = file_list.complaints[0]
    assert message in complaint.message
    assert text[complaint.start : complaint.end] == marked
    assert complaint.path == tmp_path / "all.f"


def test_a_list_that_is_missing_is_told(tmp_path: Path) -> None:
    (complaint,) = read_file_list(tmp_path / "none.f").complaints
    assert "can't be read" in complaint.message


def test_a_list_that_is_open_counts_as_it_is_typed(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text("")
    (tmp_path / "all.f").write_text("")
    file_list = read_file_list(tmp_path / "all.f", lambda path: "a.sv\n" if path.name == "all.f" else None)
    assert names(tmp_path, file_list.sources) == ["a.sv"]


def test_slangs_own_driver_finds_the_same_files(tmp_path: Path) -> None:
    text = "b.sv /* c.sv */ // d.sv\n# e.sv\na.sv\n+define+W=8+X -F ip/ip.f\n-f nested.f\n"
    file_list = listed(
        tmp_path, text, a_sv="", b_sv="", ip__ip_f="core.sv\n", ip__core_sv="", nested_f="rtl/x.v\n", rtl__x_v=""
    )
    driver = Driver()
    driver.addStandardArgs()
    assert driver.processCommandFiles(str(tmp_path / "all.f"), True, False)
    buffers = driver.sourceLoader.loadSources()
    slang_paths = [driver.sourceManager.getFullPath(buffer.id) for buffer in buffers]
    assert [path.resolve() for path in file_list.sources] == [Path(path) for path in slang_paths]
    assert list(file_list.defines) == [name for read in driver.commandFileMetadata.values() for name in read.defines]


def test_variables_are_expanded(tmp_path: Path) -> None:
    listed(tmp_path, "", rtl__a_sv="", rtl__b_sv="", rtl__c_sv="")
    (tmp_path / "all.f").write_text("$ROOT/a.sv ${ROOT}/b.sv $(ROOT)/c.sv\n+incdir+$ROOT -D SIZE=$SIZE\n")
    file_list = read_file_list(tmp_path / "all.f", variables={"ROOT": str(tmp_path / "rtl"), "SIZE": "4"})
    assert file_list.complaints == ()
    assert names(tmp_path, file_list.sources) == ["rtl/a.sv", "rtl/b.sv", "rtl/c.sv"]
    assert names(tmp_path, file_list.include_dirs) == ["rtl"]
    assert file_list.defines == ("SIZE=4",)


def test_tops_and_their_parameters_are_read(tmp_path: Path) -> None:
    file_list = listed(tmp_path, "--top a -top b --top=c --top-module d -G W=4 -GDEPTH=8\n")
    assert file_list.tops == ("a", "b", "c", "d")
    assert file_list.parameters == ("W=4", "DEPTH=8")
    assert file_list.complaints == ()


def test_values_of_options_without_effect_are_no_files(tmp_path: Path) -> None:
    file_list = listed(tmp_path, "--std 1800-2023 -j 2 --Mall deps.txt --timescale 1ns/1ps a.sv\n", a_sv="")
    assert names(tmp_path, file_list.sources) == ["a.sv"]
    assert [complaint.is_error for complaint in file_list.complaints] == [False] * 3


def test_a_macro_can_be_taken_back_and_libraries_have_any_suffix(tmp_path: Path) -> None:
    file_list = listed(
        tmp_path, "-DA=1 -DAB -UA -Y .vlib,.x -y lib a.sv\n", a_sv="", lib__c_vlib="", lib__d_v="", lib__e_x=""
    )
    assert file_list.defines == ("AB",)
    assert names(tmp_path, file_list.libraries) == ["lib/c.vlib", "lib/e.x"]


def test_a_list_may_be_one_compilation_unit(tmp_path: Path) -> None:
    file_list = listed(tmp_path, "--single-unit a.sv\n-f more.f\n", a_sv="", more_f="--libraries-inherit-macros\n")
    assert (file_list.is_single_unit, file_list.libraries_inherit_macros) == (True, True)
    assert file_list.complaints == ()


@pytest.mark.parametrize(
    ("list_options", "verilog_files"),
    [
        ("--map-keyword-version 1364-2005+*.v,old/*", ("*.v", "old/*")),
        ("--map-keyword-version 1800-2023+*.v", ()),
        ("+verilog2001ext+.v+.vh", ("*.v", "*.vh")),
        ("+1364-2005ext+v +1800-2017ext+v", ()),
        ("+verilog1995ext+.v +systemverilogext+.sv", ("*.v",)),
        ("-v2k", ("*",)),
        ("-vlog01compat", ("*",)),
        ("+v2k", ()),
    ],
)
def test_the_year_of_the_language_is_read_by_file(
    tmp_path: Path, list_options: str, verilog_files: tuple[str, ...]
) -> None:
    file_list = listed(tmp_path, f"{list_options}\na.v\n", a_v="")
    assert file_list.verilog_files == verilog_files
    assert file_list.complaints == ()
