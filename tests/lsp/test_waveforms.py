"""Waveforms as an editor reads them: real files of real simulators, hostile ones, and what an attempt forbids."""

from __future__ import annotations

import asyncio
import random
import zlib
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ..support.editor.own_tests import COUNTER, WRONG, folder_with, open_own_tests
from ..support.studies.study import begin, foresee, open_task, study_allowing
from .conftest import Editors
from .session import Editor, still_alive

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORBIDDING = study_allowing("own_tests", study="unseen")


async def simulated(editors: Editors, tmp_path: Path, **settings: Any) -> tuple[Editor, Path, str]:
    """A design whose testbench fails, and the waveform of it."""
    folder = folder_with(tmp_path, rtl__counter_sv=WRONG)
    editor = await open_own_tests(editors, folder, **settings)
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tb/tb.sv::tb"], waves=True)
    return editor, folder, answer["runs"][0]["waves"]


async def with_file(editors: Editors, tmp_path: Path, name: str, content: bytes) -> tuple[Editor, str]:
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / name).write_bytes(content)
    return await open_own_tests(editors, folder), (folder / name).as_uri()


def header(*variables: str) -> str:
    variable_lines = "".join(f"$var {variable} $end\n" for variable in variables)
    return f"$timescale 1ns $end\n$scope module top $end\n{variable_lines}$upscope $end\n$enddefinitions $end\n"


def drawn(window: dict[str, Any], path: str) -> list[tuple[int, str | None]]:
    (trace,) = [candidate for candidate in window["traces"] if candidate["path"] == path]
    return list(zip(trace["times"], trace["values"], strict=True))


@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
async def test_a_run_is_read_level_by_level_and_window_by_window(
    editors: Editors, tmp_path: Path, simulator: str
) -> None:
    editor, _, uri = await simulated(editors, tmp_path, simulator=simulator)
    view = await editor.ask("waveform", uri=uri)
    assert (view["format"], view["unit"]) == ("FST", view["unit"])
    answer = await editor.ask("waveformItems", uri=uri, words=["dut", "q"])
    (q,) = [row for row in answer["items"] if row["name"] == "q"]
    assert (q["kind"], q["bits"]) == ("signal", 4)
    assert q["path"].endswith("tb.dut.q")
    scope = q["path"].removesuffix(".dut.q")
    inside = await editor.ask("waveformItems", uri=uri, scope=scope)
    assert {"dut", "clk", "rst_n", "q"} <= {row["name"] for row in inside["items"]}
    page = await editor.ask("waveformItems", uri=uri, scope=scope, offset=1, limit=2)
    assert page == {"items": inside["items"][1:3], "total": inside["total"]}
    window = await editor.ask(
        "waveformWindow", uri=uri, signals=[q["path"], "tb.gone"], start=0, end=view["end"], columns=500
    )
    known_values = [value for _, value in drawn(window, q["path"]) if value is not None and not value.startswith("b")]
    assert known_values[-5:] == ["h0", "h2", "h4", "h6", "h8"]
    assert window["traces"][1]["isMissing"]
    last_time = drawn(window, q["path"])[-1][0]
    values = await editor.ask("waveformValues", uri=uri, signals=[q["path"], "tb.gone"], time=last_time)
    assert values["values"] == ["h8", None]
    previous = await editor.ask("waveformChange", uri=uri, signal=q["path"], time=last_time, forward=False)
    assert previous["value"] == "h6"
    assert await editor.ask("waveformChange", uri=uri, signal=q["path"], time=previous["time"]) == {
        "time": last_time,
        "value": "h8",
        "count": 1,
    }
    first = await editor.ask("waveformChange", uri=uri, signal=q["path"], time=0, value="h4")
    assert (first["value"], first["time"] < previous["time"]) == ("h4", True)
    assert (await editor.ask("waveformChange", uri=uri, signal=q["path"], time=last_time))["time"] is None


