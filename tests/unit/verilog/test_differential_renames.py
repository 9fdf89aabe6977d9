"""A thousand renames under three sets of defines: the design stays the same but for the name, and no use is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...support.editor.differential_renames import conditional_design, rename_at_random, stored_design

RENAMES = 900
"""Of a night, in our own design; otherwise twenty."""
STORED_RENAMES = 100
STORED = Path(__file__).parents[4] / "shared" / "data" / "projects" / "ibex.json"


def test_a_rename_changes_only_the_name_and_loses_no_use_in_any_branch(tmp_path: Path, nightly: bool) -> None:
    count = RENAMES if nightly else 20
    results = rename_at_random(conditional_design(tmp_path / "design"), count, seed=1)
    assert results.faults == []
    assert results.done == count
    assert results.inactive_edits
    assert results.refusals.keys() <= {"no meaning there"}


@pytest.mark.nightly
@pytest.mark.skipif(not STORED.exists(), reason=f"{STORED} is not there")
def test_a_rename_in_a_core_that_is_not_ours_changes_only_the_name_and_loses_no_use(tmp_path: Path) -> None:
    results = rename_at_random(stored_design(STORED, tmp_path / "design"), STORED_RENAMES, seed=1)
    assert results.faults == []
    assert results.done == STORED_RENAMES
