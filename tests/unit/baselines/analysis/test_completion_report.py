from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchwright_analysis.completion.beside_people import replayed_pauses_section, summarise_pauses
from benchwright_analysis.completion.latency import summarise_latencies, weighted_quantile
from benchwright_analysis.completion.numbers import funnel, offer_likeness, pass_shares_if_graded, typing_saved
from benchwright_analysis.completion.played_runs import read_played_runs, site_groups
from benchwright_analysis.completion.report import make_completion_report, write_page_and_json
from benchwright_analysis.completion.sections import completion_sections
from benchwright_analysis.completion.tokens import token_use_if_model_served_here, tokens_section
from benchwright_attempts.errors import EvaluationError
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.failure import EndedBy, ServerEnd, ServerFailure
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import (
    AgreementWithAuthor,
    Efforts,
    Hindsight,
    Likeness,
    ModelUse,
    OfferOutcome,
    SiteRecord,
    Snapshot,
    Step,
    SubjectName,
    Times,
    VerdictPair,
)
from benchwright_subjects.inline.run_folder import RunFolder, RunSettings, SnapshotVerdict
from benchwright_subjects.inline.sites import SiteKind

from ..inline_settings import settings

MADE = datetime(2026, 3, 1, 9, tzinfo=UTC)
PROBLEMS = [f"starter/p{number}" for number in range(6)]


def run_settings(seed: int) -> RunSettings:
    policies = (AcceptPolicy.NEVER, AcceptPolicy.ALWAYS)
    return settings(problems=dict.fromkeys(PROBLEMS, "d"), seed=seed, policies=policies, sites=6)


def site_record(number: int, policy: AcceptPolicy) -> SiteRecord:
    """Of the first three problems the offers are right; the last site's server failed."""
    is_taken = policy is AcceptPolicy.ALWAYS
    is_right = number < 3
    step = Step(
        decision=OfferOutcome.ACCEPTED if is_taken else OfferOutcome.REFUSED,
        offers=1,
        offer="assign y = a;",
        accepted="assign y = a;" if is_taken else "",
        typed="" if is_taken else "assign  z;",
    )
    likeness = Likeness(exact=is_right, edit_similarity=1.0 if is_right else 0.5, identifier_f1=1.0, parses=True)
    kept_count = 10 if is_right else 4
    return SiteRecord(
        site=f"s{number}",
        problem=PROBLEMS[number],
        problem_digest="d",
        path="m.sv",
        kind=SiteKind.LINE,
        unit=None,
        subject=SubjectName(name="<b>copilot</b>", version="2", configuration="c"),
        dialect="lsp",
        policy=policy,
        mode=RefusalConsequence.ALONE,
        seed=1,
        steps=(step, Step(decision=OfferOutcome.NOTHING_OFFERED)),
        cancelled=0,
        failure=ServerFailure.ENDED if number == 5 else None,
        server_end=(
            ServerEnd(ended_by=EndedBy.DRIVER, limit="60 s") if number == 5 and policy is AcceptPolicy.ALWAYS else None
        ),
        failure_code=None,
        likeness=likeness,
        efforts=Efforts(
            expected=10,
            typed=0,
            accepted=10 if is_taken else 0,
            kept=kept_count if is_taken else 0,
            deleted=10 - kept_count if is_taken else 0,
        ),
        golf=0.5,
        snapshots=(Snapshot(accepts=1, is_end=True, text=""),),
        times=Times(started=MADE, wall_s=1, latencies_ms=(10.0 * (number + 1), 300.0)),
    )


def site_verdicts(number: int, policy: AcceptPolicy) -> Sequence[SnapshotVerdict]:
    def verdict(accepts: int, outcome: str, *, is_end: bool) -> SnapshotVerdict:
        return SnapshotVerdict(
            site=f"s{number}",
            policy=policy,
            accepts=accepts,
            is_end=is_end,
            outcome=outcome,
            reason="",
            passed_tests=0,
            tests=1,
        )

    if policy is AcceptPolicy.NEVER:
        return [verdict(0, "failed", is_end=True)]
    if number == 4:
        return [verdict(1, "error", is_end=False), verdict(1, "error", is_end=True)]
    # The first passes after one accept and is broken by the third.
    snapshot_outcomes = ("passed", "failed", "failed") if number == 0 else ("failed", "failed", "passed")
    return [
        verdict(1, snapshot_outcomes[0], is_end=False),
        verdict(2, snapshot_outcomes[1], is_end=False),
        verdict(3, snapshot_outcomes[2], is_end=True),
    ]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = RunFolder(tmp_path / "run")
    with folder.open_for_writing(run_settings(1)):
        for policy in (AcceptPolicy.NEVER, AcceptPolicy.ALWAYS):
            for number in range(6):
                folder.append_record(site_record(number, policy))
        folder.replace_verdicts(
            [v for p in (AcceptPolicy.ALWAYS, AcceptPolicy.NEVER) for n in range(6) for v in site_verdicts(n, p)]
        )
    return tmp_path / "run"


