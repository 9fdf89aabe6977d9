"""An agent that only says what it is asked: replace `work` by one that does it."""

import json
import sys
from pathlib import Path

CODE = Path("/code")


def work(task: str) -> None:
    """Read docs, rtl and verif, write rtl and verif, and try things out in rundir."""
    sys.stdout.write(f"{task}\n")
    for folder in ("docs", "rtl", "verif"):
        for file in sorted((CODE / folder).rglob("*")):
            sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    work(json.loads((CODE / "prompt.json").read_text(encoding="utf-8"))["prompt"])
