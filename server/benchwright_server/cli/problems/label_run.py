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
from benchwright_problems.storage.labels import LabelFile, LabelKind, LabelSource, PackLabels, stated_label
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

    kinds: Sequence[LabelKind]
    includes_stated: bool
    is_repeated: bool
    topics: Path | None
    offline: bool
    votes: int | None
    budget_usd: float | None
    jobs: int


@dataclass(frozen=True)
class Failure:
    """A label that is missing."""

    problem: str
    """`pack/id`."""
    kind: LabelKind
    reason: str


@dataclass
class Outcome:
    """The result of labelling."""

    labelled: Counter[LabelKind] = field(default_factory=Counter)
    known_counts: Counter[LabelKind] = field(default_factory=Counter)
    """Labels that were there, by the data set, a person or an earlier run."""
    failures: list[Failure] = field(default_factory=list)
    shortlists: str = ""
    """The method by which likely topics were found."""
    cost_usd: float = 0.0


@dataclass(frozen=True)
class _Task:
    problem: Problem
    """With its hidden part."""
    kind: LabelKind
    stated: str


async def label_all(home: Home, pack: str, questions: Sequence[Problem], request: LabelRequest) -> Outcome:
    """Label what has no label.

    Args:
        home: The user's folders.
        pack: The pack's name.
        questions: Its questions, public side only.
        request: The request to label.

    Raises:
        ServerError: No model is set up.
        JudgesError: Settings, topics or embeddings are not usable.
    """
    from benchwright_judges.models.configuration import read_settings

    outcome = Outcome(
        labelled=Counter(dict.fromkeys(request.kinds, 0)), known_counts=Counter(dict.fromkeys(request.kinds, 0))
    )
    file = LabelFile(home, pack)
    tasks = await asyncio.to_thread(_tasks, Store(home), pack, questions, file.read(), request, outcome)
    if not tasks:
        return outcome
    settings = read_settings()
    offline = request.offline or settings.offline
    topics = await _shortlists(
        [task.problem for task in tasks if task.kind is LabelKind.TOPIC], questions, settings, request
    )
    if any(task.kind is LabelKind.TOPIC for task in tasks):
        outcome.shortlists = _shortlist_notice(settings, offline=offline)
    if offline:
        _without_models(pack, tasks, topics.shortlists, file, outcome)
    else:
        await _by_models(pack, tasks, topics, settings, request, file, outcome)
    return outcome


def _tasks(
    store: Store, pack: str, questions: Sequence[Problem], labels: PackLabels, request: LabelRequest, outcome: Outcome
) -> list[_Task]:
    from benchwright_judges.labelling.instructions import instructions

    tasks = []
    prompts = {kind: instructions(kind)[1] for kind in request.kinds}
    for public in questions:
        problem = store.unseal(f"{pack}/{public.id}")
        for kind in request.kinds:
            stated = stated_label(problem, kind) or (_difficulty(problem) if kind is LabelKind.DIFFICULTY else "")
            machine_label = labels.by_machine(problem, kind)
            is_known = machine_label is not None and (
                machine_label.source is not LabelSource.MODEL
                if request.offline
                else machine_label.prompt == prompts[kind]
            )
            if (stated and not request.includes_stated) or (is_known and not request.is_repeated):
                outcome.known_counts[kind] += 1
            else:
                tasks.append(_Task(problem, kind, stated))
    return tasks


def _difficulty(problem: Problem) -> str:
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


async def _shortlists(
    wanting: Sequence[Problem], questions: Sequence[Problem], settings: JudgesSettings, request: LabelRequest
) -> _Topics:
    from benchwright_judges.labelling.topics import read_topics, shortlists_by_words, topics_of

    all_topics = read_topics(request.topics) if request.topics is not None else topics_of(questions)
    if not wanting:
        return _Topics(all_topics, {})
    if settings.embeddings is None or request.offline or settings.offline:
        shortlists = await asyncio.to_thread(shortlists_by_words, wanting, all_topics, questions)
        return _Topics(all_topics, shortlists, LabelSource.TF_IDF.value)
    from benchwright_judges.labelling.embeddings import shortlists_by_embeddings

    shortlists = await shortlists_by_embeddings(wanting, all_topics, settings.embeddings)
    return _Topics(all_topics, shortlists, settings.embeddings.model)


