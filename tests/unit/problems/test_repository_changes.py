"""The diff that solves a repository problem: made of files, and applied to them again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_problems.errors import PatchError
from benchwright_problems.repository.changes import changed_content_by_path, diff_of_files
from benchwright_problems.repository.tree import Tree, TreeError, TreeStore

NAMES = ("a.sv", "rtl/b.sv", "rtl/c d.sv", "e")
TEXTS = st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "--- a/x\n", "+++ b/x\n", "@@ -1 +1 @@\n", "\f\u2028", "end"]))
FILES = st.dictionaries(st.sampled_from(NAMES), TEXTS.map("".join).map(str.encode))


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> TreeStore:
    return TreeStore(tmp_path_factory.mktemp("trees"))


@given(old=FILES, new=FILES)
def test_a_diff_of_any_texts_makes_the_new_ones_of_the_old_ones(
    trees: TreeStore, old: dict[str, bytes], new: dict[str, bytes]
) -> None:
    tree = trees.add({**old, "kept": b""})
    patch = diff_of_files(old, new)
    expected = {path: new.get(path) for path in {*old, *new} if old.get(path) != new.get(path)}
    assert changed_content_by_path(tree, patch) == expected


def test_git_applies_the_same_diff_and_its_own_is_taken(trees: TreeStore, tmp_path: Path) -> None:
    old = {"rtl/a.sv": b"module a;\nendmodule\n", "gone.sv": b"x\n", "c d.sv": b"no newline"}
    new = {"rtl/a.sv": b"module a;\n  wire w;\nendmodule\n", "new/n.sv": b"n\n", "c d.sv": b"a newline\n", "empty": b""}
    for path, content in old.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    start = subprocess.run([*git, "write-tree"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run([*git, "apply", "-"], input=diff_of_files(old, new).encode(), check=True)
    written = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    assert written == new
    subprocess.run([*git, "add", "-A"], check=True)
    diff = [*git, "diff", "--no-renames", "--cached", start]
    own_diff = subprocess.run(diff, capture_output=True, text=True, check=True).stdout
    assert changed_content_by_path(trees.add(old), own_diff) == {**dict.fromkeys(old), **new}


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("diff --git a/a b/../b\n", "renames"),
        ("diff --git a/../b b/../b\nnew file mode 100644\n", "not a plain relative path"),
        ("diff --git a/.vscode/t b/.vscode/t\nnew file mode 100644\n", "may run or obey"),
        ("diff --git a/a/b b/a/b\nnew file mode 100644\n", "a file and a folder"),
        ("diff --git a/a b/a\nGIT binary patch\n", "only changes of text"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "not there"),
        ("diff --git a/a b/a\nnew file mode 100644\n", "there already"),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-y\n+z\n", "a: line 2"),
        ("Here is the patch:\n", "no part of a diff"),
        ("--- a/bytes\n+++ b/bytes\n@@ -1 +1 @@\n-y\n+z\n", "no text"),
    ],
)
def test_a_diff_that_does_not_fit_is_refused_with_the_reason(trees: TreeStore, patch: str, reason: str) -> None:
    tree = trees.add({"a": b"x\n", "bytes": b"\xff"})
    with pytest.raises(PatchError, match=reason):
        changed_content_by_path(tree, patch)


def test_trees_share_their_contents_and_notice_a_change(tmp_path: Path) -> None:
    trees = TreeStore(tmp_path)
    first_tree = trees.add({"a": b"same", "b": b"one"})
    second_tree = trees.add({"a": b"same", "b": b"two"})
    content_files = [file for file in (tmp_path / "contents").rglob("*") if file.is_file()]
    assert len(content_files) == 3
    assert first_tree.id != second_tree.id
    assert trees.add({"b": b"one", "a": b"same"}).id == first_tree.id
    assert Tree(id=first_tree.id, folder=tmp_path).read_all() == {"a": b"same", "b": b"one"}
    for file in content_files:
        file.write_bytes(b"changed")
    with pytest.raises(TreeError, match="were changed"):
        first_tree.read("a")


@pytest.mark.parametrize("path", ["../a", "/a", ".git/config", "a\\b", "a\n"])
def test_a_tree_with_a_path_that_no_workspace_can_hold_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(TreeError):
        TreeStore(tmp_path).add({path: b""})
