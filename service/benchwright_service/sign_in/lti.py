"""LTI 1.3: who a learning management system says that somebody is, and in which of its courses.

The messages are those of *LTI Core 1.3*, secured as the *1EdTech Security Framework 1.0* says: the platform begins the
sign-in, and posts a signed token that must carry what the browser was sent away with.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
from authlib.oidc.core import ImplicitIDToken
from joserfc import jwt
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from benchwright_remote.messages import Role
from benchwright_service.accounts.identified import IdentifiedPerson
from benchwright_service.errors import SignInError, UnknownContextError
from benchwright_service.sign_in.claims import claim_text, ids_of_claims
from benchwright_service.sign_in.sign_in_file import LtiSettings

TIMEOUT_S = 10.0
_LEEWAY_S = 60
_OLDEST_S = 600
"""Greatest age of a message, in seconds."""
_NEW_KEYS_S = 60.0
"""A key that is not known makes the platform's keys be read again, at most this often."""
_MOST_KEYS_BYTES = 1 << 20
_LONGEST_ID = 255
_LONGEST_ADDRESS = 2_000
_SIGNED_BY = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"]
_CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
_RESOURCE_LINK, _DEEP_LINKING = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
_DEEP_LINKING_SETTINGS = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
_LINK_TYPE = "ltiResourceLink"
_LONGEST_DATA = 20_000
ASSIGNMENT = "assignment"
"""Name of the custom parameter of a link that says which assignment it is for."""
_GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
_ROSTER = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
_LTI_ROLE = re.compile(
    r"(?:http://purl\.imsglobal\.org/vocab/lis/v2/membership(?:/(?P<principal>\w+))?#)?(?P<name>\w+)"
)
"""A role in a course: `…membership#Learner`, `…membership/Learner#GuestLearner`, or `Learner`, which is deprecated."""
_ASSISTANT_NAMES = re.compile("TeachingAssistant.*|Grader")
_STAFF_ROLES = {"Instructor", "ContentDeveloper", "Administrator"}

logger = logging.getLogger(__name__)


LoginState = tuple[int, str, str]
"""Values that a browser has to bring back: the platform's number, state, nonce."""


@dataclass(frozen=True)
class DeepLinkingRequest:
    """A platform's question for links to put into its course (*Deep Linking 2.0*)."""

    return_url: str
    deployment: str
    data: str
    """What the platform wants back as it is."""
    takes_several: bool
    takes_line_items: bool


@dataclass(frozen=True)
class LtiLaunch:
    """The person who comes, and the course."""

    identity: IdentifiedPerson
    course: str
    context: str
    """The platform's id of its course."""
    platform: LtiSettings
    line_items: str
    """Address at which the platform takes grades; empty if it does not."""
    roster_address: str
    """Address of the platform's roster; empty if it gives none."""
    assignment: str = ""
    """The assignment of the link; empty if it is for the whole course."""
    deep_linking: DeepLinkingRequest | None = None
    """What the platform asks for if the person is to choose links; None if they came by one."""


