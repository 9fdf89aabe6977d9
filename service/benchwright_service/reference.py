"""Prints `docs/reference/bench-service.md`, from the OpenAPI document and the limits.

Run as `python -m benchwright_service.reference > docs/reference/bench-service.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from benchwright_remote.messages import MOST_EVENTS
from benchwright_remote.teaching_messages import MOST_CHANGES, MOST_ITEMS
from benchwright_service.accounts.personal_tokens import LONGEST_DAYS
from benchwright_service.app import OPEN, body_byte_limit, make_api
from benchwright_service.bench import BEGUN_SIGN_INS_PER_MINUTE, FAILED_SIGN_INS_PER_MINUTE
from benchwright_service.courses.quotas import USUAL
from benchwright_service.courses.snapshots import LARGEST
from benchwright_service.endpoints.admitted import SCOPE
from benchwright_service.grades.research_export import FEWEST_PEOPLE, SMALLEST_CELL
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.mail.notice_rows import MOST_TRIES as MOST_TRIES_OF_MAIL
from benchwright_service.mail.notice_rows import TERM_S as NOTICE_TERM_S
from benchwright_service.metrics import Metrics
from benchwright_service.runs.queue_rows import TERM_S
from benchwright_service.runs.runs import MOST_TRIES
from benchwright_service.server import MOST_CONNECTIONS
from benchwright_service.storage.shared_uses import SHARED_S

_HEAD = """\
# The bench service

The HTTP API of `benchwright serve`, which runs hidden tests, scores answers and keeps what solvers do, so that
nothing hidden is on a solver's machine. Generated from its OpenAPI document by
`python -m benchwright_service.reference`; do not edit. The document itself, with every field, is at
`/api/v1/openapi.json` and needs no token.

