"""`imc`: reports of a simulation's coverage, in the shape that published checks read."""

import argparse
import html
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import supervision

from xcelium.coverage import METRICS, Instance, load_hierarchy

REMARK = "open-source coverage, target calibrated to another simulator"
_FLAGS = (
    *("-all", "-overwrite", "-text", "-assertionStatus", "-detail", "-summary", "-cumulative", "-local", "-source"),
    *("-uncovered", "-covered", "-both", "-grading", "-nocomment", "-verbose", "-showempty", "-inst", "-type"),
)
_VALUES = ("-aspect", "-kind", "-sort", "-depth", "-exclude", "-inst_depth")
_NAMES = {"block": "Block", "expression": "Expression", "toggle": "Toggle", "assertion": "Assertion"}
_NONE = "n/a"


class BadCommandError(Exception):
    """A command that this `imc` does not know."""


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser("imc", allow_abbrev=False, description="Coverage reports over Verilator's data.")
    parser.add_argument("-load", type=Path)
    parser.add_argument("-exec", type=Path, dest="file")
    parser.add_argument("-execcmd")
    for flag in ("-batch", "-nocopyright", "-64bit", "-licqueue"):
        parser.add_argument(flag, action="store_true")
    arguments = parser.parse_args()
    sys.stdout.write(f"imc: {REMARK}\n")
    try:
        if arguments.execcmd is not None:
            text = arguments.execcmd
        elif arguments.file is not None:
            text = arguments.file.read_text(encoding="utf-8")
        else:
            raise BadCommandError("nothing to do: give -exec FILE or -execcmd COMMAND")
        _execute_commands(text, arguments.load)
    except BadCommandError as error:
        sys.stderr.write(f"imc: *E,BADCMD: {error}\n")
        supervision.report_harness_fault(supervision.REFUSED, f"imc: {error}")
        return 2
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"imc: *E,LOAD: no coverage could be read: {error}\n")
        return 1
    return 0


def _execute_commands(script_text: str, coverage_folder: Path | None) -> None:
    for line in script_text.replace("\\\n", " ").splitlines():
        for command in line.partition("#")[0].split(";"):
            words = shlex.split(command)
            if not words:
                continue
            if words[0] in ("exit", "quit"):
                return
            if words[0] == "load" and len(words) > 1:
                coverage_folder = Path(words[-1])
            elif words[0] == "report":
                if coverage_folder is None:
                    raise BadCommandError("report: nothing is loaded")
                _write_report(words[1:], coverage_folder)
            elif words[0] not in ("config", "set", "echo", "puts"):
                raise BadCommandError(f"{words[0]}: this open-source imc does not know the command")


def _write_report(command_words: list[str], coverage_folder: Path) -> None:
    metrics, out, as_page = "all", "", False
    pending = list(command_words)
    while pending:
        word = pending.pop(0)
        if word == "-html":
            as_page = True
        elif word in ("-metrics", "-out", *_VALUES):
            if not pending:
                raise BadCommandError(f"report {word}: needs a value")
            value = pending.pop(0)
            metrics, out = (value if word == "-metrics" else metrics), (value if word == "-out" else out)
        elif word not in _FLAGS and word.startswith("-"):
            raise BadCommandError(f"report {word}: this open-source imc does not know the option")
        if word == "-cumulative" and pending and pending[0] in ("on", "off"):
            pending.pop(0)
    page = Path(out or "cov_report_html") / "index.html"
    # What is there is not of this simulation.
    for stale in [page] if as_page else [Path(out)] if out else []:
        stale.unlink(missing_ok=True)
    tops = load_hierarchy(coverage_folder)
    table = _report_table(tops, metrics)
    instances = [instance for _, instance in _instances_with_depth(tops)]
    _report_flawed_assertions(
        "were never triggered or never held", [name for instance in instances for name in instance.untriggered]
    )
    _report_flawed_assertions(
        "failed without an error", [name for instance in instances for name in instance.failed_silently]
    )
    if as_page:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_html_page(table), encoding="utf-8")
    elif out:
        Path(out).parent.mkdir(parents=True, exist_ok=True)
        Path(out).write_text(_table_text(table), encoding="utf-8")
    else:
        sys.stdout.write(_table_text(table))


def _report_flawed_assertions(flaw_phrase: str, assertion_names: list[str]) -> None:
    """Print which assertions don't count, and let the verdict say how many."""
    sys.stdout.write("".join(f"imc: {flaw_phrase.removeprefix('were ')}: {name}\n" for name in assertion_names))
    if assertion_names:
        supervision.report_harness_fault(
            supervision.REMARK, f"{len(assertion_names)} of the assertions {flaw_phrase}: they don't count."
        )


def _report_table(top_instances: list[Instance], metrics: str) -> list[list[str]]:
    """Heading and a row per instance."""
    asked = [name for name in metrics.lower().split(":") if name]
    columns: list[str] = []
    if {"overall", "all"} & set(asked):
        columns += ["Overall Average", "Overall Covered"]
    columns += METRICS if "all" in asked else [_NAMES[name] for name in asked if name in _NAMES]
    if "functional" in asked or "covergroup" in asked:
        columns.append("CoverGroup")
    if "code" in asked:
        columns += [name for name in METRICS[:3] if name not in columns]
    if not columns:
        raise BadCommandError(f"report -metrics {metrics}: not one of overall, all, code, {', '.join(_NAMES)}")
    rows = [["name", *columns]]
    for depth, instance in _instances_with_depth(top_instances):
        name = f"{'| ' * (depth - 1)}|-{instance.name}" if depth else instance.name
        # The bars stand without a gap: two spaces would end the column for who reads it.
        rows.append([name.replace("| ", "|"), *(_cell_text(instance, column) for column in columns)])
    return rows


def _instances_with_depth(instances: list[Instance], depth: int = 0) -> Iterator[tuple[int, Instance]]:
    for instance in instances:
        yield depth, instance
        yield from _instances_with_depth(instance.children, depth + 1)


def _cell_text(instance: Instance, column: str) -> str:
    if column == "Overall Average":
        return _NONE if instance.average is None else f"{instance.average:.2f}%"
    items = instance.covered if column == "Overall Covered" else instance.items(column)
    return _NONE if items.percent is None else f"{items.percent:.2f}% ({items.covered}/{items.total})"


def _table_text(table_rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*table_rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table_rows
    ]
    lines.insert(1, "-" * (sum(widths) + 2 * len(widths) - 2))
    return "\n".join(lines) + "\n"


def _html_page(table_rows: list[list[str]]) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "\n".join([row(table_rows[0], "th"), *(row(cells, "td") for cells in table_rows[1:])])
    return f"<!doctype html>\n<title>Coverage</title>\n<p>{REMARK}</p>\n<table>\n{body}\n</table>\n"