class LtiTool:
    """This service as a tool of its platforms.

    Args:
        platforms: All of them.
        service_address: Address of this service, as browsers have it.
        clock: Seconds since 1970.
    """

    def __init__(
        self, platforms: Sequence[LtiSettings], service_address: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._platforms = platforms
        self.launch_url = f"{service_address.rstrip('/')}/lti/launch"
        self._now = clock
        self._keys: dict[int, tuple[float, KeySet]] = {}
        self._reading = asyncio.Lock()

    def login_address_and_state(self, login_request_fields: Mapping[str, str]) -> tuple[str, LoginState]:
        """Returns the address for a browser that a platform has sent here to sign in.

        Args:
            login_request_fields: The parameters of the platform's request.

        Raises:
            SignInError: No platform is known that asks so.
        """
        client_id = login_request_fields.get("client_id")
        indices = [
            platform_index
            for platform_index, candidate in enumerate(self._platforms)
            if candidate.issuer == login_request_fields.get("iss") and client_id in (None, "", candidate.client_id)
        ]
        if len(indices) != 1 or not login_request_fields.get("login_hint"):
            raise SignInError("unknown platform")
        platform = self._platforms[indices[0]]
        platform_index, state, nonce = indices[0], secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        query = {
            "scope": "openid",
            "response_type": "id_token",
            "response_mode": "form_post",
            "prompt": "none",
            "client_id": platform.client_id,
            "redirect_uri": self.launch_url,
            "login_hint": login_request_fields["login_hint"],
            "state": state,
            "nonce": nonce,
        }
        if login_request_fields.get("lti_message_hint"):
            query["lti_message_hint"] = login_request_fields["lti_message_hint"]
        return f"{platform.authorization_url}?{urlencode(query)}", (platform_index, state, nonce)

    async def finish_launch(self, login_state: LoginState, returned_state: str, id_token: str) -> LtiLaunch:
        """Returns the launch of the person who comes back.

        Args:
            login_state: Values that the browser was sent away with.
            returned_state: State that the browser brings.
            id_token: The platform's message.

        Raises:
            UnknownContextError: Its course is not known here.
            SignInError: The message does not hold.
        """
        platform_index, expected_state, nonce = login_state
        if not secrets.compare_digest(returned_state.encode(), expected_state.encode()):
            raise SignInError("another browser")
        platform = self._platforms[platform_index]
        try:
            claims = await self._claims_with_valid_signature(platform_index, platform, id_token)
            checked_token = ImplicitIDToken(
                claims,
                {},
                {"iss": {"values": [platform.issuer]}, "aud": {"essential": True, "value": platform.client_id}},
                {"nonce": nonce, "client_id": platform.client_id},
            )
            checked_token.validate(now=int(self._now()), leeway=_LEEWAY_S)
            return self._checked_launch(platform, claims)
        except SignInError:
            raise
        except Exception as error:
            # A message that is not as it ought to be ends in any error.
            logger.warning("an LTI launch failed: %s", type(error).__name__)
            raise SignInError(type(error).__name__) from error

    def _checked_launch(self, platform: LtiSettings, claims: Mapping[str, Any]) -> LtiLaunch:
        context_claims = claims.get(f"{_CLAIM}context") or {}
        subject = claims["sub"]
        role = role_of_lti_roles(claims.get(f"{_CLAIM}roles") or [])
        message_type = claims.get(f"{_CLAIM}message_type")
        if (
            message_type not in (_RESOURCE_LINK, _DEEP_LINKING)
            or claims.get(f"{_CLAIM}version") != "1.3.0"
            or claims.get(f"{_CLAIM}deployment_id") not in platform.deployments
            or claims["iat"] < self._now() - _OLDEST_S
            or not isinstance(subject, str)
            or not 0 < len(subject) <= _LONGEST_ID
            or role is None
        ):
            raise ValueError("the message is not one of those that are taken here")
        course = platform.courses.get(str(context_claims.get("id", "")))
        if course is None:
            raise UnknownContextError(str(context_claims.get("id", ""))[:_LONGEST_ID])
        deep_linking = _deep_linking_request(platform, claims) if message_type == _DEEP_LINKING else None
        if deep_linking is not None and role is not Role.STAFF:
            raise ValueError("links are chosen by teachers")
        name = " ".join(str(claims.get("name") or claims.get("email") or subject).split())[:200]
        grade_claims = claims.get(_GRADES) or {}
        roster = claims.get(_ROSTER) or {}
        # The platform answers for its people's addresses, unless it says that it does not.
        is_email_sure = claims.get("email_verified") is not False
        ids = ids_of_claims(claims, platform.login_claim, is_email_sure=is_email_sure)
        return LtiLaunch(
            IdentifiedPerson(platform.issuer, subject, name, role, ids),
            course,
            str(context_claims["id"]),
            platform,
            address_if_on_platform(platform, grade_claims.get("lineitems")),
            address_if_on_platform(platform, roster.get("context_memberships_url")),
            claim_text(claims, f"custom.{ASSIGNMENT}"),
            deep_linking,
        )

    async def _claims_with_valid_signature(
        self, platform_index: int, platform: LtiSettings, token: str
    ) -> dict[str, Any]:
        registry = JWSRegistry(algorithms=_SIGNED_BY, strict_check_header=False)
        keys = await self._key_set(platform_index, platform, max_age_s=3_600.0)
        try:
            return dict(jwt.decode(token, keys, registry=registry).claims)
        except Exception:
            # The platform may have other keys by now.
            newer = await self._key_set(platform_index, platform, max_age_s=_NEW_KEYS_S)
            if newer is keys:
                raise
            return dict(jwt.decode(token, newer, registry=registry).claims)

    async def _key_set(self, platform_index: int, platform: LtiSettings, *, max_age_s: float) -> KeySet:
        async with self._reading:
            read_time, keys = self._keys.get(platform_index, (0.0, None))
            if keys is not None and self._now() - read_time < max_age_s:
                return keys
            async with httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:
                reply = await client.get(platform.keys_url)
            if reply.status_code != HTTPStatus.OK or len(reply.content) > _MOST_KEYS_BYTES:
                raise ValueError("the platform's keys can't be read")
            keys = KeySet.import_key_set(reply.json())
            self._keys[platform_index] = self._now(), keys
            return keys


def _deep_linking_request(platform: LtiSettings, claims: Mapping[str, Any]) -> DeepLinkingRequest:
    settings = claims[_DEEP_LINKING_SETTINGS]
    return_url = address_if_on_platform(platform, settings.get("deep_link_return_url"))
    data = settings.get("data", "")
    if (
        not return_url
        or _LINK_TYPE not in settings["accept_types"]
        or not isinstance(data, str)
        or len(data) > _LONGEST_DATA
    ):
        raise ValueError("the platform does not take links, or not at an address of its own")
    return DeepLinkingRequest(
        return_url,
        str(claims[f"{_CLAIM}deployment_id"]),
        data,
        settings.get("accept_multiple") is True,
        settings.get("accept_lineitem") is not False,
    )


def role_of_lti_roles(lti_roles: Sequence[object]) -> Role | None:
    """Role here of somebody with these roles there; None if they have none in the course.

    Of several, the first of grader, staff and participant counts: a teaching assistant is an instructor too.
    """
    matches = [match for lti_role in lti_roles if (match := _LTI_ROLE.fullmatch(str(lti_role)))]
    principals = {match["principal"] or match["name"] for match in matches}
    if any(_ASSISTANT_NAMES.fullmatch(match["name"]) for match in matches):
        return Role.GRADER
    if principals & _STAFF_ROLES:
        return Role.STAFF
    return Role.PARTICIPANT if "Learner" in principals else None


def address_if_on_platform(platform: LtiSettings, url: object) -> str:
    """An address that a message of the platform names; empty if it is none of the platform's own hosts."""
    own_origins = {
        _scheme_and_host(address)
        for address in (platform.authorization_url, platform.token_url, platform.keys_url, *platform.services)
    }
    return url if isinstance(url, str) and len(url) <= _LONGEST_ADDRESS and _scheme_and_host(url) in own_origins else ""


def _scheme_and_host(url: str) -> tuple[str, str]:
    try:
        url_parts = urlsplit(url)
    except ValueError:
        return "", url
    return url_parts.scheme, url_parts.netloc
