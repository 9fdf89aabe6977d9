"""Links that a teacher chooses for a course of a learning management system (*Deep Linking 2.0* of LTI Advantage).

What the platform has asked for goes through the teacher's browser, signed, so that no process has to remember it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError

from benchwright_service.errors import SignInError
from benchwright_service.sign_in.lti import ASSIGNMENT, DeepLinkingRequest, LtiLaunch
from benchwright_service.sign_in.lti_services import ToolKey
from benchwright_service.sign_in.sign_in_file import LtiSettings

LIFETIME_S = 3_600
_PURPOSE = "benchwright:deep-linking"
_CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
_DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"


@dataclass(frozen=True)
class LinkChoice:
    """A platform's question, and the course that a teacher chooses from."""

    issuer: str
    client_id: str
    course: str
    request: DeepLinkingRequest


@dataclass(frozen=True)
class ChosenAssignment:
    """An assignment that becomes a link with a line item."""

    id: str
    title: str
    most_points: float
    opens: datetime | None
    closes: datetime | None


class DeepLinking:
    """Carries questions through a browser, and answers them.

    Args:
        tool_key: Key of this tool.
        launch_url: Address that links lead to.
        platforms: All that are configured.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        tool_key: ToolKey,
        launch_url: str,
        platforms: Sequence[LtiSettings],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._key = tool_key
        self._launch_url = launch_url
        self._platforms = {(platform.issuer, platform.client_id) for platform in platforms}
        self._now = clock

    def signed_request_text(self, launch: LtiLaunch) -> str:
        """The question of a launch as text for a form.

        Raises:
            ValueError: The launch asks for no links.
        """
        if launch.deep_linking is None:
            raise ValueError("the launch asks for no links")
        return self._signed_token(
            {
                "aud": _PURPOSE,
                "issuer": launch.platform.issuer,
                "client_id": launch.platform.client_id,
                "course": launch.course,
                "request": asdict(launch.deep_linking),
            }
        )

    def read_signed_request_text(self, text: str) -> LinkChoice:
        """The question that a form brings back.

        Raises:
            SignInError: It is none of this service's, or too old.
        """
        try:
            claims = jwt.decode(text, self._key.rsa_key, algorithms=["RS256"]).claims
            if claims["aud"] != _PURPOSE or claims["exp"] < self._now():
                raise SignInError("another text")
            link_choice = LinkChoice(
                claims["issuer"], claims["client_id"], claims["course"], DeepLinkingRequest(**claims["request"])
            )
        except (JoseError, KeyError, TypeError, ValueError) as error:
            raise SignInError(type(error).__name__) from error
        if (link_choice.issuer, link_choice.client_id) not in self._platforms:
            raise SignInError("unknown platform")
        return link_choice

    def signed_answer_jwt(self, link_choice: LinkChoice, assignments: Sequence[ChosenAssignment]) -> str:
        """The signed answer to a platform: a link, with a line item, for each assignment."""
        request = link_choice.request
        claims = {
            "iss": link_choice.client_id,
            "aud": link_choice.issuer,
            "nonce": secrets.token_urlsafe(16),
            f"{_CLAIM}deployment_id": request.deployment,
            f"{_CLAIM}message_type": "LtiDeepLinkingResponse",
            f"{_CLAIM}version": "1.3.0",
            f"{_DEEP_LINKING}content_items": [
                self._content_item(assignment, takes_line_items=request.takes_line_items) for assignment in assignments
            ],
        }
        return self._signed_token(claims | ({f"{_DEEP_LINKING}data": request.data} if request.data else {}))

    def _content_item(self, assignment: ChosenAssignment, *, takes_line_items: bool) -> Mapping[str, Any]:
        content_item: dict[str, Any] = {
            "type": "ltiResourceLink",
            "title": assignment.title,
            "url": self._launch_url,
            "custom": {ASSIGNMENT: assignment.id},
            "window": {"targetName": "_blank"},
        }
        period = {"startDateTime": assignment.opens, "endDateTime": assignment.closes}
        if known_times := {name: moment.isoformat() for name, moment in period.items() if moment is not None}:
            content_item["submission"] = known_times
        if takes_line_items:
            content_item["lineItem"] = {
                "scoreMaximum": assignment.most_points,
                "label": assignment.title,
                "resourceId": assignment.id,
                "tag": "benchwright",
            }
        return content_item

    def _signed_token(self, claims: Mapping[str, Any]) -> str:
        issue_time = int(self._now())
        return jwt.encode(
            {"alg": "RS256", "kid": str(self._key.rsa_key.kid)},
            {**claims, "iat": issue_time, "exp": issue_time + LIFETIME_S},
            self._key.rsa_key,
        )
