"""Signing in to a bench service: by an invitation, a token, or a browser."""

from __future__ import annotations

import asyncio
import platform
import time
from urllib.parse import urlsplit

from benchwright_foundation.home import Home
from benchwright_remote.connections import Connections
from benchwright_remote.errors import ServiceError, UnreachableError
from benchwright_remote.messages import LINK_PREFIX, Device, DeviceState, Me
from benchwright_remote.service_client import ServiceClient


def checked_service_address(url: str) -> str:
    """A service's address as it is kept.

    Raises:
        ServiceError: The text is no address, or would send a token unencrypted over a network.
    """
    url_parts = urlsplit(url.strip())
    if url_parts.scheme not in ("http", "https") or not url_parts.hostname:
        raise ServiceError(f"{url!r} is not an address; write it such as https://bench.example.org.")
    if url_parts.scheme == "http" and url_parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise ServiceError(f"{url} would send your token unencrypted; use https://{url_parts.netloc}.")
    return f"{url_parts.scheme}://{url_parts.netloc}{url_parts.path.rstrip('/')}"


async def join_course(home: Home, url: str, invitation_code: str, new_account_name: str) -> Me:
    """Joins a course: with the account that this user has at the service, or with another, whose token is kept.

    Args:
        home: The folders of this user.
        url: The service's address.
        invitation_code: The invitation, or the code of a link, which signs in whom it is for, whoever was before.
        new_account_name: Name of a new account for the course's staff.

    Raises:
        ServiceError: The service refuses or does not answer, or the token can't be kept.
    """
    connections = Connections(home)
    connection = await asyncio.to_thread(connections.find_connection, address := checked_service_address(url))
    if invitation_code.strip().startswith(LINK_PREFIX):
        connection = None
    token = await asyncio.to_thread(connections.token, connection) if connection is not None else ""
    async with ServiceClient(address, token) as client:
        if connection is not None:
            return await client.join_another_course(invitation_code.strip())
        joined = await client.join(invitation_code.strip(), new_account_name.strip() or platform.node() or "a computer")
    await asyncio.to_thread(connections.add, address, joined.me.name, joined.token)
    return joined.me


async def begin_browser_sign_in(url: str) -> Device:
    """A code for a person to confirm in a browser.

    Raises:
        ServiceError: The service refuses or does not answer.
    """
    async with ServiceClient(checked_service_address(url)) as client:
        return await client.begin_browser_sign_in(platform.node() or "a computer")


async def await_browser_sign_in(home: Home, url: str, sign_in_request: Device) -> Me:
    """Waits until a person has confirmed the code, and keeps the token. While the service is away, it waits for it.

    Args:
        home: The folders of this user.
        url: The service's address.
        sign_in_request: Result of `begin_browser_sign_in`.

    Raises:
        ServiceError: Signing in was denied, took too long, or the token can't be kept.
    """
    address = checked_service_address(url)
    end = time.monotonic() + sign_in_request.expires_s
    async with ServiceClient(address) as client:
        while time.monotonic() < end:
            await asyncio.sleep(sign_in_request.interval_s)
            try:
                device_status = await client.poll_browser_sign_in(sign_in_request.secret)
            except UnreachableError:
                continue
            if device_status.joined is not None:
                joined = device_status.joined
                await asyncio.to_thread(Connections(home).add, address, joined.me.name, joined.token)
                return joined.me
            if device_status.state is DeviceState.DENIED:
                raise ServiceError("It was refused in the browser, so you are not signed in.")
            if device_status.state is DeviceState.EXPIRED:
                break
    raise ServiceError("Nobody confirmed the code in time. Begin to sign in again.")


async def keep_given_token(home: Home, url: str, access_token: str) -> Me:
    """Keeps a token that another program has got for this user, instead of an older one.

    Args:
        home: The folders of this user.
        url: The service's address.
        access_token: Secret.

    Raises:
        ServiceError: The service refuses it or does not answer, or it can't be kept.
    """
    address = checked_service_address(url)
    async with ServiceClient(address, access_token) as client:
        me = await client.me()
    await asyncio.to_thread(Connections(home).add, address, me.name, access_token)
    return me
