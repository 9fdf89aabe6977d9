"""The cache of votes as a file: judgements can be reproduced from it without a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_judges.errors import VotesFileError
from benchwright_judges.judgement import Vote


class _RecordedVote(Model):
    key: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Digest of rubric, model, problem, key, answer and vote number."""
    vote: Vote


def write_recording(recording_file: Path, keys_and_votes: Sequence[tuple[str, Vote]]) -> None:
    """Write votes as JSON Lines, readable by their owner only: reasons may quote answer keys.

    Raises:
        OSError: The file can't be written.
    """
    lines = (
        json.dumps({"key": key, "vote": vote.model_dump(mode="json")}, ensure_ascii=True)
        for key, vote in keys_and_votes
    )
    write_atomically(recording_file.absolute(), "".join(f"{line}\n" for line in lines).encode(), 0o600)


def read_recording(recording_file: Path) -> Sequence[tuple[str, Vote]]:
    """Read what `write_recording` wrote.

    Raises:
        VotesFileError: The file can't be read, or a line is not a vote.
    """
    try:
        lines = recording_file.read_bytes().splitlines()
    except OSError as error:
        raise VotesFileError(f"{recording_file} can't be read: {error.strerror}") from error
    votes = []
    for number, line in enumerate(lines, start=1):
        try:
            recorded_line = _RecordedVote.model_validate_json(line)
        except ValidationError as error:
            first_error = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first_error["loc"])
            raise VotesFileError(
                f"{recording_file}:{number}: {f'field {field}: ' if field else ''}{first_error['msg']}"
            ) from error
        votes.append((recorded_line.key, recorded_line.vote))
    return votes
