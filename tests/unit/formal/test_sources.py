from __future__ import annotations

import pytest

from benchwright_formal.errors import NotModelledError
from benchwright_formal.sources import compared_sources


def test_packages_come_first_and_other_files_are_left_out() -> None:
    files = {"rtl/top.sv": b"module top; endmodule", "rtl/p.sv": b"package p; endpackage", "readme.md": b"package"}
    assert compared_sources(files).source_contents == (files["rtl/p.sv"], files["rtl/top.sv"])


def test_headers_keep_their_paths_and_odd_ones_are_left_out() -> None:
    files = {"a.v": b"", "inc/d.vh": b"`define D 1", "../up.vh": b"", "/abs.vh": b"", "two words.vh": b""}
    design_sources = compared_sources(files)
    assert set(design_sources.content_by_path("/code/x")) == {"/code/x/f0.sv", "/code/x/inc/d.vh"}
    assert design_sources.include_folders("/code/x") == ["/code/x", "/code/x/inc"]


@pytest.mark.parametrize(
    "text",
    [
        "// synopsys full_case",
        "/* pragma translate_off */",
        "`ifndef SYNTHESIS\n`endif",
        "`ifdef __ICARUS__\n`endif",
    ],
)
def test_what_tools_read_differently_is_refused_with_the_file(text: str) -> None:
    with pytest.raises(NotModelledError, match=r"rtl/top\.sv: "):
        compared_sources({"rtl/top.sv": text.encode()})


@pytest.mark.parametrize("text", ["// verilator lint_off WIDTH", "`ifdef DEPTH\n`endif", "(* keep *) wire a;"])
def test_what_changes_nothing_is_taken(text: str) -> None:
    assert compared_sources({"top.v": text.encode()}).source_contents == (text.encode(),)


def test_a_design_without_verilog_is_refused() -> None:
    with pytest.raises(NotModelledError, match="no Verilog file"):
        compared_sources({"top.vhd": b""})
