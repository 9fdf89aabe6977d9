"""Callers who are not signed in yet, by their address."""

from __future__ import annotations

import ipaddress

from starlette.requests import HTTPConnection

_NETWORK_BITS = 64
"""Of an address of IPv6 that tell one network from another; the others are its owner's to choose."""


def caller_address(caller: HTTPConnection) -> str:
    """Address of who asks; of a proxy on this machine, the one that the proxy says it has passed on.

    Requests are only counted by it: whoever can make it up has as many counters as they like, and nobody else's.
    """
    host = caller.client.host if caller.client is not None else ""
    try:
        if ipaddress.ip_address(host).is_loopback:
            # The last one is the proxy's own word; the client may have written those before.
            host = caller.headers.get("x-forwarded-for", host).rpartition(",")[2].strip()
        address = ipaddress.ip_address(host)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.ip_network((address, _NETWORK_BITS), strict=False))
