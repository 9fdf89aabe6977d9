"""Start of a VS Code whose agent mode works on a task: the programs of this machine, shown in an agent's sandbox.

Everything runs there: the editor's server, the agent's commands, and the Chromium that draws the editor. Chromium comes
with the libraries and fonts of this machine, because the toolchain has none for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.atomic import write_atomically
from benchwright_subjects.agent_mode import AGENT_MODE_SUBJECT
from benchwright_subjects.agents.launch import BRIDGE, HOME, AcpTerms, AgentLaunch
from benchwright_subjects.agents.preset import SubjectKind
from benchwright_subjects.inline.vscode.editor_launch import find_programs
from benchwright_subjects.inline.vscode.vsix import Extension, read_vsix

_PACKAGE = Path(__file__).parents[1]
_DRIVER_FOLDERS = ("agent_mode/driver", "inline/vscode/driver", "inline/vscode/probe")
_DRIVER = "driver"
"""Folder of the driver's files in the sandbox's home."""
_EDITOR, _NODE, _BROWSER, _EXTENSIONS = "/editor", "/editor-node", "/editor-browser", "/editor-extensions"
_LIBRARIES, _FONTS = "/editor-libraries", "/editor-fonts"
_BROWSER_SCRIPT = f"{HOME}/{_DRIVER}/browser.sh"
_MAKE_BROWSER = f"chmod +x {_BROWSER_SCRIPT}"
_HOST_FONTS = Path("/usr/share/fonts")
_OWN_LIBRARIES = f"/usr/lib/{platform.machine()}-linux-gnu"
"""Of the toolchain: what it has comes first."""
_ELF = b"\x7fELF"
_BROWSER_NAMES = ("chromium", "chrome", "chromium-browser")
_LISTING_S = 30
_START_S = 300.0
_VSCODE = Path("lib") / "vscode"
_CHAT_EXTENSION = _VSCODE / "extensions" / "copilot"
_FONTS_FILE = f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>{_FONTS}</dir><cachedir>{HOME}/fonts</cachedir></fontconfig>
"""


@dataclass(frozen=True)
class CodeServerEditor:
    """The programs of one editor, on this machine."""

    node: Path
    entry: Path
    """The script with which Node starts code-server."""
    browser: Path

    @classmethod
    def find(cls, cache: Path, environ: Mapping[str, str] = os.environ) -> CodeServerEditor:
        """The editor of this machine.

        Args:
            cache: Folder into which the set-up puts code-server.
            environ: See `find_programs`.

        Raises:
            EvaluationError: One of the programs is missing.
        """
        programs = find_programs((), cache, environ)
        entry = Path(programs.code_server[-1]).resolve()
        return cls(Path(programs.node).resolve(), entry, _browser_binary(programs.chromium))

    @property
    def code_server(self) -> Path:
        """Folder of code-server's own package."""
        return self.entry.parents[2]

    @property
    def packages_folder(self) -> Path:
        """Folder to show: the outermost one with packages that code-server may need."""
        outermost = [folder for folder in self.code_server.parents if folder.name == "node_modules"]
        return outermost[-1].parent if outermost else self.code_server

    @property
    def node_path_in_sandbox(self) -> str:
        """Node's path in the sandbox."""
        return f"{_NODE}/{self.node.name}"

    @property
    def code_server_argv(self) -> tuple[str, str]:
        """Command line of code-server in the sandbox."""
        return self.node_path_in_sandbox, f"{_EDITOR}/{self.entry.relative_to(self.packages_folder).as_posix()}"

    @property
    def version_command(self) -> str:
        """For the sandbox's shell: prints the versions of the browser and of the editor."""
        return f"{_MAKE_BROWSER} && {_BROWSER_SCRIPT} --version && {shlex.join(self.code_server_argv)} --version"


def agent_mode_launch(
    editor: CodeServerEditor, cache: Path, extension_files: Sequence[Path] = (), chat_participant: str = ""
) -> AgentLaunch:
    """The start of a VS Code.

    Args:
        editor: Its programs.
        cache: Folder that extensions are copied to.
        extension_files: Extensions to install, first the one that is on the bench; none if that is the built-in chat.
        chat_participant: The chat participant that gets the task, without `@`; empty for agent mode.

    Raises:
        EvaluationError: This code-server has no chat, or a file is no extension.
    """
    extensions = [read_vsix(file) for file in extension_files]
    identity = _identity_facts(editor.code_server, extensions, chat_participant)
    shown_libraries = {
        f"{_LIBRARIES}/{number}": folder for number, folder in enumerate(_library_folders(editor.browser))
    }
    extension_words = [f"{extension.id}={_EXTENSIONS}/{extension.sha256}.vsix" for extension in extensions]
    command = [
        *(editor.node_path_in_sandbox, f"{HOME}/{_DRIVER}/agent_mode/driver/main.mjs", "--bridge", BRIDGE),
        *("--chromium", _BROWSER_SCRIPT, "--version", identity["subject_version"]),
        *(("--participant", chat_participant) if chat_participant else ()),
        *(word for extension_word in extension_words for word in ("--extension", extension_word)),
        *("--", *editor.code_server_argv),
    ]
    return AgentLaunch(
        command=f"{_MAKE_BROWSER} && exec {shlex.join(command)}",
        read_only_folders={
            _EDITOR: editor.packages_folder,
            _NODE: editor.node.parent,
            _BROWSER: editor.browser.parent,
            **({_EXTENSIONS: _folder_with_extension_copies(cache, extensions)} if extensions else {}),
            **({_FONTS: _HOST_FONTS} if _HOST_FONTS.is_dir() else {}),
            **shown_libraries,
        },
        files=_driver_files(editor.browser, tuple(shown_libraries)),
        identity_facts=identity,
        title=f"{AGENT_MODE_SUBJECT} {identity['subject_version']}",
        acp=AcpTerms(start_limit_s=_START_S),
        reserves_memory=True,
        grades_saves=True,
    )


