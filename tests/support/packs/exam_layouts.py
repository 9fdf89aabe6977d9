"""Exams drawn by a seed, laid out by ReportLab or Typst or printed by Chromium, with what each asks.

`python -m tests.support.packs.exam_layouts ENGINE FIRST LAST` prints what is found of the exams with these
seeds, with `zh` after them of Chinese ones.
"""

from __future__ import annotations

import html
import io
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from reportlab.graphics.shapes import Drawing, Rect, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph

from benchwright_exams.inside.drawings import drawings_and_speck_count
from benchwright_exams.inside.shown_text import shown_and_hidden_words
from benchwright_exams.items import ExamItem, items_of_ledger
from benchwright_exams.model.lines import text_without_spaces_and_hyphens
from benchwright_exams.reading.page import ReadExam, ReadPage
from benchwright_exams.reading.reading import read_exam
from benchwright_exams.structure.structure import structure_by_rules

from .exam_papers import scan

_HEADINGS = {"en": ("Question", "Problem"), "de": ("Aufgabe", "Frage"), "fr": ("Exercice", "Question")}
_WORDS = {
    "en": [
        "the",
        "register",
        "holds",
        "a",
        "value",
        "while",
        "its",
        "clock",
        "input",
        "rises",
        "and",
        "every",
        "carry",
        "of",
        "an",
        "adder",
        "reaches",
        "next",
        "stage",
    ],
    "de": [
        "das",
        "Register",
        "hält",
        "einen",
        "Wert",
        "während",
        "der",
        "Takt",
        "steigt",
        "und",
        "jeder",
        "Übertrag",
        "des",
        "Addierers",
        "die",
        "Stufe",
        "erreicht",
    ],
    "fr": [
        "le",
        "registre",
        "garde",
        "une",
        "valeur",
        "quand",
        "son",
        "horloge",
        "monte",
        "et",
        "chaque",
        "retenue",
        "atteint",
        "la",
        "porte",
        "à",
        "l’étage",
        "suivant",
    ],
}
_HAN = "寄存器在时钟上升沿更新数据而组合逻辑电路没有状态加法器进位传递到下一级存储单元保持数值"
_HAN_CHOICES = ("与门", "或门", "非门", "异或门", "锁存器", "两个触发器", "128 位", "1.5 ns")
_HAN_NUMBERS = ("{n}、", "{n}\uff0e", "第{n}题 ", "（{n}）", "问题 {n}：")
_HAN_LETTERS = ("A\uff0e lines", "A、 lines", "（A） lines", "A\uff0e row", "（A） row", "")
_POINTS = {"zh": "分", "en": "points", "de": "Punkte", "fr": "points"}
_TITLES = {
    "zh": "数字逻辑 测验",
    "en": "Digital Design, Quiz",
    "de": "Digitaltechnik, Klausur",
    "fr": "Conception numérique, contrôle",
}
_CHOICE_TEXTS = ("OR", "AND", "NAND", "XOR", "a latch", "two flip-flops", "128", "0x7F", "1.5 ns", "VDD", "a NOR gate")

NUMBERS = ("{n}.", "{n})", "heading", "heading:", "({n})", "[{n}]", "{n}:")
CHOICES = ("", "A. lines", "A) lines", "(a) lines", "a) lines", "a) row", "(A) row", "a. row", "a) grid", "(A) grid")


@dataclass(frozen=True)
class DrawnQuestion:
    """One question of a generated exam."""

    number: int
    stem: str
    choices: tuple[str, ...] = ()
    figure: str = ""
    """The word inside its figure; empty if it has none."""
    points: int = 0


