"""Clients of services on loopback."""

import ssl

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of services without TLS: it trusts nobody. To load whom all trust takes 24 ms for each client."""
