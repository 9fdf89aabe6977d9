"""Which version of a package is installed, read once.

Inspect compares the version of `openai` three times with each request, and reads all of the package's metadata for
that. A version does not change while a program runs.
"""

from __future__ import annotations

import functools

from inspect_ai._util import version


def remember_versions() -> None:
    """Have Inspect keep what it has read."""
    if not hasattr(version._installed_version, "cache_info"):
        version._installed_version = functools.cache(version._installed_version)
