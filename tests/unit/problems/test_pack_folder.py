from __future__ import annotations

import pytest

from benchwright_analysis.report.rows.problem_facts import facts_by_problem_ref
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import ProblemKind, QuestionFormat
from benchwright_problems.storage.pack_folder import read_built_in, read_pack_folder
from benchwright_problems.storage.store import Store

from ...support.packs.pack_folder import FILES, WritePack, write_pack

__all__ = ("write_pack",)


def test_a_pack_folder_is_read_whole(write_pack: WritePack) -> None:
    folder = write_pack({})
    design, question = read_pack_folder(folder).problems
    assert (design.kind, design.title, design.limits.wall_s) == (ProblemKind.DESIGN, "Inverter", 5)
    assert design.public.files == {"rtl/inv.sv": "module inv; endmodule\n"}
    assert design.hidden.reference == {"rtl/inv.sv": "module inv; /* right */ endmodule\n"}
    assert question.public.question is not None
    assert question.public.question.format is QuestionFormat.MULTIPLE_CHOICE
    assert question.hidden.answer is not None
    assert question.hidden.answer.value == "B"


def test_a_problem_may_be_newer_than_its_pack_and_is_the_same_problem(write_pack: WritePack, store: Store) -> None:
    old_problems = read_pack_folder(write_pack({})).problems
    dated = write_pack({"inv/problem.toml": f"published = 2026-05-17\n{FILES['inv/problem.toml']}"})
    design, question = read_pack_folder(dated).problems
    assert (design.published, question.published) == ("2026-05-17", None)
    assert [problem.public_digest for problem in old_problems] == [design.public_digest, question.public_digest]
    store.add(read_pack_folder(dated))
    facts_by_problem = facts_by_problem_ref(store, {"p/inv", "p/q"})
    assert [facts_by_problem[ref].publication_date for ref in ("p/inv", "p/q")] == ["2026-05-17", ""]


def test_the_digest_of_a_problem_covers_every_file_that_counts(write_pack: WritePack) -> None:
    digests = {
        read_pack_folder(write_pack({path: FILES[path] + "\n"})).problems[0].hidden.sha256
        for path in FILES
        if path.startswith("inv/") and "/wrong/" not in path and not path.endswith(".toml")
    }
    assert len(digests) == 4


def replaced_text(path: str, old_text: str, new_text: str) -> dict[str, str | bytes | None]:
    assert old_text in FILES[path]
    return {path: FILES[path].replace(old_text, new_text)}


SEVERAL = FILES["q/problem.toml"].replace("multiple-choice", "multiple-response").replace('"B"', '"BA"')


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pack.toml": None}, r"pack\.toml: can't be read: No such file"),
        ({"pack.toml": "name ="}, r"pack\.toml: is not TOML"),
        (replaced_text("pack.toml", 'title = "P"', ""), r"pack\.toml: field title: Field required"),
        (replaced_text("pack.toml", '"p"', '"P P"'), r"pack\.toml: field name: "),
        (replaced_text("pack.toml", '["inv", "q"]', "[]"), r"pack\.toml: field order: "),
        (replaced_text("pack.toml", '"q"]', '"inv"]'), r"pack\.toml: field order: names a problem twice"),
        (replaced_text("pack.toml", '"q"]', '"gone"]'), r"gone/problem\.toml: can't be read"),
        ({"inv/problem.toml": b"id = '\xff'"}, r"inv/problem\.toml: byte 7 is not UTF-8"),
        (replaced_text("inv/problem.toml", '"inv"', '"vni"'), r"inv/problem\.toml: field id: is 'vni' but"),
        (replaced_text("inv/problem.toml", "design", "drawing"), r"inv/problem\.toml: field kind: "),
        (replaced_text("inv/problem.toml", "cid003", "cid999"), r"inv/problem\.toml: field category: "),
        (replaced_text("inv/problem.toml", "wall_s = 5", "wall_s = -5"), r"inv/problem\.toml: field limits\.wall_s: "),
        (replaced_text("inv/problem.toml", "wall_s", "walls"), r"inv/problem\.toml: field limits\.walls: "),
        (replaced_text("inv/problem.toml", "rtl/inv.sv", "../inv.sv"), r"inv/problem\.toml: field expected\.0: "),
        (replaced_text("inv/problem.toml", '["rtl/inv.sv"]', "[]"), r"inv/problem\.toml: .*names the files it expects"),
        ({"inv/statement.md": "Invert."}, r"inv/statement\.md:1: the first line must be '# Title'"),
        ({"inv/statement.md": ""}, r"inv/statement\.md:1: the first line"),
        ({"inv/statement.md": None}, r"inv/statement\.md: can't be read"),
        ({"inv/public/rtl/inv.sv": b"\xff"}, r"inv/public/rtl/inv\.sv: byte 1 is not UTF-8"),
        ({"inv/hidden/harness/docker-compose.yml": None}, r"harness/docker-compose\.yml: is missing"),
        (replaced_text("q/problem.toml", '[answer]\nvalue = "B"', ""), r"q/problem\.toml: field answer: is missing"),
        (replaced_text("q/problem.toml", 'value = "B"', ""), r"q/problem\.toml: field answer\.value: Field required"),
        (replaced_text("q/problem.toml", "multiple-choice", "essay"), r"q/problem\.toml: field question\.format: "),
        (replaced_text("q/problem.toml", 'A = "one"', 'AA = "one"'), r"q/problem\.toml: field question\.choices\.AA: "),
        (replaced_text("q/problem.toml", 'A = "one", ', ""), r"q/problem\.toml: .*at least two choices"),
        (
            replaced_text("q/problem.toml", 'value = "B"', 'value = "b"'),
            r"answer\.value: is 'b'; it must be one of A, B",
        ),
        (
            {"q/problem.toml": SEVERAL},
            r"q/problem\.toml: field answer\.value: is 'BA'; it must be the letters of all right choices, of A, B",
        ),
        (replaced_text("q/problem.toml", 'value = "B"', 'value = "C"'), r"q/problem\.toml: field answer\.value: .*'C'"),
    ],
)
def test_an_error_names_file_and_field(
    changes: dict[str, str | bytes | None], message: str, write_pack: WritePack
) -> None:
    with pytest.raises(DatasetError, match=message):
        read_pack_folder(write_pack(changes))


