"""Ids of the tests in a folder."""

from __future__ import annotations

_SEPARATOR = "::"


def own_test_id(test_file_path: str, test_name: str = "") -> str:
    """The id of a test, `tests/test_fifo.py::fills`, or of a file."""
    return f"{test_file_path}{_SEPARATOR}{test_name}" if test_name else test_file_path


def path_and_name_of_test(test_id: str) -> tuple[str, str]:
    """The file of a test or case and its name, which is empty for a file."""
    path, _, name = test_id.partition(_SEPARATOR)
    return path, name
