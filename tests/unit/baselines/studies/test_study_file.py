from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from benchwright_attempts.events.evidence import Assigned
from benchwright_attempts.terms import Terms
from benchwright_problems.reveal import Reveal
from benchwright_studies.plan.schema import study_schema, study_schema_json
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import StudyFileError, parse_study, read_study
from benchwright_studies.plan.template import study_template

ROOT = Path(__file__).parents[4]
TEXT = study_template("study.yaml", "mine", 42)
FILE = Path("study.yaml")


def test_the_template_is_a_valid_study() -> None:
    file = parse_study(TEXT, FILE)
    study = file.study
    assert study.pseudonyms[:2] == ("P01", "P02") and len(study.pseudonyms) == 16
    assert study.time_limit_s("starter/uart-parity") == 1200
    assert study.time_limit_s("starter/sync-fifo") == 1800
    assert study.expected_answer_by_question == {"attention": "sometimes"}
    assert study.condition("copilot").assistants == ("benchwright",)
    assert file.line_of("randomisation.seed") == TEXT[: TEXT.index("  seed:")].count("\n") + 1


def test_the_consent_text_is_generated_from_the_organisers_unless_the_file_has_its_own() -> None:
    consent = parse_study(TEXT, FILE).study.consent
    assert consent is not None
    assert consent.text.startswith("<NAME AND INSTITUTION> asks you to take part, to <PURPOSE>.")
    assert "or write to <CONTACT>" in consent.text
    own = parse_study(TEXT.replace("consent:\n", "consent:\n  text: These are words of my own.\n"), FILE).study.consent
    assert own is not None and own.text == "These are words of my own."


def test_a_consent_without_a_text_and_without_organisers_is_refused_with_the_next_step() -> None:
    begin, end = TEXT.index("organisers:"), TEXT.index("consent:")
    with pytest.raises(StudyFileError, match=r"consent has no text\. Write one, or give organisers"):
        parse_study(TEXT[:begin] + TEXT[end:], FILE)
    with pytest.raises(StudyFileError, match=r"organisers\.contact: it is missing"):
        parse_study("\n".join(line for line in TEXT.splitlines() if "<CONTACT>" not in line), FILE)


def test_a_study_of_models_needs_neither_participants_nor_consent() -> None:
    text = (
        "study: m\ntitle: Models\nproblems: [a/b]\n"
        "conditions: [{name: gpt, solver: model, model: openai/x, samples: 5}]\nrandomisation: {seed: 1}\n"
    )
    assert parse_study(text, FILE).study.pseudonyms == ()


@pytest.mark.parametrize("cutoff", ["2024-09-30", '"2024-09-30"', "2024-09"])
def test_a_model_may_state_the_end_of_its_training(cutoff: str) -> None:
    study = parse_study(_study_with_model_condition(f"knowledge_cutoff: {cutoff}"), FILE).study
    assert study.condition("gpt").knowledge_cutoff == cutoff.strip('"')


@pytest.mark.parametrize("cutoff", ["2024", "soon", "2024-13", "30.09.2024"])
def test_an_end_of_training_that_is_no_date_is_refused_with_its_line(cutoff: str) -> None:
    with pytest.raises(
        StudyFileError, match=r"line 4, conditions\[0\]\.knowledge_cutoff: .*not a date. Write YYYY-MM-DD"
    ):
        parse_study(_study_with_model_condition(f"knowledge_cutoff: '{cutoff}'"), FILE)


def test_people_have_no_end_of_training() -> None:
    text = TEXT.replace("    solver: human #", "    knowledge_cutoff: 2024-09\n    solver: human #")
    with pytest.raises(StudyFileError, match="knowledge_cutoff does not go with solver human"):
        parse_study(text, FILE)


def _study_with_model_condition(extra_fields: str) -> str:
    return (
        "study: m\ntitle: Models\nproblems: [a/b]\n"
        f"conditions: [{{name: gpt, solver: model, model: openai/x, {extra_fields}}}]\nrandomisation: {{seed: 1}}\n"
    )


BOMB = "title: A study" + "".join(f"\nx{i}: &x{i} [{', '.join([f'*x{i - 1}' if i else 'x'] * 9)}]" for i in range(10))
"""Ten lines that stand for nine to the power of ten fields."""


