"""Concealed allocation: what a participant's machine gets of the plan, and how it is opened.

The plan follows from the seed, so a participant's form of the study has neither. The participant's own row is
encrypted. Its key comes from a code, which the lab keeps, or which the file holds. With the code in the file, the row
can't be read by opening files, but by somebody who writes a program for it. With the code at the lab, nobody can read
it before the lab gives the code away.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from benchwright_attempts.errors import StudyError
from benchwright_attempts.events.file_text import Sha256, sha256
from benchwright_attempts.log.record import canonical_json
from benchwright_foundation.model import Model
from benchwright_studies.plan.assignment import Assignment, Plan
from benchwright_studies.plan.study import Study

_CODE_LETTERS = 12
"""Of five bits each. With the key derivation below, trying all codes takes a machine millions of years."""
_BLOCK = 4096
"""Rows are padded to a multiple of this, so that their length reveals nothing."""


class ParticipantFile(Model):
    """The lab's file for one participant: the rules, without what the assignment follows from."""

    format: Literal["benchwright-participant"] = "benchwright-participant"
    version: Literal[1] = 1
    study: str
    participant: str
    text: str
    """The participants' form of the study file."""
    problems: Mapping[str, Sha256] = Field(default_factory=dict)
    """Digest of the public part of each problem, by `pack/id`."""
    plan_sha256: Sha256
    """The commitment to the whole plan: see `plan_commitment_sha256`."""
    sealed: str
    """The participant's row, encrypted (Base64)."""
    sealed_sha256: Sha256
    """Digest of the row before it was encrypted, with a nonce in it."""
    code: str = ""
    """Opens the row. Empty if the lab keeps it."""


def study_json_for_participants(study: Study) -> str:
    """A study file without seed, planned analysis, recruitment and comments: JSON, which is YAML too."""
    study_fields = study.model_dump(mode="json", by_alias=True, exclude={"analysis", "recruitment"})
    study_fields["randomisation"] = {**study_fields["randomisation"], "seed": None}
    return json.dumps(study_fields, indent=1, ensure_ascii=False) + "\n"


def plan_commitment_sha256(plan: Plan, secret_hex: str) -> str:
    """Binds to a plan without telling anything of it: SHA-256 of a secret and the plan's digest.

    The lab publishes secret and plan when the study is over; then everybody can check it.
    """
    return sha256(f"{secret_hex}:{plan.sha256}".encode())


def row_unlock_code(secret_hex: str, study: str, participant: str) -> str:
    """The code that opens a participant's row, in groups of four letters."""
    digest = hmac.digest(bytes.fromhex(secret_hex), f"{study}/{participant}".encode(), "sha256")
    letters = base64.b32encode(digest).decode()[:_CODE_LETTERS]
    return "-".join(letters[offset : offset + 4] for offset in range(0, _CODE_LETTERS, 4))


def sealed_participant_file(
    study_text: str,
    plan: Plan,
    assignment: Assignment,
    digest_by_problem: Mapping[str, str],
    secret_hex: str,
    *,
    holds_unlock_code: bool,
) -> ParticipantFile:
    """The file for one participant.

    Args:
        study_text: The participants' form of the study file.
        plan: Everybody's assignment.
        assignment: The participant's.
        digest_by_problem: Digests of the public parts, by `pack/id`.
        secret_hex: The study's secret, hexadecimal.
        holds_unlock_code: True if the file opens without the lab.
    """
    participant = assignment.participant
    code = row_unlock_code(secret_hex, plan.study, participant)
    row_bytes = canonical_json(
        {"assignment": assignment.model_dump(mode="json"), "nonce": secrets.token_hex(32)}
    ).encode()
    row_bytes = row_bytes.ljust(-(-len(row_bytes) // _BLOCK) * _BLOCK)
    return ParticipantFile(
        study=plan.study,
        participant=participant,
        text=study_text,
        problems=digest_by_problem,
        plan_sha256=plan_commitment_sha256(plan, secret_hex),
        sealed=base64.b64encode(_encrypt_or_decrypt_row(row_bytes, code, plan.study, participant)).decode(),
        sealed_sha256=sha256(row_bytes),
        code=code if holds_unlock_code else "",
    )


def decrypt_row(sealed_row: str, row_sha256: str, unlock_code: str, study: str, participant: str) -> Assignment:
    """The assignment in a sealed row.

    Raises:
        StudyError: The code does not open it, or it is damaged.
    """
    try:
        row_bytes = _encrypt_or_decrypt_row(
            base64.b64decode(sealed_row, validate=True), unlock_code, study, participant
        )
        if sha256(row_bytes) == row_sha256:
            return Assignment.model_validate(json.loads(row_bytes)["assignment"])
    except (ValueError, KeyError):
        pass
    raise StudyError(
        "This code does not open your assignment. Check each of its 12 letters and digits, or ask the organisers."
    )


def read_participant_file(path: Path) -> ParticipantFile:
    """Reads a participant's file.

    Raises:
        StudyError: The file can't be read, or is no participant's file.
    """
    try:
        return ParticipantFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise StudyError(f"{path} can't be read: {error.strerror}.") from error
    except ValidationError as error:
        flaw = error.errors(include_url=False)[0]
        field = ".".join(map(str, flaw["loc"])) or "the file"
        raise StudyError(
            f"{path}, {field}: {flaw['msg']}. Ask the organisers for the file that `benchwright study register` wrote."
        ) from error


def _encrypt_or_decrypt_row(row_bytes: bytes, code: str, study: str, participant: str) -> bytes:
    """Encrypts or decrypts by a key stream of SHAKE-256. Each key is used for one row only."""
    letters = "".join(letter for letter in code.upper() if letter.isalnum())
    cipher_key = hashlib.scrypt(letters.encode(), salt=f"{study}/{participant}".encode(), n=2**14, r=8, p=1, dklen=32)
    stream = hashlib.shake_256(cipher_key).digest(len(row_bytes))
    return bytes(row_byte ^ stream_byte for row_byte, stream_byte in zip(row_bytes, stream, strict=True))
