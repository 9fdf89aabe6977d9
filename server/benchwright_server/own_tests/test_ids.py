"""Ids of the tests in a folder."""

from __future__ import annotations

_SEPARATOR = "::"


def own_test_id(path: str, name: str = "") -> str:
    """The id of a test, `tests/test_fifo.py::fills`, or of a file."""
    return f"{path}{_SEPARATOR}{name}" if name else path


def path_and_name_of_test(test_id: str) -> tuple[str, str]:
    """The file of a test or case and its name, which is empty for a file."""
    path, _, name = test_id.partition(_SEPARATOR)
    return path, name
