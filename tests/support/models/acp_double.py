#!/usr/bin/env python3
"""An agent that speaks ACP and does one thing, named by its first argument; it needs nothing but Python."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

MODE = sys.argv[1]
FILE = "/code/rtl/sat_counter.sv"
numbers = iter(range(10_000_000))
heard_lines: list[str] = []


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def heard() -> Any:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    heard_lines.append(line)
    return json.loads(line)


def ask(method: str, **params: Any) -> Any:
    """The answer of the client: what it gave, or the error."""
    number = next(numbers)
    send(id=number, method=method, params={"sessionId": "one", **params})
    while True:
        message = heard()
        if message.get("id") == number and "method" not in message:
            return message.get("result", message.get("error"))


def tell(**update: Any) -> None:
    send(method="session/update", params={"sessionId": "one", "update": update})


def permission(kind: str, option_kinds: tuple[str, ...] = ("reject_once", "allow_always", "allow_once")) -> str:
    options = [
        {"optionId": f"allow_{index}", "name": option_kind, "kind": option_kind}
        for index, option_kind in enumerate(option_kinds)
    ]
    answer = ask("session/request_permission", toolCall={"toolCallId": "t1", "kind": kind}, options=options)
    chosen_index = answer["outcome"].get("optionId", "").removeprefix("allow_")
    return option_kinds[int(chosen_index)] if chosen_index else str(answer["outcome"]["outcome"])


def model(prompt: str) -> Any:
    chat_body = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    chat_request = urllib.request.Request(address, json.dumps(chat_body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(chat_request) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


def terminal(command: str, **params: Any) -> Any:
    name = ask("terminal/create", command=command, **params)["terminalId"]
    ended = ask("terminal/wait_for_exit", terminalId=name)
    output = ask("terminal/output", terminalId=name)
    ask("terminal/release", terminalId=name)
    return {**output, "ended": ended}


def good(counter: str) -> None:
    tell(sessionUpdate="tool_call", toolCallId="t1", title="Write", kind="edit")
    tell(sessionUpdate="usage_update", used=120, size=1000, cost={"amount": 0.25, "currency": "USD"})
    first = ask("fs/read_text_file", path=FILE, line=1, limit=1)["content"]
    ask("fs/write_text_file", path=FILE, content="// half\n")
    model("half")
    ask("fs/write_text_file", path=FILE, content=counter)
    ran = terminal("wc -l rtl/*.sv; pwd; id -un")
    missing = terminal("no-such-program", args=["x"])
    name = ask("terminal/create", command="sleep", args=["984"])["terminalId"]
    ask("terminal/kill", terminalId=name)
    killed = ask("terminal/wait_for_exit", terminalId=name)
    tell(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "Written."})
    model(json.dumps([first, permission("edit"), permission("execute"), ran, missing, killed]))


def goes_on(counter: str) -> None:
    """Works in steps, of which its home has those that it did; after the second it hangs, if nobody has loaded it."""
    state = Path(os.environ["HOME"], "session", "steps.json")
    steps = json.loads(state.read_text()) if state.exists() else []
    if not steps:
        tell(sessionUpdate="tool_call", toolCallId="t1", title="Write", kind="edit", status="completed")
        state.parent.mkdir()
        for step in ("first", "second"):
            steps.append(step)
            state.write_text(json.dumps(steps))
            Path("/code/notes.txt").write_text(step)
            ask("fs/write_text_file", path=FILE, content=f"// {step}\n")
            model(step)
        state.write_text(json.dumps([*steps, "lost"]))
        time.sleep(1.5)
        ask("fs/write_text_file", path=FILE, content="// lost\n")
        time.sleep(99)
    saw = [Path("/code/notes.txt").read_text(), ask("fs/read_text_file", path=FILE)["content"]]
    ask("fs/write_text_file", path=FILE, content=counter)
    model(json.dumps([*steps, *saw]))


def hostile_paths() -> None:
    paths = sys.argv[2:]
    file_answers = [ask("fs/read_text_file", path=path) for path in paths]
    file_answers += [ask("fs/write_text_file", path=path, content="MINE") for path in paths]
    Path("/code/link").symlink_to("/etc/passwd")
    Path("/code/folder").symlink_to("/etc")
    os.mkfifo("/code/pipe")
    Path("/code/bytes").write_bytes(b"\xff\xfe")
    Path("/code/large").write_bytes(b"x" * (2 << 20))
    for path in ("link", "folder/passwd", "pipe", "bytes", "large", "rtl", "nothing"):
        file_answers.append(ask("fs/read_text_file", path=f"/code/{path}"))
    file_answers.append(ask("fs/write_text_file", path="/code/folder/x", content="x"))
    file_answers.append(ask("fs/write_text_file", path="/code/rtl", content="x"))
    file_answers.append(ask("fs/write_text_file", path="/code/big", content="x" * (2 << 20)))
    file_answers.append(ask("fs/write_text_file", path="/code/half", content="\ud800"))
    file_answers.append(ask("fs/write_text_file", path=7, content=None))
    file_answers.append(ask("fs/read_text_file", path=f"{FILE}", line=-5, limit=-1) and {"code": 0})
    assert ask("fs/write_text_file", path="/code/link", content="mine") == {}
    assert ask("fs/write_text_file", path="/code/new/er/file", content="mine") == {}
    assert Path("/code/link").read_text() == Path("/code/new/er/file").read_text() == "mine"
    assert Path("/code/new/er/file").owner() == Path("/code").owner()
    model(json.dumps(file_answers))


def prowls() -> None:
    """Looks for words by itself, by its client's terminals, and in files that it asks its client for."""
    words = [word for word in sys.argv[2:] if not word.startswith("/")]
    paths = [word for word in sys.argv[2:] if word.startswith("/")]
    own_findings = json.loads(subprocess.run(["prowl", *words], capture_output=True, check=True, text=True).stdout)
    by_terminal = json.loads(terminal("prowl", args=words)["output"])
    file_answers = [ask("fs/read_text_file", path=path) for path in paths]
    for number, path in enumerate(paths):
        Path(f"/code/link{number}").symlink_to(path)
        file_answers.append(ask("fs/read_text_file", path=f"/code/link{number}"))
    heard_bytes = "".join(heard_lines).encode()
    heard = {word: bytes.fromhex(word) in heard_bytes for word in words}
    model(json.dumps({"found": own_findings, "by_terminal": by_terminal, "given": file_answers, "heard": heard}))


