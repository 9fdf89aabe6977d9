"""The solution of a repository problem: one unified diff against the files that its solver starts with."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchwright_problems.errors import PatchError
from benchwright_problems.patch import apply_patch
from benchwright_problems.repository.tree import Tree, folders_around, unusable_path_reason

CHANGES = "changes.patch"
"""The file that is judged."""
LARGEST_CHANGES_BYTES = 8 << 20
_NOTHING = "/dev/null"
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ATTRIBUTES = ("index ", "new file mode", "deleted file mode", "old mode", "new mode")
_UNKNOWN = ("rename ", "copy ", "similarity ", "dissimilarity ", "GIT binary", "Binary files")


def diff_of_files(old_files: Mapping[str, bytes | None], new_files: Mapping[str, bytes | None]) -> str:
    """The diff of some files, in the form of `git diff`; None for a file that is not there.

    Raises:
        PatchError: A file that differs is no text, so that no diff can have it.
    """
    return "".join(
        _diff_of_file(path, old_files.get(path), new_files.get(path)) for path in sorted({*old_files, *new_files})
    )


def changed_content_by_path(
    tree: Tree, unified_diff: str, editable_paths: Collection[str] = ()
) -> dict[str, bytes | None]:
    """The files that a diff changes: path → new content; None for one that it deletes.

    Args:
        tree: The files that it is applied to.
        unified_diff: Unified diff, as `git diff` writes it.
        editable_paths: Files and folders that it may change; empty for all.

    Raises:
        PatchError: The diff is malformed, does not apply, or names a path that no workspace can hold.
        TreeError: The tree can't be read.
    """
    if len(unified_diff) > LARGEST_CHANGES_BYTES:
        raise PatchError(f"the changes are larger than {LARGEST_CHANGES_BYTES >> 20} MiB")
    given_paths = tree.digest_by_path
    new_files: dict[str, bytes | None] = {}
    for section in _sections(unified_diff):
        path = section.path
        if reason := unusable_path_reason(path):
            raise PatchError(reason)
        if editable_paths and not {path, *folders_around(path)} & {*editable_paths}:
            raise PatchError(f"the changes touch {path!r}; what may be changed is {', '.join(editable_paths)}")
        if path in new_files:
            raise PatchError(f"the changes have {path!r} twice")
        if section.creates and path in given_paths:
            raise PatchError(f"the changes create {path!r}, which is there already")
        if not section.creates and path not in given_paths:
            raise PatchError(f"the changes are about {path!r}, which is not there")
        new_files[path] = _patched_content(section, b"" if section.creates else tree.read(path))
    _require_no_path_as_file_and_folder(given_paths, new_files)
    return new_files


@dataclass
class _Section:
    """The part of a diff that is about one file."""

    path: str
    creates: bool
    deletes: bool
    hunk_lines: list[str] = field(default_factory=list)


def _diff_of_file(path: str, old_content: bytes | None, new_content: bytes | None) -> str:
    if old_content == new_content:
        return ""
    try:
        old_text, new_text = (None if content is None else content.decode() for content in (old_content, new_content))
    except UnicodeDecodeError as error:
        raise PatchError(f"{path} is no text, so its change can't be handed in") from error
    head = f"diff --git a/{path} b/{path}\n"
    if old_content is None:
        head += "new file mode 100644\n"
    if new_content is None:
        head += "deleted file mode 100644\n"
    return head + unified_diff_of_text(path, old_text, new_text)


def unified_diff_of_text(path: str, old_text: str | None, new_text: str | None) -> str:
    """The names and hunks of a file's diff, as git shows them; None for a file that is not there, empty if equal."""
    old_lines, new_lines = (_lines_with_ends(text or "") for text in (old_text, new_text))
    names = (_NOTHING if old_text is None else f"a/{path}", _NOTHING if new_text is None else f"b/{path}")
    lines = difflib.unified_diff(old_lines, new_lines, *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines_with_ends(file_text: str) -> list[str]:
    # Only LF ends a line of a diff; str.splitlines would also split at form feeds.
    return re.findall(r"[^\n]*\n|[^\n]+", file_text)


def _sections(unified_diff: str) -> Iterator[_Section]:
    lines = unified_diff.split("\n")
    if lines[-1] == "":
        lines.pop()
    line_index, section = 0, None
    while line_index < len(lines):
        line = lines[line_index]
        if line.startswith("diff --git "):
            if section is not None:
                yield section
            section = _Section(_path_in_diff_line(line, line_index), creates=False, deletes=False)
            line_index += 1
        elif line.startswith("--- ") and line_index + 1 < len(lines) and lines[line_index + 1].startswith("+++ "):
            old_path, new_path = (_path_in_file_header(lines[index]) for index in (line_index, line_index + 1))
            path = old_path if new_path == _NOTHING else new_path
            if section is None or section.hunk_lines:
                if section is not None:
                    yield section
                section = _Section(path, creates=False, deletes=False)
            if _NOTHING not in (old_path, new_path) and old_path != new_path:
                raise PatchError(f"line {line_index + 1} of the changes renames a file; delete it and create the other")
            section.path = path
            section.creates, section.deletes = old_path == _NOTHING, new_path == _NOTHING
            line_index += 2
        elif section is not None and (hunk := _HUNK.match(line)):
            end = _end_of_hunk(lines, line_index, hunk)
            section.hunk_lines += lines[line_index:end]
            line_index = end
        elif section is not None and line.startswith(_ATTRIBUTES):
            section.creates = section.creates or line.startswith("new file")
            section.deletes = section.deletes or line.startswith("deleted file")
            line_index += 1
        elif line.startswith(_UNKNOWN):
            raise PatchError(f"line {line_index + 1} of the changes is {line!r}: only changes of text can be handed in")
        elif line.strip():
            raise PatchError(f"line {line_index + 1} of the changes is no part of a diff: {line[:80]!r}")
        else:
            line_index += 1
    if section is not None:
        yield section


def _path_in_diff_line(header_line: str, line_index: int) -> str:
    """The path in `diff --git a/PATH b/PATH`."""
    names = header_line.removeprefix("diff --git ")
    middle = len(names) // 2
    old_name, new_name = names[:middle], names[middle + 1 :]
    if names[middle : middle + 1] != " " or old_name[2:] != new_name[2:]:
        raise PatchError(f"line {line_index + 1} of the changes renames a file; delete it and create the other")
    return old_name[2:]


def _path_in_file_header(header_line: str) -> str:
    name = header_line[4:].split("\t")[0]
    return name if name == _NOTHING else name.removeprefix("a/" if header_line.startswith("-") else "b/")


def _end_of_hunk(patch_lines: Sequence[str], header_index: int, header_match: re.Match[str]) -> int:
    old_left, new_left = int(header_match[1] or 1), int(header_match[2] or 1)
    end = header_index + 1
    while end < len(patch_lines) and (old_left > 0 or new_left > 0 or patch_lines[end].startswith("\\")):
        mark = patch_lines[end][:1]
        old_left -= mark in (" ", "-", "")
        new_left -= mark in (" ", "+", "")
        end += 1
    return end


def _patched_content(section: _Section, old_content: bytes) -> bytes | None:
    try:
        new_text = apply_patch(old_content.decode(), "\n".join(section.hunk_lines))
    except UnicodeDecodeError as error:
        raise PatchError(f"{section.path} is no text, so it can't be changed") from error
    except PatchError as error:
        raise PatchError(f"{section.path}: {error}") from error
    if section.deletes and new_text:
        raise PatchError(f"the changes delete {section.path!r}, but leave lines of it")
    return None if section.deletes else new_text.encode()


def _require_no_path_as_file_and_folder(given_paths: Mapping[str, str], new_files: Mapping[str, bytes | None]) -> None:
    deleted = {path for path, content in new_files.items() if content is None}
    created = [path for path in new_files if path not in given_paths]
    if not created:
        return
    paths = (given_paths.keys() | new_files.keys()) - deleted
    folders = {folder for path in paths for folder in folders_around(path)}
    for path in created:
        if path in folders or paths & set(folders_around(path)):
            raise PatchError(f"the changes create {path!r}, which would be a file and a folder")
