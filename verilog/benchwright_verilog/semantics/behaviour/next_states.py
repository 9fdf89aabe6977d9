"""Ways on which processes take a state variable from one state, each with the conditions that lead along it.

With `state` at `IDLE`, in

    next = state;
    case (state)
      IDLE: if (go) next = RUN;

`next` becomes `RUN` if `go`, and `IDLE` if `!go`. slang evaluates what the state alone decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyslang import ConstantValue, SVInt
from pyslang.ast import (
    AssignmentExpression,
    BinaryExpression,
    BinaryOperator,
    BlockStatement,
    CallExpression,
    CaseStatement,
    ConditionalExpression,
    ConditionalStatement,
    ElementSelectExpression,
    EvalContext,
    EvalFlags,
    Expression,
    ExpressionStatement,
    ForeachLoopStatement,
    ForLoopStatement,
    NamedValueExpression,
    RepeatLoopStatement,
    StatementList,
    TimedStatement,
    UnaryExpression,
    UnaryOperator,
    WhileLoopStatement,
)

from benchwright_verilog.semantics.behaviour.clock_graph import unwrap_conversions
from benchwright_verilog.semantics.behaviour.guarded_statements import StatementGuard
from benchwright_verilog.semantics.behaviour.registers import Reset, is_reset_name, tested_signal_and_level
from benchwright_verilog.semantics.names.named_values import assigned_parts, one_line_source, signal_symbol_of

if TYPE_CHECKING:
    from pyslang import SourceRange
    from pyslang.ast import Statement, ValueSymbol

_MAX_WAYS = 256
_WIDEST_STATE = 1024
_PLAIN = re.compile(r"!?[\w$.\[\]]+")
_COMPARED = re.compile(r"([^&|?!=<>()]+)(==|!=)([^&|?!=<>()]+)")
_COMPUTING = (BinaryExpression, UnaryExpression, CallExpression)


class TooManyWaysError(Exception):
    """There are more ways from a state than are followed."""


@dataclass(frozen=True)
class ProcessPath:
    """One way through a process, and what the variable is at its end."""

    conditions: tuple[str, ...]
    """All of them hold; as they are written or, for `else` and `default`, negated."""
    value: int | None
    """None if the state and constants alone don't decide it."""
    source_range: SourceRange | None = None
    """The assignment; None if the variable keeps its value."""
    reset: Reset | None = None
    """The reset that leads along it; its condition is not among the others."""
    is_kept: bool = False
    """True if the value is the state itself, which the variable kept or was given."""
    is_computed: bool = False
    """True if the value was computed, as in `state + 1`."""


