"""`benchwright problems audit`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_judges.agreement.quality_rule import THRESHOLD, QualityRule
from benchwright_problems.storage.store import Store
from benchwright_server.cli.terminal.options import Budget, Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # The client library takes most of a second to import.
    from benchwright_judges.agreement.audit import JudgesAudit


def audit_command(
    pack: Annotated[str, typer.Argument(help="The pack to review.")],
    is_repeated: Annotated[bool, typer.Option("--again", help="Review again what was reviewed already.")] = False,
    findings: Annotated[
        bool, typer.Option("--findings", help="Show the judges' findings; they may quote hidden parts.")
    ] = False,
    rule: Annotated[
        QualityRule, typer.Option(help="What has to reach 8.0: each aspect's mean, or the mean of all aspects.")
    ] = QualityRule.EVERY_ASPECT,
    budget: Budget = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Problems at a time.")] = 4,
    json_output: Json = False,
) -> None:
    """Have the model judges rate problems for ambiguity, consistency, category and behaviour, 1 to 10 each.

    Exit status: 0 every problem reaches 8.0 by the rule, 1 some do not, 2 some could not be decided.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright problems audit`", "judges"):
        from benchwright_judges.agreement.audit import Aspect

        audits = asyncio.run(_audit_pack(pack, is_repeated, budget, jobs))
    if json_output:
        excluded_fields = {"reviews": {"__all__": set() if findings else {"findings"}}}
        print_json(
            [
                audit.model_dump(mode="json", exclude=excluded_fields) | _points_and_passed(audit, rule)
                for audit in audits
            ]
        )
    else:
        table = TerminalTable("problem", *(aspect.value for aspect in Aspect), "aggregate", "")
        for audit in audits:
            points = [
                f"{audit.mean_points_by_aspect[aspect]:.1f}" if audit.mean_points_by_aspect else "-"
                for aspect in Aspect
            ]
            points.append("-" if audit.aggregate_points is None else f"{audit.aggregate_points:.2f}")
            failures = "; ".join(f"{review.judge}: {review.error}" for review in audit.reviews if review.error)
            mark = {True: ("✓", "green"), False: ("✗ below 8.0", "red"), None: ("? no review", "yellow")}[
                audit.passes_threshold(rule)
            ]
            table.add_row(audit.problem, *points, Text.assemble(mark, " " * bool(failures), failures))
            if findings:
                _add_finding_rows(audit, table)
        table.print_rows()
        good = sum(audit.passes_threshold(rule) is True for audit in audits)
        console.print(f"{good} of {len(audits)} problems reach {THRESHOLD:.1f} {rule.requirement}.")
    if any(audit.passes_threshold(rule) is None for audit in audits):
        raise typer.Exit(2)
    raise typer.Exit(0 if all(audit.passes_threshold(rule) for audit in audits) else 1)


def _add_finding_rows(audit: JudgesAudit, table: TerminalTable) -> None:
    from benchwright_judges.models.prompt import escape_hidden_characters

    for review in audit.reviews:
        for aspect, finding in review.findings.items():
            table.add_row(
                f"by {review.judge}, {aspect.value}",
                *("",) * 5,
                escape_hidden_characters(f"{finding.points}: {finding.finding}"),
            )


def _points_and_passed(audit: JudgesAudit, rule: QualityRule) -> dict[str, object]:
    return {
        "points": {aspect.value: value for aspect, value in audit.mean_points_by_aspect.items()},
        "aggregate": audit.aggregate_points,
        "rule": rule.value,
        "passed": audit.passes_threshold(rule),
    }


async def _audit_pack(pack: str, is_repeated: bool, budget_usd: float | None, jobs: int) -> list[JudgesAudit]:
    from benchwright_judges.agreement.audit import AuditStore, audit_problem
    from benchwright_judges.models.budget import JudgingBudget, OutOfBudgetError
    from benchwright_judges.models.configuration import open_all_endpoints, read_settings

    home = Home.from_environment()
    store, stored_audits = Store(home), AuditStore(home)
    refs = [f"{pack}/{problem.id}" for problem in store.public_pack(pack).problems]
    settings = read_settings()
    endpoints = await asyncio.to_thread(open_all_endpoints, settings)
    if not endpoints or settings.offline:
        raise ServerError("No model judge is available. docs/how-to/judges.md shows how to set one up.")
    spending = JudgingBudget(settings.budget_usd if budget_usd is None else budget_usd)
    turn = asyncio.Semaphore(jobs)
    with progress("reviewing", len(refs), "problems") as meter:

        async def audit(ref: str) -> JudgesAudit | None:
            async with turn:
                problem = await asyncio.to_thread(store.unseal, ref)
                problem_audit = (
                    None if is_repeated else await asyncio.to_thread(stored_audits.find_current_audit, ref, problem)
                )
                if problem_audit is None:
                    try:
                        problem_audit = await audit_problem(ref, problem, endpoints, spending)
                    except OutOfBudgetError:
                        return None
                    if problem_audit.mean_points_by_aspect:
                        await asyncio.to_thread(stored_audits.keep_audit, problem_audit)
                meter.advance()
                return problem_audit

        try:
            audits = [
                problem_audit
                for problem_audit in await asyncio.gather(*(audit(ref) for ref in refs))
                if problem_audit is not None
            ]
        finally:
            for endpoint in endpoints:
                await endpoint.close()
    if len(audits) < len(refs):
        unreviewed_count = len(refs) - len(audits)
        err.print(
            f"The budget is used up: {unreviewed_count} problems were not reviewed. Run again with a larger --budget."
        )
    return audits
