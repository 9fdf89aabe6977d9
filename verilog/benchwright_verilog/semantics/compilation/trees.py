"""Parsed files, kept until they change."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.parsing import parse, parse_file
from benchwright_verilog.semantics.project.file_locations import FileLocations

if TYPE_CHECKING:
    from pyslang import Bag, SourceManager
    from pyslang.parsing import ParserOptions, Token
    from pyslang.syntax import SyntaxNode, SyntaxTree

_VERILOG_SUFFIXES = frozenset({".v", ".vh"})
_ANGLE_INCLUDE = re.compile(r"(`include[ \t]*)<([^>\"\r\n]*)>")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ROOM = 16 * 1024**2
"""Bytes of text that a source manager may take before it is given up: it never frees what it read."""
_ROOM_PER_LIVE_BYTE = 8
_MAX_NESTING = 5_000
"""The deepest nesting of constructs. slang takes about 1 kB of stack for each level, and 1,024 levels by default; at
the limit it reports nothing else about the file."""


@dataclass(frozen=True)
class Preprocessing:
    """The settings that files are read with."""

    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    """`NAME` or `NAME=text`."""
    is_plain_verilog: bool = False
    """True if the words that SystemVerilog added, such as `bit` and `do`, are names (IEEE 1364-2005)."""


@dataclass(frozen=True)
class WithheldText:
    """A part of a file that slang was not given. Offsets are bytes of UTF-8."""

    path: Path
    start: int
    end: int
    message: str


@dataclass(frozen=True)
class ReachableFiles:
    """The files that the `include`s of all files mean, by the names under which slang knows them."""

    given_texts: Mapping[str, str] = field(default_factory=dict)
    """Their source code."""
    refusal_reasons: Mapping[str, str] = field(default_factory=dict)
    """Files that are not read, and what to say about each."""
    absent_names: AbstractSet[str] = frozenset()
    """Names under which slang finds nothing."""
    include_depth: int = 0
    """The deepest nesting of includes."""


@dataclass(frozen=True)
class SlangTree:
    """One parsed file."""

    path: Path
    text: str
    syntax: SyntaxTree
    sources: SourceManager
    locations: FileLocations
    included_files: frozenset[Path]
    withheld_texts: tuple[WithheldText, ...] = ()
    """The parts that slang was not given."""
    preprocessing: Preprocessing = Preprocessing()


class SlangTrees:
    """Parses files, each text once, all with one source manager until that has taken in too much."""

    def __init__(self) -> None:
        self._renew_source_manager(ReachableFiles())

    def _renew_source_manager(self, reachable_files: ReachableFiles) -> None:
        import pyslang  # Imported late: it is not needed to answer `initialize`.

        self._sources = pyslang.SourceManager()
        # Else file names come back relative to the working directory.
        self._sources.setDisableProximatePaths(True)
        self._names: dict[str, Path] = {}
        self._locations = FileLocations(self._sources, self._names)
        self._known_trees: dict[Path, tuple[Preprocessing, SlangTree]] = {}
        self._taken_size = 0
        self._given_texts: dict[str, str] = {}
        self._absent: set[str] = set()
        self._reached = reachable_files
        self._assign_texts_to_slang(reachable_files)

    def _assign_texts_to_slang(self, reachable_files: ReachableFiles) -> None:
        for name, text in {**reachable_files.given_texts, **dict.fromkeys(reachable_files.refusal_reasons, "")}.items():
            if name not in self._given_texts:
                self._sources.assignText(name, text_for_slang(text))
                self._given_texts[name] = text
                self._taken_size += len(text)
        self._absent |= reachable_files.absent_names
        self._reached = reachable_files

    def renew_if_files_changed(self, reachable_files: ReachableFiles) -> None:
        """Start again if something that was read, or is missing no longer, has changed, or too much was read."""
        given_texts = {**reachable_files.given_texts, **dict.fromkeys(reachable_files.refusal_reasons, "")}
        has_changed = (
            any(self._given_texts.get(name, text) != text for name, text in given_texts.items())
            or not self._absent.isdisjoint(given_texts)
            or not self._given_texts.keys().isdisjoint(reachable_files.absent_names)
        )
        live = sum(len(tree.text) for _, tree in self._known_trees.values())
        if has_changed or self._taken_size > max(_ROOM, _ROOM_PER_LIVE_BYTE * live):
            self._renew_source_manager(reachable_files)
        else:
            self._assign_texts_to_slang(reachable_files)

    @property
    def included_files(self) -> frozenset[Path]:
        """All files that were included by what is known now."""
        return frozenset().union(*(tree.included_files for _, tree in self._known_trees.values()))

    def tree(self, path: Path, text: str, preprocessing: Preprocessing) -> SlangTree:
        """A file's tree; the same one as before if nothing is new."""
        known_tree = self._known_trees.get(path)
        if known_tree is not None and known_tree[0] == preprocessing and known_tree[1].text == text:
            return known_tree[1]
        tree = self._parse(path, text, preprocessing)
        self._known_trees[path] = preprocessing, tree
        return tree

    def forget_all_but(self, paths: Collection[Path]) -> None:
        """Forget all files but these."""
        for path in self._known_trees.keys() - set(paths):
            del self._known_trees[path]

    def _parse(self, path: Path, text: str, preprocessing: Preprocessing) -> SlangTree:
        # A source manager takes a path once, and includes are looked for beside it: so each version has a name of
        # its own in the same folder.
        name = f"{path}#{len(self._names)}"
        self._names[name] = path
        slang_bag = parse_options_bag(preprocessing, self._reached.include_depth)
        syntax = parse_file(text_for_slang(text), self._sources, name, slang_bag)
        if path.suffix in _VERILOG_SUFFIXES and not preprocessing.is_plain_verilog and _error_count(syntax):
            verilog_bag = parse_options_bag(replace(preprocessing, is_plain_verilog=True), self._reached.include_depth)
            self._names[f"{name}#v"] = path
            verilog_syntax = parse_file(text_for_slang(text), self._sources, f"{name}#v", verilog_bag)
            if _error_count(verilog_syntax) < _error_count(syntax):
                slang_bag, syntax = verilog_bag, verilog_syntax
        readable_bytes, withheld_texts = bytearray(text.encode("utf-8", "surrogatepass")), []
        for start, word, readable_word, message in _fatal_words_with_replacements(syntax, text):
            end = start + len(word)
            # What a macro or an included file says stays.
            if readable_bytes[start:end] == word.encode():
                readable_bytes[start:end] = readable_word.encode()
                withheld_texts.append(WithheldText(path, start, end, message))
        if withheld_texts:
            name += "#"
            self._names[name] = path
            readable_text = readable_bytes.decode("utf-8", "surrogatepass")
            syntax = parse_file(text_for_slang(readable_text), self._sources, name, slang_bag)
        if self._has_opened_files(syntax):
            self._names[f"{name}#"] = path
            syntax = parse_file(text_for_slang(text), self._sources, f"{name}#", parse_options_bag(preprocessing, 0))
        self._taken_size += len(text)
        included = frozenset(
            included_path
            for buffer in syntax.getIncludeDirectives()
            if (included_path := self._locations.path_of_buffer(buffer.buffer.id))
        )
        if self._reached.refusal_reasons:
            withheld_texts += self._unread_includes(syntax)
        return SlangTree(
            path, text, syntax, self._sources, self._locations, included, tuple(withheld_texts), preprocessing
        )

    def _has_opened_files(self, syntax: SyntaxTree) -> bool:
        """True if slang read more than it was given, as it can where the kernel does not keep it from that."""
        names = {self._sources.getRawFileName(include.buffer.id) for include in syntax.getIncludeDirectives()}
        return not names <= self._given_texts.keys() | {""}

    def _unread_includes(self, syntax: SyntaxTree) -> Iterator[WithheldText]:
        for include in syntax.getIncludeDirectives():
            message = self._reached.refusal_reasons.get(self._sources.getRawFileName(include.buffer.id))
            name_token = include.syntax.fileName
            location = self._locations.file_location_of(name_token.location) if message is not None else None
            if location is not None and message is not None:
                yield WithheldText(
                    location.path,
                    location.offset,
                    location.offset + (0 if location.is_generated else len(name_token.rawText.encode())),
                    message,
                )


