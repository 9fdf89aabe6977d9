"""Declarations of every kind with parts that are missing, unknown or absurd: no question about the file fails."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Sequence

import pytest

from benchwright_verilog.language.completion.cursor import cursor_at
from benchwright_verilog.language.completion.library import Library
from benchwright_verilog.language.completion.proposal import CompletionRequest
from benchwright_verilog.language.completion.proposals import proposals
from benchwright_verilog.language.explanation.explanations import explain_name
from benchwright_verilog.language.hints import hints_between
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import InlayHintSettings
from benchwright_verilog.syntax.documents import Documents

TEXTS = 10_000
"""Of a night; otherwise one in fifty."""
LARGE = "9" * 4400
VALUES = (
    *(
        "0",
        "1",
        "NOPE",
        "W",
        "1/0",
        "'x",
        "'z",
        "1.5",
        '"ab"',
        "2**100000",
        LARGE,
        f"20000'd{LARGE}",
        "-1",
        "f(",
        "f(2)",
    ),
    *("A", "X", "p::NOPE", "nope::X", "$bits(NOPE)", "$clog2(0)", "'{default: 0}", "{", "{2{NOPE}}", "("),
    *("", "null"),
)
TYPES = (
    *(
        "logic",
        "logic [W-1:0]",
        "int",
        "real",
        "string",
        "e",
        "s",
        "u",
        "NOPE",
        "p::t",
        "p::NOPE",
        "T",
        "T::x",
        "event",
    ),
    *("logic [NOPE:0]", "logic [2**40:0]", "enum {A, B}", "struct {NOPE a;}", "chandle", "void", "bus", "bus.m"),
    *("", "c", "c #(int)", "c #(NOPE)", "virtual bus", "type(NOPE)", "type(x)", "bit [3:0][NOPE]", "e [NOPE]"),
    "process",
)
SOUND_TYPES = ("logic", "logic [7:0]", "int", "e", "s", "logic [W-1:0]", "T", "bit [3:0][7:0]", "string", "real")
SOUND_VALUES = ("0", "1", "W", "X + 1", "A", "8'hff", "$clog2(16)")
DECLARATIONS = (
    *(
        "{t} x = {v};",
        "{t} x [{v}];",
        "{t} [{v}:{v}] x;",
        "typedef {t} e;",
        "typedef {t} s [{v}];",
        "parameter {t} X = {v};",
    ),
    *("localparam X = {v}, Y = X + {v};", "parameter type T = {t};", "typedef enum {t} {{A = {v}, B, C = {v}}} e;"),
    *("typedef enum {{A[{v}], B[{v}:{v}] = {v}}} e;", "typedef struct packed {{{t} a; {t} b;}} s;"),
    *("typedef union {{{t} a; {t} b = {v};}} u;", "class c #(type T = {t}, int N = {v}); {t} a; rand {t} b; endclass"),
    *("function automatic {t} f({t} a, {t} b = {v}); return {v}; endfunction", "task t({t} a); x = {v}; endtask"),
    *("import p::*;", "import p::{v};", "genvar g;", "wire {t} x = {v};", "assign x = {v};", "m #({v}) i ({v}, {v});"),
    *(
        "m #(.X({v})) i [{v}] (.a({v}), .*);",
        "bus b ({v});",
        "alias x = {v};",
        "defparam i.X = {v};",
        "specparam S = {v};",
    ),
    *("always_ff @(posedge {v}) x <= {v};", "always_comb case (x) {v}: x = {v}; A: ; default: x = {v}; endcase"),
    *("initial foreach (x[i]) x[i] = {v};", "for (genvar g = 0; g < {v}; g++) begin : l {t} x; end"),
    *("if ({v}) begin : l {t} x = {v}; end", "covergroup g @(x); coverpoint x {{bins b[] = {{[{v}:{v}]}};}} endgroup"),
    *("property q; @(posedge x) {v} |-> ##{v} {v}; endproperty", "sequence w; {v} ##[{v}:$] {v}; endsequence"),
    *("clocking k @(posedge x); input x; endclocking", "let l(a) = a + {v};", "nettype {t} n with f;", "typedef e;"),
    *(
        "constraint k {{x inside {{{v}}};}}",
        "modport m (input x, output {v});",
        "assert property (q);",
        "{t} x = new({v});",
    ),
)
SHELLS = (
    "package p;\n{d}\nendpackage\n"
    "module m import p::*; #(parameter W = {v}, type T = {t}) (input {t} a, b);\n{d}\nendmodule\n",
    "interface bus #(parameter W = {v}) (input {t} clk);\n{d}\nendinterface\nmodule m (bus.m a);\n{d}\nendmodule\n",
    "class c #(type T = {t});\n{d}\nendclass\nmodule m;\n{d}\nendmodule\n",
    "module m (a, b);\ninput {t} a;\n{d}\nendmodule\n",
    "{d}\nprogram m;\n{d}\nendprogram\n",
)


def half_typed_text(chance: random.Random) -> str:
    """A file of sound declarations, but for one whose type or value is odd, or that ends or lacks a token somewhere."""

    def filled(template: str, types: Sequence[str], values: Sequence[str]) -> str:
        return re.sub(
            r"\{([tv])\}|\{\{|\}\}",
            lambda hole: hole[0][0] if hole[1] is None else chance.choice(types if hole[1] == "t" else values),
            template,
        )

    sound = [filled(chance.choice(DECLARATIONS), SOUND_TYPES, SOUND_VALUES) for _ in range(chance.randint(2, 6))]
    odd = filled(chance.choice(DECLARATIONS), TYPES, VALUES)
    if chance.random() < 0.5:
        tokens = re.findall(r"\w+|\s+|.", odd)
        index = chance.randrange(len(tokens))
        odd = "".join(tokens[:index] + ([] if chance.random() < 0.5 else tokens[index + 1 :]))
    items = "\n".join([*sound, odd])
    shell = chance.choice(SHELLS).replace("{d}", items, 1).replace("{d}", "\n".join(sound))
    return filled(shell.replace(items, "{0}"), SOUND_TYPES, SOUND_VALUES).replace("{0}", items)


def ask_everything(text: str, chance: random.Random) -> None:
    """Inlay hints, what each name means, and proposals at a few places."""
    documents = Documents()
    project = Project(None, documents)
    document = documents.open("file:///a.sv", 1, text)
    analysis = project.analysis(document)
    list(hints_between(analysis, 0, len(analysis.data), InlayHintSettings()))
    for occurrence in analysis.occurrences():
        explain_name(document, document.lines.from_byte(occurrence.start), analysis, lambda path: None)
    for _ in range(3):
        cursor = cursor_at(text, chance.randrange(len(text) + 1))
        byte = document.lines.to_byte(cursor.word_start)
        request = CompletionRequest(cursor, text, byte, analysis, project, Library(), lambda path: None, True)
        for proposal in proposals(request):
            proposal.make_documentation()


@pytest.mark.long
def test_a_half_typed_declaration_of_any_kind_fails_no_question(
    nightly: bool, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(40)
    for number in range(TEXTS if nightly else TEXTS // 50):
        text = half_typed_text(chance)
        with caplog.at_level(logging.ERROR):
            try:
                ask_everything(text, chance)
            except Exception as error:
                error.add_note(f"file {number}:\n{text}")
                raise
        # What slang can't say of a declaration costs that part of an answer; an error is our own failure.
        failures = [record.exc_info for record in caplog.records]
        assert not failures, f"{failures}\nfile {number}:\n{text}"
