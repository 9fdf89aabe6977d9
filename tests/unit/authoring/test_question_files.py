"""Questions to learning platforms and back: nothing is lost without being named."""

from __future__ import annotations

import base64
import io
import random
import zipfile
from pathlib import Path

import pytest

from benchwright_authoring.question_files.file_format import QuestionFileFormat
from benchwright_authoring.question_files.question_files import (
    format_of_file,
    pack_and_losses_of_file,
    question_file_and_losses,
)
from benchwright_authoring.question_files.question_parts import QuestionFileError, losses_after_reading_back
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Figure,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
    Skill,
)

MOODLE, GIFT, QTI = QuestionFileFormat.MOODLE, QuestionFileFormat.GIFT, QuestionFileFormat.QTI
SUFFIXES = {MOODLE: "xml", GIFT: "gift", QTI: "zip"}
PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
        "0000000049454e44ae426082"
    )
).decode()
PROVENANCE = Provenance(source="here", license="CC0-1.0", version="1")


def question_problem(
    name: str, style: QuestionFormat, key: str, *, statement: str = "Which gate is it?", **question_fields: object
) -> Problem:
    has_choices = style in (QuestionFormat.MULTIPLE_CHOICE, QuestionFormat.MULTIPLE_RESPONSE)
    choice_texts = question_fields.pop("choices", ("NAND", "a = b", "*either*")) if has_choices else ()
    assert isinstance(choice_texts, tuple)
    question_figures = question_fields.pop("figures", ())
    labels = {"domain": "Logic", "topic": "Gates: basics", "skill": Skill.ANALYZE, "language": "de"}
    closed = style not in (QuestionFormat.OPEN_ENDED, QuestionFormat.FREE_RESPONSE)
    return Problem.model_validate(
        {
            "id": name,
            "kind": ProblemKind.QUESTION,
            "title": f"About {name}",
            "difficulty": Difficulty.HARD,
            "provenance": PROVENANCE,
            "public": Public(
                statement=statement,
                figures=question_figures,
                question=Question(
                    format=style,
                    choices=tuple(
                        Choice(letter="ABCDEFGH"[place], text=text) for place, text in enumerate(choice_texts)
                    ),
                    **labels,
                ),
            ),
            "hidden": Hidden(answer=Answer(value=key, closed=closed, **question_fields)),
        }
    )


def problems_of_every_format() -> list[Problem]:
    return [
        question_problem("choice", QuestionFormat.MULTIPLE_CHOICE, "B", explanation="Because `a` is {b} ~ #1: 50 %."),
        question_problem("response", QuestionFormat.MULTIPLE_RESPONSE, "AC", statement="Two of\n\n- these\n- those\n"),
        question_problem("truth", QuestionFormat.ASSERTION, "false", explanation="No."),
        question_problem("blank", QuestionFormat.FILL_IN_THE_BLANK, "program counter", alternatives=("PC", "a=b")),
        question_problem("open", QuestionFormat.OPEN_ENDED, "A **model** answer.\n\nTwo paragraphs."),
        question_problem("free", QuestionFormat.FREE_RESPONSE, "It is `x < y & z`."),
    ]


def read_back(problems: list[Problem], file_format: QuestionFileFormat, folder: Path) -> dict[str, Problem]:
    content, losses = question_file_and_losses(problems, file_format)
    assert losses == []
    file = folder / f"questions.{SUFFIXES[file_format]}"
    file.write_bytes(content)
    pack, losses = pack_and_losses_of_file(file, format_of_file(file), "again", "CC0-1.0")
    assert losses == []
    return {problem.id: problem for problem in pack.problems}


@pytest.mark.parametrize("file_format", [MOODLE, QTI])
def test_every_format_of_question_comes_back(tmp_path: Path, file_format: QuestionFileFormat) -> None:
    problems = problems_of_every_format()
    returned_problems = read_back(problems, file_format, tmp_path)
    assert list(returned_problems) == [problem.id for problem in problems]
    for problem in problems:
        assert list(losses_after_reading_back(problem, returned_problems[problem.id])) == []
        key, key_before = returned_problems[problem.id].hidden.answer, problem.hidden.answer
        assert key is not None and key_before is not None and key.alternatives == key_before.alternatives
        assert returned_problems[problem.id].public.question == problem.public.question or file_format is QTI


