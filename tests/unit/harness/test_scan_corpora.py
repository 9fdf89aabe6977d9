"""No real design is refused by mistake: built-in packs, published sets, a processor, a class library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_harness.scan import without_byte_order_mark
from benchwright_harness.scan.rules import rules
from benchwright_harness.scan.source import rule_matches
from benchwright_problems.problem import ScanAction

from ...support.designs.corpus import ROOT, designs

PROJECTS = ROOT.parent / "shared" / "data" / "projects"
RELEASES = ROOT.parent / "shared" / "data" / "cvdp-1.0"
SUFFIXES = (".v", ".sv", ".vh", ".svh")
INTENDED = {"file", "store", "system", "dpi", "global"}
"""Kinds of findings that real testbenches and models have on purpose; whether a solver may is another question."""


def real_source_files() -> Iterator[tuple[str, str]]:
    for design in designs():
        if not design.name.startswith(("nasty", "starter-saturating-counter-hidden-wrong-forges")):
            yield from ((f"{design.name}/{name}", text) for name, text in design.files.items())
    for file in sorted(PROJECTS.glob("*.json")):
        for name, text in json.loads(file.read_text()).items():
            if name.endswith(SUFFIXES):
                yield f"{file.stem}/{name}", text
    for file in sorted(RELEASES.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            for name, text in _source_texts_within(record):
                yield f"{record['id']}/{name}", text


def _source_texts_within(value: object) -> Iterator[tuple[str, str]]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, str) and name.endswith(SUFFIXES):
            yield name, inner
        yield from _source_texts_within(inner)


@pytest.mark.skipif(not PROJECTS.is_dir(), reason="needs the samples of ../shared/data")
def test_no_real_file_is_refused_by_mistake() -> None:
    wrong_matches, count = [], 0
    for name, text in real_source_files():
        count += 1
        path = Path(name).name
        for finding in rule_matches(path, without_byte_order_mark(path, text.encode())):
            if finding.rule not in INTENDED and rules()[finding.rule].action is ScanAction.REFUSE:
                wrong_matches.append((name, finding))
    assert wrong_matches == []
    assert count > 600
