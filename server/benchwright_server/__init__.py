"""The editor's side: language server, workspaces, runs on save, and the command line."""

from functools import cache


@cache
def version() -> str:
    """The version that is installed."""
    # Takes 30 ms to import, which short commands do without.
    from importlib import metadata

    return metadata.version("benchwright")
