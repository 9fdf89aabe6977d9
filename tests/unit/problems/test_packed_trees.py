"""Trees on their way to another machine: what comes is checked before it is kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright_problems.repository.tree import TreeError, TreeStore


def test_an_archive_of_another_tree_or_of_none_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    sender, receiver = TreeStore(tmp_path / "sender"), TreeStore(tmp_path / "receiver")
    tree, foreign_tree = sender.add({"a.sv": b"module a;\n"}), sender.add({"b.sv": b"module b;\n"})
    assert receiver.find(tree.id) is None
    for sent in (foreign_tree.packed_as_zip(), b"no archive", tree.packed_as_zip()[:-30]):
        with pytest.raises(TreeError, match="is something else"):
            receiver.add_zip(sent, tree.id)
        assert not (tmp_path / "receiver").exists()
    assert receiver.add_zip(tree.packed_as_zip(), tree.id).read_all() == {"a.sv": b"module a;\n"}
    kept_tree = receiver.find(tree.id)
    assert kept_tree is not None
    next((tmp_path / "receiver/contents").rglob("*/*")).unlink()
    assert receiver.find(tree.id) is None


def test_pruning_deletes_old_trees_of_no_pack_with_contents_that_no_other_tree_has(tmp_path: Path) -> None:
    store = TreeStore(tmp_path / "trees")
    kept, dropped = store.add({"a.sv": b"shared", "b.sv": b"own"}), store.add({"a.sv": b"shared", "c.sv": b"dropped"})
    assert store.prune({kept.id}, deletes=True).tree_count == 0, "what is young stays"
    for file in store.folder.rglob("*"):
        os.utime(file, (0, 0))
    dry = store.prune({kept.id}, deletes=False)
    assert store.find(dropped.id) is not None
    assert store.prune({kept.id}, deletes=True) == dry
    assert (dry.tree_count, store.find(dropped.id)) == (1, None)
    assert kept.read_all() == {"a.sv": b"shared", "b.sv": b"own"}
    assert sorted(file.read_text() for file in store.folder.glob("contents/*/*")) == ["own", "shared"]
