"""An analysis as a page for people: the weakest harness first, then each survivor as a diff."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchwright_authoring.mutation.catalogue import KINDS
from benchwright_authoring.mutation.findings import Counterexample, Finding, PackFindings, ProblemFindings, Status
from benchwright_authoring.mutation.rates import Rate, kind_of, line_of, rate, rates_by, weakest_first

_MOST_LINES = 10
_WHAT = {kind.name: kind.what for kind in KINDS}


def page(found: PackFindings) -> str:
    """The analysis as Markdown. It quotes references: whoever reads it sees what solvers must not."""
    total = rate(found.findings)
    return "\n".join(
        [
            f"# Mutants of {found.pack} {found.version}",
            "",
            f"Killed: {share_of(total)}, 95 % interval {interval_of(total)}; {total.timeouts} of them by a timeout.",
            _what_counts(found),
            "",
            *_problems(weakest_first(found)),
            *_left_out(found.problems),
            "## By kind",
            "",
            *_rates("kind", rates_by(found.findings, kind_of), _WHAT),
            "## Survivors",
            "",
            *(line for problem in weakest_first(found) for line in _survivors(problem)),
        ]
    )


def share_of(one: Rate) -> str:
    """Killed mutants among those that count, such as `95 % (19 of 20)`."""
    killed = one.killed
    return "none" if killed.value is None else f"{100 * killed.value:.1f} % ({killed.count} of {killed.total})"


def interval_of(one: Rate) -> str:
    """The 95 % interval, such as `76.4–99.1 %`."""
    low, high = one.killed.low, one.killed.high
    return "" if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f} %"


def _what_counts(found: PackFindings) -> str:
    proofs = (
        "Those that are proved equivalent to the reference do not count."
        if found.proofs
        else "Survivors were not compared with the reference: those that are equivalent to it count as survivors."
    )
    tried = "All mutants" if found.limit is None else f"At most {found.limit} mutants of each problem"
    return f"{proofs} {tried} were tried, with seed {found.seed}. Intervals are Wilson's."


def _problems(problems: Sequence[ProblemFindings]) -> Iterator[str]:
    yield from _table(
        (
            *("problem", "killed", "interval", "timeouts", "survived"),
            *("equivalent", "not compiled", "undecided", "possible"),
        ),
        (
            (
                *(one.id, share_of(killed), interval_of(killed), str(killed.timeouts), str(len(one.survivors))),
                *(str(one.count(status)) for status in (Status.EQUIVALENT, Status.NOT_COMPILED, Status.UNDECIDED)),
                str(one.possible),
            )
            for one, killed in ((one, rate(one.findings)) for one in problems)
        ),
    )


def _left_out(problems: Iterable[ProblemFindings]) -> Iterator[str]:
    if left_out := [(one.id, one.left_out) for one in problems if one.left_out]:
        yield from ("## Left out", "")
        yield from _table(("problem", "why"), left_out)


def _rates(of: str, rates: Mapping[str, Rate], what: Mapping[str, str]) -> Iterator[str]:
    rows = ((name, what.get(name, ""), share_of(one), interval_of(one)) for name, one in rates.items())
    yield from _table((of, "fault", "killed", "interval"), rows)


def _survivors(problem: ProblemFindings) -> Iterator[str]:
    unscored = [one for one in problem.findings if one.status is Status.SURVIVED and not one.is_scored]
    if not problem.survivors and not unscored:
        return
    yield from (f"### {problem.id}", "")
    by_line = rates_by(problem.findings, line_of).items()
    if weak := [(line, one) for line, one in by_line if one.killed.count < one.killed.total]:
        rows = ((line, share_of(one), interval_of(one)) for line, one in weak[:_MOST_LINES])
        yield from _table(("line", "killed", "interval"), rows)
    for finding in problem.survivors:
        yield from _survivor(finding)
    if unscored:
        lines = ", ".join(dict.fromkeys(map(line_of, unscored)))
        yield from (f"Not scored, can differ by scheduling only: {len(unscored)} mutants, {lines}.", "")


def _survivor(finding: Finding) -> Iterator[str]:
    mutant = finding.mutant
    yield from (f"`{mutant.id}` {mutant.kind}, {line_of(finding)}: {_WHAT.get(mutant.kind, '')}", "")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", finding.diff)), default=2))
    yield from (f"{ticks}diff", finding.diff.rstrip("\n"), ticks, "")
    if finding.counterexample is not None:
        yield from (f"It differs {finding.counterexample.when}:", "")
        yield from _trace(finding.counterexample)
    elif finding.note:
        yield from (f"Not proved: {_cell(finding.note)}.", "")


def _trace(example: Counterexample) -> Iterator[str]:
    inputs = list(dict.fromkeys(name for cycle in example.stimulus for name in cycle))
    rows = (
        (str(number), *(f"{cycle[name]:#x}" if name in cycle else "" for name in inputs))
        for number, cycle in enumerate(example.stimulus)
    )
    yield from _table(("cycle", *inputs), rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_cell, columns))} |"
    yield f"| {' | '.join('---' for _ in columns)} |"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
