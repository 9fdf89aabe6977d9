"""A problem's hints: what a pack says of them, and what of it is public."""

from __future__ import annotations

import pytest

from benchwright_foundation.home import Home
from benchwright_problems.errors import DatasetError
from benchwright_problems.hints import HintRule
from benchwright_problems.problem import Problem, Public
from benchwright_problems.storage.pack_folder import read_built_in, read_pack_folder
from benchwright_problems.storage.store import Store

from ...support.packs.pack_folder import FILES, WritePack, write_pack

__all__ = ("write_pack",)

LADDER = """
[[hints]]
text = "Look at the operator."

[[hints]]
text = "It is called NOT."
cost = 0.25
after_runs = 2
after_minutes = 5
"""


def problem_with_hints(write: WritePack, hints_toml: str) -> Problem:
    file = "inv/problem.toml"
    return read_pack_folder(write({file: FILES[file] + hints_toml})).problems[0]


def test_the_rules_are_public_and_the_texts_hidden(write_pack: WritePack) -> None:
    problem = problem_with_hints(write_pack, LADDER)
    assert problem.public.hints == (HintRule(), HintRule(cost=0.25, after_runs=2, after_minutes=5))
    assert problem.hidden.hints == ("Look at the operator.", "It is called NOT.")
    assert "operator" not in problem.public.model_dump_json()


def test_hints_change_no_digest_of_the_task(write_pack: WritePack) -> None:
    plain_problem, hinted = problem_with_hints(write_pack, ""), problem_with_hints(write_pack, LADDER)
    assert (plain_problem.public_digest, plain_problem.harness_digest) == (hinted.public_digest, hinted.harness_digest)
    assert plain_problem.hidden.sha256 != hinted.hidden.sha256
    assert "hints" not in Public(statement="s").model_dump_json()


def test_a_stored_pack_has_the_texts_in_its_sealed_part_alone(
    write_pack: WritePack,
    tmp_path: object,
) -> None:
    file = "inv/problem.toml"
    folder = write_pack({file: FILES[file] + LADDER})
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(folder.parent / "home")})
    Store(home).add(read_pack_folder(folder))
    assert len(Store(home).problem("p/inv").public.hints) == 2
    assert Store(home).problem("p/inv").hidden.hints == ()
    assert Store(home).unseal("p/inv").hidden.hints[1] == "It is called NOT."
    files_with_hint = [path for path in home.data.rglob("*") if path.is_file() and b"called NOT" in path.read_bytes()]
    assert [path.relative_to(home.data).parts[0] for path in files_with_hint] == ["sealed"]
    assert files_with_hint[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("hints_toml", "message"),
    [
        ('[[hints]]\ntext = ""\n', "hints.0.text"),
        ('[[hints]]\ntext = " \\n "\n', "hints.0.text"),
        ("[[hints]]\ncost = 0.1\n", "hints.0.text"),
        ('[[hints]]\ntext = "a"\ncost = 1.5\n', "hints.0.cost"),
        ('[[hints]]\ntext = "a"\ncost = -0.5\n', "hints.0.cost"),
        ('[[hints]]\ntext = "a"\ncost = nan\n', "hints.0.cost"),
        ('[[hints]]\ntext = "a"\nafter_runs = -1\n', "hints.0.after_runs"),
        ('[[hints]]\ntext = "a"\nprice = 1\n', "hints.0.price"),
        ('[[hints]]\ntext = "a"\ncost = 0.6\n[[hints]]\ntext = "b"\ncost = 0.6\n', "together they cost 1.2"),
        ('[[hints]]\ntext = "a"\n' * 21, "at most 20"),
    ],
)
def test_a_wrong_hint_is_refused_with_its_place(write_pack: WritePack, hints_toml: str, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        problem_with_hints(write_pack, hints_toml)


@pytest.mark.parametrize(
    ("runs", "active_s", "missing"),
    [
        (0, 0, "2 runs (0 so far) and 5 min of work (0 so far)"),
        (2, 299, "5 min of work (4 so far)"),
        (1, 300, "2 runs (1 so far)"),
        (2, 300, ""),
    ],
)
def test_a_hint_says_what_it_waits_for(runs: int, active_s: float, missing: str) -> None:
    assert HintRule(after_runs=2, after_minutes=5).missing_condition(runs, active_s) == missing


def test_eight_problems_of_the_starter_pack_have_hints_and_the_first_is_free() -> None:
    hinted = [problem for problem in read_built_in("starter").problems if problem.public.hints]
    assert len(hinted) == 8
    for problem in hinted:
        first_hint, *later_hints = problem.public.hints
        assert first_hint == HintRule()
        assert all(rule.cost > 0 for rule in later_hints)
        assert len(problem.hidden.hints) == len(problem.public.hints)
