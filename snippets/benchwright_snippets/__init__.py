"""Snippets in VS Code's format, for the server's completions and for the extension."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.resources import files

_TAB_STOP = re.compile(r"\$\{\d+:([^{}]*)\}|\$\d+|\$\{\d+\}")


@dataclass(frozen=True)
class Snippet:
    """One snippet (VS Code user guide, "Snippet syntax")."""

    name: str
    prefix: str
    body: str
    description: str

    @property
    def expanded_code(self) -> str:
        """The code with every placeholder at its default."""
        # A backslash escapes a dollar sign that belongs to the language.
        return _TAB_STOP.sub(lambda stop: stop[1] or "", self.body.replace("\\$", "\0")).replace("\0", "$")


def systemverilog_snippets() -> list[Snippet]:
    """All snippets for Verilog and SystemVerilog: design idioms, assertions, testbenches."""
    return _read_snippets("systemverilog.json")


def cocotb_snippets() -> list[Snippet]:
    """All snippets for cocotb tests in Python."""
    return _read_snippets("cocotb.json")


def _read_snippets(file_name: str) -> list[Snippet]:
    text = (files("benchwright_snippets") / file_name).read_text(encoding="utf-8")
    return [
        Snippet(name, entry["prefix"], "\n".join(entry["body"]), entry["description"])
        for name, entry in json.loads(text).items()
    ]
