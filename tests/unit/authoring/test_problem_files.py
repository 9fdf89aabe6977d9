from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from benchwright_authoring.new_problem import FORMS, DesignForm, write_new_problem
from benchwright_authoring.problem_files.fields import PACK_FIELDS, PROBLEM_FIELDS, FileFields, table_fields
from benchwright_authoring.problem_files.problem_folder import ProblemFolder
from benchwright_authoring.problem_files.proposals import toml_hover, toml_proposals
from benchwright_authoring.problem_files.remarks import pack_remarks, remarks_on_problem
from benchwright_authoring.problem_files.toml_places import TomlPlaces
from benchwright_problems.equivalence import DontCares
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import QuestionFormat, digest
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.pack_files_schema import ProblemToml
from benchwright_problems.storage.pack_folder import read_pack_folder

ROOT = Path(__file__).parents[3]
STARTER = Path(str(files("benchwright_problems") / "packs" / "starter"))
TEXT = """\
id = "a" # here
[limits]
wall_s = 5

[[hints]]
text = \"\"\"
kind = no field
\"\"\"

[[hints]]
cost = 0.5
text = "ä"

[answer.points]
items = [{ text = "x", points = 2 }, { text = "y" }]
"""
Found = list[tuple[str, str, str]]


def split_mark(text: str) -> tuple[str, int]:
    """A text without its mark, and where that was."""
    return text.replace("|", ""), text.index("|")


@pytest.mark.parametrize(
    ("path", "expected_text"),
    [
        (("id",), '"a"'),
        (("limits", "wall_s"), "5"),
        (("hints", 1, "text"), '"ä"'),
        (("hints", 1, "cost"), "0.5"),
        (("answer", "points", "items", 1, "text"), '"y"'),
        (("answer", "points", "items", 0, "missing"), '{ text = "x", points = 2 }'),
        (("limits", "nothing"), "limits"),
        (("nothing",), 'id = "a" # here'),
    ],
)
def test_a_value_is_found_by_its_path(path: tuple[str | int, ...], expected_text: str) -> None:
    span = TomlPlaces(TEXT).nearest_span(path)
    assert TEXT[span.start : span.end] == expected_text


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ('kind = "design"\nre|', {"reveal", "expected"}),
        ("kind = |", {'"design"', '"question"'}),
        ('reveal = "|', {f'"{level}"' for level in Reveal}),
        ("[limits]\n|", {"wall_s", "memory_mb"}),
        ("[limits]\nwall_s = 5\nw|", {"memory_mb"}),
        ("[[hints]]\ncost = 1\n[[hints]]\n|", {"text", "cost"}),
        ("[answer]\nclosed = |", {"true", "false"}),
        ("[answer.points]\n|", {"enough"}),
        ("[|", {"limits", "question", "question.choices", "answer", "answer.points"}),
        ("[[h|", {"hints"}),
        ("[pr|", {"proof"}),
        ("[proof]\npa|", {"parameters"}),
    ],
)
def test_what_can_be_written_is_proposed(text: str, labels: set[str]) -> None:
    _, proposals = toml_proposals(PROBLEM_FIELDS, *split_mark(text))
    assert labels <= {proposal.label for proposal in proposals}


@pytest.mark.parametrize(
    "text",
    ["# kind = |", '[[hints]]\ntext = """\n|\n"""\n', 'domain = "|', "nothing = |", "[nowhere]\n|", 'id = "a" |'],
)
def test_nothing_is_proposed_where_nothing_fits(text: str) -> None:
    assert toml_proposals(PROBLEM_FIELDS, *split_mark(text))[1] == []


def test_a_field_that_is_there_is_not_proposed_again() -> None:
    assert "id" not in {proposal.label for proposal in toml_proposals(PROBLEM_FIELDS, *split_mark('id = "a"\n|'))[1]}


def test_every_field_says_what_it_means_and_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "pack-format.md").read_text()
    pending_tables: list[tuple[FileFields, tuple[str, ...]]] = [(PACK_FIELDS, ()), (PROBLEM_FIELDS, ())]
    field_count = 0
    while pending_tables:
        file_fields, table = pending_tables.pop()
        for field in table_fields(file_fields, table):
            assert field.description
            assert field.name in page, (table, field.name)
            field_count += 1
            if field.is_table:
                pending_tables.append((file_fields, (*table, field.name)))
    assert field_count > 40


def test_the_field_under_the_mouse_is_explained_with_its_values() -> None:
    text, offset = split_mark('[question]\nfor|mat = "assertion"\n')
    hover = toml_hover(PROBLEM_FIELDS, text, offset)
    assert hover is not None
    span, explanation = hover
    assert text[span.start : span.end] == "format"
    assert '`"multiple-choice"`' in explanation
    assert toml_hover(PROBLEM_FIELDS, *split_mark("nothing| = 1")) is None
    assert toml_hover(PACK_FIELDS, *split_mark("ver|sion = 1")) is not None


