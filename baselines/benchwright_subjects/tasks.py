"""Inspect's tasks: `inspect eval PATH/TO/tasks.py@answer -T pack=starter --model PROVIDER/MODEL`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Task, task

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_studies.plan.model_condition import ModelCondition, model_condition
from benchwright_subjects.agent_mode import AGENT_MODE_SUBJECT
from benchwright_subjects.agent_mode.launch import CodeServerEditor, agent_mode_launch
from benchwright_subjects.agents.launch import AgentLaunch
from benchwright_subjects.agents.launched import configured_launch, with_refused_tools
from benchwright_subjects.evaluation.inspect_runs import close_after_run
from benchwright_subjects.evaluation.services import EvaluationServices
from benchwright_subjects.evaluation.task_run import TaskRun
from benchwright_subjects.prompt_sets import prompt_set
from benchwright_subjects.prompts import reflection
from benchwright_subjects.prompts.prompt import agent_prompt
from benchwright_subjects.prompts.refinement import dataset_of_both_variants, demand_refined_statements
from benchwright_subjects.prompts.refinement import refinement_prompt as request_of_refinement
from benchwright_subjects.samples import RequestForm, problem_dataset, select_problems
from benchwright_subjects.scorers import failing_if_undecided, verdict_scorer
from benchwright_subjects.solvers import ask_once, ask_with_python, command_line_agent, open_attempt, work_with_tools

_SCRIPT_S = 60.0
"""Time limit of a Python script."""


@task
def answer(
    pack: str,
    problems: str | list[str] = "",
    shots: int = 0,
    examples: str = "",
    think: bool = False,
    template: str = "",
    seed: int | None = None,
    prompts: str = "",
    limit_s: float = 0.0,
    sandbox: str = DEFAULT_SANDBOX,
    study: str = "",
    condition: str = "",
    knowledge_cutoff: str = "",
    refined: str = "",
    passages: str = "",
    python: bool = False,
) -> Task:
    """Ask for each answer in one reply.

    Args:
        pack: Pack of the problems.
        problems: Names or patterns with commas between them; all where empty.
        shots: Solved questions to show before each one.
        examples: The pack whose validation split they come from; this one where empty.
        think: Ask for steps before the answer of a question.
        template: A file with a prompt to use in place of ours.
        seed: Decides which examples are shown; plus the epoch, less one, sent to the model.
        prompts: The name of a prompt set, such as `cvdp-1.1`; our own where empty.
        limit_s: Time limit of a sample in seconds, on the attempt's own clock; 0 is no limit. Inspect's own
            `time_limit` counts retries of the provider and limits the hidden tests to half of it.
        sandbox: Sandbox in which hidden tests run.
        study: Id of the study that these attempts belong to, if any.
        condition: The study's condition that they are made under.
        knowledge_cutoff: The end of what the model was trained on, `YYYY-MM-DD` or `YYYY-MM`; as Inspect knows it where
            empty.
        refined: A file of refined statements, which are asked beside the originals.
        passages: A file of passages that are shown before each question.
        python: Let the model run Python scripts before it replies.
    """
    services = close_after_run(EvaluationServices(Home.from_environment(), sandbox))
    request_form = RequestForm(problems, shots, examples, think, template, seed or 0, prompts, passages)
    chosen_problems, make_prompt = request_form.problems_and_prompt_maker(services.store, pack)
    study_condition = _study_condition_if_any(services, study, condition, pack, chosen_problems)
    variants = demand_refined_statements(Path(refined), chosen_problems) if refined else {}
    task_run = TaskRun(
        services,
        pack,
        chosen_problems,
        is_agent=False,
        study_condition=study_condition,
        time_limit_s=limit_s or None,
        prompts=None if template else prompt_set(prompts),
        shots=shots,
        asks_for_steps=think,
        knowledge_cutoff=knowledge_cutoff,
        refined_by_problem=variants,
        version_by_aid=_aids(passages, python=python),
    )
    return Task(
        dataset=dataset_of_both_variants(pack, chosen_problems, make_prompt, variants),
        setup=open_attempt(task_run),
        solver=ask_with_python(task_run, _SCRIPT_S, seed) if python else ask_once(task_run, seed),
        scorer=[verdict_scorer(task_run, think), failing_if_undecided(task_run)],
        cleanup=task_run.suspend_sample_attempt,
        continue_on_fail=True,
        score_on_error=True,
        epochs=study_condition.condition.samples if study_condition else None,
        metadata=task_run.facts_of_prompts,
    )


@task
def agent(
    pack: str,
    problems: str | list[str] = "",
    command: str = "",
    subject: str = "",
    acp: bool = False,
    refuse: str | list[str] = "",
    extension: str | list[str] = "",
    participant: str = "",
    command_s: float = 120.0,
    runs: int = 0,
    limit_s: float = 1800.0,
    seed: int | None = None,
    sandbox: str = DEFAULT_SANDBOX,
    place: str = "",
    study: str = "",
    condition: str = "",
    knowledge_cutoff: str = "",
) -> Task:
    """Let an agent work on each problem with tools.

    Args:
        pack: Pack of the problems.
        problems: Names or patterns with commas between them; all where empty.
        command: A command-line agent to start in place of our own.
        subject: One that `benchwright subject add` has installed, by its name.
        acp: The command speaks the Agent Client Protocol.
        refuse: Kinds of tools, with commas between them, that an agent speaking it gets no permission for.
        extension: Of the subject `vscode-agent`: .vsix files to install, with commas between them, first the one that
            is on the bench.
        participant: Of the subject `vscode-agent`: the chat participant that gets the task; agent mode where empty.
        command_s: Time limit of one command of our agent, in seconds.
        limit_s: Time limit of a sample in seconds, as of `answer`.
        runs: Number of times that our agent may run the hidden tests and see what the problem reveals.
        seed: Plus the epoch, less one, sent to the model.
        sandbox: Sandbox in which hidden tests and the commands of our agent run.
        place: `benchwright:FOLDER` shows a command a folder with programs as `/agent`.
        study: Id of the study that these attempts belong to, if any.
        condition: The study's condition that they are made under.
        knowledge_cutoff: The end of what the model was trained on, `YYYY-MM-DD` or `YYYY-MM`; as Inspect knows it where
            empty.
    """
    services = close_after_run(EvaluationServices(Home.from_environment(), sandbox))
    chosen_problems = select_problems(services.store, pack, problems)
    study_condition = _study_condition_if_any(services, study, condition, pack, chosen_problems)
    refused_tools = _split_names(refuse)
    launch = (
        _editor_launch(services.home.cache, _split_names(extension), participant, refused_tools)
        if subject == AGENT_MODE_SUBJECT
        else configured_launch(
            services.home.cache, subject, command, place, speaks_acp=acp, refused_tools=refused_tools
        )
    )
    if study_condition is not None and study_condition.condition.subject is not None:
        study_condition.refuse_other_subject(
            launch.running_program(study_condition.condition.subject.name) if launch is not None else None
        )
    task_run = TaskRun(
        services,
        pack,
        chosen_problems,
        is_agent=True,
        study_condition=study_condition,
        most_runs=runs,
        time_limit_s=limit_s or None,
        knowledge_cutoff=knowledge_cutoff,
        launch=launch,
    )
    return Task(
        dataset=problem_dataset(pack, chosen_problems, agent_prompt),
        setup=open_attempt(task_run),
        solver=command_line_agent(task_run, launch, seed) if launch else work_with_tools(task_run, command_s, seed),
        scorer=[verdict_scorer(task_run, False), failing_if_undecided(task_run)],
        cleanup=task_run.suspend_sample_attempt,
        continue_on_fail=True,
        score_on_error=True,
        epochs=study_condition.condition.samples if study_condition else None,
        message_limit=200,
    )


@task
def map_prompt(pack: str, template: str, problems: str | list[str] = "") -> Task:
    """Send the user's own prompt for each problem and keep the replies; nothing is judged.

    Args:
        pack: Pack of the problems.
        template: The file with the prompt.
        problems: Names or patterns with commas between them; all where empty.
    """
    chosen_problems, make_prompt = RequestForm(problems, template_file=template).problems_and_prompt_maker(
        Store(Home.from_environment()), pack
    )
    return Task(dataset=problem_dataset(pack, chosen_problems, make_prompt), continue_on_fail=True)


@task
def refine(pack: str, problems: str | list[str] = "") -> Task:
    """Have a model refine the statements of problems; nothing is judged.

    Args:
        pack: Pack of the problems.
        problems: Names or patterns with commas between them; all where empty.
    """
    chosen_problems = select_problems(Store(Home.from_environment()), pack, problems)
    return Task(dataset=problem_dataset(pack, chosen_problems, request_of_refinement), continue_on_fail=True)


@task
def reflect(pack: str, solver: str, problems: str | list[str] = "") -> Task:
    """Ask why attempts failed, and record the replies with them. Attempts that have a reflection are not asked about.

    Args:
        pack: Pack of the problems.
        solver: The solver's name in the log; its attempts are asked about.
        problems: Names or patterns with commas between them; all where empty.
    """
    services = close_after_run(EvaluationServices(Home.from_environment(), DEFAULT_SANDBOX))
    failures = reflection.failed_attempts(services, pack, problems, solver)
    if not failures:
        raise EvaluationError(reflection.NOTHING_TO_ASK.format(solver=solver, pack=pack))
    return Task(
        dataset=reflection.reflection_dataset(services, failures),
        solver=reflection.record_reflections(services, failures),
        continue_on_fail=True,
    )


def _editor_launch(
    cache: Path, extension_files: Sequence[str], participant: str, refused_tools: Sequence[str]
) -> AgentLaunch:
    launch = agent_mode_launch(
        CodeServerEditor.find(cache), cache, [Path(file) for file in extension_files], participant
    )
    return with_refused_tools(launch, refused_tools) if refused_tools else launch


def _split_names(names: str | list[str]) -> list[str]:
    words = names.split(",") if isinstance(names, str) else names
    return [word.strip() for word in words if word.strip()]


def _aids(passages_file: str, *, python: bool) -> dict[str, str]:
    """Name → version of what a model is given beside the question."""
    aids = {"passages": hashlib.sha256(Path(passages_file).read_bytes()).hexdigest()} if passages_file else {}
    return aids | ({"python": f"{_SCRIPT_S:g} s"} if python else {})


def _study_condition_if_any(
    services: EvaluationServices, study: str, condition: str, pack: str, problems: Sequence[Problem]
) -> ModelCondition | None:
    """The condition of a study that a task carries out; none outside studies.

    Raises:
        StudyError: The study does not allow it.
    """
    if not study:
        return None
    study_condition = model_condition(services.log, study, condition)
    study_condition.refuse_if_closed()
    refs = [f"{pack}/{problem.id}" for problem in problems]
    study_condition.refuse_changed_problems({ref: services.store.problem(ref).public_digest for ref in refs})
    return study_condition
