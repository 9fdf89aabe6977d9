"""Prints `docs/reference/language-features.md` and `docs/reference/settings.md`, from what `initialize` answers.

Run as `python -m benchwright_server.references.language features` or `… settings`.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from benchwright_server import feature_registry
from benchwright_server.client import Client
from benchwright_server.initialize_exchange import server_capabilities
from benchwright_server.linters import registry as linters
from benchwright_server.references.other_servers import other_servers_section
from benchwright_server.settings import (
    Assistant,
    CodeActionSettings,
    Features,
    ServerSettings,
    camel_case_name,
    describe_type,
    flat_settings,
)

_FEATURES_HEAD = """\
# Language features

What `benchwright lsp` does for Verilog and SystemVerilog, in the terms of LSP 3.18. Generated from its answer to
`initialize` by `python -m benchwright_server.references.language features`; do not edit.

A feature is offered if the editor supports it and its [setting](settings.md) is on. slang resolves
names, types and values; tree-sitter parses the structure, so that a file with errors has its outline and
foldings. What does not work is listed in [Limitations](../explanation/limitations.md).

| feature | methods | setting |
| --- | --- | --- |
"""
_ANSWER_HEAD = """
## The answer to `initialize`

To an editor that supports everything, with every feature on:

```json
"""
_SOURCES = """
## Where findings come from

| source | when | what | explained at |
| --- | --- | --- | --- |
| `slang` | while typing, after a pause of 150 ms, and every 500 ms without one | syntax and semantics | \
sv-lang.com |
{tools}

An editor that can pull diagnostics does; to any other they are pushed. What two tools report for the same line
is shown once. A comment waives a finding, in the syntax of its tool or of another tool whose rule reports the same:

| comment | for |
| --- | --- |
| `// verilator lint_off RULE` … `// verilator lint_on RULE` | the lines between, or the rest of the file |
| `// slang lint_off RULE` … `// slang lint_on RULE` | the same |
| `// verilog_lint: waive RULE` | its line; the next one too if it stands alone |
| `// verilog_lint: waive-start RULE` … `// verilog_lint: waive-stop RULE` | the lines between |

Candidates for clock-domain crossings (`clock-crossing`, from `slang`) are off until `project.clockCrossings` is set:
registers that are written at one clock and read at another. They are searched in what is elaborated with a file: in a
folder that is the file and what is below it, with a file list all of its tops. These are left out:

- one bit that goes through two registers of the new clock without logic, and several bits if they are Gray-coded
  (`x ^ (x >> 1)`, or a function with `gray` in its name);
- an unpacked array in a scope with such a Gray-coded pointer, as in an asynchronous FIFO;
- what is read only under a condition that comes from such a pair of registers of the same two clocks, as the data of a
  handshake;
- clocks that are made of one other clock by gates, latches or registers; clocks from modules that no file declares;
- resets in the event list, and signals that no register writes.

A candidate may be right, because of a protocol that this search does not understand. That there is none proves
nothing: bits that cross apart and are combined again, resets that are released at any time, and data that changes
while its handshake lasts are not searched for.

A list that has no folder for a header still finds it if the project's folder has it: a warning at the list says where,
and which `+incdir+` to add. Of several, the one nearest to the file that includes it is used.

Each file of a list is preprocessed on its own. With `--single-unit`, macros and declarations outside of modules reach
the files that follow; libraries of `-y` begin with the macros that are then defined, those of `-v` with
`--libraries-inherit-macros`.

A file is read if it is a plain file of at most 16 MB. An `` `include `` that leads to a pipe, a device or a larger
file is marked, and the rest of the file is analysed without it.

Names in a branch of `` `ifdef `` that the present defines leave out are found, explained and renamed like the others:
files with conditions are read under up to eight more sets of defines, until each branch was read once. A hover says
which macros the branch needs. Macros that the files define themselves are taken back for that. What two branches
declare in place of each other is renamed together. Editors that can ask for confirmation do so for edits in code that
is inactive under the present defines. Where no set gives a name a meaning, renaming lists the places.

