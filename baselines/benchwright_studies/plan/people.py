"""What readers of a human baseline ask of its people: who asks them, whom they stand for, how they came, their pay."""

from __future__ import annotations

from pydantic import Field

from benchwright_studies.plan.study_part import StudyPart
from benchwright_studies.plan.study_question import StudyQuestion
from benchwright_studies.plan.vocabulary import EthicsOutcome, Sampling


class Organisers(StudyPart):
    """Who conducts the study. Consent and recruitment documents are generated from it."""

    name: str = Field(min_length=1)
    """People and institution, as participants are to read it."""
    purpose: str = Field(min_length=1)
    """Completes `NAME asks you to take part, to …`."""
    contact: str = Field(min_length=1)
    """Completes `write to …`."""

    @property
    def consent_text(self) -> str:
        """The text that participants agree to, where the study file has none of its own; Markdown."""
        return (
            f"{self.name} asks you to take part, to {self.purpose}.\n\n"
            "Below, Benchwright says what is recorded, where it goes, how many tasks there are and how long they may "
            "take, as this study sets it.\n\n"
            "Taking part is voluntary. You may stop at any time, without giving a reason, and have your data deleted: "
            f"`benchwright study delete`, or write to {self.contact}.\n"
        )


class TargetPopulation(StudyPart):
    """The people that the results are meant to hold for."""

    who: str = Field(min_length=1)
    """In words, such as `people who design digital hardware for a living`."""
    criteria: tuple[str, ...] = ()
    """What delimits them, such as `expertise`, `education`, `language`, `age`, `experience with AI`."""


class Recruitment(StudyPart):
    """How participants are found and admitted."""

    sampling: Sampling | None = None
    where: str = ""
    """In words, such as `a mailing list of the department`."""
    screening: tuple[StudyQuestion, ...] = ()
    """Asked before somebody gets a place; `expect` is the answer that admits. Benchwright records no answers to it."""
    has_team_members: bool | None = None
    """True if members of the team that conducts the study take part."""


class Pay(StudyPart):
    """What participants get. They read `amount` and `bonus`."""

    amount: str = Field(min_length=1)
    """In words, such as `25 EUR an hour`; `nothing` if they are not paid."""
    practice: str = ""
    """For practice, if there is any."""
    bonus: str = ""
    """How much it is and what it depends on; `none` if there is none."""
    differences: str = ""
    """How pay differs between participants; `none` if it does not."""


class EthicsReview(StudyPart):
    """The review of the study by an ethics board. Participants read it."""

    outcome: EthicsOutcome
    board: str = ""
    reference: str = ""
    """The board's number of the decision."""
    reason: str = ""
    """Why there was no review, or what exempts the study."""

    @property
    def text(self) -> str:
        """In one line."""
        by_board = f" by {self.board}" if self.board else ""
        details = "; ".join(filter(None, (self.reference, self.reason)))
        return f"{self.outcome.value.replace('-', ' ')}{by_board}{f' ({details})' if details else ''}"
