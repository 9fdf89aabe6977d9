"""Filters what Verilator reads, in the protocol of its option `--pipe-filter`.

`$stop` ends a simulation without an error, as it does for Xcelium in batch mode; Verilator can't tell it from `$error`
at run time. A design does not leave itself out of its coverage, by Verilator's comments or its configuration.
"""

import re
import sys
from pathlib import Path

# Comments and texts are matched so that they can be left alone.
_FILTERED = re.compile(
    rb'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|(?P<stop>\$stop)(?![\w$])|(?P<configuration>`verilator_config\b)',
    re.DOTALL,
)
_UNCOVERED = re.compile(rb"(verilator\s+)coverage_(?=\w)")
_REQUEST = re.compile(rb'read "(.*)"\s*$')


def filter_source(source_text: bytes) -> bytes:
    """Source text with every `$stop` made a `$finish`, and nothing that concerns coverage."""
    return _FILTERED.sub(_replacement_of_match, source_text)


def _replacement_of_match(match: re.Match[bytes]) -> bytes:
    if match["stop"]:
        return b"$finish"
    if match["configuration"]:
        # Verilator complains of it, as of every directive that it does not know.
        return b"`no_verilator_config"
    return _UNCOVERED.sub(rb"\1lint_", match[0]) if match["comment"] else match[0]


def main() -> None:
    """Answer requests until there are none."""
    for line in sys.stdin.buffer:
        request = _REQUEST.match(line)
        if not request:
            continue
        path = Path(request[1].decode(errors="surrogateescape"))
        content = path.read_bytes()
        # What Verilator itself brings configures it.
        if not path.is_relative_to("/usr"):
            content = filter_source(content)
        sys.stdout.buffer.write(b"Content-Length: %d\n" % len(content) + content + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