A file or folder that gets another name in the editor takes the `` `include `` lines and the entries of file lists that
name it along; entries with variables stay. Modules keep their names, also where a file is named after its module: a
folder of `-y` then no longer brings it in.

A statement or item that verible can't parse, or would make another of, stays to the byte when a file is formatted; a
message names its lines.

A net that is not declared is a warning (`implicit-net`): a misspelt name in a connection is one.

A file is SystemVerilog. In one of Verilog, `bit`, `logic` and `do` are names: that is what `project.verilogFiles` says,
or a list by `--map-keyword-version 1364-2005+*.v`, `+verilog2001ext+.v`, `+1364-2001ext+v` or `-v2k`, or the type
`verilogSource-2005` in a `.core` file. A `.v` file of which nothing is said is read as what it has fewer errors in.

A module that no file of the folder declares is looked for in the other open folders, unless a list says which files
there are. A folder that is opened through a link is called what the editor calls its files.

A module that no file declares is an error (`unknown-module`), unless a model has it: vendors' models in
`project.blackBoxes`, then Yosys' models of FPGA cells, of which names in capitals count. Ports and parameters are
checked against the model, and nothing inside it. The quick fix writes a stub into a file of its own beside the
file: a port is an input where what is connected to it has a driver, an output where it has only loads.
`--ignore-unknown-modules` in a list turns the error off.

Errors can't be waived. `lint.off` turns rules off everywhere, and `lint.severity` sets their severity.
"""

_SETTINGS_HEAD = """\
# Settings of the language server

What an editor can set, in `initializationOptions` and later with `workspace/didChangeConfiguration`; VS Code has them
under `benchwright`. Generated from `benchwright_server.settings` by `python -m benchwright_server.references.language
settings`; do not edit.

An invalid value is reported in a message that names it, and the default is used. `features`, `assistant.enabled` and
`codeActions.fixAllOnSave` take effect when the server starts, all others at once.

```json
{"diagnostics": {"quietMs": 300}, "lint": {"off": ["no-tabs"]}, "features": {"codeLens": false}}
```
"""


class FullClient(Client):
    """A client that supports everything and prefers UTF-16."""

    def capability(self, dotted_path: str) -> Any:
        """True, or the one capability that is a list."""
        return (
            ["edit"]
            if dotted_path.endswith("resolveSupport.properties")
            else None
            if "Encodings" in dotted_path
            else True
        )


def features_page() -> str:
    """`language-features.md`."""
    return (
        _FEATURES_HEAD
        + "\n".join(_feature_rows())
        + "\n"
        + _SOURCES.format(tools="\n".join(_lint_tool_rows()))
        + other_servers_section({method for feature in feature_registry.FEATURES for method in feature.methods})
        + _ANSWER_HEAD
        + _initialize_answer_json()
        + "\n```\n"
    )


def settings_page() -> str:
    """`settings.md`."""
    return _SETTINGS_HEAD + "\n".join(_setting_sections()) + "\n"


def setting_description(settings_class: type[Any], field_name: str) -> str:
    """The docstring below a setting in the source; of a switch of a feature or lint tool, its text in the registry."""
    if settings_class is Features:
        feature = next(feature for feature in feature_registry.FEATURES if feature.name == field_name)
        return feature.switch_text or feature.does
    metadata = next(field.metadata for field in dataclasses.fields(settings_class) if field.name == field_name)
    if "description" in metadata:
        return str(metadata["description"])
    declaring_class = next(kind for kind in settings_class.__mro__ if field_name in inspect.get_annotations(kind))
    body = next(
        node.body
        for node in ast.parse(textwrap.dedent(inspect.getsource(declaring_class))).body
        if hasattr(node, "body")
    )
    for statement, text in pairwise(body):
        is_field = (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.target.id == field_name
        )
        if is_field and isinstance(text, ast.Expr):
            return " ".join(str(ast.literal_eval(text.value)).split())
    raise LookupError(f"{settings_class.__name__}.{field_name} has no docstring: write one below it.")


def full_capabilities() -> dict[str, Any]:
    """The answer to a client that supports everything."""
    settings = ServerSettings(assistant=Assistant(enabled=True), code_actions=CodeActionSettings(fix_all_on_save=True))
    return server_capabilities(FullClient(), settings)


def _feature_rows() -> Iterator[str]:
    for feature in feature_registry.FEATURES:
        methods = ", ".join(f"`{method}`" for method in feature.methods)
        yield f"| {feature.does} | {methods} | `{camel_case_name(feature.switch)}` |"


def _lint_tool_rows() -> Iterator[str]:
    for tool in linters.lint_tools().values():
        occasion = "on save, in workspaces" if tool.needs_folder else "on save"
        page_url = urlsplit(tool.source.page_url_template)
        # A host of many projects is only meaningful with the project's name.
        host = (
            f"{page_url.netloc}/{page_url.path.split('/')[1]}"
            if page_url.netloc.endswith("github.io")
            else page_url.netloc
        )
        yield f"| `{tool.source}` | {occasion} | {tool.options_text} | {host} |"


def _initialize_answer_json() -> str:
    return json.dumps({"capabilities": full_capabilities()}, indent=2)


def _setting_sections() -> Iterator[str]:
    group: type[Any] | None = None
    for name, kind, default, settings_class, field in flat_settings():
        if settings_class is not group:
            group = settings_class
            yield f"\n## `{name.rpartition('.')[0]}`\n\n{inspect.getdoc(settings_class)}\n"
            yield "| setting | value | default | |"
            yield "| --- | --- | --- | --- |"
        description = setting_description(settings_class, field)
        yield f"| `{name}` | {describe_type(kind)} | `{_json_of_default(default)}` | {description} |"


def _json_of_default(value: Any) -> str:
    return json.dumps(dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value)


_PAGES = {"features": features_page, "settings": settings_page}

if __name__ == "__main__":
    sys.stdout.write(_PAGES[sys.argv[1]]())
