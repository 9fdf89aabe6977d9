"""The solutions of a pack folder that its harnesses must fail."""

from __future__ import annotations

from pathlib import Path


def wrong_solutions(folder: Path, problem: str) -> dict[str, dict[str, str]]:
    """Name of each wrong solution → its files, path → text."""
    wrong = folder / problem / "hidden" / "wrong"
    if not wrong.is_dir():
        return {}
    return {
        one.name: {
            file.relative_to(one).as_posix(): file.read_text(encoding="utf-8")
            for file in sorted(one.rglob("*"))
            if file.is_file()
        }
        for one in sorted(wrong.iterdir())
    }
