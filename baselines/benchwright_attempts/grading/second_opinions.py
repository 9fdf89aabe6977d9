"""Second opinions on what attempts ended with, kept beside the log until a report is made."""

from __future__ import annotations

import contextlib

from pydantic import ValidationError

from benchwright_attempts.grading.run_records import RunRecords
from benchwright_formal.opinion import ComparisonResult
from benchwright_formal.second_opinion import SecondOpinion
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem, digest
from benchwright_problems.storage.store import Store


class KeptOpinion(Model):
    """The opinion on one try of an attempt."""

    number: int
    """Of the try, from 1."""
    problem: str
    """See `digest_with_hidden_part`."""
    tools: str
    """Digest of what made it, besides the designs."""
    limit_s: float
    """Time that the proof was given."""
    found: SecondOpinion

    def is_current_for(
        self, run_number: int, digest_with_hidden_part: str, tools_digest: str, proof_limit_s: float
    ) -> bool:
        """True if another comparison of the same would come to nothing else."""
        is_same = (self.number, self.problem, self.tools) == (run_number, digest_with_hidden_part, tools_digest)
        return is_same and (self.found.opinion.result is not ComparisonResult.UNKNOWN or self.limit_s >= proof_limit_s)


class SecondOpinions:
    """Keeps them; their inputs say what references do, so they are where hidden parts are.

    Args:
        home: The user's folders.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._store = Store(home)
        self._digests: dict[str, str | None] = {}

    def keep_opinion(self, attempt: str, opinion: KeptOpinion) -> None:
        """Keeps one in place of an older one.

        Raises:
            OSError: The folder can't be written.
        """
        file = RunRecords(self._home, attempt).opinion_file
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(file, opinion.model_dump_json().encode(), 0o600)

    def find_opinion(self, attempt: str) -> KeptOpinion | None:
        """The one on an attempt; None if there is none, or it is unreadable."""
        with contextlib.suppress(OSError, ValidationError):
            return KeptOpinion.model_validate_json(RunRecords(self._home, attempt).opinion_file.read_bytes())
        return None

    def opinion_if_problem_unchanged(self, attempt: str, problem_ref: str) -> SecondOpinion | None:
        """The one on an attempt, unless its problem has changed since, or is no longer on this machine."""
        kept_opinion = self.find_opinion(attempt)
        if kept_opinion is None:
            return None
        if problem_ref not in self._digests:
            try:
                self._digests[problem_ref] = digest_with_hidden_part(self._store.unseal(problem_ref))
            except ProblemsError:
                self._digests[problem_ref] = None
        return kept_opinion.found if kept_opinion.problem == self._digests[problem_ref] else None


def digest_with_hidden_part(problem: Problem) -> str:
    """Digest of all that an opinion depends on in a problem, hidden part included."""
    return digest([problem.hidden.sha256, problem.public_digest, problem.harness_digest])
