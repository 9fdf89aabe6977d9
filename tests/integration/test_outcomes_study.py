"""Three conditions and every outcome, worked out by hand: the rows of attempts, the counts and the denominators.

The model's attempts are real: Inspect, the sandbox, a harness that hangs. Those of people are recorded at fixed times.
"""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from benchwright_analysis.report.report import ReportOptions, write_report
from benchwright_attempts import log_file
from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import (
    Abandoned,
    AidUsed,
    Event,
    Paused,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
)
from benchwright_attempts.events.evidence import TimedOut
from benchwright_attempts.events.file_text import FileText, sha256
from benchwright_attempts.grading.regrading import regrade_if_undecided
from benchwright_attempts.services import Services
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, open_sandbox
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies import open_log
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.evaluation.evaluation import EvaluationRun, evaluate

PATH = "rtl/inv.sv"
RIGHT, WRONG, HANGS = (f"module inv; endmodule // {word}\n" for word in ("right", "wrong", "hang"))
TESTS = "if grep -q hang /code/rtl/inv.sv; then sleep 60; fi; grep -q right /code/rtl/inv.sv"
REPLIES = {
    # Problem, seed of the sample → reply.
    ("a", 0): RIGHT,
    ("a", 1): HANGS,
    ("a", 2): "I'm sorry, but I can't help with that.",
    ("b", 0): '{"code": [{"notes.txt": "assign y = ~a;"}]}',
    ("b", 1): " ",
    ("b", 2): WRONG,
}

# Who, problem: events with the second on the clock at which each is recorded.
Script = list[tuple[float, Event]]


def verdict(number: int, at_s: float, text: str, outcome: Outcome, reason: str) -> Script:
    run, snapshot = f"r{number}", {PATH: sha256(text.encode())}
    run_end = RunFinished(run=run, number=number, outcome=outcome, reason=reason, wall_s=1, passed=None, total=None)
    return [
        (at_s, Save(path=PATH, sha256=sha256(text.encode()), size=len(text))),
        (at_s, RunStarted(run=run, number=number, snapshot=snapshot)),
        (at_s, run_end),
    ]


P, F, E = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR
AT_LIMIT = TimedOut(reason="time_limit", limit=180)
PEOPLE: dict[tuple[str, str, str], Script] = {
    # It hangs, then it is right. `error` is how earlier versions recorded a hang.
    ("H1", "human", "a"): [
        *verdict(1, 60, HANGS, E, "timeout"),
        *verdict(2, 120, RIGHT, P, "passed"),
        (150, Submitted()),
    ],
    # Right, then wrong.
    ("H2", "human", "a"): [
        *verdict(1, 60, RIGHT, P, "passed"),
        *verdict(2, 100, WRONG, F, "tests_failed"),
        (110, Submitted()),
    ],
    # It hangs, and is submitted so.
    ("H3", "human", "b"): [*verdict(1, 90, HANGS, F, "timeout"), (120, Submitted())],
    # Drops out.
    ("H4", "human", "b"): [*verdict(1, 60, WRONG, F, "tests_failed"), (70, Paused())],
    # Submits while a tool is missing.
    ("H5", "human", "b"): [*verdict(1, 90, RIGHT, E, "tool_missing"), (100, Submitted())],
    # The limit ends it with a right design, which nobody had run before.
    ("C1", "human+copilot", "b"): [
        (90, Save(path=PATH, sha256=sha256(RIGHT.encode()), size=len(RIGHT))),
        *verdict(1, 180, RIGHT, P, "passed"),
        (180, AT_LIMIT),
    ],
    # The limit ends it with a wrong one.
    ("C2", "human+copilot", "b"): [*verdict(1, 90, WRONG, F, "build_failed"), (180, AT_LIMIT)],
    # Right once, and then gives up.
    ("C3", "human+copilot", "a"): [*verdict(1, 60, RIGHT, P, "passed"), (90, Abandoned())],
    # Submits while the sandbox is broken; regraded when it works again.
    ("C4", "human+copilot", "a"): [*verdict(1, 60, RIGHT, E, "sandbox_unavailable"), (80, Submitted())],
}

