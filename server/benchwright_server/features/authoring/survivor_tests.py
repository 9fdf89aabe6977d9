"""Code actions that turn a survivor of a mutation analysis into the beginning of a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from benchwright_server.operations.catalogue import path_of
from benchwright_verilog.actions.action import Action, ActionContext, Change
from benchwright_verilog.syntax.documents import Document


async def killing_tests(context: ActionContext, read: Callable[[Path], Document | None]) -> list[Action]:
    """For each survivor at the selection with a counterexample: its inputs as a new test at the end of the harness's.

    Not for one that differs only with other parameters than the defaults, which the harness may not run with.

    Args:
        context: Place at which actions are asked for.
        read: The present content of a file.
    """
    file = path_of(context.document.uri)
    if "reference" not in file.parts:
        return []
    return await asyncio.to_thread(_actions, context, file, read)


def _actions(context: ActionContext, file: Path, read: Callable[[Path], Document | None]) -> list[Action]:
    from benchwright_authoring.mutation.author_folder import ReferenceFile
    from benchwright_authoring.mutation.stimulus import cocotb_test

    reference, lines = ReferenceFile.from_path(file), context.document.lines
    tests = reference.cocotb_tests if reference is not None else None
    harness = read(tests) if tests is not None else None
    if reference is None or tests is None or harness is None:
        return []
    start, end = lines.to_byte(context.start), lines.to_byte(context.end)
    actions = []
    for survivor in reference.survivors(lines.data):
        example = survivor.counterexample
        if example is None or example.parameters:
            continue
        if survivor.mutant.start <= end and start <= survivor.mutant.end:
            text = cocotb_test(survivor, example, context.text)
            offset = len(harness.text)
            title = f"Add a test that kills {survivor.mutant.kind} {survivor.mutant.id} to {tests.name}"
            actions.append(Action(title, (), elsewhere={tests: (Change(offset, offset, text),)}))
    return actions
