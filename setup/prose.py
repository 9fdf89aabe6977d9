"""Checks the English of what people read: `python setup/prose.py [--all] [PATH …]`.

Two sets of rules are applied: ours, which are data (`prose.toml`), and those of proselint that `prose.toml` names.
They see documentation, docstrings, comments, and the string literals of code that have two words or more.
"""

import argparse
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prose_text import blot_out_all_but_prose, squeeze_blots
from proselint.checks import __register__ as proselint_checks
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

ROOT = Path(__file__).resolve().parent.parent
# One line break at most: a phrase does not go on in the next paragraph.
_SPACE = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)"
_LONGEST_WORD = 40
_UNLIMITED = 1_000_000


@dataclass(frozen=True)
class ProseRule:
    """A phrase that is not to be written."""

    pattern: re.Pattern[str]
    advice: str
    """Advice on what to write instead, or why not."""
    unless_after: re.Pattern[str] | None

    @classmethod
    def from_entry(cls, rule_entry: dict[str, str]) -> "ProseRule":
        """Reads a rule; a space in its pattern also matches the end of a line."""
        flags = re.NOFLAG if rule_entry.get("case") == "sensitive" else re.IGNORECASE
        pattern = re.compile(rf"\b(?:{rule_entry['avoid']})\b".replace(" ", _SPACE), flags)
        unless = re.compile(rf"\b(?:{words})\s+$", flags) if (words := rule_entry.get("unless_after")) else None
        return cls(pattern, rule_entry["write"], unless)

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """The places that break the rule."""
        for match in self.pattern.finditer(text):
            text_before = text[max(0, match.start() - _LONGEST_WORD) : match.start()]
            if not (self.unless_after and self.unless_after.search(text_before)):
                yield match


@dataclass(frozen=True)
class Style:
    """The contents of `prose.toml`."""

    prose_rules: tuple[ProseRule, ...]
    proselint: dict[str, bool]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    pending: tuple[str, ...]

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> "Style":
        """Reads the settings."""
        return cls(
            prose_rules=tuple(map(ProseRule.from_entry, settings["rule"])),
            proselint=dict.fromkeys(settings["proselint"], True),
            include=tuple(settings["files"]["include"]),
            exclude=tuple(settings["files"]["exclude"]),
            pending=tuple(settings["files"]["pending"]),
        )

    def files(self, *, pending: bool) -> list[Path]:
        """The files to check, with those of rooms that are still to be cleaned if asked for."""
        left_out = self.exclude if pending else self.exclude + self.pending
        chosen_paths = {path for pattern in self.include for path in ROOT.glob(pattern)}
        return sorted(path for path in chosen_paths if not path.relative_to(ROOT).as_posix().startswith(left_out))


@dataclass(frozen=True, order=True)
class ProseFinding:
    """A phrase to rewrite, and where it is."""

    path: str
    line: int
    column: int
    phrase: str = field(compare=False)
    advice: str = field(compare=False)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: '{self.phrase}': {self.advice}"


def prose_findings(path: Path, text: str, style: Style) -> list[ProseFinding]:
    """Findings to be rewritten in a file, in its order."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
    visible = blot_out_all_but_prose(path, text)
    # Three quarters of code is blotted out, and few files have findings whose lines have to be known.
    squeezed = squeeze_blots(visible)
    if not any(True for rules in (_by_our_rules, _by_proselint) for _ in rules(name, squeezed, style)):
        return []
    return sorted([*_by_our_rules(name, visible, style), *_by_proselint(name, visible, style)])


def _by_our_rules(name: str, visible: str, style: Style) -> Iterator[ProseFinding]:
    for rule in style.prose_rules:
        for match in rule.matches(visible):
            yield _finding(name, visible, match.span(), rule.advice)


def _by_proselint(name: str, visible: str, style: Style) -> Iterator[ProseFinding]:
    if not visible.strip("¦\n "):
        return
    for result in LintFile(name, visible).lint({"max_errors": _UNLIMITED, "checks": style.proselint}):
        # proselint puts a line break in front.
        start, end = result.check_result.span
        yield _finding(name, visible, (max(0, start - 1), end - 1), result.check_result.message)


def _finding(name: str, visible: str, span: tuple[int, int], advice: str) -> ProseFinding:
    fragment = visible[slice(*span)]
    start = span[0] + len(fragment) - len(fragment.lstrip())
    text_before = visible[:start]
    return ProseFinding(
        name, text_before.count("\n") + 1, start - text_before.rfind("\n"), " ".join(fragment.split()), advice
    )


def main() -> int:
    """Prints the findings; returns 1 if there are any."""
    parser = argparse.ArgumentParser(description="Checks the English of documentation, messages and comments.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="check only these files")
    parser.add_argument("--all", action="store_true", help="also check what prose.toml lists as pending")
    options = parser.parse_args()
    style = Style.from_settings(tomllib.loads((ROOT / "setup" / "prose.toml").read_text(encoding="utf-8")))
    # Its own selection, once for each file, takes as long as reading them.
    CheckRegistry().register_many(
        [check for check in proselint_checks if any(map(check.matches_partial, style.proselint))]
    )
    paths = [path.resolve() for path in options.paths] or style.files(pending=options.all)
    all_findings = [
        finding for path in paths for finding in prose_findings(path, path.read_text(encoding="utf-8"), style)
    ]
    for finding in all_findings:
        print(finding)
    for path, count in Counter(finding.path for finding in all_findings).most_common() if len(paths) > 1 else ():
        print(f"{count:5} {path}")
    return 1 if all_findings else 0


if __name__ == "__main__":
    sys.exit(main())