_REAL_TYPES = {"real": "int ", "shortreal": "int      ", "realtime": "int     "}


def _fatal_words_with_replacements(syntax: SyntaxTree, text: str) -> Iterator[tuple[int, str, str, str]]:
    """Words that the language forbids where they are, and that end slang or keep it from elaborating anything.

    These are a virtual interface as a port or type of an interface (IEEE 1800-2017, 25.9), which may be the interface
    itself, and a real base type of an enumeration (6.19).

    Yields:
        First byte, the word, words as long to read instead, and what is said of it.
    """
    may_be_virtual = "virtual" in text and "interface" in text
    may_be_real = "enum" in text and any(word in text for word in _REAL_TYPES)
    if not may_be_virtual and not may_be_real:
        return
    from pyslang.syntax import EnumTypeSyntax, SyntaxKind, VirtualInterfaceTypeSyntax

    forbidding_kinds = {
        *(SyntaxKind.ImplicitAnsiPort, SyntaxKind.PortDeclaration, SyntaxKind.TypedefDeclaration),
        *(SyntaxKind.TypeParameterDeclaration, SyntaxKind.ParameterDeclaration),
    }
    fatal_words: list[tuple[int, str, str, str]] = []

    def visit(node: SyntaxNode | Token) -> None:
        if isinstance(node, VirtualInterfaceTypeSyntax):
            kinds = {outer_node.kind for outer_node in _nodes_around(node)}
            if SyntaxKind.InterfaceDeclaration in kinds and kinds & forbidding_kinds:
                message = "An interface can't have a virtual interface as a port or type of its own."
                fatal_words.append((node.getFirstToken().location.offset, "virtual", "       ", message))
        elif isinstance(node, EnumTypeSyntax) and node.baseType is not None:
            token = node.baseType.getFirstToken()
            if (readable_word := _REAL_TYPES.get(token.rawText)) is not None:
                message = f"{token.rawText} can't be the base type of an enumeration."
                fatal_words.append((token.location.offset, token.rawText, readable_word, message))

    syntax.root.visit(visit)
    yield from fatal_words