def test_gift_holds_what_a_rule_decides_and_names_answers_in_words(tmp_path: Path) -> None:
    returned_problems = read_back(problems_of_every_format()[:4], GIFT, tmp_path)
    assert returned_problems["choice"].public.question == problems_of_every_format()[0].public.question
    content, losses = question_file_and_losses(problems_of_every_format(), GIFT)
    assert [loss.question for loss in losses] == ["open", "free"]
    assert all("GIFT has no place for the model answer" in loss.lost for loss in losses)
    assert content.count(b"\n\n") == 3


@pytest.mark.parametrize("file_format", [MOODLE, GIFT])
def test_a_tolerance_is_absolute_in_the_file_and_relative_again(
    tmp_path: Path, file_format: QuestionFileFormat
) -> None:
    problem = question_problem("delay", QuestionFormat.FILL_IN_THE_BLANK, "-2.5", tolerance=0.1, unit="ns")
    returned_answer = read_back([problem], file_format, tmp_path)["delay"].hidden.answer
    assert returned_answer is not None and (returned_answer.value, returned_answer.unit) == ("-2.5", "ns")
    assert returned_answer.tolerance == pytest.approx(0.1)
    assert b"0.25" in (tmp_path / f"questions.{SUFFIXES[file_format]}").read_bytes()
    assert [str(loss) for loss in question_file_and_losses([problem], QTI)[1]] == ["delay: hidden.answer.tolerance"]


@pytest.mark.parametrize("file_format", [MOODLE, QTI])
def test_pictures_come_back_with_their_descriptions(tmp_path: Path, file_format: QuestionFileFormat) -> None:
    figure = Figure.model_validate(
        {"path": "figures/gate.png", "media_type": "image/png", "data": PIXEL, "alt": "a gate"}
    )
    problem = question_problem(
        "picture",
        QuestionFormat.MULTIPLE_CHOICE,
        "A",
        statement="See\n\n![a gate](figures/gate.png)\n",
        figures=(figure,),
    )
    assert read_back([problem], file_format, tmp_path)["picture"].public.figures == (figure,)
    assert {loss.lost.partition(".0")[0] for loss in question_file_and_losses([problem], GIFT)[1]} == {"public.figures"}


def test_what_a_file_does_not_hold_is_named() -> None:
    problem = question_problem("points", QuestionFormat.FREE_RESPONSE, "Yes.", rubric="One point for yes.")
    assert [str(loss) for loss in question_file_and_losses([problem], MOODLE)[1]] == ["points: hidden.answer.rubric"]
    design = problem.model_copy(update={"public": Public(statement="Write it.", expected=("a.sv",)), "id": "design"})
    (loss,) = question_file_and_losses([design], MOODLE)[1]
    assert "no question with a key" in loss.lost


_SIGNS = [
    "~",
    "=",
    "#",
    "{",
    "}",
    ":",
    "\\",
    "<b>",
    "&amp;",
    "`x`",
    "*",
    "_",
    "[a](b)",
    "####",
    "->",
    "//",
    "n",
    "%50%",
]


@pytest.mark.parametrize("file_format", [MOODLE, GIFT, QTI])
def test_texts_of_odd_signs_come_back_or_are_named(tmp_path: Path, file_format: QuestionFileFormat) -> None:
    dice = random.Random(4)

    def text() -> str:
        return "x " + " ".join(dice.choice([*_SIGNS, "gate", "ä", "寄存器"]) for _ in range(dice.randint(1, 7))) + " y"

    problems = [
        question_problem(
            f"q{number}", QuestionFormat.MULTIPLE_CHOICE, "C", statement=text(), choices=(text(), text(), text()),
            explanation=text(),
        )
        for number in range(40)
    ]  # fmt: skip
    content, losses = question_file_and_losses(problems, file_format)
    file = tmp_path / f"odd.{SUFFIXES[file_format]}"
    file.write_bytes(content)
    pack, _ = pack_and_losses_of_file(file, file_format, "odd", "CC0-1.0")
    returned_problems = {problem.id: problem for problem in pack.problems}
    unnamed = [
        loss
        for problem in problems
        for loss in losses_after_reading_back(problem, returned_problems.get(problem.id))
        if loss not in losses
    ]
    assert unnamed == []
    # Moodle's and GIFT's files hold Markdown as it is.
    assert file_format is QTI or losses == []


