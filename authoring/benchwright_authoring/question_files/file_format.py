"""Names of the formats of question files."""

from __future__ import annotations

from enum import StrEnum


class QuestionFileFormat(StrEnum):
    """Format of a file of questions."""

    MOODLE = "moodle"
    GIFT = "gift"
    QTI = "qti"
