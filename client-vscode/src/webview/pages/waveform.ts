import { t } from "@vscode/l10n";
import type { WaveformView, WaveformWindow, WaveformTrace } from "../../generated/protocol.ts";
import { keptLayout, moved, panned, sharedScope, turned, visibleRows, withSignal, without, zoomed, type Layout, type Row } from "../../design/waveformLayout.ts";
import { timeText, valueText } from "../../design/waveformText.ts";
import { connect } from "../connection.ts";
import { button, element, iconButton, keepFocus, main } from "../elements.ts";
import { valueTable, type CursorValues } from "../waveTable.ts";
import { drawRuler, drawTrace, themeColours } from "../waveDrawing.ts";
import { signalChooser } from "../waveHierarchy.ts";
import { HELP, onKey } from "../waveKeys.ts";
import { asking, type Asked } from "../waveRequests.ts";

export type ToWaveform =
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "opened"; readonly view: WaveformView; readonly layout: unknown; readonly hasOtherViewers: boolean; readonly time: number | null; readonly names: readonly string[] }
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "answer"; readonly number: number; readonly result?: unknown; readonly failure?: string }
  | { readonly type: "add"; readonly path: string };

export type FromWaveform =
  | Asked
  | { readonly type: "layout"; readonly layout: Layout }
  | { readonly type: "cursor"; readonly time: number | null }
  | { readonly type: "source"; readonly path: string }
  | { readonly type: "openWith" };

const MOST_COLUMNS = 4096;
const MOST_AT_ONCE = 64;
const FIRST_SHOWN = 12;
const QUIET_MS = 120;
const SLOW_MS = 700;
const READING = t("Reading values …");
const RADIX_NAMES = { hex: t("hexadecimal"), unsigned: t("unsigned"), signed: t("signed"), binary: t("binary") } as const;
let view: WaveformView | undefined;
let layout: Layout = { rows: [], cursors: [null, null], start: 0, end: 2 };
let isOpen = false;
let selected = 0;
let traces = new Map<string, WaveformTrace>();
let values: readonly [CursorValues, CursorValues] = [new Map(), new Map()];
let isFetching = false;
let isStale = false;
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
const cursorTable = element("table", { class: "plain" });
const cursorValues = element("details", {}, element("summary", {}, t("Values at the cursors")), cursorTable);
const openWith = button(t("Open With…"), () => send({ type: "openWith" }));
const toolbar = element(
  "div",
  { class: "actions" },
  iconButton("+", t("Zoom In"), () => zoom(0.5)),
  iconButton("−", t("Zoom Out"), () => zoom(2)),
  iconButton("↔", t("Show All"), () => showAll()),
  iconButton("⇤", t("Previous Change"), () => void toChange(false)),
  iconButton("⇥", t("Next Change"), () => void toChange(true)),
  iconButton("¦", t("Second Cursor Here"), () => setCursors(layout.cursors[0], layout.cursors[0])),
  iconButton("▤", t("New Group"), () => addGroup()),
  openWith,
);

const send = connect<ToWaveform, FromWaveform>(receive);
const { ask, answered } = asking((message) => send(message));
const chooser = signalChooser(ask, (item) => add(item.path, item.bits), (text) => (status.textContent = text));
const body = element(
  "div",
  { class: "waves" },
  chooser.root,
  element(
    "div",
    { class: "wave-main" },
    toolbar,
    element("div", { class: "wave-head" }, element("span", {}, t("Signal"), scopeName), element("span", {}, t("Value")), ruler),
    list,
    element(
      "div",
      { class: "wave-foot" },
      cursorValues,
      element("details", {}, element("summary", {}, t("Keys")), element("p", { class: "policy", id: "wave-keys" }, HELP)),
    ),
  ),
);
body.hidden = true;
main().classList.add("wave-page");
main().append(element("header", { class: "wave-title" }, title, facts, note, status), failure, body);
keepFocus(() => list);

function receive(message: ToWaveform): void {
  switch (message.type) {
    case "opened":
      open(message);
      break;
    case "failed":
      failure.textContent = message.reason;
      status.textContent = "";
      body.hidden = true;
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
  layout = kept ?? { rows: [], cursors: [0, null], start: 0, end: last };
  title.textContent = view.run === null ? view.name : t("Hidden tests, run {0}", view.run);
  const writtenBy = view.writtenBy && t("written by {0}", view.writtenBy);
  facts.textContent = [view.format, t("ends at {0}", timeText(view.end, view)), writtenBy].filter(Boolean).join(" · ");
  failure.textContent = "";
  status.textContent = "";
  openWith.hidden = !message.hasOtherViewers;
  body.hidden = false;
  traces = new Map();
  chooser.show(view.tops);
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
  const found = await tried(Promise.all(tops.slice(0, 4).map((scope) => ask("waveformItems", { scope, limit: 100 }))));
  const signals = (found ?? []).flatMap(({ items }) => items.filter(({ kind }) => kind === "signal"));
  for (const { path, bits } of signals.slice(0, FIRST_SHOWN)) layout = { ...layout, rows: withSignal(layout.rows, path, bits, -1) };
  rebuild();
}

async function tried<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    const result = await work;
    failure.textContent = "";
    return result;
  } catch (error) {
    failure.textContent = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}

async function addByPath(path: string): Promise<void> {
  const name = path.toLowerCase();
  const found = await tried(ask("waveformItems", { words: [name], limit: 100 }));
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
  else redraw();
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
  const lengths = layout.rows.map((row) => (row.kind === "signal" ? row.path.length - scope.length : 0));
  body.style.setProperty("--wave-names", `${Math.min(40, Math.max(8, ...lengths) + 2)}ch`);
  const rows = visibleRows(layout.rows).map(({ row, number }) => rowElement(row, number, scope));
  list.replaceChildren(...rows);
  if (rows.length === 0) list.append(element("p", { class: "policy" }, t("Choose signals on the left to show them.")));
  redraw();
  void fetchValues();
}

