"""Reading of the lines of a file of answers: whose they are, how they were asked for, and what is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from benchwright_attempts.events.events import Event
from benchwright_attempts.events.evidence import ModelUsage, SelfEstimate
from benchwright_attempts.grading.given_answers import GivenAnswer
from benchwright_attempts.grading.grading import judged_paths
from benchwright_attempts.terms import Solver
from benchwright_foundation.home import Home
from benchwright_judges.reading.text_length import ENCODING, TokenCounter
from benchwright_problems.problem import Problem, ProblemKind, digest
from benchwright_problems.storage.responses import Response
from benchwright_server.cli.eval.options import KnowledgeCutoff, check_knowledge_cutoff
from benchwright_server.errors import ServerError
from benchwright_subjects.evaluation.reading import ReplyReading, read_answer
from benchwright_subjects.prompt_sets import prompt_set
from benchwright_subjects.prompt_sets.forms import digest_of_prompt_forms
from benchwright_subjects.prompt_sets.prompt_set import PromptSet


@dataclass(frozen=True)
class Origins:
    """Origins of all answers of a file. Where nothing is said here, a line's own word counts."""

    solver: Annotated[
        str, typer.Option(help="Who gave these answers; as FILE says, or the name of FILE, if not given.")
    ] = ""
    condition: Annotated[
        Solver | None, typer.Option(help="What they are in reports; as FILE says, or model, if not given.")
    ] = None
    has_steps: Annotated[
        bool, typer.Option("--think", help="The replies have steps before the answer to a question.")
    ] = False
    shots: Annotated[int | None, typer.Option(min=0, help="Solved questions that were shown before each one.")] = None
    prompts: Annotated[str, typer.Option(help="The --prompts that they were asked with.")] = ""
    knowledge_cutoff: KnowledgeCutoff = ""


class AnswerReader:
    """Reads the answers of a file.

    Args:
        pack: Name of the pack whose problems were answered.
        file: Named in messages; its name is that of a solver who is not named.
        origins: On the command line.

    Raises:
        ServerError: The knowledge cut-off is no date.
    """

    def __init__(self, pack: str, file: Path, origins: Origins) -> None:
        check_knowledge_cutoff(origins.knowledge_cutoff)
        self._pack = pack
        self._file = file
        self._origins = origins
        self._prompts: dict[str, tuple[PromptSet, str]] = {}

    def given_answers(self, responses: Sequence[Response]) -> list[GivenAnswer]:
        """The answers as they are graded, in the same order.

        Raises:
            EvaluationError: No prompts have that name.
            ServerError: A condition is none of ours.
        """
        digests = {answer.problem.id: answer.problem.public_digest for answer in responses}
        return [self._given_answer(answer, digests[answer.problem.id]) for answer in responses]

    def _given_answer(self, response: Response, public_digest: str) -> GivenAnswer:
        problem, origin = response.problem, response.origin
        ref = f"{self._pack}/{problem.id}"
        solver = self._origins.solver or origin.solver or self._file.stem
        has_steps = (self._origins.has_steps or origin.steps) and problem.public.question is not None
        prompts = self._origins.prompts or origin.prompts
        reading = (
            ReplyReading(response.files)
            if response.gives_files
            else read_answer(
                problem,
                response.text,
                self._prompt_set_and_digest(prompts)[0] if prompts else None,
                has_steps=has_steps,
            )
        )
        files = reading.files if response.gives_files else _files_after_reply(problem, reading)
        condition = self._condition_or_error(problem, origin.condition)
        return GivenAnswer(
            # Without the key, which could be found out from it.
            attempt=digest([ref, public_digest, solver, response.sample, _files_or_text(response)])[:32],
            problem_ref=ref,
            problem=problem,
            public_digest=public_digest,
            files=files,
            solver=solver,
            condition=condition,
            stated_attempt=origin.attempt,
            flaw=reading.flaw,
            reply=response.text if has_steps else "",
            reported_s=response.reported_s,
            extra_events=(
                *(() if reading.read_event is None else (reading.read_event,)),
                *self._prompt_and_length_events(response, condition, solver, prompts, has_steps, reading),
            ),
        )

    def _condition_or_error(self, problem: Problem, condition_name: str) -> Solver:
        try:
            return self._origins.condition or Solver(condition_name or Solver.MODEL)
        except ValueError:
            condition_names = ", ".join(Solver)
            raise ServerError(
                f"{self._file}: {problem.id}: field condition: {condition_name!r} is none of: {condition_names}."
            ) from None

    def _prompt_set_and_digest(self, prompt_set_name: str) -> tuple[PromptSet, str]:
        if prompt_set_name not in self._prompts:
            prompts = prompt_set(prompt_set_name)
            self._prompts[prompt_set_name] = (prompts, digest_of_prompt_forms(prompts))
        return self._prompts[prompt_set_name]

    def _prompt_and_length_events(
        self,
        response: Response,
        condition: Solver,
        solver_name: str,
        prompt_set_name: str,
        has_steps: bool,
        reading: ReplyReading,
    ) -> tuple[Event, ...]:
        """The facts of how a model was asked and how long its reply is, if anything is known of that."""
        fact_events: list[Event] = []
        if condition.is_person:
            return ()
        shots = response.origin.shots if self._origins.shots is None else self._origins.shots
        parameters: dict[str, JsonValue] = {"steps": True} if has_steps else {}
        if shots is not None:
            parameters |= {"shots": shots, "steps": has_steps}
        if prompt_set_name:
            parameters |= {
                "prompts": prompt_set_name,
                "prompts_sha256": self._prompt_set_and_digest(prompt_set_name)[1],
            }
        if self._origins.knowledge_cutoff:
            parameters["knowledge_cutoff"] = self._origins.knowledge_cutoff
        if parameters:
            tokens = self._token_counter.count(response.text) or 0
            usage = ModelUsage(model=solver_name, output_tokens=tokens, total_tokens=tokens, parameters=parameters)
            fact_events.append(usage.model_copy(update={"counted_by": f"tiktoken {ENCODING}"}))
        if reading.confidence is not None:
            fact_events.append(SelfEstimate(solved=reading.confidence))
        return tuple(fact_events)

    @cached_property
    def _token_counter(self) -> TokenCounter:
        return TokenCounter(Home.from_environment().cache)


def _files_after_reply(problem: Problem, reading: ReplyReading) -> dict[str, bytes]:
    """The files as submitted: those that a reply leaves alone stay as they were given."""
    if problem.kind is not ProblemKind.DESIGN:
        return dict(reading.files)
    public_files = problem.public.files
    return {path: public_files[path].encode() for path in judged_paths(problem) if path in public_files} | dict(
        reading.files
    )


def _files_or_text(response: Response) -> JsonValue:
    files = {path: content.decode("utf-8", "replace") for path, content in response.files.items()}
    return dict(files) if files else response.text