MOODLE_FILE = """<?xml version="1.0"?>
<quiz>
  <question type="category"><category><text>$course$/top/Caches</text></category></question>
  <question type="multichoice">
    <name><text>Lines</text></name>
    <questiontext format="html"><text><![CDATA[<p>How <b>many</b> lines?<script>x</script></p>]]></text></questiontext>
    <single>true</single><defaultgrade>2</defaultgrade><shuffleanswers>1</shuffleanswers>
    <answer fraction="100" format="html"><text>64</text><feedback><text>Right!</text></feedback></answer>
    <answer fraction="50" format="html"><text>63</text></answer>
    <answer fraction="0" format="html"><text>1</text></answer>
  </question>
  <question type="matching"><name><text>Pairs</text></name><questiontext format="html"><text>?</text></questiontext>
    <subquestion><text>a</text></subquestion></question>
  <question type="shortanswer">
    <name><text>Word</text></name><questiontext format="html"><text>Name it</text></questiontext><usecase>1</usecase>
    <answer fraction="100"><text>tag</text></answer><answer fraction="100"><text>label</text></answer>
  </question>
</quiz>
"""


def test_a_file_of_moodles_own_is_read_and_every_loss_is_named(tmp_path: Path) -> None:
    file = tmp_path / "quiz.xml"
    file.write_text(MOODLE_FILE)
    pack, losses = pack_and_losses_of_file(file, MOODLE, "quiz", "CC0-1.0")
    lines_problem, word_problem = pack.problems
    assert lines_problem.public.statement == "How **many** lines?"
    assert (
        lines_problem.public.question is not None
        and lines_problem.hidden.answer is not None
        and word_problem.hidden.answer is not None
    )
    assert ([choice.text for choice in lines_problem.public.question.choices], lines_problem.hidden.answer.value) == (
        ["64", "63", "1"],
        "A",
    )
    assert lines_problem.public.question.topic == "Caches"
    assert (word_problem.hidden.answer.value, word_problem.hidden.answer.alternatives) == ("tag", ("label",))
    assert [str(loss) for loss in losses] == [
        "question-2: <script> in a text",
        "question-2: <defaultgrade>: '2'",
        "question-2: feedback on one answer: 'Right!'",
        "question-2: 50 % for choice B",
        "question-3: <subquestion>: 'a'",
        "question-3: the whole question: questions of type 'matching' with such answers have no equivalent",
        "question-4: <usecase>: '1'",
    ]


GIFT_FILE = r"""// [id:grant] [tag:skill:recall] [tag:easy one]
::Who::Who is \{buried\} there?{=Grant ~no one#Sorry ~%50%Napoleon}

$CATEGORY: top/Numbers

What is 2 + 2 {#4:0} in total?

Grant is buried.{F}

Match {=a -> b =c -> d}

Write about it. {}
"""


def test_a_file_in_gift_is_read_and_every_loss_is_named(tmp_path: Path) -> None:
    file = tmp_path / "quiz.txt"
    file.write_text(GIFT_FILE)
    pack, losses = pack_and_losses_of_file(file, format_of_file(file), "quiz", "CC0-1.0")
    grant, number, buried = pack.problems
    assert (grant.id, grant.title, grant.public.statement) == ("grant", "Who", "Who is {buried} there?")
    assert grant.public.question is not None and grant.public.question.skill is Skill.RECALL
    assert grant.hidden.answer is not None and grant.hidden.answer.value == "A"
    assert number.hidden.answer is not None and number.hidden.answer.value == "4"
    assert number.public.statement == r"What is 2 \+ 2 \_\_\_\_ in total?"
    assert buried.hidden.answer is not None and buried.hidden.answer.value == "false"
    assert buried.public.question is not None and buried.public.question.topic == "Numbers"
    assert [str(loss) for loss in losses] == [
        "grant: tag 'easy one'",
        "grant: feedback on one answer: 'Sorry'",
        "grant: 50 % for choice C",
        "question-4: the whole question (line 10): matching questions have no equivalent",
        "question-4: the whole question (line 12): it has no key in the file",
    ]


