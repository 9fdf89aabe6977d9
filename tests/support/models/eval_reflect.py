"""Fixtures and helpers of the tests of eval reflect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.storage.store import Store

CANARY = "CANARY-93ab"


ANSWER = "module inv; endmodule // mine"


MODEL = "openai-api/local/m"


FAILS = f"services: {{a: {{image: i, command: [sh, -c, 'echo {CANARY}; exit 1']}}}} # {CANARY}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.setenv("INSPECT_TRACEBACK_LOCALS", "1")
    monkeypatch.chdir(tmp_path)
    return Home.from_environment()


def add(home: Home, *ids: str, compose: str = FAILS, statement: str = "Write an inverter.") -> None:
    records = [
        {
            "id": name,
            "categories": ["cid003", "easy"],
            "input": {"prompt": statement, "context": {}},
            "output": {"response": "", "context": {"rtl/inv.sv": f"module inv; endmodule // {CANARY}\n"}},
            "harness": {"files": {"docker-compose.yml": compose, "src/test.py": f"# {CANARY}"}},
        }
        for name in ids
    ]
    file = home.data.parent.parent / "designs.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    Store(home).add(import_cvdp([file], "mine"), replace=True)
