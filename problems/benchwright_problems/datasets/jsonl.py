"""Reading JSON Lines from strangers: strict, and precise about what is wrong and where."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from pydantic import JsonValue

from benchwright_problems.errors import DatasetError

MAX_FILE_BYTES = 2 * 1024**3
MAX_DEPTH = 64

_TOO_DEEP = f"is nested more than {MAX_DEPTH} deep"


def read_records(file: Path) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield (line number from 1, record) of a JSON Lines file; blank lines are skipped.

    Raises:
        DatasetError: The file can't be read, is not UTF-8, or a line is not a JSON object;
            also for what the JSON grammar or UTF-8 does not have: NaN, one name twice in an
            object, and lone surrogates.
    """
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise DatasetError(file, "", f"larger than {MAX_FILE_BYTES >> 30} GiB; split it first")
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise DatasetError(file, "", f"can't be read: {error.strerror}") from error
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            text = raw.decode()
            record = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
            json.dumps(record, ensure_ascii=False).encode()
        except UnicodeDecodeError as error:
            raise DatasetError(file, "", f"byte {error.start + 1} is not UTF-8", number) from error
        except UnicodeEncodeError as error:
            raise DatasetError(file, "", "holds half of a surrogate pair, which no file can hold", number) from error
        except RecursionError as error:
            raise DatasetError(file, "", _TOO_DEEP, number) from error
        except ValueError as error:
            raise DatasetError(file, "", f"is not JSON: {error}", number) from error
        if _deeper(record, MAX_DEPTH):
            raise DatasetError(file, "", _TOO_DEEP, number)
        if not isinstance(record, dict):
            raise DatasetError(file, "", "is not a JSON object", number)
        yield number, record


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} stands twice in one object")
    return record


def _deeper(value: JsonValue, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(isinstance(value, dict | list) for value in level)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is more than a number can hold")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