def _nodes_around(node: SyntaxNode) -> Iterator[SyntaxNode]:
    outer_node: SyntaxNode | None = node.parent
    while outer_node is not None:
        yield outer_node
        outer_node = outer_node.parent


def parse_options_bag(preprocessing: Preprocessing, include_depth: int) -> Bag:
    """Return the options with which slang reads a file.

    Args:
        preprocessing: Settings that the file is read with.
        include_depth: The deepest nesting of includes.
    """
    import pyslang
    from pyslang import LanguageVersion
    from pyslang.parsing import LexerOptions, PreprocessorOptions

    preprocessor_options, lexer_options, slang_parser_options = PreprocessorOptions(), LexerOptions(), parser_options()
    if preprocessing.is_plain_verilog:
        for slang_options in (preprocessor_options, lexer_options, slang_parser_options):
            slang_options.languageVersion = LanguageVersion.v1364_2005
    preprocessor_options.additionalIncludePaths = [str(folder) for folder in preprocessing.include_dirs]
    preprocessor_options.predefines = list(preprocessing.defines)
    preprocessor_options.maxIncludeDepth = include_depth
    return pyslang.Bag([preprocessor_options, lexer_options, slang_parser_options])


def parse_alone(text: str, sources: SourceManager, source_name: str = "") -> SyntaxTree:
    """The tree of source code without what it includes, in the year of the language in which it has fewer errors.

    Args:
        text: What is parsed.
        sources: Gets the text; has to outlive the tree.
        source_name: Its name to slang; by its suffix it may be SystemVerilog only.
    """
    syntax = parse(text_for_slang(text), sources, source_name, parse_options_bag(Preprocessing(), include_depth=0))
    if source_name.endswith((".sv", ".svh")) or not _error_count(syntax):
        return syntax
    slang_bag = parse_options_bag(Preprocessing(is_plain_verilog=True), include_depth=0)
    verilog_syntax = parse(text_for_slang(text), sources, source_name, slang_bag)
    return verilog_syntax if _error_count(verilog_syntax) < _error_count(syntax) else syntax


def _error_count(syntax: SyntaxTree) -> int:
    return sum(diagnostic.isError() for diagnostic in syntax.diagnostics)


def parser_options() -> ParserOptions:
    """The options that slang parses with."""
    from pyslang.parsing import ParserOptions

    slang_options = ParserOptions()
    slang_options.maxRecursionDepth = _MAX_NESTING
    return slang_options


def text_for_slang(text: str) -> str:
    """Source code that slang can read, with each byte in its place.

    A lone surrogate becomes a character of as many bytes as are counted for it. `include <a.svh>` becomes
    `include "a.svh"`: simulators look for both in the same folders, slang only for the second.
    """
    if "`include" in text:
        text = _ANGLE_INCLUDE.sub(r'\1"\2"', text)
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def active_directives(tree: SyntaxTree) -> list[SyntaxNode]:
    """All directives of a file and of what it includes in their order, without those that conditions leave out.

    slang keeps them beside the tokens that follow them.
    """
    from pyslang.parsing import Token, TriviaKind

    nodes: list[SyntaxNode] = []

    def look(node: SyntaxNode | Token) -> None:
        if isinstance(node, Token):
            nodes.extend(trivium.syntax() for trivium in node.trivia if trivium.kind == TriviaKind.Directive)

    tree.root.visit(look)
    return nodes
