"""The program that reads one waveform, within limits: nobody else in its process can be harmed by a hostile file.

It takes a line of JSON for each question, `{"ask": …, …}`, and writes a line of JSON with `result` or `error`.
"""

from __future__ import annotations

import json
import os
import re
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from benchwright_server.waveforms.folding import (
    Change,
    Changes,
    Entry,
    folded_entries,
    last_change_index,
    least_and_greatest_entries,
)
from benchwright_server.waveforms.value_text import value_text

MEMORY_BYTES = 3 << 30
"""Greatest number of bytes of memory that a reader takes, besides the file itself."""
_CPU_S = 1800
_KEPT_BYTES = 1 << 30
"""Number of bytes kept of the signals that were read; if they are more, they are read again."""
_LONGEST_IN_WINDOW = 80
_MOST_SIGNALS = 2_000_000
_MOST_TRIED = 200
_MOST_COMPARED = 2_000_000
_MOST_EXAMINED = 20_000
"""Signals in which unknown bits are looked for."""
"""Changes that a search for a value looks through."""
_BLOCK = 256
_DIGITS = re.compile(r"(\d+)")
_FST_HEADER = struct.Struct(">BQQQ")
"""Type of the block, its length, the first and the last time (GTKWave's `fstapi.c`, `FST_BL_HDR`)."""
_FST_HEADER_TYPE = 0
_FST_HEADER_LENGTH = 329
_TIME = re.compile(rb"^#(\d{1,20})\s", re.MULTILINE)
_FIRST_READ = 1 << 16
_MOST_READ = 1 << 26


class UnanswerableError(Exception):
    """A request that can't be answered; the message is a sentence for users."""


