"""Options as typed groups: a command takes a frozen dataclass, and the command line shows each of its fields.

Typer reads a command's options from its signature. `flatten_option_groups` gives it a signature in which each parameter
that is a dataclass is replaced by the fields of that dataclass, and puts the values back together before the command is
called:

    @dataclass(frozen=True)
    class Limits:
        time_limit: Annotated[int | None, typer.Option(min=1, help="Seconds per sample.")] = None

    @app.command()
    @grouped
    def evaluate(pack: PackOption, limits: Limits) -> None: ...
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import get_type_hints


def flatten_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its dataclasses as options of their own."""
    parameters: list[Parameter] = []
    option_classes: dict[str, type] = {}
    for parameter in signature(command, eval_str=True).parameters.values():
        if isinstance(parameter.annotation, type) and dataclasses.is_dataclass(parameter.annotation):
            option_classes[parameter.name] = parameter.annotation
            parameters += options_of_dataclass(parameter.annotation)
        else:
            parameters.append(parameter)

    def gather(**values: object) -> None:
        for name, group in option_classes.items():
            group_values = {field.name: values.pop(field.name) for field in dataclasses.fields(group)}
            values[name] = group(**group_values)
        command(**values)

    return with_signature(functools.update_wrapper(gather, command), parameters)


def options_of_dataclass(option_class: type) -> list[Parameter]:
    """The parameters that Typer makes options of, one for each field of a dataclass."""
    type_hints = get_type_hints(option_class, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is dataclasses.MISSING else field.default,
            annotation=type_hints[field.name],
        )
        for field in dataclasses.fields(option_class)
    ]


def with_signature(command: Callable[..., None], parameters: Sequence[Parameter]) -> Callable[..., None]:
    """The command with these parameters for Typer to read; it is called with all of them by name."""

    def call(**values: object) -> None:
        command(**values)

    functools.update_wrapper(call, command)
    by_name = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters]
    call.__dict__["__signature__"] = Signature(by_name)
    return call
