"""Warnings of slang that are reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright_verilog.findings.piecewise import PiecewiseDiagnostics
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents

REDUNDANT = """module m (input logic a, output logic [3:0] b);
  always_comb
    unique case (a)
      1'b0: b = 4'd1;
      default: b = 4'd0;
    endcase
  wire [2:0] wide = a;
endmodule
"""


def rules(folder: Path, text: str, lists: dict[str, str] | None = None, **settings: Any) -> list[str]:
    for name, content in {"m.sv": text, **(lists or {})}.items():
        (folder / name).write_text(content)
    analysis = Project(folder, Documents(), ProjectSettings(**settings)).analysis_of(folder / "m.sv")
    assert analysis is not None
    return sorted({diagnostic.rule for diagnostic in analysis.diagnostics})


@pytest.mark.parametrize(
    ("classes", "expected_rules"),
    [
        ("package p; class c extends unknown; int a = 1; endclass endpackage", ["undeclared-identifier"]),
        ("class c #(type T = int) extends unknown #(T); endclass", ["undeclared-identifier"]),
        ("package p; class c #(type T = int) extends T; endclass endpackage", []),
        ("package p; class a; endclass class b extends a; endclass endpackage", []),
        ("package p; class a; endclass endpackage\npackage q; import p::*; class b extends a; endclass endpackage", []),
    ],
)
def test_a_base_class_that_nothing_declares_is_an_error(
    tmp_path: Path, classes: str, expected_rules: list[str]
) -> None:
    assert rules(tmp_path, classes) == expected_rules
    assert rules(tmp_path, classes, warnings=("no-undeclared-identifier",)) == []


def test_warnings_that_slang_gives_on_request_only_are_left_out(tmp_path: Path) -> None:
    assert rules(tmp_path, REDUNDANT) == []


@pytest.mark.parametrize(
    ("warnings", "expected_rules"),
    [
        (("case-redundant-default",), ["case-redundant-default"]),
        (("extra",), ["case-redundant-default"]),
        (("everything", "no-width-expand", "no-unused"), ["case-redundant-default"]),
        (("everything", "no-unused"), ["case-redundant-default", "width-expand"]),
        (("there-is-no-such-warning",), []),
    ],
)
def test_more_warnings_are_a_setting(tmp_path: Path, warnings: tuple[str, ...], expected_rules: list[str]) -> None:
    assert rules(tmp_path, REDUNDANT, warnings=warnings) == expected_rules


def test_a_file_list_asks_for_warnings(tmp_path: Path) -> None:
    lists = {"all.f": "-Wextra\n-Wno-case-redundant-default -Wwidth-expand\nm.sv\n"}
    assert rules(tmp_path, REDUNDANT, lists) == ["width-expand"]


def test_settings_count_more_than_a_file_list(tmp_path: Path) -> None:
    lists = {"all.f": "-Wwidth-expand\nm.sv\n"}
    assert rules(tmp_path, REDUNDANT, lists, warnings=("no-width-expand",)) == []


DRIVEN = """module m (input logic clk, input logic [1:0] a, output logic q);
  logic r, spare, held;
  always_ff @(posedge clk) r <= a[0];
  always_ff @(posedge clk) r <= a[1];
  always_comb if (a[0]) held = a[1];
  assign q = r & held;
endmodule
"""


def test_two_processes_that_drive_a_variable_are_reported(tmp_path: Path) -> None:
    assert rules(tmp_path, DRIVEN) == ["multiple-always-assigns"]


def test_two_processes_that_drive_a_variable_are_reported_in_a_large_file() -> None:
    document = Documents().open("file:///m.sv", 1, DRIVEN)
    (diagnostic,) = PiecewiseDiagnostics(Path("/m.sv"), is_alone=False).diagnostics(document.units)
    assert (diagnostic.rule, diagnostic.start) == ("multiple-always-assigns", DRIVEN.index("r <= a[1]"))


def test_latches_and_the_unused_are_reported_on_request(tmp_path: Path) -> None:
    requested_warnings = ("inferred-latch", "unused", "no-multiple-always-assigns")
    assert rules(tmp_path, DRIVEN, warnings=requested_warnings) == ["inferred-latch", "unused-variable"]
