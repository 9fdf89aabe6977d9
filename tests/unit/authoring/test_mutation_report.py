"""Mutants that count in a kill rate, and what people read of an analysis."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchwright_authoring.mutation.catalogue import KINDS
from benchwright_authoring.mutation.findings import (
    Counterexample,
    MutantFinding,
    MutantStatus,
    PackFindings,
    ProblemFindings,
)
from benchwright_authoring.mutation.mutant import Mutant
from benchwright_authoring.mutation.rates import kill_rate_by_group, mutant_kind, problems_weakest_first, rate_of_kills
from benchwright_authoring.mutation.report import mutation_report_markdown
from benchwright_problems.verdict import Reason

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "find-weak-tests.md"


def mutant_finding(
    status: MutantStatus,
    *,
    kind: str = "boundary",
    line: int = 1,
    is_scored: bool = True,
    reason: Reason | None = None,
    example: Counterexample | None = None,
    diff: str = "",
) -> MutantFinding:
    mutant = Mutant(id="abc", kind=kind, path="rtl/a.sv", line=line, start=0, end=1, before="a", after="b")
    return MutantFinding(
        mutant=mutant, status=status, is_scored=is_scored, reason=reason, counterexample=example, diff=diff
    )


def pack_findings(*problems: ProblemFindings, limit: int | None = None) -> PackFindings:
    return PackFindings(
        pack="mine", version="1", seed=0, limit=limit, toolchain="t", sandbox="bwrap", proofs=True, problems=problems
    )


def test_what_is_equivalent_undecided_or_not_compiled_does_not_count() -> None:
    uncounted = (MutantStatus.EQUIVALENT, MutantStatus.UNDECIDED, MutantStatus.NOT_COMPILED)
    findings = [
        mutant_finding(MutantStatus.KILLED),
        mutant_finding(MutantStatus.SURVIVED),
        *map(mutant_finding, uncounted),
    ]
    assert (rate_of_kills(findings).killed.count, rate_of_kills(findings).killed.total) == (1, 2)


def test_what_can_differ_by_scheduling_alone_does_not_count() -> None:
    findings = [
        mutant_finding(MutantStatus.KILLED),
        mutant_finding(MutantStatus.SURVIVED, is_scored=False),
        mutant_finding(MutantStatus.KILLED, is_scored=False),
    ]
    assert (rate_of_kills(findings).killed.count, rate_of_kills(findings).killed.total) == (1, 1)


def test_a_timeout_counts_as_killed_and_is_counted_apart() -> None:
    findings = [
        mutant_finding(MutantStatus.KILLED, reason=Reason.TIMEOUT),
        mutant_finding(MutantStatus.KILLED, reason=Reason.TESTS_FAILED),
    ]
    assert (rate_of_kills(findings).killed.count, rate_of_kills(findings).timeouts) == (2, 1)


def test_the_interval_is_wilsons() -> None:
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", method 3: 81 of 263.
    findings = [mutant_finding(MutantStatus.KILLED)] * 81 + [mutant_finding(MutantStatus.SURVIVED)] * 182
    assert rate_of_kills(findings).killed.low == pytest.approx(0.2553, abs=5e-5)
    assert rate_of_kills(findings).killed.high == pytest.approx(0.3662, abs=5e-5)


def test_of_nothing_there_is_no_rate() -> None:
    assert rate_of_kills([]).killed.value is None
    assert kill_rate_by_group([mutant_finding(MutantStatus.EQUIVALENT)], mutant_kind) == {}


def test_the_kind_that_survives_most_comes_first() -> None:
    findings = [
        mutant_finding(MutantStatus.KILLED, kind="edge"),
        mutant_finding(MutantStatus.SURVIVED, kind="boundary"),
    ]
    assert list(kill_rate_by_group(findings, mutant_kind)) == ["boundary", "edge"]


def test_the_weakest_harness_comes_first_and_what_was_left_out_has_its_reason() -> None:
    strong = ProblemFindings(id="strong", findings=(mutant_finding(MutantStatus.KILLED),))
    weak = ProblemFindings(id="weak", findings=(mutant_finding(MutantStatus.SURVIVED),))
    absent = ProblemFindings(id="absent", left_out="The reference does not pass: failed: x")
    report = pack_findings(strong, weak, absent)
    assert [problem.id for problem in problems_weakest_first(report)] == ["weak", "strong"]
    text = mutation_report_markdown(report)
    assert text.index("| weak |") < text.index("| strong |")
    assert "| absent | The reference does not pass: failed: x |" in text


def test_a_survivor_is_shown_as_a_diff_with_the_inputs_for_which_it_differs() -> None:
    example = Counterexample(cycle=1, stimulus=({"rst": 1, "d": 255}, {"rst": 0, "d": 16}))
    survivor = mutant_finding(MutantStatus.SURVIVED, line=7, example=example, diff="--- a/rtl/a.sv\n-a\n+b\n")
    text = mutation_report_markdown(pack_findings(ProblemFindings(id="p", findings=(survivor,))))
    assert "`abc` boundary, rtl/a.sv:7: a comparison off by one" in text
    assert "```diff\n--- a/rtl/a.sv\n-a\n+b\n```" in text
    assert "It differs in cycle 1" in text
    assert "| 1 | 0x0 | 0x10 |" in text


def test_a_survivor_that_differs_with_other_parameters_is_shown_with_them() -> None:
    example = Counterexample(cycle=4, stimulus=({"d": 1},), parameters={"WIDTH": 3, "DEPTH": 2})
    text = mutation_report_markdown(
        pack_findings(ProblemFindings(id="p", findings=(mutant_finding(MutantStatus.SURVIVED, example=example),)))
    )
    assert "It differs in cycle 4 with WIDTH = 3, DEPTH = 2:" in text


def test_a_diff_can_not_end_its_block() -> None:
    text = mutation_report_markdown(
        pack_findings(
            ProblemFindings(id="p", findings=(mutant_finding(MutantStatus.SURVIVED, diff="-// ```\n+# heading\n"),))
        )
    )
    assert "````diff\n-// ```\n+# heading\n````" in text


def test_the_page_about_weak_tests_names_every_kind() -> None:
    kind_names = re.findall(r"^\| `([a-z-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert kind_names == [kind.name for kind in KINDS]


def test_a_report_that_was_written_is_read_again() -> None:
    report = pack_findings(
        ProblemFindings(id="p", findings=(mutant_finding(MutantStatus.SURVIVED, reason=Reason.PASSED),)), limit=3
    )
    assert PackFindings.model_validate_json(report.model_dump_json()) == report
