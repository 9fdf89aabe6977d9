"""A client that types at random and asks at random, as fast as a server can answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest_lsp
from lsprotocol import converters, types

from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.surrogates import join_surrogates

from .session import SERVER

CANCELLED, REFUSED = -32800, -32803
_MAX_WAITING = 24
"""So many requests are under way at most."""
_PATIENCE_S = 60.0
"""Of processor time that the server may take until it answers; how long that is depends on what else is running."""
_STANDSTILL_S = 600.0
"""The longest that it may take at all."""
_LOOK_S = 1.0
_WORD = re.compile(r"[A-Za-z_]\w*")
_MAX_PROBLEMS = 12

FRAGMENTS = [
    *(
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "\f",
        "\u2028",
        "é",
        "漢",
        "𝄞",
        "\ud834",
        "\udd1e",
        "\0",
        "x",
        "_",
        ";",
        ",",
        ".",
        "::",
    ),
    *(
        "(",
        ")",
        "[3:0]",
        "{",
        "}",
        '"',
        "//",
        "/*",
        "*/",
        "\\",
        "`",
        "`X",
        "@(posedge clk) ",
        "#(",
        "'",
        "1'b0",
        " = ",
        " <= ",
    ),
    *(
        "begin ",
        "end\n",
        "module m(input clk);\n",
        "endmodule\n",
        "wire w;\n",
        "always @(*) ",
        "if (",
        "else ",
        "case (x)\n",
    ),
    *(
        "endcase\n",
        "function int f(int a);\n",
        "endfunction\n",
        "package p;\n",
        "endpackage\n",
        "import p::*;\n",
        "assign ",
    ),
    *(
        "`ifdef A\n",
        "`else\n",
        "`endif\n",
        '`include "a.sv"\n',
        "`define X(a) a + \\\n",
        "typedef enum {A, B} t;\n",
        "u(.a(a), .",
    ),
    *(
        "interface i;\n",
        "endinterface\n",
        "class c;\n",
        "endclass\n",
        "$display(",
        "generate\n",
        "for (int i = 0; i < 4; i++) ",
    ),
]

GENTLE = [" ", "\n", "\r\n", "\t", " /* 𝄞 */ ", " // é\n", "\f"]
"""Texts that spoil nothing where a space is."""

POSITIONED = (
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
    "textDocument/linkedEditingRange",
    "textDocument/selectionRange",
    "textDocument/onTypeFormatting",
    "textDocument/inlineCompletion",
)
RANGED = (
    "textDocument/inlayHint",
    "textDocument/codeAction",
    "textDocument/rangeFormatting",
    "textDocument/rangesFormatting",
    "textDocument/semanticTokens/range",
)
WHOLE = (
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/documentLink",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/formatting",
    "textDocument/codeLens",
    "textDocument/diagnostic",
    "workspace/symbol",
    "workspace/willRenameFiles",
    "benchwright/hierarchy",
    "benchwright/instances",
    "benchwright/viewAs",
    "benchwright/viewHere",
    "benchwright/setTop",
    "benchwright/explainFinding",
    "benchwright/explainFailure",
    "benchwright/generatedHelp",
    "benchwright/expandMacro",
    "benchwright/showExpansion",
    "benchwright/projectLists",
    "benchwright/useList",
    "benchwright/declarations",
    "benchwright/useDeclaration",
    "benchwright/drivers",
    "benchwright/loads",
    "benchwright/registers",
    "benchwright/stateMachines",
    "benchwright/schematic",
    "benchwright/designSize",
    "benchwright/ownTests",
    "benchwright/runOwnTests",
    "benchwright/newTestbench",
    "benchwright/waveform",
    "benchwright/waveformItems",
    "benchwright/waveformWindow",
    "benchwright/waveformValues",
    "benchwright/waveformChange",
    "benchwright/waveformSource",
    "benchwright/waveformSignal",
    "benchwright/waveformCursor",
    "benchwright/closeWaveform",
    "benchwright/hiddenWaveform",
    "benchwright/newProblem",
    "benchwright/proveProblem",
    "benchwright/previewProblem",
    "benchwright/questionForm",
    "benchwright/checkQuestionForm",
    "benchwright/saveQuestionForm",
    "benchwright/addFigure",
    "benchwright/questionTwin",
    "benchwright/questionModels",
    "benchwright/tryQuestion",
    "benchwright/examQuestions",
    "benchwright/examQuestion",
    "benchwright/saveExamQuestion",
    "benchwright/makeExamPack",
    "benchwright/organisedStudies",
    "benchwright/newStudy",
    "benchwright/checkStudy",
    "benchwright/beginStudy",
    "benchwright/writeReport",
    "benchwright/agentTools",
    "benchwright/agentTool",
    "benchwright/chatPrompt",
    "workspace/textDocumentContent",
    "workspace/diagnostic",
)
FOLLOWING = {
    "textDocument/completion": ("completionItem/resolve",),
    "textDocument/codeLens": ("codeLens/resolve",),
    "textDocument/codeAction": ("codeAction/resolve",),
    "textDocument/prepareCallHierarchy": ("callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"),
    "textDocument/prepareTypeHierarchy": ("typeHierarchy/supertypes", "typeHierarchy/subtypes"),
}
"""Requests that are made about the items of an answer."""
_REFUSING = frozenset({"textDocument/rename", "textDocument/prepareRename", "workspace/textDocumentContent"})
_ASSISTED = "textDocument/inlineCompletion"
"""Served only where a model is set up."""


class FuzzError(AssertionError):
    """A fault that a server must not have, and what led to it."""


class Client:
    """One server, spoken to without waiting for each answer."""

    def __init__(self, process: asyncio.subprocess.Process, seed: int) -> None:
        self.process = process
        self.random = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        """Answers that say something, by method."""
        self.capabilities: dict[str, Any] = {}
        self.problems: dict[str, str] = {}
        """Faults of the server, each kind once, with the messages that led to it."""
        self._unanswered_requests: dict[int, tuple[str, bool, str]] = {}
        self._items: deque[tuple[str, Any]] = deque(maxlen=64)
        self._tokens: dict[str, str] = {}
        self._trail: deque[str] = deque(maxlen=12)
        self._is_gone = False
        self._room = asyncio.Condition()
        self._results: dict[int, Any] = {}
        self._number = 0
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._read_log())]
        self.server_log = bytearray()

    @classmethod
    async def start(cls, home: Path, folder: Path, environment: dict[str, str], seed: int) -> Client:
        """Start a server on a workspace folder."""
        process = await asyncio.create_subprocess_exec(
            *SERVER,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment | {"BENCHWRIGHT_HOME": str(home), "PYTHONFAULTHANDLER": "1"},
            limit=1 << 26,
        )
        client = cls(process, seed)
        capabilities = converters.get_converter().unstructure(pytest_lsp.client_capabilities("visual-studio-code"))
        # Of newer editors than pytest-lsp knows.
        capabilities["textDocument"] |= {
            "inlayHint": {},
            "diagnostic": {},
            "typeHierarchy": {},
            "linkedEditingRange": {},
        }
        uri = folder.as_uri()
        params = {
            "processId": None,
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": "fuzz"}],
            "capabilities": capabilities,
            "initializationOptions": {"diagnostics": {"allFiles": True}, "project": {"clockCrossings": True}},
        }
        client.capabilities = (await client.answer("initialize", params))["capabilities"]
        client.notify("initialized", {})
        return client

    async def answer(self, method: str, params: Any) -> Any:
        """Ask, and wait for the answer."""
        number = await self.ask(method, params, keep=True)
        await self._wait_until(lambda: number in self._results)
        return self._results.pop(number)

    async def ask(self, method: str, params: Any, *, keep: bool = False, text: str = "") -> int:
        """Ask without waiting, unless very much is under way; `text` is what is asked about."""
        await self._wait_until(lambda: len(self._unanswered_requests) < _MAX_WAITING)
        self._number += 1
        self._unanswered_requests[self._number] = (method, keep, text)
        self.counts[method] += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    async def wait_until_answered(self) -> None:
        """Wait until everything is answered."""
        await self._wait_until(lambda: not self._unanswered_requests)

    def notify(self, method: str, params: Any) -> None:
        """Tell."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, number: int) -> None:
        """Cancel a request that may be under way."""
        self.notify("$/cancelRequest", {"id": number})

    def check(self) -> None:
        """Fail if the server did what it must not, and can't go on or did it in many ways."""
        if self._is_gone or len(self.problems) > _MAX_PROBLEMS:
            raise FuzzError("\n\n".join(self.problems.values()))

    @property
    def memory(self) -> int:
        """Bytes of memory that the server has."""
        return int(psutil.Process(self.process.pid).memory_info().rss)

    def follow_up(self) -> tuple[str, Any] | None:
        """A question about something that was answered before."""
        return self._items.pop() if self._items else None

    def token_id(self, uri: str) -> str:
        """The last known semantic tokens of a file."""
        return self._tokens.get(uri, "none")

    def remember_tokens(self, uri: str, identifier: str) -> None:
        """Notes what is known of a file's tokens from now on."""
        self._tokens[uri] = identifier

    async def close(self) -> None:
        """End the server; all went well only if it ends well."""
        await self.answer("shutdown", None)
        self.notify("exit", None)
        status = await asyncio.wait_for(self.process.wait(), _PATIENCE_S)
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait_for(task, _PATIENCE_S)
        if status != 0 or self.problems or b"Traceback" in self.server_log:
            problem_texts = "\n\n".join(self.problems.values())
            raise FuzzError(f"ended with {status}: {problem_texts or self.server_log.decode()[-4000:]}")

    async def kill(self) -> None:
        """End it somehow."""
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        for task in self._tasks:
            task.cancel()

    async def _wait_until(self, condition: Callable[[], bool]) -> None:
        began, processor_start_s = time.monotonic(), self._processor_s()
        async with self._room:
            while not (condition() or self._is_gone):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._room.wait(), _LOOK_S)
                took_s, worked_s = time.monotonic() - began, self._processor_s() - processor_start_s
                if worked_s > _PATIENCE_S or took_s > _STANDSTILL_S:
                    unanswered_text = "\n".join(
                        f"{method}: {text!r}" for method, _, text in self._unanswered_requests.values()
                    )
                    raise FuzzError(
                        f"no answer after {took_s:.0f} s, {worked_s:.0f} s of them at work, to\n{unanswered_text}\n"
                        f"{await self._stack_text()}"
                    )
        self.check()

    async def _stack_text(self) -> str:
        """What the threads of a server that does not answer are doing; ends it."""
        self.process.send_signal(signal.SIGABRT)
        await self.process.wait()
        await self._tasks[1]
        return self.server_log.decode(errors="replace")[-8000:]

    def _processor_s(self) -> float:
        if self._is_gone or self.process.returncode is not None:
            return 0.0
        cpu_times = psutil.Process(self.process.pid).cpu_times()
        return float(cpu_times.user + cpu_times.system)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        self._trail.append(body.decode()[:2000])
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read_log(self) -> None:
        assert self.process.stderr is not None
        while chunk := await self.process.stderr.read(1 << 16):
            self.server_log += chunk

    async def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                header = await stream.readuntil(b"\r\n\r\n")
                length = next(
                    int(line[15:]) for line in header.split(b"\r\n") if line.lower().startswith(b"content-length")
                )
                self._take(json.loads(await stream.readexactly(length)))
                async with self._room:
                    self._room.notify_all()
        self._is_gone = bool(self._unanswered_requests)
        if self._is_gone:
            self._tell("the server went away", self.server_log.decode(errors="replace")[-3000:], "\n".join(self._trail))
        async with self._room:
            self._room.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            self._handle_server_message(message)
            return
        method, keep, text = self._unanswered_requests.pop(message["id"])
        error = message.get("error")
        if error is not None:
            # A rename that is not safe is refused with the reason, as is an instance that is not there, and what was
            # cancelled may say so.
            may_refuse = method in _REFUSING or method.startswith("benchwright/")
            if error["code"] != CANCELLED and not (error["code"] == REFUSED and may_refuse):
                trace = "".join((error.get("data") or {}).get("traceback", ())[-3:])
                self._tell(f"{method} was answered with {error['message']}", trace, text)
            return
        result = message.get("result")
        self.answers[method] += bool(result)
        if keep:
            self._results[message["id"]] = result
        items = result.get("items") if isinstance(result, dict) else result
        for follow_up_method in FOLLOWING.get(method, ()):
            if items and isinstance(items, list):
                item = self.random.choice(items)
                is_item = follow_up_method.startswith(("callHierarchy/", "typeHierarchy/"))
                self._items.append((follow_up_method, {"item": item} if is_item else item))

    def _handle_server_message(self, message: dict[str, Any]) -> None:
        if "id" in message:
            answer: Any = (
                [None] * len(message["params"]["items"]) if message["method"].endswith("/configuration") else None
            )
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": answer})
        elif message["method"] == "window/showMessage" and "Unexpected error" in message["params"]["message"]:
            self._tell(
                message["params"]["message"], self.server_log.decode(errors="replace")[-2000:], "\n".join(self._trail)
            )

    def _tell(self, complaint: str, trace: str, material: str) -> None:
        self.problems.setdefault(complaint[:200], f"{complaint}\n{trace}\n{material!r}")


