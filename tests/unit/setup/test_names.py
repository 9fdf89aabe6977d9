"""Names that stand for too many unrelated types are counted, and refused where they are new."""

from __future__ import annotations

from pathlib import Path

import names
import pytest

PROGRAM = """
import re
from pathlib import Path

class Verdict: ...
class FailedVerdict(Verdict): ...

def read(path: Path | str, given: int) -> None:
    found = re.match("a", "b")
    for line in ["a"]:
        pass
    _ = [one for one in (1, 2)]

def judge(given: Verdict) -> None:
    found = Path()
    text: str | None = None

class Run:
    def __init__(self, given: FailedVerdict) -> None:
        self.found = [given]
        key = lambda each: each
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, names.Bindings]:
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "mypy.ini").write_text("[mypy]\n")
    arguments = ["--config-file", str(folder / "mypy.ini"), "--cache-dir", str(folder / "cache")]
    return names.infer_bindings_by_module([*arguments, str(folder / "program.py")])


def test_a_name_counts_once_for_each_unrelated_type(modules: dict[str, names.Bindings]) -> None:
    numbers = names.unrelated_counts(modules)
    # A match, a path, and several verdicts.
    assert numbers["found"] == 3
    # A number and verdicts: a class and its base are related.
    assert numbers["given"] == 2
    # The types of one union are related.
    assert numbers["path"] == 1
    assert numbers["text"] == 1


def test_self_and_the_elements_of_a_comprehension_on_one_line_are_exempt(modules: dict[str, names.Bindings]) -> None:
    bound = {name for module in modules.values() for name, _ in module}
    assert {"self", "_", "one"} & bound == set()
    assert {"found", "given", "line", "each", "key"} <= bound


def test_a_name_may_stand_for_as_many_types_as_are_accepted() -> None:
    numbers = {"found": names.LIMIT + 1, "text": names.LIMIT, "row": 12}
    assert names.refusal_sentences(numbers, {"row": 12, "found": names.LIMIT + 1}) == []
    (refusal,) = names.refusal_sentences(numbers, {"row": 12})
    assert refusal.startswith(f"found stands for {names.LIMIT + 1} unrelated types ({names.LIMIT} are accepted)")


@pytest.mark.parametrize(
    ("program", "sentence"),
    [("number: int = ''\n", "Incompatible types in assignment"), ("number = (\n", "Unexpected EOF while parsing")],
    ids=["wrong type", "no Python"],
)
def test_types_that_are_wrong_are_told_and_nothing_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], program: str, sentence: str
) -> None:
    (tmp_path / "program.py").write_text(program)
    (tmp_path / "mypy.ini").write_text("[mypy]\n")
    arguments = ["--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", str(tmp_path / "cache")]
    assert names.check_names([*arguments, str(tmp_path / "program.py")]) == 1
    assert sentence in capsys.readouterr().out
