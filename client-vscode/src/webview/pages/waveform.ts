import { t } from "@vscode/l10n";
import type { WaveformTrace, WaveformView } from "../../generated/protocol.ts";
import {
  keptLayout,
  moved,
  newLayout,
  panned,
  sharedScope,
  turned,
  visibleRows,
  withMarker,
  withSignal,
  without,
  zoomed,
  type Layout,
  type Row,
  type SignalRow,
} from "../../design/waveformLayout.ts";
import { searchedValue, timeText, valueText } from "../../design/waveformText.ts";
import { connect } from "../connection.ts";
import { element, emptyState, iconButton, keepFocus, main } from "../elements.ts";
import { markerTable } from "../waveMarkers.ts";
import { followPointer } from "../wavePointer.ts";
import { valueTable, type CursorValues } from "../waveTable.ts";
import { drawRuler, drawTrace, themeColours } from "../waveDrawing.ts";
import { signalChooser } from "../waveHierarchy.ts";
import { HELP, onKey } from "../waveKeys.ts";
import { asking, inTurn, type Asked } from "../waveRequests.ts";

export type ToWaveform =
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "opened"; readonly view: WaveformView; readonly layout: unknown; readonly time: number | null; readonly names: readonly string[] }
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "answer"; readonly number: number; readonly result?: unknown; readonly failure?: string }
  | { readonly type: "add"; readonly path: string };

export type FromWaveform =
  | Asked
  | { readonly type: "layout"; readonly layout: Layout }
  | { readonly type: "cursor"; readonly time: number | null }
  | { readonly type: "source"; readonly path: string };

const MOST_COLUMNS = 4096;
const MOST_AT_ONCE = 64;
const FIRST_SHOWN = 12;
const QUIET_MS = 120;
const SLOW_MS = 700;
const READING = t("Reading values …");
const RADIX_NAMES = { hex: t("hexadecimal"), unsigned: t("unsigned"), signed: t("signed"), binary: t("binary") } as const;
let view: WaveformView | undefined;
let layout: Layout = newLayout(0);
let isOpen = false;
let selected = 0;
let traces = new Map<string, WaveformTrace>();
/** Why requests failed last, by their kind. */
const failures = new Map<string, string>();
let values: readonly [CursorValues, CursorValues] = [new Map(), new Map()];
let saving: ReturnType<typeof setTimeout> | undefined;
let telling: ReturnType<typeof setTimeout> | undefined;

const status = element("p", { role: "status", class: "wave-status" }, t("Loading …"));
const failure = element("p", { class: "headline error", role: "alert" });
const title = element("h1");
/** That the file is of an older run; empty if it is not. */
const note = element("p", { role: "status" });
/** Scope of all signals that are shown. */
const scopeName = element("span");
const facts = element("p", { class: "policy" });
const ruler = element("canvas", { class: "wave-ruler", "aria-hidden": "true" });
const list = element("div", { class: "wave-rows", role: "listbox", tabindex: "0", "aria-label": t("Signals"), "aria-describedby": "wave-keys" });
/** Both cursors and the time between them. */
const readout = element("output", { class: "wave-readout" });
const cursorTable = element("table", { class: "plain" });
const markerPlace = element("div");
const sought = element("input", { type: "search", size: "10", "aria-label": t("Value to find"), placeholder: t("Value") });
const hierarchy = iconButton("hierarchy", t("Hierarchy of signals"), () => change({ isWide: !layout.isWide }));
const analogue = iconButton("analogue", t("Draw Numbers as a Curve"), () => turnAnalogue());
const toolbar = element(
  "div",
  { class: "actions", role: "group", "aria-label": t("Waveform") },
  hierarchy,
  iconButton("zoomIn", t("Zoom In"), () => zoom(0.5)),
  iconButton("zoomOut", t("Zoom Out"), () => zoom(2)),
  iconButton("fit", t("Show All"), () => showAll()),
  iconButton("secondCursor", t("Second Cursor Here"), () => setCursors(layout.cursors[0], layout.cursors[0])),
  iconButton("marker", t("Marker Here"), () => putMarker()),
  analogue,
  iconButton("group", t("New Group"), () => addGroup()),
  iconButton("previous", t("Previous Change"), () => void toChange(false)),
  sought,
  iconButton("next", t("Next Change"), () => void toChange(true)),
);

