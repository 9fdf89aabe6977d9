"""The comparison of every kind of program, with real ones of npm and PyPI at once; their models are scripted."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from benchwright_attempts.events.evidence import ModelUsage
from benchwright_subjects.agent_mode import AGENT_MODE_SUBJECT
from benchwright_subjects.inline.server.confinement import can_confine

from ..support.models.agent_mode import editor_launch, require_editor
from ..support.models.agent_model import endpoint_that_writes
from ..support.models.eval import COUNTER
from ..support.models.inline_packages import NotInstalledError, node_modules
from ..support.models.subjects import installed_preset
from ..support.models.tabby_endpoint import TabbyEndpoint, tabby_endpoint
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content
from ..support.studies.all_subjects import (
    SCRIPTED,
    agent,
    compared_columns,
    extension,
    inline,
    outcomes,
    people_and_an_mcp_client_work,
    require_replayable_attempts,
    study,
)
from ..support.studies.eval_study import printed_json, run
from ..support.studies.study_subjects import BODY, Lab, lab
from ..support.studies.study_subjects import play as scripted

__all__ = ("lab",)

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
LED_BY_ACP = ("codex-acp", "opencode-acp")
BY_COMMAND_LINE = ("aider", "codex", "mini-swe-agent")
PROGRAMS = ("benchwright-lsp", "tabby", "extension", *LED_BY_ACP, *BY_COMMAND_LINE, AGENT_MODE_SUBJECT)


def body(text_before: str) -> str:
    """The module's body, at the end of its header alone."""
    return BODY.strip() if text_before.rstrip().endswith(");") else ""


def play(request: JudgeRequest) -> PlayedReply:
    match request.body["model"]:
        case "worker":
            return endpoint_that_writes(request, COUNTER)
        case "completes":
            return content(body(request.user.partition("<CURSOR>")[0]))
        case "ghost":
            return content(body(request.body["messages"][0]["content"]))
    return scripted(request)


def programs(lab: Lab, url: str, tabby: TabbyEndpoint) -> list[dict[str, object]]:
    """Two inline servers and an extension, two agents led by ACP, three that work alone, agent mode, a model."""
    try:
        cli = node_modules() / "tabby-agent" / "dist" / "cli.js"
    except NotInstalledError as error:
        pytest.skip(str(error))
    assistant = {"enabled": True, "url": url, "model": "completes"}
    settings = '"$HOME"/.tabby-client/agent'
    start_script = f'mkdir -p {settings}; printf %s "$1" > {settings}/config.toml; exec node "$0" --lsp --stdio'
    asks = {
        "subject.script": {"vendor": "benchwright", "rules": [{"after": ");"}]},
        "benchwright.model.url": url,
        "benchwright.model.model": "ghost",
    }
    return [
        inline("benchwright-lsp", shlex.join([str(BENCHWRIGHT), "lsp"]), options={"assistant": assistant}),
        inline("tabby", shlex.join(["sh", "-c", start_script, str(cli), tabby.settings]), dialect="tabby"),
        inline("extension", dialect="vscode", extensions=[extension(lab)], options=asks, timeout_s=60),
        *(agent(name, version=installed_preset(name).version) for name in (*LED_BY_ACP, *BY_COMMAND_LINE)),
        agent(AGENT_MODE_SUBJECT, version=str(editor_launch().identity_facts["subject_version"])),
        SCRIPTED,
    ]


@pytest.mark.nightly
def test_one_command_and_one_report_compare_real_programs_of_every_kind_with_people(lab: Lab) -> None:
    assert can_confine()
    require_editor()
    with JudgeEndpoint(play) as endpoint, tabby_endpoint(body) as tabby:
        file = study(lab, *programs(lab, endpoint.url, tabby))
        assert run("study", "run", file).exit_code == 0
        people_and_an_mcp_client_work(lab)
        came = printed_json(run("eval", "--study", file, "--base-url", endpoint.url, "--json"))
    passed_counts = outcomes(came)
    assert passed_counts == {**dict.fromkeys(PROGRAMS, (1, 1)), "model": (2, 1)}
    report_columns = compared_columns(lab, passed_counts)
    for name in (*LED_BY_ACP, *BY_COMMAND_LINE):
        (program,) = report_columns[name]["subjects"]
        assert program["subject_version"] == installed_preset(name).version
        usages = [event for event in lab.events(name) if isinstance(event, ModelUsage)]
        assert sum(event.calls for event in usages) >= 1
    (program,) = report_columns[AGENT_MODE_SUBJECT]["subjects"]
    assert program["subject_version"] == editor_launch().identity_facts["subject_version"]
    require_replayable_attempts(lab, {"alone", "helped", "by-mcp", *passed_counts})
    assert {request.body["model"] for request in endpoint.requests} == {"worker", "completes", "ghost", "scripted"}
    assert tabby.completion_requests