@pytest.mark.parametrize("folder", sorted(file.parent for file in STARTER.glob("*/problem.toml")), ids=lambda f: f.name)
def test_nothing_is_wrong_with_the_starter_pack(folder: Path) -> None:
    assert remarks_on_problem(ProblemFolder(folder, {})) == []


def test_nothing_is_wrong_with_new_problems(tmp_path: Path) -> None:
    for form in FORMS.values():
        assert remarks_on_problem(ProblemFolder(write_new_problem(tmp_path / "p", form.value, form), {})) == []
    assert pack_remarks((tmp_path / "p" / "pack.toml").read_text(), tmp_path / "p") == []


Check = Callable[[Mapping[str, str | None]], Found]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """The remarks on a right problem after changes of its files: file, what it is at, message."""
    folder = write_new_problem(tmp_path / "p", "one", DesignForm.COCOTB)

    def check(changes: Mapping[str, str | None]) -> Found:
        for path, text in changes.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink() if text is None else file.write_text(text)
        folder_remarks = remarks_on_problem(ProblemFolder(folder, {}))
        texts = {remark.file: (folder / remark.file).read_text() for remark in folder_remarks}
        return [
            (remark.file, texts[remark.file][remark.span.start : remark.span.end], remark.message)
            for remark in folder_remarks
        ]

    return check


HEAD = 'id = "one"\nkind = "design"\ncategory = "cid003"\ndifficulty = "easy"\nexpected = ["rtl/one.sv"]\n'


@pytest.mark.parametrize(
    ("changes", "expected_text", "message"),
    [
        ({"problem.toml": HEAD + "wall = 1\n"}, "wall", "there is no such field"),
        ({"problem.toml": HEAD.replace('"easy"', '"soft"')}, '"soft"', "difficulty"),
        ({"problem.toml": HEAD + '[limits]\nwall_s = "5 s"\n'}, '"5 s"', "limits.wall_s"),
        ({"problem.toml": HEAD + '[[hints]]\ntext = "a"\n[[hints]]\ncost = 2\ntext = "b"\n'}, "2", "hints.1.cost"),
        ({"problem.toml": HEAD.replace('kind = "design"\n', "")}, 'id = "one"', "kind: is missing"),
        ({"problem.toml": HEAD + "limits = \n"}, "\n", "This is not TOML"),
        ({"problem.toml": HEAD.replace('"one"\n', '"two"\n')}, '"two"', "the folder is called 'one'"),
        ({"problem.toml": HEAD.replace("rtl/one.sv", "../one.sv")}, '"../one.sv"', "not a plain relative path"),
        (
            {"problem.toml": HEAD.replace('"]', '", "rtl/two.sv"]')},
            '"rtl/two.sv"',
            "The reference has no rtl/two.sv",
        ),
        ({"hidden/reference/rtl/more.sv": "module more; endmodule\n"}, "expected", "which is not expected here"),
        (
            {"hidden/harness/docker-compose.yml": None},
            '"design"',
            "has none of docker-compose.yml, testbench.json, verifier.sh",
        ),
        ({"hidden/harness/src/.env": "TOPLEVEL=other\n"}, '["rtl/one.sv"]', "tests the module other"),
        ({"hidden/harness/testbench.json": '{"testbench": ["tb.sv"]}'}, '["rtl/one.sv"]', "names tb.sv"),
        ({"hidden/harness/testbench.json": "["}, '"design"', "is not JSON"),
    ],
)
def test_what_does_not_fit_is_told_at_its_place(
    check: Check, changes: Mapping[str, str | None], expected_text: str, message: str
) -> None:
    ((file, at_text, remark_text),) = check(changes)
    assert file == "problem.toml"
    assert at_text == expected_text
    assert message in remark_text


def test_a_port_that_the_reference_does_not_have_is_told_in_the_statement(check: Check, tmp_path: Path) -> None:
    text = (tmp_path / "p" / "one" / "statement.md").read_text()
    ((file, at_text, message),) = check({"statement.md": text.replace("| `en` |", "| `enable` |")})
    assert (file, at_text) == ("statement.md", "enable")
    assert "has no port enable" in message


def test_two_tests_of_one_name_are_told(check: Check) -> None:
    path = "hidden/harness/src/test_more.py"
    text = (
        "import cocotb\n# é\n@cocotb.test()\nasync def counts(dut): ...\n@cocotb.test()\nasync def counts(dut): ...\n"
    )
    text += "def test_runner(): ...\ndef helper(): ...\ndef test_runner(): ...\ndef helper(): ...\n"
    assert [(file, at_text) for file, at_text, _ in check({path: text})] == [(path, "counts"), (path, "test_runner")]


