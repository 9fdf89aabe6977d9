"""Benchwright as pip knows it: its name, its version, and the command that installs one of its extras."""

import contextlib
import os
import re
import sys
from functools import cache

NAME = "benchwright"
_METADATA_FOLDER = re.compile(rf"{NAME}-([0-9][^-]*)\.dist-info")


@cache
def version() -> str:
    """The version that is installed."""
    # The name of a folder says it: importing `importlib.metadata` takes 30 ms, which an editor would wait for.
    for folder in sys.path:
        with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                if match := _METADATA_FOLDER.fullmatch(entry.name):
                    return match[1]
    from importlib import metadata

    return metadata.version(NAME)


def install_command(extra: str) -> str:
    """The command that brings the packages of an extra."""
    return f"pip install '{NAME}[{extra}]'"
