from __future__ import annotations

from benchwright_authoring.written_question import WrittenQuestion, pack_of
from benchwright_problems.problem import Pack
from benchwright_problems.storage.pack_files_schema import PackFile
from benchwright_service.questions.publishing import dated

QUESTION = WrittenQuestion.model_validate(
    {"title": "Stages", "statement": "Which?", "choices": list("wxyz"), "answer": "B", "explanation": "So it is."}
)


def version(published: str, *names: str) -> Pack:
    head = PackFile(
        name="c-questions", title="C", version="1", license="MIT", source="c", published=published, order=[*names]
    )
    return pack_of(head, dict.fromkeys(names, QUESTION), {})


def test_a_question_keeps_the_date_since_when_it_is_public_and_the_pack_that_of_its_first() -> None:
    first = dated(version("2026-03-01", "one"), None)
    second = dated(version("2026-05-01", "one", "two"), first)
    third = dated(version("2026-06-01", "one", "two", "three"), second)
    assert third.published == "2026-03-01"
    assert [problem.published for problem in third.problems] == ["2026-03-01", "2026-05-01", "2026-06-01"]
