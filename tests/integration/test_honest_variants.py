"""One right counter in many styles: each passes, or the verdict names the construct that a tool can't read."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from benchwright_harness.grading.grade import Grader
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.verdict import Outcome

from .conftest import ROOT

PROBLEM = next(problem for problem in read_built_in("starter").problems if problem.id == "saturating-counter")
COUNTERS = (ROOT / "tests/support/designs/honest_counters.sv").read_text()
STYLES = re.split(r"^// style: (.+)\n", COUNTERS, flags=re.MULTILINE)
DESIGNS = dict(zip(STYLES[1::2], STYLES[2::2], strict=True))


@pytest.mark.sampled
@pytest.mark.parametrize("style", DESIGNS)
async def test_a_right_counter_passes_or_a_tools_limit_is_named(
    style: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    grader = Grader(BwrapSandbox(), toolchain, VerdictStore(tmp_path / "verdicts"))
    log = io.BytesIO()
    verdict = await grader.grade(PROBLEM, {PROBLEM.public.expected[0]: DESIGNS[style].encode()}, log=log)
    is_limit = verdict.detail.startswith("Icarus Verilog can't read ")
    assert verdict.outcome is Outcome.PASSED or is_limit, f"{verdict}\n{log.getvalue()[-3000:].decode()}"
