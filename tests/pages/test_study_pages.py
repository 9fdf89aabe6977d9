"""The pages about studies, clusters and Docker."""

from __future__ import annotations

import asyncio
import json
import tomllib

import pytest
import yaml

from ..lsp.session import Desk, Editor
from ..support.packs.import_pages import CVDP
from ..support.studies.study import ask, foresee
from .page import blocks
from .walk import Reader, Walk

pytestmark = pytest.mark.long

STUDY = "copilot-2026"
LAB = "docs/how-to/run-a-lab.md"
DESIGN = f"cvdp/{CVDP['id']}"


def _go_to(page_reader: Reader, machine: str) -> None:
    """Everybody has a machine of their own."""
    page_reader.environment["BENCHWRIGHT_HOME"] = str(page_reader.folder / machine)


def _begin(page_reader: Reader) -> None:
    _go_to(page_reader, "lab")
    page_reader.words |= {
        "/srv/share/copilot-2026": str(page_reader.folder / "share"),
        " /media/stick/P04": "",
        "/media/stick": str(page_reader.folder / "stick"),
        # A terminal would be asked.
        "study close copilot-2026": "study close copilot-2026 --yes",
    }


def _fill_in(page_reader: Reader) -> None:
    file = page_reader.folder / STUDY / "study.yaml"
    text = file.read_text(encoding="utf-8")
    for mark in ("<NAME AND INSTITUTION>", "<PURPOSE>", "<CONTACT>"):
        text = text.replace(mark, "Ada")
    file.write_text(text.replace("to: nowhere", f"to: {page_reader.folder / 'share'}"), encoding="utf-8")
    settings_file = page_reader.home.state / "editor" / "User" / "settings.json"
    settings_file.parent.mkdir(parents=True, exist_ok=True)
    assistant_settings = {"enabled": True, "url": "http://127.0.0.1:9/v1", "model": "m"}
    settings_file.write_text(
        json.dumps({f"benchwright.assistant.{key}": value for key, value in assistant_settings.items()})
    )


def _fill_in_kit(page_reader: Reader) -> None:
    file = page_reader.folder / "baseline-2026" / "study.yaml"
    text = file.read_text(encoding="utf-8")
    for mark in ("<NAME AND INSTITUTION>", "<PURPOSE>", "<CONTACT>"):
        text = text.replace(mark, "Ada")
    file.write_text(text, encoding="utf-8")


def _hand_out(page_reader: Reader) -> None:
    file = page_reader.folder / STUDY / "registered/participants/P03.json"
    page_reader.write("P03.json", file.read_text(encoding="utf-8"))
    _go_to(page_reader, "mine")


def _on_the_service(page_reader: Reader) -> None:
    text = (page_reader.folder / STUDY / "study.yaml").read_text(encoding="utf-8")
    page_reader.write("hosted.yaml", text.replace(f"to: {page_reader.folder / 'share'}", "to: service"))
    page_reader.words[f"lab open {STUDY}/study.yaml"] = "lab open hosted.yaml"
    _go_to(page_reader, "service")


def _study_for_a_service(page_reader: Reader) -> None:
    _go_to(page_reader, "service")
    page_reader.run(f"benchwright study init {STUDY}")
    _fill_in(page_reader)
    file = page_reader.folder / STUDY / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(f"to: {page_reader.folder / 'share'}", "to: service"))


def _nobody_has_begun(page_reader: Reader) -> None:
    assert "16 free" in page_reader.last_output


def _on_a_second_machine(page_reader: Reader) -> None:
    _go_to(page_reader, "second")
    page_reader.run("benchwright study run P03.json")
    page_reader.typed["study delete"] = "y\n"


def _take_part(page_reader: Reader) -> None:
    _go_to(page_reader, "mine")

    async def take_part() -> str:
        async with asyncio.timeout(300):
            editor = await Editor.start(page_reader.folder / "mine")
            await editor.ask("giveConsent", study=STUDY, version="1")
            practice = Desk(editor, await ask(editor, "openTask", study=STUDY))
            await practice.ask("abandon")
            await foresee(editor, STUDY)
            desk = Desk(editor, await ask(editor, "openTask", study=STUDY))
            await desk.start()
            await desk.ask("abandon")
            await editor.quit()
            assert desk.attempt
            return desk.attempt

    page_reader.words["ATTEMPT"] = asyncio.run(take_part())


def _a_problem(page_reader: Reader) -> None:
    page_reader.write("set.jsonl", json.dumps(CVDP) + "\n")
    page_reader.run("benchwright problems import cvdp set.jsonl --pack cvdp")
    for path, text in CVDP["output"]["context"].items():
        page_reader.write(f"mine/{path}", text)
    # One problem instead of the whole pack.
    page_reader.words |= {"check starter": "check cvdp", "PACK/PROBLEM": DESIGN, "DIR": "mine"}


WALKS = {
    "docs/how-to/run-a-study.md": Walk(
        _begin,
        steps_before={
            "documents/recruitment.md": _fill_in_kit,
            "study validate": _fill_in,
            "study run P03.json": _hand_out,
            "lab open": _on_the_service,
            "study delete": _on_a_second_machine,
            "study progress": _take_part,
            "study collect": lambda page_reader: _go_to(page_reader, "lab"),
        },
        steps_after={"BENCHWRIGHT_LOG": lambda page_reader: _go_to(page_reader, "mine")},
        not_run={"benchwright login": "tests/integration/test_conducted_study.py has participants of its own"},
    ),
    LAB: Walk(
        _study_for_a_service,
        steps_after={"lab status": _nobody_has_begun},
        not_run=dict.fromkeys(
            ("/watch", "/report"), "tests/integration/test_lab_monitor.py has participants of its own"
        )
        | {"benchwright eval": "tests/integration/test_models_at_service.py has a model of its own"},
    ),
    "docs/how-to/class-in-a-browser.md": Walk(
        not_run=dict.fromkeys(
            ("./run --setup", "course create", "benchwright serve", "CLASS_COURSE"),
            "tests/integration/test_browser_class.py does it with accounts of its own",
        )
    ),
    "docs/how-to/cluster.md": Walk(
        not_run={"--cluster slurm": "tests/integration/test_cluster.py runs it on a Slurm of its own"}
    ),
    "docs/how-to/docker.md": Walk(
        _a_problem,
        not_run={"VERIF_EDA_IMAGE=": "needs a licensed simulator; tests/integration/test_docker.py has one of its own"},
    ),
}


@pytest.mark.nightly
def test_a_study_goes_from_nothing_to_a_report(reader: Reader) -> None:
    page = "docs/how-to/run-a-study.md"
    WALKS[page].go(page, reader)


def test_a_study_is_opened_at_a_service_and_watched(reader: Reader) -> None:
    WALKS[LAB].go(LAB, reader)


def test_hidden_tests_run_in_docker(reader: Reader, docker_host: str) -> None:
    page = "docs/how-to/docker.md"
    reader.environment["DOCKER_HOST"] = docker_host
    WALKS[page].go(page, reader)


def test_the_cluster_settings_of_the_page_are_known() -> None:
    page = "docs/how-to/cluster.md"
    (options,) = [tomllib.loads(block.text) for block in blocks(page) if block.language == "toml"]
    (dask,) = [yaml.safe_load(block.text) for block in blocks(page) if block.language == "yaml"]
    assert options and dask
