"""One command has programs of every kind work on a study's problem; one report compares them with people."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from benchwright_subjects.inline.server.confinement import can_confine

from ..support.models.acp_agents import programs
from ..support.models.agent_mode import require_editor
from ..support.models.agent_model import endpoint_that_writes
from ..support.models.eval import COUNTER
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply
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
from ..support.studies.study_subjects import BODY, SUPPORT, WRITES, Lab, lab, play

__all__ = ("lab", "programs")

pytestmark = pytest.mark.long


def doubles(lab: Lab) -> list[dict[str, object]]:
    """Two inline servers and an extension, two agents that speak ACP, three that don't, agent mode, a model."""
    guesses = shlex.join([sys.executable, str(SUPPORT / "plain_inline_server.py"), "good", str(lab.folder / "socket")])
    script = {"subject.script": {"rules": [{"after": ");", "say": BODY.strip()}]}}
    return [
        inline("knows", lab.server),
        inline("guesses", guesses, policy="first-line", most_asks=3),
        inline("extension", dialect="vscode", extensions=[extension(lab)], options=script),
        agent("permitted", command="double good", acp=True),
        agent("refused", command="double refusal", acp=True, refuses=["edit"]),
        agent("writes", command=WRITES),
        agent("idles", command="true"),
        agent("fails", command="exit 3"),
        agent("vscode-agent"),
        SCRIPTED,
    ]


def plays(request: JudgeRequest) -> PlayedReply:
    """The agents' model writes by the tools that it is offered; the rest is scripted."""
    is_editor = request.body["model"] == "worker" and request.body.get("tools")
    return endpoint_that_writes(request, COUNTER) if is_editor else play(request)


@pytest.mark.nightly
def test_one_command_and_one_report_compare_every_kind_of_program_with_people(lab: Lab, programs: Path) -> None:
    assert can_confine()
    require_editor()
    file = study(lab, *doubles(lab))
    assert run("study", "run", file).exit_code == 0
    people_and_an_mcp_client_work(lab)
    with JudgeEndpoint(plays) as endpoint:
        options = ("--base-url", endpoint.url, "--agent-place", f"benchwright:{programs}", "--json")
        came = printed_json(run("eval", "--study", file, *options))
        repeated = printed_json(run("eval", "--study", file, *options))
    passed_counts = outcomes(came)
    assert passed_counts == {
        "knows": (1, 1),
        "guesses": (1, 0),
        "extension": (1, 1),
        "permitted": (1, 1),
        "refused": (1, 0),
        "writes": (1, 1),
        "idles": (1, 0),
        "fails": (1, 0),
        "vscode-agent": (1, 1),
        "model": (2, 1),
    }
    assert repeated["conditions"] == came["conditions"]
    assert not repeated["runs"]

    compared_columns(lab, passed_counts)
    require_replayable_attempts(lab, {"alone", "helped", "by-mcp", *passed_counts})
