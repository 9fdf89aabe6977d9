"""The server's settings, from `initializationOptions` and later `workspace/didChangeConfiguration`.

The fields are named in camelCase on the wire, as in an editor's settings under `benchwright`. Nothing heavy is
imported here: an editor waits for it.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from benchwright_server import feature_registry, lint_registry
from benchwright_verilog.settings import InlayHintSettings, LintRuleSettings, ProjectSettings

Group = TypeVar("Group")


class Features(SimpleNamespace):
    """The language features that are offered. They are read once, when the server starts."""

    # A field for each feature of the registry, so that none has to be declared twice.
    def __init__(self, **switches: bool) -> None:
        super().__init__(**(dict.fromkeys(_switchable_feature_names(), True) | switches))


def lint_settings_class() -> type[LintRuleSettings]:
    """`LintRuleSettings` with a switch for each lint tool of the registry that has one: none is declared twice."""
    switches = [
        (tool.name, bool, field(default=True, metadata={"description": tool.remark}))
        for tool in lint_registry.LINT_TOOLS
        if tool.remark
    ]
    doc = {"__doc__": LintRuleSettings.__doc__}
    return dataclasses.make_dataclass("LintSettings", switches, bases=(LintRuleSettings,), namespace=doc, frozen=True)


if TYPE_CHECKING:
    LintSettings = LintRuleSettings
else:
    LintSettings = lint_settings_class()


@dataclass(frozen=True)
class DiagnosticSettings:
    """The times at which files are analysed."""

    quiet_ms: int = 150
    """Time after the last keystroke at which a file is analysed, in milliseconds."""
    patience_ms: int = 500
    """The longest time for which continuous typing may delay an analysis, in milliseconds."""
    all_files: bool = False
    """Show findings in all files of the open folders, open or not. Large folders take long to analyse."""


@dataclass(frozen=True)
class CodeActionSettings:
    """The changes that editors make on their own."""

    fix_all_on_save: bool = False
    """Apply every safe fix before a file is saved, if the editor asks the server before saving."""


@dataclass(frozen=True)
class Assistant:
    """The model behind inline completion: any endpoint that speaks OpenAI's chat protocol."""

    enabled: bool = False
    """Offer inline completion. The source around the cursor is then sent to `url`."""
    url: str = ""
    """Base address of the endpoint, such as `http://127.0.0.1:8000/v1`."""
    model: str = ""
    """Name of the model at that endpoint."""
    api_key_variable: str = ""
    """Environment variable of the server that holds the API key. If empty, no key is sent."""
    max_tokens: int = 128
    """Maximum length of a completion, in tokens."""
    timeout_ms: int = 5000
    """Time to wait for the model, in milliseconds."""


@dataclass(frozen=True)
class JudgeServiceSettings:
    """The judge that scores answers to questions."""

    url: str = ""
    """URL of a judge service. If empty, the judges set up on this machine score answers."""


@dataclass(frozen=True)
class OwnTests:
    """Settings for running the tests in a folder."""

    run_on_save: bool = False
    """Run the tests of a file when it is saved, and all tests of the folder when a design file is; in VS Code."""
    simulator: Literal["auto", "icarus", "verilator"] = "auto"
    """Simulator that runs tests: `icarus`, `verilator`, or `auto` for Icarus, and Verilator where Icarus can't compile
    the sources."""
    top: str = ""
    """The module that cocotb tests simulate if neither their file nor one beside it names one."""
    waves: bool = False
    """Keep the waveform of each run in `.benchwright/waves`."""
    limit_s: int = 60
    """Time that one simulation may take, in seconds, with compiling it."""


@dataclass(frozen=True)
class Authoring:
    """Help for those who write problems."""

    prove_on_save: bool = True
    """Prove a problem of a pack's folder when one of its files is saved: its reference has to pass the hidden tests,
    the files that a solver gets and the wrong solutions have to fail."""


@dataclass(frozen=True)
class DesignViewSettings:
    """Views of a design that are shown without being asked for."""

    size_lens: bool = False
    """Show the number of cells and wires of each module above it, and its longest combinational path, with their
    changes since the last save. Needs Yosys, which runs after each save."""


@dataclass(frozen=True)
class ServerSettings:
    """All settings of the server."""

    features: Features = field(default_factory=Features)
    diagnostics: DiagnosticSettings = field(default_factory=DiagnosticSettings)
    lint: LintSettings = field(default_factory=lambda: LintSettings())
    code_actions: CodeActionSettings = field(default_factory=CodeActionSettings)
    inlay_hints: InlayHintSettings = field(default_factory=InlayHintSettings)
    project: ProjectSettings = field(default_factory=ProjectSettings)
    assistant: Assistant = field(default_factory=Assistant)
    judge: JudgeServiceSettings = field(default_factory=JudgeServiceSettings)
    own_tests: OwnTests = field(default_factory=OwnTests)
    design_views: DesignViewSettings = field(default_factory=DesignViewSettings)
    authoring: Authoring = field(default_factory=Authoring)

    @property
    def project_settings(self) -> ProjectSettings:
        """The settings that files are analysed with: a warning that is given a severity is looked for."""
        weighed = tuple(rule for rule, severity in self.lint.severity.items() if severity != "off")
        return dataclasses.replace(self.project, warnings=(*weighed, *self.project.warnings))


