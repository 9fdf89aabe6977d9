"""Questions that ask for the wrong choice: calling one wrong is an answer."""

from __future__ import annotations

import pytest

from benchwright_judges.reading.choice_answers import read_choice

CHOICES = {
    "A": "A process is scheduled by the operating system.",
    "B": "A thread owns an address space of its own.",
    "C": "A process can have several threads.",
    "D": "Threads of a process share its files.",
}
ASKS_WRONG = "Which of the following statements about processes and threads is incorrect?"
ASKS_RIGHT = "Which of the following statements about processes and threads is correct?"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Threads share the address space. Therefore, the incorrect statement is B.", "B"),
        ("A, C and D hold.\n\nThe incorrect statement is **B**. Threads of a process share its memory.", "B"),
        ("### A\nCorrect ✔️\n\n### B\nThey share it. ❌\n\nSo the wrong option is **(B)**.", "B"),
        ("The address space belongs to the process. So the statement B is incorrect.", "B"),
        ("Die falsche Aussage ist B.", "B"),
        ("L'affirmation incorrecte est la B.", "B"),
        ("线程共享进程的地址空间，所以不正确的说法是B。", "B"),
        ("It is not clear to me whether the incorrect statement is B.", None),
        ("Option B is incorrect: threads share the address space of their process.", "B"),
        ("Threads share it.\n\n**Option B** is false.", "B"),
        ("Option A is incorrect. Option B is incorrect.", None),
        ("Option B is incorrect. But so may others be, I would have to check all of them. I can't.", None),
        ("Is the incorrect statement B?", None),
        ("An address space belongs to the process, thus (B) is the false statement.", "B"),
        ("So B is the claim that is wrong.", "B"),
        ("A thread only has a stack of its own, which is why B is the least accurate.", "B"),
        ("I don't think B is the false statement.", None),
        ("B is not right and is therefore the answer.", "B"),
        ("### A\nYes.\n\n### B\nIt is shared. That's the wrong one.\n\n### C\nYes.\n\n### D\nYes.", "B"),
        ("### A\nIs this the wrong one?\n\n### B\nThis isn't the wrong one.\n\n### C\nFine.\n\n### D\nFine.", None),
        ("The incorrect statement is B, or the incorrect statement is C.", None),
    ],
)
def test_the_choice_that_is_called_wrong_is_read(text: str, letter: str | None) -> None:
    assert read_choice(text, CHOICES, statement=ASKS_WRONG).value == letter


def test_where_the_question_asks_for_what_is_right_it_is_a_denial() -> None:
    text = "Threads share the address space. Therefore, the incorrect statement is B."
    assert read_choice(text, CHOICES, statement=ASKS_RIGHT).value is None


def test_a_statement_of_the_answer_counts_more() -> None:
    text = "The incorrect statement is B. The answer is C."
    assert read_choice(text, CHOICES, statement=ASKS_WRONG).value == "C"