const send = connect<ToWaveform, FromWaveform>(receive);
const { ask, answered } = asking((message) => send(message));
const chooser = signalChooser(ask, (item) => add(item.path, item.bits), (text) => (status.textContent = text));
const foldedPart = (name: string, content: Node) => element("details", {}, element("summary", {}, name), content);
const body = element(
  "div",
  { class: "waves" },
  chooser.root,
  element(
    "div",
    { class: "wave-main" },
    element("div", { class: "wave-head" }, element("span", {}, t("Signal"), scopeName), element("span", {}, t("Value")), ruler),
    list,
    element(
      "div",
      { class: "wave-foot" },
      foldedPart(t("Markers"), markerPlace),
      foldedPart(t("Values at the cursors"), cursorTable),
      foldedPart(t("Keys"), element("p", { class: "policy", id: "wave-keys" }, HELP)),
      facts,
    ),
  ),
);
body.hidden = toolbar.hidden = true;
main().classList.add("wave-page");
main().append(element("header", { class: "wave-title" }, title, toolbar, readout, note, status), failure, body);
keepFocus(() => list);

function receive(message: ToWaveform): void {
  switch (message.type) {
    case "opened":
      open(message);
      break;
    case "failed":
      failure.textContent = message.reason;
      status.textContent = "";
      body.hidden = toolbar.hidden = true;
      break;
    case "note":
      note.textContent = message.text;
      break;
    case "answer":
      answered(message);
      break;
    case "add":
      void addByPath(message.path);
  }
}

/** Shows a file; one that was written again with what the person sees now. */
function open(message: Extract<ToWaveform, { type: "opened" }>): void {
  view = message.view;
  const last = Math.max(2, view.end);
  const kept = keptLayout(isOpen ? layout : message.layout, last);
  isOpen = true;
  layout = kept ?? newLayout(last);
  title.textContent = view.run === null ? view.name : t("Hidden tests, run {0}", view.run);
  const writtenBy = view.writtenBy && t("written by {0}", view.writtenBy);
  facts.textContent = [view.format, t("ends at {0}", timeText(view.end, view)), writtenBy].filter(Boolean).join(" · ");
  failures.clear();
  failure.textContent = "";
  status.textContent = "";
  body.hidden = toolbar.hidden = false;
  traces = new Map();
  chooser.show(view.tops);
  writeMarkers();
  if (kept) rebuild();
  void (kept ? Promise.resolve() : showFirst(view.tops)).then(() => addOfTops(message.names));
  if (message.time !== null) showTime(message.time);
}

/** Adds those signals of the outermost scopes that have one of some names. */
async function addOfTops(names: readonly string[]): Promise<void> {
  for (const top of view?.tops ?? []) for (const name of names) await addByPath(`${top}.${name}`);
}

/** Without a layout of the person's, what the outermost scopes have themselves. */
async function showFirst(tops: readonly string[]): Promise<void> {
  const found = await tried("waveformItems", Promise.all(tops.slice(0, 4).map((scope) => ask("waveformItems", { scope, limit: 100 }))));
  const signals = (found ?? []).flatMap(({ items }) => items.filter(({ kind }) => kind === "signal"));
  for (const { path, bits } of signals.slice(0, FIRST_SHOWN)) layout = { ...layout, rows: withSignal(layout.rows, path, bits, -1) };
  rebuild();
}

/** Shows why a request fails, until a request of its kind succeeds: others may go on working. */
async function tried<T>(kind: string, work: Promise<T>): Promise<T | undefined> {
  try {
    const result = await work;
    failures.delete(kind);
    return result;
  } catch (error) {
    failures.set(kind, error instanceof Error ? error.message : String(error));
    return undefined;
  } finally {
    failure.textContent = [...new Set(failures.values())].join(" ");
  }
}

async function addByPath(path: string): Promise<void> {
  const name = path.toLowerCase();
  const found = await tried("waveformItems", ask("waveformItems", { words: [name], limit: 100 }));
  const item = found?.items.find((one) => one.path === path);
  if (item) add(item.path, item.bits);
}

function add(path: string, bits: number | null): void {
  const rows = withSignal(layout.rows, path, bits, layout.rows.length === 0 ? -1 : selected);
  const at = rows.findIndex((row) => row.kind === "signal" && row.path === path);
  status.textContent = rows === layout.rows ? t("{0} is shown already.", path) : t("{0} was added.", path);
  change({ rows }, at);
}

function change(part: Partial<Layout>, select = selected): void {
  layout = { ...layout, ...part };
  selected = Math.max(0, Math.min(select, layout.rows.length - 1));
  if (part.rows) rebuild();
  else draw();
  if (part.end !== undefined) void fetchTraces();
  if (part.cursors || part.markers) writeMarkers();
  save();
}

