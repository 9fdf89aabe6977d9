"""The linter of English, run as `./test lint` runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

_PROSE = Path(__file__).parents[2] / "setup" / "prose.py"


def _findings(folder: Path, name: str, text: str) -> list[str]:
    """The place and phrase of each finding, such as `2:5 so many`."""
    file = folder / name
    file.write_text(text)
    process = subprocess.run([sys.executable, _PROSE, file], capture_output=True, text=True, check=False)
    assert process.returncode == bool(process.stdout), process.stderr
    return [line.removeprefix(f"{file}:").split("': ")[0].replace(": '", " ") for line in process.stdout.splitlines()]


@pytest.mark.parametrize(
    ("name", "text", "findings"),
    [
        ("a.md", "Files may be\nmended.\n", ["2:1 mended"]),
        ("a.md", "# None\n\nwhere `mend` is [mend it](mend.md):\n\n```\nmend\n```\n", ["3:18 mend"]),
        ("a.md", "A design is told. The participant is told.\n", ["1:10 is told"]),
        ("a.py", 'def mend(text: str) -> str:\n    """A count, none where\n    empty."""\n', ["2:17 none where"]),
        ("a.py", 'error = (\n    "The value, none "\n    f"where {mend} is"\n)\n', ["2:17 none where"]),
        ("a.py", 'pair = ("none at all", "where it is")\nkey = "mend"\n', []),
        ("a.py", "x = 1  # It's read\n# over here.\n", ["1:15 read over"]),
        ("a.ts", "const mend = `It is told ${tell.mend} here`; // mend it\n", ["1:18 is told", "1:49 mend"]),
        ("a.ts", "/** No `mend`. */\nconst quote = /[\"'`]/; // as good as\n", ["2:27 as good as"]),
        ("package.json", '{"description": "Mend it", "name": "mend it"}', ["1:18 Mend"]),
    ],
)
def test_finds_phrases_in_prose_alone(name: str, text: str, findings: list[str], tmp_path: Path) -> None:
    assert _findings(tmp_path, name, text) == findings


def test_rules_of_proselint_apply_too(tmp_path: Path) -> None:
    assert _findings(tmp_path, "a.md", "It is free.\nThat goes without saying.\n") == ["2:6 goes without saying"]
