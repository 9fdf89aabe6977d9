"""Sizes of a pack's texts, against values counted by hand."""

from __future__ import annotations

from benchwright_authoring.pack_statistics import GroupProperty, PartSize, ProblemPart, group_counts, problem_groups
from benchwright_problems.category import Category
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

PROVENANCE = Provenance(source="s", license="MIT", version="1")


def design_problem(name: str, statement: str, reference: str, category: Category) -> Problem:
    return Problem(
        id=name,
        kind=ProblemKind.DESIGN,
        title=name,
        category=category,
        difficulty=Difficulty.EASY,
        provenance=PROVENANCE,
        public=Public(statement=statement, expected=("rtl/m.sv",)),
        hidden=Hidden(reference={"rtl/m.sv": reference}, harness={"a.py": "a b\nc\n", "b.py": "d\n"}),
    )


QUESTION = Problem(
    id="q",
    kind=ProblemKind.QUESTION,
    title="q",
    difficulty=Difficulty.HARD,
    published="2024-03",
    provenance=PROVENANCE,
    public=Public(
        statement="Which one?",
        question=Question(
            format=QuestionFormat.MULTIPLE_CHOICE,
            choices=(Choice(letter="A", text="this"), Choice(letter="B", text="that one")),
        ),
    ),
    hidden=Hidden(answer=Answer(value="A", closed=True)),
)
PACK = Pack(
    name="p",
    title="p",
    version="1",
    license="MIT",
    source="s",
    published="2025-01",
    problems=(
        design_problem("x", "one two\nthree", "a\nb\nc d\n", Category.SPEC_TO_RTL),
        design_problem("y", "one", "a\n", Category.BUG_FIX),
        QUESTION,
    ),
)


def word_count(text: str) -> int:
    return len(text.split())


def test_the_sizes_are_means_and_maxima_over_the_problems_that_have_a_part() -> None:
    *_, whole = problem_groups(PACK, GroupProperty.CATEGORY, word_count)
    assert (whole.name, whole.problems) == ("all", 3)
    # "Which one?", "A. this" and "B. that one" are seven words in three lines.
    assert whole.sizes == (
        PartSize(ProblemPart.STATEMENT, 3, 2, 3, 11 / 3, 7),
        PartSize(ProblemPart.REFERENCE, 3, 5 / 3, 3, 2, 4),
        PartSize(ProblemPart.HARNESS, 2, 4, 4, 4, 4),
    )


def test_problems_are_grouped_by_a_property_and_none_is_left_out() -> None:
    sized_groups = problem_groups(PACK, GroupProperty.CATEGORY, word_count)
    assert [(problem_group.name, problem_group.problems) for problem_group in sized_groups] == [
        ("cid003 Specification to RTL", 1),
        ("cid016 Debugging and bug fixing", 1),
        ("none", 1),
        ("all", 3),
    ]
    assert sized_groups[0].sizes[0] == PartSize(ProblemPart.STATEMENT, 1, 2, 2, 3, 3)


def test_tokens_that_nothing_can_count_are_unknown() -> None:
    (size, *_) = problem_groups(PACK, GroupProperty.CATEGORY, lambda text: None if "Which" in text else 1)[-1].sizes
    assert (size.mean_tokens, size.most_tokens) == (None, None)


def test_a_problem_without_a_date_has_that_of_its_pack_and_properties_of_all_are_left_out() -> None:
    counts = group_counts(PACK)
    assert counts[GroupProperty.PUBLISHED] == {"2025-01": 2, "2024-03": 1}
    assert counts[GroupProperty.DIFFICULTY] == {"easy": 2, "hard": 1}
    assert GroupProperty.FORM not in counts
