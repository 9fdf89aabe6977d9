"""A study in which a person and models work: the plan decides what models are asked, and the report counts them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator

import pytest
from inspect_ai.log import read_eval_log

from benchwright_attempts import log_file
from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.engine import SUBMITTING
from benchwright_attempts.events.events import Paused, RunFinished, Started, Submitted
from benchwright_attempts.events.evidence import Assigned, ClockHeld, Forecast, ModelUsage
from benchwright_attempts.events.file_text import FileText
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.prompt_sets.forms import digest_of_prompt_forms
from benchwright_subjects.prompt_sets.quarch import QUARCH

from ..support.models.eval import COUNTER, design
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content
from ..support.studies.eval_study import Lab, call, lab, printed_json, run

__all__ = ("lab",)

PASSES = "services: {a: {image: i, command: [sh, -c, exit 0]}}"
MODELS_ONLY = """\
study: machines
title: Machines only
problems: [starter/amdahl, starter/gates-of-a-figure]
conditions:
  - {name: small, solver: model, model: openai-api/local/scripted}
randomisation: {seed: 1}
"""
PRIMARY = "analysis: {primary: solved}\n"


class Models:
    """Answers by their name: `scripted` knows the question at its first try only, `worker` works."""

    def __init__(self) -> None:
        self.seeds: list[tuple[str, int]] = []
        self.tools: list[str] = []

    def __call__(self, request: JudgeRequest) -> PlayedReply:
        model = request.body["model"]
        self.seeds.append((model, request.seed))
        if model == "worker":
            return self._work(request)
        if "sat_counter" in request.user:
            design = COUNTER if request.seed == 41 else "module sat_counter; endmodule"
            return content(f"```systemverilog\n{design}```\nConfidence: 70 %")
        sure = "**Confidence:** 90%" if request.user.endswith("exactly this form:\nConfidence: <number> %") else ""
        return content(f"{'B' if request.seed == 40 else 'A'}\n\n{sure}")

    def _work(self, request: JudgeRequest) -> PlayedReply:
        messages = request.body["messages"]
        tool_messages = [message for message in messages if message["role"] == "tool"]
        self.tools += [str(message["content"]) for message in tool_messages[-1:]]
        if not any("sat_counter" in str(message["content"]) for message in messages):
            return call("write_file", path="answer.md", content="B") if not tool_messages else call("submit")
        played_replies = (
            call("run_hidden_tests"),
            call("run_hidden_tests"),
            call("write_file", path="rtl/sat_counter.sv", content=COUNTER),
            call("submit"),
        )
        return played_replies[len(tool_messages)]


@pytest.fixture
def models() -> Models:
    return Models()


@pytest.fixture
def endpoint(models: Models) -> Iterator[JudgeEndpoint]:
    with JudgeEndpoint(models) as served:
        yield served


def counts(model: str, attempts: int, **given_counts: int) -> dict[str, object]:
    """Counts that `benchwright eval --study` states of a condition that is complete."""
    outcome_counts = {"passed": 0, "failed": 0, "undecided": 0} | given_counts
    return {"model": f"openai-api/local/{model}", "done": attempts, "total": attempts, **outcome_counts}


def the_person_works(lab: Lab) -> None:
    """P01 solves the question after a minute, and the design never."""
    moment = [0]
    with StudyLog(log_file(lab.home), monotonic_ns=lambda: moment[0]) as log:
        studies = Studies(log, Attempts(log))
        studies.enroll("both", "P01")
        studies.give_consent("both", "P01", "1")
        for task in studies.study("both").study.problems:
            studies.record_next_forecast("both", "P01", task.problem, Forecast(minutes_without_ai=4))
        for _ in range(2):
            assigned, agreed, ref = studies.next_task("both", "P01")
            problem = Store(lab.home).problem(ref)
            header = Attempts(log).create(
                ref,
                problem.public_digest,
                lab.folder / "w",
                {path: FileText.of_text(text) for path, text in problem.public.files.items()},
                solver="P01",
                condition=assigned.condition,
                study="both",
                recording=assigned.recording,
            )
            for event in (assigned, agreed, Started(actor=Actor.PERSON)):
                log.append_blocking(header.id, event)
            studies.record_task_begun(assigned, ref, header.id)
            moment[0] += 60_000_000_000
            has_passed = ref.endswith("amdahl")
            outcome = Outcome.PASSED if has_passed else Outcome.FAILED
            reason = "passed" if has_passed else "tests_failed"
            log.append_blocking(
                header.id, RunFinished(run="r", number=1, outcome=outcome, reason=reason, wall_s=1, digests={})
            )
            log.append_blocking(header.id, Submitted())
        studies.record_finish_if_finished("both", "P01")


def test_a_study_of_a_person_a_model_and_an_agent_comes_into_one_report(
    lab: Lab, models: Models, endpoint: JudgeEndpoint
) -> None:
    file = lab.study()
    assert run("study", "run", file).exit_code == 0
    the_person_works(lab)
    came = printed_json(run("eval", "--study", file, "--base-url", endpoint.url, "--json"))
    assert came["conditions"] == {
        "small": counts("scripted", 4, passed=2, failed=2),
        "worker": counts("worker", 2, passed=2),
    }
    # The plan's seed, and one more for each further sample.
    assert sorted(set(models.seeds)) == [("scripted", 40), ("scripted", 41), ("worker", 40)]

    small = lab.headers_of("small")
    assert {(attempt.study, attempt.solver) for attempt in small} == {("both", "openai-api/local/scripted")}
    event_types = [type(event).__name__ for event in lab.events(small[0].id)]
    assert event_types[:3] == ["Opened", "Assigned", "Started"]
    (assigned,) = {event for attempt in small for event in lab.events(attempt.id) if isinstance(event, Assigned)} & {
        event for event in lab.events(small[0].id) if isinstance(event, Assigned)
    }
    assert (assigned.solver, assigned.condition, assigned.runs_allowed) == ("model", "small", 2)
    assert assigned.time_limit_s in (300, 600)
    usages = [event for event in lab.events(small[0].id) if isinstance(event, ModelUsage)]
    assert usages[0].parameters["prompts"] == "benchwright+confidence"
    # The study does not let the clock stand for hidden tests, but for what was submitted.
    held_reasons = {
        event.reason for attempt in small for event in lab.events(attempt.id) if isinstance(event, ClockHeld)
    }
    assert held_reasons <= {SUBMITTING}

    # Two runs can be asked for, and of each the agent sees the verdict alone; submitting grades once more.
    (design_of_worker,) = [attempt for attempt in lab.headers_of("worker") if attempt.problem.endswith("counter")]
    run_ends = [event for event in lab.events(design_of_worker.id) if isinstance(event, RunFinished)]
    assert [event.outcome for event in run_ends] == ["failed", "failed", "passed"]
    first_output = next(text for text in models.tools if text.startswith("failed."))
    assert first_output.splitlines()[1:] == ["[1 runs left]"]

    facts = printed_json(run("study", "status", "both", "--json"))
    assert facts["machines"]["small"] == {"model": "openai-api/local/scripted", "done": 4, "total": 4}
    assert run("study", "close", "both", "--yes").exit_code == 0
    assert printed_json(run("study", "status", "both", "--json"))["flaws"] == []

    # Beside the study, and later than its end.
    later_options = ("--pack", "starter", "--problem", "amdahl", "--model", "openai-api/local/late", "--seed", "40")
    printed_json(run("eval", *later_options, "--base-url", endpoint.url, "--json"))
    assert run("report", "--study", "both", "--out", lab.folder / "report").exit_code == 0
    report = json.loads((lab.folder / "report" / "report.json").read_text())
    assert report["groups"] == ["alone", "worker", "small"]
    numbers = {name: section["numbers"] for name, section in report["sections"].items()}
    solved_counts = {
        group: (rate["attempts"], rate["passed_ever"]) for group, rate in numbers["outcomes"]["groups"].items()
    }
    assert solved_counts == {"alone": (2, 1), "worker": (2, 2), "small": (4, 2)}
    # `small` knows each problem in one of two samples.
    pass_at = {name: numbers["models"][name]["pass@1"]["estimate"]["unbiased"]["value"] for name in ("small", "worker")}
    assert pass_at == {"small": 0.5, "worker": 1.0}
    assert numbers["models"]["small"]["pass@2"]["estimate"]["unbiased"]["value"] == 1.0
    assert numbers["models"]["small"]["usage"]["calls"] == 4
    assert numbers["support"]["deviations"] == []
    # It says 70 % of the design and 90 % of the question, each of which it knows once in two.
    facts = numbers["estimates"]["self_success, small"]
    assert (facts["forecasts"], facts["brier"]["value"]) == (4, pytest.approx((0.1**2 + 0.9**2 + 0.3**2 + 0.7**2) / 4))
    assert facts["ece"] == pytest.approx(((0.9 - 0.5) + (0.7 - 0.5)) / 2)
    assert {pack["pack"]: pack["published"] for pack in numbers["models"]["worker"]["packs"]} == {
        "starter": "2026-11-20"
    }
    with (lab.folder / "report" / "attempts.csv").open(newline="") as table:
        cutoffs = {(row["condition"], row["knowledge_cutoff"]) for row in csv.DictReader(table)}
    assert cutoffs == {("alone", ""), ("small", ""), ("worker", "2024-09"), ("model", "")}
    late = numbers["after-closing"]["groups"]
    assert {group: group_numbers["attempts"] for group, group_numbers in late.items()} == {
        "model: openai-api/local/late": 1
    }
    logs = [read_eval_log(str(lab.folder / "report" / name)) for name in report["files"]["inspect"]]
    assert sorted((log.eval.task_args["condition"], len(log.samples or ())) for log in logs) == [
        ("", 1),  # That of the late attempt, which the report shows as such.
        ("small", 4),
        ("worker", 2),
    ]


def test_prompts_that_have_no_form_for_a_problem_are_refused_with_their_line(lab: Lab) -> None:
    file = lab.study(MODELS_ONLY.replace("local/scripted}", "local/scripted, prompts: cvdp-1.1}"))
    for command in (("study", "validate"), ("study", "register", "--out", "out"), ("eval", "--study")):
        refusal = run(*command, file)
        assert refusal.exit_code == 2, command
        words = " ".join(refusal.output.split())
        assert "study.yaml, line 5, conditions[0].prompts: cvdp-1.1 is for problems with a category of CVDP" in words
        assert "starter/amdahl" in words


def test_the_registration_names_each_models_prompts_with_their_digest(lab: Lab) -> None:
    file = lab.study(MODELS_ONLY.replace("local/scripted}", "local/scripted, prompts: quarch}") + PRIMARY)
    assert run("study", "register", "--out", "out", file).exit_code == 0
    document = json.loads((lab.folder / "out" / "registration.json").read_text())
    assert document["prompts"] == {"small": {"name": "quarch", "sha256": digest_of_prompt_forms(QUARCH)}}


def test_what_is_done_is_not_asked_again_and_what_is_missing_is(
    lab: Lab, models: Models, endpoint: JudgeEndpoint
) -> None:
    file = lab.study(MODELS_ONLY)
    study_options = ("--study", file, "--base-url", endpoint.url, "--json")
    first = printed_json(run("eval", *study_options))
    assert len(models.seeds) == 2
    repeated = printed_json(run("eval", *study_options))
    assert (repeated["runs"], len(models.seeds)) == ([], 2)
    assert repeated["conditions"] == first["conditions"], "the second run says what was there"
    listing = run("eval", *study_options[:-1])
    assert "earlier runs" in listing.stdout and "\t2\t2\t" in listing.stdout
    with StudyLog(log_file(lab.home)) as log:
        ids = {header.id for header in log.headers()}
        studies = Studies(log, Attempts(log))
        registered_study = studies.study("machines")
    assert len(ids) == 2
    assert set(registered_study.digests) == {"starter/amdahl", "starter/gates-of-a-figure"}


def test_a_sample_that_broke_off_is_gone_on_with_in_the_same_attempt(lab: Lab) -> None:
    is_up = False

    def play(request: JudgeRequest) -> PlayedReply:
        return content("B") if is_up else PlayedReply(b'{"error": {"message": "no such model"}}', status=400)

    with JudgeEndpoint(play) as endpoint:
        study_options = ("--study", lab.study(MODELS_ONLY), "--base-url", endpoint.url, "--json")
        broken_run = run("eval", *study_options)
        assert broken_run.exit_code == 1, broken_run.output
        assert json.loads(broken_run.stdout)["conditions"]["small"]["done"] == 0
        assert "eval --study machines" in broken_run.stderr
        ids_before = {attempt.id for attempt in lab.headers_of("small")}
        is_up = True
        assert printed_json(run("eval", *study_options))["conditions"]["small"]["done"] == 2
    assert {attempt.id for attempt in lab.headers_of("small")} == ids_before
    event_types = [type(event).__name__ for event in lab.events(next(iter(ids_before)))]
    assert event_types.count("Assigned") == 1


def test_the_time_limit_is_the_problems_own(lab: Lab) -> None:
    text = MODELS_ONLY.replace(
        "[starter/amdahl, starter/gates-of-a-figure]",
        "[{problem: starter/amdahl, time_minutes: 0.01}, starter/gates-of-a-figure]",
    )

    def play(request: JudgeRequest) -> PlayedReply:
        delay_s = 0 if "figure" in request.user or isinstance(request.body["messages"][1]["content"], list) else 3
        return PlayedReply(content("B").body, headers={"Content-Type": "application/json"}, delay_s=delay_s)

    with JudgeEndpoint(play) as endpoint:
        result = run("eval", "--study", lab.study(text), "--base-url", endpoint.url, "--json")
    assert result.exit_code == 1, result.output
    assert json.loads(result.stdout)["conditions"]["small"]["done"] == 1
    pause_reasons = {
        attempt.problem: [event.reason for event in lab.events(attempt.id) if isinstance(event, Paused)]
        for attempt in lab.headers_of("small")
    }
    # A model that has not answered once says nothing: its provider may be slow.
    assert pause_reasons["starter/gates-of-a-figure"] == []
    assert "no reply in 0.6 s" in "".join(map(str, pause_reasons["starter/amdahl"]))


def replace_problem(lab: Lab, text: str) -> None:
    from benchwright_problems.datasets.cvdp import import_cvdp

    record = design(PASSES)
    record["input"]["prompt"] = text
    file = lab.folder / "designs.jsonl"
    file.write_text(json.dumps(record) + "\n")
    Store(lab.home).add(import_cvdp([file], "mine"), replace=True)


def test_a_pack_of_another_version_is_refused_with_its_field(lab: Lab, models: Models, endpoint: JudgeEndpoint) -> None:
    replace_problem(lab, "Write an inverter.")
    text = MODELS_ONLY.replace("starter/gates-of-a-figure", "mine/inverter")
    assert run("study", "run", lab.study(text)).exit_code == 0
    replace_problem(lab, "Write a better inverter.")
    refusal = run("eval", "--study", "machines", "--base-url", endpoint.url)
    assert refusal.exit_code == 2, refusal.output
    assert "machines.yaml, line 3, problems[1]: mine/inverter is not the version" in refusal.stderr
    assert models.seeds == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "openai/gpt-5"), "machines.yaml, line 5, conditions[0].model: the study asks openai-api/local"),
        (("--condition", "alone"), "no condition 'alone'"),
        (("--samples", "3"), "leave out --samples"),
        (("--pack", "starter", "--problem", "amdahl"), "leave out --pack, --problem"),
        (("--time-limit", "3"), "leave out --time-limit"),
    ],
)
def test_what_the_plan_does_not_allow_is_refused(arguments: tuple[str, ...], words: str, lab: Lab) -> None:
    refusal = run("eval", "--study", lab.study(MODELS_ONLY), *arguments)
    assert refusal.exit_code == 2, refusal.output
    assert words in refusal.stderr
    assert "Traceback" not in refusal.output


def test_a_closed_study_asks_nobody(lab: Lab, models: Models, endpoint: JudgeEndpoint) -> None:
    file = lab.study(MODELS_ONLY)
    assert run("study", "run", file).exit_code == 0
    assert run("study", "close", "machines", "--force").exit_code == 0
    refusal = run("eval", "--study", "machines", "--base-url", endpoint.url)
    assert refusal.exit_code == 2
    assert "is closed" in refusal.stderr
    assert models.seeds == []


@pytest.mark.parametrize(("study", "words"), [("nowhere.yaml", "no study file"), ("unknown", "no study 'unknown'")])
def test_a_study_that_is_not_there_is_named(study: str, words: str, lab: Lab) -> None:
    refusal = run("eval", "--study", study)
    assert refusal.exit_code == 2
    assert words in refusal.stderr
