"""At random places of generated projects the language server says what slang's elaboration says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..support.designs.generated_ip import ip_project
from ..support.designs.generated_project import generated_project
from ..support.designs.slang_agreement import Agreement, Asking, Sources

SHARED = Path(__file__).resolve().parents[3] / "shared/data/projects"
PLACES = 700
RENAMES = 40


def asking(folder: Path, seed: int, *, file_list: bool) -> Asking:
    project = ip_project(3, seed)
    project.write(folder, file_list=file_list)
    return Asking(Sources(folder, project.listed_files, ["include"]), seed)


def check(agreement: Agreement, expected_count: int) -> None:
    assert agreement.wrong_answers == []
    assert agreement.question_count >= expected_count
    assert agreement.right >= 0.99, agreement.missing


@pytest.mark.parametrize("file_list", [True, False], ids=["list", "folder"])
def test_answers_are_what_slang_elaborates(tmp_path: Path, file_list: bool, nightly: bool) -> None:
    count = PLACES if nightly else PLACES // 10
    for seed in range(10 if nightly else 1):
        inquiry = asking(tmp_path / str(seed), seed, file_list=file_list)
        assert inquiry.oracle.errors == []
        assert inquiry.errors() == []
        name_locations = inquiry.places(count // 10 if nightly else count)
        check(inquiry.definitions(name_locations), len(name_locations))
        check(inquiry.references(name_locations), len(name_locations))
        check(inquiry.compare_hovers(name_locations), len(name_locations) // 3)


@pytest.mark.parametrize("file_list", [True, False], ids=["list", "folder"])
def test_renaming_leaves_the_elaboration_as_it_was(tmp_path: Path, file_list: bool, nightly: bool) -> None:
    inquiry = asking(tmp_path / "rtl", 3, file_list=file_list)
    agreement = inquiry.renames(inquiry.places(RENAMES if nightly else RENAMES // 10), tmp_path / "renamed")
    assert agreement.wrong_answers == []
    # What `.*` connects has to keep its name.
    assert [reason for reason in agreement.refusals if "implicit named port" not in reason] == []
    assert len(agreement.refusals) <= agreement.question_count // 4


def test_the_tree_of_modules_is_answered_alike(tmp_path: Path, nightly: bool) -> None:
    project = generated_project(100 if nightly else 30)
    project.write(tmp_path, file_list=False)
    inquiry = Asking(Sources(tmp_path, project.listed_files, ["include"]))
    name_locations = inquiry.places(PLACES if nightly else PLACES // 10)
    check(inquiry.definitions(name_locations), len(name_locations))
    check(inquiry.references(name_locations[:: len(name_locations) // 20]), 20)


def test_a_wrong_answer_is_noticed(tmp_path: Path) -> None:
    inquiry = asking(tmp_path, 1, file_list=True)
    (location, *_) = inquiry.places(1)
    for means in inquiry.oracle.means.values():
        means.clear()
    assert len(inquiry.definitions([location]).wrong_answers) == 1
    assert len(inquiry.references([location]).wrong_answers) >= 1


def unpacked(name: str, folder: Path) -> Path:
    archive = SHARED / f"{name}.json"
    if not archive.is_file():
        pytest.skip(f"{archive} is not there")
    for path, text in json.loads(archive.read_text()).items():
        target = folder / path
        assert target.resolve().is_relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder


@pytest.mark.nightly
def test_the_uvm_library_is_answered_alike(tmp_path: Path) -> None:
    folder = unpacked("uvm-core", tmp_path)
    (folder / "uvm.f").write_text("+incdir+src\n+define+UVM_NO_DPI\nsrc/uvm_pkg.sv\n")
    inquiry = Asking(Sources(folder, ["src/uvm_pkg.sv"], ["src"], ["UVM_NO_DPI"]))
    assert inquiry.errors() == []
    name_locations = inquiry.places(PLACES)
    check(inquiry.definitions(name_locations), len(name_locations))
