"""Prompts by name: their structure is that of the benchmark, and nothing in them changes unnoticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_problems.category import Category
from benchwright_problems.storage.store import Store
from benchwright_studies.plan.vocabulary import Prompts
from benchwright_subjects.prompt_sets import BENCHWRIGHT, PROMPT_SETS, prompt_set
from benchwright_subjects.prompt_sets.confidence import confidence_and_rest_of_reply
from benchwright_subjects.prompt_sets.csbench import CSBENCH
from benchwright_subjects.prompt_sets.cvdp import CVDP
from benchwright_subjects.prompt_sets.forms import digest_of_prompt_forms, form_by_problem_kind
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompt_sets.quarch import QUARCH
from benchwright_subjects.samples import RequestForm

GOLDEN = Path(__file__).parent / "prompt_forms"
PAGE = Path(__file__).parents[4] / "docs/reference/prompts.md"
COMPREHENSION = ("cid006", "cid008", "cid009", "cid010")


def occur_in_order(text: str, *text_parts: str) -> bool:
    """True if each part is there once, in this order."""
    part_offsets = [text.find(part) for part in text_parts]
    return all(text.count(part) == 1 for part in text_parts) and part_offsets == sorted(part_offsets)


@pytest.mark.parametrize("prompts", PROMPT_SETS, ids=lambda prompts: prompts.name)
def test_the_forms_are_the_golden_ones(prompts: PromptSet, request: pytest.FixtureRequest) -> None:
    forms_text = "".join(f"######## {name}\n{text}\n\n" for name, text in form_by_problem_kind(prompts).items())
    file = GOLDEN / f"{prompts.name}.txt"
    if request.config.getoption("--update"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(forms_text, encoding="utf-8")
    assert forms_text == file.read_text(encoding="utf-8"), f"differs from {file}; --update takes it over"


@pytest.mark.parametrize("prompts", PROMPT_SETS, ids=lambda prompts: prompts.name)
def test_the_page_names_each_set_with_its_digest(prompts: PromptSet, request: pytest.FixtureRequest) -> None:
    digest_row = f"| `{prompts.name}` | `{digest_of_prompt_forms(prompts)[:16]}` |"
    if request.config.getoption("--update"):
        page_text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            re.sub(rf"^\| `{re.escape(prompts.name)}` \| `\w*` \|", digest_row, page_text, flags=re.MULTILINE),
            encoding="utf-8",
        )
    assert digest_row in PAGE.read_text(encoding="utf-8"), f"differs from {PAGE.name}; --update takes it over"


def test_a_study_can_choose_each_set() -> None:
    assert [choice.value for choice in Prompts] == [prompts.name for prompts in PROMPT_SETS]


@pytest.mark.parametrize(
    ("reply", "confidence", "remaining_text"),
    [
        ("B\nConfidence: 80 %", 0.8, "B"),
        ("B\n\n**Confidence:** 7.5%\n", 0.075, "B\n"),
        ("```json\n{}\n```\n- CONFIDENCE\uff1a <100> %  ", 1.0, "```json\n{}\n```"),
        ("```\nB\nConfidence: 0 %\n```\n", 0.0, "```\nB\n```"),
        ("Confidence: 50 %", 0.5, ""),
        ("B\nConfidence: 101 %", None, None),
        ("B\nConfidence: high", None, None),
        ("B\nConfidence: 0.8", None, None),
        ("Confidence: 80 %\nB", None, None),
        ("", None, None),
    ],
)
def test_a_confidence_is_read_from_the_last_line_and_removed(
    reply: str, confidence: float | None, remaining_text: str | None
) -> None:
    assert confidence_and_rest_of_reply(reply) == (confidence, reply if remaining_text is None else remaining_text)


def test_digests_differ() -> None:
    assert len({digest_of_prompt_forms(prompts) for prompts in PROMPT_SETS}) == len(PROMPT_SETS)


def test_cvdp_asks_for_all_of_its_categories_and_for_nothing_else() -> None:
    names = {name.partition("-")[0] for name in form_by_problem_kind(CVDP)}
    assert names == {category.value for category in Category}


def test_cvdps_system_message_has_folders_then_guidance_then_schemas() -> None:
    guidances = set()
    for name, text in form_by_problem_kind(CVDP).items():
        system, _, _ = text.partition("\n\nUser: ")
        guidance_parts = ["- rtl/*", "- verif/*", "- docs/*", "Reply only with"]
        if name.endswith("-2") or name in COMPREHENSION:
            guidance_parts += [
                '{ "code": [{ "<name>" : "<code>"}] }',
                "\nor\n",
                '{ "response": "<response>" }',
                "The reply is JSON",
            ]
        else:
            assert "JSON" not in system
        assert occur_in_order(system, *guidance_parts), name
        guidances.add(re.search(r"Reply only with (.*)", system)[1])  # type: ignore[index]
    assert len(guidances) == len(Category)


def test_cvdps_request_has_files_then_the_task_then_the_form_of_the_reply() -> None:
    for name, text in form_by_problem_kind(CVDP).items():
        request = text.partition("\n\nUser: ")[2]
        forms = {
            "1": "Your reply is saved as it is to: rtl/{expected_1}.sv.",
            "2": "Name the files: ['rtl/{expected_1}.sv', 'rtl/{expected_2}.sv'].",
        }
        form = forms.get(name.partition("-")[2], '{ "response": "<your answer here>" }')
        assert occur_in_order(request, "docs/{given}.md", "```\n{content}\n```", "{statement}", form), name


def test_cs_bench_asks_by_format_and_language_without_a_system_message() -> None:
    forms = form_by_problem_kind(CSBENCH)
    formats = ("multiple-choice", "assertion", "fill-in-the-blank", "open-ended")
    assert {name.rpartition("-")[0] for name in forms} == set(formats)
    assert {f"{style}-{language}" for style in formats for language in ("en", "de", "fr", "zh")} <= forms.keys()
    assert not any("System:" in text for text in forms.values())
    for language in ("en", "zh"):
        choice = forms[f"multiple-choice-{language}"]
        assert occur_in_order(choice, "{statement}", *(f"\n({letter}){{choice_{letter}}}" for letter in "ABCD"))
        assert occur_in_order(
            forms[f"assertion-{language}"], "{statement}", "(true or false)" if language == "en" else "true or false"
        )
    assert "professor" in forms["fill-in-the-blank-en"]
    assert re.search(r"[\u4e00-\u9fff]", forms["open-ended-zh"])


def test_quarch_asks_for_a_final_answer_in_json_or_for_an_exam_answer() -> None:
    forms = form_by_problem_kind(QUARCH)
    assert {name.rpartition("-")[0] for name in forms} == {"multiple-choice", "free-response"}
    choices = (f"\n{letter}) {{choice_{letter}}}" for letter in "ABCD")
    assert occur_in_order(
        forms["multiple-choice-en"],
        "Question: {statement}",
        "Choices:",
        *choices,
        '{"final_answer": "<A, B, C, or D>"}',
    )
    reminders = (f"\n{number}. " for number in range(1, 6))
    assert occur_in_order(forms["free-response-en"], *reminders, "{statement}", "Your answer:")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{ "response": "line 1\\nline \\"2\\"" }', 'line 1\nline "2"'),
        ('Here it is:\n```json\n{"response": "x\ny"}\n```', "x\ny"),
        ("plain words", "plain words"),
        ('{"answer": "x"}', '{"answer": "x"}'),
        ("{ broken", "{ broken"),
    ],
)
def test_an_answer_about_code_is_read_from_cvdps_json(reply: str, answer: str, comprehension: object) -> None:
    assert CVDP.extract_answer(comprehension, reply) == answer  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)}))


@pytest.fixture
def comprehension(store: Store) -> object:
    design = store.problem("starter/saturating-counter")
    return design.model_copy(update={"category": Category.RTL_QUESTION})


def test_a_set_that_has_no_form_for_a_problem_says_so(store: Store) -> None:
    with pytest.raises(EvaluationError, match=r"prompts 'cvdp-1\.1' are for problems with a category"):
        CVDP.prompt_for(store.problem("starter/vipt-synonyms"))
    with pytest.raises(EvaluationError, match="prompts 'quarch' are for multiple-choice and free-response"):
        QUARCH.prompt_for(store.problem("starter/saturating-counter"))


def test_prompts_are_chosen_by_name(store: Store) -> None:
    assert prompt_set("") is BENCHWRIGHT
    with pytest.raises(EvaluationError, match=r"no prompts 'cvdp'; choose one of: benchwright, cvdp-1\.1, cs-bench"):
        prompt_set("cvdp")
    (problem,), make_prompt = RequestForm("saturating-counter", prompt_set_name="cvdp-1.1").problems_and_prompt_maker(
        store, "starter"
    )
    assert "Give one answer to this request" in str(make_prompt(problem).user)
    with pytest.raises(EvaluationError, match="no form with examples or thinking"):
        RequestForm("saturating-counter", asks_for_steps=True, prompt_set_name="cvdp-1.1").problems_and_prompt_maker(
            store, "starter"
        )
