"""Mail by SMTP: the server that is configured, and messages that say that a program wrote them."""

from __future__ import annotations

import smtplib
import ssl
from email.errors import MessageError
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage, Message
from email.policy import Policy, default
from email.utils import format_datetime, localtime

from benchwright_service.sign_in.sign_in_file import MailEncryption, SmtpSettings, read_secret

_TIMEOUT_S = 20.0


class _AddressHeader(UnstructuredHeader, BaseHeader):
    """A header with a web address, which is one word: folded as text, it would be encoded."""

    def fold(self, *, policy: Policy[Message]) -> str:
        """The line as it is."""
        return f"{self.name}: {self}{policy.linesep}"


_HEADERS = HeaderRegistry()
_HEADERS.map_to_type("list-unsubscribe", _AddressHeader)
_POLICY = default.clone(header_factory=_HEADERS)


class Mailbox:
    """What the service sends mail from.

    Args:
        settings: The mail server.

    Raises:
        BenchServiceError: The password can't be read.
    """

    def __init__(self, settings: SmtpSettings) -> None:
        self._settings = settings
        self._password = read_secret(settings.password_file) if settings.password_file is not None else ""

    def connect(self) -> smtplib.SMTP:
        """A connection to the server. Waits for the network.

        Raises:
            OSError: The server can't be reached, or refuses the service; of `smtplib.SMTPException` too.
        """
        settings = self._settings
        context = ssl.create_default_context()
        if settings.encryption is MailEncryption.TLS:
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(settings.host, settings.port, timeout=_TIMEOUT_S, context=context)
        else:
            smtp = smtplib.SMTP(settings.host, settings.port, timeout=_TIMEOUT_S)
        try:
            if settings.encryption is MailEncryption.STARTTLS:
                smtp.starttls(context=context)
            if settings.user:
                smtp.login(settings.user, self._password)
        except BaseException:
            smtp.close()
            raise
        return smtp

    def new_message(self, email: str, subject: str, text: str) -> EmailMessage:
        """A message to an address.

        Args:
            email: The address, as a roster has it.
            subject: Line of the subject; what can't be in a line is left out.
            text: Plain text.

        Raises:
            ValueError: The address is none.
        """
        mail = EmailMessage(policy=_POLICY)
        mail["From"] = self._settings.sender
        try:
            mail["To"] = Address(addr_spec=email)
        except (IndexError, MessageError) as error:
            raise ValueError("this is no address") from error
        mail["Subject"] = "".join(letter for letter in " ".join(subject.split()) if letter.isprintable())
        mail["Date"] = format_datetime(localtime())
        mail["Auto-Submitted"] = "auto-generated"
        # Every server takes lines of ASCII.
        mail.set_content(text, cte="quoted-printable")
        return mail


def disconnect(smtp: smtplib.SMTP) -> None:
    """Ends a connection, also one that is of no use any more."""
    try:
        smtp.quit()
    except OSError:
        smtp.close()
