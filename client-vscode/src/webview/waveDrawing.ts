import type { WaveformTrace } from "../generated/protocol.ts";
import type { Layout, SignalRow } from "../design/waveformLayout.ts";
import { rulerTimes, timeText, valueNumber, valueState, valueText, type TimeScale } from "../design/waveformText.ts";

export type Shown = Pick<Layout, "start" | "end" | "cursors" | "markers">;

export interface Colours {
  readonly line: string;
  readonly bus: string;
  readonly unknown: string;
  readonly undriven: string;
  readonly text: string;
  readonly ground: string;
  readonly faint: string;
  readonly cursor: string;
  readonly marker: string;
  readonly font: string;
}

/** The colours of the editor's theme. */
export function themeColours(): Colours {
  const style = getComputedStyle(document.body);
  const of = (...names: string[]) => names.map((name) => style.getPropertyValue(`--vscode-${name}`).trim()).find(Boolean) ?? "currentColor";
  const isHighContrast = document.body.classList.contains("vscode-high-contrast");
  const strong = of("foreground", "editor-foreground");
  return {
    line: isHighContrast ? strong : of("charts-green", "foreground"),
    bus: isHighContrast ? strong : of("charts-blue", "foreground"),
    unknown: of("charts-red", "errorForeground", "foreground"),
    undriven: of("charts-yellow", "foreground"),
    text: of("editor-foreground", "foreground"),
    ground: of("editor-background"),
    faint: of("descriptionForeground", "foreground"),
    cursor: of("focusBorder", "charts-orange", "foreground"),
    marker: isHighContrast ? strong : of("charts-purple", "foreground"),
    font: `11px ${style.getPropertyValue("--vscode-editor-font-family") || "monospace"}`,
  };
}

