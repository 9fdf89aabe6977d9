"""Writes generated questions as a pack folder, each with its passage, and a report on all passages."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

from benchwright_authoring.generated_pack_folder import require_writable_pack_folder
from benchwright_authoring.generation.generating import GeneratedQuestion, GenerationError
from benchwright_authoring.generation.passages import Corpus
from benchwright_authoring.written_question import write_question
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.stage_file import StageFile, StageOutput
from benchwright_foundation.toml_text import toml_table_text
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder

REPORT = "generated.json"
PASSAGE = "hidden/passage.toml"
"""Origin of a question; no solver gets it, and no published pack has it."""


class _Seed(StageOutput):
    seed: str


def kept_or_new_seed(folder: Path) -> str:
    """The random seed of a folder: drawn once, so that the same command makes the same questions."""
    seed_file = StageFile(folder / "model" / "seed.json", _Seed)
    seed = seed_file.last_output() or seed_file.write_output(_Seed(made_from="", seed=secrets.token_hex(16)))
    return seed.seed


def write_generated_pack(
    corpus: Corpus,
    pack_folder: Path,
    generated_questions: Sequence[GeneratedQuestion],
    source_name: str,
    pack_licence: str,
) -> int:
    """Writes the questions that passed, and the report; returns how many passed.

    Questions of an earlier run are written again, or go.

    Args:
        corpus: The documents.
        pack_folder: Folder to write to.
        generated_questions: Results for their passages.
        source_name: Name by which to call the documents.
        pack_licence: Theirs.

    Raises:
        ProblemsError: The folder holds another pack, or what was written is none.
        OSError: The folder can't be written.
    """
    require_writable_pack_folder(pack_folder, REPORT)
    pack_folder.mkdir(parents=True, exist_ok=True)
    report_fields = {
        "unread": [{"place": position, "why": reason} for position, reason in corpus.left_out_parts],
        "passages": [generated.model_dump(mode="json") for generated in generated_questions],
    }
    # It comes first: without it, a folder that was left half-written would pass for another pack.
    write_atomically(pack_folder / REPORT, (json.dumps(report_fields, indent=1) + "\n").encode(), 0o600)
    for old_folder in pack_folder.glob("cloze-*"):
        shutil.rmtree(old_folder)
    passed_questions = [generated for generated in generated_questions if generated.problem]
    if not passed_questions:
        (pack_folder / PACK_FILE).unlink(missing_ok=True)
        return 0
    for generated in passed_questions:
        _write_problem_folder(pack_folder, generated)
    values: dict[str, object] = {
        "name": pack_folder.absolute().name,
        "title": f"Questions from {source_name}",
        "version": "0.1.0",
        "license": pack_licence,
        "source": f"{source_name}; written and filtered by models",
        "order": sorted(generated.problem for generated in passed_questions),
    }
    write_atomically(pack_folder / PACK_FILE, toml_table_text(values).encode())
    read_pack_folder(pack_folder)
    return len(passed_questions)


def _write_problem_folder(pack_folder: Path, generated: GeneratedQuestion) -> None:
    if generated.question is None or generated.draft is None:
        raise GenerationError(f"{generated.problem} has no question")
    write_question(pack_folder, generated.problem, generated.question, {})
    file = pack_folder / generated.problem / PASSAGE
    file.parent.mkdir()
    passage = generated.passage
    origin: dict[str, object] = {"file": passage.file, "first_line": passage.first, "last_line": passage.last}
    origin |= {"sha256": passage.sha256, "quote": generated.draft.quote, "text": passage.text}
    write_atomically(file, toml_table_text(origin).encode())
