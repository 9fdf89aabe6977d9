from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.file_lock import file_lock
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.failure import ServerFailure, SubjectError
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import Efforts, SiteRecord, SubjectName, Times
from benchwright_subjects.inline.run_folder import RunFolder
from benchwright_subjects.inline.server.server_process import ServerProcess
from benchwright_subjects.inline.sites import SiteKind
from benchwright_subjects.inline.workplace import remove_abandoned_workplaces, temporary_workplace

from ..inline_settings import settings

SETTINGS = settings(command=("server", "--stdio"), problems={"starter/m": "d" * 64}, most_asks=1, sites=2)


def site_record(site: str) -> SiteRecord:
    return SiteRecord(
        site=site,
        problem="starter/m",
        problem_digest="d" * 64,
        path="rtl/m.sv",
        kind=SiteKind.LINE,
        unit=None,
        subject=SubjectName(name="s", version="1", configuration="c"),
        dialect="lsp",
        policy=AcceptPolicy.NEVER,
        mode=RefusalConsequence.ALONE,
        seed=1,
        steps=(),
        cancelled=0,
        failure=None,
        failure_code=None,
        likeness=None,
        efforts=Efforts(expected=1, typed=0, accepted=0, kept=0, deleted=0),
        golf=None,
        snapshots=(),
        times=Times(started=datetime(2026, 3, 1, tzinfo=UTC), wall_s=1.0, latencies_ms=()),
    )


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run")


def test_what_is_kept_is_read_again(folder: RunFolder) -> None:
    with folder.open_for_writing(SETTINGS):
        folder.append_record(site_record("a"))
        folder.append_record(site_record("b"))
    assert folder.records() == [site_record("a"), site_record("b")]
    assert folder.settings() == SETTINGS


def test_a_run_is_for_its_owners_eyes(folder: RunFolder) -> None:
    with folder.open_for_writing(SETTINGS):
        folder.append_record(site_record("a"))
    assert folder.folder.stat().st_mode & 0o077 == 0
    assert (folder.folder / "sites.jsonl").stat().st_mode & 0o077 == 0


def test_a_command_that_was_killed_before_its_settings_were_written_can_begin_again(folder: RunFolder) -> None:
    folder.folder.mkdir()
    (folder.folder / ".run.json.abc").touch()
    with folder.open_for_writing(SETTINGS):
        folder.append_record(site_record("a"))
    assert folder.records() == [site_record("a")]


@pytest.mark.parametrize("torn", [1, 10, -1])
def test_a_torn_last_line_is_played_again(folder: RunFolder, torn: int) -> None:
    with folder.open_for_writing(SETTINGS):
        folder.append_record(site_record("a"))
        folder.append_record(site_record("b"))
    file = folder.folder / "sites.jsonl"
    file_bytes = file.read_bytes()
    file.write_bytes(file_bytes[: len(file_bytes) // 2 + torn] if torn > 0 else file_bytes[:torn])
    assert folder.records() == [site_record("a")]
    with folder.open_for_writing(SETTINGS):
        folder.append_record(site_record("b"))
    assert folder.records() == [site_record("a"), site_record("b")]


def test_a_damaged_line_is_named(folder: RunFolder) -> None:
    with folder.open_for_writing(SETTINGS):
        folder.append_record(site_record("a"))
    (folder.folder / "sites.jsonl").write_bytes(b"{}\n")
    with pytest.raises(EvaluationError, match=r"sites\.jsonl, line 1, is damaged"):
        folder.records()


def test_a_run_with_other_settings_is_not_gone_on_with(folder: RunFolder) -> None:
    with folder.open_for_writing(SETTINGS):
        pass
    other_settings = SETTINGS.model_copy(update={"seed": 2, "timeout_s": 9.0})
    with (
        pytest.raises(EvaluationError, match="a run with another seed and timeout s"),
        folder.open_for_writing(other_settings),
    ):
        pass


def test_a_folder_of_something_else_is_left_alone(folder: RunFolder) -> None:
    folder.folder.mkdir()
    (folder.folder / "thesis.tex").touch()
    with pytest.raises(EvaluationError, match=r"thesis\.tex"), folder.open_for_writing(SETTINGS):
        pass


def test_two_commands_do_not_write_to_one_folder(folder: RunFolder) -> None:
    with folder.open_for_writing(SETTINGS):
        pass
    with (
        file_lock(folder.folder / ".lock"),
        pytest.raises(EvaluationError, match="Another command"),
        folder.open_for_writing(SETTINGS),
    ):
        pass


def test_a_folder_without_a_run_says_how_to_make_one(folder: RunFolder) -> None:
    with pytest.raises(EvaluationError, match="benchwright completion run --out"):
        folder.settings()


def test_a_workplace_is_new_each_time_and_gone_afterwards(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "token").write_text("t")
    with temporary_workplace(tmp_path / "p", {"rtl/m.sv": b"x"}, profile) as first:
        assert (first.home / "token").read_text() == "t"
        assert (first.workspace / "rtl" / "m.sv").read_bytes() == b"x"
        first.check_unchanged()
    assert not first.root.exists()
    with temporary_workplace(tmp_path / "p", {}, profile) as second:
        assert second.root != first.root


def test_workplaces_of_killed_commands_are_removed_and_others_stay(tmp_path: Path) -> None:
    ended_process = subprocess.Popen(["true"])
    ended_process.wait()
    with temporary_workplace(tmp_path, {}, None) as area:
        (tmp_path / f"{ended_process.pid}-abc" / "home").mkdir(parents=True)
        remove_abandoned_workplaces(tmp_path)
        assert list(tmp_path.iterdir()) == [area.root]


@pytest.mark.parametrize("change", ["changed", "added", "removed", "linked", "deep"])
def test_files_that_the_server_changed_are_noticed(tmp_path: Path, change: str) -> None:
    with temporary_workplace(tmp_path / "p", {"m.sv": b"x"}, None) as area:
        file = area.workspace / "m.sv"
        if change == "changed":
            file.write_bytes(b"y")
        elif change == "added":
            (area.workspace / "notes").touch()
        elif change == "deep":
            write_nested_line(area.workspace, 1200)
        elif change == "removed":
            file.unlink()
        else:
            file.unlink()
            file.symlink_to("/dev/zero")
        with pytest.raises(SubjectError) as caught:
            area.check_unchanged()
    assert caught.value.failure is ServerFailure.CHANGED_FILES


def write_nested_line(folder: Path, levels: int) -> None:
    """Folders in folders, deeper than any path may be long."""
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=handle)
        inner_handle = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner_handle
    os.close(handle)


def test_last_words_show_no_secret() -> None:
    process = ServerProcess.__new__(ServerProcess)
    process._secrets = ["hunter22"]
    process._tail = b"key hunter22, \x1b[2Jtoken ghu_0123456789abcdef, done\n"
    assert process.stderr_tail == "key ***,  [2Jtoken ***, done"
