"""The names of semantic tokens, in the order that their numbers in a message mean. Imports nothing."""

from __future__ import annotations

TYPES = (
    "namespace",
    "type",
    "class",
    "interface",
    "typeParameter",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "event",
    "function",
    "macro",
    "keyword",
    "comment",
    "string",
    "number",
)
MODIFIERS = ("declaration", "readonly", "modification", "defaultLibrary", "inactive")
