"""`benchwright problems new`, `twin`, `publish` and `install`: what an author needs."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_problems.errors import PackExistsError
from benchwright_problems.problem import QuestionFormat
from benchwright_problems.storage.store import Store
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # Its signatures take a while to import.
    from benchwright_problems.storage.pack_file import PublishedPack
    from benchwright_problems.storage.pack_signature import PackSigners

_QUESTION_FORMATS = " or ".join(", ".join(QuestionFormat).rsplit(", ", 1))
PackFolder = Annotated[Path, typer.Argument(help="The pack's folder.")]


def new(
    folder: Annotated[Path, typer.Argument(help="The pack's folder; a new one becomes a pack of its name.")],
    problem: Annotated[str, typer.Argument(metavar="ID", help="The problem's name, such as round-robin-arbiter.")],
    form: Annotated[
        str,
        typer.Option(
            help=f"What it begins as: cocotb or testbench for a design problem; {_QUESTION_FORMATS} for a question."
        ),
    ] = "cocotb",
    license_name: Annotated[str, typer.Option("--license", help="Of a new pack, as SPDX calls it.")] = "CC-BY-4.0",
) -> None:
    """Make a small problem that is whole and proves itself, to be changed from there."""
    from benchwright_authoring.new_problem import FORMS, write_new_problem

    with exit_on_expected_error():
        if form not in FORMS:
            raise ServerError(f"--form: {form!r} is none of {', '.join(FORMS)}.")
        try:
            problem_folder = write_new_problem(folder, problem, FORMS[form], license_name=license_name)
        except OSError as error:
            raise ServerError(f"{folder} can't be written: {error.strerror}.") from error
    console.print(f"{problem_folder} is there.", markup=False)
    console.print(f"`benchwright problems check {folder}` proves it from both sides.", markup=False, soft_wrap=True)


def twin(
    folder: PackFolder,
    problem: Annotated[str, typer.Argument(metavar="ID", help="A multiple-choice question of the pack.")],
    name: Annotated[str | None, typer.Option(help="The new question's name; ID-free if not given.")] = None,
) -> None:
    """Make a free-response question of a multiple-choice one: the right option becomes its model answer."""
    from benchwright_authoring.new_problem import write_free_response_twin

    with exit_on_expected_error():
        try:
            problem_folder = write_free_response_twin(folder, problem, name or f"{problem}-free")
        except OSError as error:
            raise ServerError(f"{folder} can't be written: {error.strerror}.") from error
    console.print(
        f"{problem_folder} is there. Read its statement without the options, and its rubric.",
        markup=False,
        soft_wrap=True,
    )


def publish(
    folder: PackFolder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written: all of the pack, its hidden parts too.")],
    json_output: Json = False,
) -> None:
    """Write a pack folder as one signed file. Whoever has the file has the hidden parts."""
    from benchwright_problems.storage.pack_file import write_pack_file
    from benchwright_problems.storage.pack_signature import read_or_make_author_key

    with exit_on_expected_error():
        try:
            published_pack = write_pack_file(folder, file, read_or_make_author_key(Home.from_environment()))
            digest = _sha256(file)
        except OSError as error:
            raise ServerError(f"{file} can't be written: {error.strerror}.") from error
    _print_published_pack(published_pack, digest, json_output, f"written to {file}")
    if not json_output:
        console.print("Tell SHA-256 and key to those who install it, by another way than the file.")


def install(
    source: Annotated[str, typer.Argument(metavar="FILE|URL", help="What `publish` has written.")],
    sha256: Annotated[str | None, typer.Option(help="That the file must have.")] = None,
    key: Annotated[str | None, typer.Option(help="That it must be signed with.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a pack of that name, also by an older version.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Install a published pack, once its digest and signature are right.

    An installed pack is replaced only by one with the same key, unless --key names another.
    """
    from benchwright_problems.storage.pack_download import fetched_pack_file
    from benchwright_problems.storage.pack_file import read_pack_file
    from benchwright_problems.storage.pack_signature import PackSigners

    def show(received_bytes: int, size: int) -> None:
        meter.show_counts(received_bytes >> 20, size >> 20, 0)

    with (
        exit_on_expected_error(),
        progress("fetching", 0, "MiB") as meter,
        fetched_pack_file(source, refuses_http=sha256 is None, on_progress=show) as file,
    ):
        home = Home.from_environment()
        digest = _sha256(file)
        if sha256 is not None and digest != sha256.lower():
            raise ServerError(f"{source} has the SHA-256 {digest}. Get it again from where it was published.")
        published_pack = read_pack_file(file)
        _check_signing_key(PackSigners(home), published_pack, key)
        name, version = published_pack.pack.name, published_pack.pack.version
        store = Store(home)
        if name in store.pack_names() and not replace:
            installed_version = store.public_pack(name).version
            raise PackExistsError(
                f"{name} {installed_version} is installed; --replace puts version {version} in its place"
            )
        store.add(published_pack.pack, replace=replace)
        PackSigners(home).store_key(name, published_pack.key)
    _print_published_pack(published_pack, digest, json_output, "installed")


def _check_signing_key(signers: PackSigners, published_pack: PublishedPack, required_key: str | None) -> None:
    if required_key is not None and published_pack.key != required_key:
        raise ServerError(f"The pack is signed with the key {published_pack.key}, not with {required_key}.")
    known_key = signers.find_key(published_pack.pack.name)
    if required_key is None and known_key not in (None, published_pack.key):
        raise ServerError(
            f"{published_pack.pack.name} was signed with the key {known_key} when it was installed, and this file with"
            f" {published_pack.key}. If its author has told you of the new key, give it as --key."
        )


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _print_published_pack(
    published_pack: PublishedPack, file_sha256: str, json_output: bool, action_in_words: str
) -> None:
    pack = published_pack.pack
    if json_output:
        fields = {"pack": pack.name, "version": pack.version, "problems": len(pack.problems)}
        print_json({**fields, "sha256": file_sha256, "key": published_pack.key})
        return
    count = len(pack.problems)
    console.print(
        f"{pack.name} {pack.version}, {count} problem{'' if count == 1 else 's'}, {action_in_words}.", markup=False
    )
    console.print(f"SHA-256: {file_sha256}\nKey: {published_pack.key}", markup=False)
