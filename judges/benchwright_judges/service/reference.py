"""Prints `docs/reference/judge-service.md`, from the OpenAPI document and the tables of limits and refusals.

Run as `python -m benchwright_judges.service.reference > docs/reference/judge-service.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchwright_foundation.refusals import RefusalKind
from benchwright_judges.service.admission import BODY_LIMITS, BODY_TIME_S, LARGEST_HEADERS, USUAL_BODY_LIMIT
from benchwright_judges.service.app import make_api
from benchwright_judges.service.endpoints import LONGEST_WAIT_S, MOST_WAITING
from benchwright_judges.service.judging import JudgingPace
from benchwright_judges.service.server import MOST_CONNECTIONS
from benchwright_judges.service.views import LARGEST_BATCH, LONGEST_ANSWER

_HEAD = """\
# The judge service

The HTTP API of `benchwright judge serve`. Generated from its OpenAPI document by
`python -m benchwright_judges.service.reference`; do not edit. The document itself, with every field, is at
`/v1/openapi.json` and needs no token. To set up a service: [Run a judge service](../how-to/judge-service.md).
"""

_AFTER = """\
`admin` may do what the other scopes may, and sees every token's submissions.

## What a token sees

| scope | sees |
| --- | --- |
| `submit` | its own submissions: status, score, passed, label, message, rubric's name and hash, and of each vote \
judge, label, score, cost and whether it failed; if people graded, `person` instead of their pseudonyms |
| `grade` | answers that wait, blind: the problem's public side, the answer, the rubric's name and its labels |
| `admin` | the same for all tokens, and also: tokens and seconds of each vote, metrics such as BLEU, who graded, \
the agreement report |

Answer keys, rubrics, the judges' reasons and their raw replies (which may quote a key) have no field in
any response, whatever the scope. They are in the database.

## Tokens

`bwj_<id>_<secret>`: 12 hexadecimal digits, then 256 random bits in URL-safe base64. The service stores the SHA-256 of
the secret and compares it in constant time. A slow hash, as for passwords, would add no protection: there are too many
secrets to guess at any speed, and it would delay every request.

A token's bucket holds one minute's requests and refills at a constant rate; each process of the service has its own
buckets. Money is counted in the database, for all processes: before an answer goes to a model, the maximum cost of its
votes is reserved, in the transaction that accepts the answer, so concurrent requests can't spend the same money;
afterwards the actual cost is charged. Spending, at the prices in `judges.toml`, therefore never exceeds the budget.

- *The answer may cost more than is left*: 402 `budget-used-up`, not 429, because waiting does not help.
- *It would fit without the current reservations*: 429 `budget-reserved` with `Retry-After`.
- In a batch, which was accepted, such an answer waits for money for a minute and is `pending` then.

## Repetitions

`Idempotency-Key` makes repeating a POST safe, even concurrently or after a crash: the answer is judged once, and
every repetition gets that submission. Keys belong to a token and never expire; the same key with another body is
refused (409 `key-reused`). PUT needs no key.

## Durability

An accepted answer (200, 202) is on disk. A process judges a submission under a lease of {lease:g} s that it renews;
after `kill -9`, the next start, or another process on the same PostgreSQL, claims submissions whose lease has expired,
and only the holder of a lease can write a result. Votes that were paid for are stored as they arrive and are not bought
again. An answer whose judging repeatedly ended the process gets the status `error`. On SIGTERM or SIGINT the service
accepts nothing new, gives running judgements {grace:g} s to finish, and returns the rest to the queue.

## Events

`GET /v1/batches/ID/events` sends `judged` for each answer, in order of completion: `id` is its number,
`data` is `{{"submission": …, "done": n, "total": m}}`. `finished` comes last. After a broken connection,
`Last-Event-ID` continues after the last event that arrived. A comment every 15 s keeps proxies from closing; revoking a
token ends its streams.
"""


def reference() -> str:
    """The whole page, Markdown."""
    return "\n".join(_page_lines())


def _page_lines() -> Iterator[str]:
    yield _HEAD
    yield "## Endpoints\n"
    yield "| request | scope | what it does | refusals |"
    yield "| --- | --- | --- | --- |"
    for path, operations in make_api().openapi()["paths"].items():
        for method, operation in operations.items():
            (security,) = operation.get("security", [{"token": ["none"]}])
            (scope,) = security["token"]
            description = operation["description"].split("\n\n")[0].replace("\n", " ")
            refusals = " ".join(status for status in operation["responses"] if status >= "400")
            yield f"| `{method.upper()} {path}` | {scope} | {operation['summary']}. {description} | {refusals} |"
    pace = JudgingPace()
    yield "\n" + _AFTER.format(lease=pace.lease_s, grace=pace.grace_s)
    yield "## Limits\n"
    yield "| what | how much |"
    yield "| --- | --- |"
    for limit_name, limit in _limit_rows():
        yield f"| {limit_name} | {limit} |"
    yield "\n## Refusals\n"
    yield "Problem details (RFC 9457, `application/problem+json`) with `type`, `title`, `status`, `detail`, and also"
    yield "`next_step`, and `errors` with a JSON Pointer and a sentence for each flaw. The body is never quoted.\n"
    yield "| status | `type` | means |"
    yield "| --- | --- | --- |"
    for refusal_kind in RefusalKind:
        yield f"| {refusal_kind.status.value} | `{refusal_kind.uri}` | {refusal_kind.title} |"


def _limit_rows() -> Iterator[tuple[str, str]]:
    yield "characters of an answer", f"{LONGEST_ANSWER:,}"
    yield "answers of a batch", f"{LARGEST_BATCH:,}"
    for path, limit in BODY_LIMITS.items():
        yield f"bytes of a body for `{path}`", f"{limit:,}"
    yield "bytes of any other body", f"{USUAL_BODY_LIMIT:,}"
    yield "bytes of the headers", f"{LARGEST_HEADERS:,}"
    yield "time for a body to arrive", f"{BODY_TIME_S:g} s"
    yield "time a request may wait for a judgement (`wait_s`)", f"{LONGEST_WAIT_S:g} s"
    yield "answers of a token that are queued", f"{MOST_WAITING:,}"
    yield "connections", f"{MOST_CONNECTIONS:,}"


if __name__ == "__main__":
    print(reference(), file=sys.stdout)  # noqa: T201 - it is what the module is for
