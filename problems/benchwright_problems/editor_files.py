"""Files that an editor, its extensions or an assistant in it execute or obey as soon as a folder is open.

A pack that brought them would run its author's commands on the solver's machine, or give one solver's assistant
instructions that another's never gets.
"""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

_HARMLESS = frozenset({".gitignore", ".gitkeep", ".keep", ".env"})
_NAMES = frozenset(
    {
        *("_vimrc", "_gvimrc", "_exrc", "session.vim"),
        *("build.rs", "pom.xml", "build.gradle", "settings.gradle", "build.gradle.kts", "settings.gradle.kts"),
    }
)
_SUFFIXES = (".code-workspace", ".code-profile", ".sublime-project", ".sublime-workspace", ".csproj", ".sln")


def is_obeyed_by_editors(path: str) -> bool:
    """True if opening the folder may run the file or change how the editor works.

    Every name that begins with a dot counts, except the few that nothing executes: `.vscode`, `.git`, `.devcontainer`,
    `.idea`, `.envrc`, `.exrc`, `.nvim.lua`, `.mcp.json` and their successors have nothing else in common.

    Args:
        path: Relative, with slashes.
    """
    return any(_is_name_obeyed_by_editors(part) for part in PurePosixPath(path).parts)


def _is_name_obeyed_by_editors(path_component: str) -> bool:
    # Windows drops dots and spaces at the end and takes what follows a colon for a stream; macOS ignores invisible
    # characters and case.
    plain_name = "".join(c for c in unicodedata.normalize("NFKC", path_component) if unicodedata.category(c) != "Cf")
    plain_name = plain_name.lower().partition(":")[0].rstrip(". ")
    is_hidden = plain_name.startswith(".") and plain_name not in _HARMLESS
    return is_hidden or plain_name in _NAMES or plain_name.endswith(_SUFFIXES)
