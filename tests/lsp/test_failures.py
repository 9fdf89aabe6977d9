"""Reasons why a design fails, by rule and by a model; the model is told nothing that the solver does not see."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ..support.editor.explanations import FORBIDDING
from ..support.editor.failures import plant_canaries, run
from ..support.editor.nothing_hidden_leaks import write
from ..support.models.inline_completion import with_help
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content
from ..support.studies.study import begin, foresee, open_task
from .conftest import Editors
from .session import Editor, endless, wrong

pytestmark = pytest.mark.asyncio(loop_scope="module")

COUNTER = """\
module counter(input logic clk, input logic rst_n, output logic [3:0] q);
  always_ff @(posedge clk) if (rst_n) q <= 0; else q <= q + 1;
endmodule
"""
COUNTS = """\
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


@cocotb.test()
async def counts(dut):
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst_n.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    assert int(dut.q.value) == 3
"""
TEST = "tests/test_counter.py::counts"


class Model(JudgeEndpoint):
    """A model on loopback that says what a test tells it to."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.reply: PlayedReply = content("Look at line 2.")

    def _answer(self, request: JudgeRequest) -> PlayedReply:
        return self.reply


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as started:
        yield started


def assisted(model: Model) -> dict[str, Any]:
    return {"assistant": {"enabled": True, "url": model.url, "model": "scripted"}}


async def opened(editors: Editors, tmp_path: Path, options: Any = None) -> tuple[Editor, Path]:
    folder = tmp_path / "design"
    write(folder, {"rtl/counter.sv": COUNTER, "tests/test_counter.py": COUNTS})
    editor = await editors(options=options)
    change = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), folder.name)], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))
    return editor, folder


async def test_a_failed_own_test_leads_to_the_line_of_its_cause(editors: Editors, tmp_path: Path) -> None:
    editor, folder = await opened(editors, tmp_path)
    uri = folder.as_uri()
    assert "Nothing has failed" in (await editor.refusal("explainFailure", uri=uri))[1]
    answer = await editor.ask("runOwnTests", uri=uri, ids=[TEST])
    assert not answer["passed"]
    explanation = await editor.command("explainFailure", uri=uri)
    assert (explanation["about"], explanation["test"]) == ("own", TEST)
    assert explanation["place"]["uri"].endswith("/tests/test_counter.py")
    assert explanation["time"].endswith(" ns")
    first = explanation["causes"][0]
    assert first["kind"] == "reset_polarity"
    assert first["at"]["uri"] == (folder / "rtl/counter.sv").as_uri()
    assert first["at"]["start"] == {"line": 1, "character": 31}
    assert "rtl/counter.sv:2](" in explanation["markdown"]
    assert "did not fail" in (await editor.refusal("explainFailure", uri=uri, test="tests/other.py::x"))[1]
    (folder / "rtl/counter.sv").write_text(COUNTER.replace("(rst_n)", "(!rst_n)"))
    assert (await editor.ask("runOwnTests", uri=uri, ids=[TEST]))["passed"]
    assert "Nothing has failed" in (await editor.refusal("explainFailure", uri=uri))[1]


UNRESET = """\
module counter(input logic clk, input logic rst_n, output logic [3:0] q);
  logic [3:0] step;
  always_ff @(posedge clk) step <= step;
  always_ff @(posedge clk) if (!rst_n) q <= 0; else q <= q + step;
endmodule
"""


async def test_unknown_signals_of_the_waveform_lead_to_the_register_without_reset(
    editors: Editors, tmp_path: Path
) -> None:
    editor, folder = await opened(editors, tmp_path)
    (folder / "rtl/counter.sv").write_text(UNRESET)
    counts = COUNTS.replace("assert int(dut.q.value) == 3", "assert dut.rst_n.value == 0")
    (folder / "tests/test_counter.py").write_text(counts)
    await editor.ask("runOwnTests", uri=folder.as_uri(), ids=[TEST], waves=True)
    explanation = await editor.ask("explainFailure", uri=folder.as_uri(), test=TEST)
    unknown_since = {signal["path"]: signal["since"] for signal in explanation["unknown"]}
    # The step was never known; the count was, until the step was added.
    assert unknown_since["counter.step"] == "0 ps"
    assert unknown_since["counter.q"] != "0 ps"
    assert next(iter(unknown_since)) == "counter.step"
    assert explanation["causes"][0]["kind"] in {"unreset_register", "missing_reset"}
    assert "`counter.step`, since 0 ps" in explanation["markdown"]
    await editor.ask("runOwnTests", uri=folder.as_uri(), ids=[TEST])
    second_explanation = await editor.ask("explainFailure", uri=folder.as_uri(), test=TEST)
    assert second_explanation["unknown"] == []


