"""Verilog files that are nearly right: pieces that tools may read differently, put together and changed at random."""

from __future__ import annotations

import random
from collections.abc import Iterator

_CALLS = (
    '$c("1;")',
    '$fwrite(1, "x")',
    '$writememh("x", m)',
    '$system("id")',
    "$finish(0)",
    "$fclose(1)",
    '$display("mark_x")',
    '$display("mark_y")',
    '$display("mark_z")',
)
_EXPRESSIONS = ('$c("1")', "$cpure(1)", '$fopen("x")', '$system("id")', '$test$plusargs("x")', "$time")
_NAMES = ("c", "fopen", "system", "finish", "writememh", "display", "fwrite", "include", "line", "define", "ifdef")
_TOOLS = ("VERILATOR", "__ICARUS__", "YOSYS", "SYNTHESIS", "SYSTEMVERILOG", "verilator3", "FORMAL", "ICARUS")
_SPACES = ("\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1f", "\xa0", "\x85", "\u2028", "\ufeff", "\x00", "\x7f", " ", "\n")
_PIECES = (
    "wire \\{n} ;",
    "wire \\{n}+b ;",
    "wire \\{n}/* ;",
    "wire \\{n}//b ;",
    'wire \\{n}" ;',
    "// {t}\n",
    "/* {t} */",
    "// \\\n",
    "/* // */",
    "// /* \n",
    "/*/ {t} /*/",
    'initial $write("// {n}");',
    'initial $write("/* ");',
    'initial $write(" */");',
    'initial $write("\\"");',
    'initial $write("\\\\");',
    'initial $write("a\\\nb");',
    "`define A{n} {t}\n",
    "`define A{n} {t} // \\\n {t}\n",
    "`define A{n} {t} \\\n {t}\n",
    "`define A{n} {t} /* \n */ {t}\n",
    "`define B{n}(x) $x\n",
    "`define B{n}(x, y) x``y\n",
    "`define B{n}(x) `x\n",
    '`define B{n}(x) `"x`"\n',
    '`define B{n}(x) "x"\n',
    "`A{n}",
    "`B{n}({n})",
    "initial \\{l}{r} ;",
    "initial \\{c} ;",
    "wire \\x{s}/* ;\n{t}\n// */",
    "wire \\x{s}// ;\n{t}\n// ",
    "// {s} {t}\n",
    "// {s} /*\n{t}\n// */\n",
    "/* *{s}/ {t} // */\n",
    '$display("{s}"); {t}',
    "`define J(a, b) a``b\ninitial `J({l}, {r});\n",
    "`define J(a, b) a``b\ninitial `J({l},{r});\n",
    "`define L {l}\n`define R {r}\ninitial `L`R;\n",
    "`define L {l}\ninitial `L{r};\n",
    "`define R {r}\ninitial {l}`R;\n",
    "`define R() {r}\ninitial {l}`R();\n",
    "`define K(a) {l}``a\ninitial `K({r});\n",
    "`define K(a) {l}a\ninitial `K({r});\n",
    "`define K(a) ${r}\ninitial `K(x);\n",
    "`define Q(a) a\ninitial `Q({l}){r};\n",
    "`define Q(a) a\ninitial `Q({l})`Q({r});\n",
    "`define Q(a) `a\n`Q(ifdef) X\n{t}\n`endif\n",
    '`define S(x) `"x // `" {t}\ninitial $display(`S(a)); \n',
    '`define S(x) "x"\ninitial if (`S(a) == "x") $display("mark_x");\n',
    "`ifdef {v}\n{t}\n`else\n{t}\n`endif\n",
    "`ifndef \\{v} \n{t}\n`endif\n",
    "`ifdef ({v} || !B)\n{t}\n`endif\n",
    "/* synthesis translate_off */ {t} /* synthesis translate_on */",
    "// synopsys translate_off\n{t}\n// synopsys translate_on\n",
    "wire [31:0] w{n} = {e};",
    "function integer f{n}; input x; f{n} = {e}; endfunction",
    "`ifdef A{n}\n{t}\n`else\n{t}\n`endif\n",
    "`ifndef A{n}\n{t}\n`endif\n",
    "`ifdef NOTHING\n /* \n`endif\n */\n",
    '`ifdef NOTHING\n " \n`endif // "\n',
    "`ifdef NOTHING\n \\`endif \n {t}\n`endif\n",
    "`undef A{n}\n",
    "`timescale 1ns/1ps\n",
    "`celldefine\n",
    "`default_nettype wire\n",
    '`begin_keywords "1364-2001"\n{t}\n`end_keywords\n',
    '`line 1 "x.v" 0\n',
    "`pragma protect begin\n{t}\n`pragma protect end\n",
    "`protect\n{t}\n`endprotect\n",
    "(* full_case *)",
    '(* a = "x" *)',
    '"""{t}"""',
    "q[$]",
    "{t}",
)
_NOISE = (
    *("\\", "`", '"', "/*", "*/", "//", "\n", "\\\n", "\r\n", "$", "``", '`"', "(*", "*)", "'", "#", " ", "\t", ";"),
    *_SPACES,
    *("`define", "`endif", "`else", "`ifdef", "`include", "begin", "end", "x", "1"),
)
_LETTERS = "abcdefghijklmnop"


def mutants(seed: int, count: int) -> Iterator[bytes]:
    """As many files as asked for, always the same ones for a seed."""
    choose = random.Random(seed)
    for _ in range(count):
        text = _file(choose)
        for _ in range(choose.choice((0, 0, 0, 1, 1, 2, 3))):
            text = _changed(text, choose)
        yield text.encode("latin-1" if choose.random() < 0.2 and text.isprintable() else "utf-8", "replace")


def _file(choose: random.Random) -> str:
    items = [f'initial $display("mark_{letter}");' for letter in _LETTERS[: choose.randint(2, 5)]]
    for _ in range(choose.choice((0, 1, 1, 1, 2, 3))):
        items.insert(choose.randint(0, len(items)), _piece(choose))
    module_items = choose.choice(("\n", " ", "\n", "\r\n")).join(items)
    return f"module t; reg [7:0] m [0:3]; reg [7:0] q;\n{module_items}\nendmodule\n"


def _piece(choose: random.Random) -> str:
    call = choose.choice(_CALLS)
    cut = choose.randint(1, len(call) - 1) if choose.random() < 0.5 else choose.randint(1, call.index("("))
    replacements = {
        "{n}": choose.choice(_NAMES),
        "{t}": f"initial {choose.choice(_CALLS)};",
        "{c}": call.replace("(", " (", 1),
        "{l}": call[:cut],
        "{r}": call[cut:],
        "{s}": choose.choice(_SPACES),
        "{v}": choose.choice(_TOOLS),
        "{e}": choose.choice(_EXPRESSIONS),
    }
    piece = choose.choice(_PIECES)
    for name, text in replacements.items():
        piece = piece.replace(name, text)
    return piece


def _changed(text: str, choose: random.Random) -> str:
    start = choose.randrange(len(text))
    end = min(len(text), start + choose.choice((1, 1, 2, 5, 20)))
    kind_draw = choose.random()
    if kind_draw < 0.5:
        return text[:start] + choose.choice(_NOISE) + text[start:]
    if kind_draw < 0.8:
        return text[:start] + text[end:]
    if kind_draw < 0.9:
        return text[:start] + text[start:end] * 2 + text[end:]
    source = choose.randrange(len(text))
    return text[:start] + text[source : source + end - start] + text[start:]