class NextStates:
    """The ways from one state.

    Args:
        state_variable: The variable.
        state_value: The state.
        writers_by_path: Writer of each variable without a clock, by its path: a process's body, or an assigned
            expression.
        reset_levels_by_path: The level at which each signal resets the process with the clock asynchronously, by the
            signal's path.
    """

    def __init__(
        self,
        state_variable: ValueSymbol,
        state_value: int,
        writers_by_path: Mapping[str, Statement | Expression],
        reset_levels_by_path: Mapping[str, int],
    ) -> None:
        self.value = state_value
        self._path = state_variable.hierarchicalPath
        self._writers = writers_by_path
        self._resets = reset_levels_by_path
        self._followed: list[str] = []
        self._context = EvalContext(state_variable, EvalFlags.IsScript)
        self._context.pushEmptyFrame()
        self._context.createLocal(state_variable, state_variable.type.coerceValue(ConstantValue(state_value)))

    def paths_through(self, process_body: Statement) -> list[ProcessPath]:
        """The ways of the state variable through the process with the clock.

        Raises:
            TooManyWaysError: The process has too many ways.
        """
        return self._paths_after(
            process_body, self._path, [ProcessPath((), self.value, is_kept=True)], is_outermost=True
        )

    def value_fixed_by_state(self, expression: Expression) -> int | None:
        """The number that an expression is, if the state and constants alone decide that."""
        return unsigned_integer(expression.eval(self._context))

    def _paths_after(
        self, statement: Statement, variable_path: str, process_paths: list[ProcessPath], *, is_outermost: bool = False
    ) -> list[ProcessPath]:
        """The ways of a variable after a statement; the same list if the statement does not write it."""
        match statement:
            case StatementList():
                for inner in statement.list:
                    process_paths = self._paths_after(inner, variable_path, process_paths, is_outermost=is_outermost)
                return process_paths
            case BlockStatement():
                return self._paths_after(statement.body, variable_path, process_paths, is_outermost=is_outermost)
            case TimedStatement():
                return self._paths_after(statement.stmt, variable_path, process_paths, is_outermost=is_outermost)
            case ConditionalStatement():
                return self._paths_after_conditional(statement, variable_path, process_paths, is_outermost=is_outermost)
            case CaseStatement():
                return self._paths_after_case(statement, variable_path, process_paths)
            case ExpressionStatement() if isinstance(statement.expr, AssignmentExpression):
                return self._paths_after_assignment(statement.expr, variable_path, process_paths)
            case ForLoopStatement() | ForeachLoopStatement() | RepeatLoopStatement() | WhileLoopStatement():
                return (
                    process_paths
                    if self._paths_after(statement.body, variable_path, process_paths) is process_paths
                    else [ProcessPath((), None)]
                )
        return process_paths

    def _paths_after_conditional(
        self,
        statement: ConditionalStatement,
        variable_path: str,
        process_paths: list[ProcessPath],
        *,
        is_outermost: bool,
    ) -> list[ProcessPath]:
        reset = self._is_reset_branch_and_reset(statement) if is_outermost else None
        condition = self._conjunction_in_state(condition_part.expr for condition_part in statement.conditions)
        if isinstance(condition, bool):
            branch = statement.ifTrue if condition else statement.ifFalse
            return self._paths_after(branch, variable_path, process_paths) if branch is not None else process_paths
        inner_paths = self._paths_after(statement.ifTrue, variable_path, process_paths)
        other_ways = process_paths
        if statement.ifFalse is not None:
            other_ways = self._paths_after(
                statement.ifFalse, variable_path, process_paths, is_outermost=reset is not None
            )
        if inner_paths is process_paths and other_ways is process_paths:
            return process_paths
        if reset is not None:
            is_first, reset_found = reset
            reset_ways, later_ways = (inner_paths, other_ways) if is_first else (other_ways, inner_paths)
            return [*(replace(way, reset=reset_found) for way in reset_ways), *later_ways]
        return _paths_unless_too_many(
            [
                *_paths_under_condition(condition, inner_paths),
                *_paths_under_condition(negate_condition(condition), other_ways),
            ]
        )

    def _is_reset_branch_and_reset(self, statement: ConditionalStatement) -> tuple[bool, Reset] | None:
        """True if what is under a condition, and not what is beside it, is the reset; and the reset."""
        first = statement.conditions[0].expr
        tested = tested_signal_and_level(StatementGuard(first)) if len(statement.conditions) == 1 else None
        if tested is None:
            return None
        symbol, level = tested
        active_level = self._resets.get(symbol.hierarchicalPath)
        if active_level is not None:
            return level == active_level, Reset(symbol.name, active_level, True, "")
        return (True, Reset(symbol.name, level, False, "")) if is_reset_name(symbol.name) else None

    def _paths_after_case(
        self, statement: CaseStatement, variable_path: str, process_paths: list[ProcessPath]
    ) -> list[ProcessPath]:
        branches = [(item_.stmt, tuple(item_.expressions)) for item_ in statement.items]
        case_ways: list[ProcessPath] = []
        is_written = is_certain = False
        earlier_conditions: list[str] = []
        for body, labels in branches:
            condition = self._disjunction(self._label_condition(statement.expr, label) for label in labels)
            if condition is False:
                continue
            inner_paths = self._paths_after(body, variable_path, process_paths)
            is_written |= inner_paths is not process_paths
            case_ways += _paths_under_condition(condition, inner_paths)
            if condition is True:
                is_certain = True
                break
            earlier_conditions.append(condition)
        if not is_certain:
            otherwise = (
                self._paths_after(statement.defaultCase, variable_path, process_paths)
                if statement.defaultCase is not None
                else process_paths
            )
            is_written |= otherwise is not process_paths
            case_ways += _paths_under_condition(
                _condition_of_default(_text_without_outer_parentheses(statement.expr), earlier_conditions), otherwise
            )
        return _paths_unless_too_many(case_ways) if is_written else process_paths

    def _paths_after_assignment(
        self, assignment: AssignmentExpression, variable_path: str, process_paths: list[ProcessPath]
    ) -> list[ProcessPath]:
        targets = list(assigned_parts(assignment.left))
        for target_expression in targets:
            symbol = signal_symbol_of(target_expression)
            if symbol is None or symbol.hierarchicalPath != variable_path:
                continue
            if len(targets) > 1 or assignment.isCompound:
                return [ProcessPath((), None, assignment.sourceRange)]
            if isinstance(target_expression, NamedValueExpression):
                return self._paths_of_assigned_value(assignment.right, assignment.sourceRange)
            return [self._path_after_one_hot_assignment(way, target_expression, assignment) for way in process_paths]
        return process_paths

    def _path_after_one_hot_assignment(
        self, process_path: ProcessPath, target_expression: Expression, assignment: AssignmentExpression
    ) -> ProcessPath:
        """A one-hot state after `next[RUN] = 1'b1`."""
        bit = (
            self.value_fixed_by_state(target_expression.selector)
            if isinstance(target_expression, ElementSelectExpression)
            else None
        )
        is_set = self.value_fixed_by_state(assignment.right)
        if process_path.value is None or bit is None or is_set is None or bit > _MAX_WAYS:
            return replace(process_path, value=None, source_range=assignment.sourceRange)
        value = process_path.value | 1 << bit if is_set else process_path.value & ~(1 << bit)
        return replace(process_path, value=value, source_range=assignment.sourceRange, is_kept=False)

    def _paths_of_assigned_value(self, expression: Expression, source_range: SourceRange) -> list[ProcessPath]:
        value = self.value_fixed_by_state(expression)
        bare_expression = unwrap_conversions(expression)
        if value is not None:
            is_kept = (
                isinstance(bare_expression, NamedValueExpression)
                and bare_expression.symbol.hierarchicalPath == self._path
            )
            return [
                ProcessPath(
                    (), value, source_range, is_kept=is_kept, is_computed=isinstance(bare_expression, _COMPUTING)
                )
            ]
        if isinstance(bare_expression, ConditionalExpression):
            condition = self._conjunction_in_state(condition_part.expr for condition_part in bare_expression.conditions)
            if isinstance(condition, bool):
                return self._paths_of_assigned_value(
                    bare_expression.left if condition else bare_expression.right, source_range
                )
            first_paths, second_paths = (
                self._paths_of_assigned_value(bare_expression.left, source_range),
                self._paths_of_assigned_value(bare_expression.right, source_range),
            )
            return _paths_unless_too_many(
                [
                    *_paths_under_condition(condition, first_paths),
                    *_paths_under_condition(negate_condition(condition), second_paths),
                ]
            )
        if isinstance(bare_expression, NamedValueExpression):
            return self._paths_of_variable(bare_expression.symbol.hierarchicalPath) or [
                ProcessPath((), None, source_range)
            ]
        return [ProcessPath((), None, source_range)]

    def _paths_of_variable(self, variable_path: str) -> list[ProcessPath]:
        """The ways of another variable, from which a state variable gets its next value."""
        writer = self._writers.get(variable_path)
        if writer is None or variable_path in self._followed:
            return []
        self._followed.append(variable_path)
        try:
            if isinstance(writer, Expression):
                assigned_value = writer.right if isinstance(writer, AssignmentExpression) else writer
                return self._paths_of_assigned_value(assigned_value, writer.sourceRange)
            return self._paths_after(writer, variable_path, [ProcessPath((), None)])
        finally:
            self._followed.pop()

    def _conjunction_in_state(self, expressions: Iterable[Expression]) -> bool | str:
        return _join_conditions(
            (self._condition_left_in_state(expression) for expression in expressions), "&&", absorbing_value=False
        )

    def _disjunction(self, conditions: Iterable[bool | str]) -> bool | str:
        return _join_conditions(conditions, "||", absorbing_value=True)

    def _condition_left_in_state(self, expression: Expression) -> bool | str:
        """True if a condition holds in the state; what is left of it, if that depends on more."""
        value = self.value_fixed_by_state(expression)
        if value is not None:
            return value != 0
        bare_expression = unwrap_conversions(expression)
        match bare_expression:
            case BinaryExpression() if bare_expression.op == BinaryOperator.LogicalAnd:
                return self._conjunction_in_state((bare_expression.left, bare_expression.right))
            case BinaryExpression() if bare_expression.op == BinaryOperator.LogicalOr:
                return self._disjunction(
                    self._condition_left_in_state(side) for side in (bare_expression.left, bare_expression.right)
                )
            case UnaryExpression() if bare_expression.op == UnaryOperator.LogicalNot:
                operand_condition = self._condition_left_in_state(bare_expression.operand)
                return (
                    negate_condition(operand_condition) if isinstance(operand_condition, str) else not operand_condition
                )
        return _text_without_outer_parentheses(bare_expression)

    def _label_condition(self, expression: Expression, label_expression: Expression) -> bool | str:
        """True if a `case` takes the item of a label."""
        constant_value, labelled = self.value_fixed_by_state(expression), self.value_fixed_by_state(label_expression)
        if constant_value is not None and labelled is not None:
            return constant_value == labelled
        # In `case (1'b1)` the labels are the conditions.
        if constant_value == 1 and unwrap_conversions(label_expression).type.bitWidth == 1:
            return self._condition_left_in_state(label_expression)
        return f"{_text_without_outer_parentheses(expression)} == {_text_without_outer_parentheses(label_expression)}"


