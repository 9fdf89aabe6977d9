"""Code actions that turn a survivor of a mutation analysis into the beginning of a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from benchwright_verilog.actions.action import Action, CodeSelection, TextChange
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.uri import local_path_of


async def actions_adding_killing_tests(
    action_context: CodeSelection, read_document: Callable[[Path], Document | None]
) -> list[Action]:
    """For each survivor at the selection with a counterexample: its inputs as a new test at the end of the harness's.

    Not for one that differs only with other parameters than the defaults, which the harness may not run with.

    Args:
        action_context: Place at which actions are asked for.
        read_document: The present content of a file.
    """
    file = local_path_of(action_context.document.uri)
    if "reference" not in file.parts:
        return []
    return await asyncio.to_thread(_killing_test_actions_in_thread, action_context, file, read_document)


def _killing_test_actions_in_thread(
    action_context: CodeSelection, reference_file: Path, read_document: Callable[[Path], Document | None]
) -> list[Action]:
    from benchwright_authoring.mutation.author_folder import ReferenceFile
    from benchwright_authoring.mutation.stimulus import cocotb_stimulus_test_text

    reference, lines = ReferenceFile.from_path(reference_file), action_context.document.lines
    test_file = reference.first_cocotb_file if reference is not None else None
    harness = read_document(test_file) if test_file is not None else None
    if reference is None or test_file is None or harness is None:
        return []
    start, end = lines.to_byte(action_context.start), lines.to_byte(action_context.end)
    actions = []
    for survivor in reference.current_survivors(lines.data):
        example = survivor.counterexample
        if example is None or example.parameters:
            continue
        if survivor.mutant.start <= end and start <= survivor.mutant.end:
            test_text = cocotb_stimulus_test_text(survivor, example, action_context.document_text)
            offset = len(harness.text)
            title = f"Add a test that kills {survivor.mutant.kind} {survivor.mutant.id} to {test_file.name}"
            actions.append(Action(title, (), changes_elsewhere={test_file: (TextChange(offset, offset, test_text),)}))
    return actions
