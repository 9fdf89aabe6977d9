from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from benchwright_server.features.language import formatting
from benchwright_server.linters.formatter import FormattedText
from benchwright_verilog.syntax.documents import Document, Documents


@pytest.mark.asyncio
async def test_all_tries_together_take_no_longer_than_one_may(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = Documents()
    documents.open("file:///a.sv", 1, "module m; endmodule\n")
    clock_s = 100.0
    patiences: list[float] = []

    async def slow(document: Document, options: Any, patience_s: float, most_unread_parts: int) -> FormattedText:
        # verible takes long, and the file is edited meanwhile.
        nonlocal clock_s
        patiences.append(patience_s)
        clock_s += 12.0
        documents.open(document.uri, document.version + 1, document.text + "\n")
        return FormattedText(document.text)

    monkeypatch.setattr(formatting, "format_document", slow)
    monkeypatch.setattr(formatting, "time", SimpleNamespace(monotonic=lambda: clock_s))
    server: Any = SimpleNamespace(documents=documents)
    assert await formatting._formatting_edits(server, "file:///a.sv", types.FormattingOptions(2, True)) == []
    assert patiences == [20.0, 8.0, 0.0]
