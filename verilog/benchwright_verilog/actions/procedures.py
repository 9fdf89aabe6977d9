"""Rewriting `always` blocks, the assignments in them, and `case` statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchwright_verilog.actions.action import (
    Action,
    ActionKind,
    CodeSelection,
    TextChange,
    code_point_range,
    first_child_of_kind,
    line_indentation,
    newline,
    self_or_ancestor_of_kind,
    smallest_node_around,
    text_of,
)
from benchwright_verilog.findings.finding import Finding

if TYPE_CHECKING:
    from tree_sitter import Node

TO_BLOCKING = frozenset({"always-comb-blocking", "COMBDLY"})
TO_NON_BLOCKING = frozenset({"always-ff-non-blocking", "BLKSEQ"})
NO_DEFAULT = frozenset({"case-missing-default", "case-default", "CASEINCOMPLETE", "case-incomplete"})

_STEP = "  "


def always_rewrites(code_selection: CodeSelection) -> Iterator[Action]:
    """The other ways to write the `always` of which the selection is in the head."""
    always = code_selection.enclosing_node("always_construct")
    keyword = first_child_of_kind(always, "always_keyword")
    if always is None or keyword is None:
        return
    control = _event_control(always)
    start, _ = code_point_range(code_selection.document, keyword)
    _, head_end = code_point_range(code_selection.document, control if control is not None else keyword)
    lines = code_selection.document.lines
    if lines.line_index(code_selection.start) > lines.line_index(head_end):
        return
    word = text_of(keyword)
    if word == "always_comb":
        yield _rewrite_action("Write as always @(*)", TextChange(start, start + len(word), "always @(*)"))
    elif word == "always_ff":
        yield _rewrite_action("Write as always", TextChange(start, start + len(word), "always"))
    elif word == "always" and control is not None:
        if "".join(text_of(control).split()) in {"@*", "@(*)"}:
            _, end = code_point_range(code_selection.document, control)
            yield _rewrite_action("Write as always_comb", TextChange(start, end, "always_comb"))
        elif any(edge in text_of(control).split("(", 1)[-1] for edge in ("posedge", "negedge")):
            yield _rewrite_action("Write as always_ff", TextChange(start, start + len(word), "always_ff"))


def always_and_case_fixes(code_selection: CodeSelection, finding: Finding) -> Iterator[Action]:
    """Fixes of a finding about an `always` block or a `case`."""
    if finding.rule in TO_BLOCKING:
        yield from _assignment_operator_fixes(code_selection, finding, "nonblocking_assignment", "blocking")
    elif finding.rule in TO_NON_BLOCKING:
        yield from _assignment_operator_fixes(code_selection, finding, "blocking_assignment", "non-blocking")
    elif finding.rule in NO_DEFAULT:
        yield from _default_item_fixes(code_selection, finding)
    elif finding.rule == "always-comb":
        action_context = CodeSelection(code_selection.document, finding.start, finding.start)
        for action in always_rewrites(action_context):
            yield Action(action.title, action.changes, finding=finding, is_preferred=True)


def _rewrite_action(title: str, *changes: TextChange) -> Action:
    return Action(title, changes, ActionKind.REWRITE)


def _event_control(always_node: Node) -> Node | None:
    node: Node | None = always_node
    for kind in ("statement", "statement_item", "procedural_timing_control_statement", "event_control"):
        node = first_child_of_kind(node, kind)
    return node


def _assignment_operator_fixes(
    code_selection: CodeSelection, finding: Finding, assignment_node_kind: str, new_kind_word: str
) -> Iterator[Action]:
    document = code_selection.document
    innermost = smallest_node_around(document, finding.start, max(finding.start, finding.end - 1))
    assignment = self_or_ancestor_of_kind(innermost, assignment_node_kind)
    if assignment is None:
        # Verilator counts columns its own way, so the line may be all that is known.
        line_bounds = document.lines.line_bounds(document.lines.line_index(finding.start) + 1)
        assignment = next(
            (
                node
                for node in _outermost_nodes_of_kind(
                    self_or_ancestor_of_kind(innermost, "always_construct") or document.tree.root_node,
                    assignment_node_kind,
                )
                if line_bounds[0] <= code_point_range(document, node)[0] <= line_bounds[1]
            ),
            None,
        )
    if assignment is None:
        return
    change = _swapped_operator_change(code_selection, assignment)
    if change is not None:
        title = f"Make this assignment {new_kind_word}"
        yield Action(title, (change,), finding=finding, is_preferred=True)
    always = self_or_ancestor_of_kind(assignment, "always_construct")
    changes = [
        change
        for node in _outermost_nodes_of_kind(always, assignment_node_kind)
        if (change := _swapped_operator_change(code_selection, node)) is not None
    ]
    if len(changes) > 1:
        yield Action(f"Make all assignments of this block {new_kind_word}", tuple(changes), finding=finding)


def _swapped_operator_change(code_selection: CodeSelection, assignment_node: Node) -> TextChange | None:
    document = code_selection.document
    if assignment_node.type == "nonblocking_assignment":
        sign = first_child_of_kind(assignment_node, "<=")
        return TextChange(*code_point_range(document, sign), "=") if sign is not None else None
    sign = first_child_of_kind(
        first_child_of_kind(assignment_node, "operator_assignment"), "assignment_operator"
    ) or first_child_of_kind(assignment_node, "=")
    # `+=` and the like have no non-blocking form.
    return TextChange(*code_point_range(document, sign), "<=") if sign is not None and text_of(sign) == "=" else None


def _outermost_nodes_of_kind(node: Node | None, kind: str) -> Iterator[Node]:
    """The pieces of a kind in one piece, not those of functions that it declares."""
    pending_nodes = [node] if node is not None else []
    while pending_nodes:
        current = pending_nodes.pop()
        if current.type == kind:
            yield current
        else:
            pending_nodes.extend(reversed(current.children))


def _default_item_fixes(code_selection: CodeSelection, finding: Finding) -> Iterator[Action]:
    document = code_selection.document
    innermost = smallest_node_around(document, finding.start, finding.start)
    case = self_or_ancestor_of_kind(innermost, "case_statement", "case_generate_construct")
    if case is None or case.type != "case_statement":
        return
    endcase = first_child_of_kind(case, "endcase")
    if endcase is None or any(
        first_child_of_kind(item, "default") is not None for item in case.children if item.type == "case_item"
    ):
        return
    at_end, _ = code_point_range(document, endcase)
    indent, eol = line_indentation(document, at_end), newline(document)
    items = [code_point_range(document, item)[0] for item in case.children if item.type == "case_item"]
    last_start = items[-1] if items else at_end
    one_line = document.lines.line_index(last_start) == document.lines.line_index(at_end)
    if one_line:
        change = TextChange(at_end, at_end, "default: ; ")
    else:
        step = line_indentation(document, last_start) if items else indent + _STEP
        line_start = document.lines.line_bounds(document.lines.line_index(at_end) + 1)[0]
        change = TextChange(line_start, line_start, f"{step}default: ;{eol}")
    yield Action("Add a default that does nothing", (change,), finding=finding, is_preferred=True)
