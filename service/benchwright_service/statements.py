"""Statements on privacy and accessibility, as far as who operates a service has made them in `statements.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from benchwright_foundation.model import Model
from benchwright_service.errors import BenchServiceError

FILE = "statements.toml"
"""Name of the file, in the service's data folder."""
_MOST_BYTES = 256 << 10

Text = Annotated[str, Field(max_length=20_000)]


class PrivacyStatement(Model):
    """Answers that only an operator can give; empty where there is none."""

    controller: Text = Field(default="", title="Who is responsible")
    contact: Text = Field(default="", title="Whom to ask, and where")
    data_protection_officer: Text = Field(default="", title="Data protection officer")
    purposes: Text = Field(default="", title="What the data are used for")
    legal_basis: Text = Field(default="", title="By what right")
    kept: Text = Field(default="", title="How long data and backups are kept")
    recipients: Text = Field(default="", title="Who else gets data")
    complaints: Text = Field(default="", title="Where to complain")


class AccessibilityStatement(Model):
    """Answers that only an operator can give; empty where there is none."""

    contact: Text = Field(default="", title="Whom to tell of a barrier, and where")
    conformance: Text = Field(default="", title="How far the service conforms, and to what")
    limits: Text = Field(default="", title="Known barriers")
    assessed: Text = Field(default="", title="When it was assessed, and by whom")
    enforcement: Text = Field(default="", title="Where to turn if nobody answers")


class Statements(Model):
    """Both."""

    privacy: PrivacyStatement = PrivacyStatement()
    accessibility: AccessibilityStatement = AccessibilityStatement()


def read_statements(file: Path) -> Statements:
    """The statements in a file; empty ones if there is none. Waits for the disk.

    Raises:
        BenchServiceError: The file can't be read, or is wrong; where is said.
    """
    try:
        content = file.read_bytes()
        if len(content) > _MOST_BYTES:
            raise BenchServiceError(f"{file} has more than {_MOST_BYTES:,} bytes")
        return Statements.model_validate(tomllib.loads(content.decode()))
    except FileNotFoundError:
        return Statements()
    except OSError as error:
        raise BenchServiceError(f"{file} can't be read: {error.strerror}") from error
    except ValidationError as error:
        flaw = error.errors()[0]
        field_path = ".".join(str(part) for part in flaw["loc"])
        raise BenchServiceError(f"{file}: {field_path}: {flaw['msg']}") from None
    except ValueError as error:
        raise BenchServiceError(f"{file}: {error}") from None


def titles_and_texts(statement: PrivacyStatement | AccessibilityStatement) -> list[tuple[str, str]]:
    """Title and text of each answer of a statement, in their order."""
    return [
        (field.title or name, getattr(statement, name).strip()) for name, field in type(statement).model_fields.items()
    ]
