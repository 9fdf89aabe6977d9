"""Origin of each edit: a label with the method that found it, derived from raw facts that stay in the log.

Each method is a module; `attributor` lists them, the most reliable first.
"""

from benchwright_attempts.attribution.attributor import (
    CLASSIFIER,
    METHODS,
    Attribution,
    Attributor,
    attributions_of_edits,
)
from benchwright_attempts.attribution.change_reason import extension_id_of_change_reason, origin_of_change_reason
from benchwright_attempts.attribution.edit_columns import EditColumns
from benchwright_attempts.attribution.method import EditFacts, EventsAboutEdit, OriginFinding
from benchwright_attempts.attribution.origin import BY_MODEL, CHATS, EditOrigin

__all__ = [
    "BY_MODEL",
    "CHATS",
    "CLASSIFIER",
    "METHODS",
    "Attribution",
    "Attributor",
    "EditColumns",
    "EditFacts",
    "EditOrigin",
    "EventsAboutEdit",
    "OriginFinding",
    "attributions_of_edits",
    "extension_id_of_change_reason",
    "origin_of_change_reason",
]
