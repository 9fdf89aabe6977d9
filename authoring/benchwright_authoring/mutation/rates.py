"""Kill rates of mutants: of a harness, by kind and by line. Imports NumPy: load it when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchwright_authoring.mutation.findings import MutantFinding, MutantStatus, PackFindings, ProblemFindings
from benchwright_foundation.model import Model
from benchwright_judges.agreement.estimators import Share, wilson_share
from benchwright_problems.verdict import Reason


class KillRate(Model):
    """Killed mutants among those that are scored, compile, are decided, and are not proved equivalent."""

    killed: Share
    """With Wilson's 95 % interval."""
    timeouts: int
    """Those among the killed that reached their limit of time."""


def _killed_share_or_one(killed: Share) -> float:
    return 1.0 if killed.value is None else killed.value


def rate_of_kills(findings: Iterable[MutantFinding]) -> KillRate:
    """The kill rate of mutants; those that are not scored, not decided, not compiled or equivalent do not count."""
    scored = [finding for finding in findings if finding.is_scored]
    killed = [finding for finding in scored if finding.status is MutantStatus.KILLED]
    survived = sum(finding.status is MutantStatus.SURVIVED for finding in scored)
    timeouts = sum(finding.reason is Reason.TIMEOUT for finding in killed)
    return KillRate(killed=wilson_share(len(killed), len(killed) + survived), timeouts=timeouts)


def kill_rate_by_group(
    findings: Iterable[MutantFinding], group_name_of: Callable[[MutantFinding], str]
) -> dict[str, KillRate]:
    """The kill rate of each group of mutants, the lowest first; groups in which none counts are absent."""
    groups: dict[str, list[MutantFinding]] = {}
    for finding in findings:
        groups.setdefault(group_name_of(finding), []).append(finding)
    rates = {name: rate_of_kills(group) for name, group in groups.items()}
    decided_rates = {name: group_rate for name, group_rate in rates.items() if group_rate.killed.total}
    return dict(
        sorted(
            decided_rates.items(), key=lambda named_rate: (_killed_share_or_one(named_rate[1].killed), named_rate[0])
        )
    )


def mutant_kind(finding: MutantFinding) -> str:
    """The group of a mutant by its kind."""
    return finding.mutant.kind


def mutant_path_and_line(finding: MutantFinding) -> str:
    """The group of a mutant by its line, `rtl/top.sv:12`."""
    return f"{finding.mutant.path}:{finding.mutant.line}"


def problems_weakest_first(pack_findings: PackFindings) -> list[ProblemFindings]:
    """The problems that were tried, by the share that is killed; among equals the one with more survivors first."""
    tried_problems = [problem for problem in pack_findings.problems if not problem.left_out]
    return sorted(
        tried_problems,
        key=lambda problem: (
            _killed_share_or_one(rate_of_kills(problem.findings).killed),
            -len(problem.survivors),
            problem.id,
        ),
    )
