"""The plan stays closed until every forecast is given, and what opens it is the lab's plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import StudyError
from benchwright_attempts.events.evidence import Exposure, Forecast
from benchwright_attempts.events.file_text import sha256
from benchwright_studies.conduct.archive import import_archive, write_archive_and_count_attempts
from benchwright_studies.conduct.entry import Drawn, TaskForecast
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.allocation import (
    ParticipantFile,
    decrypt_row,
    plan_commitment_sha256,
    row_unlock_code,
    sealed_participant_file,
    study_json_for_participants,
)
from benchwright_studies.plan.preregistration import is_registered_document, participant_files, preregister_once
from benchwright_studies.plan.study_file import parse_study
from benchwright_studies.plan.vocabulary import ParticipantStep

TEXT = """
# a comment on which condition is expected to win
study: s
title: S
problems: [p/a, p/b]
conditions:
  - {name: alone, solver: human}
  - {name: copilot, solver: human+copilot, assistants: [x.y]}
participants: [ada, bob]
randomisation: {seed: 81985529216486895}
analysis: {primary: time, secondary: [solved], hypothesis: "The copilot wins."}
consent: {version: "1", text: "You agree to what is written here."}
"""
SAID = Forecast(minutes_without_ai=9, minutes_with_ai=5, difficulty=2, prior_exposure=Exposure.NONE)


@pytest.fixture
def files_by_secrecy(log: StudyLog) -> dict[bool, list[ParticipantFile]]:
    """The participants' files, by whether they hold their code."""
    registered_study = Studies(log, Attempts(log)).register(parse_study(TEXT, Path("s.yaml")), {})
    registered = preregister_once(log, registered_study, "0" * 64, digest_by_prompt_set={})
    assert is_registered_document(registered, registered.document)
    registered_study = Studies(log, Attempts(log)).study("s")
    return {hold: participant_files(registered_study, registered, hold_unlock_codes=hold) for hold in (True, False)}


def record_forecasts(studies: Studies, participant: str) -> None:
    studies.give_consent("s", participant, "1")
    for problem in ("p/a", "p/b"):
        studies.record_next_forecast("s", participant, problem, SAID)


def test_a_participants_file_tells_neither_seed_nor_row_nor_hypothesis(
    files_by_secrecy: dict[bool, list[ParticipantFile]],
) -> None:
    for file in files_by_secrecy[True]:
        text = file.model_dump_json()
        assert "81985529216486895" not in text and "wins" not in text
        study_rules = parse_study(file.text, Path("s.json")).study
        assert study_rules.randomisation.seed is None and study_rules.analysis is None
        row = file.model_copy(update={"text": "", "code": ""}).model_dump_json()
        assert "copilot" not in row and "alone" not in row
    # The length of a row does not tell what is in it.
    assert len({len(file.sealed) for file in files_by_secrecy[True]}) == 1
    assert len({file.plan_sha256 for file in files_by_secrecy[True]}) == 1


def test_without_a_seed_no_plan_can_be_made(
    files_by_secrecy: dict[bool, list[ParticipantFile]], tmp_path: Path
) -> None:
    with StudyLog(tmp_path / "there" / "log.sqlite") as far_log, pytest.raises(StudyError, match="has no seed here"):
        Studies(far_log, Attempts(far_log)).register(parse_study(files_by_secrecy[True][0].text, Path("s.json")), {})


def test_the_assignment_is_drawn_after_the_last_forecast_and_is_the_labs(
    log: StudyLog, files_by_secrecy: dict[bool, list[ParticipantFile]], tmp_path: Path
) -> None:
    ada = files_by_secrecy[True][0]
    with StudyLog(tmp_path / "there" / "log.sqlite") as far_log:
        studies = Studies(far_log, Attempts(far_log))
        for _ in range(2):
            studies.join(ada)
        assert studies.study("s").plan.assignments == ()
        assert not studies.draw_assignment_if_next("s", "ada")
        record_forecasts(studies, "ada")
        assert studies.progress("s", "ada").condition is None
        assert studies.draw_assignment_if_next("s", "ada") and not studies.draw_assignment_if_next("s", "ada")
        assert studies.progress("s", "ada").step is ParticipantStep.OPEN
        entries = studies.entries("s", "ada")
        assert [type(entry) for entry in entries[-3:]] == [TaskForecast, TaskForecast, Drawn]
        write_archive_and_count_attempts(far_log, "s", tmp_path / "archive", ["ada"])
    assert import_archive(log, tmp_path / "archive").participants == 1
    plan = Studies(log, Attempts(log)).study("s").plan
    drawn_entry = Studies(log, Attempts(log)).entries("s", "ada")[-1]
    assert isinstance(drawn_entry, Drawn) and drawn_entry.assignment == plan.assignment_of("ada")


