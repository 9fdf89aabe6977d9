"""Sign-ins are counted by who begins them: an address beyond a proxy on this machine, and of IPv6 its network."""

from __future__ import annotations

import pytest
from starlette.requests import HTTPConnection

from benchwright_foundation.rate import Allowances, RateLimits
from benchwright_foundation.refusals import RefusalError
from benchwright_service.bench import BEGUN_SIGN_INS_PER_MINUTE, FAILED_SIGN_INS_PER_MINUTE, SignIn
from benchwright_service.caller_address import caller_address
from benchwright_service.errors import SignInError


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.7", None, "192.0.2.7"),
        ("192.0.2.7", "203.0.113.9", "192.0.2.7"),
        ("127.0.0.1", None, "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("::1", "10.1.1.1, 203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "2001:db8::7", "2001:db8::/64"),
        ("2001:db8::ffff:7", None, "2001:db8::/64"),
        ("127.0.0.1", "somebody", ""),
        ("testclient", None, ""),
    ],
)
def test_the_address_is_the_last_that_a_proxy_on_this_machine_names(
    peer: str, forwarded: str | None, expected: str
) -> None:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded is not None else []
    assert caller_address(HTTPConnection({"type": "http", "client": (peer, 1), "headers": headers})) == expected


def test_a_caller_uses_up_no_sign_in_of_another() -> None:
    sign_in = SignIn(None, None, None)  # type: ignore[arg-type]
    for _ in range(BEGUN_SIGN_INS_PER_MINUTE):
        sign_in.count_begun_sign_in_or_refuse("192.0.2.7")
    with pytest.raises(RefusalError):
        sign_in.count_begun_sign_in_or_refuse("192.0.2.7")
    sign_in.count_begun_sign_in_or_refuse("192.0.2.8")


def test_a_class_behind_one_address_signs_in_within_a_second_although_each_fails_twice_before() -> None:
    now = 0.0
    allowances = Allowances(lambda: now)
    sign_in = SignIn(
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        rates=RateLimits(allowances=allowances, name="begun"),
        failure_rates=RateLimits(allowances=allowances, name="failed"),
    )

    def fail() -> None:
        with pytest.raises(SignInError), sign_in.counting_failures("192.0.2.7"):
            raise SignInError

    for _ in range(300):
        fail()
        fail()
    for _ in range(300):
        # To the provider and back, and the editor beside it.
        with sign_in.counting_failures("192.0.2.7"), sign_in.counting_failures("192.0.2.7"):
            sign_in.count_begun_sign_in_or_refuse("192.0.2.7")
    for _ in range(FAILED_SIGN_INS_PER_MINUTE - 600):
        fail()
    with pytest.raises(RefusalError, match="have failed") as refusal, sign_in.counting_failures("192.0.2.7"):
        pytest.fail("it was let in")
    assert refusal.value.retry_after_s == 1
    with sign_in.counting_failures("192.0.2.8"):
        now += 60
    with sign_in.counting_failures("192.0.2.7"):
        pass


def test_addresses_that_are_gone_are_forgotten() -> None:
    now = 0.0
    allowances = Allowances(lambda: now)
    rates = RateLimits(allowances=allowances)
    for number in range(25_000):
        now += 0.05
        assert rates.admit_or_retry_after_s(str(number), 60) == 0
    assert len(allowances._uses) <= 10_000
