"""No module of attempts, studies and analysis imports itself through others, not even for its types."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_modules_import_each_other_in_one_direction() -> None:
    packages = ("benchwright_attempts", "benchwright_studies", "benchwright_analysis")
    graph = grimp.build_graph(*packages, cache_dir=None, exclude_type_checking_imports=False)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imported) > 100
    TopologicalSorter(imported).prepare()