class Typist:
    """Types into one open file at random, and asks about random places of it."""

    def __init__(self, client: Client, uri: str, text: str, other_texts: Sequence[str]) -> None:
        self.client = client
        self.uri = uri
        self.text = text
        self.version = 1
        self._other_texts = other_texts
        self._is_gentle = client.random.random() < 0.5
        document_item = {"uri": uri, "languageId": "systemverilog", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": document_item})

    def type(self) -> int:
        """One message of one to three edits; returns how many."""
        chance = self.client.random
        content_changes: list[dict[str, Any]] = []
        for _ in range(chance.choice([1, 1, 1, 1, 2, 3])):
            if chance.random() < 0.05:
                # A whole file again, else all would soon be so broken that there is little to answer.
                self.text = join_surrogates(chance.choice(self._other_texts))
                self._is_gentle = chance.random() < 0.5
                content_changes.append({"text": self.text})
                continue
            lines = Lines(self.text)
            start = lines.code_point_at(lines.position(chance.randint(0, len(self.text))))
            length = chance.choice([0, 0, 0, 0, 1, 1, 2, 5, 30])
            end = lines.code_point_at(lines.position(min(len(self.text), start + length)))
            new_text = self._words()
            if self._is_gentle:
                start = end = max(0, self.text.find(" ", start))
                new_text = chance.choice(GENTLE)
            edit_range = lines.range(start, max(start, end))
            content_changes.append({"range": plain_range(edit_range), "text": new_text})
            self.text = join_surrogates(self.text[:start] + new_text + self.text[max(start, end) :])
        self.version += 1
        identifier = {"uri": self.uri, "version": self.version}
        self.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": content_changes})
        return len(content_changes)

    async def ask(self) -> None:
        """One request of any kind."""
        chance = self.client.random
        follow_up_request = self.client.follow_up() if chance.random() < 0.15 else None
        if follow_up_request is not None:
            await self.client.ask(*follow_up_request)
            return
        method = chance.choice([candidate for candidate in POSITIONED + RANGED + WHOLE if candidate != _ASSISTED])
        params = self._params(method)
        number = await self.client.ask(method, params, text=f"{params}\n{self.text}")
        if chance.random() < 0.03:
            self.client.cancel(number)

    async def compare(self) -> None:
        """The server must have the same text: its end is where ours is."""
        lines = Lines(self.text)
        params: dict[str, Any] = {"textDocument": {"uri": self.uri}, "positions": [{"line": 0, "character": 0}]}
        (selection,) = await self.client.answer("textDocument/selectionRange", params)
        while selection.get("parent"):
            selection = selection["parent"]
        end_position = lines.position(len(self.text))
        if selection["range"]["end"] != {"line": end_position.line, "character": end_position.character}:
            raise FuzzError(
                f"the server lost the text of {self.uri}: {selection['range']['end']} is not {end_position}"
            )

    def close(self) -> None:
        """Close the file."""
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    def _words(self) -> str:
        chance = self.client.random
        kind_draw = chance.random()
        if kind_draw < 0.2:
            return ""
        if kind_draw < 0.85:
            return chance.choice(FRAGMENTS)
        other_text = chance.choice(self._other_texts)
        start = chance.randint(0, len(other_text))
        return other_text[start : start + chance.choice([3, 12, 60])]

    def _random_position(self) -> dict[str, int]:
        chance = self.client.random
        if chance.random() < 0.03:
            # Beyond the end, as a client that is ahead may mean it.
            return {"line": chance.choice([0, 7, 2_000_000]), "character": chance.choice([0, 999, 2_000_000])}
        offset = chance.randint(0, len(self.text))
        if chance.random() < 0.6 and (word := _WORD.search(self.text, offset)) is not None:
            offset = chance.randint(*word.span())
        position = Lines(self.text).position(offset)
        return {"line": position.line, "character": position.character}

    def _of_design(self, operation: str) -> dict[str, Any]:
        chance = self.client.random
        modules = [*re.findall(r"\bmodule\s+(\w+)", self.text), "nowhere", "", "𝄞"]
        module, path = chance.choice(modules), chance.choice([*modules, f"{modules[0]}.a", "top..b", "a[2].b"])
        match operation:
            case "hierarchy":
                return {"path": chance.choice([None, path])}
            case "instances":
                return {"module": module}
            case "viewAs":
                return {"module": module, "instance": chance.choice([None, path])}
            case "viewHere":
                return {"path": path}
            case "projectLists" | "declarations" | "ownTests" | "agentTools":
                return {}
            case "useList":
                return {"name": chance.choice(["", "all.f", "𝄞"]), "target": chance.choice(["", "sim", ","])}
            case "useDeclaration":
                return {"module": module, "file": chance.choice(["", "a.sv", "../a.sv"])}
            case "explainFinding":
                return {"code": chance.choice(["LATCH", "width-trunc", "", "../slang", "𝄞"]), "source": "slang"}
            case "explainFailure":
                return {"test": chance.choice([None, "tests/nothing.py::nothing"]), "hidden": chance.random() < 0.5}
            case "generatedHelp":
                return {"about": chance.choice(["failure", "hint"])}
            case "expandMacro" | "showExpansion":
                return {"position": chance.choice([None, self._random_position()]), "full": chance.random() < 0.5}
            case "drivers" | "loads":
                signal = chance.choice([None, module, "a.b"])
                return {"position": chance.choice([None, self._random_position()]), "signal": signal}
            case "registers" | "stateMachines":
                return {"position": self._random_position(), "module": chance.choice([None, module])}
            case "schematic" | "designSize" | "newTestbench":
                # Of a module that there is, Yosys takes a second, and a new testbench waits for the client's edit.
                return {"module": "nothing"}
            case "runOwnTests":
                return {"ids": ["tests/nothing.py::nothing"]}
            case "chatPrompt":
                return {"question": chance.choice(["", "why?", "𝄞" * 1000])}
            case "proveProblem" | "previewProblem" | "examQuestions" | "questionForm" | "questionModels" | "checkStudy":
                return {}
            case "beginStudy":
                return {"participant": chance.choice(["", "P01", "𝄞"])}
            case "checkQuestionForm" | "saveQuestionForm":
                question_form = {"statement": chance.choice(["", "# 𝄞"]), "form": {"choices": {"A": "x"}}}
                return question_form | ({"digest": ""} if operation == "saveQuestionForm" else {})
            case "addFigure":
                return {"picture": chance.choice(["", "file:///nothing.png"])}
            case "tryQuestion":
                return {"models": chance.choice([[], ["m"]])}
            case "questionTwin":
                return {"id": chance.choice(["", "../x", "twin"])}
            case "examQuestion":
                return {"label": chance.choice(["1", "../x", "𝄞"])}
            case "saveExamQuestion":
                field_names = ("decision", "format", "difficulty", "domain", "topic", "answer")
                answers = dict.fromkeys(field_names, chance.choice(["", "open", "𝄞"]))
                form_values: dict[str, object] = {**answers, "choices": {}, "rubric": []}
                return {"label": "1", "digest": "", "statement": "", "solution": "", "form": form_values}
            case "makeExamPack":
                return {"pack": chance.choice(["", "../x", "exam"])}
            case "waveform" | "waveformItems" | "waveformCursor" | "closeWaveform" | "hiddenWaveform":
                return {}
            case "waveformWindow":
                return {"signals": [path], "start": 0, "end": chance.choice([0, 9]), "columns": 10}
            case "waveformValues":
                return {"signals": [path], "time": chance.choice([0, 1 << 63])}
            case "waveformChange" | "waveformSource":
                return {"signal": path, **({"time": 1} if operation == "waveformChange" else {})}
            case "waveformSignal":
                return {"source": self.uri, "position": self._random_position()}
            case "agentTool":
                return {
                    "tool": chance.choice(["files", "read_file", "drivers", "run_own_tests", "take_hint", "nothing"]),
                    "arguments": {"path": "../x"},
                }
            case _:
                return {"module": chance.choice([None, module])}

    def _params(self, method: str) -> dict[str, Any]:
        chance = self.client.random
        params: dict[str, Any] = {"textDocument": {"uri": self.uri}}
        if method == "workspace/symbol":
            return {"query": chance.choice(["", "a", "clk", "tb", "𝄞", "_"])}
        if method == "workspace/diagnostic":
            return {"previousResultIds": [{"uri": self.uri, "value": chance.choice(["1", "2", "none"])}]}
        if method == "workspace/textDocumentContent":
            names = [*re.findall(r"`(\w+)", self.text), "nothing"]
            macro_use = chance.choice(
                ["", f"?use={chance.choice(names)}.1", f"?use={chance.choice(names)}.2&step=one", "?"]
            )
            return {"uri": f"{self.uri.replace('file:', 'benchwright-macro:')}/expanded.sv{macro_use}"}
        if method == "benchwright/newProblem":
            # Only names that are refused: nothing is to be written.
            return {"folder": self.uri, "id": chance.choice(["", "../x", "9", "𝄞"])}
        if method == "benchwright/organisedStudies":
            return {}
        if method in ("benchwright/newStudy", "benchwright/writeReport"):
            # A file is no folder: nothing is to be written.
            return {"folder": self.uri} | ({"study": "nothing"} if method.endswith("writeReport") else {})
        if method.startswith("benchwright/"):
            return {"uri": self.uri} | self._of_design(method.removeprefix("benchwright/"))
        if method in POSITIONED:
            params["position"] = self._random_position()
        if method in RANGED:
            range_ends = sorted(
                (self._random_position(), self._random_position()),
                key=lambda position: (position["line"], position["character"]),
            )
            params["range"] = {"start": range_ends[0], "end": range_ends[1]}
        match method:
            case "textDocument/references":
                params["context"] = {"includeDeclaration": chance.random() < 0.5}
            case "textDocument/rename":
                params["newName"] = chance.choice(["a", "name_1", "name_2", "begin", "1x", "", "\\odd ", "𝄞"])
            case "textDocument/selectionRange":
                params["positions"] = [params.pop("position"), self._random_position()]
            case "textDocument/onTypeFormatting":
                params |= {"ch": chance.choice([";", "\n", "d", "e"]), "options": self._options()}
            case "textDocument/formatting" | "textDocument/rangeFormatting":
                params["options"] = self._options()
            case "textDocument/rangesFormatting":
                params |= {"ranges": [params.pop("range")], "options": self._options()}
            case "workspace/willRenameFiles":
                params["files"] = [{"oldUri": self.uri, "newUri": chance.choice([f"{self.uri}h", "file:///", "", "a"])}]
            case "textDocument/codeAction":
                params["context"] = {"diagnostics": []}
            case "textDocument/completion":
                params["context"] = {"triggerKind": 1}
            case "textDocument/inlineCompletion":
                params["context"] = {"triggerKind": 2}
            case "textDocument/semanticTokens/full/delta":
                params["previousResultId"] = chance.choice(["1", "2", "none"])
        return params

    def _options(self) -> dict[str, Any]:
        return {"tabSize": self.client.random.choice([0, 2, 4]), "insertSpaces": True}


def plain_range(lsp_range: types.Range) -> dict[str, Any]:
    """A range as JSON."""
    return {
        "start": {"line": lsp_range.start.line, "character": lsp_range.start.character},
        "end": {"line": lsp_range.end.line, "character": lsp_range.end.character},
    }
