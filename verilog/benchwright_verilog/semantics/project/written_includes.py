"""The names that a file includes once its macros are expanded, asked of slang, which opens no file for that.

slang gets headers under names in a folder that can't exist, so that it finds only what it was given. A
name that starts with a slash would lead it elsewhere: slashes become another character before, and again after.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchwright_verilog.semantics.compilation.trees import Preprocessing, encodable, parsing_options

_NOWHERE = "/dev/null/"
_ROOT = f"{_NOWHERE}#"
_SLASHES = re.compile(r'"[^"\n]*"|//|/\*|\*/|/')
_FOR_A_SLASH = "@"
_MAX_DEPTH = 64


def written_includes(text: str, defines: Sequence[str], headers: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """What a file and its headers include.

    Args:
        text: The file.
        defines: Its macros, `NAME` or `NAME=text`.
        headers: The source code of the known headers, by the name that is included; several where the name means
            another file in another folder.

    Returns:
        The names by which the includers are included, empty for the file itself, and the names that they include.
    """
    import pyslang
    from pyslang.syntax import SyntaxTree

    sources = pyslang.SourceManager()
    sources.setDisableProximatePaths(True)
    for name, texts in headers.items():
        sources.assignText(_NOWHERE + name.replace("/", _FOR_A_SLASH), _without_slashes("\n".join(texts)))
    options = parsing_options(Preprocessing((), tuple(map(_without_slashes, defines))), _MAX_DEPTH)
    tree = SyntaxTree.fromFileInMemory(_without_slashes(text), sources, _ROOT, _ROOT, options)
    found = []
    for include in tree.getIncludeDirectives():
        place = sources.getFullyExpandedLoc(include.syntax.fileName.location)
        includer = sources.getRawFileName(place.buffer).removeprefix(_NOWHERE).removeprefix("#")
        found.append((includer.replace(_FOR_A_SLASH, "/"), include.path.replace(_FOR_A_SLASH, "/")))
    return found


def _without_slashes(text: str) -> str:
    def other(found: re.Match[str]) -> str:
        is_comment = found[0] in ("//", "/*", "*/")
        return found[0] if is_comment else found[0].replace("/", _FOR_A_SLASH)

    return _SLASHES.sub(other, encodable(text))