@dataclass(frozen=True)
class DrawnExam:
    """A generated exam: its questions, and how they are laid out."""

    seed: int
    questions: tuple[DrawnQuestion, ...]
    columns: int
    gap_points: float
    numbers: str
    choices: str
    language: str
    letter_points: float = 10.0
    justified: bool = False
    spaces: int = 4
    """Between choices in a row."""

    @property
    def title(self) -> str:
        """The line above the first question."""
        return f"{_TITLES[self.language]} {self.seed}"

    def label_of(self, number: int) -> str:
        """The number of a question as it is printed."""
        if self.numbers.startswith("heading") and self.language != "zh":
            return f"{_HEADINGS[self.language][self.seed % 2]} {number}{self.numbers[7:]}"
        return self.numbers.format(n=number)

    def choice_rows(self, question: DrawnQuestion) -> list[list[str]]:
        """The choices of a question with their letters, as they stand in rows."""
        if not question.choices:
            return []
        label, form = self.choices.split()
        letters = "abcdefgh" if "a" in label else "ABCDEFGH"
        space = "" if self.language == "zh" else " "
        cells = [
            f"{label.replace('a', letter).replace('A', letter)}{space}{text}"
            for letter, text in zip(letters, question.choices, strict=False)
        ]
        width = {"lines": 1, "row": len(cells), "grid": 2}[form]
        return [cells[start : start + width] for start in range(0, len(cells), width)]


def drawn_exam(seed: int) -> DrawnExam:
    """The exam of a seed."""
    dice = random.Random(seed)
    language = dice.choice(sorted(_WORDS))
    choices = dice.choice(CHOICES)
    choice_count = dice.choice((3, 4, 5))
    has_points = dice.random() < 0.5
    questions = []
    for number in range(1, dice.randint(4, 9) + 1):
        words = [dice.choice(_WORDS[language]) for _ in range(dice.randint(5, 28))]
        words.insert(dice.randrange(len(words)), f"q{number}x{dice.randrange(1000)}")
        has_figure = dice.random() < 0.2
        points = dice.randint(1, 9) if has_points else 0
        stem = " ".join(words)
        questions.append(
            DrawnQuestion(
                number,
                f"{stem[0].upper()}{stem[1:]}{dice.choice('?.')}",
                tuple(dice.sample(_CHOICE_TEXTS, choice_count)) if choices else (),
                f"U{number}" if has_figure else "",
                points,
            )
        )
    return DrawnExam(
        seed,
        tuple(questions),
        dice.choice((1, 2, 2, 3)),
        dice.choice((10.0, 11.0, 12.0, 14.0, 16.0, 18.0, 24.0)),
        dice.choice(NUMBERS[:4] if dice.random() < 0.8 else NUMBERS[4:]),
        choices,
        language,
        dice.choice((9.0, 10.0, 11.0)),
        dice.random() < 0.4,
        dice.randint(2, 6),
    )


def drawn_chinese_exam(seed: int) -> DrawnExam:
    """The Chinese exam of a seed: signs of full width, no spaces between words."""
    dice = random.Random(seed)
    choices = dice.choice(_HAN_LETTERS)
    has_points = dice.random() < 0.5
    questions = []
    for number in range(1, dice.randint(4, 9) + 1):
        begin = dice.randrange(len(_HAN) - 20)
        stem = f"{_HAN[begin : begin + dice.randint(8, 20)]} q{number}x{dice.randrange(1000)} {dice.choice('？。')}"
        picked = tuple(dice.sample(_HAN_CHOICES, 4)) if choices else ()
        figure = f"U{number}" if dice.random() < 0.2 else ""
        questions.append(DrawnQuestion(number, stem, picked, figure, dice.randint(1, 9) if has_points else 0))
    columns, gap = dice.choice((1, 2, 2, 3)), dice.choice((10.0, 12.0, 16.0, 24.0))
    numbers = dice.choice(_HAN_NUMBERS)
    return DrawnExam(seed, tuple(questions), columns, gap, numbers, choices, "zh", dice.choice((9.0, 10.0, 11.0)))


