"""Accounts, the tokens that they sign in with, and invitations to courses."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence, Set
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation import access_token
from benchwright_foundation.access_token import BearerToken
from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import LINK_PREFIX, Me, Membership, Role
from benchwright_service.accounts.identified import IdentifiedPerson, enter_course_and_get_enabled_account
from benchwright_service.accounts.known_tokens import KnownTokens
from benchwright_service.accounts.person_names import displayable_name
from benchwright_service.accounts.roster_entries import absorb_account, has_roster, new_account, note_arrival
from benchwright_service.accounts.sign_in_links import redeem_link_and_get_account
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import (
    ACCOUNTS,
    COURSES,
    IDENTITIES,
    INVITATIONS,
    MEMBERS,
    ROSTER,
    SIGN_IN_LINKS,
    TOKENS,
)

PREFIX = "bws"
"""The prefix of tokens of the bench service."""
DELETED = "somebody who was deleted"
"""The name of an account that was."""
_PERSON_PER_MINUTE = 600
_WORKER_PER_MINUTE = 100_000


class AccountTokenKind(StrEnum):
    """The kind of a token: whose it is."""

    PERSON = "person"
    WORKER = "worker"
    PERSONAL = "personal"
    """A person's, for the areas of the teacher's API that it names and nothing else."""


class ServiceToken(BearerToken):
    """An access token of the bench service."""

    kind: AccountTokenKind
    account: str | None
    """None for a worker."""
    name: str
    """The purpose of the token, such as the computer it was made on."""
    scopes: str = ""
    """Of a personal token: values of `Scope` with spaces between."""
    used: float | None = None
    """Time of the last use of a personal token."""


class Accounts:
    """Makes and finds accounts and their tokens.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    prefix = PREFIX

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock
        self._known_tokens = KnownTokens(self._read_token_unless_disabled, self._valid_token_ids)

    async def find_token(self, token_id: str) -> BearerToken | None:
        """The token with this id; None as well if its account is disabled. See `KnownTokens`."""
        return await self._known_tokens.find_token(token_id)

    async def _valid_token_ids(self, token_ids: Collection[str]) -> Set[str]:
        query = (
            select(TOKENS.c.id)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == TOKENS.c.account)
            .where(TOKENS.c.id.in_(token_ids), TOKENS.c.revoked.is_(None), ACCOUNTS.c.disabled.is_(None))
        )
        async with self._database.read_transaction() as connection:
            return frozenset((await connection.execute(query)).scalars())

    async def _read_token_unless_disabled(self, token_id: str) -> ServiceToken | None:
        query = (
            select(TOKENS)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == TOKENS.c.account)
            .where(TOKENS.c.id == token_id, ACCOUNTS.c.disabled.is_(None))
        )
        async with self._database.read_transaction() as connection:
            token_row = (await connection.execute(query)).mappings().one_or_none()
        return ServiceToken.model_validate(dict(token_row)) if token_row is not None else None

    async def me(self, account: str) -> Me:
        """An account and its courses, without those that are archived."""
        async with self._database.read_transaction() as connection:
            name = (await connection.execute(select(ACCOUNTS.c.name).where(ACCOUNTS.c.id == account))).scalar_one()
        going = tuple(
            membership for membership, is_archived in await self.memberships_with_archived(account) if not is_archived
        )
        return Me(account=account, name=name, courses=going)

    async def memberships_with_archived(self, account: str) -> Sequence[tuple[Membership, bool]]:
        """All courses of somebody, oldest first, and whether each is archived."""
        query = (
            select(COURSES.c.id, COURSES.c.title, COURSES.c.archived, COURSES.c.zone, MEMBERS.c.role, MEMBERS.c.section)
            .join(MEMBERS, MEMBERS.c.course == COURSES.c.id)
            .where(MEMBERS.c.account == account)
            .order_by(COURSES.c.created, COURSES.c.id)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            (
                Membership(course=row.id, title=row.title, role=Role(row.role), section=row.section, zone=row.zone),
                row.archived is not None,
            )
            for row in rows
        ]

    async def role(self, account: str, course: str) -> Role | None:
        """The role of somebody in a course. None if they have none."""
        query = select(MEMBERS.c.role).where(MEMBERS.c.account == account, MEMBERS.c.course == course)
        async with self._database.read_transaction() as connection:
            role_name = (await connection.execute(query)).scalar()
        return Role(role_name) if role_name is not None else None

    async def new_worker_token(self, worker_name: str) -> str:
        """A new token for a worker, which receives hidden parts."""
        async with self._database.write_transaction() as connection:
            return await self._new_token(connection, AccountTokenKind.WORKER, None, worker_name, _WORKER_PER_MINUTE)

    def new_local_worker_token(self, worker_name: str) -> str:
        """A new token for a worker that this process starts: no other process takes it, and it ends with this one."""
        token, token_text = self._make_token(AccountTokenKind.WORKER, None, worker_name, _WORKER_PER_MINUTE)
        self._known_tokens.add_local_token(token)
        return token_text

    async def make_invitation(
        self, course: str, role: Role, *, section: str = "", uses: int = 1, expire_time: float | None = None
    ) -> str:
        """A code that so many people can join a course with.

        Raises:
            BenchServiceError: No such course exists.
        """
        return (await self.make_invitations(course, [(role, section)], uses=uses, expire_time=expire_time))[0]

    async def make_invitations(
        self,
        course: str,
        roles_and_sections: Sequence[tuple[Role, str]],
        *,
        uses: int = 1,
        expire_time: float | None = None,
    ) -> Sequence[str]:
        """A code for each role and section, in their order; all of them or none.

        Raises:
            BenchServiceError: No such course exists.
        """
        codes = [access_token.new_id_and_secret()[1] for _ in roles_and_sections]
        rows = [
            {
                "digest": access_token.hash_secret(code),
                "course": course,
                "role": role.value,
                "section": section,
                "uses": uses,
                "uses_left": uses,
                "created": self._now(),
                "expires": expire_time,
            }
            for code, (role, section) in zip(codes, roles_and_sections, strict=True)
        ]
        async with self._database.write_transaction() as connection:
            if (await connection.execute(select(COURSES.c.id).where(COURSES.c.id == course))).scalar() is None:
                raise BenchServiceError(f"there is no course {course!r}; `benchwright course create` makes one")
            await connection.execute(insert(INVITATIONS), rows)
        return codes

    async def sign_in_and_get_account_and_token(self, invitation_code: str, name: str) -> tuple[str, str]:
        """Signs a program in by an invitation.

        Returns:
            The account and a token for it; see `sign_in_and_get_account`.

        Raises:
            RefusalError: The code signs nobody in, or needs a name.
        """
        await self._require_usable_invitation(invitation_code)
        async with self._database.write_transaction() as connection:
            account = await self._account_of_invitation(connection, invitation_code, name)
            token = await self._new_token(
                connection, AccountTokenKind.PERSON, account, displayable_name(name), _PERSON_PER_MINUTE
            )
        return account, token

    async def sign_in_and_get_account(self, invitation_code: str, new_account_name: str) -> str:
        """The account that an invitation signs in, for a browser.

        An invitation of one person makes or finds the account, and signs it in again as long as it holds. Somebody
        on the roster is called as the roster has it. An invitation of several people makes a new account each time,
        and, where a roster says who takes part, joins no participants.

        Args:
            invitation_code: The code.
            new_account_name: The name of a new account.

        Raises:
            RefusalError: The code signs nobody in, or needs a name.
        """
        await self._require_usable_invitation(invitation_code)
        async with self._database.write_transaction() as connection:
            return await self._account_of_invitation(connection, invitation_code, new_account_name)

    async def account_of_valid_token(self, token_text: str) -> str | None:
        """The account of a person's token that is valid now; None if it is none."""
        token_parts = access_token.id_and_secret_of_token(token_text, self.prefix)
        token = await self._read_token_unless_disabled(token_parts[0]) if token_parts is not None else None
        if token_parts is None or token is None or not token.has_secret(token_parts[1]) or token.revoked is not None:
            return None
        if token.kind is not AccountTokenKind.PERSON:
            return None
        return token.account if token.expires is None or token.expires > self._now() else None

    async def new_person_token(self, connection: AsyncConnection, account: str, token_name: str) -> str:
        """A new token for a person, within a transaction."""
        return await self._new_token(connection, AccountTokenKind.PERSON, account, token_name, _PERSON_PER_MINUTE)

    async def new_scoped_token(
        self,
        connection: AsyncConnection,
        account: str,
        token_name: str,
        space_separated_scopes: str,
        expire_time: float,
    ) -> str:
        """A new token for some areas of the teacher's API, within a transaction."""
        token, token_text = self._make_token(AccountTokenKind.PERSONAL, account, token_name, _PERSON_PER_MINUTE)
        personal_token = token.model_copy(update={"scopes": space_separated_scopes, "expires": expire_time})
        await connection.execute(insert(TOKENS).values(personal_token.model_dump(mode="json")))
        return token_text

    def forget_known_tokens(self) -> None:
        """Reads every token again, because this process has revoked some, or deleted somebody."""
        self._known_tokens.forget_all_tokens()

    async def make_sign_in_again_code(self, account: str, course: str, lifetime_s: float) -> str:
        """A code that signs somebody in again; older ones that they made end.

        Args:
            account: Account of the person.
            course: One of the person's courses.
            lifetime_s: Time in seconds that it holds.
        """
        code = access_token.new_id_and_secret()[1]
        own_codes = and_(INVITATIONS.c.account == account, INVITATIONS.c.uses == 0)
        async with self._database.write_transaction() as connection:
            await connection.execute(delete(INVITATIONS).where(own_codes))
            row: dict[str, Any] = {"digest": access_token.hash_secret(code), "course": course}
            row |= {"role": Role.PARTICIPANT.value}
            row |= {"section": "", "uses": 0, "uses_left": 0, "account": account}
            row |= {"created": self._now(), "expires": self._now() + lifetime_s}
            await connection.execute(insert(INVITATIONS).values(row))
        return code

    async def can_sign_in_again(self, account: str) -> bool:
        """True if somebody can sign in again in another browser: by an invitation, or by a provider."""
        code_query = select(INVITATIONS.c.digest).where(
            *self._sign_in_again_conditions(), INVITATIONS.c.account == account
        )
        identity_query = select(IDENTITIES.c.subject).where(IDENTITIES.c.account == account)
        async with self._database.read_transaction() as connection:
            for query in (code_query, identity_query):
                if (await connection.execute(query.limit(1))).first() is not None:
                    return True
        return False

    def _sign_in_again_conditions(self) -> Sequence[ColumnElement[bool]]:
        """Conditions of an invitation that signs in the account that it is bound to."""
        is_dropped = exists().where(
            ROSTER.c.course == INVITATIONS.c.course,
            ROSTER.c.account == INVITATIONS.c.account,
            ROSTER.c.dropped.is_not(None),
        )
        is_enabled = exists().where(ACCOUNTS.c.id == INVITATIONS.c.account, ACCOUNTS.c.disabled.is_(None))
        return (
            INVITATIONS.c.account.is_not(None),
            INVITATIONS.c.expires.is_(None) | (INVITATIONS.c.expires > self._now()),
            is_enabled,
            ~is_dropped,
        )

    async def _account_of_invitation(self, connection: AsyncConnection, invitation_code: str, name: str) -> str:
        if invitation_code.startswith(LINK_PREFIX):
            linked_account = await redeem_link_and_get_account(connection, invitation_code, self._now())
            if linked_account is None:
                raise _unknown_invitation_refusal(invitation_code)
            return linked_account
        is_invitation = INVITATIONS.c.digest == access_token.hash_secret(invitation_code)
        # The same code by two programs at once: whoever comes second comes back.
        await connection.execute(select(INVITATIONS.c.digest).where(is_invitation).with_for_update())
        query = select(INVITATIONS.c.account, INVITATIONS.c.uses_left).where(
            is_invitation, *self._sign_in_again_conditions()
        )
        bound = (await connection.execute(query)).one_or_none()
        if bound is not None:
            if bound.uses_left:
                await _redeem_invitation(connection, invitation_code, self._now())
            await note_arrival(connection, bound.account, self._now())
            return str(bound.account)
        invitation = await _redeem_invitation(connection, invitation_code, self._now())
        if not name.strip():
            raise RefusalError(RefusalKind.INVALID, "An invitation needs your name.", "Enter it.")
        account = await new_account(connection, name, self._now())
        await _enter_course_unless_member(connection, invitation, account)
        if invitation.uses == 1:
            await connection.execute(update(INVITATIONS).where(is_invitation).values(account=account))
        return account

    async def join_course(self, account: str, invitation_code: str) -> None:
        """Joins a course by an invitation, with an account that is there.

        Who is on the roster becomes this account, with what the roster says of them; the invitation signs nobody in
        from then on.

        Raises:
            RefusalError: The code is unknown, expired or used up, or is of somebody else.
        """
        await self._require_usable_invitation(invitation_code)
        digest = access_token.hash_secret(invitation_code)
        async with self._database.write_transaction() as connection:
            # A code that somebody has made to come back with is nobody's invitation.
            query = select(INVITATIONS.c.account, INVITATIONS.c.course).where(
                INVITATIONS.c.digest == digest, INVITATIONS.c.uses > 0, *self._sign_in_again_conditions()
            )
            bound = (await connection.execute(query)).one_or_none()
            if bound is None:
                invitation = await _redeem_invitation(connection, invitation_code, self._now())
                await _enter_course_unless_member(connection, invitation, account)
            elif bound.account != account:
                await absorb_account(connection, bound.course, bound.account, account)
                await note_arrival(connection, account, self._now())
        self._known_tokens.forget_all_tokens()

    async def _require_usable_invitation(self, invitation_code: str) -> None:
        """Makes sure that there is an invitation: trying codes takes no turn from who has something to write."""
        has_link = SIGN_IN_LINKS.c.digest == access_token.hash_secret(invitation_code)
        has_code = INVITATIONS.c.digest == access_token.hash_secret(invitation_code)
        queries = (
            select(INVITATIONS.c.uses_left).where(has_code, *self._sign_in_again_conditions()),
            select(INVITATIONS.c.uses_left).where(*_usable_invitation_conditions(invitation_code, self._now())),
            select(SIGN_IN_LINKS.c.kind).where(has_link, SIGN_IN_LINKS.c.expires > self._now()),
        )
        async with self._database.read_transaction() as connection:
            for query in queries:
                if (await connection.execute(query)).first() is not None:
                    return
        raise _unknown_invitation_refusal(invitation_code)

    async def enrol_identity_and_make_token(self, issuer: str, subject: str, name: str, course: str, role: Role) -> str:
        """A new token for somebody whom a program on this machine has signed in, such as the hub of a class.

        Args:
            issuer: The program that signed them in.
            subject: Their identity there: the same one is the same account.
            name: The name by which the course's staff call a new account.
            course: They are in it from now on.
            role: Role in the course, unless they have one.

        Raises:
            BenchServiceError: No such course exists.
        """
        async with self._database.write_transaction() as connection:
            if (await connection.execute(select(COURSES.c.id).where(COURSES.c.id == course))).scalar() is None:
                raise BenchServiceError(f"there is no course {course!r}; `benchwright course create` makes one")
            identity = IdentifiedPerson(issuer, subject, name, role)
            account = await enter_course_and_get_enabled_account(connection, identity, course, self._now())
            if account is None:
                raise BenchServiceError(f"the account of {subject!r} was disabled")
            return await self._new_token(connection, AccountTokenKind.PERSON, account, issuer, _PERSON_PER_MINUTE)

    async def find_or_make_enabled_account(self, identity: IdentifiedPerson, course: str = "") -> str | None:
        """The account of somebody whom an identity provider or a platform has named; a new one if they have none.

        Args:
            identity: What it says of them.
            course: They belong to it from now on, unless they do, or were dropped from its roster; none if empty.

        Returns:
            None if the account was disabled.
        """
        async with self._database.write_transaction() as connection:
            return await enter_course_and_get_enabled_account(connection, identity, course, self._now())

    async def _new_token(
        self,
        connection: AsyncConnection,
        kind: AccountTokenKind,
        account: str | None,
        token_name: str,
        requests_per_minute: int,
    ) -> str:
        token, token_text = self._make_token(kind, account, token_name, requests_per_minute)
        await connection.execute(insert(TOKENS).values(token.model_dump(mode="json")))
        return token_text

    def _make_token(
        self, kind: AccountTokenKind, account: str | None, token_name: str, requests_per_minute: int
    ) -> tuple[ServiceToken, str]:
        token_id, secret = access_token.new_id_and_secret()
        token = ServiceToken(
            id=token_id,
            digest=access_token.hash_secret(secret),
            created=self._now(),
            per_minute=requests_per_minute,
            kind=kind,
            account=account,
            name=token_name,
        )
        return token, access_token.token_text(token_id, secret, PREFIX)


