"""Statements on privacy and accessibility in the browser, for everybody."""

from __future__ import annotations

import asyncio
import logging

from starlette.responses import Response

from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.rendering import render
from benchwright_service.pages.visit import Visit
from benchwright_service.statements import Statements, read_statements, titles_and_texts

logger = logging.getLogger(__name__)


async def privacy_page(visit: Visit) -> Response:
    """What the service keeps of people, and what its operator says of it."""
    answers = titles_and_texts((await _statements(visit)).privacy)
    return render("privacy", visit.session, answers=answers)


async def accessibility_page(visit: Visit) -> Response:
    """What the pages' makers check, and what the service's operator says of it."""
    answers = titles_and_texts((await _statements(visit)).accessibility)
    return render("accessibility", visit.session, answers=answers)


async def _statements(visit: Visit) -> Statements:
    """The operator's statements; empty ones if their file is wrong, which its operator learns from the log."""
    try:
        return await asyncio.to_thread(read_statements, visit.bench.statements_file)
    except BenchServiceError as error:
        logger.error("%s", error)
        return Statements()
