"""Facts from the processes of an instance about its registers that could be states of a machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyslang.ast import (
    AssignmentExpression,
    BinaryExpression,
    BinaryOperator,
    CaseStatement,
    ConditionalExpression,
    ContinuousAssignSymbol,
    ElementSelectExpression,
    EnumType,
    EnumValueSymbol,
    EvalContext,
    Expression,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    InsideExpression,
    NamedValueExpression,
    NetSymbol,
    ParameterSymbol,
    ProceduralBlockKind,
    ProceduralBlockSymbol,
    ValueSymbol,
    VisitAction,
)

from benchwright_verilog.semantics.behaviour.clock_graph import unwrap_conversions
from benchwright_verilog.semantics.behaviour.next_states import unsigned_integer
from benchwright_verilog.semantics.behaviour.registers import RegisterClock, clock_and_reset_levels
from benchwright_verilog.semantics.compilation.instances import FileSpan
from benchwright_verilog.semantics.names.named_values import assigned_parts, one_line_source, signal_symbol_of

if TYPE_CHECKING:
    from pyslang.ast import InstanceBodySymbol, Statement, Type

    from benchwright_verilog.semantics.compilation.instances import InstanceTree

_MAX_WIDTH = 64
_CLOCKED = (ProceduralBlockKind.Always, ProceduralBlockKind.AlwaysFF)
_COMPARING = (
    BinaryOperator.Equality,
    BinaryOperator.Inequality,
    BinaryOperator.CaseEquality,
    BinaryOperator.CaseInequality,
)


@dataclass(frozen=True)
class StateLabel:
    """A constant that a state is called by."""

    name: str
    span: FileSpan | None
    is_named: bool
    """True if the name was declared; else it is a number as it is written."""
    is_handled: bool = False
    """True if the place is the label of a `case`."""


@dataclass(frozen=True)
class StateRegister:
    """A register that may hold a state."""

    symbol: ValueSymbol
    process_body: Statement
    """Of the process that writes it."""
    clock: RegisterClock | None
    reset_levels_by_path: dict[str, int]
    """As of `NextStates`."""
    width: int
    enum_values: tuple[int, ...]
    """The values of its type, if that is an enumeration."""


@dataclass
class VariableFacts:
    """The facts that are known of the variables of an instance, by their paths."""

    writer_by_path: dict[str, Statement | Expression] = field(default_factory=dict)
    """As of `NextStates`."""
    candidate_register_by_path: dict[str, StateRegister] = field(default_factory=dict)
    state_labels_by_path: dict[str, dict[int, StateLabel]] = field(default_factory=dict)
    """The constants that a variable is compared with, or gets."""
    paths_tested_by_case: set[str] = field(default_factory=set)
    """The variables that a `case` is about."""
    source_paths: dict[str, set[str]] = field(default_factory=dict)
    """The variables that are assigned as they are to each variable."""

    @property
    def registers(self) -> list[StateRegister]:
        """Those that may hold a state, in the order of the file."""
        return list(self.candidate_register_by_path.values())

    def state_labels_by_value(self, register: StateRegister) -> dict[int, StateLabel]:
        """The names of a register's states, by their values."""
        labels: dict[int, StateLabel] = {}
        for path in self._register_and_source_paths(register):
            for value, label in self.state_labels_by_path.get(path, {}).items():
                if value not in labels or (label.is_named and not labels[value].is_named):
                    labels[value] = label
        return labels

    def is_tested_by_case(self, register: StateRegister) -> bool:
        """True if a `case` is about a register, or about what it becomes."""
        return not self.paths_tested_by_case.isdisjoint(self._register_and_source_paths(register))

    def _register_and_source_paths(self, register: StateRegister) -> list[str]:
        path = register.symbol.hierarchicalPath
        return [path, *sorted(source for source in self.source_paths.get(path, ()) if source in self.writer_by_path)]


def read_variable_facts(design: InstanceTree, body: InstanceBodySymbol) -> VariableFacts:
    """Reads an instance; `InstanceTree.lock` has to be held."""
    facts_reader = _VariableFactsReader(design, body)
    facts_reader.add_scope_facts(body)
    for register in facts_reader.variable_facts.registers:
        facts_reader.label_enum_states(register)
    return facts_reader.variable_facts


