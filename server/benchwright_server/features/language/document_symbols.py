"""`textDocument/documentSymbol`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.json_form import JsonText, MovingJson, quote_for_json_template
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.outline import OutlineSymbol, outline_of
from benchwright_verilog.syntax.units import ItemText, TopLevelItem, results_by_unit

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(partial(_document_symbols, server))


async def _document_symbols(
    server: EditorServer, params: types.DocumentSymbolParams
) -> JsonText | list[types.SymbolInformation]:
    document = server.documents.get(params.text_document.uri)
    if document is None or not document.is_verilog:
        return []
    if server.client.supports("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"):
        if not document.kept_symbols_json:
            each_one = await results_by_unit(document.units, _symbols_template)
            document.kept_symbols_json[:] = [
                JsonText.of_list([kept_symbols_json.json_at(unit.line) for unit, kept_symbols_json in each_one])
            ]
        return document.kept_symbols_json[0]
    return [flat for unit in document.units for flat in _flat_symbols(document, unit, outline_of(unit.item_text), None)]


def _symbols_template(shape: ItemText) -> MovingJson:
    lines: list[int] = []
    return MovingJson(_joined_symbol_templates(outline_of(shape), shape.lines, lines), tuple(lines))


def _joined_symbol_templates(declarations: Iterable[OutlineSymbol], lines: Lines, template_lines: list[int]) -> str:
    return ",".join(_symbol_template(declaration, lines, template_lines) for declaration in declarations)


def _symbol_template(declaration: OutlineSymbol, lines: Lines, template_lines: list[int]) -> str:
    """One symbol as a template; appends its lines in the order in which they occur in it."""
    head = f'{{"name":{quote_for_json_template(declaration.name)},"kind":{declaration.symbol_kind.value}'
    if declaration.detail:
        head += f',"detail":{quote_for_json_template(declaration.detail)}'
    full_range = _range_template(lines, declaration.start, declaration.end, template_lines)
    name = _range_template(lines, declaration.name_start, declaration.name_end, template_lines)
    inner_symbols = _joined_symbol_templates(declaration.inner_symbols, lines, template_lines)
    children = f',"children":[{inner_symbols}]' if inner_symbols else ""
    return f'{head},"range":{full_range},"selectionRange":{name}{children}}}'


def _range_template(lines: Lines, start_byte: int, end_byte: int, template_lines: list[int]) -> str:
    first_line, first_column = lines.line_and_column(lines.from_byte(start_byte))
    last_line, last_column = lines.line_and_column(lines.from_byte(end_byte))
    template_lines += (first_line, last_line)
    return f'{{"start":{{"line":%d,"character":{first_column}}},"end":{{"line":%d,"character":{last_column}}}}}'


def _flat_symbols(
    document: Document, unit: TopLevelItem, declarations: Iterable[OutlineSymbol], container_name: str | None
) -> Iterator[types.SymbolInformation]:
    """The same for clients that don't support hierarchy."""
    for declaration in declarations:
        symbol_range = document.lines.byte_range(unit.start + declaration.start, unit.start + declaration.end)
        yield types.SymbolInformation(
            types.Location(document.uri, symbol_range),
            declaration.name,
            declaration.symbol_kind,
            container_name=container_name,
        )
        yield from _flat_symbols(document, unit, declaration.inner_symbols, declaration.name)