function rowElement(row: Row, number: number, scope: string): HTMLElement {
  const made = element("div", { class: `wave-row ${row.kind}`, role: "option", id: `row-${number}`, "aria-selected": "false", "data-number": String(number) });
  if (row.kind === "group") made.append(element("span", {}, `${row.isOpen ? "▾" : "▸"} ${row.name}`));
  else {
    made.append(signalName(row.path, scope), element("span", { class: "wave-value" }), element("canvas", { "aria-hidden": "true" }));
  }
  made.addEventListener("click", (event) => {
    const canvas = event.target instanceof HTMLCanvasElement ? event.target : undefined;
    if (canvas) {
      const time = Math.round(layout.start + (event.offsetX / canvas.clientWidth) * (layout.end - layout.start));
      setCursors(event.shiftKey ? layout.cursors[0] : time, event.shiftKey ? time : layout.cursors[1]);
    }
    change({}, number);
  });
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

function redraw(): void {
  drawAll();
  writeValues();
  void fetchTraces();
}

function drawAll(): void {
  if (!view) return;
  const colours = themeColours();
  drawRuler(ruler, layout, view, colours);
  for (const made of list.querySelectorAll<HTMLElement>(".wave-row")) {
    const row = layout.rows[Number(made.dataset.number)];
    const canvas = made.querySelector("canvas");
    if (row?.kind === "signal" && canvas) drawTrace(canvas, traces.get(row.path), row.bits, row.radix, layout, colours);
  }
}

function shownSignals(): string[] {
  return visibleRows(layout.rows).flatMap(({ row }) => (row.kind === "signal" ? [row.path] : []));
}

/** Asks for what is in sight and as much on each side, so that what is scrolled to is there already. */
async function fetchTraces(): Promise<void> {
  isStale = true;
  if (isFetching || !view) return;
  isFetching = true;
  const waiting = setTimeout(() => (status.textContent = READING), SLOW_MS);
  while (isStale) {
    isStale = false;
    const length = layout.end - layout.start;
    const start = Math.max(0, Math.floor(layout.start - length));
    const end = Math.min(Math.max(view.end, start + 1), Math.ceil(layout.end + length));
    const columns = Math.max(1, Math.min(MOST_COLUMNS, Math.round((Math.max(ruler.clientWidth, 100) * (end - start)) / length)));
    const fresh = new Map<string, WaveformTrace>();
    for (let at = 0, all = shownSignals(); at < all.length; at += MOST_AT_ONCE) {
      const signals = all.slice(at, at + MOST_AT_ONCE);
      const found: WaveformWindow | undefined = await tried(ask("waveformWindow", { signals, start, end: Math.max(end, start + 1), columns }));
      for (const trace of found?.traces ?? []) fresh.set(trace.path, trace);
    }
    traces = fresh;
    drawAll();
    writeValues();
  }
  isFetching = false;
  clearTimeout(waiting);
  if (status.textContent === READING) status.textContent = "";
}

async function fetchValues(): Promise<void> {
  const signals = shownSignals();
  const at = async (time: number | null) => {
    if (time === null || signals.length === 0) return new Map<string, string | null>();
    const found = await tried(ask("waveformValues", { signals: signals.slice(0, 500), time }));
    return new Map(signals.map((path, number) => [path, found?.values[number] ?? null]));
  };
  const cursors = layout.cursors;
  const fresh = [await at(cursors[0]), await at(cursors[1])] as const;
  // The cursor may have been moved meanwhile.
  if (cursors !== layout.cursors) return;
  values = fresh;
  writeValues();
}

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
}

// What the person does

function setCursors(first: number | null, second: number | null): void {
  if (second !== null) cursorValues.open = true;
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
  if (time < layout.start || time > layout.end) layout = { ...layout, ...panned({ start: time - length / 2, end: time + length / 2 }, 0, last) };
  setCursors(time, layout.cursors[1]);
}

async function toChange(forward: boolean): Promise<void> {
  const row = layout.rows[selected];
  if (row?.kind !== "signal" || !view) return;
  const found = await tried(ask("waveformChange", { signal: row.path, time: layout.cursors[0] ?? 0, forward }));
  if (!found) return;
  if (found.time === null) {
    status.textContent = forward ? t("{0} does not change after the cursor.", row.path) : t("{0} does not change before the cursor.", row.path);
  } else {
    showTime(found.time);
    const value = valueText(found.value, row.bits, row.radix);
    status.textContent = t("{0} changes to {1} at {2}.", row.path, value, timeText(found.time, view));
  }
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
    addGroup,
    turn,
    remove: () => change({ rows: without(layout.rows, selected) }),
    showSource: () => {
      const row = layout.rows[selected];
      if (row?.kind === "signal") send({ type: "source", path: row.path });
    },
  }),
);
list.addEventListener(
  "wheel",
  (event) => {
    if (!(event.ctrlKey || event.shiftKey || event.deltaX !== 0)) return;
    event.preventDefault();
    if (!event.ctrlKey) {
      pan((event.deltaX || event.deltaY) / 1000);
      return;
    }
    const box = ruler.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, layout.start + ((event.clientX - box.left) / box.width) * (layout.end - layout.start));
  },
  { passive: false },
);
new ResizeObserver(() => redraw()).observe(ruler);
new MutationObserver(() => drawAll()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