`benchwright course` makes courses, invitations and assignments, on the service's machine. `benchwright login URL`, or
*Benchwright: Sign In to a Course…* in VS Code, joins a course by an invitation. Its assignments are then in the
problem list and are worked on like every other problem: analysis and event log are on the solver's machine, hidden
tests and keys stay with the service. While the service does not answer, editing and recording go on; a run waits for
it, and says so. `benchwright lab open STUDY` lets a [study](study-file.md) be conducted by the service; see
[run a study](../how-to/run-a-study.md#with-a-bench-service). The token is in
the key store of the operating system (Keychain, Credential Locker, Secret Service, KWallet), by
[keyring](https://pypi.org/project/keyring/). Where there is none, it is in `connections.json`, which only its user can
read; `PYTHON_KEYRING_BACKEND=keyring.backends.fail.Keyring` has it there in any case. VS Code shows the accounts in its
own menu, where you can sign out; other extensions get no token. `connections.json`, and receipts in `receipts/`, are
below the [data folder](settings.md).

## Endpoints

Who asks: *anybody*, a *person* with the token that joining returned, a *teacher* with a personal access token for the
area that is named, or a *worker* with one of `benchwright course worker-token`. What a person may not know of is
answered like what does not exist; [who may ask what](permissions.md) has each role.
"""

_AFTER = """\

## What a person gets

The public part of the packs that an open assignment names; verdicts as the problem's reveal policy shows them, or
less if the assignment says so for its phase: while it is open, once it is due, once it is closed, each by the
person's own times. A verdict is shaped when it is asked for, so a later phase shows more of older ones as well; their
own attempts and runs. Hidden parts, whole verdicts and raw logs go to workers and stay below the service's data
folder. A worker's token sees all of them: give it to machines that you trust.

## Evidence

A solver's log stays the original. `POST …/events` takes what follows from the events that the service has: each hash is
recomputed, and the first event that does not follow refuses all that came with it. The answer is an
[anchor](event-log.md) with a receipt: number and hash of the newest event, the service's time, and its signature
(Ed25519, keys at `/api/v1/keys`). It is sent once the events are on disk, so a log that is cut or rewritten later
contradicts its receipts. `/api/v1/keys` has every key with the time in which it signed, and from when on its receipts
prove nothing if it was revoked; a solver's machine refuses receipts of other keys or other times.

The service's clock decides when something came: whether an assignment is open, due or closed, and what is late. A
solver's clock may be off, be set or stop; active time is measured without it. The difference between the two
clocks is kept with the attempt and with each receipt, and staff see the newest, and the least and the most if they
are more than a minute apart.

## Studies

A study is a course of its name, and who joins it by its invitation gets the next free place. `POST …/studies` returns
the participant's file without the code that opens the assignment. Consent, forecasts and answers come in with
`POST …/journal`, whose hash chain is checked. The code is in the answer once consent and every forecast are on the
service's disk, so nobody can know a condition before the forecasts are given. Who is which pseudonym is in the
service's database alone. Events of an attempt are taken only from the participant whose attempt it is, with consent.
Runs show what the study's `feedback` allows; that a run passed is sent to the participant's machine in any case.

## Runs

A run names its files by SHA-256, and brings only contents that the service lacks. The same run sent again is the same
run; a newer one of the attempt cancels an older one. Waiting runs are taken fairly over accounts: next is the oldest
run of the account whose runs have cost the least machine time. A worker has a run by a lease of {lease:g} s that each
word renews. After that it is given to another worker; after {tries} workers the run counts as undecided. A verdict
counts once. An answer is scored where the service runs.

The queue and its leases are in the database, by the database's clock, and the same for [all processes of a
service](../how-to/operate-the-service.md#more-than-one-process). When one of them, or a worker, is killed, what was
queued goes on at once, and what ran once its lease is over.

## Health

`GET /api/v1/health/live` answers 200 as long as the process does. The two others answer 503 with the reason:

| reason | `accepting` | `ready` |
| --- | --- | --- |
| the database or the data folder can't be written: it is full, read-only or gone | 503 | 503 |
| a larger write has failed so within 15 s | 503 | 503 |
| the machine's clock differs from the database's by more than a minute | 503 | 503 |
| the process has other signing keys than the service | 503 | 503 |
| the process is about to end | 503 | 503 |
| runs wait, and no worker was heard of for {lease:g} s | 200 | 503 |
| notices wait that the mail server has not taken for an hour | 200 | 503 |

An answer is kept for a second.

### Recording

In a course that asks, the service takes attempts of a student who has not agreed at the recording level `timing`
alone; the [event log](event-log.md) has what each level keeps of each type of event. The level is in the header of an
attempt, and each event is compared with what the level leaves of it, so an old client or one that says less than it
sends is refused with 422, and nothing of that request is kept: events are a chain, of which none can be left out. The
list of assignments says `records_less`, and Benchwright begins attempts accordingly. Who declines later has every
attempt of another level deleted, with a tombstone that has the number of events and the last hash; the attempt's own
events are refused from then on. Runs, their files and verdicts stay.

## The teacher's API

Programs of a course's staff ask below `/api/v1/courses`, with a personal access token. Owners and staff make one on
the service's page `/tokens`, for some areas and for at most {token_days} days; it is shown once, and stored as a
digest. The page lists the valid ones with their last use, and revokes them. A token has its person's present role in
each course, so it ends with the role; it opens no page, hands no work in, and makes no other token. Each request that
reaches a course is in its audit log, with the token's id and name, before it is answered.

Lists come in pages: `limit` items (at most {items}), and `next`, which is the `after` of the page that follows and
empty on the last one. They are in the order of what never changes, so nobody is left out or comes twice if others come
or go meanwhile. Extensions and adjustments are taken all or none: 422 names each part that is wrong by its place, and
nothing was changed. At most {changes:,} come in one request. Times have a UTC offset. The document at
`/api/v1/openapi.json` has every field.

## Judge service

The same process serves the [judge service](judge-service.md) below `/v1/`, with the settings of `judges.toml` and the
tokens of `benchwright judge token`. Neither service takes a token of the other, and a rate limit of one counts nothing
of the other. `benchwright judge serve` is the judge service alone.

## Web pages

A browser at the service's address signs in with an invitation, a link, or a token of `benchwright login`; the session
ends after 12 hours. An invitation of one person signs them in again as long as it holds, here and by `POST …/join`; a
link signs in once. Participants see their courses and assignments, and the public part of each problem that has
opened for them; owners and staff see it of every pack of the service. Owners and staff make assignments and see how
far each student is, the runs and where text came from; what they saw or changed is in the course's audit log. Pages
that one may not see are answered like those that do not exist. Forms are taken from the service's own pages only.
Cookies are for HTTPS only if `--address` begins with `https:`.

### Times

A course has an IANA time zone, which is UTC until an owner chooses another. A page shows times where its reader is,
as the browser says in the cookie `benchwright_zone`, and has the course's own in the title of each; without that
cookie, or without scripts, times are the course's. Fields of forms are local times of the same zone, which the form
names and brings with it. One over which clocks are set forward is refused, with the next that exists; one that comes
twice, when they are set back, is the later of both; a date that a form does not change stays the moment that it is.
Messages of the API have UTC, and `benchwright course` takes it.

### Mail

Where a mail server is configured, people are sent notices: plain text that says what happened and where to read it,
without points and without anything of a problem. Times are those of the reader's zone, as the browser said it last, or
else of the course. A notice is queued in the transaction of the change, and says what holds when it is sent. A
process takes those that are due by a lease of {mail_lease:g} s, all of one person, course and kind as one mail; only if
the process dies between the mail and its note of it, the mail comes twice, with the same `Message-ID`. What the mail
server does not take is tried again after a minute, and then after twice as long each time, four hours at most; after
{mail_tries} tries (about two days) it is given up. `List-Unsubscribe` and the link at the end turn a kind off without
signing in (RFC 8058); `/notices/mail` turns it on again.

| kind | to | collected for |
| --- | --- | --- |
{mail_kinds}

### Studies

A study's page is for its owners and monitors, who find it below *Studies* after signing in; to everybody else, in the
study or not, there is no such page.

| page | monitor | owner |
| --- | --- | --- |
| `/studies/STUDY` | whereabouts, last record, last work | also what has arrived, free places, invitations |
| `/studies/STUDY/closing` | | closing, its progress, the digest |
| `/studies/STUDY/report` | | the report, from the closing on |
| `/studies/STUDY/export.zip` | | all records, from the closing on |
| `/studies/STUDY/audit` | | the audit log |

Pages that refresh themselves ask for their changed parts alone, every ten seconds, or two while a study is closed, and
not while their tab is hidden. The report is served with its own policy for scripts, in a sandbox without an origin, so
that it acts for nobody who is signed in. Closing is a process of its own at niceness 10; it and `benchwright lab close`
wait for each other.

The audit log of a study has each invitation, closing, reading of the report and download. Of pages that refresh
themselves, of the audit log, and of what closing would end, it has one entry an hour for each person.

### Figures for research

`/courses/COURSE/research.zip`, for owners, has attempts and runs of participants: random names that are in no other
export and are kept nowhere, assignments by number, problems, times since the attempt began, outcomes, shares, numbers
of runs and hints. Problems at which fewer than {smallest_cell} people worked are left out and counted; below
{fewest_people} people there is no export.

### Signing programs in

`POST …/devices` returns a secret for the program and a code of eight letters for a person, who confirms it at `/device`
while signed in there, within ten minutes. Then `POST …/devices/state` returns a token once. This is what OAuth's device
flow (RFC 8628) does, with this API's messages: `benchwright login URL --browser` and VS Code use it.

### Help by models

An assignment may say which models may help: none; inline completion; chat and agents too; or named extensions. The
statement and the service's pages say so before the clock starts, and Benchwright's own completion keeps to it. The
service compares what the record of each attempt says with what the assignment said when the text was written. Only
what an editor or a completion provider reported counts: accepted completions and edits of a chat, with the extension
as far as it is named. A guess by the shape of an edit never does. Findings count characters that were inserted, also
those that were deleted later. An attempt is checked again when it has a new run, and each time its page is opened.

They are evidence for a conversation, and no proof. The record can't show a phone, a second computer, a web page that
text was read or copied from (a paste says *paste*, whatever its source), or anything in an editor that does not
report where text comes from: the pages say so then. Whoever changes their own editor or language server can leave
reports out.

### Grades

A problem is worth the points that its assignment gives for each (1 if nothing else was chosen), for the best or the
last decided run up to the closing date. A run that does not pass is worth nothing, or with partial credit the points
of the groups of hidden tests that it passes whole, its share of the hidden tests where the problem has no groups, or
the score of its answer. Each day late, counted as soon as it begins, takes the chosen percentage of a run's points;
the best run is the one that is worth most after that. Undecided runs count for nothing. An extension gives one
student later dates (an earlier one is refused); nothing closes before it is due. *Late days* are each student's own:
a course gives everybody the same number, and each assignment says how many it takes. A student uses some while the
assignment is open for them, before or after it is due; each moves the student's own due date, after any extension, by
24 hours, so a run counts as late only after that. They can't be taken back. In an assignment that is graded by group,
one use moves the dates of all of the group, and takes late days of each; it is refused if one of them has too few.
Adjustments are added, with reason, author and time; none is overwritten. Points are worked out again from the runs
each time, so a changed rule holds for all at once. *Facility* is the mean share of the points among who worked on a
problem, with Wilson's interval; *discrimination* the correlation with the points for all other problems of the course
(from ten students on); *upper minus lower* the difference in facility between the best and the worst 27 % by these
points.

## Metrics and log

With `--metrics-port`, Prometheus reads these at `http://127.0.0.1:PORT/metrics`, beside those of the process. Routes
are templates, `route` is empty where a request was refused before it reached one, and no label names a person, a
course, a problem or a run. Only programs on the same machine reach the port.
"""

_LOG = """\

Standard error has the log: addresses, and for each failure the kind of the exception and its places in the code. What
exceptions say is left out, for it may quote a student's file, a name or a token. A failure of a disk or a database is
one line with the driver's name for it, such as `DiskFull`. What repeats itself within a minute is counted.

Counters and times are those of one process: add them up. The numbers of runs and workers are the service's, and every
process says the same.

## Limits

Quotas are for one account, whatever programs it uses, and whichever of the service's processes they reach: each process
counts in memory and shares its counts by the database every {shared:g} s, so they survive a restart. A full
allowance may be used at once; it is renewed evenly over its period. What is too much
is refused with 429 and `Retry-After`, or with 413 where there is no more room for files, and nothing of it has
happened: an editor says so, keeps everything, and delivers it later. Regrades count for nobody.
"""


def reference() -> str:
    """The whole page, Markdown."""
    return "\n".join(_page_lines())


def _page_lines() -> Iterator[str]:
    yield _HEAD
    yield "| request | who | what it does |"
    yield "| --- | --- | --- |"
    for path, operations in make_api().openapi()["paths"].items():
        for method, operation in operations.items():
            description = operation["description"].split("\n\n")[0].replace("\n", " ")
            asker = _asker_text(path, operation)
            yield f"| `{method.upper()} {path}` | {asker} | {operation['summary']}. {description} |"
    yield _AFTER.format(
        lease=TERM_S,
        tries=MOST_TRIES,
        token_days=LONGEST_DAYS,
        items=MOST_ITEMS,
        changes=MOST_CHANGES,
        smallest_cell=SMALLEST_CELL,
        fewest_people=FEWEST_PEOPLE,
        mail_lease=NOTICE_TERM_S,
        mail_tries=MOST_TRIES_OF_MAIL,
        mail_kinds="\n".join(_mail_kind_lines()),
    )
    yield "| metric | type | labels | what |"
    yield "| --- | --- | --- | --- |"
    for name, kind, labels, description in Metrics().descriptions():
        yield f"| `{name}` | {kind} | {', '.join(f'`{label}`' for label in labels)} | {description} |"
    yield _LOG.format(shared=SHARED_S)
    yield "| what | how much |"
    yield "| --- | --- |"
    yield f"| events of a request | {MOST_EVENTS:,} |"
    yield f"| bytes of a body with events, files or a verdict | {body_byte_limit('/events'):,} |"
    yield f"| bytes of any other body | {body_byte_limit('/'):,} |"
    yield f"| bytes of a file | {LARGEST:,} |"
    yield f"| runs of an account that wait at once | {USUAL.runs_waiting:,} (`--runs-waiting`) |"
    yield f"| runs of an account in an hour | {USUAL.runs_per_hour:,} (`--runs-per-hour`) |"
    yield f"| events of an account in a day | {USUAL.events_per_day:,} (`--events-per-day`) |"
    yield f"| new attempts of an account in an hour | {USUAL.attempts_per_hour:,} (`--attempts-per-hour`) |"
    yield f"| megabytes of an account's compressed files | {USUAL.stored_mb:,} (`--stored-mb`) |"
    yield f"| sign-ins of an account or an address that fail in a minute | {FAILED_SIGN_INS_PER_MINUTE:,} |"
    yield f"| programs and links by mail that an address begins in a minute | {BEGUN_SIGN_INS_PER_MINUTE:,} |"
    yield f"| connections | {MOST_CONNECTIONS:,} |"


def _mail_kind_lines() -> Iterator[str]:
    for kind in MailKind:
        roles = " and ".join(sorted(role.value for role in kind.roles))
        yield f"| {kind.label} | {roles} | {kind.collected_s / 60:g} min |"


def _asker_text(path: str, operation: Mapping[str, Any]) -> str:
    if path in OPEN:
        return "anybody"
    if SCOPE in operation:
        return f"teacher, `{operation[SCOPE]}`"
    return "worker" if path.startswith("/api/v1/jobs") else "person"


if __name__ == "__main__":
    print(reference(), file=sys.stdout)  # noqa: T201 - it is what the module is for
