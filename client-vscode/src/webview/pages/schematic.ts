import type { DesignSize, FileRange, RegisterTable, RegisterView, SchematicView, SizeView } from "../../generated/protocol.ts";
import type { Box, Drawing, Line } from "../../schematicGraph.ts";
import { connect } from "../connection.ts";
import { button, element, main } from "../elements.ts";

interface Failure {
  readonly failure: string;
}

export interface SchematicPage {
  readonly title: string;
  readonly drawn: { readonly view: SchematicView; readonly drawing: Drawing } | Failure;
  readonly size: DesignSize | Failure;
  readonly registers: RegisterTable | Failure;
}

export type ToSchematic = { readonly type: "loading" } | { readonly type: "page"; readonly page: SchematicPage };

export interface FromSchematic {
  readonly type: "open";
  readonly at: FileRange;
}

const SVG = "http://www.w3.org/2000/svg";
const status = element("p", { role: "status" }, "Loading …");
const body = element("div");
main().append(status, body);

const send = connect<ToSchematic, FromSchematic>((message) => {
  if (message.type === "loading") {
    status.textContent = "Loading …";
    return;
  }
  const { title, drawn, size, registers } = message.page;
  status.textContent = "";
  body.replaceChildren(
    element("h1", {}, title),
    ...("failure" in drawn ? [element("p", { class: "headline error" }, drawn.failure)] : schematic(drawn.view, drawn.drawing)),
    element("h2", {}, "Size"),
    ...("failure" in size ? [element("p", {}, size.failure)] : sizes(size)),
    element("h2", {}, "Registers"),
    ...("failure" in registers ? [element("p", {}, registers.failure)] : registerTable(registers)),
  );
});

function open(at: FileRange | null): void {
  if (at) send({ type: "open", at });
}

function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>>,
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