function save(): void {
  clearTimeout(saving);
  saving = setTimeout(() => send({ type: "layout", layout }), QUIET_MS);
}

// What is drawn

function rebuild(): void {
  const scope = sharedScope(layout.rows);
  scopeName.textContent = scope && ` (${scope})`;
  const signals = layout.rows.filter((row) => row.kind === "signal");
  const widest = (letters: number[], least: number) => `${Math.max(least, ...letters) + 2}ch`;
  body.style.setProperty("--wave-names", widest(signals.map(({ path }) => path.length - scope.length), 12));
  body.style.setProperty("--wave-values", widest(signals.map(({ bits, radix }) => valueLength(bits ?? 32, radix)), 6));
  const rows = visibleRows(layout.rows).map(({ row, number }) => rowElement(row, number, scope));
  list.replaceChildren(...rows);
  if (rows.length === 0) list.append(emptyState(t("Choose signals in the hierarchy to show them; the first button shows it.")));
  draw();
  void fetchTraces();
  void fetchValues();
}

/** Characters of a value at most. */
function valueLength(bits: number, radix: SignalRow["radix"]): number {
  return radix === "binary" ? bits : Math.ceil(bits / (radix === "hex" ? 4 : 3.3)) + 1;
}

function rowElement(row: Row, number: number, scope: string): HTMLElement {
  const made = element("div", { class: `wave-row ${row.kind}${row.kind === "signal" && row.isAnalogue ? " analogue" : ""}`, role: "option", id: `row-${number}`, "aria-selected": "false", "data-number": String(number) });
  if (row.kind === "group") made.append(element("span", {}, `${row.isOpen ? "▾" : "▸"} ${row.name}`));
  else {
    made.append(signalName(row.path, scope), element("span", { class: "wave-value" }), element("canvas", { "aria-hidden": "true" }));
  }
  made.addEventListener("click", () => change({}, number));
  made.addEventListener("dblclick", () => (row.kind === "group" ? change({ rows: replaced(number, turned(row)) }) : send({ type: "source", path: row.path })));
  return made;
}

/** A signal's name without the scope of all that are shown, which is read to those who don't see it. */
function signalName(path: string, scope: string): HTMLElement {
  const isInScope = scope !== "" && path.startsWith(`${scope}.`);
  const start = isInScope ? scope.length + 1 : 0;
  return element("span", { title: path }, element("span", { class: "wave-scope" }, path.slice(0, start)), path.slice(start));
}

function replaced(number: number, row: Row): readonly Row[] {
  return layout.rows.map((one, at) => (at === number ? row : one));
}

function draw(): void {
  drawAll();
  writeValues();
}

function drawAll(): void {
  if (!view) return;
  const colours = themeColours();
  drawRuler(ruler, layout, view, colours);
  for (const made of list.querySelectorAll<HTMLElement>(".wave-row")) {
    const row = layout.rows[Number(made.dataset.number)];
    const canvas = made.querySelector("canvas");
    if (row?.kind === "signal" && canvas) drawTrace(canvas, traces.get(row.path), row, layout, colours);
  }
}

function shownSignals(): SignalRow[] {
  return visibleRows(layout.rows).flatMap(({ row }) => (row.kind === "signal" ? [row] : []));
}

/** Asks for what is in sight and as much on each side, so that what is scrolled to is there already. */
const fetchTraces = inTurn(async () => {
  if (!view) return;
  const waiting = setTimeout(() => (status.textContent = READING), SLOW_MS);
  const length = layout.end - layout.start;
  const start = Math.max(0, Math.floor(layout.start - length));
  const end = Math.max(start + 1, Math.min(view.end, Math.ceil(layout.end + length)));
  const columns = Math.max(1, Math.min(MOST_COLUMNS, Math.round((Math.max(ruler.clientWidth, 100) * (end - start)) / length)));
  const fresh = new Map<string, WaveformTrace>();
  for (let at = 0, all = shownSignals(); at < all.length; at += MOST_AT_ONCE) {
    const asked = all.slice(at, at + MOST_AT_ONCE);
    const [signals, numbers] = [asked, asked.filter(({ isAnalogue }) => isAnalogue)].map((rows) => rows.map(({ path }) => path));
    const found = await tried("waveformWindow", ask("waveformWindow", { signals: signals ?? [], analogue: numbers ?? [], start, end, columns }));
    for (const trace of found?.traces ?? []) fresh.set(trace.path, trace);
  }
  traces = fresh;
  draw();
  clearTimeout(waiting);
  if (status.textContent === READING) status.textContent = "";
});