def test_a_code_at_the_lab_opens_one_row_and_no_other(
    log: StudyLog, files_by_secrecy: dict[bool, list[ParticipantFile]], tmp_path: Path
) -> None:
    ada, bob = files_by_secrecy[False]
    registered = Studies(log, Attempts(log)).study("s").preregistered
    assert registered is not None
    codes = [row_unlock_code(registered.secret, "s", file.participant) for file in (ada, bob)]
    with StudyLog(tmp_path / "there" / "log.sqlite") as far_log:
        studies = Studies(far_log, Attempts(far_log))
        studies.join(ada)
        record_forecasts(studies, "ada")
        assert not studies.draw_assignment_if_next("s", "ada")
        assert studies.progress("s", "ada").step is ParticipantStep.UNLOCK
        with pytest.raises(StudyError, match="what comes next is unlock"):
            studies.next_task("s", "ada")
        with pytest.raises(StudyError, match="does not open your assignment"):
            studies.draw_assignment_if_next("s", "ada", codes[1])
        assert studies.draw_assignment_if_next("s", "ada", codes[0].lower().replace("-", " "))


def test_a_changed_row_or_another_plan_is_refused(
    log: StudyLog, files_by_secrecy: dict[bool, list[ParticipantFile]], tmp_path: Path
) -> None:
    ada = files_by_secrecy[True][0]
    changed_row = ("A" if ada.sealed[0] != "A" else "B") + ada.sealed[1:]
    with pytest.raises(StudyError, match="does not open"):
        decrypt_row(changed_row, ada.sealed_sha256, ada.code, "s", "ada")
    with StudyLog(tmp_path / "there" / "log.sqlite") as far_log:
        studies = Studies(far_log, Attempts(far_log))
        studies.join(ada)
        with pytest.raises(StudyError, match="with other rules or another plan"):
            studies.join(ada.model_copy(update={"plan_sha256": "0" * 64}))
        with pytest.raises(StudyError, match="Only the file for bob"):
            studies.enroll("s", "bob")
        write_archive_and_count_attempts(far_log, "s", tmp_path / "archive")
    journal = tmp_path / "archive" / "study.jsonl"
    journal_entries = [json.loads(line) for line in journal.read_text().splitlines()]
    journal_entries[1]["entry"]["sha256"] = "0" * 64
    journal.write_text("".join(json.dumps(line) + "\n" for line in journal_entries))
    with pytest.raises(StudyError, match="another plan than the study s here"):
        import_archive(log, tmp_path / "archive")


def test_the_commitment_binds_to_the_plan_once_the_secret_is_published(
    log: StudyLog, files_by_secrecy: dict[bool, list[ParticipantFile]]
) -> None:
    registered_study = Studies(log, Attempts(log)).study("s")
    assert registered_study.preregistered is not None
    secret = registered_study.preregistered.secret
    assert files_by_secrecy[True][0].plan_sha256 == plan_commitment_sha256(registered_study.plan, secret)
    assert files_by_secrecy[True][0].plan_sha256 != plan_commitment_sha256(
        registered_study.plan.model_copy(update={"seed": 1}), secret
    )
    form = study_json_for_participants(registered_study.study)
    row = registered_study.plan.assignments[0]
    second_file = sealed_participant_file(form, registered_study.plan, row, {}, secret, holds_unlock_code=True)
    # Each row has a nonce, so that equal rows can't be told by their digests.
    assert second_file.sealed_sha256 != files_by_secrecy[True][0].sealed_sha256
    assert decrypt_row(second_file.sealed, second_file.sealed_sha256, second_file.code, "s", "ada") == row


def test_a_study_is_registered_once_and_before_its_first_attempt(log: StudyLog) -> None:
    studies = Studies(log, Attempts(log))
    registered_study = studies.register(parse_study(TEXT, Path("s.yaml")), {})
    first_registration = preregister_once(log, registered_study, "0" * 64, digest_by_prompt_set={})
    assert preregister_once(log, studies.study("s"), "1" * 64, digest_by_prompt_set={}) == first_registration
    with pytest.raises(StudyError, match="was registered with codes in the participants' files"):
        preregister_once(log, studies.study("s"), "0" * 64, digest_by_prompt_set={}, unlock_codes_at_lab=True)
    assert first_registration.document["sample"] == {
        "participants": 2,
        "problems": 2,
        "attempts_by_condition": {"alone": 2, "copilot": 2},
    }
    assert first_registration.document["form_sha256"] == sha256(first_registration.form.encode())
    late_file = parse_study(TEXT.replace("study: s", "study: t"), Path("t.yaml"))
    begun_study = studies.register(late_file, {})
    studies.enroll("t", "ada")
    studies.give_consent("t", "ada", "1")
    Attempts(log).create("p/a", "d", Path("/w"), {}, solver="ada", condition="alone", study="t")
    with pytest.raises(StudyError, match="has 1 attempts already"):
        preregister_once(log, begun_study, "0" * 64, digest_by_prompt_set={})
    unnamed = studies.register(
        parse_study(TEXT.replace("study: s", "study: u").replace("analysis:", "# analysis:"), Path("u.yaml")), {}
    )
    with pytest.raises(StudyError, match="names no primary outcome"):
        preregister_once(log, unnamed, "0" * 64, digest_by_prompt_set={})
