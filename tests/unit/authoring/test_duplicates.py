from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchwright_authoring.duplicates import ComparedPart, near_copy_pairs
from benchwright_problems.problem import Difficulty, Hidden, Pack, Problem, ProblemKind, Provenance, Public
from benchwright_problems.storage.pack_folder import read_built_in

STATEMENT = "# Counter\n\n" + " ".join(f"word{number} and then" for number in range(40))
DESIGN = (
    "module m;\n" + "\n".join(f"  assign a{number} = b{number} + c{number};" for number in range(20)) + "\nendmodule\n"
)


def pack_of_texts(name: str, problem_texts: Mapping[str, tuple[str, str]]) -> Pack:
    """A pack of design problems: id → statement, reference."""
    pack_problems = [
        Problem(
            id=problem_id,
            kind=ProblemKind.DESIGN,
            title=problem_id,
            difficulty=Difficulty.EASY,
            provenance=Provenance(source="s", license="MIT", version="1"),
            public=Public(statement=statement, expected=("rtl/m.sv",)),
            hidden=Hidden(reference={"rtl/m.sv": reference}, harness={"docker-compose.yml": "services: {}\n"}),
        )
        for problem_id, (statement, reference) in problem_texts.items()
    ]
    return Pack(name=name, title=name, version="1", license="MIT", source="s", problems=tuple(pack_problems))


def near_copies(*packs: Pack, threshold: float = 0.8) -> list[tuple[str, str, ComparedPart]]:
    return [(pair.first_ref, pair.second_ref, pair.alike_part) for pair in near_copy_pairs(packs, threshold)]


def test_copies_in_other_packs_are_found_by_statement_and_by_reference() -> None:
    other_statement = STATEMENT.replace("word", "other")
    first_pack = pack_of_texts("a", {"same": (STATEMENT, DESIGN), "else": (other_statement, "module n; endmodule\n")})
    second_pack = pack_of_texts(
        "b", {"reworded": (other_statement.replace("other7", "word7"), DESIGN.replace("  ", " ") + "// new\n")}
    )
    assert near_copies(first_pack, second_pack) == [
        ("a/same", "b/reworded", ComparedPart.REFERENCE),
        ("a/else", "b/reworded", ComparedPart.STATEMENT),
    ]


def test_the_similarity_is_that_of_the_runs_of_five_tokens() -> None:
    words = [f"w{number}" for number in range(100)]
    changed_words = [*words[:50], "new", *words[51:]]
    (near_copy,) = near_copy_pairs(
        [pack_of_texts("a", {"x": (" ".join(words), ""), "y": (" ".join(changed_words), "")})]
    )
    # Five of 96 runs have the changed word.
    assert (near_copy.first_ref, near_copy.second_ref, near_copy.alike_part) == ("a/x", "a/y", ComparedPart.STATEMENT)
    assert near_copy.similarity == pytest.approx(91 / 101)


def test_what_is_less_alike_than_asked_for_is_left_out() -> None:
    words = [f"w{number}" for number in range(100)]
    half = [*words[:60], *(f"v{number}" for number in range(40))]
    packs = pack_of_texts("a", {"x": (" ".join(words), ""), "y": (" ".join(half), "")})
    assert near_copies(packs) == []
    assert near_copies(packs, threshold=0.3) == [("a/x", "a/y", ComparedPart.STATEMENT)]


def test_short_texts_and_comments_count_for_nothing() -> None:
    note = "// " + " ".join(f"same{number}" for number in range(50)) + "\n"
    first_pack = pack_of_texts(
        "a", {"x": ("# A counter", note + "module a; endmodule\n"), "y": ("# A counter", note + "module b; endmodule")}
    )
    assert near_copies(first_pack) == []


def test_no_two_problems_of_the_starter_pack_are_alike() -> None:
    assert near_copies(read_built_in("starter"), threshold=0.5) == []
