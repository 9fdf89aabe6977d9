"""Settings that a run of inline-completion servers was started with."""

from __future__ import annotations

from typing import Any

from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.run_folder import RunSettings
from benchwright_subjects.inline.sites import SiteKind


def settings(**changes: Any) -> RunSettings:
    """Those of a small run, with changes."""
    usual: dict[str, Any] = {
        "command": ("server",),
        "dialect": "lsp",
        "configuration": "c" * 64,
        "pack": "starter",
        "pack_version": "1",
        "problems": {},
        "kinds": (SiteKind.LINE,),
        "per_kind": 1,
        "longest": 600,
        "seed": 1,
        "policies": (AcceptPolicy.NEVER,),
        "mode": RefusalConsequence.ALONE,
        "trigger": 1,
        "timeout_s": 1.0,
        "most_asks": 9,
        "next_edits": False,
        "statement": True,
        "confined": True,
        "sites": 1,
    }
    return RunSettings(**usual | changes)
