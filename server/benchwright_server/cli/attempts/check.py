"""`benchwright attempts anchor` and `benchwright attempts verify`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from benchwright_attempts.errors import UnknownAttemptError
from benchwright_attempts.log.anchors import Anchor, anchors_text, check_anchors, first_differing_seq, read_anchors
from benchwright_attempts.log.export import read_export
from benchwright_attempts.log.published_keys import PublishedKey, PublishedKeys
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_attempts.summary.kept_summary import summary_from_rows
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_remote.known_keys import KnownKeys, receipts_folder
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.options import Json, OutputFile
from benchwright_server.cli.terminal.output import console, err, explain_unwritable, print_json
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # Studies take a while to load, and `attempts list` needs none of them.
    from benchwright_studies.conduct.study_log import StudyLog

_INTACT = "The log is intact: the hash chain holds, and every save is rebuilt to the byte."


def write_anchor_beside_export(export_file: Path, header: AttemptHeader, rows: Sequence[StoredRow]) -> Anchor:
    """Write an anchor beside an export.

    Raises:
        OSError: The anchor can't be written.
    """
    anchor = Anchor(attempt=header.id, events=len(rows), head=rows[-1].hash, made=datetime.now(UTC))
    write_atomically(_anchor_file_beside(export_file), anchors_text([anchor]).encode(), 0o600)
    return anchor


def anchor_command(
    attempts: Annotated[
        list[str] | None, typer.Argument(metavar="ATTEMPT", help="Ids, or their beginnings; all attempts if none.")
    ] = None,
    study: Annotated[str | None, typer.Option(help="Only the attempts of this study.")] = None,
    output: OutputFile = None,
) -> None:
    """Say how far attempts have come, as text to print or to send: later it shows whether an end was cut off."""
    with opened_study_log() as log:
        chosen_ids = {log.header_with_id_prefix(attempt).id for attempt in attempts or ()}
        anchor_time = datetime.now(UTC)
        anchors = [
            Anchor(attempt=header.id, events=summary.seq, head=summary.head, made=anchor_time)
            for header, summary in log.summaries()
            if (not chosen_ids or header.id in chosen_ids) and study in (None, header.study)
        ]
        if not anchors:
            raise ServerError("There is no such attempt: `benchwright attempts list` shows them all.")
        if output is None:
            typer.echo(anchors_text(anchors), nl=False)
            return
        with explain_unwritable(output):
            write_atomically(output.absolute(), anchors_text(anchors).encode(), 0o600)
        err.print(f"Anchors of {counted(len(anchors), 'attempt')} written to {output}.", soft_wrap=True)


@dataclass(frozen=True)
class _LogCheck:
    attempt_id: str
    fault_text: str | None
    """The fault, as sentences; `None` if there is none."""
    count_by_schema: dict[str, int]
    agreeing_anchor_count: int
    """Anchors that agree."""
    unpublished_signers: tuple[str, ...] = ()
    """The servers that signed one of these, each with its key that is not known to be published."""
    published_signers: tuple[str, ...] = ()
    """The same with keys that are."""
    revoked_receipts: tuple[str, ...] = ()
    """Receipts of revoked keys, as sentences."""


def verify_command(
    attempt: Annotated[
        str | None, typer.Argument(metavar="ATTEMPT|FILE", help="An attempt's id, or an exported file; all if none.")
    ] = None,
    anchors: Annotated[
        list[Path] | None,
        typer.Option(help="A file with anchors, such as a saved e-mail, to compare with; may be repeated."),
    ] = None,
    keys: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file with the keys of a bench service, as its /api/v1/keys shows them, beside those that this "
            "machine has read from services; may be repeated."
        ),
    ] = None,
    json_output: Json = False,
) -> None:
    """Check the hash chain of an attempt, its files against every save, and its end against anchors.

    Exit status: 0 the log is intact, 1 it is not.
    """
    with opened_study_log() as log:
        known_anchors = [anchor for file in anchors or () for anchor in _read_anchors(file)]
        published_keys = (
            *KnownKeys(receipts_folder(Home.from_environment())).all_keys(),
            *(key for key_file in keys or () for key in _read_published_keys(key_file)),
        )
        file = Path(attempt) if attempt is not None else None
        if file is not None and file.is_file():
            anchor_file = _anchor_file_beside(file)
            known_anchors += _read_anchors(anchor_file) if anchor_file.is_file() else []
            header, rows = read_export(file)
            log_checks = [
                _check_attempt(header, rows, known_anchors, published_keys, _event_hashes_if_stored(log, header.id))
            ]
        elif attempt is not None:
            log_checks = [
                _check_stored_attempt(log, log.header_with_id_prefix(attempt).id, known_anchors, published_keys)
            ]
        else:
            log_checks = [
                _check_stored_attempt(log, header.id, known_anchors, published_keys) for header in log.headers()
            ]
            log_checks += _checks_of_missing_attempts(log, known_anchors)
    _print_log_checks(log_checks, json_output=json_output, is_single=attempt is not None)
    raise typer.Exit(0 if all(check.fault_text is None for check in log_checks) else 1)


def _check_stored_attempt(
    log: StudyLog, attempt_id: str, anchors: Sequence[Anchor], published_keys: Sequence[PublishedKey]
) -> _LogCheck:
    header, rows = log.stored_attempt(attempt_id)
    log_check = _check_attempt(header, rows, anchors, published_keys)
    if log_check.fault_text is None and (end := log.summarised_seq(attempt_id)) > len(rows):
        flaw = f"The end was cut off: the log's summary of the attempt names event {end}, and there are {len(rows)}."
        return _LogCheck(attempt_id, flaw, log_check.count_by_schema, 0)
    if log_check.fault_text is None and summary_from_rows(rows) != log.summary(attempt_id):
        return _LogCheck(
            attempt_id, "What lists show of the attempt is not what its events say.", log_check.count_by_schema, 0
        )
    return log_check


def _check_attempt(
    header: AttemptHeader,
    rows: Sequence[StoredRow],
    anchors: Sequence[Anchor],
    published_keys: Sequence[PublishedKey],
    hashes_in_own_log: Sequence[str] = (),
) -> _LogCheck:
    verification = verify_attempt(header, rows)
    hashes = [row.hash for row in rows[: verification.chain.events]]
    anchor_check = check_anchors(header.id, hashes, anchors, published_keys)
    flaws = [verification.first_fault] if verification.first_fault is not None else []
    # Where the chain breaks, all that follows is known to be wrong.
    flaws += anchor_check.flaws if verification.chain.ok else anchor_check.flaws[:1]
    parting = first_differing_seq(hashes, hashes_in_own_log)
    if parting is not None:
        flaws.append(f"The file and the log of this machine are different versions from event {parting} on.")
    schemas = {str(schema): count for schema, count in verification.record_counts_by_schema.items()}
    return _LogCheck(
        header.id,
        " ".join(flaws) or None,
        schemas,
        anchor_check.agreeing_count,
        anchor_check.unpublished_signers,
        anchor_check.published_signers,
        anchor_check.revoked,
    )


def _event_hashes_if_stored(log: StudyLog, attempt_id: str) -> list[str]:
    """The hashes that this machine's log has for an exported attempt."""
    try:
        return [row.hash for row in log.stored_attempt(attempt_id)[1]]
    except UnknownAttemptError:
        return []