def test_the_report_says_who_ended_a_server_that_failed_as_far_as_a_run_recorded_it(run: Path) -> None:
    all_site_groups = site_groups(read_played_runs([run]))
    failure_section = next(
        section
        for section in completion_sections(read_played_runs([run]), all_site_groups, seed=1)
        if section.id == "failures"
    )
    assert [tuple(row)[1:] for row in failure_section.tables[0].rows] == [
        ("ended", "Benchwright ended the server after 60 s.", 1),
        ("ended", "unknown", 1),
    ]


def test_rates_are_sums_with_intervals_over_problems(run: Path) -> None:
    never, always = site_groups(read_played_runs([run]))
    assert (never.policy, always.policy) == (AcceptPolicy.NEVER, AcceptPolicy.ALWAYS)
    always_funnel = funnel(always)
    assert (always_funnel.requests, always_funnel.failed_sites) == (12, 1)
    assert always_funnel.shown is not None
    assert always_funnel.shown.value == 0.5
    assert always_funnel.accepted is not None
    assert always_funnel.accepted.value == 1
    never_accepted = funnel(never).accepted
    assert never_accepted is not None
    assert never_accepted.value == 0
    saved = typing_saved(always).saved
    assert saved is not None
    # Three sites keep 10 of 10; three keep 4 and delete 6.
    assert saved.value == pytest.approx((3 * 10 - 3 * 2) / 60)
    assert saved.low is not None
    assert saved.high is not None
    assert saved.low < (3 * 10 - 3 * 2) / 60 < saved.high
    assert typing_saved(never).retained is None
    typed = typing_saved(never).typed_as_offered
    assert typed is not None
    # At each site, `assign` of the ten characters.
    assert typed.value == pytest.approx(0.6)
    taken = typing_saved(always).typed_as_offered
    assert taken is not None
    assert taken.value == 0
    likeness = offer_likeness(always)
    assert likeness.exact is not None
    assert likeness.exact.value == 0.5


def test_the_tests_after_some_accepts_are_those_of_the_file_at_that_time(run: Path) -> None:
    _, always = site_groups(read_played_runs([run]))
    pass_rates = pass_shares_if_graded(always)
    assert pass_rates is not None
    assert (pass_rates.graded, pass_rates.undecided) == (6, 1)
    values = {accepts: estimate.value for accepts, estimate in pass_rates.after.items() if estimate is not None}
    assert values == {"1": 0.2, "2": 0.0}
    assert pass_rates.at_end is not None
    assert pass_rates.at_end.value == 0.8


def test_a_file_after_more_accepts_than_there_were_is_that_at_the_end(run: Path) -> None:
    never, _ = site_groups(read_played_runs([run]))
    pass_rates = pass_shares_if_graded(never)
    assert pass_rates is not None
    assert pass_rates.at_end == pass_rates.after["1"]


def test_quantiles_are_values_that_were_measured() -> None:
    column = np.array([3.0, 1.0, 2.0, 4.0])
    assert weighted_quantile(column, np.ones(4), 0.5) == 2
    assert weighted_quantile(column, np.array([0.0, 1.0, 0.0, 1.0]), 0.95) == 4


def test_requests_that_were_given_up_took_longer_than_any_time() -> None:
    latency_summary = summarise_latencies([100.0, 300.0, None, None, None], PROBLEMS[:5], seed=1)
    assert latency_summary is not None
    assert latency_summary.p50_ms is None
    assert latency_summary.given_up == 3
    assert latency_summary.over == {"200": 0.8, "500": 0.6, "2000": 0.6}
    assert summarise_latencies([], [], seed=1) is None


def test_few_problems_give_no_interval() -> None:
    latency_summary = summarise_latencies([100.0, 300.0], ["a", "b"], seed=1)
    assert latency_summary is not None
    assert latency_summary.p50_ms is not None
    assert latency_summary.p50_ms.low is None
    assert math.isclose(latency_summary.p50_ms.value or 0, 100)


def test_two_runs_of_one_server_are_told_apart_and_names_are_no_markup(run: Path, tmp_path: Path) -> None:
    other_run = RunFolder(tmp_path / "other")
    with other_run.open_for_writing(run_settings(2)):
        other_run.append_record(site_record(0, AcceptPolicy.NEVER))
    report = make_completion_report([run, tmp_path / "other"], MADE)
    page = write_page_and_json(report, tmp_path / "report").read_text()
    assert "<b>copilot</b>" not in page
    assert "copilot&lt;/b&gt; 2, alone (other)" in page
    assert "5 sites not played yet" in page
    assert "ended" in page


def test_the_same_runs_give_the_same_report(run: Path) -> None:
    assert make_completion_report([run], MADE).json_content == make_completion_report([run], MADE).json_content


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="holds no run"):
        make_completion_report([tmp_path], MADE)


