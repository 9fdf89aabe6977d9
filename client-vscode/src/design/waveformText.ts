/** How values and times of waveforms are written. */

export const RADIXES = ["hex", "unsigned", "signed", "binary"] as const;
export type Radix = (typeof RADIXES)[number];

const UNITS = ["fs", "ps", "ns", "us", "ms", "s"];
const CUT = "…";

/** A value of the protocol in a radix; empty where there is none. */
export function valueText(value: string | null, bits: number | null, radix: Radix): string {
  if (value === null) return "";
  const digits = value.slice(1);
  switch (value[0]) {
    case "h":
      return value.endsWith(CUT) ? digits : known(BigInt(`0x${digits}`), bits ?? 64, radix);
    case "b":
      return value.endsWith(CUT) || radix === "binary" ? padded(digits, bits ?? digits.length) : nibbles(padded(digits, bits ?? digits.length));
    case '"':
      return value.endsWith(CUT) ? value : String(JSON.parse(value));
    default:
      return value;
  }
}

/** Whether a value has bits that are unknown, or is not driven at all. */
export function valueState(value: string | null): "known" | "unknown" | "undriven" {
  if (!value?.startsWith("b")) return "known";
  return /^bz+$/.test(value) ? "undriven" : "unknown";
}

function known(value: bigint, bits: number, radix: Radix): string {
  if (bits === 1) return value.toString();
  switch (radix) {
    case "hex":
      return value.toString(16).padStart(Math.ceil(bits / 4), "0");
    case "binary":
      return value.toString(2).padStart(bits, "0");
    case "signed":
      return BigInt.asIntN(bits, value).toString();
    default:
      return value.toString();
  }
}

/** A value that a person writes in a radix, or as Verilog does, in the way of the protocol; undefined if none of that width. */
export function searchedValue(text: string, bits: number | null, radix: Radix): string | undefined {
  const word = text.replaceAll(/[_\s]/g, "").toLowerCase();
  if (bits === null) return /^-?[\d.]+(e-?\d+)?$/.test(word) ? realText(Number(word)) : JSON.stringify(text);
  const literal = /^(?:\d*'s?([bdh])|0([bx]))(.+)$/.exec(word);
  const base = BASES[literal?.[1] ?? literal?.[2] ?? radix] ?? 16;
  const digits = literal?.[3] ?? word;
  if (base === 10) {
    if (!/^-?\d+$/.test(digits)) return undefined;
    const value = BigInt(digits);
    const isFitting = value >= -(1n << BigInt(bits - 1)) && value < 1n << BigInt(bits);
    return isFitting ? `h${BigInt.asUintN(bits, value).toString(16)}` : undefined;
  }
  if (!(base === 16 ? /^[\da-fxz]+$/ : /^[01xz]+$/).test(digits)) return undefined;
  const width = Math.log2(base);
  const all = padded(digits.replaceAll(/./g, (digit) => (/[xz]/.test(digit) ? digit.repeat(width) : parseInt(digit, base).toString(2).padStart(width, "0"))), bits);
  if (!/^0*$/.test(all.slice(0, -bits).replaceAll(/[xz]/g, "0"))) return undefined;
  const kept = all.slice(-bits);
  return /[xz]/.test(kept) ? `b${kept}` : `h${BigInt(`0b${kept}`).toString(16)}`;
}

const BASES: Readonly<Record<string, number>> = { b: 2, d: 10, h: 16, x: 16, hex: 16, unsigned: 10, signed: 10, binary: 2 };

/** A real as the protocol writes it. */
function realText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** A value of the protocol as a number; undefined for one with unknown bits, or of text. */
export function valueNumber(value: string | null, bits: number | null, radix: Radix): number | undefined {
  if (value === null || value.endsWith(CUT) || /^["b]/.test(value)) return undefined;
  if (!value.startsWith("h")) return Number(value);
  const whole = BigInt(`0x${value.slice(1)}`);
  return Number(radix === "signed" ? BigInt.asIntN(bits ?? 64, whole) : whole);
}

function padded(digits: string, bits: number): string {
  const fill = digits.startsWith("x") || digits.startsWith("z") ? (digits[0] ?? "0") : "0";
  return digits.padStart(bits, fill);
}

/** Four bits a digit: `x` or `z` if all of them are, `X` if only some are known. */
function nibbles(bits: string): string {
  const first = bits.length % 4;
  const groups = [bits.slice(0, first), ...(bits.slice(first).match(/.{4}/g) ?? [])].filter(Boolean);
  return groups
    .map((group) => {
      if (/^[01]+$/.test(group)) return parseInt(group, 2).toString(16);
      if (/^x+$/.test(group)) return "x";
      return /^z+$/.test(group) ? "z" : "X";
    })
    .join("");
}

export interface TimeScale {
  /** A tick is this many of `unit`. */
  readonly tick: number;
  readonly unit: string;
}

/** A number of ticks as a time, in the largest unit that needs at most three decimals. */
export function timeText(ticks: number, { tick, unit }: TimeScale): string {
  const base = UNITS.indexOf(unit);
  const value = Math.round(ticks) * tick;
  if (base < 0 || value === 0) return String(value);
  let up = 0;
  while (base + up + 1 < UNITS.length && value !== 0 && Math.abs(value) >= 1000 ** (up + 1) && value % 1000 ** up === 0) up += 1;
  const shown = (value / 1000 ** up).toLocaleString("en", { maximumFractionDigits: 3, useGrouping: false });
  return `${shown} ${UNITS[base + up]}`;
}

/** A time of a simulation in ticks of its waveform; null if the file does not say its unit. */
export function ticksOfNs(ns: number, { tick, unit }: TimeScale): number | null {
  const base = UNITS.indexOf(unit);
  return base < 0 ? null : Math.round((ns * 1000 ** (UNITS.indexOf("ns") - base)) / tick);
}

/** The different words of a line or message that may be names of signals, at most 12. */
export function possibleSignalNames(text: string): string[] {
  return [...new Set(text.match(/[A-Za-z_]\w*/g) ?? [])].slice(0, 12);
}

/** Round times in a window for a ruler, in ticks; about `count` of them. */
export function rulerTimes(start: number, end: number, count: number): number[] {
  const rough = (end - start) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? power);
  const times: number[] = [];
  for (let time = Math.ceil(start / step) * step; time <= end; time += step) times.push(time);
  return times;
}