def unsigned_integer(constant: ConstantValue) -> int | None:
    """A constant as a number without a sign; None if it is none, has unknown bits, or is wider than any state."""
    value = constant.value
    if not isinstance(value, SVInt) or value.hasUnknown or value.bitWidth > _WIDEST_STATE:
        return None
    return int(value) % (1 << value.bitWidth)


def negate_condition(condition: str) -> str:
    """The opposite of a condition, as an engineer writes it: of `!go` it is `go`, of `a == b` it is `a != b`."""
    if _PLAIN.fullmatch(condition):
        return condition[1:] if condition.startswith("!") else f"!{condition}"
    compared = _COMPARED.fullmatch(condition)
    if compared is not None:
        return f"{compared[1]}{'!=' if compared[2] == '==' else '=='}{compared[3]}"
    return f"!({condition})"


def conjunction(conditions: Iterable[str]) -> str:
    """A condition that holds if all of some do."""
    terms = list(conditions)
    return " && ".join(_in_parentheses_if_needed(term) for term in terms) if len(terms) > 1 else "".join(terms)


def _join_conditions(conditions: Iterable[bool | str], operator: str, *, absorbing_value: bool) -> bool | str:
    open_conditions: list[str] = []
    for condition in conditions:
        if condition is absorbing_value:
            return absorbing_value
        if isinstance(condition, str):
            open_conditions.append(condition)
    if len(open_conditions) > 1:
        return f" {operator} ".join(_in_parentheses_if_needed(term) for term in open_conditions)
    return open_conditions[0] if open_conditions else not absorbing_value


