"""A page of the people of a course: those that are searched for, in the order of a column, some at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlalchemy.sql.selectable import Subquery

from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.storage.tables import ACCOUNTS, MEMBERS

BY_NAME = "name"
_COLUMNS = {BY_NAME: ACCOUNTS.c.name, "role": MEMBERS.c.role, "section": MEMBERS.c.section, "group": MEMBERS.c.team}
"""Columns of everybody by which rows can be sorted."""


@dataclass(frozen=True)
class RowChoice:
    """The rows of a table of people that somebody wants to see, as the page's address has them."""

    search: str = ""
    """Part of a name."""
    section: str = ""
    """Empty for all."""
    assignment: str = ""
    """Empty for all."""
    sort: str = BY_NAME
    """A column."""
    is_descending: bool = False
    page: int = 1
    column_page: int = 1
    """The same for the columns of a table that has many."""

    def query(self, **changes: Any) -> str:
        """The query of the address of the same page with changes; what is as usual is left out."""
        choice = replace(self, **changes)
        parameters = {
            "q": choice.search,
            "section": choice.section,
            "assignment": choice.assignment,
            "sort": choice.sort if choice.sort != BY_NAME else "",
            "order": "desc" if choice.is_descending else "",
            "page": choice.page if choice.page > 1 else "",
            "columns": choice.column_page if choice.column_page > 1 else "",
        }
        return f"?{urlencode({name: value for name, value in parameters.items() if value})}"

    def sorted_query(self, column: str) -> str:
        """The query of the same rows in the order of a column; in reverse if that is their order already."""
        return self.query(sort=column, is_descending=self.sort == column and not self.is_descending, page=1)

    def sort_direction(self, column: str) -> str:
        """The value of `aria-sort` of a column."""
        if self.sort != column:
            return "none"
        return "descending" if self.is_descending else "ascending"


@dataclass(frozen=True)
class PeopleRows:
    """A page of people."""

    rows: Sequence[Row[Any]]
    """With `account`, `name`, `role`, `section` and `team`."""
    total: int
    """Number of people on all pages."""
    choice: RowChoice
    """As it was carried out: on the last page if there are fewer."""
    page_count: int
    sections: Sequence[str]
    """All that there are in the course."""


async def read_people_rows(
    database: Database,
    course: str,
    choice: RowChoice,
    row_limit: int,
    *,
    students_only: bool = True,
    sort_values: Subquery | None = None,
) -> PeopleRows:
    """Reads a page of people.

    Args:
        database: Database of the service.
        course: Id of the course.
        choice: Choice of the rows.
        row_limit: Number of rows of a page.
        students_only: True to leave out everybody else.
        sort_values: Value of the column by which rows are sorted, by `account`; who has none comes as with 0. None if
            it is a column of everybody.
    """
    conditions = [MEMBERS.c.course == course]
    if students_only:
        conditions.append(MEMBERS.c.role == Role.PARTICIPANT.value)
    sections_query = select(MEMBERS.c.section).where(*conditions, MEMBERS.c.section != "").distinct()
    if choice.section:
        conditions.append(MEMBERS.c.section == choice.section)
    if choice.search:
        conditions.append(func.lower(ACCOUNTS.c.name).contains(choice.search.lower(), autoescape=True))
    accounts_of_members = ACCOUNTS.join(MEMBERS, MEMBERS.c.account == ACCOUNTS.c.id)
    count_query = select(func.count()).select_from(accounts_of_members).where(*conditions)
    async with database.read_transaction() as connection:
        sections = sorted((await connection.execute(sections_query)).scalars())
        total = int((await connection.execute(count_query)).scalar_one())
        page_count = max(1, -(-total // row_limit))
        carried_out = replace(choice, page=min(choice.page, page_count))
        query = _rows_query(carried_out, sort_values).where(*conditions)
        query = query.limit(row_limit).offset((carried_out.page - 1) * row_limit)
        rows = (await connection.execute(query)).all()
    return PeopleRows(rows, total, carried_out, page_count, sections)


def _rows_query(choice: RowChoice, sort_values: Subquery | None) -> Select[Any]:
    accounts_of_members = ACCOUNTS.join(MEMBERS, MEMBERS.c.account == ACCOUNTS.c.id)
    sort_column: ColumnElement[Any]
    if sort_values is not None:
        accounts_of_members = accounts_of_members.outerjoin(sort_values, sort_values.c.account == ACCOUNTS.c.id)
        sort_column = func.coalesce(sort_values.c.value, 0)
    else:
        sort_column = func.lower(_COLUMNS.get(choice.sort, ACCOUNTS.c.name))
    return (
        select(ACCOUNTS.c.id.label("account"), ACCOUNTS.c.name, MEMBERS.c.role, MEMBERS.c.section, MEMBERS.c.team)
        .select_from(accounts_of_members)
        .order_by(
            sort_column.desc() if choice.is_descending else sort_column, func.lower(ACCOUNTS.c.name), ACCOUNTS.c.id
        )
    )
