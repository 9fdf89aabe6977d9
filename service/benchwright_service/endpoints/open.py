"""Endpoints without a token: health, the keys of receipts, joining by an invitation, signing in by a browser."""

from __future__ import annotations

from fastapi import APIRouter, Request

from benchwright_attempts.log.published_keys import PublishedKeys
from benchwright_foundation.refusals import BODY_REFUSAL_KINDS, RefusalKind, openapi_responses_of_refusals
from benchwright_judges.service.json_route import JsonRoute
from benchwright_remote.messages import (
    Device,
    DeviceAsk,
    DeviceProgress,
    HealthReport,
    Join,
    Joined,
    NewDevice,
    PublicKey,
)
from benchwright_service.caller_address import caller_address
from benchwright_service.endpoints.admitted import TheAccounts, TheBench, TheEvidence, TheSignIn

router = APIRouter(prefix="/api/v1", route_class=JsonRoute)


@router.get("/health/live", summary="Whether the process answers")
async def live(bench: TheBench) -> HealthReport:
    """Always `ok`."""
    return HealthReport(status="ok", version=bench.version)


@router.get(
    "/health/accepting",
    summary="Whether this process takes requests",
    responses=openapi_responses_of_refusals(RefusalKind.UNEXPECTED, RefusalKind.UNAVAILABLE),
)
async def accepting(bench: TheBench) -> HealthReport:
    """Writes to the database and the data folder; 503 with the reason if it can't, or is about to end."""
    await bench.health.require_accepting()
    return HealthReport(status="ok", version=bench.version)


@router.get(
    "/health/ready",
    summary="Whether the service can work",
    responses=openapi_responses_of_refusals(RefusalKind.UNEXPECTED, RefusalKind.UNAVAILABLE),
)
async def ready(bench: TheBench) -> HealthReport:
    """The same, and whether what waits has a worker; 503 with the reason."""
    await bench.health.require_ready()
    return HealthReport(status="ok", version=bench.version)


@router.get("/key", summary="The public key of receipts")
async def key(evidence: TheEvidence) -> PublicKey:
    """The present one; Ed25519, base64: to check receipts with."""
    return PublicKey(key=evidence.signer.public_key)


@router.get("/keys", summary="All public keys of receipts")
async def keys(evidence: TheEvidence) -> PublishedKeys:
    """Each with the time in which it signed, and from when on its receipts prove nothing if it was revoked."""
    return evidence.signer.published_keys


@router.post(
    "/join",
    summary="Join a course by an invitation",
    responses=openapi_responses_of_refusals(
        *BODY_REFUSAL_KINDS,
        RefusalKind.NOT_FOUND,
        RefusalKind.CONFLICT,
        RefusalKind.INVALID,
        RefusalKind.UNEXPECTED,
        RefusalKind.UNAVAILABLE,
    ),
)
async def join(body: Join, accounts: TheAccounts) -> Joined:
    """Makes an account, or finds the one that the invitation is for, and makes a token for it."""
    account, token = await accounts.sign_in_and_get_account_and_token(body.code, body.name)
    return Joined(token=token, me=await accounts.me(account))


@router.post(
    "/devices",
    summary="Sign a program in by a browser",
    responses=openapi_responses_of_refusals(
        *BODY_REFUSAL_KINDS,
        RefusalKind.INVALID,
        RefusalKind.RATE_LIMITED,
        RefusalKind.UNEXPECTED,
        RefusalKind.UNAVAILABLE,
    ),
)
async def begin(body: NewDevice, request: Request, sign_in: TheSignIn, evidence: TheEvidence) -> Device:
    """Returns a code for a person who is signed in at `/device`, and a secret to ask with."""
    sign_in.count_begun_sign_in_or_refuse(caller_address(request))
    return await sign_in.devices.make_device_code(body.name, evidence.signer.server)


@router.post(
    "/devices/state",
    summary="Ask whether a program was signed in",
    responses=openapi_responses_of_refusals(
        *BODY_REFUSAL_KINDS,
        RefusalKind.NOT_FOUND,
        RefusalKind.INVALID,
        RefusalKind.RATE_LIMITED,
        RefusalKind.UNEXPECTED,
        RefusalKind.UNAVAILABLE,
    ),
)
async def ask(body: DeviceAsk, sign_in: TheSignIn) -> DeviceProgress:
    """Returns the token once, when it was granted."""
    return await sign_in.devices.progress_with_token_once(body.secret)
