"""Which of slang's warnings are reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright_verilog.semantics.project import Project
from benchwright_verilog.settings import Project as ProjectSettings
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
    return sorted({one.rule for one in analysis.diagnostics})


def test_warnings_that_slang_gives_on_request_only_are_left_out(tmp_path: Path) -> None:
    assert rules(tmp_path, REDUNDANT) == []


@pytest.mark.parametrize(
    ("warnings", "found"),
    [
        (("case-redundant-default",), ["case-redundant-default"]),
        (("extra",), ["case-redundant-default"]),
        (("everything", "no-width-expand"), ["case-redundant-default"]),
        (("everything",), ["case-redundant-default", "width-expand"]),
        (("there-is-no-such-warning",), []),
    ],
)
def test_more_warnings_are_a_setting(tmp_path: Path, warnings: tuple[str, ...], found: list[str]) -> None:
    assert rules(tmp_path, REDUNDANT, warnings=warnings) == found


def test_a_file_list_asks_for_warnings(tmp_path: Path) -> None:
    lists = {"all.f": "-Wextra\n-Wno-case-redundant-default -Wwidth-expand\nm.sv\n"}
    assert rules(tmp_path, REDUNDANT, lists) == ["width-expand"]


def test_settings_count_more_than_a_file_list(tmp_path: Path) -> None:
    lists = {"all.f": "-Wwidth-expand\nm.sv\n"}
    assert rules(tmp_path, REDUNDANT, lists, warnings=("no-width-expand",)) == []
