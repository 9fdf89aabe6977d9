"""An inline-completion server that says what a script says, and tells a test of every message that it gets.

Run as `python inline_double.py SCRIPT SOCKET`. What it is told goes to the socket (Unix, datagrams) as JSON: where it
runs confined, it can write no file that a test could read.

The script is JSON. `rules` is a list of `{"after": …, "say": …}`; the first applies whose `after` is what the text left
of the cursor ends with, white space at both ends left out. `items` of a rule replaces the one item with text. With
`model`, the address of an endpoint of OpenAI's chat API is asked instead.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

SCRIPT = json.loads(Path(sys.argv[1]).read_text())
HEARER = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
HEARER.connect(sys.argv[2])

server = LanguageServer("double", "1.2.3")
texts: dict[str, str] = {}
focused: list[str] = []


def note(method: str, params: Any = None) -> None:
    HEARER.send(json.dumps({"home": os.environ["HOME"], "method": method, "params": params}).encode())


def plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: plain(inner) for name, inner in value._asdict().items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


@server.feature(types.INITIALIZED)
def initialized(params: types.InitializedParams) -> None:
    workspace = server.workspace.root_path
    files = {
        file.relative_to(workspace).as_posix(): file.read_text()
        for file in Path(workspace).rglob("*")
        if file.is_file()
    }
    note("initialized", {"files": files, "environment": dict(os.environ)})


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def opened(params: types.DidOpenTextDocumentParams) -> None:
    texts[params.text_document.uri] = params.text_document.text
    note("textDocument/didOpen", {"text": params.text_document.text})


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(params: types.DidChangeTextDocumentParams) -> None:
    texts[params.text_document.uri] = params.content_changes[-1].text
    note("textDocument/didChange", {"version": params.text_document.version, "text": params.content_changes[-1].text})


@server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)
def complete(params: types.InlineCompletionParams) -> Any:
    start = time.perf_counter_ns()
    text = texts[params.text_document.uri]
    lines = text.split("\n")
    text_before = "\n".join([*lines[: params.position.line], lines[params.position.line][: params.position.character]])
    note("textDocument/inlineCompletion", {"before": text_before, "text": text})
    items = completion_items(text_before, text[len(text_before) :])
    note("answered", {"own_ms": (time.perf_counter_ns() - start) / 1e6})
    return items


def completion_items(text_before: str, text_after: str) -> Any:
    if "model" in SCRIPT:
        chat_body = {
            "model": "scripted",
            "messages": [
                {"role": "system", "content": "Complete."},
                {"role": "user", "content": text_before + "<CURSOR>" + text_after},
            ],
        }
        chat_request = urllib.request.Request(
            SCRIPT["model"] + "/chat/completions", json.dumps(chat_body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(chat_request, timeout=30) as response:
            reply = json.loads(response.read())["choices"][0]["message"]["content"]
        return [{"insertText": reply}] if reply else None
    for rule in SCRIPT["rules"]:
        if text_before.rstrip().endswith(rule["after"].strip()):
            time.sleep(rule.get("delay_s", 0))
            return rule["items"] if "items" in rule else [{"insertText": rule["say"]}]
    return None


@server.command("double.accepted")
def accepted(*arguments: Any) -> None:
    note("double.accepted", plain(list(arguments)))


@server.feature("textDocument/didFocus")
def did_focus(params: Any) -> None:
    note("textDocument/didFocus", plain(params))


@server.feature("textDocument/didShowCompletion")
def did_show(params: Any) -> None:
    note("textDocument/didShowCompletion", plain(params))


@server.feature("textDocument/didPartiallyAcceptCompletion")
def did_partially_accept(params: Any) -> None:
    note("textDocument/didPartiallyAcceptCompletion", plain(params))


@server.feature("textDocument/copilotInlineEdit")
def inline_edit(params: Any) -> Any:
    note("textDocument/copilotInlineEdit", plain(params))
    document = {"textDocument": plain(params)["textDocument"]}
    return {"edits": [{**document, **edit} for edit in SCRIPT.pop("next_edits", [])]}


@server.feature("textDocument/didShowInlineEdit")
def did_show_edit(params: Any) -> None:
    note("textDocument/didShowInlineEdit", plain(params))


@server.feature("signIn")
def sign_in(params: Any) -> Any:
    command = {"title": "Sign in", "command": "double.finishSignIn", "arguments": []}
    return {
        "status": "PromptUserDeviceFlow",
        "userCode": "ABCD-1234",
        "verificationUri": "https://x.test/device",
        "command": command,
    }


@server.command("double.finishSignIn")
def finish_sign_in() -> Any:
    (Path(os.environ["HOME"]) / "token").write_text("signed in")
    return {"status": SCRIPT.get("status", "OK"), "user": "somebody"}


@server.feature("checkStatus")
def check_status(params: Any) -> Any:
    note("checkStatus", plain(params))
    return {"status": SCRIPT.get("status", "OK"), "user": "somebody"}


if __name__ == "__main__":
    server.start_io()