/** Fits a canvas to its box on the screen; its size in CSS pixels, and what draws. */
function prepared(canvas: HTMLCanvasElement): { pen: CanvasRenderingContext2D; width: number; height: number } | undefined {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = canvas.getContext("2d");
  if (!pen || width === 0) return undefined;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

export function drawRuler(canvas: HTMLCanvasElement, shown: Shown, scale: TimeScale, colours: Colours): void {
  const made = prepared(canvas);
  if (!made) return;
  const { pen, width, height } = made;
  pen.font = colours.font;
  pen.fillStyle = colours.faint;
  pen.strokeStyle = colours.faint;
  for (const time of rulerTimes(shown.start, shown.end, width / 110)) {
    const x = xOf(time, shown, width);
    pen.fillRect(x, height - 5, 1, 5);
    pen.fillText(timeText(time, scale), x + 3, height - 7);
  }
  drawCursors(pen, shown, colours, width, height);
  for (const { name, time } of shown.markers) {
    const x = xOf(time, shown, width);
    pen.fillStyle = colours.ground;
    pen.fillRect(x, 0, pen.measureText(name).width + 6, 12);
    pen.fillStyle = colours.marker;
    pen.fillText(name, x + 3, 10);
  }
}

export function drawTrace(canvas: HTMLCanvasElement, trace: WaveformTrace | undefined, row: SignalRow, shown: Shown, colours: Colours): void {
  const made = prepared(canvas);
  if (!made) return;
  const { pen, width, height } = made;
  const { bits, radix } = row;
  pen.font = colours.font;
  pen.lineWidth = 1.25;
  const stretches = stretchesOf(trace, shown, width);
  if (row.isAnalogue) drawAnalogue(pen, stretches, height, row, colours);
  for (const { left, right, value, before } of row.isAnalogue ? [] : stretches) {
    if (value === null) drawFolded(pen, left, Math.max(right, left + 1), height, bits === 1 ? colours.line : colours.bus);
    else if (bits === 1) drawBit(pen, left, right, height, value, before, colours);
    else drawBus(pen, left, right, height, value, valueText(value, bits, radix), colours);
  }
  drawCursors(pen, shown, colours, width, height);
}

/** A value on the screen, in pixels from the left. */
interface Stretch {
  readonly left: number;
  readonly right: number;
  /** Null for more changes than there is room for. */
  readonly value: string | null;
  readonly before: string | null;
}

function stretchesOf(trace: WaveformTrace | undefined, shown: Shown, width: number): Stretch[] {
  return (trace?.times ?? []).flatMap((from, at) => {
    const to = trace?.times[at + 1] ?? Infinity;
    if (to < shown.start || from > shown.end) return [];
    const left = Math.max(-2, xOf(from, shown, width));
    const right = Math.min(width + 2, to === Infinity ? width + 2 : xOf(to, shown, width));
    return [{ left, right, value: trace?.values[at] ?? null, before: trace?.values[at - 1] ?? null }];
  });
}

/** Steps between the least and the greatest number in sight, which are written at the edges. */
function drawAnalogue(pen: CanvasRenderingContext2D, stretches: readonly Stretch[], height: number, { bits, radix }: SignalRow, colours: Colours): void {
  const all = stretches.map((stretch) => ({ ...stretch, number: valueNumber(stretch.value, bits, radix) }));
  const numbers = all.flatMap(({ number }) => number ?? []);
  const [low, high] = [numbers.reduce((one, other) => Math.min(one, other), Infinity), numbers.reduce((one, other) => Math.max(one, other), -Infinity)];
  const y = (number: number) => (high === low ? height / 2 : height - 4 - ((number - low) / (high - low)) * (height - 8));
  pen.strokeStyle = colours.bus;
  pen.beginPath();
  let isDown = false;
  for (const { left, right, number } of all) {
    if (number !== undefined) {
      if (isDown) pen.lineTo(left, y(number));
      else pen.moveTo(left, y(number));
      pen.lineTo(right, y(number));
    }
    isDown = number !== undefined;
  }
  pen.stroke();
  pen.fillStyle = colours.unknown;
  pen.globalAlpha = 0.25;
  for (const { left, right, number } of all) if (number === undefined) pen.fillRect(left, 4, Math.max(right - left, 1), height - 8);
  pen.globalAlpha = 1;
  pen.fillStyle = colours.faint;
  if (numbers.length > 0) pen.fillText(String(high), 3, 12);
  if (high > low) pen.fillText(String(low), 3, height - 4);
}

function drawFolded(pen: CanvasRenderingContext2D, left: number, right: number, height: number, colour: string): void {
  pen.fillStyle = colour;
  pen.globalAlpha = 0.55;
  pen.fillRect(left, 4, right - left, height - 8);
  pen.globalAlpha = 1;
}

function drawBit(pen: CanvasRenderingContext2D, left: number, right: number, height: number, value: string, before: string | null, colours: Colours): void {
  const state = valueState(value);
  const [high, low, middle] = [4, height - 4, height / 2];
  const y = state === "known" ? (value === "h1" ? high : low) : middle;
  pen.strokeStyle = { known: colours.line, unknown: colours.unknown, undriven: colours.undriven }[state];
  if (state === "unknown") {
    pen.globalAlpha = 0.25;
    pen.fillStyle = colours.unknown;
    pen.fillRect(left, high, right - left, low - high);
    pen.globalAlpha = 1;
  }
  pen.beginPath();
  if (before !== null) {
    pen.moveTo(left, high);
    pen.lineTo(left, low);
  }
  pen.moveTo(left, y);
  pen.lineTo(right, y);
  pen.stroke();
}

function drawBus(pen: CanvasRenderingContext2D, left: number, right: number, height: number, value: string, text: string, colours: Colours): void {
  const state = valueState(value);
  const colour = { known: colours.bus, unknown: colours.unknown, undriven: colours.undriven }[state];
  const [high, low, slope] = [4, height - 4, Math.min(3, (right - left) / 2)];
  pen.strokeStyle = colour;
  pen.beginPath();
  pen.moveTo(left, height / 2);
  pen.lineTo(left + slope, high);
  pen.lineTo(right - slope, high);
  pen.lineTo(right, height / 2);
  pen.lineTo(right - slope, low);
  pen.lineTo(left + slope, low);
  pen.closePath();
  pen.stroke();
  const begin = Math.max(left, 0) + 5;
  const room = Math.min(right, pen.canvas.clientWidth) - begin - 4;
  if (room < 8) return;
  pen.fillStyle = state === "known" ? colours.text : colour;
  pen.fillText(fitted(pen, text, room), begin, height / 2 + 4);
}

function fitted(pen: CanvasRenderingContext2D, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text;
  const letters = Math.floor(room / pen.measureText("0").width) - 1;
  return letters > 0 ? `${text.slice(0, letters)}…` : "";
}

function drawCursors(pen: CanvasRenderingContext2D, shown: Shown, colours: Colours, width: number, height: number): void {
  pen.strokeStyle = colours.cursor;
  pen.lineWidth = 1.5;
  for (const [at, time] of shown.cursors.entries()) {
    if (time === null || time < shown.start || time > shown.end) continue;
    const x = xOf(time, shown, width);
    pen.setLineDash(at === 0 ? [] : [4, 3]);
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.fillStyle = colours.marker;
  for (const { time } of shown.markers) pen.fillRect(Math.round(xOf(time, shown, width)), 0, 1, height);
}

function xOf(time: number, { start, end }: Shown, width: number): number {
  return ((time - start) / (end - start)) * width;
}