def work(counter: str) -> dict[str, Any]:
    match MODE:
        case "good":
            good(counter)
        case "goes_on" | "loses_session":
            goes_on(counter)
        case "hostile_paths":
            hostile_paths()
        case "prowls":
            prowls()
        case "permissions_forever":
            while True:
                permission("execute")
        case "requests_unread":
            for number in range(100_000):
                send(id=number, method="fs/read_text_file", params={"sessionId": "one", "path": FILE})
        case "notifications_forever":
            while True:
                tell(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "x" * 100_000})
        case "sleeps":
            time.sleep(99)
        case "not_json":
            print("Welcome!", flush=True)
            time.sleep(99)
        case "giant_line":
            sys.stdout.write("x" * (20 << 20))
            sys.stdout.flush()
            time.sleep(99)
        case "unknown_id":
            send(id=999, result={})
            time.sleep(99)
        case "strange_messages":
            send(method="session/update", params=7)
            send(method="session/update", params={"update": {"sessionUpdate": ["x"], "kind": {}}})
            send(method="_x/y", params=None)
            assert ask("no/such", _meta={"self": 1})["code"] == -32601
            assert ask("terminal/output", terminalId="x")["code"] == -32602
            assert ask("session/request_permission", options=7)["code"] == -32602
            assert permission("execute", ("reject_always",)) == "cancelled"
        case "stderr":
            sys.stderr.write("x" * (40 << 20))
        case "daemon":
            subprocess.Popen(["sleep", "986"], start_new_session=True)
        case "exits":
            sys.stderr.write("broken\n" + os.environ.get("CANARY_KEY", "") + str(dict(os.environ)))
            sys.exit(3)
        case "leaves":
            os._exit(0)
        case "error":
            return {"error": {"code": -32000, "message": "Authentication required\x1b[2J"}}
        case "strange_answer":
            return {"result": {"stopReason": "bored"}}
        case "max_tokens" | "refusal" | "cancelled" | "max_turn_requests":
            return {"result": {"stopReason": MODE}}
    usage = {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}
    return {"result": {"stopReason": "end_turn", "usage": usage}}


def main() -> None:
    if MODE == "unasked":
        send(id=0, result={"protocolVersion": 1})
    if MODE == "at_once":
        sys.exit(5)
    while True:
        message = heard()
        match message.get("method"):
            case "initialize" if MODE == "never_answers":
                time.sleep(99)
            case "initialize":
                info = {"name": "double\x07", "version": "1.2"}
                version = 2 if MODE == "other_version" else 1
                if MODE == "answers_early":
                    send(id=1, result={"sessionId": "one"})
                    send(id=2, result={"stopReason": "end_turn"})
                capabilities = {"loadSession": MODE in ("goes_on", "loses_session")}
                introduction = {"protocolVersion": version, "agentInfo": info, "agentCapabilities": capabilities}
                send(id=message["id"], result=introduction)
            case "session/new":
                send(id=message["id"], result={"sessionId": "one"})
            case "session/load" if MODE == "loses_session":
                send(id=message["id"], error={"code": -32002, "message": "No such session"})
            case "session/load":
                tell(sessionUpdate="tool_call", toolCallId="t1", title="Write", kind="edit", status="completed")
                send(id=message["id"], result=None)
            case "session/prompt":
                text = message["params"]["prompt"][0]["text"]
                assert "counter" in text or "Continue with" in text or MODE == "prowls"
                counter = os.environ.get("COUNTER", "") or Path("/agent/counter.sv").read_text()
                send(id=message["id"], **work(counter))


main()