COLUMNS = ("state", "passed", "final", "outcome", "reason", "tries_to_pass", "censored_by", "runs", "undecided_runs")
TIMES = ("time_s", "first_pass_s")
BY_HAND: dict[str, tuple[str, ...]] = {
    "H1": ("submitted", "true", "passed", "passed", "passed", "2", "", "2", "0", "120", "120"),
    "H2": ("submitted", "true", "failed", "failed", "tests_failed", "1", "", "2", "0", "60", "60"),
    "H3": ("submitted", "false", "failed", "failed", "timeout", "", "handed_in_unsolved", "1", "0", "120", ""),
    "H4": ("paused", "false", "", "failed", "tests_failed", "", "still_open", "1", "0", "70", ""),
    "H5": ("submitted", "false", "error", "error", "tool_missing", "", "not_decided", "1", "1", "100", ""),
    "C1": ("timed_out", "true", "passed", "passed", "passed", "1", "", "1", "0", "180", "180"),
    "C2": ("timed_out", "false", "failed", "failed", "build_failed", "", "timed_out", "1", "0", "180", ""),
    "C3": ("abandoned", "true", "", "passed", "passed", "1", "", "1", "0", "60", "60"),
    "C4": ("submitted", "true", "passed", "passed", "passed", "1", "", "1", "0", "60", "60"),
}
# Of the model: problem, verdict.
BY_MODEL = sorted(
    [
        ("mine/a", "submitted", "true", "passed", "passed"),
        ("mine/a", "submitted", "false", "failed", "timeout"),
        ("mine/a", "submitted", "false", "failed", "declined"),
        ("mine/b", "submitted", "false", "failed", "unreadable"),
        ("mine/b", "submitted", "false", "failed", "empty"),
        ("mine/b", "submitted", "false", "failed", "tests_failed"),
    ]
)
ENDED = (
    *("attempts", "passed_ever", "passed_at_end", "wrong_after_right", "submitted_unsolved"),
    *("gave_up", "timed_out", "right_at_the_limit", "undecided"),
)
# H4 has not ended, so four of five count. C3 passed, so it counts there and not under gave up.
COUNTS = {
    "human": (4, 2, 1, 1, 1, 0, 0, 0, 1),
    "human+copilot": (4, 3, 2, 0, 0, 0, 1, 1, 0),
    "model: mockllm/model": (6, 1, 1, 0, 5, 0, 0, 0, 0),
}
# Ever: of those that are decided. At the end: H5 is undecided; C3 submitted nothing.
EVER = {"human": 2 / 3, "human+copilot": 3 / 4, "model: mockllm/model": 1 / 6}
AT_END = {"human": 1 / 3, "human+copilot": 2 / 4, "model: mockllm/model": 1 / 6}
# Means over problems a and b. Of the model pass@k with n = 3: a has c = 1, b has c = 0.
TRIES = {
    "human": {"1": (1 / 2 + 0) / 2, "2": (1 + 0) / 2},
    "human+copilot": {"1": (1 + 1 / 2) / 2},
    "model: mockllm/model": {"1": (1 / 3 + 0) / 2, "2": (2 / 3 + 0) / 2, "3": (1 + 0) / 2},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    study_home = Home.from_environment()
    records_file = tmp_path / "records.jsonl"
    compose = f'services: {{t: {{image: i, command: [sh, -c, "{TESTS}"]}}}}'
    records_file.write_text(
        "".join(
            json.dumps(
                {
                    "id": name,
                    "categories": ["cid003", "easy"],
                    "input": {"prompt": f"Problem {name}: write an inverter.", "context": {}},
                    "output": {"response": "", "context": {PATH: RIGHT}},
                    "harness": {"files": {"docker-compose.yml": compose}},
                }
            )
            + "\n"
            for name in "ab"
        )
    )
    pack = import_cvdp([records_file], "mine")
    limited = [
        problem.model_copy(update={"limits": problem.limits.model_copy(update={"wall_s": 4.0})})
        for problem in pack.problems
    ]
    Store(study_home).add(pack.model_copy(update={"problems": tuple(limited)}))
    yield study_home


def people_work(home: Home) -> dict[str, str]:
    """Records the scripts; who → attempt."""
    moment = [0]
    attempts: dict[str, str] = {}
    with StudyLog(log_file(home), monotonic_ns=lambda: moment[0]) as log:
        for (participant, condition, problem), attempt_script in PEOPLE.items():
            digest = Store(home).problem(f"mine/{problem}").public_digest
            files = {PATH: FileText.of_text(RIGHT)}
            attempts[participant] = (
                Attempts(log)
                .create(
                    f"mine/{problem}", digest, home.data / participant, files, solver=participant, condition=condition
                )
                .id
            )
            start_ns = moment[0]
            log.append_blocking(attempts[participant], Started(actor=Actor.PERSON))
            if condition == "human+copilot":
                asked = AidUsed(aid="generated", feature="explanation", actor=Actor.PERSON)
                log.append_blocking(attempts[participant], asked)
            for at_s, event in attempt_script:
                moment[0] = start_ns + round(at_s * 1e9)
                log.append_blocking(attempts[participant], event)
            moment[0] += 1_000_000_000
    return attempts


def model() -> Model:
    def play(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        problem = "a" if "Problem a" in "".join(message.text for message in messages) else "b"
        assert config.seed is not None
        return ModelOutput.from_content("mockllm/model", REPLIES[problem, config.seed])

    return get_model("mockllm/model", custom_outputs=play, memoize=False)


def regrade_one(home: Home, attempt: str) -> None:
    async def work() -> None:
        services: Services[StudyLog] = Services(home, open_log, lambda: open_sandbox(DEFAULT_SANDBOX))
        try:
            grading = await regrade_if_undecided(services, attempt)
            assert grading is not None and grading.verdict.outcome is Outcome.PASSED, grading
            assert await regrade_if_undecided(services, attempt) is None, "what is decided is not graded again"
        finally:
            await services.close()

    asyncio.run(work())


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "attempts.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_every_outcome_of_three_conditions_is_counted_as_worked_out_by_hand(home: Home, tmp_path: Path) -> None:
    attempts = people_work(home)
    evaluate(
        EvaluationRun(
            "answer", {"pack": "mine", "seed": 0}, model(), tmp_path / "evals", samples_per_problem=3, display="none"
        ),
    )
    regrade_one(home, attempts["C4"])
    with open_log(log_file(home)) as log:
        write_report(log, Store(home), ReportOptions(tmp_path / "report", events=False))

    table_rows = rows(tmp_path / "report")
    assert len(table_rows) == 15
    by_who = {row["participant"]: row for row in table_rows if row["solver"] != "model"}
    assert {
        participant: (*(row[column] for column in COLUMNS), *(_seconds(row[column]) for column in TIMES))
        for participant, row in by_who.items()
    } == BY_HAND
    assert {row["participant"] for row in table_rows if row["excluded_by"]} == {"H4"}
    columns = ("problem", "state", "passed", "final", "reason")
    assert sorted(tuple(row[c] for c in columns) for row in table_rows if row["solver"] == "model") == BY_MODEL

    numbers: dict[str, Any] = {
        name: section["numbers"]
        for name, section in json.loads((tmp_path / "report" / "report.json").read_text())["sections"].items()
    }
    assert {
        group: tuple(tally[part] for part in ENDED) for group, tally in numbers["outcomes"]["groups"].items()
    } == COUNTS
    assert numbers["outcomes"]["undecided_reasons"] == {"tool_missing": 1}
    assert _values(numbers["success"]["overall"]) == pytest.approx(EVER)
    assert _values(numbers["success"]["at_end"]) == pytest.approx(AT_END)
    assert {group: pytest.approx(_values(shares)) for group, shares in numbers["outcomes"]["tries"].items()} == TRIES


def _seconds(cell: str) -> str:
    return f"{float(cell):g}" if cell else ""


def _values(estimates: dict[str, dict[str, float]]) -> dict[str, float]:
    return {name: estimate["value"] for name, estimate in estimates.items()}
