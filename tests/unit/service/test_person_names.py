from __future__ import annotations

import pytest

from benchwright_service.accounts.person_names import LONGEST, NAMELESS, displayable_name


@pytest.mark.parametrize(
    ("raw_name", "line"),
    [
        ("  Ada \t Lovelace\n", "Ada Lovelace"),
        ("Ada\x1b[2J\x07", "Ada [2J"),
        ("Ada\u2028Lovelace\x85", "Ada Lovelace"),
        ("Grace \u202eecaflrevO\u202c", "Grace ecaflrevO"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        ("x" * 5_000, "x" * LONGEST),
        (" \u200f\n ", NAMELESS),
    ],
)
def test_a_name_is_one_line_in_the_order_in_which_it_is_read(raw_name: str, line: str) -> None:
    assert displayable_name(raw_name) == line
