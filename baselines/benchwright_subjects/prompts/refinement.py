"""Statements of problems as a model has refined them, asked beside the originals (CVDP, arXiv:2506.14074, Appendix D).

A model sees the public part alone. What it writes is a file of its own; no problem changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.file_text import sha256
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem
from benchwright_subjects.evaluation.prompt_lines import write_json_lines
from benchwright_subjects.prompts.prompt import ModelPrompt, full_statement, given_files_text, parts_with_figures
from benchwright_subjects.samples import problem_dataset

_EDITOR = "You are an experienced hardware designer and edit problem statements so that they can be solved as they are."
_TASK = (
    "Rewrite the statement so that a designer who has nothing else can do what it asks: put it in order, resolve"
    " what is ambiguous where the statement or the given files decide it, and write out what is only implied. Keep"
    " every name, port, width, number and file path as it is, and everything that is required. Require nothing"
    " new: where nothing decides, leave it open. Don't solve the problem, and don't give hints on how to. Reply"
    " with the new statement as Markdown, with nothing before or after it."
)
PROMPT_SHA256 = sha256(f"{_EDITOR}\n{_TASK}".encode())
SUFFIX = " (refined)"
"""Follows the problem's name in the id of a sample with a refined statement."""


@dataclass(frozen=True)
class RefinedStatement:
    """One line of the file."""

    id: str
    """Of the problem."""
    problem_sha256: str
    """Of the version that was refined."""
    model: str
    """Name of the model that refined it."""
    prompt_sha256: str
    """Digest of what the model was asked to do."""
    statement: str

    @property
    def facts(self) -> dict[str, JsonValue]:
        """For records: that it was asked, and what exactly."""
        return {
            "statement": "refined",
            "statement_sha256": sha256(self.statement.encode("utf-8", "replace")),
            "refined_by": self.model,
        }

    def with_refined_statement(self, problem: Problem) -> Problem:
        """The problem with this statement, for its prompt alone."""
        return problem.model_copy(update={"public": problem.public.model_copy(update={"statement": self.statement})})


def refinement_prompt(problem: Problem) -> ModelPrompt:
    """The request to a model to refine a problem's statement."""
    request_parts = [f"The statement:\n\n{full_statement(problem)}", given_files_text(problem), _TASK]
    return ModelPrompt(_EDITOR, parts_with_figures("\n\n".join(filter(None, request_parts)), problem.public.figures))


def read_refinements(file: Path, problems: Sequence[Problem], *, skips_outdated: bool) -> dict[str, RefinedStatement]:
    """The refinements in a file, by id of the problem.

    Args:
        file: As `add_refinements_to_file` writes it.
        problems: Problems of which the present version is known.
        skips_outdated: Leave out those of an earlier version, which are refused otherwise.

    Raises:
        DatasetError: Names line and field of the first thing that is wrong.
    """
    problems_by_id = {problem.id: problem for problem in problems}
    refinements: dict[str, RefinedStatement] = {}
    for line, record in read_records(file):
        for field in RefinedStatement.__dataclass_fields__:
            if not isinstance(record.get(field), str) or not str(record[field]).strip():
                raise DatasetError(file, field, "is not a string with text", line)
        refinement = RefinedStatement(**{field: str(record[field]) for field in RefinedStatement.__dataclass_fields__})
        if refinement.id in refinements:
            raise DatasetError(file, "id", f"{refinement.id!r} is there twice", line)
        if refinement.id in problems_by_id and refinement.problem_sha256 != problems_by_id[refinement.id].public_digest:
            if skips_outdated:
                continue
            reason = f"{refinement.id!r} has changed since; refine it again with `benchwright eval refine`"
            raise DatasetError(file, "problem_sha256", reason, line)
        refinements[refinement.id] = refinement
    return refinements


def demand_refined_statements(file: Path, problems: Sequence[Problem]) -> dict[str, RefinedStatement]:
    """The refinement of each of these problems.

    Raises:
        DatasetError: Something in the file is wrong.
        EvaluationError: A problem has none: both variants are compared on the same problems.
    """
    refinements = read_refinements(file, problems, skips_outdated=False)
    if missing := [problem.id for problem in problems if problem.id not in refinements]:
        raise EvaluationError(
            f"{file} has no refined statement for {len(missing)} of {len(problems)} problems, such as {missing[0]}."
            " Run `benchwright eval refine` for them, or name the others with --problem."
        )
    return refinements


def dataset_of_both_variants(
    pack: str,
    problems: Sequence[Problem],
    prompt_for: Callable[[Problem], ModelPrompt],
    refined_by_id: Mapping[str, RefinedStatement],
) -> MemoryDataset:
    """The samples of problems as they are, and with the statements that are refined.

    Args:
        pack: Pack that they come from.
        problems: Public parts.
        prompt_for: Makes the request of each.
        refined_by_id: Refinements by id of the problem.
    """
    samples = list(problem_dataset(pack, problems, prompt_for))
    for sample in problem_dataset(
        pack,
        [
            refined_by_id[problem.id].with_refined_statement(problem)
            for problem in problems
            if problem.id in refined_by_id
        ],
        prompt_for,
    ):
        refinement_facts = refined_by_id[str(sample.id)].facts
        original = next(problem for problem in problems if problem.id == sample.id)
        sample.metadata = {**(sample.metadata or {}), **refinement_facts, "problem_sha256": original.public_digest}
        sample.id = f"{sample.id}{SUFFIX}"
        samples.append(sample)
    return MemoryDataset(samples, name=pack)


def add_refinements_to_file(
    eval_log: EvalLog, file: Path, problems: Sequence[Problem], existing_by_id: Mapping[str, RefinedStatement]
) -> list[str]:
    """Add what a run has refined to a file.

    Args:
        eval_log: Log of the task `refine`, with its samples.
        file: Written whole or not at all.
        problems: Public parts.
        existing_by_id: Refinements that the file has already, of other problems too.

    Returns:
        The ids of the problems that still have no refinement.

    Raises:
        EvaluationError: The file can't be written.
    """
    texts = {str(sample.id): sample.output.completion.strip() for sample in eval_log.samples or [] if not sample.error}
    refinements = dict(existing_by_id)
    for problem in problems:
        if problem.id not in existing_by_id and texts.get(problem.id):
            text = texts[problem.id].encode("utf-8", "replace").decode()
            refinements[problem.id] = RefinedStatement(
                problem.id, problem.public_digest, eval_log.eval.model, PROMPT_SHA256, text
            )
    write_json_lines(file, map(asdict, refinements.values()))
    return [problem.id for problem in problems if problem.id not in refinements]
