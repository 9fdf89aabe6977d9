"""Sign-in by an OpenID Connect provider: authorization code with PKCE, checked as OpenID Connect Core 1.0 asks.

Authlib does the protocol. What a browser has to bring back (state, nonce, verifier) is in a cookie of its own for the
minutes that this takes.
"""

from __future__ import annotations

import logging
from typing import Any

from authlib.integrations.starlette_client import StarletteIntegration, StarletteOAuth2App
from starlette.requests import Request
from starlette.responses import Response

from benchwright_service.accounts.identified import IdentifiedPerson
from benchwright_service.errors import SignInError
from benchwright_service.sign_in.claims import ids_of_claims
from benchwright_service.sign_in.sign_in_file import OidcSettings, read_secret

TIMEOUT_S = 10.0
_SIGNED_BY = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
"""Algorithms by which the provider alone can sign: not `none`, and none of a secret that two have."""
_LONGEST_SUBJECT = 255

logger = logging.getLogger(__name__)


class IdentityProvider:
    """One provider.

    Args:
        settings: Settings with its address, and with the identity of this service there.
        service_address: Address of this service, as browsers have it.

    Raises:
        BenchServiceError: The secret can't be read.
    """

    def __init__(self, settings: OidcSettings, service_address: str) -> None:
        self.name = settings.name
        self.course = settings.course
        self._issuer = settings.issuer
        self._login_claim = settings.login_claim
        self._return_to = f"{service_address.rstrip('/')}/sign-in/provider/return"
        self._app = StarletteOAuth2App(
            StarletteIntegration("oidc"),
            name="oidc",
            client_id=settings.client_id,
            client_secret=read_secret(settings.client_secret_file),
            server_metadata_url=f"{settings.issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid profile email",
                "code_challenge_method": "S256",
                "timeout": TIMEOUT_S,
                "trust_env": False,
            },
        )

    async def begin_sign_in(self, request: Request) -> Response:
        """Sends a browser to the provider.

        Raises:
            SignInError: The provider does not answer, or as another one.
        """
        try:
            await self._load_metadata_once()
            redirect: Response = await self._app.authorize_redirect(request, self._return_to)
        except Exception as error:
            # A reply that is not as it ought to be ends in any error.
            raise _sign_in_error(error) from error
        return redirect

    async def finish_sign_in(self, request: Request) -> IdentifiedPerson:
        """Returns the identity of the person whose browser comes back.

        Raises:
            SignInError: The browser does not bring what it was sent away with, or the provider's word does not hold.
        """
        try:
            await self._load_metadata_once()
            # Authlib itself takes a token for somebody else that names this service as the party that asked for it.
            claims_options = {
                "iss": {"essential": True, "value": self._app.server_metadata["issuer"]},
                "aud": {"essential": True, "value": self._app.client_id},
            }
            token = await self._app.authorize_access_token(request, claims_options=claims_options)
        except Exception as error:
            raise _sign_in_error(error) from error
        claims: dict[str, Any] = token.get("userinfo") or {}
        subject = claims.get("sub")
        if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT:
            raise SignInError("no subject")
        display_name = next(
            (claims[key] for key in ("name", "preferred_username", "email") if claims.get(key)), subject
        )
        is_email_sure = claims.get("email_verified") is True
        return IdentifiedPerson(
            self._issuer,
            subject,
            " ".join(str(display_name).split())[:200],
            ids=ids_of_claims(claims, self._login_claim, is_email_sure=is_email_sure),
            is_enrolled=False,
        )

    async def _load_metadata_once(self) -> None:
        """Reads the provider's configuration once, and takes nothing weak from it."""
        cached_metadata = self._app.server_metadata
        if "_loaded_at" in cached_metadata:
            return
        metadata = await self._app.load_server_metadata()
        if str(metadata.get("issuer", "")).rstrip("/") != self._issuer:
            cached_metadata.clear()
            raise ValueError("the configuration is another issuer's")
        allowed = [name for name in metadata.get("id_token_signing_alg_values_supported", ()) if name in _SIGNED_BY]
        metadata["id_token_signing_alg_values_supported"] = allowed or ["RS256"]


def _sign_in_error(error: Exception) -> SignInError:
    # The kind alone: what providers write may hold what identifies people.
    logger.warning("sign-in by the identity provider failed: %s", type(error).__name__)
    return SignInError(type(error).__name__)
