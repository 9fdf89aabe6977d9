"""Packs of assignments, in this user's store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from benchwright_problems.assignment import Assignment
from benchwright_problems.errors import ProblemsError, StoreError
from benchwright_problems.problem import Problem
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import AssignmentView
from benchwright_remote.service_client import ServiceClient

_LONGEST = 60


async def store_assigned_packs(store: Store, client: ServiceClient) -> list[str]:
    """Stores what the service gives the account to work on.

    Returns:
        The packs' names here.

    Raises:
        ServiceError: The service refuses, or does not answer.
        ProblemsError: A pack can't be stored.
    """
    names = []
    for view in await client.assignments():
        pack = await client.fetch_pack(view.pack)
        problems = tuple(problem for problem in pack.problems if problem.id in view.problems)
        await store_missing_trees(store, client, view.pack, problems)
        assignment = Assignment(
            service=client.url,
            id=view.id,
            course=view.course,
            title=view.title,
            pack=view.pack,
            due=view.due,
            closes=view.closes,
            most_runs=view.most_runs,
            reveal=_most_ever_revealed(view),
            assistance=view.assistance,
            aids=view.aids,
            records_less=view.records_less,
        )
        name = await asyncio.to_thread(_local_pack_name, store, assignment)
        assigned_pack = pack.model_copy(update={"name": name, "title": view.title, "problems": problems})
        await asyncio.to_thread(store.add_assigned, assigned_pack, assignment)
        names.append(name)
    return names


async def store_missing_trees(store: Store, client: ServiceClient, pack_name: str, problems: Iterable[Problem]) -> None:
    """Stores the files of repository problems that are not all here.

    Args:
        store: Gets them.
        client: The service.
        pack_name: The pack's name there.
        problems: Problems of it.

    Raises:
        ServiceError: The service refuses, or does not answer.
        ProblemsError: What it sends is not the tree, or can't be stored.
    """
    for tree_id in {problem.public.tree.id for problem in problems if problem.public.tree is not None}:
        if await asyncio.to_thread(store.trees.find, tree_id) is None:
            packed_tree = await client.fetch_tree(pack_name, tree_id)
            try:
                await asyncio.to_thread(store.trees.add_zip, packed_tree, tree_id)
            except OSError as error:
                raise StoreError(f"the files of a repository can't be kept: {error.strerror}") from error


def _most_ever_revealed(assignment_view: AssignmentView) -> Reveal | None:
    """The most that is ever shown of a verdict: the service sends what may be shown when it is asked."""
    phases = [assignment_view.reveal]
    for later_reveal in (assignment_view.reveal_after_due, assignment_view.reveal_after_closing):
        phases.append(later_reveal or phases[-1])
    known_phases = [phase for phase in phases if phase is not None]
    return max(known_phases, key=list(Reveal).index) if len(known_phases) == len(phases) else None


def _local_pack_name(store: Store, assignment: Assignment) -> str:
    """The assignment's name among this user's packs: it keeps the one that it was given first."""
    taken_names = set()
    for name in store.pack_names():
        taken_names.add(name)
        try:
            known_assignment = store.assignment_if_any(name)
        except ProblemsError:
            # Another pack is damaged.
            continue
        if known_assignment is not None and (known_assignment.service, known_assignment.id) == (
            assignment.service,
            assignment.id,
        ):
            return name
    words = re.sub(r"[^a-z0-9]+", "-", f"{assignment.course} {assignment.title}".lower()).strip("-")[:_LONGEST]
    base_name = words or "assignment"
    return next(
        name
        for number in range(1, len(taken_names) + 2)
        if (name := _numbered_name_from_second(base_name, number)) not in taken_names
    )


def _numbered_name_from_second(name: str, occurrence: int) -> str:
    return name if occurrence == 1 else f"{name}-{occurrence}"