def by_reportlab(exam: DrawnExam) -> bytes:
    """The exam laid out by ReportLab."""
    body = ParagraphStyle(
        "body",
        fontName=_han_font_name() if exam.language == "zh" else "Times-Roman",
        wordWrap="CJK" if exam.language == "zh" else None,
        fontSize=exam.letter_points,
        leading=1.22 * exam.letter_points,
        alignment=4 if exam.justified else 0,
        spaceAfter=3,
    )
    story: list[Flowable] = [Paragraph(exam.title, body)]
    for question in exam.questions:
        points = f" [{question.points} {_POINTS[exam.language]}]" if question.points else ""
        story.append(Paragraph(html.escape(f"{exam.label_of(question.number)} {question.stem}{points}"), body))
        if question.figure:
            drawing = Drawing(100, 44)
            drawing.add(Rect(10, 4, 70, 36, fillColor=None, strokeColor=colors.black))
            drawing.add(String(36, 18, question.figure, fontSize=9))
            story.append(drawing)
        gap = "&nbsp;" * exam.spaces
        story += [
            Paragraph(f"{gap} ".join(html.escape(cell) for cell in row), body) for row in exam.choice_rows(question)
        ]
    file = io.BytesIO()
    width, height = A4
    column = (width - 112 - exam.gap_points * (exam.columns - 1)) / exam.columns
    bottom = height - 112 - (0 if exam.columns == 1 else 460)
    frames = [
        Frame(56 + index * (column + exam.gap_points), height - 56 - bottom, column, bottom, 0, 0, 0, 0, id=str(index))
        for index in range(exam.columns)
    ]
    document = BaseDocTemplate(file, pagesize=A4, invariant=1)
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build(story)
    return file.getvalue()


def han_font_or_skip() -> Path:
    """A font with Chinese letters; skips the test where there is none."""
    fonts = sorted(Path("/usr/share/fonts").rglob("wqy-microhei.ttc"))
    if not fonts:
        pytest.skip("needs a font with Chinese letters (apt-get install fonts-wqy-microhei)")
    return fonts[0]


def _han_font_name() -> str:
    pdfmetrics.registerFont(TTFont("han", str(han_font_or_skip())))
    return "han"


def _exam_html(exam: DrawnExam) -> str:
    blocks = []
    for question in exam.questions:
        points = f" [{question.points} {_POINTS[exam.language]}]" if question.points else ""
        blocks.append(f"<p>{html.escape(f'{exam.label_of(question.number)} {question.stem}{points}')}</p>")
        if question.figure:
            blocks.append(
                '<svg width="130" height="60"><rect x="14" y="6" width="94" height="48" fill="none" stroke="black"/>'
                f'<text x="50" y="34" font-size="12">{question.figure}</text></svg>'
            )
        rows = exam.choice_rows(question)
        if rows and len(rows[0]) == 2 and "grid" in exam.choices:
            cells = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
            blocks.append(f'<table style="width:100%">{cells}</table>')
        else:
            gap = "&nbsp;" * exam.spaces
            blocks += [f"<p>{f'{gap} '.join(html.escape(cell) for cell in row)}</p>" for row in rows]
    style = (
        f"columns: {exam.columns}; column-gap: {exam.gap_points}pt; font: {exam.letter_points}pt/1.25 serif;"
        f" text-align: {'justify' if exam.justified else 'left'}"
    )
    text = f'<h3>{exam.title}</h3><div style="{style}">{"".join(blocks)}</div>'
    return f'<section style="break-before: page">{text}</section>'


