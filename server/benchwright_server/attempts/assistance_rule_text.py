"""The rule of an assignment on help by models, as a line of the statement."""

from __future__ import annotations

import re

from benchwright_problems.assistance import Assistance

_LINE = re.compile(r"\n\n\*\*Help by models:\*\*[^\n]*")


def statement_with_assistance_rule(statement: str, rule: Assistance | None) -> str:
    """The statement with this rule at its end, instead of an older one; all else stays as it is.

    Args:
        statement: Text of the statement, in Markdown.
        rule: None for an assignment that says nothing.
    """
    plain_statement = _LINE.sub("", statement)
    if rule is None:
        return plain_statement
    return f"{plain_statement.rstrip()}\n\n**Help by models:** {rule.rule_and_check_notice}\n"
