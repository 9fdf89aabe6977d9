"""The program that runs Yosys: its arguments are Yosys's commands. An error of Yosys's ends the process."""

from __future__ import annotations

import sys
from pathlib import Path

FILE = Path(__file__)

if __name__ == "__main__":
    from pyosys import libyosys

    design = libyosys.Design()
    for command in sys.argv[1:]:
        libyosys.run_pass(command, design)
