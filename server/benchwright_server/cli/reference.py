"""Writes `docs/reference/command-line.md` from the commands' own declarations.

Run as `python -m benchwright_server.cli.reference`; a test compares the page with the commands.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Union, get_args, get_origin

import typer
from typer.models import ArgumentInfo, OptionInfo

from benchwright_server.cli.app import app_with_commands, load_command_modules

PAGE = Path("docs/reference/command-line.md")
_HEAD = """\
# Command line

Every command of `benchwright`, from the commands' own declarations. Written by
`python -m benchwright_server.cli.reference`; do not edit.

Results go to standard output, progress and remarks to standard error. `--json` prints exactly one JSON value. Unless a
command says otherwise, the exit status is 0 for success, 1 for an unexpected error, 2 for wrong
usage or an expected error, which is one sentence on standard error, and 130 after Ctrl+C.

Commands that need an extra say which one; see [dependencies](../explanation/dependencies.md).
"""
_NAMES: dict[type, str] = {str: "TEXT", int: "INT", float: "NUMBER", Path: "PATH"}


@dataclass(frozen=True)
class _Parameter:
    """An argument or an option as the page shows it."""

    usage: str
    meaning: str
    is_option: bool
    required: bool


def reference_page() -> str:
    """The whole page."""
    app = app_with_commands(load_command_modules())
    sections = [_HEAD, *_group_lines(app, "benchwright")]
    return "\n".join(sections)


def _group_lines(app: typer.Typer, command_path: str) -> Iterator[str]:
    for command_info in app.registered_commands:
        if command_info.callback is not None and not command_info.hidden:
            text = inspect.getdoc(command_info.callback) or ""
            yield _command_section(
                f"{command_path} {command_info.name}", text, command_info.callback, command_info.epilog or ""
            )
    for group in app.registered_groups:
        inner_app = group.typer_instance
        if inner_app is None:
            continue
        name = f"{command_path} {group.name}"
        callback = inner_app.registered_callback
        if callback is not None and callback.callback is not None:
            yield _command_section(name, inspect.getdoc(callback.callback) or "", callback.callback, "")
        else:
            yield f"## {name}\n\n{inner_app.info.help}\n"
        yield from _group_lines(inner_app, name)


def _command_section(command_path: str, help_text: str, command: Callable[..., object], epilog: str) -> str:
    parameter_rows = [
        shown_parameter
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if (shown_parameter := _documented_parameter(parameter)) is not None
    ]
    parameter_rows.sort(key=lambda parameter_row: parameter_row.is_option)
    usage = " ".join(
        [
            command_path,
            *(
                _bracketed_usage(parameter_row)
                for parameter_row in parameter_rows
                if parameter_row.required or not parameter_row.is_option
            ),
            "[OPTION]...",
        ]
    )
    section_parts = [f"## {command_path}", help_text, f"```\n{usage}\n```"]
    if epilog:
        section_parts.append("\n".join(f"- {line}" for line in epilog.split("\n\n")))
    if parameter_rows:
        table_lines = "\n".join(
            f"| `{_escaped_cell(parameter_row.usage)}` | {_escaped_cell(parameter_row.meaning)} |"
            for parameter_row in parameter_rows
        )
        section_parts.append(f"| parameter | meaning |\n| --- | --- |\n{table_lines}")
    return "\n\n".join(section_parts) + "\n"


def _documented_parameter(parameter: Parameter) -> _Parameter | None:
    annotation = parameter.annotation
    if get_origin(annotation) is not Annotated:
        return None
    kind, info = get_args(annotation)[:2]
    required = parameter.default is Parameter.empty
    if isinstance(info, ArgumentInfo):
        return _Parameter(
            info.metavar or parameter.name.upper(), _option_meaning(info, parameter.default), False, required
        )
    if isinstance(info, OptionInfo):
        return _Parameter(
            _option_usage(parameter.name, kind, info), _option_meaning(info, parameter.default), True, required
        )
    return None


def _option_usage(parameter_name: str, annotation: object, option_info: OptionInfo) -> str:
    declared_flags = [word for word in (option_info.default, *(option_info.param_decls or ())) if isinstance(word, str)]
    flag = f"--{parameter_name.replace('_', '-')}"
    value_type = _single_value_type(annotation)
    if value_type is bool:
        return ", ".join(declared_flags) or f"{flag}, --no-{flag.removeprefix('--')}"
    return f"{', '.join(declared_flags) or flag} {option_info.metavar or _value_placeholder(value_type)}"


def _value_placeholder(value_type: object) -> str:
    if isinstance(value_type, type) and issubclass(value_type, StrEnum):
        return "|".join(value_type)
    return _NAMES.get(value_type, "TEXT") if isinstance(value_type, type) else "TEXT"


def _single_value_type(annotation: object) -> object:
    """The type of one value: of `int | None` and of `list[int]` it is `int`."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(argument for argument in get_args(annotation) if argument is not type(None))
    return get_args(annotation)[0] if get_origin(annotation) is list else annotation


def _option_meaning(parameter_info: ArgumentInfo | OptionInfo, default: object) -> str:
    meaning = parameter_info.help or ""
    if parameter_info.min is not None or parameter_info.max is not None:
        low = "" if parameter_info.min is None else f"{parameter_info.min} ≤ "
        high = "" if parameter_info.max is None else f" ≤ {parameter_info.max}"
        meaning += f" {low}value{high}."
    if default is Parameter.empty:
        meaning += " Required."
    elif default is True:
        meaning += " Default: on."
    elif default is not None and default is not False and default != "":
        meaning += f" Default: `{default}`."
    if parameter_info.envvar:
        meaning += f" Also from `{parameter_info.envvar}`."
    return meaning.strip()


def _bracketed_usage(parameter: _Parameter) -> str:
    return parameter.usage if parameter.required else f"[{parameter.usage}]"


def _escaped_cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(reference_page(), encoding="utf-8")
