"""Hidden parts of a problem reach no agent: no message, no file that it can read, no request to its model."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from benchwright_problems.storage.store import Store
from benchwright_subjects.evaluation.evaluation import summary_of_run

from ..support.models.acp_agents import programs as acp_programs
from ..support.models.agent_model import Call, offered_by, output_of, shell_call
from ..support.models.eval import Desk, add_designs, desk, run, scripted_model
from ..support.models.eval_place import programs
from ..support.models.subjects import installed_preset

__all__ = ("acp_programs", "desk", "programs")

PROWL = Path(__file__).parents[1] / "support" / "models" / "prowl.py"
REFERENCE, HARNESS, SHOWN = "CANARY-r3f1", "CANARY-h4rn", "SHOWN-7c2e"
WORDS = (REFERENCE, HARNESS, SHOWN)
HEX = [word.encode().hex() for word in WORDS]


def add_problem(desk: Desk) -> list[str]:
    """A problem with canaries in its hidden parts and a word in a public file. Returns where hidden parts may be."""
    record = {
        "id": "inverter",
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {"docs/notes.md": f"Notes. {SHOWN}\n"}},
        "output": {"response": "", "context": {"rtl/inv.sv": f"module inv; endmodule // {REFERENCE}\n"}},
        "harness": {
            "files": {
                "docker-compose.yml": f"services: {{a: {{image: i, command: [sh, -c, exit 0]}}}} # {HARNESS}",
                "src/test_inverter.py": f"# {HARNESS}\n",
            }
        },
    }
    add_designs(desk, record)
    Store(desk.home).unseal("mine/inverter")
    sealed = [file for file in desk.home.data.rglob("*") if file.is_file() and holds(file, HARNESS)]
    assert sealed, "the canary is on this machine"
    return [*map(str, sealed), "/src/test_inverter.py", "/code/src/test_inverter.py", "/bench/launch.json"]


def holds(file: Path, word: str) -> bool:
    return word.encode() in file.read_bytes()


def add_prowl(folder: Path) -> None:
    """Puts the program that looks for words with an agent's."""
    shutil.copy(PROWL, folder / "bin" / "prowl")
    (folder / "bin" / "prowl").chmod(0o755)


def check_found(hits: dict[str, list[str]]) -> None:
    paths_by_word = {bytes.fromhex(word).decode(): places for word, places in hits.items()}
    assert "/code/docs/notes.md" in paths_by_word.pop(SHOWN), "what is public is found"
    assert paths_by_word == {REFERENCE: [], HARNESS: []}


def test_an_agent_led_by_acp_finds_nothing_hidden_by_itself_nor_by_its_client(desk: Desk, acp_programs: Path) -> None:
    add_prowl(acp_programs)
    paths = add_problem(desk)
    requests: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        requests.append(json.dumps([message.model_dump(mode="json") for message in messages]))
        return ModelOutput.from_content("mockllm/model", "done")

    command = shlex.join(["double", "prowls", *HEX, *paths])
    options: dict[str, Any] = {
        "command": command,
        "place": f"benchwright:{acp_programs}",
        "acp": True,
        "limit_s": 120.0,
    }
    log = run(desk, scripted_model(reply), "agent", pack="mine", **options)
    assert summary_of_run(log)["error"] == 0, summary_of_run(log)["why"]
    (request,) = requests
    assert "CANARY" not in request
    report = json.loads(json.loads(request)[-1]["content"])
    check_found(report["found"])
    check_found(report["by_terminal"])
    assert len(report["given"]) == 2 * len(paths)
    # A path of its own folder is read, and is not there; all others are refused.
    assert all("content" not in answer for answer in report["given"]), report["given"]
    assert not any(report["heard"][word] for word in HEX[:2])
    assert "CANARY" not in desk.exports()


def test_an_agent_by_command_line_finds_nothing_hidden(desk: Desk, programs: Path) -> None:
    add_prowl(programs)
    add_problem(desk)
    replies = iter((shlex.join(["prowl", *HEX]), "done"))
    prompts: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        prompts.append(messages[-1].text)
        return ModelOutput.from_content("mockllm/model", next(replies))

    agent_options = {"command": "agent {prompt}", "place": f"benchwright:{programs}", "limit_s": 120.0}
    log = run(desk, scripted_model(reply), "agent", pack="mine", **agent_options)
    assert summary_of_run(log)["error"] == 0, summary_of_run(log)["why"]
    task, listing = prompts
    assert "CANARY" not in task + listing
    check_found(json.loads(listing.removesuffix("[0]")))


def model_that_looks(requests: list[str]) -> Model:
    """Has an agent look for the words with its own tools, then ends."""
    words = [f"'{word[:2]}''{word[2:]}'" for word in WORDS]
    searched_folders = "/code /rundir /tmp /bench /agent /home /root /etc /var /run /src /dev/shm"
    script = f"grep -rla -D skip {' '.join(f'-e {word}' for word in words)} {searched_folders} 2>/dev/null; echo looked"

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        requests.append(json.dumps([message.model_dump(mode="json") for message in messages]))
        tool_replies = [message for message in messages if message.role == "tool"]
        if not tool_replies and isinstance(scripted_call := shell_call(offered_by(tools), script), Call):
            return output_of(scripted_call, messages)
        return ModelOutput.from_content("mockllm/model", "I have looked.")

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


@pytest.mark.parametrize(
    "name", ["gemini-acp", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("codex-acp", "opencode-acp"))]
)
def test_a_real_agent_led_by_acp_finds_nothing_hidden_with_its_own_tools(desk: Desk, name: str) -> None:
    installed_preset(name)
    add_problem(desk)
    requests: list[str] = []
    log = run(desk, model_that_looks(requests), "agent", pack="mine", subject=name, limit_s=240.0)
    assert summary_of_run(log)["error"] == 0, summary_of_run(log)["why"]
    assert "CANARY" not in "".join(requests)
    (result, *_) = (message for message in json.loads(requests[-1]) if message["role"] == "tool")
    output = json.dumps(result)
    assert "/code/docs/notes.md" in output
    assert "looked" in output
