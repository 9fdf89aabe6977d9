"""Settings of the analysis that a user may make. Nothing heavy is imported here: an editor waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SeverityName = Literal["error", "warning", "information", "hint", "off"]


@dataclass(frozen=True)
class LintRuleSettings:
    """Settings of what linters look for when a file is saved."""

    verible_rules: tuple[str, ...] = ()
    """Changes to verible's default rules, such as `+line-length=length:120` or `-no-tabs`."""
    off: tuple[str, ...] = ()
    """Rules to hide, of any tool: `UNUSEDSIGNAL`, `width-trunc`, `no-tabs`."""
    severity: Mapping[str, SeverityName] = field(default_factory=dict)
    """Severity of each rule: `error`, `warning`, `information`, `hint` or `off`."""


@dataclass(frozen=True)
class InlayHintSettings:
    """Settings of what inlay hints show."""

    port_names: bool = True
    """Names of ports that are connected by position."""
    widths: bool = True
    """Widths of declarations with a computed range."""
    constants: bool = True
    """Values of parameters and constants."""
    implicit_nets: bool = True
    """Nets that are declared implicitly."""
    waveform_values: bool = True
    """Values of signals at the cursor of the open waveform; none without one."""


@dataclass(frozen=True)
class ProjectSettings:
    """Settings of a design that is not a Benchwright workspace."""

    include_dirs: tuple[str, ...] = ()
    """Folders of included files, relative to the workspace folder or absolute."""
    file_lists: tuple[str, ...] = ()
    """File lists (`.f`, `Bender.yml`, `.core`), relative to the workspace folder or absolute."""
    defines: tuple[str, ...] = ()
    """Macros, such as `SYNTHESIS` or `WIDTH=8`."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables that file lists name, such as `PRJ_DIR` for `$PRJ_DIR`, before those of the environment. A value is
    relative to the workspace folder or absolute."""
    target: str = ""
    """The target of a `.core` file, or those of a `Bender.yml`, separated by commas."""
    warnings: tuple[str, ...] = ()
    """Changes to slang's default warnings, each as after its `-W`, such as `extra`, `unused` or `no-width-trunc`."""
    verilog_files: tuple[str, ...] = ()
    """Files that are Verilog of 2005 or older, as patterns such as `*.v` or `rtl/old/*`: there `bit`, `logic` and `do`
    are names. Without any, a `.v` file is read as whatever it has fewer errors in."""
    black_boxes: tuple[str, ...] = ()
    """Files and folders of vendors' models, relative to the workspace folder or absolute: a module that the project
    does not declare is taken from them, with its ports, and is not checked. Yosys' models of FPGA cells come after."""
    clock_crossings: bool = False
    """Report candidates for clock-domain crossings, as information: registers that are written at one clock and read at
    another without two registers in a row."""
