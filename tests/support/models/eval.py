"""Fixtures and helpers of the tests of eval."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.log.export import export_lines
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.storage.store import Store
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.evaluation.evaluation import EvaluationRun, evaluate

STARTER = Path(str(files("benchwright_problems") / "packs" / "starter"))


COUNTER = (STARTER / "saturating-counter" / "hidden" / "reference" / "rtl" / "sat_counter.sv").read_text()


CANARY = "CANARY-4b7e"


Reply = Callable[[list[ChatMessage], GenerateConfig], ModelOutput]


@dataclass(frozen=True)
class Desk:
    """A home of its own, and what its log holds."""

    home: Home
    out_folder: Path

    def attempts(self) -> list[AttemptHeader]:
        with StudyLog(log_file(self.home)) as log:
            return log.headers()

    def events(self, attempt: str) -> list[RecordedEvent]:
        with StudyLog(log_file(self.home)) as log:
            return log.events(attempt)

    def state(self, attempt: str) -> AttemptState:
        with StudyLog(log_file(self.home)) as log:
            return Attempts(log).summary(attempt).state

    def exports(self) -> str:
        with StudyLog(log_file(self.home)) as log:
            return "\n".join(line for header in log.headers() for line in export_lines(*log.stored_attempt(header.id)))

    def are_whole(self) -> bool:
        with StudyLog(log_file(self.home)) as log:
            return all(verify_attempt(*log.stored_attempt(header.id)).ok for header in log.headers())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return Desk(Home.from_environment(), tmp_path / "out")


def scripted_model(write_reply: Reply) -> Model:
    def play(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        return write_reply(messages, config)

    return get_model("mockllm/model", custom_outputs=play, memoize=False)


def says(text: str) -> Model:
    return scripted_model(lambda messages, config: ModelOutput.from_content("mockllm/model", text))


def run(desk: Desk, model: Model | str, task: Any = "answer", pack: str = "starter", **options: Any) -> EvalLog:
    field_names = {
        "samples": "samples_per_problem",
        "time_s": "time_limit_s",
        "tokens": "token_limit",
        "messages": "message_limit",
        "base_url": "base_url",
        "generate": "generate",
        "budget_usd": "budget_usd",
        "cost_limit_usd": "cost_limit_usd",
        "prices_file": "prices_file",
        "most_samples_at_once": "most_samples_at_once",
    }
    fields: dict[str, Any] = {field: options.pop(option) for option, field in field_names.items() if option in options}
    return evaluate(EvaluationRun(task, {"pack": pack, **options}, model, desk.out_folder, display="none", **fields))


def design(compose: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": "inverter",
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {}},
        "output": {"response": "", "context": {"rtl/inv.sv": f"module inv; endmodule // {CANARY}\n"}},
        "harness": {"files": {"docker-compose.yml": f"{compose} # {CANARY}"}},
    } | changes


def add_designs(desk: Desk, *records: dict[str, Any], replace: bool = False) -> None:
    file = desk.home.data.parent.parent / "designs.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    Store(desk.home).add(import_cvdp([file], "mine"), replace=replace)
