"""`benchwright problems filter`: the problems of a pack that passed their audit."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import percent
from benchwright_judges.agreement.quality_rule import THRESHOLD, QualityRule
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.pack_records import EXPORTABLE_PACKS_IN_WORDS, original_record, write_records
from benchwright_server.cli.terminal.options import Json, RecordsFile
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # The client library takes most of a second to import.
    from benchwright_judges.agreement.audit import JudgesAudit


def filter_pack(
    pack: Annotated[str, typer.Argument(help="A pack that was imported and audited.")],
    file: RecordsFile,
    report: Annotated[
        Path | None, typer.Option(help="Written as CSV, a row for each problem; FILE-audit.csv if not given.")
    ] = None,
    rule: Annotated[
        QualityRule, typer.Option(help="What has to reach 8.0: each aspect's mean, or the mean of all aspects.")
    ] = QualityRule.EVERY_ASPECT,
    json_output: Json = False,
) -> None:
    """Write the problems of a pack that passed `problems audit`, in the format they were imported from.

    The CSV file says of each problem whether it was kept, its points, and why it was dropped. It quotes the judges, who
    saw the hidden parts.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright problems filter`", "judges"):
        audits = _require_current_audits(pack)
        store = Store(Home.from_environment())
        kept_problems = [audit.problem for audit in audits if audit.passes_threshold(rule)]
        category_by_problem = {
            f"{pack}/{problem.id}": problem.category.value if problem.category is not None else ""
            for problem in store.public_pack(pack).problems
        }
        audit_csv = report or file.with_name(f"{file.stem}-audit.csv")
        if audit_csv.absolute() == file.absolute():
            raise ServerError(f"--report and FILE are both {file}; give the report another name.")
        write_records(map(store.unseal, kept_problems), file, original_record, EXPORTABLE_PACKS_IN_WORDS)
        with explain_unwritable(audit_csv):
            write_atomically(audit_csv.absolute(), _audits_csv(audits, rule, category_by_problem).encode(), 0o600)
    dropped = [audit.problem for audit in audits if audit.problem not in kept_problems]
    counts_by_category = _dropped_and_all_counts_by_category(category_by_problem, dropped)
    if json_output:
        print_json(
            {
                "rule": rule.value,
                "kept": kept_problems,
                "dropped": dropped,
                "by_category": {
                    category: {"problems": total, "dropped": count}
                    for category, (count, total) in counts_by_category.items()
                },
                "file": str(file),
                "report": str(audit_csv),
            }
        )
        return
    category_table = TerminalTable("category", "problems", "dropped", "share dropped")
    for category, (count, total) in counts_by_category.items():
        category_table.add_row(category or "none", str(total), str(count), percent(count / total))
    category_table.print_rows()
    console.print(f"{len(kept_problems)} of {len(audits)} problems written to {file}.", markup=False, soft_wrap=True)
    console.print(
        f"{len(dropped)} dropped: below {THRESHOLD:.1f} {rule.requirement}; the reasons are in {audit_csv}.",
        markup=False,
        soft_wrap=True,
    )


def _dropped_and_all_counts_by_category(
    category_by_problem: Mapping[str, str], dropped_problem_refs: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Category → dropped problems, and all; all together last, if there are several."""
    totals = Counter(category_by_problem.values())
    dropped_counts = Counter(category_by_problem[problem] for problem in dropped_problem_refs)
    counts_by_category = {category: (dropped_counts[category], totals[category]) for category in sorted(totals)}
    return counts_by_category | (
        {"all": (len(dropped_problem_refs), len(category_by_problem))} if len(counts_by_category) > 1 else {}
    )


def _require_current_audits(pack_name: str) -> list[JudgesAudit]:
    """The audits of a pack's problems.

    Raises:
        ServerError: Some have none of their present version: nothing was found wrong with them.
    """
    from benchwright_judges.agreement.audit import AuditStore

    home = Home.from_environment()
    store, stored_audits = Store(home), AuditStore(home)
    refs = [f"{pack_name}/{problem.id}" for problem in store.public_pack(pack_name).problems]
    problem_audits = [(ref, stored_audits.find_current_audit(ref, store.unseal(ref))) for ref in refs]
    audits = [audit for _, audit in problem_audits if audit is not None]
    if missing := [ref for ref, audit in problem_audits if audit is None]:
        raise ServerError(
            f"{len(missing)} of {len(refs)} problems have no review of their present version, such as {missing[0]}."
            f" Run `benchwright problems audit {pack_name}` first."
        )
    return audits


def _audits_csv(audits: Sequence[JudgesAudit], rule: QualityRule, category_by_problem: Mapping[str, str]) -> str:
    from benchwright_judges.agreement.audit import Aspect

    buffer = StringIO()
    csv_writer = csv.writer(buffer, lineterminator="\n")
    aspects = [aspect.value for aspect in Aspect]
    csv_writer.writerow(["problem", "kept", *aspects, "judges", "rubric", "reason", "category", "rule", "aggregate"])
    for audit in audits:
        points = [f"{audit.mean_points_by_aspect[aspect]:.2f}" for aspect in Aspect]
        judges = "; ".join(review.judge for review in audit.reviews if review.findings)
        is_kept = audit.passes_threshold(rule)
        csv_writer.writerow(
            [
                audit.problem,
                "yes" if is_kept else "no",
                *points,
                judges,
                audit.rubric,
                "" if is_kept else _low_points_text(audit, rule),
                category_by_problem[audit.problem],
                rule.value,
                f"{audit.aggregate_points:.2f}",
            ]
        )
    return buffer.getvalue()


def _low_points_text(audit: JudgesAudit, rule: QualityRule) -> str:
    from benchwright_judges.models.prompt import escape_hidden_characters

    low = [
        f"{aspect.value} {points:.2f} is below {THRESHOLD:.1f}: "
        + " / ".join(
            f"{review.judge}: {review.findings[aspect].finding}" for review in audit.reviews if review.findings
        )
        for aspect, points in audit.mean_points_by_aspect.items()
        if points < THRESHOLD
    ]
    if rule is QualityRule.AGGREGATE:
        low.insert(0, f"the mean of all aspects, {audit.aggregate_points:.2f}, is below {THRESHOLD:.1f}")
    return escape_hidden_characters("; ".join(low))