async def test_a_model_is_told_what_the_solver_sees_and_nothing_that_is_hidden(
    editors: Editors, tmp_path: Path, home: Path, model: Model
) -> None:
    plant_canaries(tmp_path / "pack", home, "names")
    with_help(home, "planted/gate")
    editor = await editors(options=assisted(model))
    desk = await run(editor)
    await editor.ask("hint", uri=desk.uri)
    model.reply = content(
        "See [here](command:x) ![i](http://x/y) <img src=x onerror=y> `a<b`\u202e\x00 [r]: http://x",
        token_counts=(321, 45),
    )
    help_replies = [await editor.command("generatedHelp", uri=desk.uri, about=topic) for topic in ("failure", "hint")]
    assert len(model.requests) == 2
    for request in model.requests:
        request_text = json.dumps(request.body)
        assert "zqcanary" not in request_text.lower()
        for seen_part in ("Invert `a`", "The first hint.", "inverts", "assign y = a"):
            assert seen_part in request.user
    markdown = help_replies[0]["markdown"]
    assert all(part not in markdown for part in ("](", "<img", "]:", "\u202e", "\x00"))
    assert "Written by a model" in markdown
    assert (help_replies[0]["inputTokens"], help_replies[0]["outputTokens"]) == (321, 45)
    aid_uses = [aid_use for aid_use in desk.events_of_kind("aid_used") if aid_use.aid == "generated"]
    assert [(aid_use.feature, aid_use.outcome, aid_use.detail) for aid_use in aid_uses] == [
        ("failure", "answered", "scripted; tokens in 321, out 45"),
        ("hint", "answered", "scripted; tokens in 321, out 45"),
    ]


async def test_an_explanation_says_that_a_newer_run_goes_on_or_that_the_files_have_changed(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(wrong("saturating-counter", "wraps"))
    file.save()
    assert (await desk.verdict(1)).outcome == "failed"
    file.paste(endless("saturating-counter"))
    file.save()
    await desk.until_run_starts()
    page = (await editor.ask("explainFailure", uri=desk.uri, hidden=True))["markdown"]
    assert "> Run 2 is running; run 1: " in page
    assert "This page is about run 1." in page
    await desk.ask("cancelRun")
    page = (await editor.ask("explainFailure", uri=desk.uri, hidden=True))["markdown"]
    assert "> The files have changed since run 1: " in page
    assert (await desk.ask("status")).view.standing == "files changed"


@pytest.mark.parametrize(("reveal", "message"), [("verdict", None), ("messages", "zqcanary-message")])
async def test_a_hidden_failure_is_explained_by_what_its_policy_shows(
    editors: Editors, tmp_path: Path, home: Path, reveal: str, message: str | None
) -> None:
    plant_canaries(tmp_path / "pack", home, reveal)
    editor = await editors()
    desk = await run(editor)
    explanation = await editor.ask("explainFailure", uri=desk.uri)
    assert explanation["run"] == 1
    assert re.search(r"^Of .+, run 1, \d\d:\d\d\.$", explanation["markdown"], re.MULTILINE)
    assert explanation["about"] == "hidden"
    assert explanation["test"] == ("inverts" if message else "")
    explanation_text = json.dumps(explanation)
    assert ("zqcanary" in explanation_text) is (message is not None)
    (aid_use,) = desk.events_of_kind("aid_used")
    assert (aid_use.aid, aid_use.feature, aid_use.detail, aid_use.outcome) == (
        "explanations",
        "failure",
        "hidden tests",
        "none",
    )


async def test_a_model_that_is_not_allowed_is_not_asked(
    editors: Editors, tmp_path: Path, home: Path, model: Model
) -> None:
    await begin(home, FORBIDDING)
    editor = await editors(options=assisted(model))
    await editor.ask("giveConsent", study="bare", version="2")
    await foresee(editor, "bare")
    desk = await open_task(editor, "bare")
    await desk.start()
    parent_uri = desk.folder.parent.as_uri()
    opening = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(parent_uri, "above")], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(opening))
    for uri in (desk.uri, parent_uri):
        assert "does not allow" in (await editor.refusal("generatedHelp", uri=uri, about="hint"))[1]
    assert "does not allow" in (await editor.refusal("explainFailure", uri=desk.uri))[1]
    assert desk.events_of_kind("aid_used") == []
    assert model.requests == []


