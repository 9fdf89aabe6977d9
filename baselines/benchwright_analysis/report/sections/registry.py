"""The sections of the report. A module makes each, with its figures and tables; a line below registers it."""

from __future__ import annotations

from collections.abc import Callable

from benchwright_analysis.report.csbench.domains import domains_section
from benchwright_analysis.report.csbench.error_types import error_types_section
from benchwright_analysis.report.csbench.judges_compared import judges_compared_section
from benchwright_analysis.report.csbench.languages import languages_section
from benchwright_analysis.report.csbench.model_pairs import model_pairs_section
from benchwright_analysis.report.csbench.other_benchmarks import other_benchmarks_section
from benchwright_analysis.report.csbench.scale import model_size_section
from benchwright_analysis.report.csbench.settings import asking_ways_section
from benchwright_analysis.report.csbench.tokens import tokens_and_score_section
from benchwright_analysis.report.questions.forms import question_forms_section
from benchwright_analysis.report.questions.generations import repeated_answers_section
from benchwright_analysis.report.questions.grades import judge_grades_section
from benchwright_analysis.report.questions.grading_difficulty import grading_difficulty_section
from benchwright_analysis.report.questions.options import options_section
from benchwright_analysis.report.questions.profile import skills_and_topics_section
from benchwright_analysis.report.questions.read_answers import readable_answers_section
from benchwright_analysis.report.rows.attempts_table import attempts_section
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.origins import text_origins_section
from benchwright_analysis.report.rows.populations import populations_section
from benchwright_analysis.report.rows.support import support_section
from benchwright_analysis.report.section import Section
from benchwright_analysis.report.sections.ability_scale import ability_scale_section
from benchwright_analysis.report.sections.actors import actors_section
from benchwright_analysis.report.sections.after_closing import after_closing_section
from benchwright_analysis.report.sections.assistance import assistance_section
from benchwright_analysis.report.sections.escapes import escaped_designs_section
from benchwright_analysis.report.sections.estimates import forecasts_section
from benchwright_analysis.report.sections.failing import failing_section
from benchwright_analysis.report.sections.filtered import filtered_section
from benchwright_analysis.report.sections.flips import conclusion_flips_section
from benchwright_analysis.report.sections.judge_error import judge_error_section
from benchwright_analysis.report.sections.judging import judging_section
from benchwright_analysis.report.sections.main_result import main_result_section
from benchwright_analysis.report.sections.models import horizon_section, models_section
from benchwright_analysis.report.sections.models_compared import models_compared_section
from benchwright_analysis.report.sections.outcomes import outcomes_section
from benchwright_analysis.report.sections.preregistration import preregistration_section
from benchwright_analysis.report.sections.side_by_side import side_by_side_section
from benchwright_analysis.report.sections.success import success_section
from benchwright_analysis.report.sections.time_to_pass import score_over_time_section, time_to_pass_section

SECTIONS: list[Callable[[Dataset], Section | None]] = [
    main_result_section,
    support_section,
    preregistration_section,
    populations_section,
    conclusion_flips_section,
    side_by_side_section,
    success_section,
    filtered_section,
    outcomes_section,
    escaped_designs_section,
    time_to_pass_section,
    score_over_time_section,
    models_section,
    models_compared_section,
    ability_scale_section,
    horizon_section,
    skills_and_topics_section,
    domains_section,
    asking_ways_section,
    languages_section,
    tokens_and_score_section,
    model_size_section,
    model_pairs_section,
    other_benchmarks_section,
    error_types_section,
    readable_answers_section,
    question_forms_section,
    judge_grades_section,
    repeated_answers_section,
    options_section,
    forecasts_section,
    actors_section,
    text_origins_section,
    assistance_section,
    judging_section,
    judge_error_section,
    judges_compared_section,
    grading_difficulty_section,
    failing_section,
    after_closing_section,
    attempts_section,
]
"""In the order of the page. One that returns None has no place in this report: its data is not there."""
