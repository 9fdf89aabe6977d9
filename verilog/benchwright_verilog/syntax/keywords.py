"""Reserved words (IEEE 1800-2023, annex B), by where they can begin something."""

from __future__ import annotations


def split_words(text: str) -> tuple[str, ...]:
    """Words with spaces between them, one by one."""
    return tuple(text.split())


DESIGN_ELEMENTS = split_words(
    "module macromodule interface package program class typedef import export parameter localparam function task "
    "checker primitive config bind library extern timeunit timeprecision `include `define let struct enum union "
    "const var nettype"
)
"""Outside of everything."""

TYPES = split_words(
    "logic reg bit byte shortint int longint integer time real shortreal realtime string event chandle void "
    "struct union enum signed unsigned virtual const var automatic static"
)
"""That declare variables."""

NETS = split_words("wire tri tri0 tri1 triand trior trireg wand wor supply0 supply1 uwire interconnect")

ITEMS = split_words(
    "assign always always_comb always_ff always_latch initial final generate endgenerate genvar if else for case "
    "casex casez function task parameter localparam specparam specify defparam typedef import export modport "
    "clocking default property sequence assert assume cover restrict expect covergroup bind class interface "
    "module endmodule endinterface endpackage endprogram endclass program alias let nettype begin end and nand or "
    "nor xor xnor not buf bufif0 bufif1 notif0 notif1 nmos pmos cmos tran tranif0 tranif1 pullup pulldown"
)
"""In a module, interface, package or generate block, beside types and nets."""

STATEMENTS = split_words(
    "begin end if else case casex casez inside endcase for foreach while do repeat forever return break continue "
    "fork join join_any join_none wait wait_order disable assert assume cover expect unique unique0 priority "
    "assign deassign force release void randcase randsequence typedef parameter localparam endtask endfunction "
    "super this new"
)
"""In procedural code, beside types."""

EXPRESSIONS = split_words(
    "inside signed unsigned null this super new tagged with posedge negedge edge or and iff dist type logic int"
)
"""In an expression."""

PORTS = split_words(
    "input output inout ref parameter localparam type interface logic wire reg bit int integer signed unsigned var"
)
"""In the head of a module, a function or a task."""

_OTHERS = split_words(
    "accept_on before binsof bins cell checker coverpoint cross default design disable endchecker endclocking "
    "endconfig endgroup endprimitive endproperty endsequence endspecify endtable eventually extends first_match "
    "forkjoin global highz0 highz1 ifnone ignore_bins illegal_bins implements implies incdir include instance "
    "intersect join large liblist local matches medium module negedge nexttime noshowcancelled packed protected "
    "pull0 pull1 pulsestyle_ondetect pulsestyle_onevent pure rand randc rcmos reject_on rnmos rpmos rtran "
    "rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared showcancelled small soft "
    "solve strong strong0 strong1 sync_accept_on sync_reject_on table throughout unsigned until until_with "
    "untyped use vectored weak weak0 weak1 wildcard within constraint"
)

RESERVED = frozenset(
    word
    for words in (DESIGN_ELEMENTS, TYPES, NETS, ITEMS, STATEMENTS, EXPRESSIONS, PORTS, _OTHERS)
    for word in words
    if not word.startswith("`")
)
"""Every word that can't be a name."""

DIRECTIVES = {
    "define": "Defines a macro, up to the end of the line; a backslash at its end continues it.",
    "undef": "Forgets a macro.",
    "undefineall": "Forgets all macros.",
    "ifdef": "Reads what follows only if the macro is defined.",
    "ifndef": "Reads what follows only if the macro is not defined.",
    "elsif": "Reads what follows if nothing before did and the macro is defined.",
    "else": "Reads what follows if nothing before did.",
    "endif": "Ends `ifdef or `ifndef.",
    "include": "Puts another file in here.",
    "timescale": "The time unit and precision of the modules that follow, such as 1ns / 1ps.",
    "default_nettype": "The net type of names that are not declared; none makes them errors.",
    "resetall": "Sets directives back to their defaults.",
    "celldefine": "Marks the modules that follow as library cells.",
    "endcelldefine": "Ends `celldefine.",
    "unconnected_drive": "Pulls open inputs of the modules that follow up or down.",
    "nounconnected_drive": "Ends `unconnected_drive.",
    "line": "Says which file and line what follows is from.",
    "pragma": "An instruction for a tool.",
    "begin_keywords": "Chooses the version of the language whose words are reserved.",
    "end_keywords": "Ends `begin_keywords.",
    "__FILE__": "The name of this file, as a string.",
    "__LINE__": "The number of this line.",
}
"""Compiler directives (clause 22) by name, and what each does."""
