"""`benchwright study`."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_problems.home import Home
from benchwright_problems.problem import Difficulty
from benchwright_problems.store import Store
from benchwright_server.attempts.participation import Participation
from benchwright_server.cli.options import Json
from benchwright_server.cli.output import err, out, plain_errors, print_json
from benchwright_server.errors import ServerError
from benchwright_studies import open_log

if TYPE_CHECKING:
    from benchwright_studies.conduct import Conduct
    from benchwright_studies.delivery import Delivery
    from benchwright_studies.study_file import StudyFile
    from benchwright_studies.study_log import StudyLog

app = typer.Typer(help="Plan, carry out and close studies.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A study file, YAML.")]
StudyId = Annotated[str, typer.Argument(metavar="STUDY", help="Its id, the field `study` of its file.")]


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    parent.add_typer(app, name="study")


@contextmanager
def _log() -> Iterator[StudyLog]:
    with plain_errors():
        log = open_log(log_file(Home.find()))
        try:
            yield log
        finally:
            log.close()


def _hand_in(log: StudyLog) -> list[Delivery]:
    """Tries once more to hand in what could not be handed in before; returns what goes on waiting."""
    from benchwright_studies.delivery import Deliveries

    arrived, left = Deliveries(Home.find()).hand_in(log)
    for one in arrived:
        err.print(f"The records of {one.participant} in {one.study} are handed in now.", soft_wrap=True)
    for one in left:
        err.print(one.told, markup=False, soft_wrap=True)
    return left


def _conduct(log: StudyLog) -> Conduct:
    from benchwright_studies.conduct import Conduct

    return Conduct(log, Attempts(log))


@app.command("init")
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder for the study; made if missing.")],
) -> None:
    """Write a study file to begin with, and the schema by which editors complete it."""
    from benchwright_studies.schema import schema_text
    from benchwright_studies.template import TEMPLATE

    with plain_errors():
        file = folder / "study.yaml"
        if file.exists():
            raise ServerError(f"{file} exists already. Give another folder.")
        name = "".join(letter if letter.isalnum() else "-" for letter in folder.resolve().name.lower())
        study = name.strip("-").encode("ascii", "ignore").decode()[:64] or "study"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(TEMPLATE.format(name=file, study=study, seed=secrets.randbelow(10**9)))
            (folder / "study.schema.json").write_text(schema_text())
        except OSError as error:
            raise ServerError(f"{folder} can't be written: {error.strerror}.") from error
        out.print(f"{file} written. Change it, then: benchwright study validate {file}", soft_wrap=True)


@app.command("validate")
def validate(file: File, json_output: Json = False) -> None:
    """Check a study file: its fields, and that its problems are there."""
    from benchwright_studies.study_file import StudyFileError, read_study

    with plain_errors():
        try:
            found = read_study(file)
            _difficulties(found)
        except StudyFileError as error:
            if not json_output:
                raise
            print_json({"ok": False, "flaws": [asdict(flaw) for flaw in error.flaws]})
            raise typer.Exit(2) from error
    study = found.study
    if json_output:
        print_json({"ok": True, "study": study.study, "sha256": found.sha256, "flaws": []})
        return
    out.print(
        f"{file} is in order: {len(study.problems)} problems, {len(study.conditions)} conditions, "
        f"{len(study.pseudonyms)} participants.",
        soft_wrap=True,
    )


def _difficulties(file: StudyFile) -> dict[str, Difficulty]:
    """The difficulty of each problem, as its pack has it.

    Raises:
        StudyFileError: A problem is not there.
    """
    from benchwright_studies.taking_over import problems_of

    return {ref: problem.difficulty for ref, problem in problems_of(Store(Home.find()), file).items()}


@app.command("assign")
def assign_command(file: File, json_output: Json = False) -> None:
    """Show who does what under which condition in which order; nothing is recorded yet."""
    from benchwright_studies.assignment import assign
    from benchwright_studies.study_file import read_study

    with plain_errors():
        found = read_study(file)
        plan = assign(found.study, found.sha256, _difficulties(found))
    if json_output:
        print_json(plan.model_dump(mode="json") | {"sha256": plan.sha256})
        return
    table = Table("participant", *(str(place + 1) for place in range(len(found.study.problems))), box=None)
    for one in plan.assignments:
        table.add_row(one.participant, *(f"{task.problem}\n{task.condition}" for task in one.tasks))
    out.print(table)
    for condition in found.study.conditions:
        if not condition.solver.is_person:
            out.print(f"{condition.name}: {condition.model}, every problem, {condition.samples} samples each")
    out.print(f"seed {plan.seed}, plan {plan.sha256[:16]}")


@app.command("run")
def run(
    file: File,
    participant: Annotated[
        str | None, typer.Option(help="Who works on this machine; without it the study is only taken over.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Take a study over on this machine, and let a participant begin.

    The study then waits in the editor, and asks for consent before it records anything. From here on its rules
    and its plan are fixed.
    """
    from benchwright_studies.study_file import read_study
    from benchwright_studies.taking_over import take_over

    with _log() as log:
        _hand_in(log)
        found = read_study(file)
        conduct = _conduct(log)
        known = take_over(log, Store(Home.find()), found)
        study = known.study.study
        if participant is not None:
            conduct.enroll(study, participant)
            Participation(Home.find()).begin(study, participant)
    if json_output:
        print_json({"study": study, "sha256": known.sha256, "plan_sha256": known.plan.sha256})
        return
    out.print(f"The study {study} is taken over, with plan {known.plan.sha256[:16]}.")
    if participant is not None:
        out.print(f"{participant} can begin: open the Benchwright view in the editor, and choose the study.")
    if any(not condition.solver.is_person for condition in known.study.conditions):
        out.print(f"For its models and agents: benchwright eval --study {study}", soft_wrap=True)


