from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchwright_foundation.home import Home
from benchwright_problems.errors import DatasetError, StoreError
from benchwright_problems.storage.pack_file import read_pack_file, write_pack_file
from benchwright_problems.storage.pack_folder import read_pack_folder, wrong_solutions_by_name
from benchwright_problems.storage.pack_signature import PackSigners, public_key_base64, read_or_make_author_key

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
Change = Callable[[dict[str, bytes]], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(Path(str(files("benchwright_problems") / "packs" / "starter")), tmp_path / "starter"))


def test_a_published_pack_is_the_folder_that_its_author_had(folder: Path, tmp_path: Path) -> None:
    published_pack = write_pack_file(folder, tmp_path / "starter.pack", KEY)
    read_pack = read_pack_file(tmp_path / "starter.pack")
    assert read_pack == published_pack
    assert read_pack.pack == read_pack_folder(folder)
    assert read_pack.key == public_key_base64(KEY)


def test_the_same_folder_makes_the_same_file(folder: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_pack_file(folder, tmp_path / name, KEY)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_authors_add_is_published_and_what_is_no_part_of_the_pack_is_not(folder: Path, tmp_path: Path) -> None:
    (folder / "notes.txt").write_text("private")
    (folder / "sync-fifo" / "draft.sv").write_text("private")
    (folder / "sync-fifo" / "hidden" / "explanation.md").write_text("# Why\n")
    (folder / "sync-fifo" / "hidden" / "right" / "shifts" / "rtl").mkdir(parents=True)
    (folder / "sync-fifo" / "hidden" / "right" / "shifts" / "rtl" / "sync_fifo.sv").write_text("// another\n")
    (folder / "sync-fifo" / "hidden" / "harness" / "src" / "__pycache__").mkdir()
    (folder / "sync-fifo" / "hidden" / "harness" / "src" / "__pycache__" / "a.pyc").write_bytes(b"\0")
    write_pack_file(folder, tmp_path / "p", KEY)
    with zipfile.ZipFile(tmp_path / "p") as archive:
        names = archive.namelist()
    wrong_files = wrong_solutions_by_name(folder, "sync-fifo")
    assert {
        f"sync-fifo/hidden/wrong/{name}/{path}" for name, solution in wrong_files.items() for path in solution
    } <= set(names)
    assert {"sync-fifo/hidden/explanation.md", "sync-fifo/hidden/right/shifts/rtl/sync_fifo.sv"} <= set(names)
    assert not [name for name in names if "notes" in name or "draft" in name or "pyc" in name]


def test_links_are_not_published(folder: Path, tmp_path: Path) -> None:
    (folder / "sync-fifo" / "public" / "rtl" / "more.sv").symlink_to("/etc/hostname")
    with pytest.raises(DatasetError, match=r"more\.sv.*links are not published"):
        write_pack_file(folder, tmp_path / "p", KEY)
    assert not (tmp_path / "p").exists()


def _manifest(entries: dict[str, bytes], **manifest_changes: object) -> None:
    entries["manifest.json"] = json.dumps(json.loads(entries["manifest.json"]) | manifest_changes).encode()


def _put_other_public_key(entries: dict[str, bytes]) -> None:
    _manifest(entries, key=public_key_base64(Ed25519PrivateKey.generate()))


def _put_climbing_path(entries: dict[str, bytes]) -> None:
    listed_files = json.loads(entries["manifest.json"])["files"]
    entries["../outside"] = b"x"
    _manifest(entries, files=listed_files | {"../outside": {"size": 1, "sha256": "0" * 64}})


def _put_decompression_bomb(entries: dict[str, bytes]) -> None:
    entries["sync-fifo/statement.md"] = b"# A\n" + b"\0" * 200_000_000


CHANGES: dict[str, tuple[Change, str]] = {
    "a changed file": (lambda e: e.update({"sync-fifo/statement.md": b"# Easier\n"}), "is not what the manifest says"),
    "one more file": (
        lambda e: e.update({"sync-fifo/public/.vscode/tasks.json": b"{}"}),
        "does not hold just the files",
    ),
    "a missing file": (lambda e: e.pop("sync-fifo/statement.md"), "does not hold just the files"),
    "another version": (lambda e: _manifest(e, version="9"), "was changed after its author signed it"),
    "another key": (_put_other_public_key, "was changed after its author signed it"),
    "no signature": (lambda e: _manifest(e, signature="x"), "was changed after its author signed it"),
    "a path that leads outside": (_put_climbing_path, "not a plain relative path"),
    "a file that says that it is short": (_put_decompression_bomb, "is not what the manifest says"),
    "no manifest": (lambda e: e.pop("manifest.json"), "this is no published pack"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_pack_that_somebody_changed_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    write_pack_file(folder, tmp_path / "p", KEY)
    with zipfile.ZipFile(tmp_path / "p") as archive:
        entries = {member: archive.read(member) for member in archive.namelist()}
    change_entries, message = CHANGES[name]
    change_entries(entries)
    with zipfile.ZipFile(tmp_path / "q", "w", zipfile.ZIP_DEFLATED) as archive:
        for member_name, content in entries.items():
            archive.writestr(member_name, content)
    with pytest.raises(DatasetError, match=message):
        read_pack_file(tmp_path / "q")
    assert not (tmp_path / "outside").exists()


def test_a_pack_with_a_file_twice_is_refused(folder: Path, tmp_path: Path) -> None:
    write_pack_file(folder, tmp_path / "p", KEY)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(tmp_path / "p", "a") as archive:
        archive.writestr("sync-fifo/statement.md", "# Easier\n")
    with pytest.raises(DatasetError, match="does not hold just the files"):
        read_pack_file(tmp_path / "p")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
def test_a_file_that_was_cut_is_refused(folder: Path, tmp_path: Path, share: float) -> None:
    write_pack_file(folder, tmp_path / "p", KEY)
    pack_bytes = (tmp_path / "p").read_bytes()
    (tmp_path / "p").write_bytes(pack_bytes[: int(len(pack_bytes) * share)])
    with pytest.raises(DatasetError, match="is no published pack, or was not copied whole"):
        read_pack_file(tmp_path / "p")


def test_an_author_has_one_key_that_others_can_not_read(tmp_path: Path) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    first_key = public_key_base64(read_or_make_author_key(home))
    assert public_key_base64(read_or_make_author_key(home)) == first_key
    file = home.data / "author-key"
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("no key")
    with pytest.raises(StoreError, match="holds no key"):
        read_or_make_author_key(home)


def test_signers_are_remembered_by_pack(tmp_path: Path) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    home.data.mkdir(parents=True)
    signers = PackSigners(home)
    assert signers.find_key("a") is None
    signers.store_key("a", "one")
    signers.store_key("b", "two")
    assert (PackSigners(home).find_key("a"), PackSigners(home).find_key("b")) == ("one", "two")
    (home.data / "pack-signers.json").write_text("[")
    with pytest.raises(StoreError, match=r"pack-signers\.json"):
        signers.find_key("a")
