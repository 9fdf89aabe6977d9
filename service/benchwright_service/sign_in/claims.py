"""What tokens and members of rosters say of a person, by the names of their claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright_teaching.person_ids import PersonIds

_LONGEST = 200
_CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"


def claim_text(claims: Mapping[str, Any], claim_name: str) -> str:
    """A claim as text, in one line; empty if it is none.

    Args:
        claims: All of them.
        claim_name: Its name; `custom.login` is `login` of LTI's claim `custom`.
    """
    value = claims.get(claim_name)
    group_name, dot, inner_name = claim_name.partition(".")
    if value is None and dot:
        group = claims.get(f"{_CLAIM}{group_name}", claims.get(group_name))
        value = group.get(inner_name) if isinstance(group, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = " ".join(str(value).replace("\0", "").split())
    return text if len(text) <= _LONGEST else ""


def ids_of_claims(claims: Mapping[str, Any], login_claim: str, *, is_email_sure: bool) -> PersonIds:
    """Names and numbers of a person.

    Args:
        claims: Claims of a token, or of a member of a platform's roster.
        login_claim: The claim that is the login; empty if none is.
        is_email_sure: True if whoever signed the claims answers for the email address.
    """
    email = claim_text(claims, "email")
    return PersonIds(
        email=email if is_email_sure and "@" in email and " " not in email else "",
        sis_id=claim_text(claims, "lis.person_sourcedid") or claim_text(claims, "lis_person_sourcedid"),
        login=claim_text(claims, login_claim) if login_claim else "",
        given_name=claim_text(claims, "given_name"),
        family_name=claim_text(claims, "family_name"),
    )
