"""Every `benchwright/*` request and notification of a client."""

from __future__ import annotations

from typing import Any

from benchwright_server.features.agent.agent_tools import AGENT_OPERATIONS
from benchwright_server.features.attempt.explanations import EXPLAIN_OPERATIONS
from benchwright_server.features.attempt.own_tests import OWN_TEST_OPERATIONS
from benchwright_server.features.authoring.authoring import AUTHORING_OPERATIONS
from benchwright_server.features.authoring.exam_review import EXAM_OPERATIONS
from benchwright_server.features.authoring.question_form import QUESTION_FORM_OPERATIONS
from benchwright_server.features.authoring.question_tries import QUESTION_TRY_OPERATIONS
from benchwright_server.features.design.declaring_files import DECLARATION_OPERATIONS
from benchwright_server.features.design.design_views import VIEW_OPERATIONS
from benchwright_server.features.design.instances import DESIGN_OPERATIONS
from benchwright_server.features.design.macro_expansion import EXPANSION_OPERATIONS
from benchwright_server.features.design.project_lists import LIST_OPERATIONS
from benchwright_server.features.design.waveforms import WAVEFORM_OPERATIONS
from benchwright_server.operations.catalogue import OPERATIONS
from benchwright_server.operations.operation import Operation

EVERY_OPERATION: tuple[Operation[Any, Any, Any], ...] = (
    *OPERATIONS,
    *DESIGN_OPERATIONS,
    *AGENT_OPERATIONS,
    *VIEW_OPERATIONS,
    *EXPLAIN_OPERATIONS,
    *EXPANSION_OPERATIONS,
    *LIST_OPERATIONS,
    *DECLARATION_OPERATIONS,
    *OWN_TEST_OPERATIONS,
    *WAVEFORM_OPERATIONS,
    *AUTHORING_OPERATIONS,
    *QUESTION_FORM_OPERATIONS,
    *QUESTION_TRY_OPERATIONS,
    *EXAM_OPERATIONS,
)
"""On attempts, then on designs."""
