"""Words that tools read in Verilog files: system tasks, code of its own, and the texts of `$display`.

Run by the toolchain's own Python in its own tree, as `python3 readings.py FOLDER`: prints one JSON object, file →
tool → list of words, or null where the tool does not take the file.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_CALL = re.compile(r'(?:%vpi_(?:call|func)\S*|\.sfunc)[^"\n]*"(\$[^"]*)"')
_NODE = re.compile(r'\{"type":"(\w+)","name":"((?:[^"\\]|\\.)*)"')
_MARK = re.compile(r"mark_[a-z](?![a-z])")
_FILES = re.compile(r"F(?:OPEN\w*|CLOSE|READ|SCANF|GET[CS]|UNGETC|EOF|ERROR|SEEK|TELL|REWIND|FLUSH)|WRITEMEM")
_OF_VERILATOR = {
    **dict.fromkeys(("CEXPRUSER", "CSTMTUSER", "UCFUNC", "UCSTMT", "SYSTEMCSECTION"), "$c"),
    **dict.fromkeys(("SYSTEMT", "SYSTEMF"), "$system"),
    **dict.fromkeys(("FINISH", "STOP"), "$finish"),
    **dict.fromkeys(("TESTPLUSARGS", "VALUEPLUSARGS"), "$test$plusargs"),
}


def main() -> None:
    """Read every file of the folder."""
    files = sorted(Path(sys.argv[1]).iterdir())
    with ThreadPoolExecutor(2) as pool:
        print(json.dumps(dict(pool.map(_read, files))))


def _read(file: Path) -> tuple[str, dict[str, "list[str] | None"]]:
    readings = {"icarus": _icarus(file), "verilator": _verilator(file)}
    if file.name.endswith("s.v"):
        readings["yosys"] = _yosys(file)
    return file.name, readings


def _icarus(file: Path) -> "list[str] | None":
    compiled = _run("iverilog", "-g2012", "-o", "/dev/stdout", str(file))
    if compiled is None:
        return None
    return sorted({*_CALL.findall(compiled), *_MARK.findall(compiled)})


def _verilator(file: Path) -> "list[str] | None":
    program = f"{os.environ['VERILATOR_ROOT']}/bin/verilator_bin"
    tree, meta = Path(f"/tmp/{file.name}.tree"), Path(f"/tmp/{file.name}.meta")
    options = ("--json-only", "--json-only-output", str(tree), "--json-only-meta-output", str(meta))
    if _run(program, "--timing", "-Wno-fatal", "-Wno-lint", "--Mdir", "/tmp", *options, str(file)) is None:
        return None
    text = tree.read_text(encoding="utf-8", errors="replace")
    tree.unlink()
    meta.unlink()
    constructs = set()
    for kind, name in _NODE.findall(text):
        if kind in _OF_VERILATOR:
            constructs.add(_OF_VERILATOR[kind])
        elif _FILES.fullmatch(kind):
            constructs.add("$fopen")
        constructs.update(_MARK.findall(name))
    if re.search(r'"dpi(?:Import|Export)":true', text):
        constructs.add("$c")
    return sorted(constructs)


def _yosys(file: Path) -> "list[str] | None":
    yosys_output = _run("yosys", "-p", f"read_verilog -sv {file}")
    return None if yosys_output is None else sorted(set(_MARK.findall(yosys_output)))


def _run(*command: str) -> "str | None":
    try:
        process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
    except subprocess.TimeoutExpired:
        return None
    return process.stdout.decode("utf-8", "replace") if process.returncode == 0 else None


if __name__ == "__main__":
    main()