def test_a_dont_care_that_is_no_port_of_the_reference_is_told(check: Check, tmp_path: Path) -> None:
    text = (tmp_path / "p" / "one" / "problem.toml").read_text()
    problem_text = f'{text}\n[dont_care]\nalways = ["level"]\nunless = {{ q = "ready" }}\n'
    remark_texts = [(at_text, message) for _, at_text, message in check({"problem.toml": problem_text})]
    assert remark_texts == [
        ('"level"', "The reference has no port level."),
        ('"ready"', "The reference has no port ready."),
    ]


def test_what_an_author_leaves_open_is_hidden_and_leaves_the_digest_of_others_alone(tmp_path: Path) -> None:
    folder = write_new_problem(tmp_path / "p", "one", DesignForm.COCOTB)
    first_problem = read_pack_folder(tmp_path / "p").problems[0]
    assert not first_problem.hidden.dont_cares
    file = folder / "problem.toml"
    file.write_text(f'{file.read_text()}\n[dont_care]\nunless = {{ q = "en" }}\n')
    second_problem = read_pack_folder(tmp_path / "p").problems[0]
    assert second_problem.hidden.dont_cares == DontCares(unless={"q": "en"})
    assert second_problem.public_digest == first_problem.public_digest
    assert second_problem.hidden.sha256 != first_problem.hidden.sha256


@pytest.mark.parametrize(
    "table", ['always = ["q[3]"]', 'always = ["q"]\nunless = { q = "en" }', 'unles = { q = "en" }']
)
def test_a_dont_care_of_another_form_is_refused(table: str, tmp_path: Path) -> None:
    file = write_new_problem(tmp_path / "p", "one", DesignForm.COCOTB) / "problem.toml"
    file.write_text(f"{file.read_text()}\n[dont_care]\n{table}\n")
    with pytest.raises(DatasetError, match="dont_care"):
        read_pack_folder(tmp_path / "p")


PARAMETRISED = """module one #(parameter WIDTH = 8, localparam HALF = WIDTH / 2) (
    input logic clk, rst, en, input logic [WIDTH-1:0] d, output logic [WIDTH-1:0] q
);
endmodule
"""


def test_a_parameter_of_a_proof_that_the_top_does_not_have_is_told(check: Check, tmp_path: Path) -> None:
    text = (tmp_path / "p" / "one" / "problem.toml").read_text()
    sets = "[{ WIDTH = 3 }, { WIDTH = 2, DEPTH = 4 }, { HALF = 1 }]"
    changes = {
        "problem.toml": f"{text}\n[proof]\nparameters = {sets}\n",
        "hidden/reference/rtl/one.sv": PARAMETRISED,
    }
    remark_texts = [(at_text, message) for _, at_text, message in check(changes) if "parameter" in message]
    assert remark_texts == [
        ("DEPTH", "The module one of the reference has no parameter DEPTH."),
        ("HALF", "The module one of the reference has no parameter HALF."),
    ]


def test_parameters_of_proofs_are_hidden_and_leave_the_digest_of_others_alone(tmp_path: Path) -> None:
    folder = write_new_problem(tmp_path / "p", "one", DesignForm.COCOTB)
    file = folder / "problem.toml"
    first_problem = read_pack_folder(tmp_path / "p").problems[0]
    assert first_problem.hidden.parameter_sets == ()
    spec = ProblemToml.model_validate(tomllib.loads(file.read_text()))
    assert first_problem.hidden.sha256 == digest(
        {
            "spec": spec.model_dump(
                mode="json",
                exclude={"hints", "dont_care", "proof", "published", "criterion", "tree", "editable", "tests"},
            ),
            "statement": first_problem.public.statement,
            "public": dict(first_problem.public.files),
            "harness": dict(first_problem.hidden.harness),
            "reference": dict(first_problem.hidden.reference),
        }
    )
    file.write_text(f"{file.read_text()}\n[proof]\nparameters = [{{ W = 3 }}, {{ W = 16, D = 8 }}]\n")
    second_problem = read_pack_folder(tmp_path / "p").problems[0]
    assert second_problem.hidden.parameter_sets == ({"W": 3}, {"W": 16, "D": 8})
    assert (second_problem.public_digest, second_problem.harness_digest) == (
        first_problem.public_digest,
        first_problem.harness_digest,
    )
    assert second_problem.hidden.sha256 != first_problem.hidden.sha256


