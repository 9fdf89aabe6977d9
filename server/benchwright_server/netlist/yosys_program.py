"""The program that runs Yosys: its arguments are Yosys's commands. An error of Yosys's ends the process.

The design's text may name files: Yosys opens none outside of the working directory.
"""

from __future__ import annotations

import sys
from pathlib import Path

FILE = Path(__file__)

if __name__ == "__main__":
    from pyosys import libyosys

    from benchwright_harness.inside.guard import landlock

    design = libyosys.Design()
    landlock.restrict_to_files(readable=[], writable=[str(Path.cwd()), "/dev/null"])
    for command in sys.argv[1:]:
        libyosys.run_pass(command, design)