@pytest.mark.parametrize(
    ("old_text", "new_text", "message"),
    [
        ("solver: human #", "solver: humna #", "line 14, conditions[0].solver: 'humna' is not 'human', "),
        ("seed: 42", "sede: 42", "randomisation.sede: there is no such field. Known here: unit, order, seed."),
        ("seed: 42", "sede: 42", "line 19, randomisation.seed: it is missing. Add it."),
        ("- starter/sync-fifo", "- sync fifo", "line 6, problems[0]: 'sync fifo' has the wrong form (PACK/ID"),
        ("runs: 20", "runs: many", "limits.runs: 'many' is not a whole number. Write one, such as 20."),
        ('version: "1"', "version: 1", "consent.version: 1 is not text. Put it between quotation marks."),
        ("[never, sometimes, always]", "never", "choices: 'never' is not a list. Write it as [first, second]."),
        ("idle_minutes: 2", "idle_minutes: [2]", "idle_minutes: the value is not a number. Write one,"),
        ("runs: 20", "runs: 0", "limits.runs: input should be greater than or equal to 1."),
        ("consent:", "consnt:", "line 60, consnt: there is no such field."),
        ("participants: 16", "participants: [ana@x.org]", "no spaces, no @"),
        ("participants: 16", "participants: [a, a]", "line 18, participants: participants has a twice. Remove one."),
        ("participants: 16", "participants: 0", "line 18, participants: participants and conditions do not fit"),
        ("is: same", "more_than: 1", "line 46, exclusions[1]: prior_exposure takes `is: similar`"),
        ("nowhere #", "somewhere #", "line 62, data: 'somewhere' is neither nowhere"),
        (
            "feedback: messages",
            "feedback: all",
            f"feedback: 'all' is not none, {', '.join(Reveal)}. Write one",
        ),
        ("- name: copilot", "- name: alone", "line 12, conditions: conditions has alone twice"),
        ("    assistants: [benchwright]", "    #", "line 15, conditions[1]: assistants is empty"),
        ("practice: starter/saturating-counter", "practice: starter/sync-fifo", "line 11, practice: practice "),
        ("data:\n", "data:\n  to: nowhere\n", "data.to: it is given twice. Remove one."),
        ("title: A study", "title: [A study", "study.yaml, line "),
        ("title: A study of my own", "title: &x [*x]", "line 4, title[0]: an alias points to what it is part of"),
        ("title: A study of my own", BOMB, "aliases repeat more than 100,000 fields"),
        ("expect: sometimes", "expect: often", "expect is 'often', which is none of the choices"),
        ("study: mine", "study: My Study", "line 3, study: 'My Study' has the wrong form (small letters"),
        ("forecasts: [minutes,", "forecasts: [external_help,", "forecasts can't ask for external_help"),
    ],
)
def test_a_flaw_is_told_with_file_line_field_and_next_step(old_text: str, new_text: str, message: str) -> None:
    assert TEXT.count(old_text) == 1
    with pytest.raises(StudyFileError) as error:
        parse_study(TEXT.replace(old_text, new_text), FILE)
    assert message in str(error.value)
    assert all(line.startswith("study.yaml, line ") for line in str(error.value).splitlines())


def test_all_flaws_are_told_in_the_order_of_their_lines() -> None:
    text = TEXT.replace("runs: 20", "runs: x").replace("unit: task", "unit: x").replace("ask: For", "aks: For")
    with pytest.raises(StudyFileError) as error:
        parse_study(text, FILE)
    fields = [flaw.field for flaw in error.value.flaws]
    assert fields == ["randomisation.unit", "limits.runs", "questionnaire[0].ask", "questionnaire[0].aks"]


@pytest.mark.parametrize("content", [b"", b"- a\n", b"\xff", b"a: \x00", b"[" * 5000, b"a: !!python/object:x {}"])
def test_what_is_no_study_at_all_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(content)
    with pytest.raises(StudyFileError, match=r"s\.yaml, line 1"):
        read_study(path)
    with pytest.raises(StudyFileError, match="No such file"):
        read_study(tmp_path / "none.yaml")


def test_the_published_schema_is_current_and_fits_the_template() -> None:
    published_schema = ROOT / "docs/reference/study.schema.json"
    assert published_schema.read_text() == study_schema_json(), "python -m benchwright_studies.plan.schema > that file"
    schema = study_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    value = yaml.safe_load(TEXT)
    assert list(validator.iter_errors(value)) == []
    value["conditions"][0]["solver"] = "humna"
    assert [list(error.absolute_path) for error in validator.iter_errors(value)] == [["conditions", 0, "solver"]]


def test_every_field_has_a_place_in_the_reference() -> None:
    page = (ROOT / "docs/reference/study-file.md").read_text()
    for field in Study.model_fields:
        assert f"`{field}`" in page or f"`{field}." in page, field


@pytest.mark.parametrize(
    ("feedback", "problem_policy", "feedback_policy"),
    [
        ("full", Reveal.NAMES, Reveal.NAMES),
        ("verdict", Reveal.FULL, Reveal.VERDICT),
        ("none", Reveal.FULL, None),
    ],
)
def test_feedback_never_shows_more_than_the_problem_allows(
    feedback: str, problem_policy: Reveal, feedback_policy: Reveal | None
) -> None:
    study = parse_study(TEXT.replace("feedback: messages", f"feedback: {feedback}"), FILE).study
    assert study.model_dump(mode="json")["feedback"] == feedback
    assigned = Assigned(
        study=study.study,
        study_sha256="0" * 64,
        participant="P01",
        condition="alone",
        solver="human",
        position=1,
        recording=study.recording,
        feedback=str(study.feedback),
    )
    assert Terms("human", assigned).feedback_policy(problem_policy) is feedback_policy


def test_reading_a_study_file_needs_no_database(tmp_path: Path) -> None:
    import sys

    program = "import sys, benchwright_studies.plan.study_file\nsys.exit('sqlalchemy' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
    assert json.loads(study_schema_json())["title"] == "Benchwright study"


@pytest.mark.parametrize(
    ("clusters", "flaw"),
    [
        ("{north: [P01, P02], south: [P03]}", "clusters lacks P04. Put each participant into one"),
        ("{north: [P01, P02], south: [P02, P03, P04]}", "clusters has P02 twice"),
        ("{north: [P01, P02, P09], south: [P03, P04]}", "clusters has P09, who is none of the participants"),
    ],
)
def test_clusters_have_each_participant_once(clusters: str, flaw: str) -> None:
    text = re.sub(r"^participants:.*$", f"participants: 4\nclusters: {clusters}", TEXT, flags=re.MULTILINE)
    with pytest.raises(StudyFileError, match=flaw):
        parse_study(text, FILE)


def test_conditions_of_clusters_need_clusters() -> None:
    with pytest.raises(StudyFileError, match="unit is cluster, and there are no clusters"):
        parse_study(TEXT.replace("unit: task", "unit: cluster"), FILE)
