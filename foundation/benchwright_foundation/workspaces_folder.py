"""Folder of the workspaces. `./run` reads this before anything is installed, so it imports nothing but Python's own."""

from __future__ import annotations

from pathlib import Path

DEFAULT_FOLDER_NAME = "benchwright-workspaces"
"""In the home folder. `benchwright` would be what `git clone` makes, whose hidden tests the editor would then show."""

_SIGNS = (".git", "pack.toml")


def repository_or_pack_in(folder: Path) -> Path | None:
    """A repository or a pack where only workspaces belong: the folder itself, or one in it; None if there is none.

    A solver's own repository inside of a workspace is none.
    """
    try:
        candidate_folders = [folder, *sorted(subfolder for subfolder in folder.iterdir() if subfolder.is_dir())]
    except OSError:
        return None
    return next(
        (candidate for candidate in candidate_folders if any((candidate / sign).exists() for sign in _SIGNS)), None
    )


def refusal_reason(workspaces_folder: Path, intruding_folder: Path) -> str:
    """Reason why the workspaces folder is refused, with the next step."""
    return (
        f"The workspaces folder {workspaces_folder} can't be used: {intruding_folder} is a repository or a pack, and "
        "the editor would show all of its files, hidden tests too. Move it elsewhere, or set BENCHWRIGHT_HOME to "
        "another folder."
    )
