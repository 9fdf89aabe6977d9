"""The driver of agent mode without an editor: its hooks, and what it says as an agent that speaks ACP."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchwright_subjects import agent_mode

DRIVER = Path(agent_mode.__file__).with_name("driver")
NODE = shutil.which("node")
LONGEST_S = 60
CALLS_HOOKS = """
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
const { listenToHooks } = await import(process.argv[2]);
const seen = [];
await listenToHooks(process.env.HOME, {
  onCall: (call) => { seen.push(call); return call.name === "read_file"; },
  onResult: (result) => seen.push(result),
});
const { hooks } = JSON.parse(readFileSync(`${process.env.HOME}/.copilot/hooks/benchwright.json`, "utf8"));
const called = (event) => new Promise((resolve) => {
  const hook = spawn("/bin/sh", ["-c", hooks[event.hook_event_name][0].command]);
  let answer = "";
  hook.stdout.on("data", (text) => { answer += text; });
  hook.on("close", () => resolve(JSON.parse(answer)));
  hook.stdin.end(JSON.stringify(event));
});
const answers = [];
for (const event of JSON.parse(process.argv[3])) answers.push(await called(event));
const file = new URL("hook.json", process.argv[2]);
writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), token: "guessed" }));
answers.push(await called({ hook_event_name: "PreToolUse", tool_name: "read_file", tool_use_id: "3" }));
console.log(JSON.stringify({ answers, seen }));
process.exit(0);
"""

pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node")


def test_each_call_of_a_tool_is_asked_about_and_only_who_knows_the_token_is_answered(tmp_path: Path) -> None:
    driver = tmp_path / "driver it's"
    shutil.copytree(DRIVER, driver)
    (tmp_path / "calls.mjs").write_text(CALLS_HOOKS)
    pre_tool_event = {"hook_event_name": "PreToolUse", "tool_input": {"filePath": "/code/a.sv"}}
    events = [
        pre_tool_event | {"tool_name": "read_file", "tool_use_id": "1"},
        pre_tool_event | {"tool_name": "run_in_terminal", "tool_use_id": "2"},
        {"hook_event_name": "PostToolUse", "tool_name": "read_file", "tool_use_id": "1", "tool_response": "module a;"},
    ]
    ended = subprocess.run(
        [str(NODE), tmp_path / "calls.mjs", (driver / "hooks.mjs").as_uri(), json.dumps(events)],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=True,
    )
    outcome = json.loads(ended.stdout)
    decisions = [answer.get("hookSpecificOutput", {}).get("permissionDecision") for answer in outcome["answers"]]
    assert decisions == ["allow", "deny", None, None]
    assert [(call["id"], call["name"]) for call in outcome["seen"]] == [
        ("1", "read_file"),
        ("2", "run_in_terminal"),
        ("1", "read_file"),
    ]
    assert outcome["seen"][2]["result"] == "module a;"


def test_it_speaks_acp_and_can_load_no_session(tmp_path: Path) -> None:
    shutil.copytree(DRIVER.parents[1] / "inline" / "vscode", tmp_path / "inline" / "vscode")
    shutil.copytree(DRIVER, tmp_path / "agent_mode" / "driver")
    rpc_requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
        {"jsonrpc": "2.0", "id": 2, "method": "session/load"},
    ]
    driver = subprocess.Popen(
        [str(NODE), tmp_path / "agent_mode" / "driver" / "main.mjs", "--version", "1.139.1", "--", "code-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with driver:
        assert driver.stdin is not None and driver.stdout is not None
        driver.stdin.write("".join(json.dumps(request) + "\n" for request in rpc_requests))
        driver.stdin.flush()
        rpc_answers: list[dict[str, Any]] = [json.loads(driver.stdout.readline()) for _ in rpc_requests]
        driver.stdin.close()
    by_id = {answer["id"]: answer for answer in rpc_answers}
    assert by_id[1]["result"]["agentInfo"] == {"name": "vscode-agent", "version": "1.139.1"}
    assert by_id[1]["result"]["agentCapabilities"] == {}
    assert by_id[2]["error"]["code"] == -32601
