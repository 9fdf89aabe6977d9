"""The services that this user has signed in to, as clients that stay connected."""

from __future__ import annotations

import asyncio

from benchwright_remote.connections import Connection, Connections
from benchwright_remote.errors import RefusedError
from benchwright_remote.service_client import ServiceClient


class SignedInClients:
    """Clients, made when they are first needed.

    Args:
        connections: Accounts and tokens.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._clients: dict[Connection, ServiceClient] = {}

    async def client(self, url: str) -> ServiceClient:
        """The client of a service.

        Raises:
            RefusedError: The user has not signed in there.
            ServiceError: The connections can't be read, or the key store does not give the token.
        """
        connection = await asyncio.to_thread(self._connections.find_connection, url)
        if connection is None:
            raise RefusedError(401, f"You have not signed in to {url}.", f"Sign in with `benchwright login {url}`.")
        if connection not in self._clients:
            token = await asyncio.to_thread(self._connections.token, connection)
            self._clients.setdefault(connection, ServiceClient(url, token))
        return self._clients[connection]

    async def close(self) -> None:
        """Ends all connections; they are made again when they are needed."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()
