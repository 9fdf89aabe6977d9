"""Base classes that nothing declares: slang says nothing about them, nor about anything in the classes below."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity, SlangDiagnostic

if TYPE_CHECKING:
    from pyslang.ast import Compilation, Symbol
    from pyslang.parsing import Token
    from pyslang.syntax import ClassDeclarationSyntax, SyntaxTree

    from benchwright_verilog.semantics.compilation.trees import SlangTree


_RULE = "undeclared-identifier"


def unknown_base_diagnostics(
    compilation: Compilation, tree: SlangTree, warning_options: Collection[str] = ()
) -> Iterator[tuple[Path, SlangDiagnostic]]:
    """Yield diagnostics, each with its file, in the words that slang has for other names.

    Args:
        compilation: All files, elaborated.
        tree: The file, with what it includes.
        warning_options: As of `diagnostics_by_file`.
    """
    for name in _unknown_base_name_tokens(compilation, tree.syntax) if f"no-{_RULE}" not in warning_options else ():
        location = tree.locations.file_location_of(name.location)
        if location is not None:
            end = location.offset + (0 if location.is_generated else len(name.rawText.encode()))
            message = f"use of undeclared identifier '{name.valueText}'"
            yield location.path, SlangDiagnostic(location.offset, end, DiagnosticSeverity.ERROR, _RULE, message)


def _unknown_base_name_tokens(compilation: Compilation, tree: SyntaxTree) -> Iterator[Token]:
    """Yield the names of base classes that are unknown, of classes that packages and the top of a file declare."""
    from pyslang.ast import ClassType, GenericClassDefSymbol, Lookup, LookupFlags
    from pyslang.syntax import ClassNameSyntax, IdentifierNameSyntax, SyntaxKind

    declarations: list[ClassDeclarationSyntax] = []
    tree.root.visit(lookup_table={SyntaxKind.ClassDeclaration: declarations.append})
    for declaration in declarations:
        base_name = declaration.extendsClause.baseName if declaration.extendsClause is not None else None
        if not isinstance(base_name, IdentifierNameSyntax | ClassNameSyntax):
            continue
        symbol = _class_symbol(compilation, declaration)
        if isinstance(symbol, GenericClassDefSymbol):
            symbol = symbol.invalidSpecialization
        name = base_name.identifier
        if (
            isinstance(symbol, ClassType)
            and symbol.baseClass is not None
            and symbol.baseClass.isError
            and name.valueText
            # A parameter of the class may be its base.
            and symbol.find(name.valueText) is None
            and Lookup.unqualified(symbol, name.valueText, LookupFlags.AllowDeclaredAfter) is None
        ):
            yield name


def _class_symbol(compilation: Compilation, declaration: ClassDeclarationSyntax) -> Symbol | None:
    from pyslang.syntax import CompilationUnitSyntax, ModuleDeclarationSyntax, SyntaxKind

    name, holder = declaration.name.valueText, declaration.parent
    if isinstance(holder, ModuleDeclarationSyntax) and holder.kind == SyntaxKind.PackageDeclaration:
        package = compilation.getPackage(holder.header.name.valueText)
        return package.find(name) if package is not None else None
    if holder is None or isinstance(holder, CompilationUnitSyntax):
        symbols = (unit.find(name) for unit in compilation.getCompilationUnits())
        return next((symbol for symbol in symbols if symbol is not None), None)
    return None
