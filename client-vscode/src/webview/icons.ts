import { shape } from "./svg.ts";

/** Lines of each icon in a square of 16. */
const LINES = {
  analogue: "M1 8c2-8 4-8 7 0s5 8 7 0",
  fit: "M1 3v10M15 3v10M3 8h10M6 5 3 8l3 3M10 5l3 3-3 3",
  group: "M2 13V3h4l2 2h6v8z",
  hierarchy: "M3 2v11h4M3 5h4M8 3h5v4H8zM8 11h5v4H8z",
  marker: "M4 15V2h9l-3 3.5L13 9H4",
  next: "M2 13h3V4h3M8 9h6M11 6l3 3-3 3",
  previous: "M14 13h-3V4H8M8 9H2M5 6 2 9l3 3",
  remove: "M3 3l10 10M13 3 3 13",
  secondCursor: "M4 2v12M11 2v2M11 7v2M11 12v2",
  zoomIn: "M11 7A4 4 0 1 1 3 7a4 4 0 0 1 8 0M10 10l4 4M5 7h4M7 5v4",
  zoomOut: "M11 7A4 4 0 1 1 3 7a4 4 0 0 1 8 0M10 10l4 4M5 7h4",
} as const;

export type Icon = keyof typeof LINES;

/** An icon in the colour of the text around it. */
export function iconShape(icon: Icon): SVGSVGElement {
  const line = { d: LINES[icon], fill: "none", stroke: "currentColor", "stroke-width": 1.25 };
  return shape("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, shape("path", line));
}
