"""Replies by an author who did not know the rules, each with what a person reads in it.

`benchwright judge reading FILE` measures them; `python tests/unit/judges/independent_replies.py FILE` prints
what fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchwright_judges.reading.corpus import LabelledReply, read_corpus
from benchwright_judges.score import score


def load(path: Path) -> Sequence[LabelledReply]:
    """The replies of a file on which people agree."""
    return read_corpus(path)


def outcome(reply: LabelledReply) -> str:
    """Outcome of reading it by rules: see `LabelledReply.outcome`."""
    return reply.outcome(score(reply.problem, reply.text))


def main() -> None:
    """Print every reply that is not read, with what was read."""
    for reply in load(Path(sys.argv[1])):
        if outcome(reply) not in ("read", "judge"):
            question, value = reply.question, reply.reading(score(reply.problem, reply.text))
            description = (outcome(reply), question.format, question.language, reply.style, question.item)
            print(*description, f"truth={reply.truth} read={value}", repr(reply.text), sep="\t")


if __name__ == "__main__":
    main()
