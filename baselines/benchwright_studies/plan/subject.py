"""The program that a condition names: what works, or helps, has to be this one, in this version, set up like this."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

from benchwright_attempts.assigned_subject import AssignedSubject
from benchwright_foundation.model import Model
from benchwright_studies.plan.accept_policy import AcceptPolicy

Digest = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
"""SHA-256, or nothing."""


class InitialText(StrEnum):
    """Text that an inline-completion server begins with."""

    EMPTY_BODY = "empty-body"
    """The reference without what is between the header and the end of each module."""
    STARTING_FILES = "starting-files"
    """The files that everybody gets, the cursor before the last `endmodule`."""


class InlineWork(Model):
    """Solo work of an inline-completion server: nobody types, and a fixed policy accepts."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    policy: AcceptPolicy
    start: InitialText = InitialText.STARTING_FILES
    dialect: str = "lsp"
    """Dialect in which the server is spoken to, as `benchwright completion run --dialect` takes it."""
    extensions: tuple[str, ...] = ()
    """With dialect `vscode`: .vsix files, first the one that is measured, then those that it needs."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """The server's `initializationOptions`; with dialect `vscode`, settings."""
    most_asks: int = Field(default=100, ge=1, le=10_000)
    """Requests for one module, or one file with `starting-files`."""
    timeout_s: float = Field(default=10.0, ge=0.1, le=600)
    """After which a request is given up."""

    @model_validator(mode="after")
    def _check_oracle_has_expected_text(self) -> Self:
        if self.policy is AcceptPolicy.MATCHES and self.start is not InitialText.EMPTY_BODY:
            raise ValueError("policy matches compares with the reference: it goes with start empty-body alone")
        return self


class Subject(Model):
    """A program on the bench."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    name: str = Field(min_length=1, max_length=100)
    """Of an agent, as `benchwright subject list` shows it; of a person's copilot, the extension's id, one of \
`assistants`; else what reports call it."""
    version: str = ""
    """As the program itself says. Any if empty."""
    configuration: Digest = ""
    """SHA-256 over how it is set up, as attempts record it. Any if empty."""
    command: str = ""
    """Start command if `name` is none of the agents that Benchwright knows. Of an inline server, the command line \
on whose streams it speaks."""
    acp: bool = False
    """True if `command` speaks the Agent Client Protocol."""
    refuses: tuple[str, ...] = ()
    """Kinds of tools, such as `execute`, that an agent speaking it gets no permission for."""
    inline: InlineWork | None = None
    """Makes it an inline-completion server that works alone."""

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".rstrip()

    @property
    def assigned(self) -> AssignedSubject:
        """As an attempt's assignment records it."""
        return AssignedSubject(
            name=self.name,
            version=self.version,
            configuration=self.configuration,
            refuses=self.refuses,
            policy=self.inline.policy.value if self.inline is not None else "",
            start=self.inline.start.value if self.inline is not None else "",
        )

    @property
    def unfixed_fields(self) -> tuple[str, ...]:
        """Parts of it that the study file leaves open."""
        return tuple(name for name in ("version", "configuration") if not getattr(self, name))


class RunningSubject(BaseModel):
    """The program that is about to work, as it was found."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: str = ""
    configuration: str = ""

    def differences(self, registered_subject: Subject) -> list[tuple[str, str]]:
        """Differences from what was registered: field and what is there, as a sentence."""
        deviations = []
        for field in ("name", "version", "configuration"):
            registered_text, present_text = getattr(registered_subject, field), getattr(self, field)
            if registered_text and registered_text != present_text:
                deviations.append(
                    (
                        field,
                        f"the study registers {registered_text}; here is {present_text or 'none that can be told'}.",
                    )
                )
        return deviations
