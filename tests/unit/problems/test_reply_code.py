"""Replies of models, and the code that is taken from them: each row is a reply, what it has to give and what not."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

import pytest

from benchwright_attempts.events.reply import read_reply
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public
from benchwright_problems.storage.reply_code import choose_code, with_comments_and_strings_blanked
from benchwright_problems.verdict import Reason

DRAFT = "module counter(input clk, output q);\n  assign q = 1'b0;\nendmodule\n"
FINAL = "module counter(input clk, output q);\n  assign q = clk;\nendmodule\n"
USES = "module counter(input clk, output q);\n  helper u(.a(clk), .y(q));\nendmodule\n"
HELPER = "module helper(input a, output y);\n  assign y = a;\nendmodule\n"
OLD_HELPER = "module helper(input a, output y);\n  assign y = ~a;\nendmodule\n"
PACKAGE = "package widths;\n  localparam W = 4;\nendpackage\n"
WITH_PACKAGE = "module counter import widths::*; (input clk, output [W-1:0] q);\n  assign q = '0;\nendmodule\n"
BENCH = "module counter_tb;\n  counter dut(.clk(1'b0), .q());\n  initial $finish;\nendmodule\n"
HALF = "module counter(input clk, output q);\n  assign q ="


def design_problem(*paths: str, task_text: str = "", given: dict[str, str] | None = None) -> Problem:
    return Problem(
        id="counter",
        kind=ProblemKind.DESIGN,
        title="Counter",
        category=Category.SPEC_TO_RTL,
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement=task_text, files=given or {}, expected=paths),
        hidden=Hidden(harness={"src/test.py": ""}, reference=dict.fromkeys(paths, "")),
    )


def fenced_blocks(*codes: str, language: str = "verilog") -> str:
    return "\n".join(f"Here:\n```{language}\n{code}```\nDone." for code in codes)


@dataclass(frozen=True)
class ReplyCase:
    reply: str
    text: str
    modules: tuple[str, ...] = ("counter",)
    block_labels: tuple[str, ...] = ("block 1",)
    ignored: tuple[str, ...] = ()
    path: str = "rtl/counter.sv"
    task_text: str = "Write the counter."
    given: dict[str, str] = field(default_factory=dict)


OUTSIDE = ("text outside code blocks",)
ROWS = {
    "the code alone": ReplyCase(FINAL, FINAL, block_labels=OUTSIDE),
    "one block": ReplyCase(fenced_blocks(FINAL), FINAL),
    "a draft, then the final": ReplyCase(
        fenced_blocks(DRAFT, FINAL),
        FINAL,
        block_labels=("block 2",),
        ignored=("block 1: counter, of which another version was taken, from block 2",),
    ),
    "both in one block": ReplyCase(
        fenced_blocks(f"// first\n{DRAFT}// better\n{FINAL}"),
        f"// first\n\n// better\n{FINAL}",
        ignored=("block 1: counter, of which another version was taken, from block 1",),
    ),
    "a helper first": ReplyCase(
        fenced_blocks(HELPER, USES), HELPER + USES, modules=("helper", "counter"), block_labels=("block 1", "block 2")
    ),
    "a helper last": ReplyCase(
        fenced_blocks(USES, HELPER), USES + HELPER, modules=("counter", "helper"), block_labels=("block 1", "block 2")
    ),
    "a helper in the same block": ReplyCase(fenced_blocks(HELPER + USES), HELPER + USES, modules=("helper", "counter")),
    "two versions with their helpers": ReplyCase(
        fenced_blocks(OLD_HELPER + DRAFT, HELPER + USES),
        HELPER + USES,
        modules=("helper", "counter"),
        block_labels=("block 2",),
        ignored=(
            "block 1: helper, of which another version was taken, from block 2",
            "block 1: counter, of which another version was taken, from block 2",
        ),
    ),
    "a package behind its user": ReplyCase(
        fenced_blocks(WITH_PACKAGE, PACKAGE),
        PACKAGE + WITH_PACKAGE,
        modules=("widths", "counter"),
        block_labels=("block 2", "block 1"),
    ),
    "a testbench": ReplyCase(
        fenced_blocks(FINAL, BENCH),
        FINAL,
        ignored=("block 2: counter_tb, which nothing taken uses",),
    ),
    "a testbench that is wanted": ReplyCase(
        fenced_blocks(FINAL, BENCH),
        FINAL + BENCH,
        modules=("counter", "counter_tb"),
        block_labels=("block 1", "block 2"),
        path="verif/counter_tb.sv",
    ),
    "a testbench of a design that is given": ReplyCase(
        fenced_blocks(FINAL + BENCH),
        "\n" + BENCH,
        modules=("counter_tb",),
        path="verif/counter_tb.sv",
        given={"rtl/counter.sv": FINAL},
        ignored=("block 1: counter, which rtl/counter.sv declares",),
    ),
    "a fence without an end": ReplyCase(f"Here:\n```verilog\n{FINAL}", FINAL),
    "a draft without an end, then the final": ReplyCase(
        f"```verilog\n{HALF}\n```verilog\n{FINAL}```\n",
        FINAL,
        block_labels=("block 2",),
        ignored=("block 1: counter, which has no end",),
    ),
    "a final version that was cut off": ReplyCase(
        f"```verilog\n{FINAL}```\nOr:\n```verilog\n{HALF}",
        FINAL,
        ignored=("block 2: counter, which has no end",),
    ),
    "nothing but a version that was cut off": ReplyCase(f"```verilog\n{HALF}\n", f"{HALF}\n"),
    "prose with module in it": ReplyCase(
        f"The module counter (see below) has no endmodule problem; module names matter.\n{fenced_blocks(FINAL)}", FINAL
    ),
    "prose around code without fences": ReplyCase(
        f'The module counter is 3" wide, see rtl/*.sv.\n\n`timescale 1ns/1ps\n{FINAL}\nThis module follows clk.',
        f"`timescale 1ns/1ps\n{FINAL}",
        block_labels=OUTSIDE,
    ),
    "directives and imports without fences": ReplyCase(
        f"`default_nettype none\nimport widths::*;\n{FINAL}",
        f"`default_nettype none\nimport widths::*;\n{FINAL}",
        block_labels=OUTSIDE,
    ),
    "modules in comments and strings": ReplyCase(
        fenced_blocks(f"// module counter(input a); endmodule\n/* module counter; endmodule */\n{FINAL}"),
        f"// module counter(input a); endmodule\n/* module counter; endmodule */\n{FINAL}",
    ),
    "other languages": ReplyCase(
        f"{fenced_blocks(FINAL)}\n{fenced_blocks('iverilog x', language='bash')}\n"
        f"{fenced_blocks(f'SOURCE = {DRAFT!r}', language='python')}\n{fenced_blocks(DRAFT, language='vhdl')}",
        FINAL,
        ignored=("block 2: bash", "block 3: python", "block 4: vhdl"),
    ),
    "a block of commands before it": ReplyCase(
        f"First\n```\niverilog x\n```\nthen\n{fenced_blocks(FINAL, language='systemverilog')}",
        FINAL,
        block_labels=("block 2",),
        ignored=("block 1: no module",),
    ),
    "tildes and indented fences": ReplyCase(f"1. Here:\n   ~~~sv\n{FINAL}   ~~~\n", FINAL),
    "fences around fences": ReplyCase(
        f"````markdown\n```verilog\n{FINAL}```\n````\n",
        FINAL,
        block_labels=("block 2",),
        ignored=("block 1: markdown", "block 3: no module"),
    ),
    "a name that only the task says": ReplyCase(
        fenced_blocks(HELPER, USES, BENCH),
        HELPER + USES,
        modules=("helper", "counter"),
        block_labels=("block 1", "block 2"),
        path="rtl/design.sv",
        ignored=("block 3: counter_tb, which nothing taken uses",),
    ),
    "a name that nothing says": ReplyCase(
        fenced_blocks(DRAFT, HELPER + USES, BENCH),
        HELPER + USES,
        modules=("helper", "counter"),
        block_labels=("block 2",),
        path="rtl/design.sv",
        task_text="Count.",
        ignored=(
            "block 1: counter, of which another version was taken, from block 2",
            "block 3: counter_tb, which nothing taken uses",
        ),
    ),
    "names in other letters": ReplyCase(fenced_blocks(FINAL), FINAL, path="rtl/Counter.sv", task_text=""),
    "a module that is given": ReplyCase(
        fenced_blocks(HELPER + USES),
        "\n" + USES,
        given={"rtl/helper.sv": HELPER},
        ignored=("block 1: helper, which rtl/helper.sv declares",),
    ),
    "both modules of a given file": ReplyCase(
        fenced_blocks(DRAFT, BENCH, FINAL + HELPER),
        FINAL + HELPER,
        modules=("counter", "helper"),
        block_labels=("block 3",),
        given={"rtl/counter.sv": DRAFT + OLD_HELPER},
        ignored=(
            "block 1: counter, of which another version was taken, from block 3",
            "block 2: counter_tb, which nothing taken uses",
        ),
    ),
    "the rest of a module": ReplyCase(
        "```\n  assign q = clk;\n```",
        "module counter(input clk, output q);\n  assign q = clk;\nendmodule\n",
        given={"rtl/counter.sv": "module counter(input clk, output q);\n\nendmodule\n"},
    ),
    "the rest of a module, beside a testbench": ReplyCase(
        f"```\n  assign q = clk;\n```\n{fenced_blocks(BENCH)}",
        "module counter(input clk, output q);\n  assign q = clk;\nendmodule\n",
        given={"rtl/counter.sv": "module counter(input clk, output q);\n\nendmodule\n"},
    ),
}


@pytest.mark.parametrize("reply_case", ROWS.values(), ids=ROWS)
def test_a_reply_is_taken_by_the_name_of_the_wanted_module(reply_case: ReplyCase) -> None:
    reading = read_reply(
        design_problem(reply_case.path, task_text=reply_case.task_text, given=reply_case.given), reply_case.reply
    )
    assert reading.files == {reply_case.path: reply_case.text}
    assert reading.read_event is not None
    assert (reading.read_event.modules, reading.read_event.block_labels) == (
        reply_case.modules,
        reply_case.block_labels,
    )
    assert reading.read_event.ignored == reply_case.ignored


def test_files_by_name_are_taken_as_they_are_named_and_of_two_versions_the_last() -> None:
    problem = design_problem("rtl/a.sv", "rtl/b.sv")
    draft, final = (
        json.dumps({"code": [{"rtl/a.sv": DRAFT}, {"rtl/b.sv": text}, {"rtl/c.sv": ""}]}) for text in (DRAFT, FINAL)
    )
    for reply in (final, f"```json\n{draft}\n```\nNo:\n```json\n{final}\n```"):
        reading = read_reply(problem, reply)
        assert reading.files == {"rtl/a.sv": DRAFT, "rtl/b.sv": FINAL}
        assert reading.read_event is not None
        assert reading.read_event.files == ("rtl/a.sv", "rtl/b.sv")
        assert reading.read_event.ignored == ("rtl/c.sv, which the problem does not expect",)
    assert read_reply(problem, fenced_blocks(FINAL)).flaw is not None


@pytest.mark.parametrize(("reply", "reason"), [("", Reason.EMPTY), ("I can't help with that.", Reason.DECLINED)])
def test_a_reply_without_code_has_a_reason(reply: str, reason: Reason) -> None:
    reading = read_reply(design_problem("rtl/a.sv"), reply)
    assert reading.read_event is None
    assert reading.flaw is not None
    assert reading.flaw.reason is reason


def test_what_is_recorded_of_a_reply_is_short_and_can_be_printed() -> None:
    names = "".join(f"module m{number}_{'x' * 300}; endmodule\n" for number in range(200))
    reading = read_reply(
        design_problem("rtl/counter.sv"), fenced_blocks(FINAL + names) + f"\n```\x1b[2J{'y' * 300}\n```\n"
    )
    assert reading.read_event is not None
    assert len(reading.read_event.ignored) == 31
    assert reading.read_event.ignored[-1] == "171 more"
    assert all(len(phrase) <= 200 and phrase.isprintable() for phrase in reading.read_event.ignored)


@pytest.mark.parametrize(
    "reply",
    [
        "/*" * 20_000,
        '"\\' * 20_000,
        "module a(\n" * 6_000,
        "module a;endmodule " * 4_000,
        "module a;\n" * 6_000 + "endmodule\n" * 6_000,
        "module m(input a); endmodule\n" + "import\n" * 9_000,
        "`x\\\n" * 10_000,
        "```\n" * 10_000,
        "module " + " " * 60_000,
        "(*" * 20_000 + "module a;",
    ],
    ids=lambda reply: repr(reply[:12]),
)
def test_a_hostile_reply_takes_no_longer_than_it_is_long(reply: str) -> None:
    start_s = time.process_time()
    choose_code(reply, "rtl/counter.sv", "", {})
    assert time.process_time() - start_s < 5


def test_comments_and_strings_become_blanks_of_the_same_length() -> None:
    text = 'a // b\n"c\\"d" e /* f\n g */ h /* i'
    plain = with_comments_and_strings_blanked(text)
    assert len(plain) == len(text)
    assert plain.split() == ["a", "e", "h", "/*", "i"]