@app.command("status")
def status(study: StudyId, json_output: Json = False) -> None:
    """Show how far every participant is; of a closed study, whether it is still as it was closed.

    Exit status: 1 if a closed study is not as it was closed.
    """
    from benchwright_studies.closing import check_seal
    from benchwright_studies.machine_part import machine_parts

    with _log() as log:
        waiting = {one.participant: one for one in _hand_in(log) if one.study == study}
        conduct = _conduct(log)
        known = conduct.study(study)
        begun = log.journal.participants(study)
        walks = {one: conduct.walk(study, one) for one in known.study.pseudonyms if one in begun}
        deleted = [stone.id for stone in log.journal.tombstones(study) if stone.kind == "participant"]
        machines = [(part, part.ended(log).total()) for part in machine_parts(log, study)]
        seal = check_seal(log, study) if known.closed is not None else None
    if json_output:
        print_json(
            {
                "study": study,
                "closed": known.closed is not None,
                "digest": seal.digest if seal else None,
                "flaws": list(seal.flaws) if seal else [],
                "participants": {
                    one: {"step": at.step.value, "done": at.done, "total": at.total} for one, at in walks.items()
                },
                "machines": {
                    part.condition.name: {"model": part.condition.model, "done": done, "total": part.total}
                    for part, done in machines
                },
                "not_handed_in": {
                    one: delivery.model_dump(mode="json", exclude={"study", "participant"})
                    for one, delivery in waiting.items()
                },
                "not_begun": [
                    one for one in known.study.pseudonyms if one not in walks and f"{study}/{one}" not in deleted
                ],
                "deleted": [one.partition("/")[2] for one in deleted],
            }
        )
    else:
        table = Table("participant", "next", "done", "records", box=None)
        for one in known.study.pseudonyms:
            at = walks.get(one)
            gone = f"{study}/{one}" in deleted
            step = at.step.value.replace("_", " ") if at else ("deleted" if gone else "not begun")
            records = f"not handed in yet, tried {waiting[one].tries} times" if one in waiting else ""
            table.add_row(one, step, f"{at.done}/{at.total}" if at else "", records)
        out.print(table)
        for part, done in machines:
            out.print(f"{part.condition.name}: {part.condition.model}, {done} of {part.total} attempts")
        if seal is not None:
            out.print(f"Closed. Digest {seal.digest}", soft_wrap=True)
            for flaw in seal.flaws:
                err.print(flaw, markup=False, soft_wrap=True)
    raise typer.Exit(0 if seal is None or seal.ok else 1)


@app.command("close")
def close(
    study: StudyId,
    force: Annotated[
        bool, typer.Option("--force", help="End attempts that are still going on; close it also without any.")
    ] = False,
    json_output: Json = False,
) -> None:
    """End a study: freeze its data and rules under one digest."""
    from benchwright_studies.closing import close_study

    with _log() as log:
        _hand_in(log)
        closed = close_study(log, study, force=force)
    attempts = closed.seal["attempts"]
    count = len(attempts) if isinstance(attempts, dict) else 0
    if json_output:
        print_json({"study": study, "digest": closed.digest, "attempts": count})
        return
    out.print(f"The study {study} is closed with {count} attempts. Its digest, to be published with it:")
    out.print(closed.digest)


@app.command("export")
def export(
    study: StudyId,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder for the files.")],
    participant: Annotated[str | None, typer.Option(help="Only what is of this one.")] = None,
) -> None:
    """Write a study's records as files that others can verify."""
    from benchwright_studies.archive import write_archive

    with _log() as log:
        _hand_in(log)
        try:
            written = write_archive(log, study, folder, None if participant is None else [participant])
        except OSError as error:
            raise ServerError(f"{folder} can't be written: {error.strerror}.") from error
    out.print(f"{written} attempts written to {folder}.", soft_wrap=True)


@app.command("collect")
def collect_command(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="What `study export` wrote elsewhere.")],
    json_output: Json = False,
) -> None:
    """Take over what participants' machines recorded, after checking every chain."""
    from benchwright_studies.archive import collect

    rows = []
    with _log() as log:
        _hand_in(log)
        for folder in folders:
            rows.append(collect(log, folder))
    if json_output:
        print_json([asdict(row) for row in rows])
        return
    for folder, row in zip(folders, rows, strict=True):
        withheld = f", {row.withheld} left out for want of consent" if row.withheld else ""
        out.print(f"{folder}: {row.attempts} new attempts of {row.participants} participants{withheld}.")


@app.command("delete")
def delete(
    study: StudyId,
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="A pseudonym.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    reason: Annotated[str, typer.Option(help="Kept with the tombstone.")] = "asked for by the participant",
) -> None:
    """Delete everything that was recorded of a participant; only a tombstone says that there was something."""
    from benchwright_server.attempts.study_desk import delete_participant
    from benchwright_studies.delivery import Deliveries

    with _log() as log:
        if not yes and not typer.confirm(f"Delete everything of {participant} in {study}? It can't be undone."):
            raise typer.Exit(1)
        count = delete_participant(Home.find(), log, study, participant, reason)
        Deliveries(Home.find()).drop(study, participant)
        participation = Participation(Home.find())
        if participation.all().get(study) == participant:
            participation.end(study)
    out.print(f"{count} attempts of {participant} were deleted. Copies that were exported are not.")
