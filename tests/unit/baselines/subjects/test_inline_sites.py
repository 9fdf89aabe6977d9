from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.events import Edit, Event, TextCause, TextSet
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_subjects.inline.recorded_pauses import pause_sites
from benchwright_subjects.inline.run import visible_files
from benchwright_subjects.inline.sites import (
    Site,
    SiteKind,
    SiteSelection,
    can_be_cut,
    kinds_of_names,
    sites_of_problem,
)
from benchwright_subjects.inline.text.syntactic_units import SyntacticUnit, body_regions, unit_regions

SOURCE = """module m #(parameter W = 8) (
    input  logic clk, a,
    output logic y
);
    // µ before
    assign y = a;
    always_ff @(posedge clk) begin
        case (a)
            1'b0: q <= 1;
            default: q <= 0;
        endcase
    end
    check: assert property (@(posedge clk) a |-> y);
endmodule
module empty; endmodule
"""


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Store(Home.from_environment()).unseal("starter/uart-parity")


def unit_texts(unit: SyntacticUnit) -> list[str]:
    return [SOURCE[start:end] for start, end in unit_regions(SOURCE, unit)]


def test_units_are_what_a_person_writes_in_one_go() -> None:
    assert unit_texts(SyntacticUnit.PORT_LIST) == ["input  logic clk, a,\n    output logic y"]
    assert unit_texts(SyntacticUnit.ASSIGNMENT) == ["assign y = a;", "q <= 1", "q <= 0"]
    assert [part[:9] for part in unit_texts(SyntacticUnit.ALWAYS)] == ["always_ff"]
    assert unit_texts(SyntacticUnit.CASE_ARM) == ["1'b0: q <= 1;", "default: q <= 0;"]
    assert unit_texts(SyntacticUnit.ASSERTION) == ["check: assert property (@(posedge clk) a |-> y);"]


def test_a_body_is_between_header_and_end_and_empty_ones_are_left_out() -> None:
    ((start, end),) = body_regions(SOURCE)
    assert SOURCE[start:end].startswith("// µ before")
    assert SOURCE[end:].startswith("\nendmodule")


def test_sites_put_back_together_are_the_reference(problem: Problem) -> None:
    ((path, reference),) = problem.hidden.reference.items()
    site_kinds = [kind for kind in SiteKind if kind is not SiteKind.TYPE_THROUGH]
    sites = sites_of_problem("starter/uart-parity", problem, SiteSelection(site_kinds))
    assert {site.kind for site in sites} == set(site_kinds) - {SiteKind.REPLAY}
    for site in sites:
        assert site.text_before + site.expected_text + site.text_after == reference
        assert site.path == path
        assert site.expected_text == site.expected_text.strip()


def test_a_site_shows_nothing_of_what_is_expected(problem: Problem) -> None:
    (site,) = sites_of_problem("starter/uart-parity", problem, SiteSelection([SiteKind.EMPTY_BODY]))
    assert "localparam" not in repr(site) + site.id + site.text_before + site.text_after


def test_a_short_type_through_leaves_the_rest_of_the_body_out(problem: Problem) -> None:
    (site,) = sites_of_problem("starter/uart-parity", problem, SiteSelection([SiteKind.TYPE_THROUGH], longest=100))
    assert site.text_after == "\n\nendmodule\n"
    assert len(site.expected_text.split()) < 40


def test_the_seed_decides_which_lines_are_left_out(problem: Problem) -> None:
    def ids(seed: int) -> list[str]:
        return [
            site.id
            for site in sites_of_problem("starter/uart-parity", problem, SiteSelection([SiteKind.LINE], seed=seed))
        ]

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)
    assert len(set(ids(1))) == 3


def test_the_workspace_has_public_files_alone(problem: Problem) -> None:
    files = visible_files(problem, has_statement=True)
    assert files.keys() == {"rtl/uart_tx.sv", "README.md"}
    assert files["rtl/uart_tx.sv"] == problem.public.files["rtl/uart_tx.sv"]
    assert "README.md" not in visible_files(problem, has_statement=False)


def test_questions_have_no_holes() -> None:
    assert not can_be_cut(Store(Home.from_environment()).unseal("starter/amdahl"))


def test_an_unknown_kind_of_site_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(EvaluationError, match=r"'lime'.*empty-body, line, lines"):
        kinds_of_names(["line", "lime"])


START = "module m;\n\nendmodule\n"
MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)


def typed_sites(*timed_edits: tuple[float, int, str]) -> list[Site]:
    """The sites of an attempt.

    Args:
        timed_edits: Seconds, place, text.
    """
    timed_events: list[tuple[float, Event]] = [
        (0, TextSet(path="rtl/m.sv", cause=TextCause.CREATED, file=FileText.of_bytes(START.encode())))
    ]
    timed_events += [
        (offset_s, Edit(path="rtl/m.sv", changes=(Change(start=offset, end=offset, text=text),)))
        for offset_s, offset, text in timed_edits
    ]
    recorded = [
        RecordedEvent(
            "a",
            seq,
            Moment(MORNING + timedelta(seconds=event_offset_s), round(event_offset_s * 1e9), "p"),
            event,
            "",
            "",
        )
        for seq, (event_offset_s, event) in enumerate(timed_events, 1)
    ]
    return pause_sites("starter/m", "a", recorded, 1000)


def test_a_pause_is_followed_by_what_was_written_next() -> None:
    sites = typed_sites((1, 10, "assign "), (5, 17, "y = "), (5.1, 21, "a;"))
    assert [(site.text_before[10:], site.expected_text) for site in sites] == [("assign ", "y = a;")]
    assert sites[0].final == "module m;\nassign y = a;\nendmodule\n"
    assert sites[0].text_after == "\nendmodule\n"


def test_what_is_written_elsewhere_after_a_pause_says_nothing_of_the_cursor() -> None:
    assert typed_sites((1, 10, "assign "), (5, 0, "// top\n")) == []


def test_without_a_pause_nobody_could_be_helped() -> None:
    assert typed_sites((1, 10, "assign "), (1.5, 17, "y;")) == []