@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
async def test_a_signal_leads_to_its_source_and_the_source_to_the_signal(
    editors: Editors, tmp_path: Path, simulator: str
) -> None:
    editor, folder, uri = await simulated(editors, tmp_path, simulator=simulator)
    await editor.ask("waveform", uri=uri)
    (path,) = [row["path"] for row in (await editor.ask("waveformItems", uri=uri, words=["dut.q"]))["items"]]
    source = await editor.ask("waveformSource", uri=uri, signal=path)
    assert source["path"] == "tb.dut.q"
    assert source["declared"]["uri"] == (folder / "rtl/counter.sv").as_uri()
    assert source["declared"]["start"] == {"line": 0, "character": COUNTER.index("q)")}
    cursor_params = {
        "source": source["declared"]["uri"],
        "position": {"line": 1, "character": WRONG.splitlines()[1].index("q <=")},
    }
    assert (await editor.ask("waveformSignal", uri=uri, **cursor_params))["path"] == path
    nowhere = {"source": cursor_params["source"], "position": {"line": 2, "character": 2}}
    assert "Put the cursor on a signal" in (await editor.refusal("waveformSignal", uri=uri, **nowhere))[1]
    assert "was not found" in (await editor.refusal("waveformSource", uri=uri, signal="tb.nothing"))[1]


async def test_a_run_of_cocotb_leads_to_the_same_source(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    editor = await open_own_tests(editors, folder)
    ids = ["tests/test_counter.py::counts/cycles=2"]
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=ids, waves=True)
    uri = answer["runs"][0]["waves"]
    await editor.ask("waveform", uri=uri)
    source = await editor.ask("waveformSource", uri=uri, signal="counter.q")
    assert source["path"] == "tb.dut.q"
    cursor_params = {"source": source["declared"]["uri"], "position": source["declared"]["start"]}
    assert (await editor.ask("waveformSignal", uri=uri, **cursor_params))["path"] == "counter.q"


async def test_values_at_the_cursor_are_in_the_source_until_the_waveform_is_closed(
    editors: Editors, tmp_path: Path
) -> None:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.inlay_hint = types.InlayHintClientCapabilities()
    editor, folder, uri = await simulated(lambda **options: editors(capabilities=capabilities, **options), tmp_path)
    design_file = editor.open(folder / "rtl/counter.sv", WRONG)
    view = await editor.ask("waveform", uri=uri)

    async def labels() -> list[tuple[int, str]]:
        range_end = types.Position(3, 0)
        params = types.InlayHintParams(
            types.TextDocumentIdentifier(design_file.uri), types.Range(types.Position(0, 0), range_end)
        )
        hints = await editor.client.text_document_inlay_hint_async(params)
        return [(hint.position.line, str(hint.label)) for hint in hints or () if str(hint.label).startswith("= ")]

    assert await labels() == []
    await editor.ask("waveformCursor", uri=uri, time=view["end"])
    hint_labels = await labels()
    assert (0, "= 4'h8") in hint_labels
    assert (1, "= 4'h8") in hint_labels
    assert (1, "= 1") in hint_labels
    await editor.ask("closeWaveform", uri=uri)
    assert await labels() == []


async def test_a_file_that_was_written_again_is_read_again(editors: Editors, tmp_path: Path) -> None:
    text = header("wire 1 ! a") + "#0\n0!\n#10\n"
    editor, uri = await with_file(editors, tmp_path, "a.vcd", text.encode())
    assert (await editor.ask("waveform", uri=uri))["end"] == 10
    file = tmp_path / "design/a.vcd"
    file.write_text(text + "#77\n1!\n")
    assert (await editor.ask("waveform", uri=uri))["end"] == 77
    assert (await editor.ask("waveformValues", uri=uri, signals=["top.a"], time=80))["values"] == ["h1"]


async def test_values_of_every_kind_are_told_apart(editors: Editors, tmp_path: Path) -> None:
    text = header("wire 1 ! a", "reg 70 % wide", "real 64 & level", "string 1 ' state") + (
        f"#0\nx!\nb1{'0' * 69} %\nr1.5 &\nsb101 '\n#5\nz!\nb1x %\n"
    )
    editor, uri = await with_file(editors, tmp_path, "a.vcd", text.encode())
    signals = ["top.a", "top.wide", "top.level", "top.state"]
    first = await editor.ask("waveformValues", uri=uri, signals=signals, time=0)
    assert first["values"] == ["bx", f"h{1 << 69:x}", "1.5", '"b101"']
    second = await editor.ask("waveformValues", uri=uri, signals=signals[:2], time=9)
    assert second["values"] == ["bz", f"b{'1x':0>70}"]


