from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.rtllm import export_rtllm, import_rtllm
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store

TESTBENCH = """`timescale 1ns/1ps
module tb_inv;
  reg a; wire y; reg [7:0] want [0:1];
  inv uut (.a(a), .y(y));
  initial begin
    $readmemh("want.dat", want);
    if (y === want[0]) $display("===========Your Design Passed===========");
    else $display("===========Failed===========");
  end
endmodule
"""
VERIFIED = "module helper(input a, output y); assign y = ~a; endmodule\n" + (
    "module verified_inv(input a, output y); helper h(.a(a), .y(y)); endmodule\n"
)
DESIGN = {
    "design_description.txt": "Module name:\n    inv\n",
    "testbench.v": TESTBENCH,
    "verified_inv.v": VERIFIED,
    "makefile": "all:\n",
    "want.dat": "1\n0\n",
}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_design(location: str = "Area/Kind/inv", **change: str | bytes | None) -> Path:
        folder = tmp_path / "data" / location
        folder.mkdir(parents=True)
        names = {"description": "design_description.txt", "testbench": "testbench.v", "verified": "verified_inv.v"}
        changed_files = {names.get(name, name): content for name, content in change.items()}
        for name, content in {**DESIGN, **changed_files}.items():
            if content is not None:
                (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "data"

    return write_design


def only_problem(root: Path) -> Problem:
    (problem,) = import_rtllm([root], "rtllm").problems
    return problem


def test_a_folder_becomes_a_design_problem(write: Write) -> None:
    problem = only_problem(write())
    assert (problem.id, problem.public.expected) == ("inv", ("rtl/inv.v",))
    assert problem.public.statement == DESIGN["design_description.txt"]
    assert problem.public.files == {}
    assert "RTLLM" in problem.provenance.source
    assert json.loads(problem.hidden.harness["testbench.json"]) == {
        "criterion": "rtllm",
        "top": "tb_inv",
        "design": ["rtl/inv.v"],
        "testbench": ["testbench.v"],
        "data": ["want.dat"],
        "private": ["tb_inv", "uut"],
        "timescale": "1ns/1ns",
    }
    assert problem.hidden.harness["want.dat"] == DESIGN["want.dat"]


def test_the_reference_is_called_as_the_testbench_wants(write: Write) -> None:
    reference = only_problem(write()).hidden.reference["rtl/inv.v"]
    assert "module inv(input a" in reference
    assert "verified_" not in reference
    assert "module helper" in reference


@pytest.mark.parametrize("verified", ["verified_other_inv", "inv", "verified_inv_8"])
def test_a_verified_module_of_another_name_is_found_too(verified: str, write: Write) -> None:
    text = VERIFIED.replace("verified_inv", verified)
    assert "module inv(input a" in only_problem(write(verified=text)).hidden.reference["rtl/inv.v"]


def test_files_come_back_as_they_were(write: Write, store: Store) -> None:
    store.add(import_rtllm([write()], "rtllm"))
    exported_files = export_rtllm(store.unseal("rtllm/inv"))
    assert exported_files == {f"Area/Kind/inv/{name}": text for name, text in DESIGN.items()}


def test_the_folder_of_one_design_is_enough(write: Write) -> None:
    assert only_problem(write() / "Area" / "Kind" / "inv").id == "inv"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"description": None}, "design_description.txt: is missing"),
        ({"testbench": None}, "testbench.v: is missing"),
        ({"verified": None}, "must have one verified_"),
        ({"verified_a.v": VERIFIED, "verified": None, "verified_b.v": VERIFIED}, "has 2: verified_a.v, verified_b.v"),
        ({"verified": "module a; endmodule module b; endmodule"}, "declares no module that could be 'inv'"),
        ({"verified": "not verilog"}, "declares no module that could be 'inv'"),
        ({"testbench": TESTBENCH.replace("Passed", "Done")}, "prints nothing that says passed"),
        ({"testbench": TESTBENCH.replace("inv uut", "// inv uut")}, "must have an instance of one module"),
        ({"testbench": TESTBENCH.replace("inv uut (", "other o(); inv2 uut (")}, "has inv2, other"),
        ({"testbench": TESTBENCH.replace("inv uut", "\\\\../x uut")}, "can't name a file|instance of one module"),
        ({"want.dat": b"\xfe"}, "want.dat: byte 1 is not UTF-8"),
    ],
    ids=str,
)
def test_a_folder_with_a_flaw_is_refused_by_its_file(
    change: dict[str, str | bytes | None], words: str, write: Write
) -> None:
    with pytest.raises(DatasetError, match=words):
        only_problem(write(**change))


def test_two_designs_of_one_name_are_refused(write: Write) -> None:
    write("A/inv")
    with pytest.raises(DatasetError, match="a design called 'INV' was already there"):
        import_rtllm([write("B/INV")], "rtllm")


def test_a_folder_without_designs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds no folder with"):
        import_rtllm([tmp_path], "rtllm")
    with pytest.raises(DatasetError, match="is not a folder"):
        import_rtllm([tmp_path / "none"], "rtllm")


def test_links_are_not_followed(write: Write, tmp_path: Path) -> None:
    root = write()
    data_file = root / "Area" / "Kind" / "inv" / "want.dat"
    data_file.unlink()
    data_file.symlink_to("/etc/passwd")
    with pytest.raises(DatasetError, match="is a link"):
        only_problem(root)


SHARED = Path(__file__).parents[3].parent / "shared" / "data" / "rtllm" / "rtllm_sample.json"


def irregular_contents(content: bytes) -> Iterator[bytes | None]:
    """A file as careless or hostile sets hold it; None where it is missing."""
    yield from (None, b"", b" \r\n\t", b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n"), content * 2)
    yield from (content[: len(content) // 2], content + b"\0", b"\xff\xfe" + content, content.swapcase())
    yield "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in content.decode("utf-8", "replace")).encode()


def write_tree(root: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def test_every_irregular_file_of_a_published_design_is_read_or_refused_with_its_place(
    tmp_path: Path, nightly: bool
) -> None:
    if not SHARED.exists():
        pytest.skip("shared/data/rtllm is not on this machine")
    published_files = {name: text.encode() for name, text in json.loads(SHARED.read_text(encoding="utf-8")).items()}
    designs = sorted({str(Path(name).parent) for name in published_files if "/" in name})
    good = {f"Good/inv/{name}": content.encode() for name, content in DESIGN.items()}
    read_count = refused_count = 0
    for design in designs if nightly else designs[:2]:
        design_files = {name: content for name, content in published_files.items() if str(Path(name).parent) == design}
        for name, content in design_files.items():
            for number, changed_content in enumerate(irregular_contents(content)):
                other_files = {
                    other_name: other_content
                    for other_name, other_content in design_files.items()
                    if other_name != name
                }
                laid_files = other_files | ({} if changed_content is None else {name: changed_content}) | good
                root = write_tree(tmp_path / f"{read_count + refused_count}-{number}", laid_files)
                invalid = InvalidRecords(skip=True)
                problems = import_rtllm([root], "p", invalid).problems
                assert "inv" in {problem.id for problem in problems}
                assert len(problems) + len(invalid.record_errors) == 2
                assert all(error.reason and error.file.is_relative_to(root) for error in invalid.record_errors)
                read_count += not invalid.record_errors
                refused_count += len(invalid.record_errors)
                shutil.rmtree(root)
    assert read_count > 5
    assert refused_count > 5