const fetchValues = inTurn(async () => {
  const signals = shownSignals().map(({ path }) => path);
  const at = async (time: number | null) => {
    if (time === null || signals.length === 0) return new Map<string, string | null>();
    const found = await tried("waveformValues", ask("waveformValues", { signals: signals.slice(0, 500), time }));
    return new Map(signals.map((path, number) => [path, found?.values[number] ?? null]));
  };
  const [first, second] = layout.cursors;
  values = [await at(first), await at(second)];
  writeValues();
});

function writeValues(): void {
  if (!view) return;
  const scale = view;
  for (const made of list.querySelectorAll<HTMLElement>(".wave-row")) {
    const number = Number(made.dataset.number);
    const row = layout.rows[number];
    made.setAttribute("aria-selected", String(number === selected));
    if (row?.kind !== "signal") continue;
    const isMissing = traces.get(row.path)?.isMissing ?? false;
    const text = isMissing ? t("not in the file") : valueText(values[0].get(row.path) ?? null, row.bits, row.radix);
    const place = made.querySelector(".wave-value");
    if (place) place.textContent = text;
  }
  list.setAttribute("aria-activedescendant", layout.rows.length > 0 ? `row-${selected}` : "");
  cursorTable.replaceChildren(...valueTable(layout, values, scale));
  const [first, second] = layout.cursors;
  const parts = [first !== null && t("Cursor: {0}", timeText(first, scale))];
  if (second !== null) parts.push(t("Second: {0}", timeText(second, scale)), first !== null && t("Difference: {0}", timeText(Math.abs(first - second), scale)));
  readout.textContent = parts.filter(Boolean).join(" · ");
  const row = layout.rows[selected];
  analogue.setAttribute("aria-pressed", String(row?.kind === "signal" && Boolean(row.isAnalogue)));
  hierarchy.setAttribute("aria-pressed", String(!layout.isWide));
  chooser.root.hidden = layout.isWide;
}

/** Writes the table of markers, in which the keyboard stays where it is. */
function writeMarkers(): void {
  if (!view) return;
  const controls = () => [...markerPlace.querySelectorAll<HTMLElement>("input, button")];
  const focused = controls().findIndex((control) => control === document.activeElement);
  markerPlace.replaceChildren(markerTable(layout, view, { show: showTime, change: (changed) => change({ markers: changed }) }));
  controls()[focused]?.focus();
}

// What the person does

function setCursors(first: number | null, second: number | null): void {
  const last = view?.end ?? 0;
  const inside = (time: number | null) => (time === null ? null : Math.max(0, Math.min(last, Math.round(time))));
  change({ cursors: [inside(first), inside(second)] });
  void fetchValues();
  clearTimeout(telling);
  telling = setTimeout(() => send({ type: "cursor", time: layout.cursors[0] }), QUIET_MS);
}

function moveCursor(columns: number): void {
  const tick = Math.max(1, Math.round((layout.end - layout.start) / Math.max(1, ruler.clientWidth)));
  showTime((layout.cursors[0] ?? layout.start) + columns * tick);
}

/** Puts the cursor at a time, and scrolls there if it is not in sight. */
function showTime(time: number): void {
  const last = Math.max(2, view?.end ?? 0);
  const length = layout.end - layout.start;
  if (time < layout.start || time > layout.end) change(panned({ start: time - length / 2, end: time + length / 2 }, 0, last));
  setCursors(time, layout.cursors[1]);
}

/** Goes to the next change of the selected signal, or the one before; to the value in the field, if it has one. */
async function toChange(forward: boolean): Promise<void> {
  const row = layout.rows[selected];
  if (row?.kind !== "signal" || !view) return;
  const value = sought.value.trim() === "" ? null : searchedValue(sought.value, row.bits, row.radix);
  if (value === undefined) {
    status.textContent = t("{0} is not a value of {1} as {2}.", sought.value, row.path, RADIX_NAMES[row.radix]);
    return;
  }
  const found = await tried("waveformChange", ask("waveformChange", { signal: row.path, time: layout.cursors[0] ?? 0, forward, value }));
  if (!found) return;
  if (found.time === null && value !== null) {
    status.textContent = forward ? t("{0} does not become {1} after the cursor.", row.path, sought.value) : t("{0} does not become {1} before the cursor.", row.path, sought.value);
  } else if (found.time === null) {
    status.textContent = forward ? t("{0} does not change after the cursor.", row.path) : t("{0} does not change before the cursor.", row.path);
  } else {
    showTime(found.time);
    const value = valueText(found.value, row.bits, row.radix);
    status.textContent = t("{0} changes to {1} at {2}.", row.path, value, timeText(found.time, view));
  }
}