class _VariableFactsReader:
    def __init__(self, design: InstanceTree, body: InstanceBodySymbol) -> None:
        self.variable_facts = VariableFacts()
        self._design = design
        self._constants = EvalContext(body)

    def add_scope_facts(self, scope: InstanceBodySymbol | GenerateBlockSymbol | GenerateBlockArraySymbol) -> None:
        for scope_member in scope:
            match scope_member:
                case GenerateBlockSymbol() if scope_member.isUninstantiated:
                    continue
                case GenerateBlockSymbol() | GenerateBlockArraySymbol():
                    self.add_scope_facts(scope_member)
                case ContinuousAssignSymbol() if isinstance(scope_member.assignment, AssignmentExpression):
                    self._add_writer(scope_member.assignment, scope_member.assignment)
                    scope_member.assignment.visit(self._add_node_facts)
                case NetSymbol() if scope_member.initializer is not None:
                    self.variable_facts.writer_by_path[scope_member.hierarchicalPath] = scope_member.initializer
                    self._add_assigned_labels(scope_member.hierarchicalPath, scope_member.initializer)
                case ProceduralBlockSymbol():
                    self._add_process_facts(scope_member)

    def label_enum_states(self, register: StateRegister) -> None:
        """Names the states of a register by the members of its type."""
        known_labels = self.variable_facts.state_labels_by_path.setdefault(register.symbol.hierarchicalPath, {})
        type_ = register.symbol.type.canonicalType
        for enum_member in _enum_members(type_):
            value = unsigned_integer(enum_member.value)
            if value is not None:
                handled = known_labels.get(value)
                span = handled.span if handled is not None else self._design.declaration_span(enum_member)
                known_labels[value] = StateLabel(enum_member.name, span, is_named=True)

    def _add_process_facts(self, block: ProceduralBlockSymbol) -> None:
        timing = clock_and_reset_levels(block) if block.procedureKind in _CLOCKED else None
        assignments: list[AssignmentExpression] = []

        def visit(node: object) -> object:
            if isinstance(node, AssignmentExpression):
                assignments.append(node)
            return self._add_node_facts(node)

        block.body.visit(visit)
        for assignment in assignments:
            if timing is None:
                self._add_writer(assignment, block.body)
            else:
                self._add_candidate_register(assignment, block, *timing)

    def _add_writer(self, assignment: AssignmentExpression, writer: Statement | Expression) -> None:
        for target_expression in assigned_parts(assignment.left):
            symbol = signal_symbol_of(target_expression)
            if symbol is not None:
                self.variable_facts.writer_by_path.setdefault(symbol.hierarchicalPath, writer)

    def _add_candidate_register(
        self,
        assignment: AssignmentExpression,
        block: ProceduralBlockSymbol,
        clock: RegisterClock | None,
        reset_levels_by_path: dict[str, int],
    ) -> None:
        for target_expression in assigned_parts(assignment.left):
            symbol = signal_symbol_of(target_expression)
            if not isinstance(symbol, ValueSymbol) or any(
                symbol.parentScope == inner_block for inner_block in block.blocks
            ):
                continue
            type_ = symbol.type
            path = symbol.hierarchicalPath
            if (
                not type_.isIntegral
                or type_.bitWidth > _MAX_WIDTH
                or path in self.variable_facts.candidate_register_by_path
            ):
                continue
            values = [unsigned_integer(enum_value.value) for enum_value in _enum_members(type_.canonicalType)]
            enumeration = tuple(number_value for number_value in values if number_value is not None)
            self.variable_facts.candidate_register_by_path[path] = StateRegister(
                symbol, block.body, clock, reset_levels_by_path, type_.bitWidth, enumeration
            )

    def _add_node_facts(self, node: object) -> object:
        match node:
            case AssignmentExpression():
                self._add_assignment_facts(node)
            case CaseStatement():
                self._add_case_labels(node)
            case BinaryExpression() if node.op in _COMPARING:
                for compared, compared_with in ((node.left, node.right), (node.right, node.left)):
                    self._add_comparison_label(compared, compared_with)
            case InsideExpression():
                for compared in node.rangeList:
                    self._add_comparison_label(node.left, compared)
            case ElementSelectExpression():
                self._add_one_hot_label(node)
        return VisitAction.Advance

    def _add_assignment_facts(self, assignment: AssignmentExpression) -> None:
        target_expression = unwrap_conversions(assignment.left)
        symbol = signal_symbol_of(target_expression) if isinstance(target_expression, NamedValueExpression) else None
        if symbol is not None:
            self._add_assigned_labels(symbol.hierarchicalPath, assignment.right)

    def _add_assigned_labels(self, variable_path: str, assigned_value: Expression) -> None:
        for alternative in _possible_values(assigned_value):
            source_symbol = signal_symbol_of(alternative) if isinstance(alternative, NamedValueExpression) else None
            if source_symbol is not None:
                self.variable_facts.source_paths.setdefault(variable_path, set()).add(source_symbol.hierarchicalPath)
            else:
                self._add_label(variable_path, alternative, is_case_label=False)

    def _add_case_labels(self, statement: CaseStatement) -> None:
        symbol = (
            signal_symbol_of(statement.expr)
            if isinstance(unwrap_conversions(statement.expr), NamedValueExpression)
            else None
        )
        if symbol is None:
            return
        labels = [label_expression for item in statement.items for label_expression in item.expressions]
        if len(labels) > 1:
            self.variable_facts.paths_tested_by_case.add(symbol.hierarchicalPath)
        for label_expression in labels:
            self._add_label(symbol.hierarchicalPath, label_expression, is_case_label=True)

    def _add_comparison_label(self, tested: Expression, constant: Expression) -> None:
        bare_expression = unwrap_conversions(tested)
        symbol = signal_symbol_of(bare_expression) if isinstance(bare_expression, NamedValueExpression) else None
        if symbol is not None:
            self._add_label(symbol.hierarchicalPath, constant, is_case_label=False)

    def _add_one_hot_label(self, select: ElementSelectExpression) -> None:
        """In a one-hot code a state is the number of a bit."""
        bit = unwrap_conversions(select.selector)
        value, symbol = self._constant_integer(bit), signal_symbol_of(select.value)
        named_constant = _declared_constant(bit)
        if value is not None and named_constant is not None and symbol is not None and value < _MAX_WIDTH:
            label = StateLabel(named_constant.name, self._design.declaration_span(named_constant), is_named=True)
            self.variable_facts.state_labels_by_path.setdefault(symbol.hierarchicalPath, {}).setdefault(
                1 << value, label
            )

    def _add_label(self, variable_path: str, expression: Expression, *, is_case_label: bool) -> None:
        value = self._constant_integer(expression)
        if value is None:
            return
        bare_expression = unwrap_conversions(expression)
        named_constant = _declared_constant(bare_expression)
        name = named_constant.name if named_constant is not None else one_line_source(bare_expression.syntax)
        written_span = self._design.file_span(bare_expression.sourceRange) if is_case_label else None
        span = written_span or (self._design.declaration_span(named_constant) if named_constant is not None else None)
        label = StateLabel(name, span, is_named=named_constant is not None, is_handled=written_span is not None)
        known_labels = self.variable_facts.state_labels_by_path.setdefault(variable_path, {})
        old_label = known_labels.get(value)
        if old_label is None or (label.is_handled, label.is_named) > (old_label.is_handled, old_label.is_named):
            known_labels[value] = label

    def _constant_integer(self, expression: Expression) -> int | None:
        return unsigned_integer(expression.eval(self._constants))


def _enum_members(type_: Type) -> Iterator[EnumValueSymbol]:
    """Those of an enumeration."""
    for enum_value in type_ if isinstance(type_, EnumType) else ():
        if isinstance(enum_value, EnumValueSymbol):
            yield enum_value


def _declared_constant(expression: Expression) -> EnumValueSymbol | ParameterSymbol | None:
    symbol = expression.symbol if isinstance(expression, NamedValueExpression) else None
    return symbol if isinstance(symbol, EnumValueSymbol | ParameterSymbol) else None


def _possible_values(assigned_value: Expression) -> Iterator[Expression]:
    bare_expression = unwrap_conversions(assigned_value)
    if isinstance(bare_expression, ConditionalExpression):
        for branch in (bare_expression.left, bare_expression.right):
            yield from _possible_values(branch)
    else:
        yield bare_expression
