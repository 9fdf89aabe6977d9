"""Parts of a tree, as its manifest will list them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

LEFT_OUT = (
    *("./usr/share/bash-completion/*", "./usr/share/bug/*", "./usr/share/doc/*", "./usr/share/doc-base/*"),
    *("./usr/share/info/*", "./usr/share/lintian/*", "./usr/share/locale/*", "./usr/share/man/*"),
    *("./etc/cron*/*", "./etc/init.d/*", "./etc/pam.d/*", "./lib/systemd/*", "./usr/lib/systemd/*"),
)
"""Files of Debian's packages that no harness needs."""


@dataclass
class Parts:
    """The versions of what was added to a tree so far."""

    versions: dict[str, str] = field(default_factory=dict)
    """Part → version."""
    packages: dict[str, str] = field(default_factory=dict)
    """Debian package, with the prefix that it is in if it is not the system → version."""

    def note(self, package: Path, prefix: str = "") -> None:
        """Record a Debian package.

        Args:
            package: Its file.
            prefix: Name of the prefix that it is in, if it is not the system.
        """
        name, version, _ = package.stem.split("_")
        self.packages[prefix + name] = version.replace("%3a", ":")


def upstream(version: str) -> str:
    """Debian's version without its epoch and revision: `2:1.0-3` → `1.0`."""
    return re.sub(r"^\d+:|-[^-]*$", "", version)
