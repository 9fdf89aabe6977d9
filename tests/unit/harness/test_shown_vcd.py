"""Of a VCD file only the scopes that are shown are copied, whatever the file holds."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest

from benchwright_harness.decision.shown_vcd import CopiedSignals, copy_signals_of_scopes

WHOLE = """\
$date today $end $version zqcanary $end
$comment zqcanary $end
$timescale 10ps $end
$scope module tb $end
$var parameter 8 p zqcanary $end
$var wire 1 ! clk $end
$scope module dut $end
$var wire 1 ! clk $end
$var reg 4 " q [3:0] $end
$scope begin part[0] $end
$var wire 1 # b $end
$upscope $end
$scope module checker $end
$var reg 64 $ zqcanary $end
$upscope $end
$upscope $end
$scope module model $end
$var string 1 % zqcanary $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
bx "
szqcanary %
1#
b101 $
$end
$comment zqcanary $end
#5
1!
b1010 "
zqcanary
r1.5 %
"""
SHOWN = {("tb", "dut"): ("counter",), ("tb", "dut", "part[0]"): ("counter", "part[0]")}


def copied_signals_and_text(text: str) -> tuple[CopiedSignals, str]:
    shown_vcd = io.BytesIO()
    return copy_signals_of_scopes(io.BytesIO(text.encode()), shown_vcd, SHOWN), shown_vcd.getvalue().decode()


def test_only_what_is_shown_is_copied_and_begins_with_the_outermost_module() -> None:
    copy_summary, text = copied_signals_and_text(WHOLE)
    assert copy_summary == CopiedSignals(3, Decimal("0.01"))
    assert text == (
        '$timescale 10 ps $end\n$scope module counter $end\n$var wire 1 ! clk $end\n$var reg 4 " q [3:0] $end\n'
        "$scope begin part[0] $end\n$var wire 1 # b $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n"
        '#0\n$dumpvars\n0!\nbx "\n1#\n$end\n#5\n1!\nb1010 "\n'
    )


@pytest.mark.parametrize("text", ["", "noise", WHOLE[:200], "$timescale 7 parsec $end $enddefinitions $end"])
def test_what_is_no_vcd_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"header|scale"):
        copied_signals_and_text(text)


def test_a_design_without_signals_has_none() -> None:
    assert copied_signals_and_text("$timescale 1s $end $enddefinitions $end\n#0\n1!\n")[0].signals == 0
