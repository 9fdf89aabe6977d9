"""The details of a check, for `benchwright problems check --report`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from benchwright_foundation.atomic import write_atomically
from benchwright_harness.grading.two_sided import ProofSide, TwoSidedProof
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import RunUsage, Verdict
from benchwright_server.cli.terminal.output import err, explain_unwritable
from benchwright_server.errors import ServerError


def category_or_question_format(problem: Problem) -> str:
    """CVDP's category of a design, or the format of a question."""
    question = problem.public.question
    return problem.category.value if problem.category else question.format.value if question else ""


def write_report(
    json_file: Path,
    pack: str,
    proof_rows: Sequence[tuple[Problem, TwoSidedProof]],
    sandbox: Sandbox,
    toolchain: Toolchain,
) -> None:
    """Write what each problem needed and took, as JSON and as a table for people.

    Args:
        json_file: File for the JSON; the table is beside it.
        pack: Name of the pack that was checked.
        proof_rows: Each problem with what is known of it.
        sandbox: The sandbox in which it ran.
        toolchain: The tools that it ran with.

    Raises:
        ServerError: The file can't be written.
    """
    details: list[JsonValue] = [_proof_json(*row) for row in proof_rows]
    report_content = {
        "pack": pack,
        "toolchain": toolchain.digest,
        "sandbox": {"name": sandbox.name, "digest": sandbox.digest},
        "total": len(proof_rows),
        "ok": sum(two_sided.is_proved for _, two_sided in proof_rows),
        "problems": details,
    }
    lines = [
        f"# {pack}: {report_content['ok']} of {len(proof_rows)} proved from both sides",
        "",
        "| problem | proved | tools | chosen | seconds | processor s | memory MB | folder kB | why |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_markdown_row(*row) for row in proof_rows),
        "",
    ]
    table = json_file.with_suffix(".md")
    if table == json_file:
        raise ServerError(f"{json_file} is for JSON; give a name that does not end in .md.")
    with explain_unwritable(json_file):
        write_atomically(json_file.absolute(), (json.dumps(report_content, indent=2) + "\n").encode())
        write_atomically(table.absolute(), "\n".join(lines).encode())
    err.print(f"Details in {json_file}, a table in {table}.")


def _proof_json(problem: Problem, two_sided: TwoSidedProof) -> dict[str, JsonValue]:
    verdicts = two_sided.verdict_by_side
    sides_json: dict[str, JsonValue] = {
        side.value: _verdict_json(verdicts[side]) if side in verdicts else None for side in ProofSide
    }
    return {
        "id": problem.id,
        "category": category_or_question_format(problem),
        "ok": two_sided.is_proved,
        "proof": two_sided.proof_state.value,
        "reason": two_sided.reason,
        "weak": two_sided.passes_without_solution,
        "tools": list(two_sided.tools),
        "versions": dict(two_sided.reference.tools),
        "selection": None if two_sided.selection is None else two_sided.selection.model_dump(mode="json"),
        "wall_s": two_sided.wall_s,
        "unsolved_limit_s": two_sided.limit_s,
        "tests_ran": two_sided.most_tests_run,
        "sides": sides_json,
    }


def _verdict_json(verdict: Verdict) -> dict[str, JsonValue]:
    return {
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value,
        "detail": verdict.detail,
        "tests": {"passed": verdict.passed_tests, "total": len(verdict.tests)},
        "wall_s": verdict.wall_s,
        **(RunUsage() if verdict.usage is None else verdict.usage).model_dump(mode="json"),
        "remarks": list(verdict.remarks),
    }


def _markdown_row(problem: Problem, two_sided: TwoSidedProof) -> str:
    selection_reason = two_sided.selection.reason if two_sided.selection else ""
    usage = two_sided.reference.usage
    size = f"{usage.folder_bytes / 1000:.0f}" if usage else ""
    memory = f"{usage.memory_bytes / 1e6:.0f}" if usage and usage.memory_bytes is not None else ""
    cpu = f"{usage.cpu_s:.2f}" if usage and usage.cpu_s is not None else ""
    line_cells = (
        *(problem.id, "yes" if two_sided.is_proved else "no", ", ".join(two_sided.tools), selection_reason),
        *(f"{two_sided.wall_s:.2f}", cpu, memory, size, two_sided.reason),
    )
    return f"| {' | '.join(' '.join(cell.replace('|', '/').split()) for cell in line_cells)} |"