async def test_a_window_of_many_changes_has_few_entries_and_loses_no_value(editors: Editors, tmp_path: Path) -> None:
    changes = "".join(f"#{time}\n{time & 1}!\n" for time in range(200_000)) + "#900000\n0!\n#1000000\n"
    editor, uri = await with_file(editors, tmp_path, "a.vcd", (header("wire 1 ! a") + changes).encode())
    window = await editor.ask("waveformWindow", uri=uri, signals=["top.a"], start=0, end=1_000_000, columns=100)
    assert drawn(window, "top.a") == [(0, "h0"), (1, None), (199_999, "h1"), (900_000, "h0")]
    back = await editor.ask("waveformChange", uri=uri, signal="top.a", time=900_000, forward=False, value="h0")
    assert back == {"time": 199_998, "value": "h0", "count": 1}
    onward = {"signal": "top.a", "time": 1000, "value": "h7"}
    assert (await editor.ask("waveformChange", uri=uri, **onward))["time"] is None
    window = await editor.ask("waveformWindow", uri=uri, signals=["top.a"], start=100, end=104, columns=100)
    assert drawn(window, "top.a") == [(time, f"h{time & 1}") for time in range(100, 105)]


async def test_a_signal_drawn_as_a_number_keeps_its_peaks_where_changes_share_a_column(
    editors: Editors, tmp_path: Path
) -> None:
    peaks = {30_000: 127, 60_000: 128, 90_000: 255}
    changes = "".join(f"#{time}\nb{peaks.get(time, 10 + time % 7):b} !\n" for time in range(100_000))
    editor, uri = await with_file(editors, tmp_path, "a.vcd", (header("reg 8 ! a") + changes).encode())
    request = {"signals": ["top.a"], "start": 0, "end": 100_000, "columns": 50}
    window = await editor.ask("waveformWindow", uri=uri, analogue=["top.a"], **request)
    entries = drawn(window, "top.a")
    assert len(entries) <= 5 * 51
    assert entries[-1] == (99_999, f"h{10 + 99_999 % 7:x}")
    assert set(peaks.items()) <= {(time, int((value or "")[1:], 16)) for time, value in entries}
    assert [time for time, _ in entries] == sorted(time for time, _ in entries)


@pytest.mark.parametrize("analogue", [[], ["top.a", "top.b"]])
async def test_signals_that_do_not_change_in_a_window_are_drawn_with_the_value_before_it(
    editors: Editors, tmp_path: Path, analogue: list[str]
) -> None:
    text = header("parameter 8 ! a", "wire 8 % b") + "#0\nb101 !\nb1 %\n#10\nb10 %\n#20\n"
    editor, uri = await with_file(editors, tmp_path, "a.vcd", text.encode())
    request = {"signals": ["top.a", "top.b"], "analogue": analogue, "columns": 50}
    whole = await editor.ask("waveformWindow", uri=uri, start=0, end=20, **request)
    assert (drawn(whole, "top.a"), drawn(whole, "top.b")) == ([(0, "h5")], [(0, "h1"), (10, "h2")])
    late = await editor.ask("waveformWindow", uri=uri, start=12, end=20, **request)
    assert (drawn(late, "top.a"), drawn(late, "top.b")) == ([(0, "h5")], [(10, "h2")])


