"""Links by which people turn mail off without signing in: they say whose mail of which kind, signed by the service."""

from __future__ import annotations

import hashlib
import hmac

from benchwright_service.mail.mail_kinds import MailKind

PATH = "/notices/mail/off"
PURPOSE = "mail"
"""Purpose of the secret; see `benchwright_service.sign_in.shared_secret.secret_for`."""


def turn_off_token(secret: str, account: str, kind: MailKind) -> str:
    """Names somebody and a kind of mail, for whoever reads their mail."""
    content = f"{account}.{kind.value}"
    return f"{content}.{hmac.new(secret.encode(), content.encode(), hashlib.sha256).hexdigest()}"


def account_and_kind_of_token(secret: str, token: str) -> tuple[str, MailKind] | None:
    """Whose mail of which kind a token is for; None if the service has not made it."""
    account, _, kind_and_signature = token.partition(".")
    kind_word = kind_and_signature.partition(".")[0]
    if kind_word not in {kind.value for kind in MailKind}:
        return None
    kind = MailKind(kind_word)
    is_genuine = hmac.compare_digest(turn_off_token(secret, account, kind).encode(), token.encode())
    return (account, kind) if is_genuine else None