function putMarker(time = layout.cursors[0] ?? layout.start): void {
  const place = Math.max(0, Math.min(view?.end ?? 0, Math.round(time)));
  change({ markers: withMarker(layout.markers, place) });
  const name = layout.markers.find((marker) => marker.time === place)?.name ?? "";
  if (view) status.textContent = t("Marker {0} is at {1}.", name, timeText(place, view));
}

function toMarker(number: number): void {
  const marker = layout.markers.find(({ name }) => name === String(number)) ?? layout.markers[number - 1];
  if (marker) showTime(marker.time);
  if (marker && view) status.textContent = t("Marker {0} is at {1}.", marker.name, timeText(marker.time, view));
}

function turnAnalogue(): void {
  const row = layout.rows[selected];
  if (row?.kind !== "signal" || row.bits === 1) {
    status.textContent = t("Select a signal of several bits first.");
    return;
  }
  change({ rows: replaced(selected, { ...row, isAnalogue: !row.isAnalogue }) });
  status.textContent = row.isAnalogue ? t("{0} is drawn as values.", row.path) : t("{0} is drawn as a curve.", row.path);
}

function zoom(factor: number, around = layout.cursors[0] ?? (layout.start + layout.end) / 2): void {
  const isSeen = around >= layout.start && around <= layout.end;
  change(zoomed(layout, isSeen ? around : (layout.start + layout.end) / 2, factor, Math.max(2, view?.end ?? 0)));
}

function showAll(): void {
  change({ start: 0, end: Math.max(2, view?.end ?? 0) });
}

function pan(share: number): void {
  change(panned(layout, share * (layout.end - layout.start), Math.max(2, view?.end ?? 0)));
}

function addGroup(): void {
  const number = layout.rows.filter(({ kind }) => kind === "group").length + 1;
  const at = Math.min(selected, layout.rows.length);
  change({ rows: [...layout.rows.slice(0, at), { kind: "group", name: t("Group {0}", number), isOpen: true }, ...layout.rows.slice(at)] }, at);
}

/** Changes the radix of a signal, or opens or closes a group. */
function turn(kind: Row["kind"]): void {
  const row = layout.rows[selected];
  if (row?.kind !== kind) return;
  const next = turned(row);
  change({ rows: replaced(selected, next) });
  if (next.kind === "signal") status.textContent = t("Radix: {0}", RADIX_NAMES[next.radix]);
  else status.textContent = next.isOpen ? t("{0} opened", next.name) : t("{0} closed", next.name);
}

function select(by: number): void {
  const shown = visibleRows(layout.rows).map(({ number }) => number);
  const next = shown[Math.max(0, Math.min(shown.length - 1, shown.indexOf(selected) + by))] ?? 0;
  change({}, next);
  document.getElementById(`row-${next}`)?.scrollIntoView({ block: "nearest" });
}

list.addEventListener(
  "keydown",
  onKey({
    moveCursor,
    pan,
    select,
    moveRow: (by) => change({ rows: moved(layout.rows, selected, selected + by) }, selected + by),
    toStart: () => showTime(0),
    toEnd: () => showTime(view?.end ?? 0),
    zoom,
    showAll,
    toChange: (forward) => void toChange(forward),
    putSecondCursor: () => setCursors(layout.cursors[0], layout.cursors[0]),
    putMarker,
    toMarker,
    findValue: () => sought.focus(),
    turnAnalogue,
    addGroup,
    turn,
    remove: () => change({ rows: without(layout.rows, selected) }),
    showSource: () => {
      const row = layout.rows[selected];
      if (row?.kind === "signal") send({ type: "source", path: row.path });
    },
  }),
);
sought.addEventListener("keydown", (event) => {
  if (event.key === "Enter") void toChange(!event.shiftKey);
});
followPointer(body, ruler, {
  timeAt: (share) => layout.start + share * (layout.end - layout.start),
  putCursor: (time) => setCursors(time, layout.cursors[1]),
  putSecondCursor: (time) => setCursors(layout.cursors[0], time),
  putMarker,
  zoom,
  pan,
});
new ResizeObserver(() => {
  draw();
  void fetchTraces();
}).observe(ruler);
new MutationObserver(() => drawAll()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
