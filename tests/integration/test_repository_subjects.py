"""Models and agents at repository problems: a model answers with a diff, an agent changes the files."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from benchwright_attempts.summary.replay import replay
from benchwright_problems.repository.changes import CHANGES, diff_of_files
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_subjects.evaluation.evaluation import resume_run, summary_of_run

from ..support.models.eval import Desk, desk, run, says, scripted_model
from ..support.models.eval_place import programs
from ..support.repository_pack import ADDER, BENCH, BUGS, TREE, write_repository_pack
from ..support.service.judge_endpoint import JudgeEndpoint, fails, in_turn
from .test_agent_canaries import add_prowl
from .test_eval_checkpoints import call

__all__ = ("desk", "programs")

WRONG_ADDER = BUGS["sum"][1]
CANARY = "CANARY-9d2e"
SHOWN = TREE["README.md"].strip("# \n")
FIX = diff_of_files({"rtl/adder.sv": WRONG_ADDER.encode()}, {"rtl/adder.sv": ADDER.encode()})


@pytest.fixture(autouse=True)
def pack(desk: Desk, tmp_path: Path) -> None:
    """The pack, with a canary in each hidden file."""
    folder = write_repository_pack(tmp_path / "pack")
    (folder / "sum/hidden/harness/bench.sv").write_text(f"// {CANARY}\n{BENCH}")
    fix = folder / f"sum/hidden/reference/{CHANGES}"
    fix.write_text(fix.read_text().replace("a + b;\n", f"a + b; // {CANARY}\n"))
    Store(desk.home).add(read_pack_folder(folder))


def check_whole_and_clean(desk: Desk) -> dict[str, bytes | None]:
    """The files of the only attempt as its log has them, which holds nothing hidden."""
    (attempt,) = desk.attempts()
    assert desk.are_whole()
    assert CANARY not in desk.exports()
    return {path: file.data for path, file in replay(desk.events(attempt.id)).files.items()}


@pytest.mark.parametrize(
    "form", [pytest.param("{}", marks=pytest.mark.nightly), "I mended the adder.\n\n```diff\n{}```\nIt adds now.\n"]
)
def test_a_model_gets_the_files_and_solves_it_with_a_diff(desk: Desk, form: str) -> None:
    requests: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        requests.append("\n".join(message.text for message in messages))
        return ModelOutput.from_content("mockllm/model", form.format(FIX))

    log = run(desk, scripted_model(reply), pack="core", problems="sum")
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    (request,) = requests
    assert f"=== BEGIN rtl/adder.sv\n{WRONG_ADDER.rstrip()}" in request
    assert "unified diff" in request
    assert CANARY not in request
    assert check_whole_and_clean(desk)[CHANGES] == FIX.encode()


@pytest.mark.nightly
@pytest.mark.parametrize("reply", ["", ADDER, FIX.replace("a - b", "a * b")])
def test_a_reply_that_is_no_diff_of_these_files_fails(desk: Desk, reply: str) -> None:
    log = run(desk, says(reply), pack="core", problems="sum")
    assert (summary_of_run(log)["passed"], summary_of_run(log)["error"]) == (0, 0)


def test_an_agent_by_command_line_changes_the_tree_and_its_difference_is_judged(desk: Desk, programs: Path) -> None:
    script = f"cat > rtl/adder.sv <<'END'\n{ADDER}END\n"
    script += "rm README.md; mkdir -p build && cp rtl/top.sv build/copy.sv; echo '// new' > rtl/new.sv"
    add_prowl(programs)
    shown, hidden = (word.encode().hex() for word in (f"# {SHOWN}", CANARY))
    replies = iter(("ls -R . && cat scripts/sources.f", shlex.join(["prowl", shown, hidden]), script, "done"))
    prompts: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        prompts.append(messages[-1].text)
        return ModelOutput.from_content("mockllm/model", next(replies))

    agent_options = {"command": "agent {prompt}", "place": f"benchwright:{programs}", "limit_s": 120.0}
    log = run(desk, scripted_model(reply), "agent", pack="core", problems="sum", **agent_options)
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    assert "whole repository" in prompts[0]
    assert "adder.sv" in prompts[1]
    assert CANARY not in "".join(prompts)
    paths_by_word = json.loads(prompts[2].removesuffix("[0]"))
    assert ("/code/README.md" in paths_by_word[shown], paths_by_word[hidden]) == (True, [])
    files = check_whole_and_clean(desk)
    assert files["rtl/adder.sv"] == ADDER.encode()
    diff_text = (files[CHANGES] or b"").decode()
    assert "+++ b/rtl/new.sv" in diff_text
    assert "--- a/README.md\n+++ /dev/null" in diff_text
    assert "build/copy.sv" not in diff_text
    # What it did not touch is in no event.
    assert "rtl/top.sv" not in files


def test_our_agent_lists_reads_and_changes_the_tree(desk: Desk) -> None:
    calls = iter(
        (
            ("list_files", {}),
            ("read_file", {"path": "rtl/top.sv"}),
            ("run_command", {"command": "mkdir build; echo 1 > build/a.sv; echo '// made' > rtl/made.sv"}),
            ("write_file", {"path": "build/b.sv", "content": "module b; endmodule"}),
            ("replace_in_file", {"path": "rtl/adder.sv", "old": "a - b", "new": "a + b"}),
            ("submit", {}),
        )
    )
    results: list[str] = []

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        results.append(f"{messages[-1].text}{getattr(messages[-1], 'error', None) or ''}")
        name, arguments = next(calls)
        return ModelOutput.for_tool_call("mockllm/model", name, dict(arguments))

    model: Model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    log = run(desk, model, "agent", pack="core", problems="sum", limit_s=120.0)
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    assert {line.split()[0] for line in results[1].splitlines()} == TREE.keys()
    assert results[2].strip() == TREE["rtl/top.sv"].strip()
    assert "where builds write" in results[4]
    files = check_whole_and_clean(desk)
    assert (files["rtl/adder.sv"], files["rtl/made.sv"]) == (ADDER.encode(), b"// made\n")
    assert b"build" not in (files[CHANGES] or b"")


@pytest.mark.nightly
def test_a_file_of_the_tree_that_is_made_a_link_counts_as_deleted_and_is_named(desk: Desk, programs: Path) -> None:
    command = "rm README.md; ln -s /etc/passwd README.md; rm rtl/top.sv; mkfifo rtl/top.sv"
    log = run(desk, says("done"), "agent", pack="core", problems="sum", command=command, limit_s=60.0)
    assert summary_of_run(log)["passed"] == 0
    assert "README.md: not a plain file" in desk.exports()
    files = check_whole_and_clean(desk)
    assert b"root:" not in (files[CHANGES] or b"")


@pytest.mark.nightly
def test_an_agent_whose_provider_fails_goes_on_with_the_changes_that_it_had_made(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    scripted_replies = in_turn(
        call("run_command", command="rm README.md; echo '// new' > rtl/new.sv"),
        fails(400, "down"),
        call("replace_in_file", path="rtl/adder.sv", old="a - b", new="a + b"),
        call("submit"),
    )
    with JudgeEndpoint(scripted_replies) as endpoint:
        model = "openai-api/local/scripted"
        log = run(desk, model, "agent", pack="core", problems="sum", base_url=endpoint.url, limit_s=120.0)
        assert summary_of_run(log)["error"] == 1, summary_of_run(log)
        second_log = resume_run(Path(log.location), "none")
    assert summary_of_run(second_log)["passed"] == 1, summary_of_run(second_log)["why"]
    files = check_whole_and_clean(desk)
    diff_text = (files[CHANGES] or b"").decode()
    assert [line for line in diff_text.splitlines() if line.startswith("diff ")] == [
        f"diff --git a/{path} b/{path}" for path in ("README.md", "rtl/adder.sv", "rtl/new.sv")
    ]
