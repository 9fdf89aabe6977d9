"""A corpus of replies that says of each what a person reads in it, made of phrasings × questions.

A third of the phrasings is held out, chosen by their digest; the free-form replies, written before the rules, are held
out whole. `python tests/unit/judges/reply_corpus.py` prints how many are read; of held-out replies the numbers only,
unless `--show-held-out` is given.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.reading.assertion_answers import read_truth
from benchwright_judges.reading.choice_answers import read_choice
from benchwright_judges.score import score
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

_HERE = Path(__file__).parent
_FREE_FORM = {
    "free": "free_form_replies.txt",
    "later": "free_form_replies_later.txt",
    "last": "free_form_replies_last.txt",
    "styles": "free_form_replies_styles.txt",
}
LANGUAGES = ("en", "de", "fr", "zh")

CHOICES: dict[str, dict[str, dict[str, str]]] = {
    "en": {
        "memory": {"A": "SRAM", "B": "DRAM", "C": "ROM", "D": "Flash"},
        "design": {"A": "CISC", "B": "RISC", "C": "IBM", "D": "EPIC"},
        "tree": {"A": "A B-tree", "B": "A hash table", "C": "False sharing", "D": "An array"},
        "sizes": {"A": "8 KB", "B": "16 KB", "C": "32 KB", "D": "64 KB"},
        "order": {"A": "O(1)", "B": "O(n)", "C": "O(n^2)", "D": "O(log n)"},
        "null": {"A": "x is 0", "B": "the pointer is not NULL", "C": "I and II", "D": "None of the above"},
    },
    "de": {
        "memory": {"A": "SRAM-Zelle", "B": "DRAM-Zelle", "C": "ROM", "D": "Flash"},
        "tree": {"A": "Der Stapel", "B": "Die Warteschlange", "C": "Der B-Baum", "D": "Das Feld"},
    },
    "fr": {
        "memory": {"A": "La pile", "B": "La file", "C": "L'arbre", "D": "Le tas"},
        "null": {"A": "Le pointeur n'est pas nul", "B": "Un arbre B", "C": "O(n)", "D": "Aucune de ces réponses"},
    },
    "zh": {
        "memory": {"A": "栈", "B": "队列", "C": "二叉树", "D": "散列表"},
        "null": {"A": "指针不为空", "B": "B树", "C": "O(n)", "D": "以上都不是"},
    },
}
FREE_CHOICES = {
    "mem": CHOICES["en"]["memory"],
    "arch": {"A": "CISC", "B": "RISC", "C": "VLIW", "D": "EPIC"},
    "coh": {"A": "True sharing", "B": "Cold miss", "C": "False sharing", "D": "Capacity miss"},
    "tree": {"A": "A B-tree", "B": "A hash table", "C": "A linked list", "D": "An array"},
    "firm": {"A": "Intel", "B": "ARM", "C": "IBM", "D": "AMD"},
    "num": {"A": "8", "B": "16", "C": "32", "D": "64"},
    "combo": {"A": "I only", "B": "I and II", "C": "II and III", "D": "All of the above"},
    "null": {"A": "x is 0", "B": "the pointer is not NULL", "C": "The loop ends", "D": "None of the above"},
    "mem_de": {"A": "SRAM-Zelle", "B": "DRAM-Zelle", "C": "ROM", "D": "Flash"},
    "tree_de": CHOICES["de"]["tree"],
    "stack_fr": CHOICES["fr"]["memory"],
    "stack_zh": CHOICES["zh"]["memory"],
}
FREE_KEYS = {"pow": "2^23", "bytes": "18B", "bin": "255", "rate": "32kb/s", "reg": "PC"}
BLANKS = {
    "PC": ("PC", "pc"),
    "2^23": ("2^23", "2**23", "$2^{23}$", "8388608"),
    "18B": ("18B", "18 B", "18b", "18 bytes"),
    "255": ("255", "11111111B", "0xFF", "FFH", "0b11111111"),
    "32kb/s": ("32kb/s", "32 kbps", "32 kbit/s"),
    "O(log2n)": ("O(log2n)", "O(log₂n)"),
}


@dataclass(frozen=True)
class Reply:
    """One reply, and what a person reads in it."""

    text: str
    kind: str
    """`choice`, `assertion` or `blank`."""
    language: str
    category: str
    question: str
    truth: str | None
    """A letter, `true`, `false`, or `right` and `wrong` for blanks; None if nothing, or no single value, is said."""
    phrasing: str
    held_out: bool


@cache
def corpus() -> tuple[Reply, ...]:
    """Every reply."""
    return (*_generated(), *_free_form())


def reading(reply: Reply) -> str | None:
    """Answer that the rules read in a reply."""
    if reply.kind == "choice":
        return read_choice(reply.text, _choices(reply), reply.language).value
    if reply.kind == "assertion":
        return read_truth(reply.text).value
    judgement = score(blank(reply.question, reply.language), reply.text)
    return (
        {True: "right", False: "wrong", None: None}[judgement.passed]
        if judgement.status is JudgementStatus.SCORED
        else None
    )


def is_held_out(phrasing: str) -> bool:
    """True if a phrasing belongs to the third that no rule was written for."""
    return hashlib.sha256(phrasing.encode()).digest()[0] % 3 == 0


def outcome(reply: Reply) -> str:
    """Outcome of reading a reply: `read`, `unread`, `misread`, or `invented` where nothing was said."""
    value = reading(reply)
    if value == reply.truth:
        return "read"
    if value is None:
        return "unread"
    return "misread" if reply.truth is not None else "invented"


def _choices(reply: Reply) -> dict[str, str]:
    is_free_form = reply.category in _FREE_FORM
    return FREE_CHOICES[reply.question] if is_free_form else CHOICES[reply.language][reply.question]


def _generated() -> Iterator[Reply]:
    phrasings = tomllib.loads((_HERE / "reply_phrasings.toml").read_text(encoding="utf-8"))
    for kind, fill in (("choice", _fill_choices), ("assertion", _fill_assertions), ("blank", _fill_blanks)):
        for spoken, groups in phrasings[kind].items():
            for language in LANGUAGES if spoken == "any" else (spoken,):
                words = phrasings[kind].get(language, {}).get("words", [])
                for category, texts in groups.items():
                    for text in texts if category != "words" else ():
                        for question, filled, truth in fill(text, category, language, words):
                            yield Reply(filled, kind, language, category, question, truth, text, is_held_out(text))


def _fill_choices(text: str, category: str, language: str, _: object) -> Iterator[tuple[str, str, str | None]]:
    for question, choices in CHOICES[language].items():
        for letter in choices:
            other_letters = [option for option in choices if option != letter]
            other_letters = other_letters[ord(letter) % 3 :] + other_letters[: ord(letter) % 3]
            names = {
                "{L}": letter, "{l}": letter.lower(), "{T}": choices[letter],
                "{O}": other_letters[0], "{U}": choices[other_letters[0]],
                "{P}": other_letters[1], "{Q}": other_letters[2],
            }  # fmt: skip
            filled = _replace(_replace(text, _blocks(choices, letter)), names)
            yield question, filled, None if category in ("nothing", "several") else letter


def _blocks(choices: dict[str, str], letter: str) -> dict[str, str]:
    def lines(form: str, options: dict[str, str]) -> str:
        return "\n".join(form.format(L=option_letter, T=text) for option_letter, text in options.items())

    def judged(right_mark: str, wrong_mark: str) -> str:
        return "\n".join(
            f"{option_letter}. {text} {right_mark if option_letter == letter else wrong_mark}"
            for option_letter, text in choices.items()
        )

    other_options = {option_letter: text for option_letter, text in choices.items() if option_letter != letter}
    return {
        "{options}": lines("{L}. {T}", choices),
        "{analysis}": lines("{L}. {T}: this has to be compared with the question.", choices),
        "{headings}": lines("### Option {L}: {T}\nLook at what it does.\n", choices),
        "{bullets}": lines("- **Option {L} ({T})**: Look at what it does.", choices),
        "{verdicts}": "\n".join(
            f"- Option {option_letter}: {'Correct' if option_letter == letter else 'Incorrect'}."
            for option_letter in choices
        ),
        "{marks}": judged("✅", "❌"),
        "{table}": "| | | |\n|---|---|---|\n" + lines("| {L} | {T} | maybe |", choices),
        "{other_bullets}": lines("- {L}) {T} does something else.", other_options),
        "{half}": "\n".join(
            f"{option_letter}. {text}: Look at what it does." for option_letter, text in islice(choices.items(), 2)
        ),
    }


def _fill_assertions(
    text: str, category: str, language: str, truth_words: list[list[str]]
) -> Iterator[tuple[str, str, str | None]]:
    if "{V}" not in text:
        yield "", text, category if category in ("true", "false") else None
        return
    for true, false in truth_words:
        for word, opposite, value in ((true, false, "true"), (false, true, "false")):
            yield "", _replace(text, {"{V}": word, "{W}": opposite}), None if category == "nothing" else value


def _fill_blanks(text: str, category: str, language: str, _: object) -> Iterator[tuple[str, str, str | None]]:
    for key, forms in BLANKS.items():
        for form in forms:
            if not ("\\" in text and "$" in form):
                yield key, text.replace("{X}", form), "right"


def _replace(text: str, values: dict[str, str]) -> str:
    return re.sub("|".join(map(re.escape, values)), lambda match: values[match[0]], text)


def _free_form() -> Iterator[Reply]:
    for category, name in _FREE_FORM.items():
        source = (_HERE / name).read_text(encoding="utf-8")
        for block in source.removeprefix("=== ").split("\n=== "):
            head, _, text = block.partition("\n")
            question, truth = head.split(" ", 1)
            if truth == "?":
                continue  # People would not agree.
            kind = "blank" if question in FREE_KEYS else "assertion" if question.startswith("true_") else "choice"
            match = re.search(r"_(de|fr|zh)$", question)
            expected_reading = None if truth == "-" else truth
            if kind == "blank":
                question, expected_reading = FREE_KEYS[question], "wrong" if truth == "no" else "right"
            yield Reply(
                text.rstrip("\n"),
                kind,
                match[1] if match else "en",
                category,
                question,
                expected_reading,
                text,
                category != "styles",
            )


@cache
def blank(key: str, language: str) -> Problem:
    statement = "The header has () bytes." if key == "18B" else "It is ()."
    question = Question(format=QuestionFormat.FILL_IN_THE_BLANK, language=language)
    return Problem(
        id="q",
        kind=ProblemKind.QUESTION,
        title="Q",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement=statement, question=question),
        hidden=Hidden(answer=Answer(value=key)),
    )


def main() -> None:
    """Print how many replies are read, by kind, language and category; and the failures of the development part."""
    counts: defaultdict[tuple[bool, str, str], Counter[str]] = defaultdict(Counter)
    for reply in corpus():
        result = outcome(reply)
        counts[reply.held_out, reply.kind, reply.category][result] += 1
        if result != "read" and (not reply.held_out or "--show-held-out" in sys.argv):
            print(result, reply.kind, reply.language, reply.question, repr(reply.text), reply.truth, reading(reply))
    for (held_out, kind, category), outcome_counts in sorted(counts.items()):
        print("held out" if held_out else "development", kind, category, dict(outcome_counts))


if __name__ == "__main__":
    main()