class WaveformFile:
    """One waveform.

    Args:
        path: The file.

    Raises:
        RefusedError: The file can't be read.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._signals: dict[str, Changes] = {}
        self._kept_bytes = 0
        self._wave = self._open_waveform()
        self._named_signals: list[tuple[str, Any]] | None = None

    def _open_waveform(self) -> Any:
        import pywellen

        return pywellen.Waveform(self._path)

    def summary(self) -> dict[str, Any]:
        """The header of the file."""
        return {
            "format": str(self._wave.file_format),
            "timescale": self._timescale(),
            "written_by": str(self._wave.version or "").strip()[:200],
            "end": self._last_tick(),
            "tops": [scope.full_name for scope in islice(self._wave.scopes(), 1000)],
        }

    def _timescale(self) -> tuple[int, str]:
        scale = self._wave.timescale
        return (scale.factor, str(scale.unit)) if scale is not None else (1, "unknown")

    def _last_tick(self) -> int:
        end = _last_tick_if_quick(Path(self._path))
        if end is not None:
            return end
        tried_changes = [self._changes_of_variable(variable) for variable in islice(self._all_variables(), _MOST_TRIED)]
        return max((changes[len(changes) - 1][0] for changes in tried_changes if len(changes)), default=0)

    def load(self) -> int:
        """Reads what every window needs; the number of changes of the first signal."""
        first = next(iter(self._all_variables()), None)
        return 0 if first is None else len(self._changes_of_variable(first))

    def _all_variables(self) -> Iterator[Any]:
        return iter(self._wave.all_vars())

    def scope_or_search_page(
        self, scope: str | None, searched_words: Sequence[str], offset: int, max_items: int
    ) -> dict[str, Any]:
        """A page of what is directly in a scope, or of the signals whose paths have some words."""
        if searched_words:
            return self._search_page([word.lower() for word in searched_words], offset, max_items)
        container = self._wave if scope is None else self._item_or_none(scope)
        if container is None or not hasattr(container, "scopes"):
            raise UnanswerableError(f"The waveform has no scope {scope}. It may have been written again.")
        children = [
            *sorted(container.scopes(), key=_natural_sort_key),
            *sorted(container.vars(), key=_natural_sort_key),
        ]
        return {"total": len(children), "items": [_item_view(item) for item in children[offset : offset + max_items]]}

    def _search_page(self, words: Sequence[str], offset: int, max_items: int) -> dict[str, Any]:
        if self._named_signals is None:
            named_signals = [
                (variable.full_name.lower(), variable) for variable in islice(self._all_variables(), _MOST_SIGNALS + 1)
            ]
            if len(named_signals) > _MOST_SIGNALS:
                raise UnanswerableError(
                    f"The waveform has more than {_MOST_SIGNALS:,} signals. Dump a part of the design."
                )
            self._named_signals = named_signals
        found_signals = [signal for name, signal in self._named_signals if all(word in name for word in words)]
        return {
            "total": len(found_signals),
            "items": [_item_view(signal) for signal in found_signals[offset : offset + max_items]],
        }

    def windows(
        self,
        signal_paths: Sequence[str],
        analogue_paths: Sequence[str],
        start_tick: int,
        end_tick: int,
        column_count: int,
    ) -> list[dict[str, Any] | None]:
        """The windows of some signals; None for those that there are not."""
        return [
            self._window_or_none(path, path in analogue_paths, start_tick, end_tick, column_count)
            for path in signal_paths
        ]

    def _window_or_none(
        self, signal_path: str, is_analogue: bool, start_tick: int, end_tick: int, column_count: int
    ) -> dict[str, Any] | None:
        changes = self._changes(signal_path)
        if changes is None:
            return None
        entries: Sequence[Entry] = []
        if len(changes) and is_analogue:
            bits = self._item_or_none(signal_path).bitwidth
            entries = least_and_greatest_entries(changes, start_tick, end_tick, column_count, bits)
        elif len(changes):
            entries = folded_entries(changes, start_tick, end_tick, column_count)
        return {
            "times": [time for time, _ in entries],
            "values": [value_text(value, _LONGEST_IN_WINDOW) if value is not None else None for _, value in entries],
        }

    def values_at(self, signal_paths: Sequence[str], tick: int) -> list[dict[str, Any] | None]:
        """Each signal's value at a tick with its width; None for those that there are not."""
        signal_values: list[dict[str, Any] | None] = []
        for path in signal_paths:
            changes = self._changes(path)
            index = last_change_index(changes, tick) if changes is not None and len(changes) else -1
            value = value_text(changes[index][1]) if changes is not None and index >= 0 else None
            signal_values.append(
                {"value": value, "bits": self._item_or_none(path).bitwidth} if changes is not None else None
            )
        return signal_values

    def nth_change(
        self, signal_path: str, tick: int, forward: bool, wanted_value: str | None, nth: int
    ) -> dict[str, Any]:
        """The nth change of a signal after or before a tick; to that value, if one is given.

        Time and value are None if there are fewer, and `count` says how many there are, at most `nth`.
        """
        changes = self._changes(signal_path)
        if changes is None:
            raise UnanswerableError(f"The waveform has no signal {signal_path}. It may have been written again.")
        index = last_change_index(changes, tick) if len(changes) else -1
        if not forward and index >= 0 and changes[index][0] == tick:
            index -= 1
        first_index = index + 1 if forward else index
        if wanted_value is None:
            nth_index = first_index + (nth - 1 if forward else 1 - nth)
            if 0 <= nth_index < len(changes):
                change_time, new_value = changes[nth_index]
                return {"time": change_time, "value": value_text(new_value), "count": nth}
            return {"time": None, "value": None, "count": len(changes) - first_index if forward else first_index + 1}
        count = 0
        for number, (change_time, new_value) in enumerate(_changes_from(changes, first_index, forward)):
            text = value_text(new_value)
            if text == wanted_value:
                count += 1
                if count == nth:
                    return {"time": change_time, "value": text, "count": count}
            if number == _MOST_COMPARED:
                count_text = f"{count:,}" if count else "None"
                raise UnanswerableError(
                    f"{count_text} of the next {number:,} changes of {signal_path} {'are' if count > 1 else 'is'} to "
                    f"{wanted_value}. Ask from {change_time}{f' for the rest of the {nth:,}' if count else ''}."
                )
        return {"time": None, "value": None, "count": count}

    def signals_unknown_at_end(self, max_count: int) -> dict[str, Any]:
        """Signals with a bit that is x at the end, and since when; those that were so first come first."""
        unknown_signals = []
        for variable in islice(self._all_variables(), _MOST_EXAMINED):
            changes = self._changes_of_variable(variable)
            if variable.is_string or not len(changes) or not _has_unknown_bit(changes[len(changes) - 1][1]):
                continue
            start = 0
            for number, (time, value) in enumerate(_changes_from(changes, len(changes) - 1, is_forward=False)):
                if not _has_unknown_bit(value) or number == _MOST_COMPARED:
                    break
                start = time
            unknown_signals.append((start, variable.full_name))
        signals = [{"path": path, "since": start} for start, path in sorted(unknown_signals)[:max_count]]
        return {"timescale": self._timescale(), "signals": signals}

    def known_signals(self, signal_paths: Sequence[str]) -> list[str]:
        """Those that the waveform has."""
        return [path for path in signal_paths if _is_signal(self._item_or_none(path))]

    def _item_or_none(self, item_path: str) -> Any:
        try:
            return self._wave[item_path]
        except KeyError:
            return None

    def _changes(self, signal_path: str) -> Changes | None:
        if signal_path not in self._signals:
            variable = self._item_or_none(signal_path)
            if not _is_signal(variable):
                return None
            changes = self._changes_of_variable(variable)
            self._kept_bytes += len(changes) * (4 + -(-(variable.bitwidth or 64) // 8))
            if self._kept_bytes > _KEPT_BYTES and self._signals:
                # The library itself drops nothing.
                self._signals, self._kept_bytes, self._named_signals = {}, 0, None
                self._wave = self._open_waveform()
                return self._changes(signal_path)
            self._signals[signal_path] = changes
        return self._signals[signal_path]

    def _changes_of_variable(self, variable: Any) -> Changes:
        changes: Changes = variable.signal
        return _QuotedTextChanges(changes) if variable.is_string else changes


def _changes_from(changes: Changes, first_index: int, is_forward: bool) -> Iterator[Change]:
    """The changes from a number on, or back; read in blocks, as one by one takes longer."""
    if not is_forward:
        first_index = len(changes) - 1 - first_index
    for block_start in range(first_index, len(changes), _BLOCK):
        end = min(block_start + _BLOCK, len(changes))
        if is_forward:
            yield from changes[block_start:end]
        else:
            yield from reversed(changes[len(changes) - end : len(changes) - block_start])


def _has_unknown_bit(value: Any) -> bool:
    text = value_text(value)
    return text.startswith("b") and "x" in text


class _QuotedTextChanges:
    """The changes of a signal of text: quoted, so that it is never taken for bits."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def __len__(self) -> int:
        return len(self._changes)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [(time, json.dumps(value)) for time, value in self._changes[index]]
        time, value = self._changes[index]
        return time, json.dumps(value)


def _is_signal(item: Any) -> bool:
    return item is not None and hasattr(item, "signal_id")


def _natural_sort_key(item: Any) -> list[tuple[int, str]]:
    """So that `u10` comes after `u9`."""
    name_parts = _DIGITS.split(item.name)
    return [
        (int(part), "") if part.isdigit() and part.isascii() and len(part) < 20 else (0, part) for part in name_parts
    ]


def _item_view(item: Any) -> dict[str, Any]:
    if _is_signal(item):
        properties = {"kind": "signal", "type": str(item.var_type).lower(), "bits": item.bitwidth}
    else:
        properties = {"kind": "scope", "type": str(item.scope_type).lower(), "bits": None}
    return {"path": item.full_name, "name": item.name, **properties}


def _limit_resources_of_process(waveform_path: str) -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        memory = MEMORY_BYTES + Path(waveform_path).stat().st_size
        for resource_limit, maximum in (
            (resource.RLIMIT_AS, memory),
            (resource.RLIMIT_CPU, _CPU_S),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(resource_limit, (maximum, maximum))


def serve() -> None:
    """Answer what standard input asks about the file that the second argument names."""
    path = sys.argv[2]
    _limit_resources_of_process(path)
    wave: WaveformFile | None = None
    for line in sys.stdin.buffer:
        request = json.loads(line)
        name = request.pop("ask")
        try:
            wave = wave or WaveformFile(path)
            ask: Callable[..., Any] = getattr(wave, name)
            reply = {"result": ask(**request)}
        except UnanswerableError as error:
            reply = {"error": str(error)}
        except MemoryError:
            reply = {"error": "", "fatal": "memory"}
        except BaseException as error:  # A panic of the library's is no `Exception`.
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            reply = {"error": "", "fatal": _printable_message(error)}
        sys.stdout.buffer.write(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
        sys.stdout.buffer.flush()
        if "fatal" in reply:
            break


def _printable_message(error: BaseException) -> str:
    message = " ".join(str(error).split())
    return "".join(sign for sign in message if sign.isprintable())[:200]


def _last_tick_if_quick(path: Path) -> int | None:
    """The last tick of an FST or VCD file; None if it can't be found quickly.

    Raises:
        OSError: The file can't be read.
    """
    with path.open("rb") as file:
        header = file.read(_FST_HEADER.size)
        if len(header) == _FST_HEADER.size:
            kind, length, _, end = _FST_HEADER.unpack(header)
            if (kind, length) == (_FST_HEADER_TYPE, _FST_HEADER_LENGTH):
                return int(end)
        if header[:1] and header[0] > ord(" "):
            return _last_vcd_tick(file.fileno())
        return None


def _last_vcd_tick(file_descriptor: int) -> int | None:
    size, read_size = os.fstat(file_descriptor).st_size, _FIRST_READ
    while True:
        start = max(0, size - read_size)
        os.lseek(file_descriptor, start, os.SEEK_SET)
        data = os.read(file_descriptor, read_size)
        time_matches = _TIME.findall(data + b"\n")
        if time_matches:
            return int(time_matches[-1])
        if start == 0 or read_size >= _MOST_READ:
            return None
        read_size *= 4
