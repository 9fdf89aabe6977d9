"""The blocks that are open at the end of some code, which may be half typed."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_verilog.language.explanation.tokens import CodeToken, CodeTokenKind

BLOCKS = {
    "module": "endmodule",
    "macromodule": "endmodule",
    "interface": "endinterface",
    "package": "endpackage",
    "program": "endprogram",
    "class": "endclass",
    "function": "endfunction",
    "task": "endtask",
    "begin": "end",
    "case": "endcase",
    "casex": "endcase",
    "casez": "endcase",
    "fork": "join",
    "generate": "endgenerate",
    "property": "endproperty",
    "sequence": "endsequence",
    "clocking": "endclocking",
    "covergroup": "endgroup",
    "specify": "endspecify",
    "primitive": "endprimitive",
    "checker": "endchecker",
}
_ENDS: dict[str, set[str]] = {}
for _block, _end in BLOCKS.items():
    _ENDS.setdefault(_end, set()).add(_block)
_ENDS["join_any"] = _ENDS["join_none"] = _ENDS["join"]
# What may come before a word that then opens no block.
_NO_BLOCK_AFTER = {
    "interface": {"virtual"},
    "class": {"typedef"},
    "function": {"import", "export", "extern", "pure", "context"},
    "task": {"import", "export", "extern", "pure", "context"},
    "fork": {"disable", "wait"},
    "property": {"assert", "assume", "cover", "restrict", "expect"},
    "sequence": {"cover"},
    "clocking": {"default"},
}
_PROCEDURES = {"always", "always_comb", "always_ff", "always_latch", "initial", "final"}
_CODE = {"function", "task", "procedural begin", "fork", "procedural case"}


def open_blocks_and_is_procedural(code: Sequence[CodeToken]) -> tuple[list[str], bool]:
    """The blocks open at the end of some code, the outermost first, and whether that is procedural.

    After `module m; always @(posedge clk) begin if (en) begin` these are `module` and twice `procedural begin`; after
    `module m; if (P) begin : g`, a generate block, `module` and `begin`.
    """
    stack: list[str] = []
    pending = False
    parentheses = 0
    previous_text = ""
    for token in code:
        text = token.text
        if token.token_kind is CodeTokenKind.SYMBOL:
            if text == "(" or text == "'(":
                parentheses += 1
            elif text == ")":
                parentheses = max(0, parentheses - 1)
            elif text == "{" and previous_text in ("struct", "union", "packed", "tagged", "signed", "unsigned"):
                stack.append("struct")
            elif text == "}" and stack and stack[-1] == "struct":
                stack.pop()
            elif text == ";" and parentheses == 0 and not (stack and stack[-1] in _CODE):
                pending = False
        elif token.token_kind is CodeTokenKind.WORD:
            if text in _PROCEDURES:
                pending, parentheses = True, 0
            elif text in BLOCKS and previous_text not in _NO_BLOCK_AFTER.get(text, ()):
                is_procedural = pending or bool(stack and stack[-1] in _CODE)
                prefix = "procedural " if is_procedural and text in ("begin", "case", "casex", "casez") else ""
                stack.append(prefix + ("case" if text in ("casex", "casez") else text))
                if text not in ("case", "casex", "casez"):
                    parentheses = 0
            elif text in _ENDS:
                parentheses = 0
                closable_blocks = {*_ENDS[text], *("procedural " + block for block in _ENDS[text])}
                opener = next(
                    (opener for opener in range(len(stack) - 1, -1, -1) if stack[opener] in closable_blocks), None
                )
                if opener is not None:
                    del stack[opener:]
                if not (stack and stack[-1] in _CODE):
                    pending = False
        previous_text = text
    return stack, pending or bool(stack and stack[-1] in _CODE)