def _shortlist_notice(settings: JudgesSettings, *, offline: bool) -> str:
    if offline:
        return "Topics are the likeliest by TF-IDF, the likeness of words: no model was asked."
    if settings.embeddings is None:
        return "Shortlists of topics are by TF-IDF, as judges.toml has no [embeddings]."
    return f"Shortlists of topics are by the embeddings of {settings.embeddings.model}."


def _without_models(
    pack: str, tasks: Sequence[_Task], shortlists: Mapping[str, Sequence[Topic]], file: LabelFile, outcome: Outcome
) -> None:
    from benchwright_judges.errors import LabellingError
    from benchwright_judges.labelling.labeller import label_by_words

    labels = []
    for task in tasks:
        ref = f"{pack}/{task.problem.id}"
        if task.kind is not LabelKind.TOPIC:
            outcome.failures.append(
                Failure(ref, task.kind, "only a model or a person can say this; --offline asks none")
            )
            continue
        try:
            shortlist = shortlists.get(task.problem.id, ())
            labels.append(label_by_words(task.problem, shortlist, task.stated, datetime.now(UTC)))
            outcome.labelled[task.kind] += 1
        except LabellingError as error:
            outcome.failures.append(Failure(ref, task.kind, str(error)))
    if labels:
        file.append(labels)


async def _by_models(
    pack: str,
    tasks: Sequence[_Task],
    topics: _Topics,
    settings: JudgesSettings,
    request: LabelRequest,
    file: LabelFile,
    outcome: Outcome,
) -> None:
    from benchwright_judges.labelling.labeller import Labeller
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.configuration import find_endpoints

    budget = JudgingBudget(settings.budget_usd if request.budget_usd is None else request.budget_usd)
    async with AsyncExitStack() as stack:
        endpoints = await asyncio.to_thread(find_endpoints, settings)
        if not endpoints:
            raise ServerError(
                "No model is set up to label. docs/how-to/judges.md shows how to set one up; --offline sorts by topic"
                " without one."
            )
        for endpoint in endpoints:
            stack.push_async_callback(endpoint.close)
        labeller = Labeller(endpoints, request.votes or settings.votes, budget, lambda: datetime.now(UTC))
        turn = asyncio.Semaphore(request.jobs)
        with progress("labelling", len(tasks), "labels") as meter:
            async with asyncio.TaskGroup() as group:
                for task in tasks:
                    group.create_task(_label_task(pack, task, topics, labeller, turn, meter, file, outcome))
    outcome.cost_usd = budget.spent_usd
    order = {(f"{pack}/{task.problem.id}", task.kind): index for index, task in enumerate(tasks)}
    outcome.failures.sort(key=lambda failure: order[failure.problem, failure.kind])


async def _label_task(
    pack: str,
    task: _Task,
    topics: _Topics,
    labeller: Labeller,
    turn: asyncio.Semaphore,
    meter: Meter,
    file: LabelFile,
    outcome: Outcome,
) -> None:
    from benchwright_judges.errors import LabellingError
    from benchwright_judges.models.budget import OutOfBudgetError

    is_topic = task.kind is LabelKind.TOPIC
    async with turn:
        try:
            label = await labeller.label(
                task.problem,
                task.kind,
                stated=task.stated,
                # A question that is like none of the topics may be about any.
                shortlist=(topics.shortlists.get(task.problem.id) or topics.topics) if is_topic else (),
                shortlist_by=topics.source if is_topic else "",
            )
        except OutOfBudgetError:
            reason = "the budget is used up; give a larger --budget"
            outcome.failures.append(Failure(f"{pack}/{task.problem.id}", task.kind, reason))
        except LabellingError as error:
            outcome.failures.append(Failure(f"{pack}/{task.problem.id}", task.kind, str(error)))
        else:
            await asyncio.to_thread(file.append, [label])
            outcome.labelled[task.kind] += 1
        meter.advance()
