import { RADIXES, type Radix } from "./waveformText.ts";

/** A signal that is shown. */
export interface SignalRow {
  readonly kind: "signal";
  readonly path: string;
  readonly bits: number | null;
  readonly radix: Radix;
  /** Whether it is drawn as a curve of numbers. */
  readonly isAnalogue?: boolean;
}

/** A signal, or the heading of those that follow until the next heading. */
export type Row = SignalRow | { readonly kind: "group"; readonly name: string; readonly isOpen: boolean };

/** A time with a name, in ticks. */
export interface Marker {
  readonly name: string;
  readonly time: number;
}

/** What is kept of a waveform between sessions of the editor. */
export interface Layout {
  readonly rows: readonly Row[];
  /** In ticks; the second is where differences are measured from. */
  readonly cursors: readonly [number | null, number | null];
  /** In the order of time. */
  readonly markers: readonly Marker[];
  /** Whether the hierarchy is out of the way of the traces. */
  readonly isWide: boolean;
  readonly start: number;
  readonly end: number;
}

/** What a waveform shows before anything was chosen. */
export function newLayout(last: number): Layout {
  return { rows: [], cursors: [0, null], markers: [], isWide: false, start: 0, end: Math.max(2, last) };
}

/** The markers with one at a time, called by the lowest number that is free; unless one is there. */
export function withMarker(markers: readonly Marker[], time: number): readonly Marker[] {
  if (markers.some((marker) => marker.time === time)) return markers;
  const names = new Set(markers.map(({ name }) => name));
  let number = 1;
  while (names.has(String(number))) number += 1;
  return [...markers, { name: String(number), time }].sort((one, other) => one.time - other.time);
}

/** Rows that are not in a closed group, with their numbers. */
export function visibleRows(rows: readonly Row[]): { readonly row: Row; readonly number: number }[] {
  let isOpen = true;
  return rows.flatMap((row, number) => {
    if (row.kind === "group") isOpen = row.isOpen;
    return row.kind === "group" || isOpen ? [{ row, number }] : [];
  });
}

/** Adds a signal after a row, at the end if there is none; one that is shown already is not added again. */
export function withSignal(rows: readonly Row[], path: string, bits: number | null, after: number): readonly Row[] {
  if (rows.some((row) => row.kind === "signal" && row.path === path)) return rows;
  const at = after < 0 ? rows.length : after + 1;
  return [...rows.slice(0, at), { kind: "signal", path, bits, radix: "hex" }, ...rows.slice(at)];
}

export function moved(rows: readonly Row[], from: number, to: number): readonly Row[] {
  const row = rows[from];
  if (!row || to < 0 || to >= rows.length) return rows;
  const others = rows.filter((_, number) => number !== from);
  return [...others.slice(0, to), row, ...others.slice(to)];
}

export function without(rows: readonly Row[], number: number): readonly Row[] {
  return rows.filter((_, at) => at !== number);
}

/** The row with the next radix; a group opens or closes. */
export function turned(row: Row): Row {
  if (row.kind === "group") return { ...row, isOpen: !row.isOpen };
  return { ...row, radix: RADIXES[(RADIXES.indexOf(row.radix) + 1) % RADIXES.length] ?? "hex" };
}

/** The window around a time that is `factor` times as long, within the waveform; at least two ticks. */
export function zoomed({ start, end }: Pick<Layout, "start" | "end">, around: number, factor: number, last: number): { start: number; end: number } {
  const length = Math.min(Math.max(2, (end - start) * factor), Math.max(2, last));
  const share = (around - start) / (end - start);
  return within(around - share * length, length, last);
}

export function panned({ start, end }: Pick<Layout, "start" | "end">, by: number, last: number): { start: number; end: number } {
  return within(start + by, end - start, last);
}

function within(start: number, length: number, last: number): { start: number; end: number } {
  const begin = Math.max(0, Math.min(start, Math.max(0, last - length)));
  return { start: begin, end: begin + length };
}

/** A layout that was kept, as far as it fits; undefined if it is none. */
export function keptLayout(kept: unknown, last: number): Layout | undefined {
  if (typeof kept !== "object" || kept === null || !("rows" in kept) || !Array.isArray(kept.rows)) return undefined;
  const { rows, cursors, markers, isWide, start, end } = kept as Layout;
  const isWindow = Number.isFinite(start) && Number.isFinite(end) && start >= 0 && end > start && start < last;
  const [first = null, second = null] = Array.isArray(cursors) ? cursors : [];
  const others = { markers: Array.isArray(markers) ? markers : [], isWide: (isWide as unknown) === true, ...(isWindow && { start, end }) };
  return { ...newLayout(last), rows, cursors: [first, second], ...others };
}

/** The innermost scope that holds all signals; empty if there is none. */
export function sharedScope(rows: readonly Row[]): string {
  const scopes = rows.flatMap((row) => (row.kind === "signal" ? [row.path.split(".").slice(0, -1)] : []));
  const [first = [], ...rest] = scopes;
  let depth = 0;
  while (depth < first.length && rest.every((scope) => scope[depth] === first[depth])) depth += 1;
  return first.slice(0, depth).join(".");
}
