import { element } from "./elements.ts";
import { shape } from "./svg.ts";

/** Parts of a whole, such as minutes of writing, waiting and reading. */
export interface PartOf {
  readonly name: string;
  readonly value: number;
}

const WIDTH = 600;
const HEIGHT = 140;
const BASE = 18;

/** A bar that is divided into parts; they are told apart by their patterns, not by colour alone. */
export function dividedBar(label: string, parts: readonly PartOf[]): SVGSVGElement {
  const whole = parts.reduce((sum, { value }) => sum + value, 0) || 1;
  let x = 0;
  const pieces = parts.map(({ name, value }, number) => {
    const width = (value / whole) * WIDTH;
    const piece = shape("rect", { x, y: 1, width, height: 20, class: `part${number}` }, shape("title", {}, name));
    x += width;
    return piece;
  });
  const attributes = { viewBox: `0 0 ${WIDTH} 22`, role: "img", "aria-label": label, class: "chart", preserveAspectRatio: "none" };
  return shape("svg", attributes, ...patterns(), ...pieces);
}

/** What the parts of a divided bar are. */
export function legend(names: readonly string[]): HTMLElement {
  const entries = names.map((name, number) => {
    const swatch = shape("svg", { viewBox: "0 0 14 14", class: "swatch", "aria-hidden": "true" }, ...patterns(), shape("rect", { x: 1, y: 1, width: 12, height: 12, class: `part${number}` }));
    return element("li", {}, swatch, ` ${name}`);
  });
  return element("ul", { class: "legend" }, ...entries);
}

/** One column per name, each divided into parts. */
export function columns(label: string, names: readonly string[], parts: readonly (readonly number[])[]): SVGSVGElement {
  const highest = Math.max(1, ...parts.map((each) => each.reduce((sum, value) => sum + value, 0)));
  const step = WIDTH / Math.max(1, names.length);
  const width = Math.min(48, step * 0.7);
  const bars = names.flatMap((_, number) => {
    let y = HEIGHT - BASE;
    return (parts[number] ?? []).map((value, part) => {
      const height = (value / highest) * (HEIGHT - BASE - 4);
      y -= height;
      return shape("rect", { x: number * step + (step - width) / 2, y, width, height, class: `part${part}` });
    });
  });
  // As many names as have room.
  const every = Math.ceil((names.length * 70) / WIDTH);
  const texts = names.flatMap((name, number) =>
    number % every === 0 ? [shape("text", { x: (number + 0.5) * step, y: HEIGHT - 4, "text-anchor": "middle" }, name)] : [],
  );
  const base = shape("line", { x1: 0, x2: WIDTH, y1: HEIGHT - BASE, y2: HEIGHT - BASE });
  return shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "chart" }, ...patterns(), ...bars, base, ...texts);
}

/** Lines over the second part and dots over the third: a page may be printed, or seen without colours. */
function patterns(): SVGDefsElement[] {
  const lines = shape("pattern", { id: "lines", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  lines.append(shape("rect", { width: 6, height: 6, class: "ground1" }), shape("line", { x1: 0, x2: 0, y1: 0, y2: 6, class: "ink" }));
  const dots = shape("pattern", { id: "dots", width: 6, height: 6, patternUnits: "userSpaceOnUse" });
  dots.append(shape("rect", { width: 6, height: 6, class: "ground2" }), shape("circle", { cx: 3, cy: 3, r: 1.2, class: "dot" }));
  return [shape("defs", {}, lines, dots)];
}
