"""Benchwright as pip knows it: its name, its version, and the command that installs one of its extras."""

from functools import cache

NAME = "benchwright"


@cache
def version() -> str:
    """The version that is installed."""
    # Takes 30 ms to import, which short commands do without.
    from importlib import metadata

    return metadata.version(NAME)


def install_command(extra: str) -> str:
    """The command that brings the packages of an extra."""
    return f"pip install '{NAME}[{extra}]'"