HOSTILE = {
    "empty.fst": b"",
    "noise.fst": bytes(random.Random(4).randrange(256) for _ in range(20_000)),
    "text.vcd": b"This is no waveform.\n",
    "unfinished.vcd": b"$scope module top $end\n$var wire 1 ! a $e",
    "wrong.vcd": (header("wire 1 ! a") + "#0\n0!\n#zz\nnonsense\n").encode(),
    "huge_width.vcd": (header(f"wire {1 << 40} ! a") + "#0\nb1 !\n").encode(),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", HOSTILE)
async def test_a_file_that_is_no_waveform_is_refused_by_name_and_the_server_goes_on(
    editors: Editors, tmp_path: Path, name: str
) -> None:
    editor, uri = await with_file(editors, tmp_path, name, HOSTILE[name])
    for operation, params in (
        ("waveform", {}),
        ("waveformValues", {"signals": ["top.a"], "time": 0}),
    ):
        try:
            await editor.ask(operation, uri=uri, **params)
        except Exception as error:
            assert name in str(error)
    assert (await editor.ask("packs"))["packs"]


async def test_a_damaged_file_never_ends_the_server(editors: Editors, tmp_path: Path) -> None:
    editor, folder, uri = await simulated(editors, tmp_path)
    sound = Path(uri.removeprefix("file://")).read_bytes()
    chance = random.Random(7)
    for number in range(12):
        damaged = bytearray(sound)
        for _ in range(20):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        file = folder / f"damaged{number}.fst"
        file.write_bytes(damaged if number % 2 else sound[: chance.randrange(1, len(sound))])
        for operation, params in (
            ("waveform", {}),
            ("waveformItems", {"words": ["q"]}),
            ("waveformValues", {"signals": ["tb.dut.q"], "time": 20}),
        ):
            try:
                await editor.ask(operation, uri=file.as_uri(), **params)
            except Exception as error:
                assert "damaged" in str(error), error
    assert (await editor.ask("waveform", uri=uri))["end"] > 0


async def test_a_bomb_is_stopped_at_the_limit_of_memory(editors: Editors, tmp_path: Path) -> None:
    packer = zlib.compressobj(1, wbits=-15)
    deflate_block = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = bytes([31, 139, 8, 0, 0, 0, 0, 0, 0, 255]) + deflate_block * 512
    # A block of type 254 is a whole file, compressed by gzip (GTKWave's `fstapi.c`, `FST_BL_ZWRAPPER`).
    content = bytes([254]) + (len(packed) + 16).to_bytes(8, "big") + (8 << 30).to_bytes(8, "big") + packed
    editor, uri = await with_file(editors, tmp_path, "bomb.fst", content)
    _, message = await editor.refusal("waveform", uri=uri)
    assert "bomb.fst can't be read" in message
    assert (await editor.ask("packs"))["packs"]


async def test_reading_that_takes_long_is_cancelled_by_its_progress_and_begins_again(
    editors: Editors, tmp_path: Path
) -> None:
    text = header("wire 1 ! a") + "#0\n" + "1!\n0!\n" * 4_000_000 + "#9\n1!\n"
    editor, uri = await with_file(editors, tmp_path, "long.vcd", text.encode())
    await editor.ask("waveform", uri=uri)
    (reader_process,) = [
        process
        for process in psutil.Process(editor.process.pid).children()
        if "long.vcd" in " ".join(process.cmdline())
    ]
    # As on a slow machine.
    reader_process.suspend()
    asking = asyncio.create_task(editor.ask("waveformValues", uri=uri, signals=["top.a"], time=9))

    def begun() -> list[types.ProgressToken]:
        return [token for token, value in editor.screen.progress if value.get("title") == "Waveform"]

    await editor.wait_until(lambda: bool(begun()), "the progress")
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(begun()[0]))
    with pytest.raises(JsonRpcException, match=r"long\.vcd was closed\. Open it again"):
        await asking
    assert still_alive([reader_process]) == []
    assert (await editor.ask("waveformValues", uri=uri, signals=["top.a"], time=9))["values"] == ["h1"]


