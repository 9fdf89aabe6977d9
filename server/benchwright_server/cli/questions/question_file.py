"""`benchwright questions export` and `import`: files that learning platforms read and write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_authoring.question_files.file_format import QuestionFileFormat
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.storage.store import Store
from benchwright_server.cli.terminal.options import Json, NewPack, Replace
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_authoring.question_files.question_parts import QuestionLoss

_SHOWN = 20
FileFormat = Annotated[
    QuestionFileFormat | None,
    typer.Option("--format", help="If the name (.xml, .gift, .txt, .zip) does not say it."),
]
Lossy = Annotated[bool, typer.Option("--lossy", help="Continue without what is lost, and list it.")]


def export_questions(
    pack: Annotated[str, typer.Argument(help="A pack with questions.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written with the keys; only you can read it.")],
    file_format: FileFormat = None,
    lossy: Lossy = False,
    json_output: Json = False,
) -> None:
    """Write the questions of a pack for a learning platform: Moodle XML, GIFT, or a QTI 2.1 package.

    The file is read again and compared with the pack. What it does not hold is listed, and refused without --lossy.
    Exit status: 0 nothing is lost, 1 something is and was left out, 2 refused.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright questions export`", "authoring"):
        from benchwright_authoring.question_files.question_files import format_of_file, question_file_and_losses

        store = Store(Home.from_environment())
        problems = [store.unseal(f"{pack}/{problem.id}") for problem in store.public_pack(pack).problems]
        content, losses = question_file_and_losses(problems, file_format or format_of_file(file))
        _refuse_losses(losses, accepts_losses=lossy)
        with explain_unwritable(file):
            write_atomically(file.absolute(), content, 0o600)
    dropped = {loss.question for loss in losses if loss.lost.startswith("the whole question")}
    _print_count_and_losses_and_exit(
        len(problems) - len(dropped), f"written to {file}", losses, json_output=json_output
    )


def import_questions(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Moodle XML, GIFT, or a QTI 2.1 package.")],
    pack: NewPack,
    license_name: Annotated[
        str, typer.Option("--license", help="The licence of the questions, which no such file says.")
    ],
    file_format: FileFormat = None,
    lossy: Lossy = False,
    replace: Replace = False,
    json_output: Json = False,
) -> None:
    """Make a pack of the questions that a learning platform exported.

    What has no equivalent here is listed, and refused without --lossy.
    Exit status: 0 nothing is lost, 1 something is and was left out, 2 refused.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright questions import`", "authoring"):
        from benchwright_authoring.question_files.question_files import format_of_file, pack_and_losses_of_file

        question_pack, losses = pack_and_losses_of_file(file, file_format or format_of_file(file), pack, license_name)
        _refuse_losses(losses, accepts_losses=lossy)
        Store(Home.from_environment()).add(question_pack, replace=replace)
    _print_count_and_losses_and_exit(len(question_pack.problems), f"added as {pack}", losses, json_output=json_output)


def _refuse_losses(losses: list[QuestionLoss], *, accepts_losses: bool) -> None:
    if losses and not accepts_losses:
        shown = "\n".join(f"  {loss}" for loss in losses[:_SHOWN])
        more = f"\n  and {len(losses) - _SHOWN} more" if len(losses) > _SHOWN else ""
        raise ServerError(
            f"{counted(len(losses), 'thing')} would be lost, so nothing was written:\n{shown}{more}\n"
            "Add --lossy to continue without them"
        )


def _print_count_and_losses_and_exit(
    question_count: int, action_in_words: str, losses: list[QuestionLoss], *, json_output: bool
) -> None:
    if json_output:
        print_json(
            {
                "questions": question_count,
                "losses": [{"question": loss.question, "lost": loss.lost} for loss in losses],
            }
        )
    else:
        for loss in losses:
            console.print(f"lost of {loss}", markup=False, soft_wrap=True)
        console.print(f"{counted(question_count, 'question')} {action_in_words}.", markup=False, soft_wrap=True)
    raise typer.Exit(1 if losses else 0)
