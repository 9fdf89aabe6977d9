"""An inline-completion server without a library: it starts at once, and does the wrong thing that a test names.

Run as `python plain_inline_server.py MODE SOCKET [ARGUMENT …]`; it tells the socket of each document and question.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

MODE, SOCKET, *ARGUMENTS = sys.argv[1:]
HEARER = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
HEARER.connect(SOCKET)


def tell(method: str, params: Any) -> None:
    HEARER.send(json.dumps({"home": os.environ["HOME"], "method": method, "params": params}).encode())


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def messages() -> Any:
    while header := sys.stdin.buffer.readline():
        size = int(header.split(b":")[1])
        sys.stdin.buffer.readline()
        yield json.loads(sys.stdin.buffer.read(size))


def item(text: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"insertText": text, **fields}]


def misbehave(number: int) -> None:
    """Answer a question for completions."""
    match MODE:
        case "good" | "watches":
            send({"id": number, "result": item("assign guess = 1'b0;\n")})
        case "silent":
            pass
        case "malformed":
            write(b"Content-Length: 4\r\n\r\n{{{{")
        case "noise":
            write(b"Loading the model: 100 %\n" * 1000)
        case "huge":
            write(b"Content-Length: 99999999999\r\n\r\n")
        case "notifying":
            while True:
                send({"method": "$/progress", "params": {}})
        case "loud":
            while True:
                sys.stderr.write("x" * 65536)
        case "dies":
            os._exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "error":
            send({"id": number, "error": {"code": -32603, "message": "no"}})
        case "unsupported":
            send({"id": number, "error": {"code": -32601, "message": "no such method"}})
        case "elsewhere":
            position = {"line": 0, "character": 0}
            send({"id": number, "result": item("x", range={"start": position, "end": position})})
        case "shapeless":
            send({"id": number, "result": {"items": [{"text": 7}]}})
        case "writes":
            Path("rtl", "extra.sv").write_text("module extra; endmodule\n")
            send({"id": number, "result": None})
        case "outside":
            written_paths = []
            for path in ARGUMENTS:
                try:
                    Path(path).write_text("x")
                    written_paths.append(path)
                except OSError:
                    pass
            send({"id": number, "result": item("written: " + " ".join(written_paths))})
        case "peeks":
            seen_texts = []
            for folder in map(Path, ARGUMENTS):
                with contextlib.suppress(OSError):
                    seen_texts += [str(file) for file in folder.rglob("*")] if folder.is_dir() else [folder.read_text()]
            send({"id": number, "result": item("seen: " + " ".join(seen_texts))})
        case "daemon":
            subprocess.Popen(["sleep", ARGUMENTS[0]], start_new_session=True, stdin=subprocess.DEVNULL)
            send({"id": number, "result": None})
        case "edits":
            change = {
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
                "newText": "",
            }
            send({"id": 900, "method": "workspace/applyEdit", "params": {"edit": {"changes": {"file:///x": [change]}}}})
            send({"id": number, "result": item("assign guess = 1'b0;")})


def watch_parent(pid: int) -> None:
    """End when there is no such process, as servers of vscode-languageserver-node do, which look every 3 s."""
    while True:
        try:
            os.kill(pid, 0)
        except OSError:
            os._exit(1)
        time.sleep(0.1)


def main() -> None:
    if MODE == "exits":
        sys.exit(f"no licence for {os.environ.get('MODEL_TOKEN', 'nobody')}")
    for message in messages():
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            if MODE == "early":
                send({"id": number + 1, "result": item("guessed")})
            parent_pid = message["params"].get("processId")
            if MODE == "watches" and parent_pid is not None:
                threading.Thread(target=watch_parent, args=(parent_pid,), daemon=True).start()
            send({"id": number, "result": {"capabilities": {}, "serverInfo": {"name": "plain", "version": "1"}}})
        elif method == "textDocument/didOpen":
            tell(method, {"text": message["params"]["textDocument"]["text"], "environment": dict(os.environ)})
        elif method == "checkStatus":
            send({"id": number, "result": {"status": "OK"}})
        elif method == "textDocument/completion":
            start, end = {"line": 1, "character": 4}, {"line": 1, "character": 4}
            text_edit = {"range": {"start": start, "end": end}, "newText": "assign guess = 1'b0;"}
            send({"id": number, "result": [{"label": "assign", "textEdit": text_edit}]})
        elif method == "textDocument/inlineCompletion":
            start_ns = time.perf_counter_ns()
            misbehave(number)
            tell(method, {"asked_ns": start_ns, "answered_ns": time.perf_counter_ns()})
        elif method == "shutdown":
            send({"id": number, "result": None})
        elif method == "exit":
            return
        elif method is None:
            tell("answer", message)


try:
    main()
except BrokenPipeError:
    time.sleep(0)
