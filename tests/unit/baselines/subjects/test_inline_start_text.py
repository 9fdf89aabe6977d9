"""Text that an inline-completion server begins with, where it works alone."""

from __future__ import annotations

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_studies.plan.registration import written_inline
from benchwright_studies.plan.subject import Start
from benchwright_subjects.inline.text.start_text import start_texts

REF = "starter/saturating-counter"
TWO = "module a(input x);\n  wire y;\nendmodule\nmodule b(input z);\n  assign w = z;\nendmodule\n"


@pytest.fixture
def store() -> Store:
    return Store(Home.find())


def test_an_empty_body_is_the_reference_without_any_body(store: Store) -> None:
    problem = store.unseal(REF)
    path = next(iter(problem.hidden.reference))
    two = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"reference": {path: TWO}})})
    (start,) = start_texts(REF, two, Start.EMPTY_BODY)
    assert start.text == "module a(input x);\n  \nendmodule\nmodule b(input z);\n  \nendmodule\n"
    assert list(start.expected) == ["wire y;", "assign w = z;"]


def test_starting_files_are_as_everybody_gets_them_with_nothing_of_the_reference(store: Store) -> None:
    problem = store.problem(REF)
    (start,) = start_texts(REF, problem, Start.STARTING_FILES)
    assert start.text == problem.public.files[start.path]
    assert start.fragments[1].startswith("endmodule")
    assert list(start.expected) == [""]


def test_a_reference_without_a_body_is_named(store: Store) -> None:
    problem = store.unseal(REF)
    path = next(iter(problem.hidden.reference))
    bare = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"reference": {path: "// none\n"}})})
    with pytest.raises(EvaluationError, match=f"{REF} has no reference with a module's body"):
        start_texts(REF, bare, Start.EMPTY_BODY)


def test_questions_have_nothing_to_write(store: Store) -> None:
    assert written_inline(store.problem("starter/amdahl")) == []
