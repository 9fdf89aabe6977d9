"""slang's errors in a file, in memory: what the policy *survives lint* compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def slang_error_counts(text_by_path: Mapping[str, str]) -> Counter[str]:
    """Errors by slang, elaborated together; each with the number of times it is said.

    Args:
        text_by_path: Text by path.
    """
    # Imported late: it is slow to load, and most policies don't need it.
    import pyslang
    from pyslang.ast import Compilation
    from pyslang.parsing import PreprocessorOptions
    from pyslang.syntax import SyntaxTree

    preprocessing = PreprocessorOptions()
    # What an `include` names may be a pipe.
    preprocessing.maxIncludeDepth = 0
    option_bag = pyslang.Bag([preprocessing])
    sources = pyslang.SourceManager()
    compilation = Compilation()
    for path in sorted(text_by_path):
        compilation.addSyntaxTree(SyntaxTree.fromText(text_by_path[path], sources, path, path, option_bag))
    engine = pyslang.DiagnosticEngine(sources)
    error_counts: Counter[str] = Counter()
    for diagnostic in compilation.getAllDiagnostics():
        if engine.getSeverity(diagnostic.code, diagnostic.location).name in ("Error", "Fatal"):
            error_counts[engine.formatMessage(diagnostic)] += 1
    return error_counts


def has_new_errors(old_files: Mapping[str, str], new_files: Mapping[str, str]) -> bool:
    """True if slang says errors of the files after a change that it did not say, or not so often, before."""
    return bool(slang_error_counts(new_files) - slang_error_counts(old_files))
