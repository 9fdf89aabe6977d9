"""How far work and grading are, in the words of learning management systems."""

from __future__ import annotations

import pytest

from benchwright_teaching.lti_progress import AssignmentWork


@pytest.mark.parametrize(
    ("work", "activity", "grading"),
    [
        (AssignmentWork(), "Initialized", "NotReady"),
        (AssignmentWork(is_closed=True), "Initialized", "NotReady"),
        (AssignmentWork(has_attempt=True), "InProgress", "NotReady"),
        (AssignmentWork(has_attempt=True, has_going_run=True), "Submitted", "Pending"),
        (AssignmentWork(has_attempt=True, has_waiting_answer=True), "Submitted", "PendingManual"),
        (AssignmentWork(has_attempt=True, has_result=True), "Submitted", "FullyGraded"),
        (AssignmentWork(has_attempt=True, has_result=True, has_waiting_answer=True), "Submitted", "PendingManual"),
        (AssignmentWork(has_attempt=True, has_result=True, is_all_passed=True), "Completed", "FullyGraded"),
        (AssignmentWork(has_attempt=True, has_result=True, is_closed=True), "Completed", "FullyGraded"),
        (AssignmentWork(has_attempt=True, is_closed=True), "Completed", "NotReady"),
        (AssignmentWork(has_result=True), "Submitted", "FullyGraded"),
    ],
)
def test_progress_says_what_is_and_never_more(work: AssignmentWork, activity: str, grading: str) -> None:
    assert (work.activity.value, work.grading.value) == (activity, grading)
