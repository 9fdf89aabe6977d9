"""Figures of questions, kept in the database with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_authoring.written_question import WrittenQuestion
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.pictures import UploadedPicture
from benchwright_service.questions.tables import FIGURES, QUESTIONS

DAY_S = 86_400.0
FIGURES_PER_DAY = 40
"""Largest number of pictures that one person may send within a day."""


async def keep_figures(
    connection: AsyncConnection,
    question: str,
    author: str | None,
    content: WrittenQuestion,
    pictures: Sequence[UploadedPicture],
    current_time: float,
) -> None:
    """Keeps the figures of a version; those of earlier ones stay.

    Args:
        connection: Connection in a transaction; the author's others wait for it.
        question: Question whose figures they are.
        author: Author who sends them; None for a question that no person wrote.
        content: The version.
        pictures: Those that may not be there yet.
        current_time: Seconds since 1970.

    Raises:
        BenchServiceError: The pictures are too many for a day, or the version shows one that does not exist.
    """
    known_digests = set(
        (await connection.execute(select(FIGURES.c.sha256).where(FIGURES.c.question == question))).scalars()
    )
    new_pictures = {picture.sha256: picture.content for picture in pictures if picture.sha256 not in known_digests}
    if missing := {figure.sha256 for figure in content.figures} - known_digests - new_pictures.keys():
        raise BenchServiceError(f"{len(missing)} of the question's pictures are not here any more; send them again")
    if not new_pictures:
        return
    if author is not None:
        today = (
            select(func.count())
            .select_from(FIGURES.join(QUESTIONS, QUESTIONS.c.id == FIGURES.c.question))
            .where(QUESTIONS.c.author == author, FIGURES.c.at > current_time - DAY_S)
        )
        if (await connection.execute(today)).scalar_one() + len(new_pictures) > FIGURES_PER_DAY:
            raise BenchServiceError(f"you sent {FIGURES_PER_DAY} pictures today; go on tomorrow")
    new_rows = [
        {"question": question, "sha256": name, "content": data, "at": current_time}
        for name, data in new_pictures.items()
    ]
    await connection.execute(insert(FIGURES), new_rows)


async def read_pictures_by_digest(
    connection: AsyncConnection, version_by_question: Mapping[str, WrittenQuestion]
) -> Mapping[str, bytes]:
    """The pictures of versions, by their SHA-256.

    Args:
        connection: Connection for reading.
        version_by_question: The versions, by their questions.
    """
    pictures: dict[str, bytes] = {}
    for question, content in version_by_question.items():
        digests = [figure.sha256 for figure in content.figures]
        if digests:
            conditions = FIGURES.c.question == question, FIGURES.c.sha256.in_(digests)
            figure_rows = await connection.execute(select(FIGURES.c.sha256, FIGURES.c.content).where(*conditions))
            pictures |= {row.sha256: row.content for row in figure_rows}
    return pictures