def read_settings(client_options: object, *, reports_unknown_options: bool = True) -> tuple[ServerSettings, list[str]]:
    """Settings from what a client sent.

    Args:
        client_options: Any JSON value; `None` for no options.
        reports_unknown_options: True to report unknown options. An editor's whole configuration also contains
            the editor's own options.

    Returns:
        The settings, with the default for each invalid option, and a sentence for each of these.
    """
    complaints: list[str] = []
    if client_options is None:
        return ServerSettings(), complaints
    return _read_settings_class(ServerSettings, client_options, "", complaints, reports_unknown_options), complaints


def camel_case_name(field_name: str) -> str:
    """A field's name in JSON."""
    first_word, *other_words = field_name.split("_")
    return first_word + "".join(word.capitalize() for word in other_words)


def field_types(settings_class: type[Any]) -> dict[str, Any]:
    """Type of each field of a group."""
    return (
        dict.fromkeys(_switchable_feature_names(), bool)
        if settings_class is Features
        else get_type_hints(settings_class)
    )


def _switchable_feature_names() -> list[str]:
    return sorted(feature.name for feature in feature_registry.FEATURES if not feature.setting)


def _is_settings_class(setting_type: Any) -> bool:
    return setting_type is Features or (isinstance(setting_type, type) and dataclasses.is_dataclass(setting_type))


def _read_settings_class(
    settings_class: type[Group], value: object, dotted_path: str, complaints: list[str], reports_unknown_options: bool
) -> Group:
    if not isinstance(value, dict):
        complaints.append(_invalid_setting_sentence(dotted_path, "an object"))
        return settings_class()
    fields_by_key = {camel_case_name(name): (name, kind) for name, kind in field_types(settings_class).items()}
    values: dict[str, Any] = {}
    for key, inner in value.items():
        setting_path = f"{dotted_path}.{key}" if dotted_path else str(key)
        if key not in fields_by_key:
            if reports_unknown_options:
                complaints.append(f"Unknown setting benchwright.{setting_path} is ignored.")
            continue
        name, kind = fields_by_key[key]
        if _is_settings_class(kind):
            values[name] = _read_settings_class(kind, inner, setting_path, complaints, reports_unknown_options)
        elif inner is not None:
            try:
                values[name] = _converted_value(kind, inner)
            except ValueError as error:
                complaints.append(_invalid_setting_sentence(setting_path, str(error)))
    return settings_class(**values)


def _invalid_setting_sentence(dotted_path: str, requirement: str) -> str:
    setting_name = f"benchwright.{dotted_path}" if dotted_path else "initializationOptions"
    return f"The setting {setting_name} must be {requirement}; the default is used."


def _converted_value(wanted_type: Any, value: object) -> Any:
    """A setting of some type, or `ValueError` with the expected type in words."""
    if wanted_type is bool or wanted_type is str:
        if not isinstance(value, wanted_type):
            raise ValueError(describe_type(wanted_type))
        return value
    if wanted_type is int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError(describe_type(wanted_type))
        return value
    if get_origin(wanted_type) is Literal:
        if value not in get_args(wanted_type):
            raise ValueError(describe_type(wanted_type))
        return value
    if get_origin(wanted_type) is tuple:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(describe_type(wanted_type))
        return tuple(value)
    if not isinstance(value, dict):
        raise ValueError(describe_type(wanted_type))
    _, inner = get_args(wanted_type)
    try:
        return types.MappingProxyType({key: _converted_value(inner, item) for key, item in value.items()})
    except ValueError:
        raise ValueError(describe_type(wanted_type)) from None


def describe_type(setting_type: Any) -> str:
    """The expected value of a setting of some type, in words."""
    if get_origin(setting_type) is Literal:
        return "one of " + ", ".join(map(str, get_args(setting_type)))
    if get_origin(setting_type) is tuple:
        return "a list of strings"
    if get_args(setting_type):
        values = get_args(setting_type)[1]
        return "an object whose values are " + ("strings" if values is str else describe_type(values))
    return {bool: "true or false", int: "a whole number, 0 or more", str: "a string"}[setting_type]


class FlatSetting(NamedTuple):
    """A setting with the class and the field that declare it."""

    dotted_name: str
    setting_type: Any
    default: Any
    settings_class: type[Any]
    field_name: str


def flat_settings(settings_group: type[Any] | None = None, dotted_prefix: str = "") -> Iterator[FlatSetting]:
    """Every setting of a group; of all groups, if none is given."""
    settings_class = settings_group or ServerSettings
    defaults = settings_class()
    for name, kind in field_types(settings_class).items():
        setting_path = f"{dotted_prefix}.{camel_case_name(name)}" if dotted_prefix else camel_case_name(name)
        if _is_settings_class(kind):
            yield from flat_settings(kind, setting_path)
        else:
            yield FlatSetting(setting_path, kind, getattr(defaults, name), settings_class, name)
