"""Phrases that are not to be written: where they are, in code that is mostly no prose."""

from __future__ import annotations

from pathlib import Path

import pytest
from prose import ProseRule, Style, prose_findings

STYLE = Style((ProseRule.from_entry({"avoid": "in vain", "write": "for nothing"}),), {"archaism": True}, (), (), ())


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    from proselint.checks import __register__ as proselint_checks
    from proselint.registry import CheckRegistry

    CheckRegistry().register_many(proselint_checks)


def findings(text: str) -> list[tuple[int, int, str]]:
    return [(finding.line, finding.column, finding.phrase) for finding in prose_findings(Path("a.py"), text, STYLE)]


def test_findings_have_their_line_and_column() -> None:
    code = "count = 3\nother = count + 1\n" * 5
    assert findings(
        f"{code}wait(count)  # It waits in\n{code}\n# It waits in vain.\nraise Stop('alas and alack')\n"
    ) == [
        (23, 12, "in vain"),
        (24, 22, "alack"),
    ]


def test_no_phrase_reaches_over_code() -> None:
    assert findings("# It waits in\ncount = 3\n# vain hopes are none\n") == []
