"""A mail server on the loopback interface that keeps what it is sent (RFC 5321, as far as a sender needs it)."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest


@dataclass
class MailServer:
    """The server, and its mails."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    sent_bytes: list[bytes] = field(default_factory=list)
    """The same mails, as they came."""
    changed: threading.Condition = field(default_factory=threading.Condition)
    refuses: bool = False
    """True if it takes no mail."""
    _tcp_server: socketserver.ThreadingTCPServer | None = None
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Listens, at the port that it had before."""
        mail_server = self

        class Handler(_Conversation):
            server_of_mail = mail_server

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True

        self._tcp_server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._tcp_server.server_address[1]
        self._thread = threading.Thread(target=self._tcp_server.serve_forever, args=(0.05,))
        self._thread.start()

    def stop(self) -> None:
        """Is away."""
        if self._tcp_server is not None and self._thread is not None:
            self._tcp_server.shutdown()
            self._tcp_server.server_close()
            self._thread.join()
            self._tcp_server = None

    def clear(self) -> None:
        """Forgets what it was sent."""
        with self.changed:
            self.mails.clear()
            self.recipients.clear()
            self.sent_bytes.clear()

    def wait_for(self, count: int) -> list[EmailMessage]:
        """Its mails, once there are so many."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.mails) >= count, 60)
            return list(self.mails)

    def wait_for_link_to(self, email: str) -> EmailMessage:
        """The newest mail to an address that brings a link to sign in, once there is one."""

        def mails_to_address() -> list[EmailMessage]:
            to_address = [mail for mail in self.mails if mail["To"].casefold() == email.casefold()]
            return [mail for mail in to_address if "/sign-in/link" in mail.get_content()]

        with self.changed:
            assert self.changed.wait_for(mails_to_address, 60), email
            return mails_to_address()[-1]

    @property
    def settings(self) -> str:
        """What a service's sign-in.toml has of it."""
        return f'[smtp]\nhost = "127.0.0.1"\nport = {self.port}\nsender = "bench@example.org"\nencryption = "none"\n'


class _Conversation(socketserver.StreamRequestHandler):
    server_of_mail: MailServer

    def _answer(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        mail_server = self.server_of_mail
        self._answer("220 mail.example.org")
        while line := self.rfile.readline().decode().strip():
            word = line[:4].upper()
            if word == "DATA":
                self._answer("354 go on")
                lines = []
                while (body_line := self.rfile.readline()) != b".\r\n":
                    lines.append(body_line.removeprefix(b".") if body_line.startswith(b"..") else body_line)
                with mail_server.changed:
                    mail_server.sent_bytes.append(b"".join(lines))
                    mail_server.mails.append(message_from_bytes(b"".join(lines), policy=policy.default))
                    mail_server.changed.notify_all()
            if word == "RCPT":
                mail_server.recipients.append(line.partition("<")[2].rstrip(">"))
            self._answer("221 bye" if word == "QUIT" else "550 no" if mail_server.refuses else "250 ok")
            if word == "QUIT":
                return


@pytest.fixture(scope="module")
def mail_server() -> Iterator[MailServer]:
    mail_server = MailServer()
    mail_server.start()
    yield mail_server
    mail_server.stop()