def _driver_files(browser: Path, library_folder_names: Sequence[str]) -> dict[str, str]:
    driver_files = {
        f"{_DRIVER}/{file.relative_to(_PACKAGE).as_posix()}": file.read_text(encoding="utf-8")
        for folder in _DRIVER_FOLDERS
        for file in sorted((_PACKAGE / folder).iterdir())
        if file.is_file()
    }
    libraries = ":".join((_OWN_LIBRARIES, *library_folder_names))
    driver_files[f"{_DRIVER}/browser.sh"] = (
        f"#!/bin/sh\nexport LD_LIBRARY_PATH={libraries} FONTCONFIG_FILE={HOME}/{_DRIVER}/fonts.conf\n"
        f'exec {_BROWSER}/{browser.name} "$@"\n'
    )
    driver_files[f"{_DRIVER}/fonts.conf"] = _FONTS_FILE
    return driver_files


def _identity_facts(code_server: Path, extensions: Sequence[Extension], chat_participant: str) -> dict[str, str]:
    """Facts about the editor and the extension that works in it.

    Raises:
        EvaluationError: This code-server has no chat.
    """
    product_file, chat = code_server / _VSCODE / "product.json", code_server / _CHAT_EXTENSION
    try:
        product = json.loads(product_file.read_text(encoding="utf-8"))
        chat_manifest = json.loads((chat / "package.json").read_text(encoding="utf-8"))
        package = json.loads((code_server / "package.json").read_text(encoding="utf-8"))
        digest = hashlib.sha256()
        for file in (product_file, chat / "package.json", chat / "dist" / "extension.js"):
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        for extension in extensions:
            digest.update(bytes.fromhex(extension.sha256))
        facts = {
            "subject": AGENT_MODE_SUBJECT,
            "subject_kind": SubjectKind.EDITOR.value,
            "subject_version": str(product.get("version") or product["codeServerVersion"]),
            "subject_sha256": digest.hexdigest(),
            "code_server": str(package["version"]),
            "chat_extension": f"{chat_manifest['publisher']}.{chat_manifest['name']} {chat_manifest['version']}",
        }
    except (OSError, ValueError, KeyError) as error:
        raise EvaluationError(
            f"{code_server} is no code-server with a built-in chat ({error}). Run ./run once in a checkout, or install "
            "code-server 4.139 or later (`npm install code-server`)."
        ) from None
    if extensions:
        facts["extensions"] = ", ".join(f"{extension.id} {extension.version}" for extension in extensions)
    return facts | ({"participant": chat_participant} if chat_participant else {})


def _browser_binary(browser_command: str) -> Path:
    """The browser itself: what is on the `PATH` is often a script.

    Raises:
        EvaluationError: It was not found.
    """
    browser_program = Path(browser_command).resolve()
    folders = (browser_program.parent, *(Path("/usr/lib") / name for name in _BROWSER_NAMES))
    candidates = (browser_program, *(folder / name for folder in folders for name in _BROWSER_NAMES))
    for candidate in candidates:
        if candidate.is_file() and _starts_with(candidate, _ELF):
            return candidate
    raise EvaluationError(
        f"{browser_command} is a script, and the browser that it starts was not found. "
        "Set CHROMIUM to the browser's binary."
    )


def _starts_with(file: Path, beginning: bytes) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(beginning)) == beginning


def _library_folders(browser: Path) -> list[Path]:
    """Folders of the libraries that a browser loads on this machine."""
    listing = subprocess.run(
        ["ldd", str(browser)], capture_output=True, text=True, timeout=_LISTING_S, check=False
    ).stdout
    linked_libraries = re.findall(r"=> (/\S+)", listing)
    return list(dict.fromkeys(Path(file).resolve().parent for file in linked_libraries))


def _folder_with_extension_copies(cache: Path, extensions: Sequence[Extension]) -> Path:
    """A folder with copies of extensions, where everybody may read."""
    folder = cache / "extensions"
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    for extension in extensions:
        copy = folder / f"{extension.sha256}.vsix"
        if not copy.is_file():
            write_atomically(copy, extension.file.read_bytes())
            copy.chmod(0o644)
    return folder
