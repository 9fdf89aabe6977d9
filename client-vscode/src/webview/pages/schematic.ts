import { t } from "@vscode/l10n";
import type { DesignSize, FileRange, RegisterTable, RegisterView, SchematicView, SizeView } from "../../generated/protocol.ts";
import type { Box, Drawing, Line } from "../../design/schematicGraph.ts";
import type { Failure, FromModulePage, ToModulePage } from "../../design/modulePanel.ts";
import { connect } from "../connection.ts";
import { drawingFrame } from "../drawingFrame.ts";
import { element, emptyState, linkButton, main } from "../elements.ts";
import { shape } from "../svg.ts";
import { row, table } from "../table.ts";

/** The schematic of a module, with the place of everything. */
export interface DrawnSchematic {
  readonly view: SchematicView;
  readonly drawing: Drawing;
}

export interface SchematicPage {
  readonly title: string;
  readonly drawn: DrawnSchematic | Failure;
  readonly size: DesignSize | Failure;
  readonly registers: RegisterTable | Failure;
}

const status = element("p", { role: "status" }, t("Loading …"));
const body = element("div");
main().append(status, body);

const send = connect<ToModulePage<SchematicPage>, FromModulePage>((message) => {
  if (message.type === "loading") {
    status.textContent = t("Loading …");
    return;
  }
  const { title, drawn, size, registers } = message.page;
  status.textContent = "";
  body.replaceChildren(
    element("h1", {}, title),
    ...("failure" in drawn ? [element("p", { class: "headline error" }, drawn.failure)] : schematic(drawn.view, drawn.drawing)),
    element("h2", {}, t("Size")),
    ...("failure" in size ? [element("p", {}, size.failure)] : sizes(size)),
    element("h2", {}, t("Registers")),
    ...("failure" in registers ? [element("p", {}, registers.failure)] : registerTable(registers)),
  );
});

function open(at: FileRange | null): void {
  if (at) send({ type: "open", at });
}

function schematic(view: SchematicView, drawing: Drawing): Node[] {
  const { width, height } = drawing;
  const parts = drawing.boxes.map((box) => ({
    shape: boxShape(box),
    text: [box.title, box.subtitle].filter(Boolean).join(", "),
    open: () => open(box.at),
  }));
  const drawn = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("Schematic of {0}; the same as a table is below", view.module) },
    ...drawing.lines.map((line) => lineShape(line)),
    ...parts.map((part) => part.shape),
  );
  return [...drawingFrame({ drawn, width, height, label: t("Schematic"), parts, kind: "cell", status }), cellTable(view)];
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
    shape("title", {}, `${line.net || t("unnamed")} · ${line.width === 1 ? t("1 bit") : t("{0} bits", line.width)}`),
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
  const nets = view.connections.map((one) => row(label(one.source), label(one.target), linked(one.net || t("unnamed"), one.at), String(one.width)));
  return element(
    "details",
    {},
    element("summary", {}, t("As a table: {0} cells, {1} connections", view.cells.length, view.connections.length)),
    table([t("Cell"), t("Type")], cells),
    table([t("From"), t("To"), t("Net"), t("Bits")], nets),
  );
}

function sizes({ now, before, path }: DesignSize): Node[] {
  const facts: [string, (size: SizeView) => number][] = [
    [t("Cells"), (size) => size.cellCount],
    [t("Bits of flip-flops"), (size) => size.flipFlopBits],
    [t("Bits of memories"), (size) => size.memoryBits],
    [t("Named nets"), (size) => size.wires],
    [t("Cells on the longest combinational path"), (size) => size.longestPath],
  ];
  const rows = facts.map(([name, of]) => row(name, String(of(now)), before ? change(of(now) - of(before)) : "–"));
  const types = now.cells.map(({ type, count }) => row(type, String(count)));
  return [
    table([t("With all below it"), t("Now"), t("Change")], rows),
    element("details", {}, element("summary", {}, t("Cells by type")), table([t("Type"), t("Number")], types)),
    element("details", {}, element("summary", {}, t("Longest combinational path")), element("ol", {}, ...path.map((net) => element("li", {}, net)))),
  ];
}

function change(by: number): string {
  return by > 0 ? `+${by}` : String(by);
}

function registerTable({ registers, complete }: RegisterTable): Node[] {
  if (registers.length === 0) return [emptyState(t("No register is written in this module itself. Put the cursor in a module with an always_ff, and show its schematic."))];
  const rows = registers.map((one) => row(linked(one.name, one.written), one.type, clock(one), reset(one)));
  const cut = complete ? [] : [element("p", {}, t("Only the first {0} are shown.", registers.length))];
  return [table([t("Register"), t("Type"), t("Clock"), t("Reset")], rows), ...cut];
}

function clock({ edge, clock }: RegisterView): string {
  return clock === null ? t("not clear") : `${edge} ${clock}`;
}

function reset({ reset, resetActive, resetAsynchronous, resetValue }: RegisterView): string {
  if (reset === null) return t("none");
  const kind = resetAsynchronous ? t("asynchronous") : t("synchronous");
  return t("{0} at {1}, {2}, to {3}", reset, resetActive ?? "", kind, resetValue ?? "");
}

function linked(text: string, at: FileRange | null): Node | string {
  return at ? linkButton(text, () => open(at)) : text;
}
