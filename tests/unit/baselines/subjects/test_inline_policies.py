from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.lint import has_new_errors
from benchwright_subjects.inline.offer import checked_offer
from benchwright_subjects.inline.policies import AcceptedPart, part_to_accept, shared_beginning
from benchwright_subjects.inline.record import Efforts, golf_score
from benchwright_subjects.inline.text.alignment import next_character, next_line, remaining_reference
from benchwright_subjects.inline.text.document import DocumentVersion
from benchwright_subjects.inline.text.similarity import (
    edit_distance,
    edit_similarity,
    identifier_f1,
    is_repetition,
    kept_non_space_count,
    lines_found_and_total,
    non_space_count,
    parses_without_error,
)

BEFORE = "module m(input a, b, output y, z);\n    "
AFTER = "\nendmodule\n"
REST = "assign y = a & b;\n    assign z = a | b;"


def accepted_part(
    policy: AcceptPolicy, text: str, remainder: str = REST, *, adds_errors: bool = False
) -> AcceptedPart | None:
    document = DocumentVersion("file:///m.sv", BEFORE + AFTER, len(BEFORE))
    return part_to_accept(
        policy, document, checked_offer(document, text, None), remainder, lambda changed_document: adds_errors
    )


def test_never_refuses_what_is_right() -> None:
    assert accepted_part(AcceptPolicy.NEVER, REST) is None


def test_always_takes_what_is_wrong() -> None:
    assert accepted_part(AcceptPolicy.ALWAYS, "nonsense\nmore") == AcceptedPart("nonsense\nmore", True)


@pytest.mark.parametrize("policy", list(AcceptPolicy))
def test_nobody_accepts_white_space(policy: AcceptPolicy) -> None:
    assert accepted_part(policy, " \n ") is None


@pytest.mark.parametrize(
    ("text", "first_line", "is_whole"),
    [("one\ntwo", "one", False), ("one", "one", True), ("\n  one\ntwo", "\n  one", False), ("one\n", "one\n", True)],
)
def test_first_line_takes_the_first_line_with_words(text: str, first_line: str, is_whole: bool) -> None:
    assert accepted_part(AcceptPolicy.FIRST_LINE, text) == AcceptedPart(first_line, is_whole)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("assign y = a | b;", "assign y = a"),
        ("assign  y=a&b;\n assign z = a | b;", "assign  y=a&b;\n assign z = a | b;"),
        ("assign yy = a;", "assign"),
        ("wire x;", ""),
        (REST + "\nmore", REST),
    ],
)
def test_the_oracle_takes_the_words_of_the_reference(text: str, words: str) -> None:
    accepted_offer = accepted_part(AcceptPolicy.MATCHES, text)
    assert (accepted_offer.text if accepted_offer else "") == words


def test_survives_lint_asks_for_new_errors_only() -> None:
    assert accepted_part(AcceptPolicy.SURVIVES_LINT, REST) == AcceptedPart(REST, True)
    assert accepted_part(AcceptPolicy.SURVIVES_LINT, REST, adds_errors=True) is None


def test_only_the_oracle_looks_at_the_reference() -> None:
    for policy in set(AcceptPolicy) - {AcceptPolicy.MATCHES}:
        assert accepted_part(policy, "assign y = 0;", "") == accepted_part(policy, "assign y = 0;", "assign y = 0;")


def test_errors_that_were_there_before_are_not_new() -> None:
    broken_files = {"m.sv": f"{BEFORE}assign y = nobody;{AFTER}", "other.sv": "module other; endmodule"}
    assert not has_new_errors(
        broken_files, {**broken_files, "m.sv": f"{BEFORE}assign y = nobody; assign z = a;{AFTER}"}
    )
    assert has_new_errors(
        broken_files, {**broken_files, "m.sv": f"{BEFORE}assign y = nobody; assign z = neither;{AFTER}"}
    )


def test_lint_opens_no_file() -> None:
    # Were the file opened, its text would be the message.
    sources = {"m.sv": f'`include "/proc/self/environ"\n{BEFORE}{AFTER}'}
    assert not has_new_errors(sources, sources)