def pause_hindsight(participant: int, problem_number: int, pause: int) -> Hindsight:
    """Of each problem's first pause the offer was right, a minute or two earlier; the second one was wrong."""
    is_right = pause == 0
    earlier_s = 60.0 + 10 * ((participant * 3 + problem_number * 5) % 7) if is_right else None
    foresight = AgreementWithAuthor(is_kept=is_right, earlier_s=earlier_s)
    tests = VerdictPair(
        outcome_without="failed", passed_without=2, outcome_with="failed", passed_with=problem_number % 3
    )
    return Hindsight(
        site=f"{participant}-{problem_number}-{pause}",
        problem=PROBLEMS[problem_number],
        attempt=f"a{participant}-{problem_number}",
        participant=f"P{participant}",
        gap_ms=400 if is_right else 5000,
        is_known=True,
        whole=foresight,
        first_line=foresight,
        is_wrong=not is_right,
        adds_errors=None if is_right else participant % 2 == 0,
        tests=None if is_right else tests,
    )


def test_who_would_have_helped_is_told_by_length_of_pause_with_intervals_over_people_and_problems(
    tmp_path: Path,
) -> None:
    folder = RunFolder(tmp_path / "run")
    with folder.open_for_writing(run_settings(1).model_copy(update={"pause_ms": 300})):
        folder.append_record(site_record(0, AcceptPolicy.NEVER))
        folder.replace_hindsights([pause_hindsight(*indices) for indices in np.ndindex(6, 6, 2)])
    (run,) = read_played_runs([tmp_path / "run"])
    all_of_them = summarise_pauses(run, 300)
    assert (all_of_them.participants, all_of_them.attempts, all_of_them.pauses) == (6, 36, 72)
    assert all_of_them.whole.right is not None
    assert all_of_them.whole.right.value == 0.5
    minutes_earlier = all_of_them.whole.minutes_earlier
    assert minutes_earlier is not None
    assert minutes_earlier.value is not None
    assert minutes_earlier.low is not None
    assert minutes_earlier.high is not None
    assert 1 < minutes_earlier.low < minutes_earlier.value < minutes_earlier.high < 2
    wrong_offers = all_of_them.wrong
    assert wrong_offers.share is not None
    assert (wrong_offers.share.value, wrong_offers.tested, wrong_offers.undecided) == (0.5, 36, 0)
    assert wrong_offers.lint is not None
    assert wrong_offers.lint.value == 0.5
    assert wrong_offers.tests is not None
    assert wrong_offers.tests.value == pytest.approx(2 / 3)
    assert wrong_offers.either is not None
    assert wrong_offers.either.value == pytest.approx(5 / 6)
    longer = summarise_pauses(run, 1000)
    assert (longer.pauses, longer.whole.offers) == (36, 36)
    assert longer.whole.minutes_earlier is None

    report = make_completion_report([tmp_path / "run"], MADE)
    page_text = write_page_and_json(report, tmp_path / "report").read_text()
    assert "pauses of 300 ms or more" in page_text
    assert "not time saved" in page_text
    assert "beside-people" in page_text


def test_a_run_without_replays_says_so(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run").open_for_writing(run_settings(1)):
        pass
    assert (
        replayed_pauses_section(read_played_runs([tmp_path / "run"])).empty_reason
        == "No recorded attempt was replayed."
    )


@pytest.mark.parametrize(
    ("uses", "expected_cells"),
    [
        (
            [ModelUse(requests=2, answered=2, counted=2, input_tokens=200, output_tokens=40)] * 2,
            ("local/m", 4, 0, 0, 400, 80),
        ),
        (
            [
                ModelUse(requests=3, answered=2, counted=1, input_tokens=100, output_tokens=20),
                ModelUse(requests=0, answered=0, counted=0, input_tokens=0, output_tokens=0),
            ],
            ("local/m", 3, 1, 1, 100, 20),
        ),
        (
            [ModelUse(requests=2, answered=2, counted=0, input_tokens=0, output_tokens=0)] * 2,
            ("local/m", 4, 0, 4, "unknown", "unknown"),
        ),
        (
            [ModelUse(requests=0, answered=0, counted=0, input_tokens=0, output_tokens=0)] * 2,
            ("local/m", 0, 0, 0, 0, 0),
        ),
    ],
)
def test_tokens_that_nobody_counted_are_unknown_and_not_none(
    tmp_path: Path, uses: Sequence[ModelUse], expected_cells: tuple[object, ...]
) -> None:
    folder = RunFolder(tmp_path / "run")
    with folder.open_for_writing(settings(model="local/m", sites=2)):
        for number, model_use in enumerate(uses):
            folder.append_record(site_record(number, AcceptPolicy.ALWAYS).model_copy(update={"model_use": model_use}))
    section = tokens_section(site_groups(read_played_runs([tmp_path / "run"])), ("subject", "sites", "policy"))
    (row,) = section.all_tables[0].rows
    assert row[0] == "<b>copilot</b> 2 with local/m, alone"
    assert tuple(row[3:]) == expected_cells


def test_of_a_server_with_an_account_of_its_own_tokens_are_unknown(run: Path) -> None:
    run_parts = site_groups(read_played_runs([run]))
    assert [token_use_if_model_served_here(part) for part in run_parts] == [None, None]
    assert tokens_section(run_parts, ()).empty_reason.endswith("tokens are unknown.")
