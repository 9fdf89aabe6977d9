"""Declarations of a file, as a tree: modules, ports, signals, instances, blocks; also with syntax errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsprotocol.types import SymbolKind

from benchwright_verilog.syntax.units import ItemText

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_DETAIL = 60


@dataclass
class OutlineSymbol:
    """One declared thing. Offsets are UTF-8 bytes."""

    name: str
    symbol_kind: SymbolKind
    detail: str
    start: int
    end: int
    name_start: int
    name_end: int
    inner_symbols: list[OutlineSymbol] = field(default_factory=list)


@dataclass(frozen=True)
class _OutlineRule:
    symbol_kind: SymbolKind
    detail: Callable[[Node], str] = lambda node: ""


def _constant_detail(detail_text: str) -> Callable[[Node], str]:
    return lambda node: detail_text


_DECLARATIONS = {
    "module_declaration": _OutlineRule(SymbolKind.Module, _constant_detail("module")),
    "interface_declaration": _OutlineRule(SymbolKind.Interface, _constant_detail("interface")),
    "program_declaration": _OutlineRule(SymbolKind.Module, _constant_detail("program")),
    "package_declaration": _OutlineRule(SymbolKind.Package, _constant_detail("package")),
    "class_declaration": _OutlineRule(SymbolKind.Class, _constant_detail("class")),
    "interface_class_declaration": _OutlineRule(SymbolKind.Class, _constant_detail("interface class")),
    "udp_declaration": _OutlineRule(SymbolKind.Module, _constant_detail("primitive")),
    "config_declaration": _OutlineRule(SymbolKind.Module, _constant_detail("config")),
    "checker_declaration": _OutlineRule(SymbolKind.Module, _constant_detail("checker")),
    "function_declaration": _OutlineRule(SymbolKind.Function, _constant_detail("function")),
    "function_prototype": _OutlineRule(SymbolKind.Function, _constant_detail("function")),
    "task_declaration": _OutlineRule(SymbolKind.Function, _constant_detail("task")),
    "task_prototype": _OutlineRule(SymbolKind.Function, _constant_detail("task")),
    "class_constructor_declaration": _OutlineRule(SymbolKind.Constructor, _constant_detail("function")),
    "generate_block": _OutlineRule(SymbolKind.Namespace, _constant_detail("generate block")),
    "seq_block": _OutlineRule(SymbolKind.Namespace, _constant_detail("block")),
    "par_block": _OutlineRule(SymbolKind.Namespace, _constant_detail("fork")),
    "property_declaration": _OutlineRule(SymbolKind.Function, _constant_detail("property")),
    "sequence_declaration": _OutlineRule(SymbolKind.Function, _constant_detail("sequence")),
    "let_declaration": _OutlineRule(SymbolKind.Function, _constant_detail("let")),
    "concurrent_assertion_item": _OutlineRule(SymbolKind.Event, _constant_detail("assertion")),
    "covergroup_declaration": _OutlineRule(SymbolKind.Class, _constant_detail("covergroup")),
    "cover_point": _OutlineRule(SymbolKind.Field, _constant_detail("coverpoint")),
    "cover_cross": _OutlineRule(SymbolKind.Field, _constant_detail("cross")),
    "constraint_declaration": _OutlineRule(SymbolKind.Property, _constant_detail("constraint")),
    "modport_item": _OutlineRule(SymbolKind.Interface, _constant_detail("modport")),
    "clocking_declaration": _OutlineRule(SymbolKind.Event, _constant_detail("clocking")),
    "type_assignment": _OutlineRule(SymbolKind.TypeParameter, _constant_detail("type")),
    "enum_name_declaration": _OutlineRule(SymbolKind.EnumMember),
    "text_macro_definition": _OutlineRule(SymbolKind.Constant, _constant_detail("macro")),
    "ansi_port_declaration": _OutlineRule(SymbolKind.Property, lambda node: _text_before_name(node, "port_name")),
    "tf_port_item": _OutlineRule(SymbolKind.Variable, lambda node: _text_before_name(node, "name")),
}
"""Nodes that declare one name."""

_LISTS = {
    "data_declaration": SymbolKind.Variable,
    "net_declaration": SymbolKind.Variable,
    "genvar_declaration": SymbolKind.Variable,
    "parameter_declaration": SymbolKind.Constant,
    "local_parameter_declaration": SymbolKind.Constant,
    "specparam_declaration": SymbolKind.Constant,
    "input_declaration": SymbolKind.Property,
    "output_declaration": SymbolKind.Property,
    "inout_declaration": SymbolKind.Property,
    "ref_declaration": SymbolKind.Property,
    "interface_port_declaration": SymbolKind.Property,
    "tf_port_declaration": SymbolKind.Variable,
    "struct_union_member": SymbolKind.Field,
    "udp_output_declaration": SymbolKind.Property,
    "udp_input_declaration": SymbolKind.Property,
}
"""Nodes that declare the names of a list in them."""

_INSTANCES = frozenset(
    {
        "module_instantiation",
        "gate_instantiation",
        "udp_instantiation",
        "checker_instantiation",
        "program_instantiation",
    }
)
_PROCESSES = frozenset({"always_construct", "initial_construct", "final_construct"})
_NAMES = frozenset({"simple_identifier", "escaped_identifier"})
_HEADERS = {
    "module_ansi_header": "module_declaration",
    "module_nonansi_header": "module_declaration",
    "interface_ansi_header": "interface_declaration",
    "interface_nonansi_header": "interface_declaration",
    "program_ansi_header": "program_declaration",
    "program_nonansi_header": "program_declaration",
}
_NOTHING_INSIDE = frozenset(
    {
        "expression",
        "constant_expression",
        "constant_param_expression",
        "constant_mintypmax_expression",
        "mintypmax_expression",
        "primary",
        "event_control",
        "clocking_event",
        "cond_predicate",
        "property_spec",
        "property_expr",
        "sequence_expr",
        "list_of_net_assignments",
        "variable_lvalue",
        "net_lvalue",
        "operator_assignment",
        "nonblocking_assignment",
        "blocking_assignment",
        "list_of_port_connections",
        "parameter_value_assignment",
        "packed_dimension",
        "unpacked_dimension",
        "text_macro_usage",
        "macro_text",
        "one_line_comment",
        "block_comment",
        "package_import_declaration",
        "constraint_block",
        "bins_or_empty",
        "quoted_string",
    }
)
"""Nodes that are most of a file and declare nothing."""


def outline_of(item_text: ItemText) -> list[OutlineSymbol]:
    """Symbols that a unit declares."""
    declared_symbols: list[OutlineSymbol] = []
    stack: list[tuple[Node, list[OutlineSymbol]]] = [(item_text.tree.root_node, declared_symbols)]
    # A stack of our own: a long chain of `else if` is deeper than Python's.
    while stack:
        node, siblings = stack.pop()
        siblings = _inner_list_after_adding_declarations(node, siblings)
        children: list[tuple[Node, list[OutlineSymbol]]] = []
        for child, owner_symbols in _children_with_lists_to_extend(node, siblings):
            if child.is_named and child.type not in _NOTHING_INSIDE:
                children.append((child, owner_symbols))
        stack.extend(reversed(children))
    _merge_processes_with_named_blocks(declared_symbols)
    return declared_symbols


def _inner_list_after_adding_declarations(node: Node, siblings: list[OutlineSymbol]) -> list[OutlineSymbol]:
    """Add what a node declares; returns where what is inside it belongs."""
    kind = node.type
    if (rule := _DECLARATIONS.get(kind)) is not None:
        return _inner_list_after_adding_symbol(siblings, node, _name_node_of(node), rule.symbol_kind, rule.detail(node))
    if kind in _PROCESSES:
        return _inner_list_after_adding_process(siblings, node)
    if kind == "type_declaration":
        return _inner_list_after_adding_symbol(
            siblings, node, node.child_by_field_name("type_name"), _symbol_kind_of_typedef(node), "typedef"
        )
    if (listed := _LISTS.get(kind)) is not None:
        return _inner_list_after_adding_listed(siblings, node, listed)
    if kind in _INSTANCES:
        return _siblings_after_adding_instances(siblings, node)
    return siblings


def _children_with_lists_to_extend(
    node: Node, siblings: list[OutlineSymbol]
) -> Iterator[tuple[Node, list[OutlineSymbol]]]:
    """The children of a node and where what they declare belongs.

    Where a parser lost its way, what follows a head of a module still belongs to that module.
    """
    owner_symbol: OutlineSymbol | None = None
    astray = node.type == "ERROR"
    children = node.children
    for number, child in enumerate(children):
        if astray and (whole := _module_head_kind_at(children, number)) is not None:
            name = _name_node_of(child) if child.type in _HEADERS else children[number + 1]
            added_to = _inner_list_after_adding_symbol(
                siblings, child, name, _DECLARATIONS[whole].symbol_kind, _DECLARATIONS[whole].detail(child)
            )
            owner_symbol = siblings[-1] if added_to is not siblings else None
        if owner_symbol is not None:
            owner_symbol.end = max(owner_symbol.end, child.end_byte)
            yield child, owner_symbol.inner_symbols
        else:
            yield child, siblings


def _module_head_kind_at(children: list[Node], index: int) -> str | None:
    child = children[index]
    if child.type in _HEADERS:
        return _HEADERS[child.type]
    is_word = child.type in ("module_keyword", "module") and index + 1 < len(children)
    return "module_declaration" if is_word and children[index + 1].type in _NAMES else None


def _inner_list_after_adding_symbol(
    siblings: list[OutlineSymbol],
    node: Node,
    name_node: Node | None,
    symbol_kind: SymbolKind,
    detail: str,
    whole_node: Node | None = None,
) -> list[OutlineSymbol]:
    text = _node_text(name_node) if name_node is not None else ""
    if node.type == "class_constructor_declaration":
        text = "new"
        name_node = next((child for child in node.children if child.type == "new"), None)
    if name_node is None or not text:
        return siblings
    whole_node = whole_node or node
    siblings.append(
        OutlineSymbol(
            text,
            symbol_kind,
            _shortened_line(detail),
            whole_node.start_byte,
            max(whole_node.end_byte, name_node.end_byte),
            name_node.start_byte,
            name_node.end_byte,
        )
    )
    return siblings[-1].inner_symbols


def _inner_list_after_adding_listed(
    siblings: list[OutlineSymbol], node: Node, symbol_kind: SymbolKind
) -> list[OutlineSymbol]:
    children = node.children
    lists = [child for child in children if child.type.startswith("list_of_")]
    own_names = [child for child in children if child.type in _NAMES and node.type == "udp_output_declaration"]
    inner_symbols = siblings
    for name_list in lists:
        detail = _node_bytes(node)[: name_list.start_byte - node.start_byte].decode()
        for declared_node in name_list.named_children:
            name = declared_node if declared_node.type in _NAMES else _name_node_of(declared_node)
            added_symbols = _inner_list_after_adding_symbol(siblings, declared_node, name, symbol_kind, detail)
            # What a type that is written out declares is shown at its first variable.
            inner_symbols = added_symbols if inner_symbols is siblings else inner_symbols
    for name in own_names:
        _inner_list_after_adding_symbol(siblings, name, name, symbol_kind, "output")
    return inner_symbols


def _siblings_after_adding_instances(siblings: list[OutlineSymbol], node: Node) -> list[OutlineSymbol]:
    type_name = node.child_by_field_name("instance_type") or (node.children[0] if node.children else None)
    detail = _node_text(type_name) if type_name is not None else ""
    for child in node.named_children:
        name_node = child if child.type == "name_of_instance" else _first_child_of_kind(child, "name_of_instance")
        if name_node is not None:
            name = name_node.child_by_field_name("instance_name")
            _inner_list_after_adding_symbol(
                siblings, child, name, SymbolKind.Object, detail, node if child is name_node else child
            )
    return siblings


def _inner_list_after_adding_process(siblings: list[OutlineSymbol], node: Node) -> list[OutlineSymbol]:
    """A process goes by the label of its block, else by what starts it."""
    word = node.children[0] if node.children else None
    if word is None:
        return siblings
    start_text = _node_text(word)
    block_node, event = _only_block_and_event(node)
    if event is not None:
        start_text = f"{start_text} {_node_text(event)}"
    label_node = _name_node_of(block_node) if block_node is not None else None
    if label_node is not None:
        return _inner_list_after_adding_symbol(siblings, node, label_node, SymbolKind.Event, start_text)
    inner_symbols = _inner_list_after_adding_symbol(siblings, node, word, SymbolKind.Event, "")
    if inner_symbols is not siblings:
        siblings[-1].name = _shortened_line(start_text)
    return inner_symbols


def _merge_processes_with_named_blocks(declared_symbols: list[OutlineSymbol]) -> None:
    """A process and the block that it has its name from are one thing."""
    pending_lists = [declared_symbols]
    while pending_lists:
        for outline_symbol in pending_lists.pop():
            if outline_symbol.inner_symbols and outline_symbol.inner_symbols[0].name_start == outline_symbol.name_start:
                outline_symbol.inner_symbols[:1] = outline_symbol.inner_symbols[0].inner_symbols
            pending_lists.append(outline_symbol.inner_symbols)


def _only_block_and_event(process: Node) -> tuple[Node | None, Node | None]:
    """The block that is all of a process, and the event that it waits for."""
    event: Node | None = None
    current: Node | None = process
    while current is not None:
        if current.type in ("seq_block", "par_block"):
            return current, event
        next_node: Node | None = None
        for child in current.named_children:
            if child.type in ("event_control", "delay_control", "procedural_timing_control") and event is None:
                event = child
            elif child.type in (
                "statement",
                "statement_or_null",
                "statement_item",
                "function_statement",
                "procedural_timing_control_statement",
                "seq_block",
                "par_block",
            ):
                next_node = child
        current = next_node
    return None, event


def _name_node_of(node: Node) -> Node | None:
    for name in ("name", "port_name"):
        if (name_node := node.child_by_field_name(name)) is not None:
            return name_node
    for child in node.children:
        if child.type in _NAMES:
            return child
        if child.type in _WITH_NAME and (inner := _name_node_of(child)) is not None:
            return inner
    return None


_WITH_NAME = frozenset(
    {
        *_HEADERS,
        "function_body_declaration",
        "task_body_declaration",
        "udp_nonansi_declaration",
        "udp_ansi_declaration",
        "text_macro_name",
        "function_prototype",
        "task_prototype",
    }
)


def _first_child_of_kind(node: Node, kind: str) -> Node | None:
    return next((child for child in node.children if child.type == kind), None)


def _symbol_kind_of_typedef(node: Node) -> SymbolKind:
    type_words = _node_bytes(node).split(None, 3)
    if len(type_words) > 1 and type_words[1].startswith(b"enum"):
        return SymbolKind.Enum
    if len(type_words) > 1 and type_words[1].startswith((b"struct", b"union")):
        return SymbolKind.Struct
    return SymbolKind.Class


def _text_before_name(node: Node, name_field: str) -> str:
    """The text of a node before the name that it declares."""
    name_node = node.child_by_field_name(name_field)
    return _node_bytes(node)[: name_node.start_byte - node.start_byte].decode() if name_node is not None else ""


def _node_bytes(node: Node) -> bytes:
    return node.text or b""


def _node_text(node: Node) -> str:
    return _node_bytes(node).decode()


def _shortened_line(text: str) -> str:
    line = re.sub(r"\s+", " ", text).strip()
    return line if len(line) <= _MAX_DETAIL else line[: _MAX_DETAIL - 1] + "…"