@pytest.mark.parametrize(
    ("text", "remaining_text"),
    [
        ("assign y = a", " & b;\n    assign z = a | b;"),
        ("assign y=a&b;", "\n    assign z = a | b;"),
        (REST, ""),
        ("assign y = b & a;", "\n    assign z = a | b;"),
        ("// comment\nassign z = a | b;", ""),
        ("one;\ntwo;\nthree;", ""),
    ],
)
def test_an_accepted_text_moves_along_the_reference(text: str, remaining_text: str) -> None:
    assert remaining_reference(REST, text) == remaining_text


@given(st.text("ab;\n ", max_size=30), st.text("ab;\n ", min_size=1, max_size=30).filter(str.strip))
def test_an_accepted_text_never_leaves_more_to_do(rest: str, text: str) -> None:
    assert non_space_count(remaining_reference(rest, text)) < max(1, non_space_count(rest)) or not rest.strip()


def test_a_person_types_the_next_line_or_character_with_its_indentation() -> None:
    assert next_line("\n\n  one\n  two") == "\n\n  one"
    assert next_character("\n  one") == "\n  o"


@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_the_distance_is_levenshteins(text: str, other: str) -> None:
    row = list(range(len(other) + 1))
    for number, letter in enumerate(text, 1):
        previous_row, row = row, [number]
        for column, other_letter in enumerate(other, 1):
            row.append(min(row[-1] + 1, previous_row[column] + 1, previous_row[column - 1] + (letter != other_letter)))
    assert edit_distance(text, other) == row[-1]


def test_similarity_leaves_white_space_alone() -> None:
    assert edit_similarity("assign  y =\n a;", "assign y = a;") == 1
    assert edit_similarity("", "") == 1
    assert edit_similarity("abcd", "abxd") == 0.75


def test_identifiers_count_as_bags() -> None:
    assert identifier_f1("assign y = a & a;", "assign y = a & b;") == 0.75
    assert identifier_f1("8'hFF + $clog2", "8'd1") is None


def test_kept_text_is_what_a_correction_would_leave() -> None:
    assert kept_non_space_count(["assign y = b & b;"], "assign y = a & b;") == non_space_count("assigny=&b;")
    assert kept_non_space_count([], "x") == 0


def test_an_offer_that_says_what_follows_repeats_the_suffix() -> None:
    assert is_repetition("endmodule", "\nendmodule\n")
    assert not is_repetition("assign y = 1;\nendmodule", "\nendmodule\n")
    assert not is_repetition("", "x")


def test_lines_that_were_there_before_are_not_the_authors_next() -> None:
    assert lines_found_and_total("assign y = a;\nend\nwire q;", "assign y = a;\nend\n", "end\n") == (1, 3)


def test_a_file_parses_or_not() -> None:
    assert parses_without_error(BEFORE + REST + AFTER)
    assert not parses_without_error(BEFORE + "assign assign" + AFTER)


@pytest.mark.parametrize(
    ("kept_count", "deleted", "accepts", "score"), [(0, 0, 0, 1.0), (30, 0, 2, 0.0), (30, 0, 1, 0.0), (0, 30, 2, 1.0)]
)
def test_golf_is_between_an_accept_for_each_line_and_typing_everything(
    kept_count: int, deleted: int, accepts: int, score: float
) -> None:
    efforts = Efforts(
        expected=30, typed=30 - kept_count, accepted=kept_count + deleted, kept=kept_count, deleted=deleted
    )
    assert golf_score(efforts, accepts, expected_line_count=2) == score


def test_golf_needs_more_characters_than_lines() -> None:
    assert golf_score(Efforts(expected=2, typed=2, accepted=0, kept=0, deleted=0), 0, expected_line_count=2) is None


@given(st.text("ab ;", max_size=20), st.text("ab ;", max_size=20))
def test_matching_takes_a_beginning_of_the_offer(text: str, rest: str) -> None:
    prefix = shared_beginning(text, rest)
    assert text.startswith(prefix)
    assert "".join(rest.split()).startswith("".join(prefix.split()))
