"""Draws `docs/images/architecture.svg`: the folders as floors, their packages, and who imports whom.

Run as `.venv/bin/python setup/drawing.py`. Packages and folders are those of pyproject.toml, floors and arrows follow
from the imports, and questions are those of the table of rooms in `docs/architecture.md`. A unit test compares it.
"""

import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from html import escape
from pathlib import Path

import grimp
from folders import ROOT

PAGE = ROOT / "docs" / "architecture.md"
DRAWING = ROOT / "docs" / "images" / "architecture.svg"
STYLE = ROOT / "setup" / "drawing.css"

SPANS: Mapping[str, tuple[float, float]] = {
    "client-vscode": (0, 0.37),
    "server": (0, 0.37),
    "service": (0.37, 1),
    "baselines": (0, 1),
    "authoring": (0, 1),
    "harness": (0, 0.4),
    "judges": (0.4, 0.64),
    "problems": (0, 0.64),
    "verilog": (0.64, 1),
    "foundation": (0, 0.64),
    "snippets": (0.64, 1),
}
"""From where to where a folder goes on its floor: an arrow is straight where it starts and ends below each other."""
CLIENT = "client-vscode"
CLIENT_PACKAGE = "(TypeScript)"
MESSAGES = (CLIENT, "server")
"""Pair that exchanges messages without an import."""
LEGEND = (
    "Folders are floors, boxes are packages with their questions. Arrows are imports;",
    "what a chain of arrows implies is left out. The dashed arrow is messages: LSP.",
    "Packages are named without benchwright_, and measured in thousands of lines.",
)

_WIDTH = 960
_MARGIN = 20
_FLOOR_GAP = 30
_FOLDER_GAP = 14
_CARD_GAP = 20
_PADDING = 12
_LABEL = 26
_NAME = 26
_LINE = 17
_LETTER = 7.3
"""Width of a letter of a question, at most on average."""


@dataclass(frozen=True)
class RoomPackage:
    """A room."""

    folder: str
    name: str
    question: str
    thousands: int
    """Of lines that are neither blank nor a comment."""


@dataclass(frozen=True)
class House:
    """All that is drawn."""

    packages: tuple[RoomPackage, ...]
    imports: frozenset[tuple[str, str]]
    """Pairs of packages; the first imports the second."""

    @cached_property
    def stairs(self) -> frozenset[tuple[str, str]]:
        """Pairs of folders; the first imports the second or speaks to it."""
        folders = {package.name: package.folder for package in self.packages}
        folder_pairs = {(folders[importer], folders[imported]) for importer, imported in self.imports}
        return frozenset(pair for pair in {MESSAGES, *folder_pairs} if pair[0] != pair[1])

    @cached_property
    def floors(self) -> list[list[str]]:
        """The folders of each floor, from the top; those of the ground floor import no other folder."""
        imported_folders = {
            folder: {imported for importer, imported in self.stairs if importer == folder} for folder in SPANS
        }
        heights: dict[str, int] = {}
        for folder in TopologicalSorter(imported_folders).static_order():
            heights[folder] = max((heights[imported] + 1 for imported in imported_folders[folder]), default=0)
        floor_levels = range(max(heights.values()), -1, -1)
        return [[folder for folder in SPANS if heights[folder] == level] for level in floor_levels]

    def packages_inside(self, folder: str) -> list[RoomPackage]:
        """The packages of a folder, importers before what they import."""
        packages = {package.name: package for package in self.packages if package.folder == folder}
        inner_imports = [(importer, imported) for importer, imported in self.imports if importer in packages]
        importers = {
            name: sorted(importer for importer, imported in inner_imports if imported == name) for name in packages
        }
        return [packages[name] for name in TopologicalSorter(importers).static_order()]


def package_folders() -> list[Path]:
    """The folders of the packages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [ROOT / folder for folder in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]


def read_house() -> House:
    """Reads the packages, their questions and their imports."""
    questions = questions_by_room(PAGE.read_text(encoding="utf-8"))
    graph = grimp.build_graph(*[folder.name for folder in package_folders()], cache_dir=None)
    imports = {
        (module.partition(".")[0], imported.partition(".")[0])
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    package_rows = [(folder.parent.name, folder.name, folder) for folder in package_folders()]
    package_rows.append((CLIENT, CLIENT_PACKAGE, ROOT / CLIENT / "src"))
    return House(
        tuple(
            RoomPackage(folder, name, questions[folder, name], _thousand_code_lines(source))
            for folder, name, source in package_rows
        ),
        frozenset(pair for pair in imports if pair[0] != pair[1]),
    )


def questions_by_room(page: str) -> dict[tuple[str, str], str]:
    """The question of each folder and package in the page's table."""
    question_rows = re.findall(r"^\| `([\w-]+)/` \| `?([\w()]+)`? \| ([^|?]*\?)", page, flags=re.MULTILINE)
    return {(folder, package): question for folder, package, question in question_rows}


def _thousand_code_lines(folder: Path) -> int:
    files = [path for path in folder.rglob("*") if path.suffix in {".py", ".ts"} and "packs" not in path.parts]
    lines = (line.strip() for path in files for line in path.read_text(encoding="utf-8").splitlines())
    return round(sum(bool(line) and not line.startswith(("#", "//")) for line in lines) / 1000)


