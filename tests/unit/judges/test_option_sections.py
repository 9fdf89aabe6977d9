"""Text below the heading of a choice is said of that choice."""

from __future__ import annotations

import pytest

from benchwright_judges.reading.choice_answers import read_choice

CHOICES = {
    "A": "Polling",
    "B": "Interrupts",
    "C": "Direct memory access (DMA)",
    "D": "Programmed transfer",
}


@pytest.mark.parametrize(
    "text",
    [
        "## Option A\nThe processor waits.\n\n## Option C\nBlocks move alone. This is the right choice.\n\n## Option D",
        "**A.** The processor waits.\n**B.** One word each.\n**C.** Whole blocks, so this is the answer.\n**D.** No.",
        "### A\nDer Prozessor wartet.\n\n### B\nJe Wort.\n\n### C\nDies ist somit die gesuchte Option.\n\n### D\n–",
        "A. Attente active.\nB. Mot par mot.\nC. Par blocs : c'est la bonne réponse.\nD. Non.",
        "A. 需要等待。\nB. 每次一个字。\nC. 成块传送，这就是正确答案。\nD. 不适合。",
    ],
)
def test_the_section_that_says_it_is_the_answer_is_read(text: str) -> None:
    assert read_choice(text, CHOICES).value == "C"


@pytest.mark.parametrize(
    "text",
    [
        "### A\nIs this the answer?\n\n### B\nPerhaps.\n\n### C\nPerhaps.\n\n### D\nPerhaps.",
        "### A\nThis is not the right choice.\n\n### B\nOne word at a time.\n\n### C\nBlocks.\n\n### D\nWords.",
        "### A\nThis is the right choice.\n\n### B\nOne word.\n\n### C\nThis is the right choice.\n\n### D\nWords.",
        "### A\nIf nothing else runs, this is the answer.\n\n### B\nWords.\n\n### C\nBlocks.\n\n### D\nWords.",
    ],
)
def test_a_section_that_denies_asks_or_competes_is_not(text: str) -> None:
    assert read_choice(text, CHOICES).value is None


def test_a_statement_of_the_answer_counts_more() -> None:
    text = "### A\nThis is the right choice for slow devices.\n\n### B\nWords.\n\n### C\nBlocks.\n\nThe answer is C."
    assert read_choice(text, CHOICES).value == "C"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is DMA.", "C"),
        ("It is direct memory access.", "C"),
        ("A device that does DMA needs a bus grant.", None),
        ("So presumably B (a poll would waste cycles).", "B"),
        ("So B (or C for a whole block).", None),
        ("The only one left over is D.", "D"),
        ("An interrupt is raised for each word, which is exactly what B says.", "B"),
        ("Folglich trifft D zu.", "D"),
        ("Daher ist C zutreffend.", "C"),
        ("C trifft nicht zu.", None),
        ("So A gets my vote.", "A"),
        ("Whole blocks: direct memory access → option C", "C"),
        ("Word by word, the last one excepted. Option B, then.", "B"),
        ("A bus cycle for each word, just as D says.", "D"),
        ("As D says, the processor waits, but that is slow.", None),
        ("What counts for blocks is what C mentions.", "C"),
        ("I don't see what D mentions.", None),
        ("That makes C the most suitable way.", "C"),
        ("B is the most common of them, so I'd pick it.", "B"),
        ("That makes C the most expensive way.", None),
        ("The question is what C mentions.", None),
        ("B is the usual choice for keyboards.", None),
        ("I think C (the language) has no interrupts.", None),
        ("整块传送最快，选择 C 选项。", "C"),
        ("Daher ist B die gesuchte Lösung.", "B"),
        ("Il s'agit donc de la D.", "D"),
        ("Wahrscheinlich C: ganze Blöcke.", "C"),
        ('Thus "interrupts" is the correct term.', "B"),
        ("B. Then again, C would move blocks, and then again A is simple.", None),
    ],
)
def test_other_ways_to_settle_on_a_choice(text: str, letter: str | None) -> None:
    assert read_choice(text, CHOICES).value == letter