async def _redeem_invitation(connection: AsyncConnection, invitation_code: str, current_time: float) -> Row[Any]:
    redemption = (
        update(INVITATIONS)
        .where(*_usable_invitation_conditions(invitation_code, current_time))
        .values(uses_left=INVITATIONS.c.uses_left - 1)
        .returning(INVITATIONS)
    )
    invitation: Row[Any] | None = (await connection.execute(redemption)).one_or_none()
    if invitation is None:
        raise _unknown_invitation_refusal()
    if (
        invitation.account is None
        and invitation.role == Role.PARTICIPANT.value
        and await has_roster(connection, invitation.course)
    ):
        raise RefusalError(
            RefusalKind.CONFLICT,
            "The roster of this course says who takes part, and this invitation does not say who you are.",
            "Sign in with the invitation that was sent to you alone, or ask the course's staff for it.",
        )
    return invitation


def _usable_invitation_conditions(invitation_code: str, current_time: float) -> Sequence[ColumnElement[bool]]:
    """Conditions of the invitation of a code that can still be used."""
    return (
        INVITATIONS.c.digest == access_token.hash_secret(invitation_code),
        INVITATIONS.c.uses_left > 0,
        INVITATIONS.c.expires.is_(None) | (INVITATIONS.c.expires > current_time),
        INVITATIONS.c.course.not_in(select(COURSES.c.id).where(COURSES.c.archived.is_not(None))),
    )


def _unknown_invitation_refusal(invitation_code: str = "") -> RefusalError:
    if invitation_code.startswith(LINK_PREFIX):
        return RefusalError(
            RefusalKind.NOT_FOUND,
            "This link was used, or is too old.",
            "Load the page that has it again, and open the new one.",
        )
    return RefusalError(
        RefusalKind.NOT_FOUND,
        "The invitation is unknown, expired or used up.",
        "Check that the code was copied whole, or ask who sent it for a new one.",
    )


async def _enter_course_unless_member(connection: AsyncConnection, invitation: Row[Any], account: str) -> None:
    query = select(MEMBERS.c.role).where(MEMBERS.c.course == invitation.course, MEMBERS.c.account == account)
    if (await connection.execute(query)).scalar() is None:
        member_row = {"course": invitation.course, "account": account}
        values = member_row | {"role": invitation.role, "section": invitation.section}
        await connection.execute(insert(MEMBERS).values(values))
