"""Parts of a report: sections of sentences, pictures and tables, and the same numbers for machines."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from enum import Enum

from pydantic import BaseModel, JsonValue

from benchwright_foundation.number_text import UNKNOWN, number, percent
from benchwright_foundation.number_text import counted as counted
from benchwright_judges.agreement.estimators import Estimate, Share

Cell = str | int | float | None


@dataclasses.dataclass(frozen=True)
class TableNumber:
    """One number of a table, with what it is based on."""

    row: str
    column: str
    attempts: int
    problems: int
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclasses.dataclass(frozen=True)
class SortableTable:
    """Rows that readers can sort."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    detail: bool = False
    """True if it is shown only when asked for."""
    id: str = ""
    """Name of the CSV file in `tables/` that has its figures; empty if there is none."""
    figures: Sequence[TableNumber] = ()
    """Its numbers unrounded, one per cell."""


@dataclasses.dataclass(frozen=True)
class SectionPicture:
    """A picture, what it shows in words, and its numbers."""

    id: str
    title: str
    alt: str
    svg: str
    table: SortableTable


@dataclasses.dataclass(frozen=True)
class Section:
    """One part of the report."""

    id: str
    title: str
    lead: Sequence[str] = ()
    """Paragraphs."""
    pictures: Sequence[SectionPicture] = ()
    tables: Sequence[SortableTable] = ()
    numbers: Mapping[str, object] = dataclasses.field(default_factory=dict)
    """For `report.json`."""
    empty_reason: str = ""
    """Reason why there is nothing to show."""
    is_list: bool = False
    """True if the sentences are shown as a list."""
    role: str = ""
    """`primary`, `secondary` or `exploratory`; empty if it has no results of a study."""
    badge: str = ""
    """The role in words that hold for all numbers of the section."""
    headline: str = ""
    """The answer in one sentence, in the section that has it."""
    is_in_json: bool = True
    """True if `report.json` has it; not what `attempts.csv` has anyway."""

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to show."""
        return bool(self.empty_reason)

    @property
    def all_tables(self) -> Sequence[SortableTable]:
        """Those of the pictures, and the others, each once."""
        picture_tables = [picture.table for picture in self.pictures]
        return list({id(table): table for table in (*picture_tables, *self.tables)}.values())


def json_value(result: object) -> JsonValue:
    """A result as JSON has it."""
    if isinstance(result, Enum):
        return json_value(result.value)
    if isinstance(result, BaseModel):
        return json_value(result.model_dump(mode="json"))
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {field.name: json_value(getattr(result, field.name)) for field in dataclasses.fields(result)}
    if isinstance(result, Mapping):
        return {str(key): json_value(member) for key, member in result.items()}
    if isinstance(result, str | bool | int | float) or result is None:
        return result
    if isinstance(result, Sequence):
        return [json_value(member) for member in result]
    raise TypeError(f"{type(result).__name__} has no form in JSON")


def interval_text(low: float | None, high: float | None, *, as_share: bool = False, digits: int = 2) -> str:
    """A 95 % interval; “from” or “up to” where the data shows only one end."""
    if low is None and high is None:
        return UNKNOWN
    if low is None or high is None:
        end = low if high is None else high
        bound = percent(end) if as_share else number(end, digits)
        return f"{'from' if high is None else 'up to'} {bound}"
    if as_share:
        return f"{percent(low).removesuffix(' %')} to {percent(high)}"
    return f"{number(low, digits)} to {number(high, digits)}"


def text_with_interval(estimate: Estimate | Share, *, as_share: bool = False, digits: int = 2) -> str:
    """A value with its interval."""
    value = percent(estimate.value) if as_share else number(estimate.value, digits)
    if estimate.low is None and estimate.high is None:
        return value
    return f"{value} ({interval_text(estimate.low, estimate.high, as_share=as_share, digits=digits)})"


def p_value_text(probability: float | None) -> str:
    """A p-value; very small ones are bounded."""
    if probability is None:
        return UNKNOWN
    return "< 0.001" if probability < 0.001 else f"{probability:.3f}"
