"""`benchwright toolchain`."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import JsonValue
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchwright_foundation.home import Home
from benchwright_harness.errors import ToolchainError
from benchwright_harness.toolchain import Toolchain
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="As `list` shows it, or the beginning of it; else the one in use."),
]


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    toolchain = typer.Typer(
        help="Build, list, check and choose toolchains, the simulators for hidden tests.", no_args_is_help=True
    )
    toolchain.command("build")(build_command)
    toolchain.command("list")(list_command)
    toolchain.command("verify")(verify_command)
    toolchain.command("use")(use_command)
    toolchain.command("prune")(prune_command)
    toolchain.command("image")(image_command)
    parent.add_typer(toolchain, name="toolchain")


def build_command(
    mirror: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="BENCHWRIGHT_DEBIAN_MIRROR",
            help="Where Debian's packages come from; if not given, apt's configured source.",
        ),
    ] = None,
    json_output: Json = False,
) -> None:
    """Build this version's toolchain and use it. Takes a few minutes; can be interrupted and started again."""
    from benchwright_harness.toolchain.build import build
    from benchwright_harness.toolchain.build_cache import fill_build_cache

    progress_columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
    )
    with (
        exit_on_expected_error(),
        Progress(*progress_columns, TimeElapsedColumn(), console=err, transient=True) as progress,
    ):
        task_id = progress.add_task("", total=100)
        shown_part = ""

        def show(percent: float, build_part: str) -> None:
            nonlocal shown_part
            progress.update(task_id, completed=percent, description=build_part)
            if build_part != shown_part and not err.is_terminal:
                # A bar is for people; a log gets one line per part.
                typer.echo(f"{percent:3.0f} % {build_part}", err=True)
            shown_part = build_part

        toolchain = build(Home.from_environment().cache, mirror, show)
        show(100, "the build cache")
        fill_build_cache(toolchain.folder)
        _delete_obsolete_folders()
    if json_output:
        print_json(_toolchain_row(toolchain, is_in_use=True))
    else:
        console.print(f"{toolchain.name} is built and in use: {toolchain.folder}", soft_wrap=True)


def list_command(json_output: Json = False) -> None:
    """List the toolchains of this machine."""
    with exit_on_expected_error():
        used_name, toolchains = _name_in_use_and_toolchains()
    rows = [_toolchain_row(toolchain, is_in_use=toolchain.name == used_name) for toolchain in toolchains]
    if json_output:
        print_json(rows)
        return
    table = TerminalTable("name", "in use", "current", "tools")
    for toolchain in toolchains:
        tools = ", ".join(f"{name} {version}" for name, version in sorted(toolchain.manifest.versions.items()))
        table.add_row(
            toolchain.name, _yes_or_empty(toolchain.name == used_name), _yes_or_empty(toolchain.is_current), tools
        )
    table.print_rows()


def verify_command(name: Name = None, json_output: Json = False) -> None:
    """Compare every file of a toolchain with its digest.

    Exit status: 0 unchanged, 1 changed.
    """
    with exit_on_expected_error():
        toolchain = _toolchain_by_prefix_or_in_use(name)
        with err.status(f"Reading {toolchain.name}"):
            differences = toolchain.changes_since_build()
    if json_output:
        print_json({"name": toolchain.name, "ok": not differences, "differences": [*differences]})
    elif differences:
        for difference in differences:
            console.print(difference, markup=False, soft_wrap=True)
        err.print(f"{toolchain.name} has changed: delete {toolchain.folder} and build it again.", soft_wrap=True)
    else:
        console.print(f"{toolchain.name} is unchanged.")
    raise typer.Exit(1 if differences else 0)


def use_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `list` shows it, or the beginning of it.")],
    json_output: Json = False,
) -> None:
    """Use another toolchain for hidden tests."""
    with exit_on_expected_error():
        toolchain = _toolchain_by_prefix_or_in_use(name)
        toolchain.use()
        _delete_obsolete_folders()
    if json_output:
        print_json(_toolchain_row(toolchain, is_in_use=True))
    else:
        console.print(f"{toolchain.name} is in use.")


def prune_command(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted, and its size.")] = False,
    json_output: Json = False,
) -> None:
    """Delete toolchains that are not in use, and leftovers of older versions. What is running stays."""
    from benchwright_harness.toolchain.pruning import prunable_folders, remove_if_unused

    with exit_on_expected_error():
        removals = [
            (leftover, not dry_run and remove_if_unused(leftover))
            for leftover in prunable_folders(Home.from_environment().cache)
        ]
    if json_output:
        print_json(
            [
                {
                    "path": str(leftover.path),
                    "kind": leftover.kind.value,
                    "bytes": leftover.size,
                    "removed": was_removed,
                }
                for leftover, was_removed in removals
            ]
        )
        return
    table = TerminalTable("name", "what", "MB", "")
    for leftover, was_removed in removals:
        outcome = "would be deleted" if dry_run else "deleted" if was_removed else "could not be deleted"
        table.add_row(leftover.path.name, leftover.kind.value, f"{leftover.size / 1e6:.0f}", outcome)
    if removals:
        table.print_rows()
    freed = sum(leftover.size for leftover, gone in removals if gone or dry_run)
    console.print(f"{freed / 1e6:.0f} MB {'would be' if dry_run else 'are'} freed.")


def image_command(name: Name = None, json_output: Json = False) -> None:
    """Create a Docker image of a toolchain, as the docker sandbox does when it needs one."""
    from benchwright_harness.sandbox.docker import DockerSandbox

    with exit_on_expected_error():
        toolchain = _toolchain_by_prefix_or_in_use(name)
        with err.status(f"Loading {toolchain.name} into Docker"):
            image = DockerSandbox().imported_image_name(toolchain)
    if json_output:
        print_json({"name": toolchain.name, "image": image})
    else:
        console.print(image)


def _name_in_use_and_toolchains() -> tuple[str, list[Toolchain]]:
    """The name of the one in use, and all of them."""
    cache = Home.from_environment().cache
    return Toolchain.folder_in_use(cache).name, Toolchain.find_all(cache)


def _toolchain_by_prefix_or_in_use(name_prefix: str | None) -> Toolchain:
    if name_prefix is None:
        return Toolchain.find(Home.from_environment().cache)
    _, toolchains = _name_in_use_and_toolchains()
    matches = [toolchain for toolchain in toolchains if toolchain.name.startswith(name_prefix)]
    if len(matches) != 1:
        names = ", ".join(toolchain.name for toolchain in matches or toolchains) or "none"
        raise ToolchainError(f"{name_prefix!r} names {len(matches)} toolchains", f"there are: {names}")
    return matches[0]


def _toolchain_row(toolchain: Toolchain, *, is_in_use: bool) -> dict[str, JsonValue]:
    return {
        "name": toolchain.name,
        "digest": toolchain.digest,
        "in_use": is_in_use,
        "current": toolchain.is_current,
        "path": str(toolchain.folder),
        "versions": dict(toolchain.manifest.versions),
    }


def _delete_obsolete_folders() -> None:
    """Delete what can't be needed again; another toolchain could be, to repeat a verdict."""
    from benchwright_harness.toolchain.pruning import FolderKind, prunable_folders, remove_if_unused

    for leftover in prunable_folders(Home.from_environment().cache, (FolderKind.PROGRAMS, FolderKind.UNFINISHED)):
        remove_if_unused(leftover)


def _yes_or_empty(value: bool) -> str:
    return "yes" if value else ""
