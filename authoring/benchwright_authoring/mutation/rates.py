"""Kill rates of mutants: of a harness, by kind and by line. Imports NumPy: load it when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchwright_authoring.mutation.findings import Finding, PackFindings, ProblemFindings, Status
from benchwright_foundation.model import Model
from benchwright_judges.agreement.estimators import Share, share
from benchwright_problems.verdict import Reason


class Rate(Model):
    """Killed mutants among those that are scored, compile, are decided, and are not proved equivalent."""

    killed: Share
    """With Wilson's 95 % interval."""
    timeouts: int
    """Those among the killed that reached their limit of time."""


def _value(killed: Share) -> float:
    return 1.0 if killed.value is None else killed.value


def rate(findings: Iterable[Finding]) -> Rate:
    """The kill rate of mutants; those that are not scored, not decided, not compiled or equivalent do not count."""
    scored = [finding for finding in findings if finding.is_scored]
    killed = [finding for finding in scored if finding.status is Status.KILLED]
    survived = sum(finding.status is Status.SURVIVED for finding in scored)
    timeouts = sum(finding.reason is Reason.TIMEOUT for finding in killed)
    return Rate(killed=share(len(killed), len(killed) + survived), timeouts=timeouts)


def rates_by(findings: Iterable[Finding], key: Callable[[Finding], str]) -> dict[str, Rate]:
    """The kill rate of each group of mutants, the lowest first; groups in which none counts are absent."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(key(finding), []).append(finding)
    rates = {name: rate(group) for name, group in groups.items()}
    decided = {name: group_rate for name, group_rate in rates.items() if group_rate.killed.total}
    return dict(sorted(decided.items(), key=lambda item: (_value(item[1].killed), item[0])))


def kind_of(finding: Finding) -> str:
    """The group of a mutant by its kind."""
    return finding.mutant.kind


def line_of(finding: Finding) -> str:
    """The group of a mutant by its line, `rtl/top.sv:12`."""
    return f"{finding.mutant.path}:{finding.mutant.line}"


def weakest_first(pack_findings: PackFindings) -> list[ProblemFindings]:
    """The problems that were tried, by the share that is killed; among equals the one with more survivors first."""
    tried = [problem for problem in pack_findings.problems if not problem.left_out]
    return sorted(
        tried, key=lambda problem: (_value(rate(problem.findings).killed), -len(problem.survivors), problem.id)
    )
