import assert from "node:assert/strict";
import { test } from "node:test";
import { keptLayout, moved, newLayout, panned, sharedScope, turned, visibleRows, withMarker, withSignal, zoomed, type Row } from "../../src/design/waveformLayout.ts";
import { possibleSignalNames, rulerTimes, searchedValue, ticksOfNs, timeText, valueNumber, valueText } from "../../src/design/waveformText.ts";

const NS = { tick: 1, unit: "ns" };
const PS = { tick: 10, unit: "ps" };

test("a value is written in each radix, with all its digits", () => {
  assert.equal(valueText("h1f", 12, "hex"), "01f");
  assert.equal(valueText("h1f", 6, "binary"), "011111");
  assert.equal(valueText("hf", 4, "signed"), "-1");
  assert.equal(valueText("hf", 4, "unsigned"), "15");
  assert.equal(valueText("h1", 1, "hex"), "1");
});

test("unknown bits stay in sight: x or z of a whole digit, X of a part", () => {
  assert.equal(valueText("b1x0zxxxxzzzz", 13, "hex"), "0Xxz");
  assert.equal(valueText("b1x0z", 4, "binary"), "1x0z");
  assert.equal(valueText("bx", 8, "hex"), "xx");
});

test("text and real numbers are no bits", () => {
  assert.equal(valueText('"b101"', null, "hex"), "b101");
  assert.equal(valueText("1.5", null, "hex"), "1.5");
  assert.equal(valueText(null, 4, "hex"), "");
});

test("a failure's time is in ticks of its file, if that says how long they are", () => {
  assert.equal(ticksOfNs(30.5, PS), 3050);
  assert.equal(ticksOfNs(30, NS), 30);
  assert.equal(ticksOfNs(2000, { tick: 1, unit: "us" }), 2);
  assert.equal(ticksOfNs(30, { tick: 1, unit: "unknown" }), null);
});

test("a failed line may name each signal once", () => {
  assert.deepEqual(possibleSignalNames("    assert dut.level.value == dut.level_q.value, 'level'"), ["assert", "dut", "level", "value", "level_q"]);
});

test("a time has the largest unit that needs no long fraction", () => {
  assert.equal(timeText(0, NS), "0");
  assert.equal(timeText(45, NS), "45 ns");
  assert.equal(timeText(1500, NS), "1.5 us");
  assert.equal(timeText(123456, PS), "1234.56 ns");
});

test("the ruler has round times", () => {
  assert.deepEqual(rulerTimes(0, 52, 3), [0, 20, 40]);
  assert.deepEqual(rulerTimes(7, 9, 10), [7, 8, 9]);
});

const ROWS: readonly Row[] = [
  { kind: "signal", path: "t.a", bits: 1, radix: "hex" },
  { kind: "group", name: "Group 1", isOpen: false },
  { kind: "signal", path: "t.b", bits: 4, radix: "hex" },
];

test("rows of a closed group are not shown, a signal is added once, and rows move", () => {
  assert.deepEqual(visibleRows(ROWS).map(({ number }) => number), [0, 1]);
  assert.equal(withSignal(ROWS, "t.b", 4, 0), ROWS);
  assert.deepEqual(withSignal(ROWS, "t.c", 2, 0)[1], { kind: "signal", path: "t.c", bits: 2, radix: "hex" });
  assert.deepEqual(moved(ROWS, 2, 0)[0], ROWS[2]);
  assert.equal(moved(ROWS, 0, -1), ROWS);
  assert.deepEqual(turned({ kind: "signal", path: "t.a", bits: 1, radix: "binary" }), ROWS[0]);
});

test("zooming keeps the time below the cursor in place, and nothing leaves the waveform", () => {
  assert.deepEqual(zoomed({ start: 0, end: 100 }, 50, 0.5, 100), { start: 25, end: 75 });
  assert.deepEqual(zoomed({ start: 25, end: 75 }, 50, 10, 100), { start: 0, end: 100 });
  assert.deepEqual(panned({ start: 50, end: 100 }, 40, 100), { start: 50, end: 100 });
});

test("a layout that was kept is used as far as it fits", () => {
  const kept = { rows: ROWS, cursors: [5, null], markers: [{ name: "begin", time: 7 }], isWide: true, start: 900, end: 1000 };
  assert.deepEqual(keptLayout(kept, 50), { ...kept, start: 0, end: 50 });
  assert.deepEqual(keptLayout(kept, 2000), kept);
  assert.deepEqual(keptLayout({ rows: [] }, 50), { ...newLayout(50), cursors: [null, null] });
  assert.equal(keptLayout("nonsense", 50), undefined);
});

test("a marker has the lowest number that is free, and a time has one", () => {
  const markers = withMarker(withMarker([{ name: "2", time: 40 }], 60), 20);
  assert.deepEqual(markers, [{ name: "3", time: 20 }, { name: "2", time: 40 }, { name: "1", time: 60 }]);
  assert.equal(withMarker(markers, 40), markers);
});

test("a value is searched for as it is written in the radix of the signal, or in Verilog's own", () => {
  const searched = (text: string, radix: "hex" | "signed" | "unsigned" | "binary") => searchedValue(text, 8, radix);
  assert.deepEqual(["1f", "0x1F", "8'd31", "x", "1x", "1ff", "q", ""].map((text) => searched(text, "hex")), [
    ...["h1f", "h1f", "h1f", "bxxxxxxxx", "b0001xxxx"],
    ...[undefined, undefined, undefined],
  ]);
  assert.deepEqual(["-1", "255", "256", "1f"].map((text) => searched(text, "signed")), ["hff", "hff", undefined, undefined]);
  assert.deepEqual(["101", "2", "4'hz"].map((text) => searched(text, "binary")), ["h5", undefined, "bzzzzzzzz"]);
  assert.deepEqual(["1.5", "2", "idle"].map((text) => searchedValue(text, null, "hex")), ["1.5", "2.0", '"idle"']);
});

test("a curve has the number of each value whose bits are known", () => {
  const number = (value: string | null) => valueNumber(value, 8, "signed");
  assert.deepEqual(["hff", "h7f", "1.5", "bxx", '"idle"', null].map(number), [-1, 127, 1.5, undefined, undefined, undefined]);
  assert.equal(valueNumber("hff", 8, "hex"), 255);
});

test("signals are shown without the scope that all of them are in", () => {
  const rows = (...paths: string[]): Row[] => paths.map((path) => ({ kind: "signal", path, bits: 1, radix: "hex" }));
  assert.equal(sharedScope(rows("tb.dut.a", "tb.dut.b", "tb.dut.part.c")), "tb.dut");
  assert.equal(sharedScope(rows("tb.a", "tb.ab.c")), "tb");
  assert.equal(sharedScope(rows("a", "tb.b")), "");
  assert.equal(sharedScope([{ kind: "group", name: "g", isOpen: true }]), "");
});