@pytest.mark.parametrize(
    "sets",
    [
        "{ W = 3 }",
        "[3]",
        "[{}]",
        "[{ W = -1 }]",
        "[{ W = 2147483648 }]",
        "[{ W = 1.0 }]",
        "[{ W = true }]",
        '[{ W = "3" }]',
        '[{ "W[0]" = 3 }]',
        f"[{', '.join(f'{{ W = {number} }}' for number in range(9))}]",
    ],
)
def test_parameters_of_another_form_are_refused(sets: str, tmp_path: Path) -> None:
    file = write_new_problem(tmp_path / "p", "one", DesignForm.COCOTB) / "problem.toml"
    file.write_text(f"{file.read_text()}\n[proof]\nparameters = {sets}\n")
    with pytest.raises(DatasetError, match="proof"):
        read_pack_folder(tmp_path / "p")


def test_lines_that_every_cocotb_test_has_give_nothing_away(check: Check, tmp_path: Path) -> None:
    harness = "hidden/harness/src/test_more.py"
    lines = (
        "from cocotb.triggers import FallingEdge\n# SPDX-License-Identifier: Apache-2.0\nawait FallingEdge(dut.clk)\n"
    )
    assert check({harness: lines, "public/tests/test_one.py": lines}) == []


def test_hidden_text_in_the_public_part_is_told(check: Check, tmp_path: Path) -> None:
    hidden_folder = tmp_path / "p" / "one" / "hidden"
    statement = (tmp_path / "p" / "one" / "statement.md").read_text()
    line = next(
        source_line
        for source_line in (hidden_folder / "reference/rtl/one.sv").read_text().splitlines()
        if "always_ff" in source_line
    )
    test = next(
        source_line
        for source_line in (hidden_folder / "harness/src/test_one.py").read_text().splitlines()
        if "random_op" in source_line
    )
    remark_rows = check({"statement.md": f"{statement}\n```\n{line}\n```\n", "public/notes.txt": f"see\n{test}\n"})
    assert [(file, message.partition(".")[0]) for file, _, message in remark_rows] == [
        ("statement.md", "This line is in the hidden reference too"),
        ("problem.toml", "public/notes"),
    ]
    assert remark_rows[0][1] == line


def test_a_statement_without_a_title_and_a_picture_that_is_none_are_told(tmp_path: Path) -> None:
    folder = write_new_problem(tmp_path / "p", "one", QuestionFormat.ASSERTION)
    (folder / "statement.md").write_text("No title\n")
    assert "has to be the title" in remarks_on_problem(ProblemFolder(folder, {}))[0].message
    (folder / "statement.md").write_text("# Title\n\n![A chart](figures/a.png)\n")
    (folder / "figures").mkdir()
    (folder / "figures" / "a.png").write_text("no picture")
    ((remark),) = remarks_on_problem(ProblemFolder(folder, {}))
    assert "figures/a.png" in remark.message


def test_what_is_in_the_editor_counts_and_not_what_is_on_disk(tmp_path: Path) -> None:
    folder = write_new_problem(tmp_path / "p", "one", DesignForm.COCOTB)
    (folder / "problem.toml").write_text("kind =")
    assert remarks_on_problem(ProblemFolder(folder, {}))
    assert remarks_on_problem(ProblemFolder(folder, {"one/problem.toml": HEAD})) == []


def test_a_pack_that_names_no_problem_or_one_twice_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    write_new_problem(folder, "one", QuestionFormat.ASSERTION)
    text = (folder / "pack.toml").read_text().replace('"one",', '"one", "one", "two", "../one",')
    remarks = pack_remarks(text, folder)
    assert [text[remark.span.start : remark.span.end] for remark in remarks] == ['"one"', '"two"', '"../one"']


def test_a_problem_that_its_pack_does_not_name_is_told(tmp_path: Path) -> None:
    folder = write_new_problem(tmp_path / "p", "one", QuestionFormat.ASSERTION)
    write_new_problem(tmp_path / "p", "two", QuestionFormat.ASSERTION)
    file = tmp_path / "p" / "pack.toml"
    file.write_text(file.read_text().replace('"one",', ""))
    (remark,) = remarks_on_problem(ProblemFolder(folder, {}))
    assert "does not name this problem" in remark.message


@pytest.mark.parametrize("text", ["", "=", "[[", "[a", "a = {", "\0", "a." * 2000, '"""' * 99, "ä = ö"])
def test_any_text_gets_remarks_and_no_exception(text: str, tmp_path: Path) -> None:
    folder = write_new_problem(tmp_path / "p", "one", DesignForm.COCOTB)
    assert remarks_on_problem(ProblemFolder(folder, {"one/problem.toml": text}))
    for offset in range(min(len(text), 50) + 1):
        toml_proposals(PROBLEM_FIELDS, text, offset)
        toml_hover(PROBLEM_FIELDS, text, offset)
