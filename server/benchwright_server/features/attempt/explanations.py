"""Explanations of findings and failures: `benchwright/explainFinding`, `explainFailure` and `generatedHelp`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_attempts.events.events import AidUsed
from benchwright_problems.aids import Aid
from benchwright_server.errors import ServerError
from benchwright_server.features.attempt import aids
from benchwright_server.features.attempt.failures import explain_failure
from benchwright_server.features.attempt.generated_help import ask_model_for_help
from benchwright_server.features.requests import register_operation
from benchwright_server.linters import registry as linters
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.explanations import (
    ExplainFailureParams,
    ExplainFindingParams,
    FailureExplanation,
    FindingExplanation,
    GeneratedHelp,
    GeneratedHelpParams,
)
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import SLANG, FindingTool
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchwright_server.editor_server import EditorServer

EXPLAIN_FINDING = "benchwright.explainFinding"
SOURCES: tuple[FindingTool, ...] = (SLANG, *(tool.source for tool in linters.lint_tools().values()))


def register(server: EditorServer) -> None:
    """Serve all of it."""
    for operation in EXPLAIN_OPERATIONS:
        register_operation(server, operation, lambda: server)


async def _explain_rule_of_finding(server: EditorServer, params: ExplainFindingParams) -> FindingExplanation:
    # Imported late: only some sessions need it.
    from benchwright_verilog.findings.explained_rules import explanation_of_rule

    await aids.require_aid_allowed_now(server, params.uri, Aid.EXPLANATIONS)
    explanation = await asyncio.to_thread(explanation_of_rule, params.code, params.source)
    pages = {str(source): source.rule_page_url(params.code) for source in SOURCES}
    if explanation is None:
        page = pages.get(params.source)
        advice = f"Read {page}." if page else "Its message is all that is known."
        raise ServerError(f"There is no explanation of {params.code or 'this error'}. {advice}")
    event = AidUsed(aid=Aid.EXPLANATIONS, feature="finding", detail=f"{explanation.tool} {explanation.rule}")
    await aids.record_use_if_in_attempt(server, params.uri, event)
    return FindingExplanation(
        code=explanation.rule,
        source=explanation.tool,
        about=explanation.about,
        fix=explanation.fix,
        wrong=explanation.wrong,
        right=explanation.right,
        markdown=explanation.markdown,
        page=pages[explanation.tool] or "",
    )


EXPLAIN_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "explainFinding",
        ExplainFindingParams,
        FindingExplanation,
        "Returns what a rule of slang, Verilator or verible means, with a wrong and a right example.",
        _explain_rule_of_finding,
    ),
    Operation(
        "explainFailure",
        ExplainFailureParams,
        FailureExplanation,
        "Returns what is known of the newest failure within what may be seen, and likely causes in the design by rule.",
        explain_failure,
    ),
    Operation(
        "generatedHelp",
        GeneratedHelpParams,
        GeneratedHelp,
        "Asks the assistant's model for a hint or why the design fails, where that is allowed; can be cancelled.",
        ask_model_for_help,
    ),
)
"""Every operation that explains something."""


async def explanation_actions(
    server: EditorServer, file_uri: str, findings: Sequence[Finding]
) -> list[types.CodeAction]:
    """The code actions that explain findings, for clients that can show it; none if the attempt forbids it."""
    if not findings or EXPLAIN_FINDING not in server.client.capability_strings("experimental.commands.commands"):
        return []
    if not server.settings.features.explanations or not await _are_explanations_allowed(server, file_uri):
        return []
    from benchwright_verilog.findings.explained_rules import explanation_of_rule

    found_rules = dict.fromkeys((str(finding.source), finding.rule) for finding in findings if finding.rule)
    explained_rules = [
        (tool, rule)
        for tool, rule in found_rules
        if await asyncio.to_thread(explanation_of_rule, rule, tool) is not None
    ]
    return [
        types.CodeAction(
            title := f"Explain {rule}",
            kind=types.CodeActionKind.QuickFix,
            command=types.Command(title, EXPLAIN_FINDING, arguments=[{"uri": file_uri, "code": rule, "source": tool}]),
        )
        for tool, rule in explained_rules
    ]


async def _are_explanations_allowed(server: EditorServer, file_uri: str) -> bool:
    session = await server.find_or_open_session(local_path_of(file_uri)) if file_uri.startswith("file:") else None
    return session is None or session.terms.allows_aid(Aid.EXPLANATIONS)
