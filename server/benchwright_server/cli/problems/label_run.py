"""Labelling all questions of a pack: what is left to do, shortlists, votes; each label is on disk at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.storage.labels import LabelFile, LabelKind, LabelSource, PackLabels, data_set_label
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.pack_records import original_record
from benchwright_server.cli.terminal.progress import Meter, progress
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # The client library takes most of a second to import.
    from benchwright_judges.labelling.instructions import Topic
    from benchwright_judges.labelling.labeller import Labeller
    from benchwright_judges.models.configuration import JudgesSettings


@dataclass(frozen=True)
class LabelRequest:
    """A request to label: its subject, and its method; see the options of the command."""

    label_kinds: Sequence[LabelKind]
    includes_stated: bool
    is_repeated: bool
    topics: Path | None
    offline: bool
    votes: int | None
    budget_usd: float | None
    jobs: int


@dataclass(frozen=True)
class LabelFailure:
    """A label that is missing."""

    problem: str
    """`pack/id`."""
    kind: LabelKind
    reason: str


@dataclass
class LabellingResult:
    """The result of labelling."""

    labelled: Counter[LabelKind] = field(default_factory=Counter)
    known_counts: Counter[LabelKind] = field(default_factory=Counter)
    """Labels that were there, by the data set, a person or an earlier run."""
    failures: list[LabelFailure] = field(default_factory=list)
    shortlists: str = ""
    """The method by which likely topics were found."""
    cost_usd: float = 0.0


@dataclass(frozen=True)
class _LabelTask:
    problem: Problem
    """With its hidden part."""
    kind: LabelKind
    stated_label: str


async def label_questions(
    home: Home, pack: str, questions: Sequence[Problem], label_request: LabelRequest
) -> LabellingResult:
    """Label what has no label.

    Args:
        home: The user's folders.
        pack: The pack's name.
        questions: Its questions, public side only.
        label_request: The request to label.

    Raises:
        ServerError: No model is set up.
        JudgesError: Settings, topics or embeddings are not usable.
    """
    from benchwright_judges.models.configuration import read_settings

    outcome = LabellingResult(
        labelled=Counter(dict.fromkeys(label_request.label_kinds, 0)),
        known_counts=Counter(dict.fromkeys(label_request.label_kinds, 0)),
    )
    label_file = LabelFile(home, pack)
    tasks = await asyncio.to_thread(
        _count_known_and_list_tasks, Store(home), pack, questions, label_file.read(), label_request, outcome
    )
    if not tasks:
        return outcome
    settings = read_settings()
    offline = label_request.offline or settings.offline
    topics = await _topics_with_shortlists(
        [task.problem for task in tasks if task.kind is LabelKind.TOPIC], questions, settings, label_request
    )
    if any(task.kind is LabelKind.TOPIC for task in tasks):
        outcome.shortlists = _shortlist_notice(settings, is_offline=offline)
    if offline:
        _label_topics_by_words(pack, tasks, topics.shortlists, label_file, outcome)
    else:
        await _label_by_models(pack, tasks, topics, settings, label_request, label_file, outcome)
    return outcome


def _count_known_and_list_tasks(
    store: Store,
    pack: str,
    questions: Sequence[Problem],
    labels: PackLabels,
    label_request: LabelRequest,
    outcome: LabellingResult,
) -> list[_LabelTask]:
    from benchwright_judges.labelling.instructions import instructions_and_reference

    tasks = []
    prompts = {kind: instructions_and_reference(kind)[1] for kind in label_request.label_kinds}
    for public in questions:
        problem = store.unseal(f"{pack}/{public.id}")
        for kind in label_request.label_kinds:
            stated = data_set_label(problem, kind) or (
                _stated_difficulty(problem) if kind is LabelKind.DIFFICULTY else ""
            )
            machine_label = labels.newest_machine_label(problem, kind)
            is_known = machine_label is not None and (
                machine_label.source is not LabelSource.MODEL
                if label_request.offline
                else machine_label.prompt == prompts[kind]
            )
            if (stated and not label_request.includes_stated) or (is_known and not label_request.is_repeated):
                outcome.known_counts[kind] += 1
            else:
                tasks.append(_LabelTask(problem, kind, stated))
    return tasks


def _stated_difficulty(problem: Problem) -> str:
    """The difficulty that the data set says; empty if the importer had to choose one."""
    try:
        return problem.difficulty.value if original_record(problem).get("difficulty") else ""
    except ValueError:
        # The folder of a pack has to say it.
        return problem.difficulty.value


@dataclass(frozen=True)
class _Topics:
    topics: Sequence[Topic]
    shortlists: Mapping[str, Sequence[Topic]]
    """Problem → its shortlist."""
    source: str = ""


async def _topics_with_shortlists(
    questions_without_topic: Sequence[Problem],
    questions: Sequence[Problem],
    settings: JudgesSettings,
    label_request: LabelRequest,
) -> _Topics:
    from benchwright_judges.labelling.topics import own_topics_or_default, read_topics, shortlists_by_tf_idf

    all_topics = (
        read_topics(label_request.topics) if label_request.topics is not None else own_topics_or_default(questions)
    )
    if not questions_without_topic:
        return _Topics(all_topics, {})
    if settings.embeddings is None or label_request.offline or settings.offline:
        shortlists = await asyncio.to_thread(shortlists_by_tf_idf, questions_without_topic, all_topics, questions)
        return _Topics(all_topics, shortlists, LabelSource.TF_IDF.value)
    from benchwright_judges.labelling.embeddings import shortlists_by_embeddings

    shortlists = await shortlists_by_embeddings(questions_without_topic, all_topics, settings.embeddings)
    return _Topics(all_topics, shortlists, settings.embeddings.model)


def _shortlist_notice(settings: JudgesSettings, *, is_offline: bool) -> str:
    if is_offline:
        return "Topics are the likeliest by TF-IDF, the likeness of words: no model was asked."
    if settings.embeddings is None:
        return "Shortlists of topics are by TF-IDF, as judges.toml has no [embeddings]."
    return f"Shortlists of topics are by the embeddings of {settings.embeddings.model}."


def _label_topics_by_words(
    pack: str,
    tasks: Sequence[_LabelTask],
    shortlists: Mapping[str, Sequence[Topic]],
    label_file: LabelFile,
    outcome: LabellingResult,
) -> None:
    from benchwright_judges.errors import LabellingError
    from benchwright_judges.labelling.labeller import tf_idf_topic_label

    labels = []
    for label_task in tasks:
        ref = f"{pack}/{label_task.problem.id}"
        if label_task.kind is not LabelKind.TOPIC:
            outcome.failures.append(
                LabelFailure(ref, label_task.kind, "only a model or a person can say this; --offline asks none")
            )
            continue
        try:
            shortlist = shortlists.get(label_task.problem.id, ())
            labels.append(tf_idf_topic_label(label_task.problem, shortlist, label_task.stated_label, datetime.now(UTC)))
            outcome.labelled[label_task.kind] += 1
        except LabellingError as error:
            outcome.failures.append(LabelFailure(ref, label_task.kind, str(error)))
    if labels:
        label_file.append_labels(labels)


async def _label_by_models(
    pack: str,
    tasks: Sequence[_LabelTask],
    topics: _Topics,
    settings: JudgesSettings,
    label_request: LabelRequest,
    label_file: LabelFile,
    outcome: LabellingResult,
) -> None:
    from benchwright_judges.labelling.labeller import Labeller
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.configuration import open_all_endpoints

    budget = JudgingBudget(settings.budget_usd if label_request.budget_usd is None else label_request.budget_usd)
    async with AsyncExitStack() as stack:
        endpoints = await asyncio.to_thread(open_all_endpoints, settings)
        if not endpoints:
            raise ServerError(
                "No model is set up to label. docs/how-to/judges.md shows how to set one up; --offline sorts by topic"
                " without one."
            )
        for endpoint in endpoints:
            stack.push_async_callback(endpoint.close)
        labeller = Labeller(endpoints, label_request.votes or settings.votes, budget, lambda: datetime.now(UTC))
        turn = asyncio.Semaphore(label_request.jobs)
        with progress("labelling", len(tasks), "labels") as meter:
            async with asyncio.TaskGroup() as group:
                for label_task in tasks:
                    group.create_task(
                        _label_by_votes(pack, label_task, topics, labeller, turn, meter, label_file, outcome)
                    )
    outcome.cost_usd = budget.spent_usd
    order = {(f"{pack}/{task.problem.id}", task.kind): index for index, task in enumerate(tasks)}
    outcome.failures.sort(key=lambda failure: order[failure.problem, failure.kind])


async def _label_by_votes(
    pack: str,
    label_task: _LabelTask,
    topics: _Topics,
    labeller: Labeller,
    free_jobs: asyncio.Semaphore,
    meter: Meter,
    label_file: LabelFile,
    outcome: LabellingResult,
) -> None:
    from benchwright_judges.errors import LabellingError
    from benchwright_judges.models.budget import OutOfBudgetError

    is_topic = label_task.kind is LabelKind.TOPIC
    async with free_jobs:
        try:
            label = await labeller.label(
                label_task.problem,
                label_task.kind,
                stated_label=label_task.stated_label,
                # A question that is like none of the topics may be about any.
                shortlist=(topics.shortlists.get(label_task.problem.id) or topics.topics) if is_topic else (),
                shortlist_method=topics.source if is_topic else "",
            )
        except OutOfBudgetError:
            reason = "the budget is used up; give a larger --budget"
            outcome.failures.append(LabelFailure(f"{pack}/{label_task.problem.id}", label_task.kind, reason))
        except LabellingError as error:
            outcome.failures.append(LabelFailure(f"{pack}/{label_task.problem.id}", label_task.kind, str(error)))
        else:
            await asyncio.to_thread(label_file.append_labels, [label])
            outcome.labelled[label_task.kind] += 1
        meter.advance()
