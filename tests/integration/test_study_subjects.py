"""A study whose conditions name programs: two of people, a copilot alone, an agent and a model, in one report."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from benchwright_attempts.assigned_subject import AssignedSubject
from benchwright_attempts.events.events import (
    Abandoned,
    AssistAsked,
    Edit,
    RunFinished,
    RunStarted,
    Started,
    Submitted,
    TextSet,
)
from benchwright_attempts.events.evidence import (
    Assigned,
    AssistAccepted,
    AssistShown,
    ClockHeld,
    EditReason,
    Environment,
    InstalledExtension,
    ModelUsage,
)
from benchwright_attempts.terms import Terms
from benchwright_subjects.inline.server.confinement import can_confine

from ..support.service.judge_endpoint import JudgeEndpoint, content
from ..support.studies.eval_study import printed_json, run
from ..support.studies.study_subjects import BODY, SUPPORT, Lab, lab, people_work, play, written_report

__all__ = ("lab",)


def test_people_copilots_agents_and_models_are_columns_of_one_report(lab: Lab) -> None:
    file = lab.study()
    assert run("study", "run", file).exit_code == 0
    people_work(lab)
    came = printed_json(run("completion", "study", file, "--json"))
    assert {name: (counts["done"], counts["passed"]) for name, counts in came["conditions"].items()} == {
        "copilot": (1, 1),
        "floor": (1, 0),
    }
    with JudgeEndpoint(play) as endpoint:
        options = ("--base-url", endpoint.url, "--json")
        partly = printed_json(run("eval", "--study", file, "--condition", "small", *options))
        assert partly["conditions"]["small"]["passed"] == 1
        report = written_report(lab)
        assert report["sections"]["side-by-side"]["numbers"]["missing"] == ["worker"]
        assert "worker has no attempt that counts" in " ".join(report["sections"]["side-by-side"]["says"])
        printed_json(run("eval", "--study", file, *options))

    report = written_report(lab)
    assert report["groups"] == ["alone", "helped", "copilot", "floor", "worker", "small"]
    columns = report["sections"]["side-by-side"]["numbers"]["columns"]
    assert {name: (column["attempts"], column["solved"]["value"]) for name, column in columns.items()} == {
        "alone": (1, 0),
        "helped": (1, 1),
        "copilot": (1, 1),
        "floor": (1, 0),
        "worker": (1, 1),
        "small": (2, 0.5),
    }
    assert columns["helped"]["minutes_to_pass"]["value"] == 2
    assert 0 < columns["copilot"]["minutes_to_pass"]["value"] < 2
    assert (columns["copilot"]["bound"], columns["floor"]["bound"]) == ("", "floor")
    (program,) = columns["copilot"]["subjects"]
    assert (program["subject"], program["subject_version"], program["policy"]) == ("double", "1.2.3", "always")
    assert columns["helped"]["registered"] == {"name": "github.copilot", "version": "1.5.0"}
    assert columns["floor"]["failures"] == {"tests_failed": 1}
    offered = report["sections"]["assistance"]["numbers"]
    funnel = offered["funnel"]
    assert (funnel["helped"]["asked"], funnel["helped"]["accepted"], funnel["helped"]["retained"]["value"]) == (
        None,
        1,
        1,
    )
    copilot = funnel["copilot"]
    # It offers the body, and then has nothing.
    assert (copilot["asked"], copilot["shown"], copilot["accepted"], copilot["partly"]) == (2, 1, 1, 0)
    assert copilot["shown_share"]["value"] == 0.5
    assert offered["latency"]["copilot"]["requests"] == 2
    sources = report["sections"]["origins"]["numbers"]["by_condition"]
    shares_by_group = {
        group: {origin["source"]: origin["pooled"]["value"] for origin in origins["sources"]}
        for group, origins in sources.items()
    }
    assert (shares_by_group["helped"]["completion"], shares_by_group["helped"]["typed"]) == (0.5, 0.5)
    assert shares_by_group["copilot"]["completion"] > 0.9
    assert shares_by_group["worker"]["chat"] == 1
    remarks = " ".join(report["sections"]["side-by-side"]["says"])
    assert "there is no ceiling here" in remarks
    assert "no floor" not in remarks
    assert "leaves open the version and the configuration of double (floor)" in remarks


def test_a_copilot_alone_is_in_the_log_as_everybody_is(lab: Lab) -> None:
    file = lab.study()
    printed_json(run("completion", "study", file, "--condition", "copilot", "--json"))
    copilot_events = lab.events("copilot")
    event_types = [type(event) for event in copilot_events]
    assert event_types[3:] == [
        Started, AssistAsked, AssistShown, EditReason, Edit, event_types[8], AssistAccepted, *event_types[10:13],
        AssistAsked, ClockHeld, RunStarted, RunFinished, Submitted,
    ]  # fmt: skip
    (assigned,) = (event for event in copilot_events if isinstance(event, Assigned))
    assert (assigned.solver, assigned.condition) == ("agent", "copilot")
    assert assigned.subject == AssignedSubject(name="double", version="1.2.3", policy="always", start="empty-body")
    usage = next(event for event in copilot_events if isinstance(event, ModelUsage))
    assert usage.parameters["subject_version"] == "1.2.3"
    assert not [event for event in copilot_events if isinstance(event, TextSet)]

    second_summary = printed_json(run("completion", "study", file, "--condition", "copilot", "--json"))
    assert second_summary["conditions"]["copilot"]["done"] == 1
    assert len(lab.events("copilot")) == len(copilot_events), "what has ended is not played again"


@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")
def test_the_model_of_a_copilot_alone_is_what_the_study_registers_and_its_tokens_are_recorded(
    lab: Lab,
) -> None:
    (lab.folder / "script.json").write_text(json.dumps({"model": "http://127.0.0.1:13131/v1"}))
    condition = "name: copilot\n    solver: agent\n"
    file = lab.study(**{condition: f"{condition}    model: openai-api/local/scripted\n"})
    replies = iter([BODY.strip(), ""])
    with JudgeEndpoint(lambda request: content(next(replies))) as endpoint:
        refusal = run("completion", "study", file, "--condition", "copilot", "--model", "openai/gpt-5")
        assert "Leave out --model" in " ".join(refusal.output.split())
        options = ("--base-url", endpoint.url, "--json")
        came = printed_json(run("eval", "--study", file, "--condition", "copilot", *options))
        assert [request.seed for request in endpoint.requests] == [40, 40]
    assert came["conditions"]["copilot"]["passed"] == 1
    usages = [event for event in lab.events("copilot") if isinstance(event, ModelUsage)]
    assert usages[0].parameters["subject"] == "double"
    assert {usage.model for usage in usages} == {"openai-api/local/scripted"}
    assert (sum(usage.calls for usage in usages), sum(usage.input_tokens for usage in usages)) == (2, 200)
    columns = written_report(lab)["sections"]["side-by-side"]["numbers"]["columns"]
    assert columns["copilot"]["tokens"] == 240


@pytest.mark.parametrize(
    ("old_text", "new_text", "field"),
    [
        ("version: 1.2.3", "version: 9.9.9", "subject.version: the study registers 9.9.9; here is 1.2.3."),
        ("version: 1.2.3", f"configuration: {'a' * 64}", f"subject.configuration: the study registers {'a' * 64}"),
    ],
)
def test_another_server_than_the_registered_one_does_not_begin(
    lab: Lab, old_text: str, new_text: str, field: str
) -> None:
    refused_run = run("completion", "study", lab.study(**{old_text: new_text}), "--condition", "copilot")
    assert refused_run.exit_code == 2
    assert field in " ".join(refused_run.output.split())
    assert not lab.events("copilot")


def test_another_agent_than_the_registered_one_does_not_begin(lab: Lab) -> None:
    digest = f"configuration: {'a' * 64}, command: "
    file = lab.study(**{"name: writer, command: ": f"name: writer, {digest}"})
    with JudgeEndpoint(play) as endpoint:
        eval_options = ("--study", file, "--condition", "worker", "--base-url", endpoint.url)
        first_refusal = run("eval", *eval_options)
        assert first_refusal.exit_code == 2
        assert "conditions[4].subject.configuration" in first_refusal.output
        refusal = run("eval", *eval_options, "--subject", "codex")
    assert refusal.exit_code == 2
    assert "Leave out --subject" in " ".join(refusal.output.split())
    assert not lab.events("worker")


def test_a_condition_of_a_model_is_none_of_an_inline_server(lab: Lab) -> None:
    file = lab.study()
    wrong_command = run("completion", "study", file, "--condition", "small")
    assert wrong_command.exit_code == 2
    assert "benchwright eval --study" in " ".join(wrong_command.output.split())


def test_a_server_that_breaks_off_leaves_an_attempt_that_says_so(lab: Lab) -> None:
    dying = shlex.join([sys.executable, str(SUPPORT / "plain_inline_server.py"), "dies", str(lab.folder / "socket")])
    file = lab.study(**{json.dumps(lab.server): json.dumps(dying), ", version: 1.2.3": ""})
    came = printed_json(run("completion", "study", file, "--condition", "copilot", "--json"))
    assert came["conditions"]["copilot"] == {
        "model": "double", "done": 1, "total": 1, "passed": 0, "failed": 1, "undecided": 0,
    }  # fmt: skip
    ended = lab.events("copilot")[-1]
    assert isinstance(ended, Abandoned)
    assert ended.reason == "subject_failed: ended (The server ended by itself with exit status 3)"
    report = written_report(lab)
    columns = report["sections"]["side-by-side"]["numbers"]["columns"]
    assert columns["copilot"]["failures"] == {"subject: ended": 1}


def test_another_version_of_a_persons_copilot_is_flagged() -> None:
    assigned = Assigned(
        study="s",
        study_sha256="0" * 64,
        participant="P01",
        condition="helped",
        solver="human+copilot",
        assistants=("github.copilot",),
        subject=AssignedSubject(name="github.copilot", version="1.5.0"),
        position=1,
        recording="full",
    )
    for version, rules in (("1.5.0", []), ("1.6.0", ["assistant_version"])):
        extension = InstalledExtension(id="GitHub.copilot", version=version, active=True, ai=True)
        violations = Terms("helped", assigned).violations(Environment(editor="e", extensions=(extension,)))
        assert [violation.rule for violation in violations] == rules
