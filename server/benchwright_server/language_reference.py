"""Prints `docs/reference/language-features.md` and `docs/reference/settings.md`, from what `initialize` answers.

Run as `python -m benchwright_server.language_reference features` or `… settings`.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from benchwright_server import settings
from benchwright_server.client import Client
from benchwright_server.features.registry import FEATURES, Feature, server_capabilities
from benchwright_server.settings import Assistant, CodeActions, Settings, describe, flat, wire_name
from benchwright_verilog import settings as verilog_settings

_FEATURES_HEAD = """\
# Language features

What `benchwright lsp` does for Verilog and SystemVerilog, as LSP 3.18 calls it. Made from what it answers to
`initialize` by `python -m benchwright_server.language_reference features`; do not edit.

A feature is offered if the editor says that it knows it, and if its [setting](settings.md) is on. slang says what
names, types and values are, tree-sitter how a file is built, so that also a file with errors has its outline and
foldings. What does not work is told in [Limitations](../explanation/limitations.md).

| feature | methods | setting |
| --- | --- | --- |
"""
_ANSWER_HEAD = """
## The answer to `initialize`

To an editor that can everything, with every feature on:

```json
"""
_CODE_ACTIONS = """
## Where findings come from

| source | when | what | explained at |
| --- | --- | --- | --- |
| `slang` | while typing, once it rests for 150 ms, and every 500 ms if it does not | syntax and meaning | \
sv-lang.com |
| `verilator` | on save, in workspaces | `--lint-only -Wall` | verilator.org |
| `verible` | on save | style rules | chipsalliance.github.io/verible |

An editor that can ask for diagnostics is answered, any other is told; never both. What two tools say of the same line
is shown once. A finding is waived by a comment in the words of its tool, or of another tool whose rule says the same:

| comment | for |
| --- | --- |
| `// verilator lint_off RULE` … `// verilator lint_on RULE` | the lines between, or the rest of the file |
| `// slang lint_off RULE` … `// slang lint_on RULE` | the same |
| `// verilog_lint: waive RULE` | its line; the next one too if it stands alone |
| `// verilog_lint: waive-start RULE` … `// verilog_lint: waive-stop RULE` | the lines between |

Errors can't be waived. Rules are turned off everywhere with `lint.off`, and weighed with `lint.severity`.
"""

_SETTINGS_HEAD = """\
# Settings of the language server

What an editor can set, as `initializationOptions` and later with `workspace/didChangeConfiguration`; VS Code has them
under `benchwright`. Made from `benchwright_server.settings` by `python -m benchwright_server.language_reference
settings`; do not edit.

A value that can't be used is told in a message that names it, and the default is used. What is under `features`,
`assistant.enabled` and `codeActions.fixAllOnSave` counts when the server starts; everything else at once.

```json
{"diagnostics": {"quietMs": 300}, "lint": {"off": ["no-tabs"]}, "features": {"codeLens": false}}
```
"""


class Everything(Client):
    """A client that can everything and prefers UTF-16."""

    def get(self, path: str) -> Any:
        """Yes, or the only answer that is more than yes."""
        return ["edit"] if path.endswith("resolveSupport.properties") else None if "Encodings" in path else True


def features_page() -> str:
    """`language-features.md`."""
    return _FEATURES_HEAD + "\n".join(_rows()) + "\n" + _CODE_ACTIONS + _ANSWER_HEAD + _answer() + "\n```\n"


def settings_page() -> str:
    """`settings.md`."""
    return _SETTINGS_HEAD + "\n".join(_settings()) + "\n"


def everything() -> dict[str, Any]:
    """What a client that can everything is answered."""
    settings = Settings(assistant=Assistant(enabled=True), code_actions=CodeActions(fix_all_on_save=True))
    return server_capabilities(Everything(), settings)


def _rows() -> Iterator[str]:
    for feature in FEATURES:
        methods = ", ".join(f"`{method}`" for method in feature.methods)
        yield f"| {feature.does} | {methods} | `{_setting(feature)}` |"


def _setting(feature: Feature) -> str:
    return "assistant.enabled" if feature.setting is not None else f"features.{wire_name(feature.module)}"


def _answer() -> str:
    return json.dumps({"capabilities": everything()}, indent=2)


def _settings() -> Iterator[str]:
    told = _descriptions()
    group: type[Any] | None = None
    for name, kind, default, owner, field in flat():
        if owner is not group:
            group = owner
            yield f"\n## `{name.rpartition('.')[0]}`\n\n{inspect.getdoc(owner)}\n"
            yield "| setting | has to be | default | |"
            yield "| --- | --- | --- | --- |"
        yield f"| `{name}` | {describe(kind)} | `{_json(default)}` | {told[owner.__name__, field]} |"


def _json(value: Any) -> str:
    return json.dumps(dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value)


def _descriptions() -> dict[tuple[str, str], str]:
    """The text below each setting in the source."""
    found: dict[tuple[str, str], str] = {}
    for module in (settings, verilog_settings):
        for group in ast.parse(inspect.getsource(module)).body:
            if isinstance(group, ast.ClassDef):
                found |= {(group.name, name): text for name, text in _described_fields(group)}
    return found


def _described_fields(group: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in zip(group.body, group.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            yield field.target.id, " ".join(str(ast.literal_eval(text.value)).split())


_PAGES = {"features": features_page, "settings": settings_page}

if __name__ == "__main__":
    sys.stdout.write(_PAGES[sys.argv[1]]())
