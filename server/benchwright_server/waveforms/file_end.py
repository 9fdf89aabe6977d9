"""The last time of a waveform, without reading all of it."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

_FST_HEADER = struct.Struct(">BQQQ")
"""Type of the block, its length, the first and the last time (GTKWave's `fstapi.c`, `FST_BL_HDR`)."""
_FST_HEADER_TYPE = 0
_FST_HEADER_LENGTH = 329
_TIME = re.compile(rb"^#(\d{1,20})\s", re.MULTILINE)
_FIRST_READ = 1 << 16
_MOST_READ = 1 << 26


def last_time(path: Path) -> int | None:
    """The last tick of an FST or VCD file; None if it can't be found quickly.

    Raises:
        OSError: The file can't be read.
    """
    with path.open("rb") as file:
        begin = file.read(_FST_HEADER.size)
        if len(begin) == _FST_HEADER.size:
            kind, length, _, end = _FST_HEADER.unpack(begin)
            if (kind, length) == (_FST_HEADER_TYPE, _FST_HEADER_LENGTH):
                return int(end)
        if begin[:1] and begin[0] > ord(" "):
            return _of_text(file.fileno())
        return None


def _of_text(file: int) -> int | None:
    size, read = os.fstat(file).st_size, _FIRST_READ
    while True:
        start = max(0, size - read)
        os.lseek(file, start, os.SEEK_SET)
        data = os.read(file, read)
        found = _TIME.findall(data + b"\n")
        if found:
            return int(found[-1])
        if start == 0 or read >= _MOST_READ:
            return None
        read *= 4
