"""The waveform of a failed hidden test in an editor: where the policy shows everything, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types

from ..support.editor.failures import plant_canaries
from ..support.editor.failures import run as run_planted
from ..support.editor.nothing_hidden_leaks import leaks
from ..support.service.bench_service import Service, running_service
from ..support.studies.assignments import sign_in
from ..support.studies.study import begin, foresee, open_task, study_allowing
from .conftest import Editors
from .session import Desk, Editor, reference, wrong

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBLEM = "saturating-counter"


def waveform_files(desk: Desk) -> list[Path]:
    return [path for path in desk.folder.rglob("*") if path.suffix in {".vcd", ".fst"}]


async def failed(editor: Editor, ref: str = f"starter/{PROBLEM}") -> Desk:
    desk = await editor.open_problem(ref)
    await desk.start()
    file = desk.open()
    file.paste(wrong(PROBLEM, "wraps"))
    file.save()
    assert (await desk.verdict(1)).outcome == "failed"
    return desk


async def test_a_failed_hidden_test_opens_at_the_failure_and_leads_to_the_source(editors: Editors) -> None:
    editor = await editors()
    desk = await failed(editor)
    verdict = (await desk.ask("status")).verdict
    assert verdict is not None
    assert verdict.lines is not None
    waveform = await editor.command("hiddenWaveform", uri=desk.uri)
    # Where tests of several simulations have the same name, the verdict's have that of the simulation behind it.
    assert next(line.name for line in verdict.lines if not line.passed).startswith(waveform["test"])
    view = await editor.ask("waveform", uri=waveform["uri"])
    assert view["tops"] == ["sat_counter"]
    assert 0 < waveform["failedAt"] <= view["end"]
    values = await editor.ask(
        "waveformValues",
        uri=waveform["uri"],
        signals=["sat_counter.count", "sat_counter.up"],
        time=waveform["failedAt"],
    )
    # It has wrapped while counting up.
    assert values["values"] == ["h0", "h1"]
    source = await editor.ask("waveformSource", uri=waveform["uri"], signal="sat_counter.count")
    assert source["declared"]["uri"].endswith("/rtl/sat_counter.sv")
    assert (await desk.ask("status")).runs == 1
    aid_uses = [(aid_use.feature, aid_use.outcome) for aid_use in desk.events_of_kind("aid_used")]
    assert aid_uses == [("hidden_waveform", "kept"), ("waveform", "")]


async def test_values_of_an_older_run_are_not_in_the_source_and_its_waveform_is_replaced(editors: Editors) -> None:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.inlay_hint = types.InlayHintClientCapabilities()
    editor = await editors(capabilities=capabilities)
    desk = await failed(editor)
    file = desk.open()

    async def values() -> list[str]:
        whole_file = types.Range(types.Position(0, 0), types.Position(60, 0))
        params = types.InlayHintParams(types.TextDocumentIdentifier(file.uri), whole_file)
        hints = await editor.client.text_document_inlay_hint_async(params)
        return [str(hint.label) for hint in hints or () if str(hint.label).startswith("= ")]

    waveform = await editor.command("hiddenWaveform", uri=desk.uri)
    assert (waveform["run"], (await editor.ask("waveform", uri=waveform["uri"]))["run"]) == (1, 1)
    await editor.ask("waveformCursor", uri=waveform["uri"], time=waveform["failedAt"])
    assert await values()
    file.paste(wrong(PROBLEM, "up-wins"))
    file.save()
    assert (await desk.verdict(2)).outcome == "failed"
    assert await values() == []
    assert (await editor.command("hiddenWaveform", uri=desk.uri))["run"] == 2
    assert [path.name for path in waveform_files(desk)] == ["hidden-tests-run-2.vcd"]


async def test_the_waveform_is_of_the_files_that_failed(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem(f"starter/{PROBLEM}")
    assert "Press Start first" in (await editor.refusal("hiddenWaveform", uri=desk.uri))[1]
    await desk.start()
    assert "have not failed" in (await editor.refusal("hiddenWaveform", uri=desk.uri))[1]
    file = desk.open()
    file.paste(wrong(PROBLEM, "wraps"))
    file.save()
    await desk.verdict(1)
    # Written by another program: no run follows.
    (desk.folder / "rtl/sat_counter.sv").write_text(wrong(PROBLEM, "up-wins"))
    assert "have changed" in (await editor.refusal("hiddenWaveform", uri=desk.uri))[1]
    file.paste(reference(PROBLEM))
    file.save()
    await desk.verdict(2)
    assert "have not failed" in (await editor.refusal("hiddenWaveform", uri=desk.uri))[1]
    assert waveform_files(desk) == []


async def test_all_that_is_hidden_stays_out_of_the_waveform(editors: Editors, tmp_path: Path, home: Path) -> None:
    plant_canaries(tmp_path / "pack", home, "full")
    editor = await editors()
    desk = await run_planted(editor)
    await editor.ask("hiddenWaveform", uri=desk.uri)
    (file,) = waveform_files(desk)
    content = file.read_bytes()
    assert b"$scope module gate $end" in content
    assert not leaks(content)


@pytest.mark.parametrize("reveal", ["verdict", "names", "messages"])
async def test_a_policy_that_hides_anything_has_no_waveform(
    editors: Editors, tmp_path: Path, home: Path, reveal: str
) -> None:
    plant_canaries(tmp_path / "pack", home, reveal)
    editor = await editors()
    desk = await run_planted(editor)
    assert f"policy shows {reveal} only" in (await editor.refusal("hiddenWaveform", uri=desk.uri))[1]
    assert waveform_files(desk) == []


async def test_messages_show_when_a_hidden_test_failed_and_what_it_said(
    editors: Editors, tmp_path: Path, home: Path
) -> None:
    plant_canaries(tmp_path / "pack", home, "messages")
    editor = await editors()
    desk = await run_planted(editor)
    verdict = (await desk.ask("status")).verdict
    assert verdict is not None
    assert verdict.lines is not None
    (failed_line,) = [candidate for candidate in verdict.lines if not candidate.passed]
    assert "zqcanary-message" in (failed_line.message or "")
    # Without a time scale a tick of Icarus Verilog is a second.
    assert failed_line.sim_time == "1,000,000,000 ns"
    assert (await editor.ask("explainFailure", uri=desk.uri))["time"] == failed_line.sim_time
    assert verdict.log is None


async def test_a_condition_that_forbids_waveforms_forbids_this_one(editors: Editors, home: Path) -> None:
    await begin(home, study_allowing("own_tests", study="unseen"))
    editor = await editors()
    await editor.ask("giveConsent", study="unseen", version="2")
    await foresee(editor, "unseen")
    desk = await open_task(editor, "unseen")
    await desk.start()
    assert "does not allow waveforms" in (await editor.refusal("hiddenWaveform", uri=desk.uri))[1]
    assert desk.events_of_kind("aid_used") == []


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(Service(tmp_path_factory.mktemp("service"))) as started:
        yield started


async def test_hidden_tests_at_a_service_leave_no_waveform(editors: Editors, home: Path, service: Service) -> None:
    course = await asyncio.to_thread(service.set_up, problems=(PROBLEM,))
    pack = sign_in(home, service, course)
    editor = await editors()
    desk = await failed(editor, f"{pack}/{PROBLEM}")
    assert "the service, which keeps no waveforms" in (await editor.refusal("hiddenWaveform", uri=desk.uri))[1]
    assert waveform_files(desk) == []
