from __future__ import annotations

from benchwright_authoring.written_question import WrittenQuestion, build_pack
from benchwright_problems.problem import Pack
from benchwright_problems.storage.pack_files_schema import PackToml
from benchwright_service.questions.publishing import with_publication_dates

QUESTION = WrittenQuestion.model_validate(
    {"title": "Stages", "statement": "Which?", "choices": list("wxyz"), "answer": "B", "explanation": "So it is."}
)


def version(publication_date: str, *names: str) -> Pack:
    head = PackToml(
        name="c-questions",
        title="C",
        version="1",
        license="MIT",
        source="c",
        published=publication_date,
        order=[*names],
    )
    return build_pack(head, dict.fromkeys(names, QUESTION), {})


def test_a_question_keeps_the_date_since_when_it_is_public_and_the_pack_that_of_its_first() -> None:
    first_pack = with_publication_dates(version("2026-03-01", "one"), None)
    second_pack = with_publication_dates(version("2026-05-01", "one", "two"), first_pack)
    third_pack = with_publication_dates(version("2026-06-01", "one", "two", "three"), second_pack)
    assert third_pack.published == "2026-03-01"
    assert [problem.published for problem in third_pack.problems] == ["2026-03-01", "2026-05-01", "2026-06-01"]
