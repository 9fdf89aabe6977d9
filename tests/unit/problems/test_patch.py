from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_problems.errors import PatchError
from benchwright_problems.patch import apply_patch

BARE = "\\ No newline at end of file"


def test_a_patch_against_nothing_creates_the_file() -> None:
    assert apply_patch("", "@@ -0,0 +1,2 @@\n+module a;\n+endmodule\n") == "module a;\nendmodule\n"


def test_a_patch_can_empty_a_file() -> None:
    assert apply_patch("a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n") == ""


def test_an_empty_patch_changes_nothing() -> None:
    assert apply_patch("a\n", "") == "a\n"


def test_file_headers_are_skipped() -> None:
    assert apply_patch("a\n", "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n") == "b\n"


def test_removed_and_added_lines_may_look_like_file_headers() -> None:
    assert apply_patch("-- old\n", "@@ -1 +1 @@\n--- old\n+++ new\n") == "++ new\n"


def test_several_hunks_meet_the_original_line_numbers() -> None:
    original = "".join(f"{n}\n" for n in range(1, 11))
    patch = "@@ -1,2 +1,3 @@\n 1\n+1.5\n 2\n@@ -9,2 +10,1 @@\n-9\n 10\n"
    assert apply_patch(original, patch) == "1\n1.5\n2\n3\n4\n5\n6\n7\n8\n10\n"


def test_an_empty_context_line_may_have_lost_its_space() -> None:
    assert apply_patch("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n") == "a\n\nc\n"


@pytest.mark.parametrize(
    ("original", "patch", "patched"),
    [
        ("a", f"@@ -1 +1 @@\n-a\n{BARE}\n+a\n", "a\n"),
        ("a\n", f"@@ -1 +1 @@\n-a\n+a\n{BARE}\n", "a"),
        ("a", f"@@ -1 +1 @@\n-a\n{BARE}\n+b\n{BARE}\n", "b"),
        ("x\na", f"@@ -1,2 +1,2 @@\n-x\n+y\n a\n{BARE}\n", "y\na"),
    ],
)
def test_a_missing_last_newline_is_kept_on_either_side(original: str, patch: str, patched: str) -> None:
    assert apply_patch(original, patch) == patched


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "a\x0cb\nc\x0b\n", "a\u2028b\nc\x85\n", "\r\r\n\r\n"])
def test_only_line_feeds_end_lines(text: str) -> None:
    lines = text.split("\n")[:-1]
    added_lines = "".join(f"+{line}\n" for line in lines)
    assert apply_patch("", f"@@ -0,0 +1,{len(lines)} @@\n{added_lines}") == text


@pytest.mark.parametrize(
    ("original", "patch", "reason"),
    [
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-c\n+d\n", r"line 3 of the patch expects 'c\\n' at line 2 of the file"),
        ("a\n", "@@ -1,2 +1,1 @@\n a\n-b\n", "line 3 of the patch expects .* the end of the file"),
        ("a", "@@ -1 +1 @@\n-a\n+b\n", "line 2 of the patch expects"),
        ("a\r\n", "@@ -1 +1 @@\n-a\n+b\n", "line 2 of the patch expects"),
        ("a\n", "@@ -5 +5 @@\n-a\n+b\n", "hunk at line 1 of the patch is outside the file"),
        ("a\nb\n", "@@ -2 +2 @@\n-b\n+c\n@@ -1 +1 @@\n-a\n+b\n", "hunk at line 4 of the patch is outside"),
        ("a\n", "@@ -1,2 +1,2 @@\n-a\n+b\n", "too few or too many lines"),
        ("a\n", "@@ -1 +1 @@\n-a\n+b\n+c\n", "line 4 of the patch is not a hunk header"),
        ("a\n", "@@ -1 +1 @@\n*a\n", r"line 2 of the patch starts with '\*'"),
        ("a\n", "hello\n@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch is before any hunk"),
    ],
)
def test_a_patch_that_does_not_fit_is_refused_with_its_line(original: str, patch: str, reason: str) -> None:
    with pytest.raises(PatchError, match=reason):
        apply_patch(original, patch)


def _unified_diff(original: str, patched: str) -> str:
    def lines(text: str) -> list[str]:
        return [f"{line}\n" for line in text.split("\n")[:-1]] + ([last] if (last := text.split("\n")[-1]) else [])

    patch_lines = []
    for line in list(difflib.unified_diff(lines(original), lines(patched)))[2:]:
        patch_lines.append(line if line.endswith("\n") else f"{line}\n{BARE}\n")
    return "".join(patch_lines)


_TEXT = st.lists(st.sampled_from(["a", "b", "", "-", "+ x", "@@", "\\ y", "\r", "\x0c"])).map("\n".join)


@given(before=_TEXT, after=_TEXT)
def test_applying_a_diff_gives_the_text_it_was_made_for(before: str, after: str) -> None:
    assert apply_patch(before, _unified_diff(before, after)) == after