def chromium_or_skip() -> str:
    """The browser that prints; skips the test where there is none."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs Chromium (apt-get install chromium)")
    return browser


def by_chromium(exams: Sequence[DrawnExam]) -> list[bytes]:
    """The exams printed by a browser, in one go."""
    import pypdfium2

    css = "@page { size: A4; margin: 56pt } p { margin: 0 0 3pt } h3 { margin: 0 0 4pt } svg { display: block }"
    sections = "".join(_exam_html(exam) for exam in exams)
    with tempfile.TemporaryDirectory() as folder:
        page, pdf = Path(folder) / "exams.html", Path(folder) / "exams.pdf"
        page.write_text(f'<meta charset="utf-8"><style>{css}</style>{sections}', encoding="utf-8")
        arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
        ]
        subprocess.run(
            [chromium_or_skip(), *arguments, f"--print-to-pdf={pdf}", page.as_uri()],
            check=True,
            capture_output=True,
            timeout=120,
        )
        whole = pypdfium2.PdfDocument(pdf.read_bytes())
    texts = [page.get_textpage().get_text_range() for page in whole]
    first_pages = [
        next(number for number, text in enumerate(texts) if exam.title in text.splitlines()) for exam in exams
    ]
    printed = []
    for first, after in zip(first_pages, [*first_pages[1:], len(texts)], strict=True):
        single = pypdfium2.PdfDocument.new()
        single.import_pages(whole, list(range(first, after)))
        file = io.BytesIO()
        single.save(file)
        printed.append(file.getvalue())
    return printed


def by_typst(exam: DrawnExam) -> bytes:
    """The exam typeset by Typst."""
    import typst

    font = ', font: "WenQuanYi Micro Hei"' if exam.language == "zh" else ""
    source = [
        f'#set page(paper: "a4", margin: 56pt, columns: {exam.columns})',
        f"#set columns(gutter: {exam.gap_points}pt)",
        f"#set text(size: {exam.letter_points}pt{font})",
        f"#set par(justify: {str(exam.justified).lower()}, spacing: 0.9em)",
        _typst_text(exam.title),
    ]
    for question in exam.questions:
        points = f" [{question.points} {_POINTS[exam.language]}]" if question.points else ""
        source.append(_typst_text(f"{exam.label_of(question.number)} {question.stem}{points}"))
        if question.figure:
            word = _typst_text(question.figure)
            source.append(f"#rect(width: 70pt, height: 36pt, align(center + horizon, [{word}]))")
        rows = exam.choice_rows(question)
        if "grid" in exam.choices and rows:
            cells = ", ".join(f"[{_typst_text(cell)}]" for row in rows for cell in row)
            source.append(f"#grid(columns: (1fr, 1fr), row-gutter: 0.6em, {cells})")
        else:
            gap = "\u00a0" * exam.spaces
            source += [_typst_text(f"{gap} ".join(row)) for row in rows]
    fonts = [str(han_font_or_skip().parent)] if exam.language == "zh" else []
    content: bytes = typst.compile("\n\n".join(source).encode(), font_paths=fonts)  # type: ignore[misc]
    return content


def _typst_text(plain_text: str) -> str:
    """A text in which nothing is markup."""
    quoted = plain_text.replace("\\", "\\\\").replace('"', '\\"')
    return f'#text("{quoted}")'


@dataclass(frozen=True)
class FoundExam:
    """A generated exam and what was found of it."""

    exam: DrawnExam
    right: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    """Questions that are not right, and that a finding names."""
    lost: tuple[int, ...] = ()
    """Questions that are not right, and that no finding names."""
    findings: tuple[str, ...] = field(default=())


def _is_right(item: ExamItem | None, question: DrawnQuestion) -> bool:
    if item is None:
        return False
    body = " ".join(block.text for block in item.body if not block.region)
    figures = [block.text for block in (*item.context, *item.body) if block.region]
    return (
        text_without_spaces_and_hyphens(body) == text_without_spaces_and_hyphens(question.stem)
        and tuple(map(text_without_spaces_and_hyphens, item.choices.values()))
        == tuple(map(text_without_spaces_and_hyphens, question.choices))
        and figures == ([question.figure] if question.figure else [])
        and (item.points or 0) == question.points
    )


def read_pages(pdf: bytes) -> ReadExam:
    """The pages as the reader's process reads them, in this process."""
    import pypdfium2

    pages = []
    for number, page in enumerate(pypdfium2.PdfDocument(pdf), 1):
        width, height = page.get_size()
        picture = page.render(scale=2).to_pil().convert("L")
        words, hidden = shown_and_hidden_words(page, picture, 2)
        drawings, specks = drawings_and_speck_count(picture, words, 2)
        pages.append(
            ReadPage(
                number=number,
                width=width,
                height=height,
                words=tuple(words),
                hidden=tuple(hidden),
                drawings=tuple(drawings),
                specks=specks,
            )
        )
    return ReadExam(made_from="", file="exam.pdf", sha256="", pages=tuple(pages))