function schematic(view: SchematicView, drawing: Drawing): Node[] {
  const { width, height } = drawing;
  let zoom = Math.min(1, Math.max(0.1, 800 / Math.max(1, width)));
  const boxes = drawing.boxes.map((one) => boxShape(one));
  const drawn = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Schematic of ${view.module}; the same as a table is below` },
    ...drawing.lines.map((line) => lineShape(line)),
    ...boxes,
  );
  const scale = () => {
    drawn.setAttribute("width", String(width * zoom));
    drawn.setAttribute("height", String(height * zoom));
  };
  scale();
  const frame = element("div", { class: "schematic", tabindex: "0", role: "group", "aria-label": "Schematic" });
  frame.append(drawn);
  const by = (factor: number) => {
    zoom = Math.min(4, Math.max(0.05, zoom * factor));
    scale();
  };
  let selected = -1;
  const select = (number: number) => {
    boxes[selected]?.classList.remove("selected");
    selected = number;
    const box = boxes[selected];
    box?.classList.add("selected");
    box?.scrollIntoView({ block: "center", inline: "center" });
    const { title = "", subtitle = "" } = drawing.boxes[selected] ?? {};
    status.textContent = [title, subtitle].filter(Boolean).join(", ");
  };
  frame.addEventListener("keydown", (event) => {
    if (event.key === "+") by(1.25);
    else if (event.key === "-") by(0.8);
    else if (event.key === "n") select((selected + 1) % boxes.length);
    else if (event.key === "p") select((selected + boxes.length - 1) % boxes.length);
    else if (event.key === "Enter") open(drawing.boxes[selected]?.at ?? null);
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
  const search = element("input", { type: "search", "aria-label": "Find a cell", placeholder: "Find a cell" });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const text = search.value.toLowerCase();
    const order = drawing.boxes.map((_, number) => (selected + 1 + number) % boxes.length);
    const found = order.find((number) => `${drawing.boxes[number]?.title} ${drawing.boxes[number]?.subtitle}`.toLowerCase().includes(text));
    if (found === undefined) status.textContent = `No cell is called ${search.value}.`;
    else select(found);
  });
  const actions = element("div", { class: "actions" }, search, button("Zoom in", () => by(1.25)), button("Zoom out", () => by(0.8)));
  const hint = element("p", { class: "policy" }, "In the schematic: + and - zoom, n and p select a cell, Enter shows its source, arrows scroll.");
  return [actions, frame, hint, cellTable(view)];
}

function boxShape(box: Box): SVGGElement {
  const { x, y, width, height } = box;
  const made = shape(
    "g",
    { class: `box ${box.kind}${box.at ? " linked" : ""}` },
    shape("title", {}, [box.title, box.subtitle].filter(Boolean).join(" · ")),
    shape("rect", { x, y, width, height, rx: box.kind === "port" ? 11 : 3 }),
    shape("text", { x: x + width / 2, y: y + 14, "text-anchor": "middle", class: "title" }, box.title),
    shape("text", { x: x + width / 2, y: y + 27, "text-anchor": "middle", class: "subtitle" }, box.subtitle),
    ...box.pins.map((pin) =>
      shape("text", { x: pin.x + (pin.isRight ? -4 : 4), y: pin.y + 4, "text-anchor": pin.isRight ? "end" : "start", class: "pin" }, pin.label),
    ),
  );
  made.addEventListener("click", () => open(box.at));
  return made;
}

function lineShape(line: Line): SVGGElement {
  const points = line.points.map(([x, y]) => `${x},${y}`).join(" ");
  const made = shape(
    "g",
    { class: `net${line.width > 1 ? " bus" : ""}${line.at ? " linked" : ""}` },
    shape("title", {}, `${line.net || "unnamed"} · ${line.width === 1 ? "1 bit" : `${line.width} bits`}`),
    shape("polyline", { points, class: "reach" }),
    shape("polyline", { points }),
  );
  made.addEventListener("click", () => open(line.at));
  return made;
}

function cellTable(view: SchematicView): Node {
  const label = ({ cell, port }: { cell: number | null; port: string }) => {
    const found = cell === null ? undefined : view.cells[cell];
    return found ? `${found.name || `${found.type} ${cell}`}.${port}` : port;
  };
  const cells = view.cells.map((cell, number) => row(linked(cell.name || `${cell.type} ${number}`, cell.at), cell.type));
  const nets = view.connections.map((one) => row(label(one.source), label(one.target), linked(one.net || "unnamed", one.at), String(one.width)));
  return element(
    "details",
    {},
    element("summary", {}, `As a table: ${view.cells.length} cells, ${view.connections.length} connections`),
    table(["Cell", "Type"], cells),
    table(["From", "To", "Net", "Bits"], nets),
  );
}

function sizes({ now, before, path }: DesignSize): Node[] {
  const facts: [string, (size: SizeView) => number][] = [
    ["Cells", (size) => size.cellCount],
    ["Bits of flip-flops", (size) => size.flipFlopBits],
    ["Bits of memories", (size) => size.memoryBits],
    ["Named nets", (size) => size.wires],
    ["Cells on the longest combinational path", (size) => size.longestPath],
  ];
  const rows = facts.map(([name, of]) => row(name, String(of(now)), before ? change(of(now) - of(before)) : "–"));
  const types = now.cells.map(({ type, count }) => row(type, String(count)));
  return [
    table(["With all below it", "Now", "Change"], rows),
    element("details", {}, element("summary", {}, "Cells by type"), table(["Type", "Number"], types)),
    element("details", {}, element("summary", {}, "Longest combinational path"), element("ol", {}, ...path.map((net) => element("li", {}, net)))),
  ];
}

function change(by: number): string {
  return by > 0 ? `+${by}` : String(by);
}

function registerTable({ registers, complete }: RegisterTable): Node[] {
  if (registers.length === 0) return [element("p", {}, "No register is written in this module itself.")];
  const rows = registers.map((one) => row(linked(one.name, one.written), one.type, clock(one), reset(one)));
  const cut = complete ? [] : [element("p", {}, `Only the first ${registers.length} are shown.`)];
  return [table(["Register", "Type", "Clock", "Reset"], rows), ...cut];
}

function clock({ edge, clock }: RegisterView): string {
  return clock === null ? "not clear" : `${edge} ${clock}`;
}

function reset({ reset, resetActive, resetAsynchronous, resetValue }: RegisterView): string {
  if (reset === null) return "none";
  return `${reset} at ${resetActive}, ${resetAsynchronous ? "asynchronous" : "synchronous"}, to ${resetValue}`;
}

function linked(text: string, at: FileRange | null): Node | string {
  if (!at) return text;
  const made = button(text, () => open(at));
  made.classList.add("link");
  return made;
}

function row(...cells: (Node | string)[]): HTMLTableRowElement {
  return element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));
}

function table(headings: readonly string[], rows: readonly HTMLTableRowElement[]): HTMLTableElement {
  const head = element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading)));
  return element("table", { class: "plain" }, element("thead", {}, head), element("tbody", {}, ...rows));
}
