"""Inspect's logs beside the event log: those of a report's attempts are found, and no others."""

from __future__ import annotations

from pathlib import Path

from benchwright_subjects.evaluation.kept_evals import eval_logs_covering, keep_eval_log


def test_logs_are_found_by_their_attempts(tmp_path: Path) -> None:
    for name, attempt_ids in (("a.eval", ("one", "two")), ("b.eval", ("three",))):
        (tmp_path / name).write_text(name)
        keep_eval_log(tmp_path / "evals", tmp_path / name, attempt_ids)
    (tmp_path / "evals" / "c.eval").write_text("of a run that broke off")
    logs = eval_logs_covering(tmp_path / "evals", ["two", "four"])
    assert [(file.name, file.read_text()) for file in logs] == [("a.eval", "a.eval")]
    assert (tmp_path / "a.eval").exists()


def test_a_log_that_lies_there_already_stays_and_a_newer_one_takes_its_place(tmp_path: Path) -> None:
    log = tmp_path / "evals" / "a.eval"
    log.parent.mkdir()
    log.write_text("first")
    keep_eval_log(log.parent, log, ["one"])
    assert log.read_text() == "first"
    newer = tmp_path / "a.eval"
    newer.write_text("second")
    keep_eval_log(log.parent, newer, ["one"])
    assert [file.read_text() for file in eval_logs_covering(log.parent, ["one"])] == ["second"]


def test_without_the_folder_there_are_none(tmp_path: Path) -> None:
    assert list(eval_logs_covering(tmp_path / "none", ["one"])) == []
