import { t } from "@vscode/l10n";
import { element, iconButton } from "./elements.ts";

/** A part of a drawing that the keyboard gets to. */
export interface Part {
  readonly shape: SVGGElement;
  /** What a screen reader says of it, and what the search looks in. */
  readonly text: string;
  readonly open: () => void;
}

/** A drawing that scrolls and zooms. */
export interface Framed {
  readonly drawn: SVGSVGElement;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  readonly parts: readonly Part[];
  /** What its parts are. */
  readonly kind: "cell" | "state";
  /** Says what is selected. */
  readonly status: HTMLElement;
}

const WORDS = {
  cell: {
    find: t("Find a cell"),
    none: (name: string) => t("No cell is called {0}.", name),
    keys: t("In the drawing: + and - zoom, f shows all, n and p select a cell, Enter shows its source, arrows scroll."),
  },
  state: {
    find: t("Find a state"),
    none: (name: string) => t("No state is called {0}.", name),
    keys: t("In the drawing: + and - zoom, f shows all, n and p select a state, Enter shows its source, arrows scroll."),
  },
} as const;

/** The share of the page's height that a drawing has at least, however much is above it. */
const LEAST_HEIGHT = 0.4;
const EDGE = 4;
/** So that two cells don't fill a screen. */
const LARGEST_FIT = 1.5;

/** A frame around a drawing, with its buttons, its search and its keys; all of the drawing is in sight until somebody zooms. */
export function drawingFrame({ drawn, width, height, label, parts, kind, status }: Framed): Node[] {
  const words = WORDS[kind];
  const frame = element("div", { class: "schematic", tabindex: "0", role: "group", "aria-label": label });
  frame.append(drawn);
  let [zoom, isFitted] = [1, true];
  const scale = (wanted: number) => {
    zoom = Math.min(4, Math.max(0.05, wanted));
    drawn.setAttribute("width", String(width * zoom));
    drawn.setAttribute("height", String(height * zoom));
  };
  const by = (factor: number) => {
    isFitted = false;
    scale(zoom * factor);
  };
  const fit = () => {
    isFitted = true;
    const room = Math.max(LEAST_HEIGHT * window.innerHeight, window.innerHeight - frame.offsetTop) - 2 * EDGE;
    scale(Math.min(LARGEST_FIT, (frame.clientWidth - EDGE) / Math.max(1, width), room / Math.max(1, height)));
  };
  new ResizeObserver(() => isFitted && fit()).observe(frame);
  let selected = -1;
  const select = (number: number) => {
    parts[selected]?.shape.classList.remove("selected");
    selected = number;
    const part = parts[selected];
    part?.shape.classList.add("selected");
    part?.shape.scrollIntoView({ block: "center", inline: "center" });
    status.textContent = part?.text ?? "";
  };
  frame.addEventListener("keydown", (event) => {
    if (event.key === "+") by(1.25);
    else if (event.key === "-") by(0.8);
    else if (event.key === "f") fit();
    else if (event.key === "n") select((selected + 1) % parts.length);
    else if (event.key === "p") select((selected + parts.length - 1) % parts.length);
    else if (event.key === "Enter") parts[selected]?.open();
  });
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      by(event.deltaY < 0 ? 1.1 : 0.9);
    },
    { passive: false },
  );
  const search = element("input", { type: "search", "aria-label": words.find, placeholder: words.find });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const text = search.value.toLowerCase();
    const order = parts.map((_, number) => (selected + 1 + number) % parts.length);
    const found = order.find((number) => parts[number]?.text.toLowerCase().includes(text));
    if (found === undefined) status.textContent = words.none(search.value);
    else select(found);
  });
  const actions = element(
    "div",
    { class: "actions" },
    search,
    iconButton("zoomIn", t("Zoom In"), () => by(1.25)),
    iconButton("zoomOut", t("Zoom Out"), () => by(0.8)),
    iconButton("fit", t("Show All"), fit),
  );
  return [actions, frame, element("p", { class: "policy" }, words.keys)];
}
