"""`sign-in.toml`: who else than this service says who somebody is. It names secrets but never contains them.

`docs/how-to/operate-the-service.md` shows an example.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, model_validator

from benchwright_foundation.model import Model
from benchwright_service.command_line.options import is_loopback
from benchwright_service.errors import BenchServiceError

_MOST_BYTES = 64 << 10


def _checked_secure_url(url: str) -> str:
    url_parts = urlsplit(url)
    if url_parts.scheme != "https" and not (url_parts.scheme == "http" and is_loopback(url_parts.hostname or "")):
        raise ValueError("must begin with https://")
    if url_parts.query or url_parts.fragment or not url_parts.hostname:
        raise ValueError("is no address of a provider")
    return url.rstrip("/")


SecureUrl = Annotated[str, AfterValidator(_checked_secure_url)]


class OidcSettings(Model):
    """An OpenID Connect provider, such as a university's."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    """Name of the provider for people."""
    issuer: SecureUrl
    """As the provider names itself; its configuration is at `/.well-known/openid-configuration` below."""
    client_id: Annotated[str, Field(min_length=1)]
    client_secret_file: Path
    """Relative to the file that names it."""
    course: str = ""
    """Course in which everybody who signs in takes part, or who is on its roster if it has one; empty if courses are
    joined by invitations."""
    login_claim: str = ""
    """Claim of the token that is the login or the email address of rosters, which nobody can choose; empty for an
    email address that the provider has verified."""


class LtiSettings(Model):
    """A learning management system, as an LTI 1.3 platform."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    """Name of the platform for people."""
    issuer: Annotated[str, Field(min_length=1)]
    client_id: Annotated[str, Field(min_length=1)]
    authorization_url: SecureUrl
    token_url: SecureUrl
    keys_url: SecureUrl
    """Of the platform's own keys, a JSON Web Key Set."""
    services: tuple[SecureUrl, ...] = ()
    """Addresses of hosts, beside those above, that the platform's services are at, such as a school's own of Canvas."""
    deployments: Annotated[tuple[str, ...], Field(min_length=1)]
    courses: Mapping[str, str] = Field(default_factory=dict)
    """The platform's id of a course (its LTI context) → the course here; several may be one course."""
    login_claim: str = ""
    """Claim of launches that is the login of rosters and grade files, such as `ext.user_username` of Moodle or
    `custom.login`; empty if none is."""


class MailEncryption(StrEnum):
    """How mail goes to its server."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"
    """To a server on this machine only."""


class SmtpSettings(Model):
    """A mail server, by which people are sent links to sign in."""

    host: Annotated[str, Field(min_length=1)]
    port: Annotated[int, Field(ge=1, le=65_535)] = 587
    sender: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$")]
    """Address that the mail is from."""
    encryption: MailEncryption = MailEncryption.STARTTLS
    user: str = ""
    password_file: Path | None = None
    """Relative to the file that names it."""

    @model_validator(mode="after")
    def _require_encryption(self) -> SmtpSettings:
        if self.encryption is MailEncryption.NONE and not is_loopback(self.host):
            raise ValueError("mail to another machine goes by starttls or tls")
        return self


class SignInSettings(Model):
    """The whole file."""

    oidc: OidcSettings | None = None
    lti: tuple[LtiSettings, ...] = ()
    smtp: SmtpSettings | None = None
    browser_editor: SecureUrl | None = None
    """Address at which students have an editor in the browser, such as the hub of a class."""

    @model_validator(mode="after")
    def _require_different_platforms(self) -> SignInSettings:
        platforms = [(platform.issuer, platform.client_id) for platform in self.lti]
        if len(set(platforms)) < len(platforms):
            raise ValueError("two platforms have the same issuer and client_id")
        return self


def read_sign_in_settings(file: Path) -> SignInSettings:
    """Reads the file; paths in it become absolute.

    Raises:
        BenchServiceError: The file can't be read, or a field is wrong.
    """
    try:
        settings = SignInSettings.model_validate(tomllib.loads(_read_file_text(file)))
    except tomllib.TOMLDecodeError as error:
        raise BenchServiceError(f"{file} is not TOML: {error}") from error
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first_error["loc"]))
        raise BenchServiceError(f"{file}: field {field}: {first_error['msg'].removeprefix('Value error, ')}") from None
    folder, changes = file.absolute().parent, dict[str, Model]()
    if settings.oidc is not None:
        secret = folder / settings.oidc.client_secret_file
        changes["oidc"] = settings.oidc.model_copy(update={"client_secret_file": secret})
    if settings.smtp is not None and settings.smtp.password_file is not None:
        password = folder / settings.smtp.password_file
        changes["smtp"] = settings.smtp.model_copy(update={"password_file": password})
    return settings.model_copy(update=changes)


def read_secret(file: Path) -> str:
    """A secret that a file holds, without the line end.

    Raises:
        BenchServiceError: The file can't be read, or is empty.
    """
    secret = _read_file_text(file).strip()
    if not secret:
        raise BenchServiceError(f"{file} is empty; write the secret into it")
    return secret


def _read_file_text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise BenchServiceError(f"{file} is larger than {_MOST_BYTES:,} bytes")
        return content.decode()
    except (OSError, UnicodeError) as error:
        raise BenchServiceError(f"{file} can't be read: {error}") from error
