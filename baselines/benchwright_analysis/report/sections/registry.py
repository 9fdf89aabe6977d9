"""The sections of the report. A module makes each, with its figures and tables; a line below registers it."""

from __future__ import annotations

from collections.abc import Callable

from benchwright_analysis.report.csbench.domains import domains
from benchwright_analysis.report.csbench.error_types import error_types
from benchwright_analysis.report.csbench.judges_compared import judges_compared
from benchwright_analysis.report.csbench.other_benchmarks import other_benchmarks
from benchwright_analysis.report.csbench.scale import scale
from benchwright_analysis.report.csbench.settings import settings
from benchwright_analysis.report.csbench.tokens import tokens
from benchwright_analysis.report.questions.forms import forms
from benchwright_analysis.report.questions.generations import generations
from benchwright_analysis.report.questions.grades import grades
from benchwright_analysis.report.questions.grading_difficulty import grading_difficulty
from benchwright_analysis.report.questions.options import options
from benchwright_analysis.report.questions.profile import profile
from benchwright_analysis.report.questions.read_answers import read_answers
from benchwright_analysis.report.rows.attempts_table import attempts_table
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.origins import origins
from benchwright_analysis.report.rows.populations import populations
from benchwright_analysis.report.rows.support import support
from benchwright_analysis.report.section import Section
from benchwright_analysis.report.sections.after_closing import after_closing
from benchwright_analysis.report.sections.assistance import assistance
from benchwright_analysis.report.sections.escapes import escapes
from benchwright_analysis.report.sections.estimates import estimates
from benchwright_analysis.report.sections.failing import failing_section
from benchwright_analysis.report.sections.judging import judging_section
from benchwright_analysis.report.sections.main_result import main_result_section
from benchwright_analysis.report.sections.models import horizon, models
from benchwright_analysis.report.sections.outcomes import outcomes
from benchwright_analysis.report.sections.preregistration import preregistration
from benchwright_analysis.report.sections.side_by_side import side_by_side
from benchwright_analysis.report.sections.success import success
from benchwright_analysis.report.sections.time_to_pass import score_over_time, survival

SECTIONS: list[Callable[[Dataset], Section | None]] = [
    main_result_section,
    support,
    preregistration,
    populations,
    side_by_side,
    success,
    outcomes,
    escapes,
    survival,
    score_over_time,
    models,
    horizon,
    profile,
    domains,
    settings,
    tokens,
    scale,
    other_benchmarks,
    error_types,
    read_answers,
    forms,
    grades,
    generations,
    options,
    estimates,
    origins,
    assistance,
    judging_section,
    judges_compared,
    grading_difficulty,
    failing_section,
    after_closing,
    attempts_table,
]
"""In the order of the page. One that returns None has no place in this report: its data is not there."""
