"""The pages about models; those are scripted, behind real HTTP on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ..support.packs.import_pages import CVDP, FREE, INVERTER
from ..support.packs.label_command import good
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, says
from ..support.service.judge_pages import labels
from .walk import Reader, Walk

pytestmark = pytest.mark.long

STUDY = """
study: copilot-2026
title: Models
problems: [cvdp/cvdp_copilot_inverter_0001]
conditions:
  - {name: model, solver: model, model: openai-api/local/m}
  - {name: agent, solver: agent, model: openai-api/local/m}
randomisation: {seed: 4, order: latin-square}
"""
RECORD = {
    "Domain": "Computer Organization",
    "SubDomain": "Bus",
    "Tag": "Reasoning",
    "Language": "English",
    "Format": "Multiple-choice",
    **dict(zip("ABCD", ("two", "three", "four", "five"), strict=True)),
}


def _plays(request: JudgeRequest) -> PlayedReply:
    """A model that writes the inverter, or submits it, or says B; and a judge to whom every answer is right."""
    if "tools" in request.body:
        call = {"id": "1", "type": "function", "function": {"name": "submit", "arguments": "{}"}}
        return content(None, tool_calls=[call], finish_reason="tool_calls")
    if labels(request):
        return good(request)
    if "which errors led" in request.system:
        return content(json.dumps({"reason": "It is.", "types": ["faulty step"]}))
    if "response_format" in request.body:
        return says("correct")
    return content(INVERTER if "inverter" in json.dumps(request.body) else "A bus has two ends.\nAnswer: A")


@pytest.fixture
def endpoint() -> Iterator[JudgeEndpoint]:
    with JudgeEndpoint(_plays) as running:
        yield running


def _models(page_reader: Reader, endpoint: JudgeEndpoint) -> None:
    page_reader.environment |= {"LOCAL_API_KEY": "none", "LOCAL_BASE_URL": endpoint.url}
    page_reader.words |= {
        "openai-api/local/my-model": "openai-api/local/m",
        "http://127.0.0.1:8000/v1": endpoint.url,
        "openai/gpt-5-mini": "openai-api/local/m",
        "openai/gpt-5": "openai-api/local/m",
        "openai/gpt-4o": "openai-api/local/m",
    }
    judge = f'[[judge]]\nname = "mini"\nbase_url = "{endpoint.url}"\nmodel = "scripted"\n'
    page_reader.write(".config/benchwright/judges.toml", judge)


def _one_design(page_reader: Reader) -> None:
    page_reader.write("set.jsonl", json.dumps(CVDP) + "\n")
    page_reader.run("benchwright problems import cvdp set.jsonl --pack cvdp")
    # One problem instead of the whole pack.
    page_reader.words |= {
        "--pack starter": "--pack cvdp",
        "pack=starter": "pack=cvdp",
        "problems=sync-fifo": "problems=cvdp_copilot_inverter_0001",
        "--samples 5": "--samples 2",
        "--epochs 5": "--epochs 2 --display plain",
    }
    page_reader.write("study.yaml", STUDY)
    page_reader.write("replies.jsonl", json.dumps({"id": CVDP["id"], "completion": INVERTER}) + "\n")


def _csbench(page_reader: Reader) -> None:
    dataset_records: list[dict[str, Any]] = [
        {**RECORD, "ID": number, "Question": f"How many bits, {number}?", "Answer": "AB"[number % 2]}
        for number in range(1, 13)
    ]
    for split, split_records in (("Test", dataset_records[:6]), ("Valid", dataset_records[6:])):
        records = [{**record, "Split": split} for record in split_records]
        page_reader.write(f"Dataset/CSBench-EN/{split.lower()}.json", json.dumps(records))
    page_reader.write("free.json", json.dumps([FREE]))
    page_reader.run("benchwright problems import quarch free.json --pack quarch")
    page_reader.write("models.csv", "model,family,parameters_b\nopenai-api/local/m,M,7\n")


def _one_hole(page_reader: Reader) -> None:
    # One hole instead of all that the pack has.
    hole_options = "--pack starter --problem saturating-counter --sites line --per-kind 1 --mode"
    page_reader.words |= {"--pack starter --mode": hole_options, "runs/own runs/copilot": "runs/own"}


WALKS = {
    "docs/how-to/evaluate-inline-completion.md": Walk(
        _one_hole,
        not_run={
            "npm install": "needs an account; tests/integration/test_inline_servers.py starts the server without one",
            "--extension": "tests/integration/test_vscode_subjects.py runs it with an extension of its own",
            "runs/counted": "tests/integration/test_completion_command.py runs it with a model of its own",
            "--study": "tests/integration/test_completion_command.py replays a closed study",
        },
    ),
    "docs/how-to/evaluate-models.md": Walk(
        _one_design,
        not_run={"my-agent": "tests/integration/test_eval_walk.py runs it with an agent of its own"},
    ),
    "docs/how-to/evaluate-copilots.md": Walk(
        not_run={
            "subject doctor": "fetches 400 MB; tests/integration/test_subjects.py does",
            "--subject codex --pack": "tests/integration/test_subjects.py runs it with a scripted model",
            "--subject codex-acp": "fetches 223 MB; tests/integration/test_subjects.py runs it with a scripted model",
            "--participant": "tests/integration/test_agent_mode.py runs it with an extension of its own",
            "--acp": "tests/integration/test_acp_agents.py runs it with an agent of its own",
            "attempts list": "tests/integration/test_trace_page.py traces attempts",
            "--format atif": "tests/integration/test_trajectory_commands.py writes, imports and traces one",
            "editor-models.env": "needs an editor with models; tests/e2e/languageModels.test.ts serves some",
            "agent-image my-agent": "needs Docker and an image; tests/integration/test_agent_image.py has both",
            "completion study": "tests/integration/test_all_subjects.py carries out such a study",
        },
    ),
    "docs/how-to/use-an-agent.md": Walk(
        not_run={"--http": "serves until it is interrupted; tests/lsp/test_agent_protocol.py asks one"},
    ),
    "docs/how-to/papers-tables.md": Walk(_csbench),
}


# Each takes minutes; tests/integration/test_eval_walk.py walks through most of the first.
_NIGHTLY = {"docs/how-to/evaluate-models.md", "docs/how-to/papers-tables.md"}
PAGES = [pytest.param(page, marks=[pytest.mark.nightly] if page in _NIGHTLY else []) for page in WALKS]


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, reader: Reader, endpoint: JudgeEndpoint) -> None:
    _models(reader, endpoint)
    WALKS[page].go(page, reader)