def _text_without_outer_parentheses(expression: Expression) -> str:
    # What converts an expression is not written.
    text = one_line_source(unwrap_conversions(expression).syntax)
    while text.startswith("(") and _is_one_parenthesised_group(text):
        text = text[1:-1].strip()
    return text


def _in_parentheses_if_needed(condition: str) -> str:
    is_plain = _PLAIN.fullmatch(condition) is not None or _COMPARED.fullmatch(condition) is not None
    return condition if is_plain or _is_one_parenthesised_group(condition.removeprefix("!")) else f"({condition})"


def _is_one_parenthesised_group(text: str) -> bool:
    """True if the first parenthesis is closed by the last."""
    depth = 0
    for number, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return number > 0 and number == len(text) - 1
    return False


def _condition_of_default(selector_text: str, item_conditions: Sequence[str]) -> bool | str:
    """The meaning of `default`, after items that are not taken in the state."""
    prefix = f"{selector_text} == "
    labels = [part for condition in item_conditions for part in condition.split(" || ")]
    if len(labels) > 1 and all(label.startswith(prefix) for label in labels):
        return f"!({selector_text} inside {{{', '.join(label.removeprefix(prefix) for label in labels)}}})"
    return _join_conditions((negate_condition(condition) for condition in item_conditions), "&&", absorbing_value=False)


def _paths_under_condition(condition: bool | str, process_paths: Iterable[ProcessPath]) -> Iterator[ProcessPath]:
    for way in process_paths:
        yield replace(way, conditions=(condition, *way.conditions)) if isinstance(condition, str) else way


def _paths_unless_too_many(process_paths: list[ProcessPath]) -> list[ProcessPath]:
    if len(process_paths) > _MAX_WAYS:
        raise TooManyWaysError
    return process_paths
