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


def outcome(labelled_reply: LabelledReply) -> str:
    """Outcome of reading it by rules: see `LabelledReply.outcome`."""
    return labelled_reply.outcome(score(labelled_reply.problem, labelled_reply.text))


def main() -> None:
    """Print every reply that is not read, with what was read."""
    for labelled_reply in load(Path(sys.argv[1])):
        if outcome(labelled_reply) not in ("read", "judge"):
            question, value = (
                labelled_reply.question,
                labelled_reply.reading(score(labelled_reply.problem, labelled_reply.text)),
            )
            description = (
                outcome(labelled_reply),
                question.format,
                question.language,
                labelled_reply.style,
                question.item,
            )
            print(*description, f"truth={labelled_reply.truth} read={value}", repr(labelled_reply.text), sep="\t")


if __name__ == "__main__":
    main()