async def test_a_hundred_thousand_signals_are_paged_and_searched(editors: Editors, tmp_path: Path) -> None:
    scope_lines = "".join(
        f"$scope module u{block} $end\n"
        + "".join(f"$var wire 1 i{block * 100 + number} s{number} $end\n" for number in range(100))
        + "$upscope $end\n"
        for block in range(1000)
    )
    text = f"$scope module top $end\n{scope_lines}$upscope $end\n$enddefinitions $end\n#0\n1i5\n#9\n"
    editor, uri = await with_file(editors, tmp_path, "many.vcd", text.encode())
    await editor.ask("waveform", uri=uri)
    page = await editor.ask("waveformItems", uri=uri, scope="top", limit=20)
    assert (page["total"], [row["name"] for row in page["items"][:3]]) == (1000, ["u0", "u1", "u2"])
    answer = await editor.ask("waveformItems", uri=uri, words=["U77.", "s5"], limit=500)
    assert (answer["total"], answer["items"][0]["path"]) == (11, "top.u77.s5")


async def test_only_files_of_an_open_folder_are_read(editors: Editors, tmp_path: Path) -> None:
    text = (header("wire 1 ! a") + "#0\n0!\n").encode()
    outside = tmp_path / "outside.vcd"
    outside.write_bytes(text)
    editor, uri = await with_file(editors, tmp_path, "in.vcd", text)
    link = tmp_path / "design/link.vcd"
    link.symlink_to(outside)
    (tmp_path / "design/notes.txt").write_bytes(text)
    for path, message in (
        (outside, "in no open folder"),
        (link, "leads out of design"),
        (tmp_path / "design/notes.txt", "is no waveform"),
        (tmp_path / "design/gone.vcd", "There is no file gone.vcd"),
    ):
        assert message in (await editor.refusal("waveform", uri=path.as_uri()))[1]
    assert "computer" in (await editor.refusal("waveform", uri="untitled:a.vcd"))[1]
    _, message = await editor.refusal("waveformWindow", uri=uri, signals=["top.a"], start=5, end=5, columns=10)
    assert "not after its start" in message
    params = {"signals": ["top.a"] * 65, "start": 0, "end": 9, "columns": 10}
    assert "at most 64 signals" in (await editor.refusal("waveformWindow", uri=uri, **params))[1]


async def test_each_opening_in_an_attempt_is_an_event(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.folder / "a.vcd"
    file.write_text(header("wire 1 ! a") + "#0\n0!\n")
    assert "Press Start first" in (await editor.refusal("waveform", uri=file.as_uri()))[1]
    await desk.start()
    await editor.ask("waveform", uri=file.as_uri())
    await editor.ask("waveformValues", uri=file.as_uri(), signals=["top.a"], time=0)
    (event,) = desk.events_of_kind("aid_used")
    assert (event.aid, event.feature, event.path, event.detail) == ("waveforms", "waveform", "a.vcd", "a.vcd")


async def test_a_condition_that_forbids_waveforms_refuses_them_all(editors: Editors, home: Path) -> None:
    await begin(home, FORBIDDING)
    editor = await editors()
    await editor.ask("giveConsent", study="unseen", version="2")
    await foresee(editor, "unseen")
    desk = await open_task(editor, "unseen")
    await desk.start()
    file = desk.folder / "a.vcd"
    file.write_text(header("wire 1 ! a") + "#0\n0!\n")
    parent_folder = types.WorkspaceFolder(desk.folder.parent.as_uri(), "above")
    change = types.WorkspaceFoldersChangeEvent([parent_folder], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))
    position = {"line": 0, "character": 0}
    for operation, params in (
        ("waveform", {}),
        ("waveformItems", {}),
        ("waveformWindow", {"signals": ["top.a"], "start": 0, "end": 9, "columns": 9}),
        ("waveformValues", {"signals": ["top.a"], "time": 0}),
        ("waveformChange", {"signal": "top.a", "time": 0}),
        ("waveformSource", {"signal": "top.a"}),
        ("waveformSignal", {"source": desk.uri, "position": position}),
        ("waveformCursor", {"time": 0}),
    ):
        assert "does not allow waveforms" in (await editor.refusal(operation, uri=file.as_uri(), **params))[1], (
            operation
        )
    _, message = await editor.refusal("runOwnTests", uri=desk.folder.as_uri(), waves=True)
    assert "does not allow waveforms" in message
    assert desk.events_of_kind("aid_used") == []