def test_the_starter_pack_has_every_promised_kind_of_problem() -> None:
    pack = read_built_in("starter")
    categories = {problem.category for problem in pack.problems if problem.category}
    formats = {problem.public.question.format for problem in pack.problems if problem.public.question}
    assert {"cid002", "cid003", "cid004", "cid007", "cid016"} <= categories
    assert formats >= {
        QuestionFormat.MULTIPLE_CHOICE,
        QuestionFormat.MULTIPLE_RESPONSE,
        QuestionFormat.ASSERTION,
        QuestionFormat.FILL_IN_THE_BLANK,
        QuestionFormat.OPEN_ENDED,
        QuestionFormat.FREE_RESPONSE,
    }
    assert len(pack.problems) >= 8


FIGURE_QUESTION = (
    'id = "q"\nkind = "question"\ndifficulty = "hard"\ndomain = "Caches"\n[question]\nformat = "multiple-choice"\n'
    'topic = "Memory Systems"\nskill = "design"\nlanguage = "de"\ngroup = "g"\n'
    'choices = { A = "![a ring](figures/ring.png)", B = "none" }\n[answer]\nvalue = "B"\n'
    'explanation = "![the way](figures/way.png)"\n'
)


def test_a_question_s_figures_and_labels_are_read(write_pack: WritePack, png: bytes) -> None:
    folder = write_pack(
        {
            "q/problem.toml": FIGURE_QUESTION,
            "q/statement.md": "# Which?\n\n![a bus](figures/bus.png)\n",
            "q/figures/bus.png": png,
            "q/figures/ring.png": png,
            "q/hidden/figures/way.png": png,
        }
    )
    question = read_pack_folder(folder).problems[1]
    assert [(figure.path, figure.alt) for figure in question.public.figures] == [
        ("figures/bus.png", "a bus"),
        ("figures/ring.png", "a ring"),
    ]
    assert question.public.question
    assert question.hidden.answer
    assert [figure.path for figure in question.hidden.answer.figures] == ["figures/way.png"]
    labels = question.public.question.model_dump(include={"topic", "skill", "language", "group", "domain"})
    assert labels == {"topic": "Memory Systems", "skill": "design", "language": "de", "group": "g", "domain": "Caches"}


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("q/figures/bus.png", None, r"bus\.png: is not shown anywhere; add !\[what it shows\]"),
        ("q/figures/a.png", b"#!/bin/sh", "does not begin as image/png"),
        ("q/figures/a.txt", b"text", r"'figures/a\.txt' is no picture"),
        ("q/figures/a.svg", b"<svg onload='x'/>", "is not SVG"),
    ],
)
def test_a_bad_figure_is_named(
    write_pack: WritePack, png: bytes, path: str, content: bytes | None, message: str
) -> None:
    statement = f"# Which?\n\n![a]({path.removeprefix('q/')})\n" if content is not None else "# Which?\n"
    folder = write_pack({path: content or png, "q/statement.md": statement})
    with pytest.raises(DatasetError, match=message):
        read_pack_folder(folder)


def test_a_problem_may_say_what_its_submissions_may_do(write_pack: WritePack) -> None:
    text = FILES["inv/problem.toml"] + '\n[scan]\ndpi = "allow"\n'
    problem = read_pack_folder(write_pack({"inv/problem.toml": text})).problems[0]
    assert problem.hidden.scan == {"dpi": "allow"}


def test_a_file_that_can_not_be_meant_is_refused(write_pack: WritePack) -> None:
    folder = write_pack({})
    with (folder / "inv" / "public" / "rtl" / "inv.sv").open("ab") as file:
        file.truncate(1 << 40)
    with pytest.raises(DatasetError, match=r"inv\.sv: is larger than 16 MiB"):
        read_pack_folder(folder)