def test_a_package_of_another_program_is_read(tmp_path: Path) -> None:
    item = """<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="x 1" title="T">
    <responseDeclaration identifier="R" cardinality="single" baseType="identifier">
    <correctResponse><value>c2</value></correctResponse></responseDeclaration>
    <itemBody><p>Before <img src="p/one.png" alt="one"/></p>
    <choiceInteraction responseIdentifier="R" maxChoices="1"><prompt>Which?</prompt>
    <simpleChoice identifier="c1">no</simpleChoice><simpleChoice identifier="c2"><p>yes</p></simpleChoice>
    </choiceInteraction></itemBody></assessmentItem>"""
    order = item.replace("choiceInteraction", "orderInteraction").replace("x 1", "x2")
    manifest = """<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1"><resources>
    <resource identifier="a" type="imsqti_item_xmlv2p1" href="q/a.xml"/>
    <resource identifier="b" type="imsqti_item_xmlv2p1" href="q/b.xml"/></resources></manifest>"""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("imsmanifest.xml", manifest)
        archive.writestr("q/a.xml", item)
        archive.writestr("q/b.xml", order)
        archive.writestr("q/p/one.png", base64.b64decode(PIXEL))
    file = tmp_path / "quiz.zip"
    file.write_bytes(buffer.getvalue())
    pack, losses = pack_and_losses_of_file(file, QTI, "quiz", "CC0-1.0")
    (problem,) = pack.problems
    assert problem.public.statement == "Before ![one](p/one.png)\n\nWhich?"
    assert problem.hidden.answer is not None and problem.hidden.answer.value == "B"
    assert [figure.path for figure in problem.public.figures] == ["p/one.png"]
    assert [loss.question for loss in losses] == ["x2"]
    assert "its interactions are orderInteraction" in losses[0].lost


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xml", b"<quiz>", "it is no XML"),
        ("a.xml", b"<html/>", "its root is <html>"),
        ("a.xml", b'<!DOCTYPE q [<!ENTITY e "x">]><quiz>&e;</quiz>', "it is no XML"),
        ("a.xml", b"<quiz/>", "has no question that can be taken"),
        ("a.gift", b"\xff\xfe", "it is not UTF-8"),
        ("a.gift", b"", "no question with an answer"),
        ("a.zip", b"PK", "no ZIP archive"),
    ],
)
def test_what_is_no_file_of_questions_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(QuestionFileError, match=message):
        pack_and_losses_of_file(file, format_of_file(file), "p", "CC0-1.0")
    with pytest.raises(QuestionFileError, match="give --format"):
        format_of_file(tmp_path / "questions.doc")


def test_a_blank_inside_a_sentence_stays_and_what_scorers_read_is_no_part_of_the_statement(tmp_path: Path) -> None:
    item = """<assessmentItem identifier="x" title="T"><responseDeclaration identifier="R">
    <correctResponse><value>tag</value></correctResponse></responseDeclaration>
    <itemBody><rubricBlock view="scorer"><p>Look for the tag.</p></rubricBlock>
    <p>The <textEntryInteraction responseIdentifier="R"/> is compared.</p></itemBody></assessmentItem>"""
    manifest = '<manifest><resources><resource type="imsqti_item_xmlv2p1" href="a.xml"/></resources></manifest>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("imsmanifest.xml", manifest)
        archive.writestr("a.xml", item)
        archive.writestr("notes.txt", "kept nowhere")
    file = tmp_path / "quiz.zip"
    file.write_bytes(buffer.getvalue())
    pack, losses = pack_and_losses_of_file(file, QTI, "quiz", "CC0-1.0")
    (problem,) = pack.problems
    assert problem.public.statement == r"The \_\_\_\_ is compared."
    assert [str(loss) for loss in losses] == ["x: <rubricBlock>: 'Look for the tag.'", "package: the file 'notes.txt'"]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.xml", b'<quiz><question type="essay"><answer fraction="x"/></question></quiz>', "a number in it is none"),
        ("a.gift", b"Which? {=a ~%.%b}", "a number in it is none"),
    ],
)
def test_a_share_that_is_no_number_loses_its_question_by_name(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(QuestionFileError, match=reason):
        pack_and_losses_of_file(file, format_of_file(file), "p", "CC0-1.0")