def without_detours(import_pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs that no chain of others implies (transitive reduction)."""
    direct = set(import_pairs)
    connected_pairs = set(direct)
    while longer := {(a, d) for a, b in connected_pairs for c, d in direct if b == c} - connected_pairs:
        connected_pairs |= longer
    return sorted(direct - {(a, d) for a, b in connected_pairs for c, d in connected_pairs if b == c})


@dataclass(frozen=True)
class _RoomBox:
    left_edge: float
    top_edge: float
    width: float
    height: float

    @property
    def right_edge(self) -> float:
        return self.left_edge + self.width

    @property
    def bottom_edge(self) -> float:
        return self.top_edge + self.height

    def drawn(self, style: str, radius: int) -> str:
        geometry = f'x="{self.left_edge:g}" y="{self.top_edge:g}" width="{self.width:g}" height="{self.height:g}"'
        return f'<rect class="{style}" {geometry} rx="{radius}"/>'


def house_svg(house: House) -> str:
    """The drawing."""
    boxes: dict[str, _RoomBox] = {}
    svg_parts: list[str] = []
    top_y = float(_MARGIN)
    for floor in house.floors:
        lines = max(
            len(_wrapped_lines(package, card))
            for name in floor
            for package, card in _package_boxes(house, name, top_y, 0)
        )
        for folder in floor:
            left_x, right_x = _left_and_right_x(folder)
            boxes[folder] = _RoomBox(left_x, top_y, right_x - left_x, _LABEL + _NAME + lines * _LINE + 2 * _PADDING)
            svg_parts += _folder_drawing(house, folder, boxes[folder])
        top_y = boxes[floor[0]].bottom_edge + _FLOOR_GAP
    svg_parts += [
        _arrow_down(boxes[importer], boxes[imported], importer == CLIENT)
        for importer, imported in without_detours(house.stairs)
    ]
    height = top_y - _FLOOR_GAP + _MARGIN
    legend = (
        _svg_text("note", _left_and_right_x("service")[0] + 14, _MARGIN + 18 + index * 19, line)
        for index, line in enumerate(LEGEND)
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}">',
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>",
            '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker>',
            _RoomBox(0.5, 0.5, _WIDTH - 1, height - 1).drawn("paper", 10),
            *legend,
            *svg_parts,
            "</svg>\n",
        ]
    )


def drawing_without_sizes(drawing: str) -> str:
    """A drawing without its sizes, which change with each commit."""
    return re.sub(r'<text class="size".*?</text>', "", drawing)


def _left_and_right_x(folder: str) -> tuple[float, float]:
    left_x, right_x = (_MARGIN + share * (_WIDTH - 2 * _MARGIN) for share in SPANS[folder])
    return left_x + (_FOLDER_GAP / 2 if SPANS[folder][0] else 0), right_x - (
        _FOLDER_GAP / 2 if SPANS[folder][1] < 1 else 0
    )


def _package_boxes(house: House, folder: str, top_y: float, height: float) -> Iterator[tuple[RoomPackage, _RoomBox]]:
    """The packages of a folder, side by side."""
    packages = house.packages_inside(folder)
    left_x, right_x = _left_and_right_x(folder)
    width = (right_x - left_x - 2 * _PADDING - (len(packages) - 1) * _CARD_GAP) / len(packages)
    for index, package in enumerate(packages):
        yield package, _RoomBox(left_x + _PADDING + index * (width + _CARD_GAP), top_y, width, height)


def _folder_drawing(house: House, folder: str, box: _RoomBox) -> Iterator[str]:
    yield box.drawn("folder", 8)
    yield _svg_text("label", box.left_edge + _PADDING, box.top_edge + 18, f"{folder}/")
    inner_height = box.height - _LABEL - _PADDING
    cards = {
        package.name: (package, card)
        for package, card in _package_boxes(house, folder, box.top_edge + _LABEL, inner_height)
    }
    for package, card in cards.values():
        yield card.drawn("package", 6)
        yield _svg_text(
            "name", card.left_edge + _PADDING, card.top_edge + 21, package.name.removeprefix("benchwright_")
        )
        yield _svg_text("size", card.right_edge - _PADDING, card.top_edge + 21, f"{package.thousands or '<1'}k")
        for index, line in enumerate(_wrapped_lines(package, card)):
            yield _svg_text("question", card.left_edge + _PADDING, card.top_edge + _NAME + 16 + index * _LINE, line)
    order = list(cards)
    for importer, imported in without_detours(pair for pair in house.imports if {*pair} <= {*cards}):
        (_, importer_card), (_, imported_card) = cards[importer], cards[imported]
        middle = importer_card.top_edge + importer_card.height / 2
        if order.index(imported) - order.index(importer) == 1:
            yield _arrow(f"M{importer_card.right_edge + 1:g} {middle:g}H{imported_card.left_edge - 1:g}")
        else:
            start, end, low = (
                importer_card.left_edge + importer_card.width / 2,
                imported_card.left_edge + imported_card.width / 2,
                importer_card.bottom_edge,
            )
            yield _arrow(f"M{start:g} {low:g}v6H{end:g}v-5")


def _arrow_down(upper: _RoomBox, lower: _RoomBox, is_message: bool) -> str:
    left_x, right_x = max(upper.left_edge, lower.left_edge), min(upper.right_edge, lower.right_edge)
    if left_x >= right_x:
        raise ValueError("SPANS has no straight way down for an arrow")
    middle = (left_x + right_x) / 2
    return _arrow(
        f"M{middle:g} {upper.bottom_edge + 1:g}V{lower.top_edge - 1:g}", "message" if is_message else "import"
    )


def _arrow(path: str, kind: str = "import") -> str:
    return f'<path class="arrow {kind}" d="{path}"/>'


def _wrapped_lines(package: RoomPackage, card: _RoomBox) -> list[str]:
    return textwrap.wrap(package.question, int((card.width - 2 * _PADDING) / _LETTER))


def _svg_text(style: str, left_x: float, baseline: float, text: str) -> str:
    return f'<text class="{style}" x="{left_x:g}" y="{baseline:g}">{escape(text)}</text>'


if __name__ == "__main__":
    DRAWING.write_text(house_svg(read_house()), encoding="utf-8")