def read_scan(pdf: bytes, folder: Path, *, dpi: int, seed: int, language: str) -> ReadExam:
    """The pages of a scan, as the command reads them."""
    file = folder / f"scan-{dpi}-{seed}.pdf"
    file.write_bytes(scan(pdf, dpi=dpi, seed=seed))
    return read_exam(file, folder / file.stem, language=language)


def find(drawn_exam: DrawnExam, read_exam: ReadExam) -> FoundExam:
    """Find the questions of an exam by rules, and compare."""
    ledger = structure_by_rules(read_exam)
    exam_items = items_of_ledger(ledger)
    items = {item.label: item for item in exam_items.items}
    findings = (*ledger.findings, *exam_items.findings)
    right = {
        question.number for question in drawn_exam.questions if _is_right(items.get(str(question.number)), question)
    }
    is_all_named = any("No question was found" in finding.says for finding in findings)
    missing_are_named = any("questions may be missing" in finding.says for finding in findings)
    named = {
        question.number
        for question in drawn_exam.questions
        if is_all_named
        or (missing_are_named and str(question.number) not in items)
        or any(finding.item.rstrip("abcdefgh") == str(question.number) for finding in findings)
    }
    for question in drawn_exam.questions:
        token = next(word for word in question.stem.split() if word.casefold().startswith(f"q{question.number}x"))
        pages = {region.page for region in ledger.regions if token[1:] in region.text}
        if any(
            finding.page in pages
            and (
                "columns" in finding.says
                or ("belongs to no question" in finding.says and (question.figure or finding.says.startswith("“")))
            )
            for finding in findings
        ):
            named.add(question.number)
    all_numbers = {question.number for question in drawn_exam.questions}
    return FoundExam(
        drawn_exam,
        tuple(sorted(right)),
        tuple(sorted(named - right)),
        tuple(sorted(all_numbers - right - named)),
        tuple(f"{finding.item or finding.page}: {finding.says}" for finding in findings),
    )


def main(engine_name: str, first_seed: int, last_seed: int, language: str = "") -> None:
    """Print what is found of the exams of some seeds."""
    exams = [
        drawn_chinese_exam(seed) if language == "zh" else drawn_exam(seed) for seed in range(first_seed, last_seed)
    ]
    lay_out = by_typst if engine_name == "typst" else by_reportlab
    pdfs = by_chromium(exams) if engine_name == "chromium" else [lay_out(exam) for exam in exams]
    found_exams = [find(exam, read_pages(pdf)) for exam, pdf in zip(exams, pdfs, strict=True)]
    for found_exam in found_exams:
        if found_exam.named or found_exam.lost:
            exam = found_exam.exam
            print(
                f"{exam.seed}: {exam.columns} columns, {exam.gap_points:g} points, {exam.numbers} {exam.choices}",
                f"right {found_exam.right}, named {found_exam.named}, lost {found_exam.lost}",
                *found_exam.findings[:6],
                sep="\n    ",
            )
    counts = [
        sum(len(numbers) for numbers in group)
        for group in zip(
            *((found_exam.right, found_exam.named, found_exam.lost) for found_exam in found_exams), strict=True
        )
    ]
    print("right, named, lost:", *counts)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
