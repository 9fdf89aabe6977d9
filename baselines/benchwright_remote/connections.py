"""The bench services that this user has signed in to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence

from pydantic import TypeAdapter, ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_remote import key_store
from benchwright_remote.errors import ServiceError

_FILE = "connections.json"


class Connection(Model):
    """An account at a service."""

    url: str
    """Without a slash at its end."""
    name: str
    """The person's name for the courses' staff."""
    key: str = ""
    """Under which the key store has the token; empty if there is no key store."""
    token: str = ""
    """Secret; empty if the key store has it."""


class Connections:
    """Kept in a file that only this user can read; their tokens in the operating system's key store, if there is one.

    Args:
        home: The folders of this user.
    """

    def __init__(self, home: Home) -> None:
        self._file = home.data / _FILE

    def list_all(self) -> Sequence[Connection]:
        """Every connection, in the order in which they were made.

        Raises:
            ServiceError: The file can't be read.
        """
        try:
            return TypeAdapter(tuple[Connection, ...]).validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return ()
        except (OSError, ValidationError) as error:
            raise ServiceError(
                f"{self._file} can't be read ({type(error).__name__}). Delete it, and sign in again with `benchwright"
                " login`."
            ) from None

    def find_connection(self, service_url: str) -> Connection | None:
        """The connection to a service."""
        return next((connection for connection in self.list_all() if connection.url == service_url), None)

    def token(self, connection: Connection) -> str:
        """The token of a connection. May wait until the user has unlocked the key store.

        Raises:
            ServiceError: The key store does not give it.
        """
        return key_store.read_secret(connection.key) if connection.key else connection.token

    def add(self, url: str, person_name: str, access_token: str) -> Connection:
        """Keeps a connection instead of an older one to the same service.

        Args:
            url: The service's address.
            person_name: The person's name for the courses' staff.
            access_token: Secret.

        Raises:
            ServiceError: The file can't be read or written.
        """
        older, key = self.find_connection(url), uuid.uuid4().hex
        new_connection = Connection(url=url, name=person_name, key=key)
        if not key_store.keep_secret_if_possible(key, access_token):
            new_connection = Connection(url=url, name=person_name, token=access_token)
        self._rewrite_file(
            lambda connections: [*(connection for connection in connections if connection.url != url), new_connection]
        )
        _delete_stored_secret(older)
        return new_connection

    def remove(self, url: str) -> None:
        """Forgets the connection to a service.

        Raises:
            ServiceError: The file can't be read or written.
        """
        older = self.find_connection(url)
        self._rewrite_file(lambda connections: [connection for connection in connections if connection.url != url])
        _delete_stored_secret(older)

    def _rewrite_file(self, revise: Callable[[Sequence[Connection]], Iterable[Connection]]) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with file_lock(self._file.with_suffix(".lock")):
                content = TypeAdapter(tuple[Connection, ...]).dump_json(tuple(revise(self.list_all())))
                write_atomically(self._file, content, 0o600)
        except OSError as error:
            raise ServiceError(f"{self._file} can't be written: {error.strerror}.") from error


def _delete_stored_secret(connection: Connection | None) -> None:
    if connection is not None and connection.key:
        key_store.delete_secret_if_possible(connection.key)
