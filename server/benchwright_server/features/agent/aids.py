"""Tools for the aids of an attempt: its hints, explanations, and the solver's own tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import Field

from benchwright_problems.aids import Aid
from benchwright_server.features.agent.design import file_and_line_in_workspace
from benchwright_server.features.agent.results import HintsResult, OwnTestRunsResult, OwnTestsResult
from benchwright_server.features.agent.tool import AnyTool, NoArguments, Tool
from benchwright_server.features.attempt.explanations import SOURCES
from benchwright_server.features.requests import call_operation
from benchwright_server.protocol.messages import Wire
from benchwright_server.protocol.own_tests import OwnTestList, OwnTestResult, OwnTestRun, OwnTestRuns
from benchwright_verilog.findings.explained_rules import tools_with_explained_rules
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_attempts.hint_ladder import HintPosition
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

_MAX_OUTPUT = 20_000
"""Characters of what a run printed; the end is what explains a failure."""
*_TOOLS, _LAST_TOOL = (str(source) for source in SOURCES if str(source) in tools_with_explained_rules())


class _NextHint(Wire):
    number: int | None = Field(
        None, description="The hint that is meant, from 1, so that asking twice takes one; leave it out for the next."
    )


class _Tests(Wire):
    ids: list[str] = Field(
        default_factory=list, description="Of tests, cases or files, as own_tests lists them; none for all."
    )
    waves: bool = Field(False, description="Keep the waveform, whose file the answer names.")


class _Finding(Wire):
    path: str = Field(description="The file with the finding, inside the workspace.")
    rule: str = Field(description="The rule, as the tool lint or the linter names it.")
    source: str = Field("slang", description=f"The program that found it: {', '.join(_TOOLS)} or {_LAST_TOOL}.")


class _Failure(Wire):
    test: str | None = Field(
        None, description="An own test that failed when it was last run; leave it out for the newest failure."
    )
    hidden: bool = Field(False, description="Explain the newest verdict of the hidden tests instead.")


async def _explain_finding(server: EditorServer, session: EditorSession, params: _Finding) -> str:
    uri = (session.workspace.folder / params.path).as_uri()
    return await _markdown_from_operation(server, "explainFinding", uri=uri, code=params.rule, source=params.source)


async def _explain_failure(server: EditorServer, session: EditorSession, params: _Failure) -> str:
    uri = session.workspace.folder.as_uri()
    return await _markdown_from_operation(server, "explainFailure", uri=uri, test=params.test, hidden=params.hidden)


async def _markdown_from_operation(server: EditorServer, explaining_operation: str, **operation_params: Any) -> str:
    explained = (await call_operation(server, explaining_operation, Wire, **operation_params)).model_dump(mode="json")
    return str(explained["markdown"])


async def _taken_and_next_hints_json(server: EditorServer, session: EditorSession, params: NoArguments) -> str:
    return _hint_position_json(await session.hint_ladder.current_position())


async def _take_hint_and_report_json(server: EditorServer, session: EditorSession, params: _NextHint) -> str:
    taken_hints = await session.hint_ladder.take_hint(params.number)
    session.on_status_changed()
    return _hint_position_json(taken_hints)


def _hint_position_json(hint_position: HintPosition) -> str:
    next_hint = hint_position.next
    hint_facts: dict[str, Any] = {
        "hints": hint_position.hint_count,
        "taken": [{"number": taken_hint.number, "text": taken_hint.text} for taken_hint in hint_position.taken],
        "next": next_hint
        and {"number": next_hint.number, "costs": next_hint.price, "waits_for": next_hint.waits_for or None},
    }
    return json.dumps(hint_facts)


async def _own_tests_json(server: EditorServer, session: EditorSession, params: NoArguments) -> str:
    own_tests = await call_operation(server, "ownTests", OwnTestList, uri=session.workspace.folder.as_uri())
    return json.dumps(
        [
            {
                "id": own_test.id,
                "kind": test_file.kind,
                "cases": [case.id for case in own_test.cases],
                **file_and_line_in_workspace(session, own_test.place),
            }
            for test_file in own_tests.files
            for own_test in test_file.tests
        ]
    )


async def _run_own_tests_and_report_json(server: EditorServer, session: EditorSession, params: _Tests) -> str:
    uri = session.workspace.folder.as_uri()
    came = await call_operation(server, "runOwnTests", OwnTestRuns, uri=uri, ids=params.ids, waves=params.waves)
    return json.dumps({"passed": came.passed, "runs": [_test_run_fields(session, test_run) for test_run in came.runs]})


def _test_run_fields(session: EditorSession, test_run: OwnTestRun) -> dict[str, Any]:
    has_failed = any(test_result.outcome == "failed" for test_result in test_run.results)
    return {
        "file": test_run.file,
        "top": test_run.top,
        "simulator": test_run.simulator,
        "results": [_nonempty_result_fields(session, test_result) for test_result in test_run.results],
        **({"output": test_run.output[-_MAX_OUTPUT:]} if has_failed else {}),
        **({"waves": session.workspace.relative(local_path_of(test_run.waves))} if test_run.waves is not None else {}),
    }


def _nonempty_result_fields(session: EditorSession, test_result: OwnTestResult) -> dict[str, Any]:
    result_facts = {
        "id": test_result.id,
        "outcome": test_result.outcome,
        "reason": test_result.reason,
        "message": test_result.message,
        "expected": test_result.expected,
        "got": test_result.got,
        "sim_time_ns": test_result.sim_time_ns,
        **file_and_line_in_workspace(session, test_result.place),
    }
    return {name: value for name, value in result_facts.items() if value not in (None, "")}


AID_TOOLS: tuple[AnyTool, ...] = (
    Tool(
        "hints",
        "The hints that were taken, and what the next one costs and waits for, without its text.",
        NoArguments,
        _taken_and_next_hints_json,
        HintsResult,
        aid=Aid.HINTS,
    ),
    Tool(
        "take_hint",
        "Takes the problem's next hint, for good: it may cost a share of the points, which the tool hints says.",
        _NextHint,
        _take_hint_and_report_json,
        HintsResult,
        reads_only=False,
        aid=Aid.HINTS,
    ),
    Tool(
        "explain_finding",
        "What a rule of slang, Verilator or verible means, with a wrong and a right example.",
        _Finding,
        _explain_finding,
        aid=Aid.EXPLANATIONS,
        required_operation="explainFinding",
    ),
    Tool(
        "explain_failure",
        "What is known of the newest failure, within what the solver may see, and likely causes in the design by rule.",
        _Failure,
        _explain_failure,
        aid=Aid.EXPLANATIONS,
        required_operation="explainFailure",
    ),
    Tool(
        "own_tests",
        "The cocotb tests and testbenches in the workspace, the solver's own and those that the problem gives.",
        NoArguments,
        _own_tests_json,
        OwnTestsResult,
        aid=Aid.OWN_TESTS,
        required_operation="ownTests",
    ),
    Tool(
        "run_own_tests",
        "Runs them on the saved files, with the tools of the hidden tests, and waits. Not limited in number.",
        _Tests,
        _run_own_tests_and_report_json,
        OwnTestRunsResult,
        reads_only=False,
        aid=Aid.OWN_TESTS,
        required_operation="runOwnTests",
    ),
)
"""All of them."""
