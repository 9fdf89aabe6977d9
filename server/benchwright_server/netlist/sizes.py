"""The sizes of modules as they were last asked for, and what they were before their sources changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_server.netlist.size import Size

_KEPT = 64


@dataclass(frozen=True)
class _Known:
    digest: str
    now: Size
    before: Size | None


class Sizes:
    """The sizes of some modules, those that were last asked for."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Known] = {}

    def changed(self, module: tuple[str, str], digest: str, now: Size) -> tuple[Size, Size | None]:
        """Takes a size; returns it with that of the version before, if there was one.

        Args:
            module: The file and the instance.
            digest: Of what the size depends on.
            now: The size.
        """
        known = self._known.pop(module, None)
        if known is None or known.digest != digest:
            known = _Known(digest, now, known.now if known is not None else None)
        self._known[module] = known
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        return known.now, known.before
