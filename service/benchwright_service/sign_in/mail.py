"""Mail to people who want to sign in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from email.message import EmailMessage
from urllib.parse import urlencode

from benchwright_service.accounts.sign_in_links import LIFETIMES_S, AddressedLink, LinkKind, SignInLinks
from benchwright_service.mail.smtp import Mailbox, disconnect

_MOST_WAITING = 200
_TEXT = """\
Hello {name},

somebody, hopefully you, wants to sign in at {address}.
This link does so, once, within {minutes:.0f} minutes:

{link}

If it was not you, ignore this mail.
"""

logger = logging.getLogger(__name__)


def link_address(service_address: str, code: str) -> str:
    """The address of a page that signs somebody in by a link's code."""
    return f"{service_address.rstrip('/')}/sign-in/link?{urlencode({'code': code})}"


class LinkMailer:
    """Sends links in the background: nobody sees by the time whether an address is somebody's.

    Args:
        mailbox: Sends them.
        links: Makes the links.
        service_address: Address of the service, as its users have it.
    """

    def __init__(self, mailbox: Mailbox, links: SignInLinks, service_address: str) -> None:
        self._mailbox = mailbox
        self._links = links
        self._address = service_address
        self._tasks: set[asyncio.Task[None]] = set()

    def begin_sending(self, email: str) -> None:
        """Sends a link to an address if a roster has it."""
        if len(self._tasks) < _MOST_WAITING:
            task = asyncio.create_task(self._send_to(email))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Waits for what is being sent."""
        await asyncio.gather(*self._tasks)

    async def _send_to(self, email: str) -> None:
        try:
            links = await self._links.make_links_for_email(email)
            if links:
                await asyncio.to_thread(self._send, links)
        except Exception as error:
            # The kind alone: what servers answer may hold addresses.
            logger.warning("mail with a link could not be sent: %s", type(error).__name__)

    def _send(self, links: Sequence[AddressedLink]) -> None:
        smtp = self._mailbox.connect()
        try:
            for link in links:
                smtp.send_message(self._message(link))
        finally:
            disconnect(smtp)

    def _message(self, link: AddressedLink) -> EmailMessage:
        text = _TEXT.format(
            name=link.name,
            address=self._address,
            minutes=LIFETIMES_S[LinkKind.EMAIL] / 60,
            link=link_address(self._address, link.code),
        )
        return self._mailbox.new_message(link.email, "Sign in to Benchwright", text)
