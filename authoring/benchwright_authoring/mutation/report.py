"""An analysis as a page for people: the weakest harness first, then each survivor as a diff."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchwright_authoring.mutation.catalogue import KINDS
from benchwright_authoring.mutation.findings import (
    Counterexample,
    MutantFinding,
    MutantStatus,
    PackFindings,
    ProblemFindings,
)
from benchwright_authoring.mutation.rates import (
    KillRate,
    kill_rate_by_group,
    mutant_kind,
    mutant_path_and_line,
    problems_weakest_first,
    rate_of_kills,
)
from benchwright_foundation.number_text import percent

_MOST_LINES = 10
_WHAT = {kind.name: kind.effect for kind in KINDS}


def mutation_report_markdown(pack_findings: PackFindings) -> str:
    """The analysis as Markdown. It quotes references: whoever reads it sees what solvers must not."""
    total = rate_of_kills(pack_findings.findings)
    return "\n".join(
        [
            f"# Mutants of {pack_findings.pack} {pack_findings.version}",
            "",
            f"Killed: {killed_share_text(total)}, 95 % interval {interval_text(total)};"
            f" {total.timeouts} of them by a timeout.",
            _sentence_on_what_counts(pack_findings),
            "",
            *_problem_lines(problems_weakest_first(pack_findings)),
            *_left_out_lines(pack_findings.problems),
            "## By kind",
            "",
            *_rate_lines("kind", kill_rate_by_group(pack_findings.findings, mutant_kind), _WHAT),
            "## Survivors",
            "",
            *(line for problem in problems_weakest_first(pack_findings) for line in _survivor_section_lines(problem)),
        ]
    )


def killed_share_text(kill_rate: KillRate) -> str:
    """Killed mutants among those that count, such as `95 % (19 of 20)`."""
    killed = kill_rate.killed
    return "none" if killed.value is None else f"{percent(killed.value)} ({killed.count} of {killed.total})"


def interval_text(kill_rate: KillRate) -> str:
    """The 95 % interval, such as `76.4–99.1 %`."""
    low, high = kill_rate.killed.low, kill_rate.killed.high
    return "" if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f} %"


def _sentence_on_what_counts(pack_findings: PackFindings) -> str:
    proofs = (
        "Those that are proved equivalent to the reference do not count."
        if pack_findings.proofs
        else "Survivors were not compared with the reference: those that are equivalent to it count as survivors."
    )
    tried_phrase = (
        "All mutants" if pack_findings.limit is None else f"At most {pack_findings.limit} mutants of each problem"
    )
    return f"{proofs} {tried_phrase} were tried, with seed {pack_findings.seed}. Intervals are Wilson's."


def _problem_lines(problems: Sequence[ProblemFindings]) -> Iterator[str]:
    yield from _table_lines(
        (
            *("problem", "killed", "interval", "timeouts", "survived"),
            *("equivalent", "not compiled", "undecided", "possible"),
        ),
        (
            (
                *(
                    problem.id,
                    killed_share_text(killed),
                    interval_text(killed),
                    str(killed.timeouts),
                    str(len(problem.survivors)),
                ),
                *(
                    str(problem.scored_count(status))
                    for status in (MutantStatus.EQUIVALENT, MutantStatus.NOT_COMPILED, MutantStatus.UNDECIDED)
                ),
                str(problem.possible),
            )
            for problem, killed in ((problem, rate_of_kills(problem.findings)) for problem in problems)
        ),
    )


def _left_out_lines(problems: Iterable[ProblemFindings]) -> Iterator[str]:
    if left_out := [(problem.id, problem.left_out) for problem in problems if problem.left_out]:
        yield from ("## Left out", "")
        yield from _table_lines(("problem", "why"), left_out)


def _rate_lines(
    group_title: str, rate_by_group: Mapping[str, KillRate], description_by_group: Mapping[str, str]
) -> Iterator[str]:
    rate_rows = (
        (name, description_by_group.get(name, ""), killed_share_text(kill_rate), interval_text(kill_rate))
        for name, kill_rate in rate_by_group.items()
    )
    yield from _table_lines((group_title, "fault", "killed", "interval"), rate_rows)


def _survivor_section_lines(problem: ProblemFindings) -> Iterator[str]:
    unscored = [
        finding for finding in problem.findings if finding.status is MutantStatus.SURVIVED and not finding.is_scored
    ]
    if not problem.survivors and not unscored:
        return
    yield from (f"### {problem.id}", "")
    by_line = kill_rate_by_group(problem.findings, mutant_path_and_line).items()
    if weak := [(line, kill_rate) for line, kill_rate in by_line if kill_rate.killed.count < kill_rate.killed.total]:
        line_rows = (
            (line, killed_share_text(kill_rate), interval_text(kill_rate)) for line, kill_rate in weak[:_MOST_LINES]
        )
        yield from _table_lines(("line", "killed", "interval"), line_rows)
    for finding in problem.survivors:
        yield from _survivor_lines(finding)
    if unscored:
        lines = ", ".join(dict.fromkeys(map(mutant_path_and_line, unscored)))
        yield from (f"Not scored, can differ by scheduling only: {len(unscored)} mutants, {lines}.", "")


def _survivor_lines(finding: MutantFinding) -> Iterator[str]:
    mutant = finding.mutant
    yield from (f"`{mutant.id}` {mutant.kind}, {mutant_path_and_line(finding)}: {_WHAT.get(mutant.kind, '')}", "")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", finding.diff)), default=2))
    yield from (f"{ticks}diff", finding.diff.rstrip("\n"), ticks, "")
    if finding.counterexample is not None:
        yield from (f"It differs {finding.counterexample.cycle_and_parameters_text}:", "")
        yield from _trace_lines(finding.counterexample)
    elif finding.note:
        yield from (f"Not proved: {_table_cell(finding.note)}.", "")


def _trace_lines(counterexample: Counterexample) -> Iterator[str]:
    inputs = list(dict.fromkeys(name for cycle in counterexample.stimulus for name in cycle))
    rows = (
        (str(number), *(f"{cycle[name]:#x}" if name in cycle else "" for name in inputs))
        for number, cycle in enumerate(counterexample.stimulus)
    )
    yield from _table_lines(("cycle", *inputs), rows)


def _table_lines(column_titles: Sequence[str], table_rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_table_cell, column_titles))} |"
    yield f"| {' | '.join('---' for _ in column_titles)} |"
    for row in table_rows:
        yield f"| {' | '.join(map(_table_cell, row))} |"
    yield ""


def _table_cell(cell_text: str) -> str:
    return " ".join(cell_text.replace("|", "\\|").split())