def _checks_of_missing_attempts(log: StudyLog, anchors: Sequence[Anchor]) -> list[_LogCheck]:
    """Attempts that anchors name and the log does not have, unless they were deleted in the open."""
    stones = log.event_counts_of_deleted_attempts()
    attempt_ids = {header.id for header in log.headers()}
    missing_attempts = []
    for attempt in sorted({anchor.attempt for anchor in anchors} - attempt_ids):
        newest_anchor = max(
            (anchor for anchor in anchors if anchor.attempt == attempt), key=lambda anchor: anchor.events
        )
        events = stones.get(attempt)
        if events is None:
            problem: str | None = f"The attempt no longer exists: an anchor names its event {newest_anchor.events}."
        elif events < newest_anchor.events:
            problem = (
                f"It had {counted(events, 'event')} when it was deleted, and an anchor names event "
                f"{newest_anchor.events}."
            )
        else:
            continue
        missing_attempts.append(_LogCheck(attempt, problem, {}, 0))
    return missing_attempts


def _print_log_checks(log_checks: Sequence[_LogCheck], *, json_output: bool, is_single: bool) -> None:
    if json_output:
        json_rows: list[dict[str, object]] = [
            {
                "ok": checked_log.fault_text is None,
                "problem": checked_log.fault_text,
                "schemas": checked_log.count_by_schema,
                "anchors": checked_log.agreeing_anchor_count,
                "signers": list(checked_log.unpublished_signers),
                "published": list(checked_log.published_signers),
                "revoked": list(checked_log.revoked_receipts),
            }
            for checked_log in log_checks
        ]
        print_json(
            json_rows[0]
            if is_single
            else [{"attempt": check.attempt_id, **row} for check, row in zip(log_checks, json_rows, strict=True)]
        )
        return
    for checked_log in log_checks:
        name = "" if is_single else f"{checked_log.attempt_id[:8]}: "
        agree = (
            f" {checked_log.agreeing_anchor_count}"
            f" anchor{'s agree' if checked_log.agreeing_anchor_count > 1 else ' agrees'} with it."
            if checked_log.agreeing_anchor_count
            else ""
        )
        console.print(f"{name}{checked_log.fault_text or _INTACT + agree}", markup=False, soft_wrap=True)
        for signer in checked_log.published_signers:
            console.print(f"Signed by {signer}, which the server has published.", markup=False, soft_wrap=True)
        for sentence in checked_log.revoked_receipts:
            console.print(sentence, markup=False, soft_wrap=True)
        for signer in checked_log.unpublished_signers:
            console.print(
                f"Signed by {signer}: compare the key with the one that the server's owner publishes.",
                markup=False,
                soft_wrap=True,
            )
        if is_single and (len(checked_log.count_by_schema) > 1 or "1" in checked_log.count_by_schema):
            schema_counts = sorted(checked_log.count_by_schema.items())
            counts = ", ".join(f"{count} of schema {schema}" for schema, count in schema_counts)
            console.print(f"Schemas: {counts}. Older events are read as they were written.", soft_wrap=True)


def _anchor_file_beside(export_file: Path) -> Path:
    return export_file.absolute().with_name(f"{export_file.name}.anchor")


def _read_published_keys(keys_file: Path) -> Sequence[PublishedKey]:
    try:
        return PublishedKeys.model_validate_json(keys_file.read_bytes()).keys
    except OSError as error:
        raise ServerError(f"{keys_file} can't be read: {error.strerror}.") from error
    except ValidationError as error:
        raise ServerError(f"{keys_file} does not hold keys as /api/v1/keys of a bench service shows them.") from error


def _read_anchors(anchor_file: Path) -> list[Anchor]:
    try:
        return read_anchors(anchor_file.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise ServerError(f"{anchor_file} can't be read: {error.strerror}.") from error
    except ValueError as error:
        raise ServerError(f"{anchor_file}: {error}. Ask for the anchor again.") from error
