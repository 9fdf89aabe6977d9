"""`textDocument/foldingRange`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_verilog.syntax.folds import FoldingSpan, conditional_folds, folds_without_conditionals
from benchwright_verilog.syntax.json_form import JsonText, MovingJson
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.units import ItemText, results_by_unit

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(partial(_folding_ranges, server))


async def _folding_ranges(
    server: EditorServer, params: types.FoldingRangeParams
) -> JsonText | list[types.FoldingRange]:
    document = server.documents.get(params.text_document.uri)
    if document is None or not document.is_verilog:
        return []
    by_line = server.client.supports("textDocument.foldingRange.lineFoldingOnly")
    make = _line_folds_template if by_line else _character_folds_template
    pieces = [ranges.json_at(unit.line) for unit, ranges in await results_by_unit(document.units, make)]
    pieces.append(_folds_template(conditional_folds(document.units), document.lines, is_by_line=by_line).json_at(0))
    return JsonText.of_list(pieces)


def _line_folds_template(shape: ItemText) -> MovingJson:
    return _folds_template(folds_without_conditionals(shape), shape.lines, is_by_line=True)


def _character_folds_template(shape: ItemText) -> MovingJson:
    return _folds_template(folds_without_conditionals(shape), shape.lines, is_by_line=False)


def _folds_template(folds: Iterable[FoldingSpan], lines: Lines, *, is_by_line: bool) -> MovingJson:
    foldings: dict[tuple[int, int], str] = {}
    for fold in folds:
        fold_range = lines.byte_range(fold.start, fold.end)
        first_line, last_line = fold_range.start.line, fold_range.end.line
        kind = f',"kind":"{fold.kind.value}"' if fold.kind else ""
        if is_by_line:
            last_line -= not fold.hides_last_line
        else:
            kind += f',"startCharacter":{fold_range.start.character},"endCharacter":{fold_range.end.character}'
        if last_line > first_line:
            foldings[first_line, last_line] = f'{{"startLine":%d,"endLine":%d{kind}}}'
    # If two begin on one line, clients use the first: the one that hides more.
    ordered_folds = sorted(foldings, key=lambda line_pair: (line_pair[0], -line_pair[1]))
    return MovingJson(
        ",".join(foldings[ends] for ends in ordered_folds), tuple(line for ends in ordered_folds for line in ends)
    )
