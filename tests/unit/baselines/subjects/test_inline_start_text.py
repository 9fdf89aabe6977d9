"""Text that an inline-completion server begins with, where it works alone."""

from __future__ import annotations

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_studies.plan.registration import inline_writable_paths
from benchwright_studies.plan.subject import InitialText
from benchwright_subjects.inline.text.start_text import start_texts

REF = "starter/saturating-counter"
TWO = "module a(input x);\n  wire y;\nendmodule\nmodule b(input z);\n  assign w = z;\nendmodule\n"


@pytest.fixture
def store() -> Store:
    return Store(Home.from_environment())


def test_an_empty_body_is_the_reference_without_any_body(store: Store) -> None:
    problem = store.unseal(REF)
    path = next(iter(problem.hidden.reference))
    two_modules = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"reference": {path: TWO}})})
    (start_text,) = start_texts(REF, two_modules, InitialText.EMPTY_BODY)
    assert start_text.text == "module a(input x);\n  \nendmodule\nmodule b(input z);\n  \nendmodule\n"
    assert list(start_text.expected_texts) == ["wire y;", "assign w = z;"]


def test_starting_files_are_as_everybody_gets_them_with_nothing_of_the_reference(store: Store) -> None:
    problem = store.problem(REF)
    (start_text,) = start_texts(REF, problem, InitialText.STARTING_FILES)
    assert start_text.text == problem.public.files[start_text.path]
    assert start_text.fragments[1].startswith("endmodule")
    assert list(start_text.expected_texts) == [""]


def test_a_reference_without_a_body_is_named(store: Store) -> None:
    problem = store.unseal(REF)
    path = next(iter(problem.hidden.reference))
    bare = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"reference": {path: "// none\n"}})})
    with pytest.raises(EvaluationError, match=f"{REF} has no reference with a module's body"):
        start_texts(REF, bare, InitialText.EMPTY_BODY)


def test_questions_have_nothing_to_write(store: Store) -> None:
    assert inline_writable_paths(store.problem("starter/amdahl")) == []