async def test_without_a_model_the_settings_are_named(editors: Editors, tmp_path: Path) -> None:
    editor, folder = await opened(editors, tmp_path)
    refusal = await editor.refusal("generatedHelp", uri=folder.as_uri(), about="hint")
    assert "benchwright.assistant.enabled" in refusal[1]


def streamed(*pieces: str, is_done: bool = True) -> bytes:
    stream_events: list[Any] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    if is_done:
        stream_events.append({"choices": [], "usage": {"prompt_tokens": 321, "completion_tokens": 45}})
    return b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in stream_events) + (
        b"data: [DONE]\n\n" * is_done
    )


STREAM = {"Content-Type": "text/event-stream; charset=utf-8"}


async def test_a_reply_is_shown_as_it_comes_and_no_part_of_it_is_harmful(
    editors: Editors, tmp_path: Path, model: Model
) -> None:
    editor, folder = await opened(editors, tmp_path, assisted(model))
    params = {"uri": folder.as_uri(), "about": "hint", "partialResultToken": "parts"}

    def parts() -> list[str]:
        return [value["markdown"] for token, value in editor.screen.progress if token == "parts"]

    model.reply = PlayedReply(streamed("See [here]", "(command:x) <", "img src=x>"), headers=STREAM)
    reply = await editor.ask("generatedHelp", **params)
    assert "See [here] (command:x) < img src=x>" in reply["markdown"]
    assert (reply["inputTokens"], reply["outputTokens"]) == (321, 45)
    assert parts()
    assert all(
        "Written by a model" in markdown and "](" not in markdown and "<img" not in markdown for markdown in parts()
    )
    assert model.requests[-1].body["stream"]
    # An endpoint that does not stream answers at once.
    model.reply = content("All at once.")
    assert "All at once." in (await editor.ask("generatedHelp", **params))["markdown"]
    await editor.ask("generatedHelp", uri=folder.as_uri(), about="hint")
    assert not model.requests[-1].body["stream"]


async def cancel_asking(editor: Editor) -> None:
    """Cancels by its progress what asks the model, once the progress is there."""

    def tokens() -> list[types.ProgressToken]:
        return [token for token, value in editor.screen.progress if value.get("title") == "Asking the model"]

    await editor.wait_until(lambda: bool(tokens()), "its progress")
    (token,) = tokens()
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))


async def test_a_reply_without_end_is_shown_until_it_is_cancelled(
    editors: Editors, tmp_path: Path, model: Model
) -> None:
    model.reply = PlayedReply(streamed("word ", is_done=False), headers=STREAM, endless=True, pause_s=0.01)
    editor, folder = await opened(editors, tmp_path, assisted(model))
    params = {"uri": folder.as_uri(), "about": "hint", "partialResultToken": "parts"}
    asking = asyncio.create_task(editor.ask("generatedHelp", **params))
    await editor.wait_until(
        lambda: any(token == "parts" and "word word" in value["markdown"] for token, value in editor.screen.progress),
        "the beginning of the reply",
    )
    assert not asking.done()
    await cancel_asking(editor)
    with pytest.raises((JsonRpcException, asyncio.CancelledError)):
        await asyncio.wait_for(asking, 10)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (streamed("Half", is_done=False) + b'data: {"error": {"message": "zqcanary-error"}}\n\n', "in the middle"),
        (b"data: nonsense\n\n", "does not implement"),
        (b'data: {"choices": [7]}\n\n', "does not implement"),
    ],
)
async def test_a_reply_that_breaks_off_is_an_error_with_the_next_step(
    editors: Editors, tmp_path: Path, model: Model, body: bytes, message: str
) -> None:
    model.reply = PlayedReply(body, headers=STREAM)
    editor, folder = await opened(editors, tmp_path, assisted(model))
    params = {"uri": folder.as_uri(), "about": "hint", "partialResultToken": "parts"}
    refusal_message = (await editor.refusal("generatedHelp", **params))[1]
    assert message in refusal_message
    assert "zqcanary" not in refusal_message


async def test_a_model_that_takes_long_can_be_cancelled(editors: Editors, tmp_path: Path, model: Model) -> None:
    model.reply = PlayedReply(delay_s=30)
    editor, folder = await opened(editors, tmp_path, assisted(model))
    asking = asyncio.create_task(editor.ask("generatedHelp", uri=folder.as_uri(), about="hint"))
    await editor.wait_until(lambda: bool(model.requests), "a request")
    await cancel_asking(editor)
    with pytest.raises((JsonRpcException, asyncio.CancelledError)):
        await asyncio.wait_for(asking, 10)
