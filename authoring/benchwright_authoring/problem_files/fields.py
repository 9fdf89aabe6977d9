"""Fields that the TOML files of authors may hold: every field, with its values and what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchwright_authoring.problem_files.toml_places import TomlPath
from benchwright_foundation.model import Model
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.pack_files_schema import PackToml, ProblemToml


@dataclass(frozen=True)
class TomlField:
    """A field of a table."""

    name: str
    description: str
    values: tuple[str, ...]
    """As TOML writes them; empty if there is no list."""
    is_table: bool


@dataclass(frozen=True, eq=False)
class FileFields:
    """The fields of one kind of file."""

    model: type[Model]
    descriptions: Mapping[str, str]
    """Meaning of each field, by its name behind those of the tables around it; nothing is missing."""
    not_written: frozenset[str] = frozenset()
    """Fields that the model has and no author writes."""


_PACK_ABOUT = {
    "name": "Name of the pack: `[a-z0-9._-]`, at most 60 characters.",
    "title": "For people.",
    "version": "Version, raised with every published change: reports name it.",
    "license": "Licence of the problems, as SPDX calls it.",
    "source": "Where the problems come from.",
    "description": "For people.",
    "published": "When the first problem could be read in public: `YYYY-MM-DD` or `YYYY-MM`.",
    "canary": "A random UUID that is nowhere else: a model that says it was trained on the pack's files.",
    "order": "Folders of the problems, in the order in which they are listed.",
}
_PROBLEM_ABOUT = {
    "id": "Equal to the folder's name.",
    "kind": "How it is solved and scored: `design` or `question`.",
    "category": "CVDP's category of a design problem, such as `cid003`.",
    "difficulty": "The author's estimate.",
    "published": "When it could first be read in public, `YYYY-MM-DD` or `YYYY-MM`; the pack's date if not given.",
    "domain": "Subject of a question, free text.",
    "expected": "Files that the solver writes; the harness uses no others.",
    "tree": "A folder of `trees/`, whose files are all the solver's to change: the problem is a whole repository.",
    "editable": "Files and folders of the tree that the solver may change; all if not given.",
    "tests": "Hidden: tests by name that decide, whatever else the harness runs.",
    "tests.fail_to_pass": "Tests that fail with the files that a solver starts with, and pass once it is solved.",
    "tests.pass_to_pass": "Tests that pass before and after.",
    "tests.printed": "`true`: the harness prints their results; otherwise they are tests of cocotb and pytest.",
    "reveal": f"How much of a run the solver sees: {', '.join(f'`{level}` ({level.addition})' for level in Reveal)}.",
    "limits": "What one run may use.",
    "limits.wall_s": "Wall time of one step, in seconds.",
    "limits.memory_mb": "Address space of one process, MiB.",
    "limits.processes": "Processes and threads alive at once.",
    "limits.file_mb": "Size of one written file, MiB.",
    "limits.folder_mb": "Size of the run's folder, MiB.",
    "scan": "Exceptions from the rules for submissions: rule → `refuse`, `flag` or `allow`.",
    "criterion": "When a run passes, if not by the harness's own rule.",
    "criterion.preset": "Patterns of a data set: `verilogeval` or `rtllm`.",
    "criterion.pass": "Regular expressions: a run passes only with a line in which one is found.",
    "criterion.fail": "Regular expressions: a line in which one is found fails the run, whatever else there is.",
    "criterion.count": "Number of lines in which a pattern of `pass` has to be found; one or more if not given.",
    "criterion.exit": "Exit status of the simulation or the last step; 0 if not given, `any` for all.",
    "criterion.file": "A file in the working directory whose lines are searched instead of the output.",
    "criterion.scope": "Where lines are looked for: `channel` (the testbench's own), `stdout` or `log`.",
    "criterion.simulator": "The testbench's: `icarus` or `verilator`; both are tried if not given.",
    "criterion.flags": "More arguments for the compiler of the testbench.",
    "criterion.includes": "Folders of the workspace with headers, besides those of the design's files.",
    "criterion.data": "Files of the harness that the testbench reads while it runs, by file name.",
    "question": "How a question is asked.",
    "question.format": "How it is asked and answered.",
    "question.choices": "Letter → Markdown, for multiple choice and multiple response.",
    "question.subdomain": "Free text.",
    "question.topic": "Free text.",
    "question.tag": "Free text.",
    "question.skill": "What it asks of the solver.",
    "question.language": "ISO 639 code; `en` if not given.",
    "question.group": "Shared by the versions of a question in several languages.",
    "answer": "Hidden: the key of a question.",
    "answer.value": "The letter or letters, such as `AC`; `true` or `false`; accepted text; or the reference answer.",
    "answer.alternatives": "Other accepted answers.",
    "answer.closed": "`true`: only value and alternatives are right, and no judge is needed.",
    "answer.unit": "Unit of a number, assumed if an answer gives none.",
    "answer.tolerance": "Relative tolerance of a number, from 0 to less than 1.",
    "answer.rubric": "What a judge gives points for.",
    "answer.points": "What people who grade answers give points for.",
    "answer.points.items": 'Each `{ text = "…", points = 2 }`.',
    "answer.points.items.text": "Something that an answer has to say.",
    "answer.points.items.points": "For all of it; 1 if not given.",
    "answer.points.enough": "Points from which an answer is right; all if not given.",
    "answer.explanation": "Why it is right, shown with a result.",
    "dont_care": "Hidden: where outputs do not count for a proof, because the statement leaves them open.",
    "dont_care.always": "Outputs that are never compared.",
    "dont_care.unless": "Output → input or output of one bit: the first counts only while the reference has 1 there.",
    "proof": "Hidden: how designs are compared with the reference by proof.",
    "proof.parameters": "Sets of parameters, compared after the defaults: `[{ WIDTH = 3 }]`. At most 8.",
    "test_groups": "Hidden tests by what they bring where an assignment gives partial credit; solvers see them.",
    "test_groups.title": "For people.",
    "test_groups.points": "Weight beside the other groups; 1 if not given.",
    "test_groups.tests": "Names of hidden tests, each in one group only; all of them have to pass.",
    "hints": "Hidden: hints, in the order in which they are taken.",
    "hints.text": "What it says, Markdown.",
    "hints.cost": "Share of the problem's points that it costs, 0 to 1.",
    "hints.after_runs": "How many verdicts the attempt must have before.",
    "hints.after_minutes": "How long the attempt's clock must have run before.",
}

PACK_FIELDS = FileFields(PackToml, _PACK_ABOUT)
"""Of `pack.toml`."""
PROBLEM_FIELDS = FileFields(ProblemToml, _PROBLEM_ABOUT, frozenset({"answer.figures"}))
"""Of `problem.toml`; figures of an answer are made from the files in `hidden/figures`."""

_KEYS = ("properties", "additionalProperties", "patternProperties")
"""Parts of a schema that say what keys a table may have."""


def table_fields(file_fields: FileFields, table_path: TomlPath) -> Sequence[TomlField]:
    """The fields of a table of a file; empty if there is none."""
    names = [part for part in table_path if isinstance(part, str)]
    return _fields_of_table(file_fields, tuple(names))


def field_of_key(file_fields: FileFields, key_path: TomlPath) -> TomlField | None:
    """The field that a key is; None if there is none."""
    sibling_fields = table_fields(file_fields, key_path[:-1]) if key_path else ()
    return next((candidate for candidate in sibling_fields if candidate.name == key_path[-1]), None)


@cache
def _fields_of_table(file_fields: FileFields, table_names: tuple[str, ...]) -> Sequence[TomlField]:
    schema = file_fields.model.model_json_schema()
    defs: Mapping[str, Any] = schema.get("$defs", {})
    table_schema: Mapping[str, Any] = schema
    for name in table_names:
        table_schema = _table_schema(table_schema.get("properties", {}).get(name, {}), defs)
    table_fields = []
    for name, field_schema in table_schema.get("properties", {}).items():
        path = ".".join([*table_names, name])
        if path not in file_fields.not_written:
            inner_schema = _table_schema(field_schema, defs)
            is_table = not inner_schema.keys().isdisjoint(_KEYS)
            table_fields.append(
                TomlField(name, file_fields.descriptions[path], _allowed_toml_values(field_schema, defs), is_table)
            )
    return table_fields


def _table_schema(field_schema: Mapping[str, Any], definition_by_name: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a table, behind references, null and arrays."""
    for alternative in (field_schema, *field_schema.get("anyOf", ())):
        if "$ref" in alternative:
            return _table_schema(definition_by_name[alternative["$ref"].rpartition("/")[2]], definition_by_name)
        if alternative.get("type") == "array":
            return _table_schema(alternative.get("items", {}), definition_by_name)
        if alternative.get("type") == "object":
            table_schema: Mapping[str, Any] = alternative
            return table_schema
    return {}


def _allowed_toml_values(field_schema: Mapping[str, Any], definition_by_name: Mapping[str, Any]) -> tuple[str, ...]:
    for alternative in (field_schema, *field_schema.get("anyOf", ())):
        target_schema = (
            definition_by_name[alternative["$ref"].rpartition("/")[2]] if "$ref" in alternative else alternative
        )
        if "enum" in target_schema:
            # A pack folder holds no text problems.
            return tuple(f'"{value}"' for value in target_schema["enum"] if value != "text")
        if target_schema.get("type") == "boolean":
            return ("true", "false")
    return ()
