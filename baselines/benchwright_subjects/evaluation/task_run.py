"""One task as Inspect runs it: what its samples share, and which attempt belongs to which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from inspect_ai.solver import TaskState
from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.terms import Solver, Terms
from benchwright_problems.partial_date import require_partial_date
from benchwright_problems.problem import Problem
from benchwright_studies.plan.model_condition import ModelCondition
from benchwright_subjects.agents.launch import AgentLaunch
from benchwright_subjects.evaluation.inspect_runs import resent_requests_of, task_name_of_sample
from benchwright_subjects.evaluation.services import EvaluationServices
from benchwright_subjects.prompt_sets.forms import digest_of_prompt_forms
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompts.refinement import SUFFIX, RefinedStatement
from benchwright_subjects.sample_attempt import SampleAttempt, SolvingSubject


class TaskRun:
    """The run of one task.

    Args:
        services: Services that its samples share.
        pack: Pack whose problems it asks.
        problems: Public parts.
        is_agent: True if an agent works on them.
        study_condition: Part of a study, where its plan says who solves what.
        most_runs: Outside studies: how many runs of the hidden tests an agent may ask for.
        time_limit_s: Outside studies: the time limit of a sample in seconds. None without a limit.
        prompts: Prompts of the problems; None if that is a template of the user's, or an agent's task.
        shots: Solved questions that are shown before each one; None for agents.
        asks_for_steps: True if steps are asked for before the answer.
        knowledge_cutoff: Outside studies: the end of what the model was trained on; as Inspect knows it if empty.
        refined_by_problem: Statements that are asked beside the originals, by problem.
        version_by_aid: Name → version of what a model is given beside the question, such as passages or Python. The
            names become part of that of the prompts, so that reports keep such attempts apart.
        launch: The program that works with the model; None if that is our own agent, or none.

    Raises:
        EvaluationError: The knowledge cutoff is no date.
    """

    def __init__(
        self,
        services: EvaluationServices,
        pack: str,
        problems: Sequence[Problem],
        *,
        is_agent: bool,
        study_condition: ModelCondition | None = None,
        most_runs: int = 0,
        time_limit_s: float | None = None,
        prompts: PromptSet | None = None,
        shots: int | None = None,
        asks_for_steps: bool = False,
        knowledge_cutoff: str = "",
        refined_by_problem: Mapping[str, RefinedStatement] | None = None,
        version_by_aid: Mapping[str, str] | None = None,
        launch: AgentLaunch | None = None,
    ) -> None:
        self.services = services
        self.pack = pack
        self.agent = is_agent
        self._cutoff = _checked_cutoff_date(knowledge_cutoff)
        self.prompts = prompts
        self.facts_of_prompts: dict[str, JsonValue] = (
            {}
            if prompts is None
            else {
                "prompts": "+".join((prompts.name, *(version_by_aid or {}))),
                "prompts_sha256": digest_of_prompt_forms(prompts),
            }
        )
        if version_by_aid and prompts is not None:
            self.facts_of_prompts["aids"] = dict(version_by_aid)
        if prompts is not None and shots is not None:
            self.facts_of_prompts |= {"shots": shots, "steps": asks_for_steps}
        """For records: which prompts these are."""
        self._study_condition = study_condition
        self._most_runs = most_runs
        self._most_s = time_limit_s
        self._refined = refined_by_problem or {}
        self._launch = launch
        self._problems = {problem.id: problem for problem in problems}
        self._samples: dict[str, SampleAttempt] = {}

    async def begin_sample_attempt(self, state: TaskState) -> None:
        """Begins a sample's attempt."""
        name = str(state.sample_id)
        problem = self._problems[name.removesuffix(SUFFIX)]
        ref = f"{self.pack}/{problem.id}"
        subject = self._solving_subject(ref, str(state.model), state.epoch)
        if name.endswith(SUFFIX):
            subject = replace(subject, statement_facts=self._refined[problem.id].facts)
        sample = await SampleAttempt.begin_or_continue(
            self.services, task_name_of_sample(state.uuid), ref, problem, state.epoch, subject
        )
        sample.failed_requests = partial(resent_requests_of, state.uuid)
        self._samples[state.uuid] = sample

    def _solving_subject(self, ref: str, model: str, sample_number: int) -> SolvingSubject:
        program = self._launch.record_facts if self._launch else {}
        if self._study_condition is None:
            condition = Solver.AGENT if self.agent else Solver.MODEL
            terms = Terms(condition.value, most_runs=self._most_runs, time_limit_s_outside_studies=self._most_s)
            name = f"{self._launch.name} with {model}" if self._launch and self._launch.name else model
            return SolvingSubject(
                name,
                model,
                terms,
                knowledge_cutoff=self._cutoff,
                program_facts=program,
                works_in_tree=self.agent,
            )
        self._study_condition.refuse_other_model(model)
        assigned = self._study_condition.assigned_terms(ref, sample_number)
        cutoff = self._study_condition.condition.knowledge_cutoff or ""
        terms = Terms(assigned.condition, assigned)
        return SolvingSubject(
            model,
            model,
            terms,
            self._study_condition.attempt_id(ref, sample_number),
            cutoff,
            program_facts=program,
            works_in_tree=self.agent,
        )

    def sample_attempt(self, state: TaskState) -> SampleAttempt:
        """The attempt of a sample.

        Raises:
            EvaluationError: The sample has no attempt.
        """
        try:
            return self._samples[state.uuid]
        except KeyError:
            raise EvaluationError("This sample has no attempt: its task ran without the set-up step.") from None

    def sample_attempt_if_begun(self, state: TaskState) -> SampleAttempt | None:
        """The attempt of a sample; None if it could not begin."""
        return self._samples.get(state.uuid)

    async def suspend_sample_attempt(self, state: TaskState) -> None:
        """A sample has ended, in whatever way: an attempt that has not ended waits until the sample is tried again."""
        sample = self._samples.pop(state.uuid, None)
        if sample is not None:
            await sample.attempt.suspend(sample.provider_failure or "the run was interrupted")
            if sample.attempt.ended:
                sample.forget_checkpoint()


def _checked_cutoff_date(date_text: str) -> str:
    try:
        return require_partial_date(date_text) if date_text else ""
    except ValueError as error:
        raise EvaluationError(f"The knowledge cut-off {error}.") from error
