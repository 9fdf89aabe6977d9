import { t } from "@vscode/l10n";
import type { FileRange, StateMachineView } from "../../generated/protocol.ts";
import type { Failure, FromModulePage, ToModulePage } from "../../design/modulePanel.ts";
import { conditionText, resetLabel, type Arrow, type StateBox, type StateDrawing } from "../../design/stateGraph.ts";
import { connect } from "../connection.ts";
import { drawingFrame } from "../drawingFrame.ts";
import { element, emptyState, linkButton, main } from "../elements.ts";
import { shape } from "../svg.ts";
import { row, table } from "../table.ts";

/** The state machines of a module, with their drawings. */
export interface DrawnMachines {
  readonly module: string;
  readonly machines: readonly { readonly machine: StateMachineView; readonly drawing: StateDrawing }[];
}

export interface StateMachinesPage {
  readonly title: string;
  readonly drawn: DrawnMachines | Failure;
}

const ARROW = 7;
const status = element("p", { role: "status" }, t("Loading …"));
const body = element("div");
main().append(status, body);

const send = connect<ToModulePage<StateMachinesPage>, FromModulePage>((message) => {
  if (message.type === "loading") {
    status.textContent = t("Loading …");
    return;
  }
  const { title, drawn } = message.page;
  status.textContent = "";
  body.replaceChildren(element("h1", {}, title), ...content(drawn));
});

function content(drawn: DrawnMachines | Failure): Node[] {
  if ("failure" in drawn) return [element("p", { class: "headline error" }, drawn.failure)];
  if (drawn.machines.length === 0) return [emptyState(t("No state machine was recognised in this module itself. Put the cursor in the module whose case is about a state, and show them again."))];
  return drawn.machines.flatMap(({ machine, drawing }) => section(machine, drawing));
}

function open(at: FileRange | null): void {
  if (at) send({ type: "open", at });
}

function section(machine: StateMachineView, drawing: StateDrawing): Node[] {
  const parts = drawing.states.map((one) => ({
    shape: stateShape(one),
    text: [one.title, one.isReset ? t("after reset") : "", one.isUnreachable ? t("never reached") : ""].filter(Boolean).join(", "),
    open: () => open(one.at),
  }));
  const drawn = shape(
    "svg",
    {
      viewBox: `0 0 ${drawing.width} ${drawing.height}`,
      role: "img",
      "aria-label": t("States of {0}; the same as a table is below", machine.name),
    },
    ...drawing.arrows.map((one) => arrowShape(one)),
    ...parts.map((part) => part.shape),
  );
  const { width, height } = drawing;
  return [
    element("h2", {}, linked(machine.name, machine.declared)),
    element("p", {}, facts(machine)),
    ...warnings(machine).map((text) => element("p", { class: "headline error" }, text)),
    ...drawingFrame({ drawn, width, height, label: t("States of {0}", machine.name), parts, kind: "state", status }),
    tables(machine),
  ];
}

function facts(machine: StateMachineView): string {
  const { states, resetState, resetAsynchronous, clock, edge, type } = machine;
  const timing = clock === null ? t("clock not clear") : `${edge} ${clock}`;
  const after = resetState === null ? undefined : states[resetState]?.name;
  const kind = resetAsynchronous ? t("asynchronous") : t("synchronous");
  return [type, timing, after === undefined ? t("no reset") : t("{0} resets to {1}, {2}", resetLabel(machine), after, kind)].join(" · ");
}

function warnings({ states, transitions, complete }: StateMachineView): string[] {
  const unreachable = states.filter(({ reachable }) => reachable === false).map(({ name }) => name);
  const dead = states.filter((_, number) => {
    const ways = transitions.filter(({ source }) => source === number);
    return complete && ways.every(({ target }) => target === number);
  });
  return [
    ...(unreachable.length > 0 ? [t("Never reached from the reset: {0}.", unreachable.join(", "))] : []),
    ...(dead.length > 0 ? [t("Only a reset leads out of {0}.", dead.map(({ name }) => name).join(", "))] : []),
    ...(complete ? [] : [t("Not all transitions are known: the register also gets values that the state alone doesn't decide.")]),
  ];
}

function stateShape(one: StateBox): SVGGElement {
  const { x, y, width, height, title } = one;
  const kinds = ["box", "state", one.isReset && "begin", one.isUnreachable && "unreachable", one.at && "linked"];
  const made = shape(
    "g",
    { class: kinds.filter(Boolean).join(" ") },
    shape("title", {}, one.isUnreachable ? `${title} · ${t("never reached")}` : title),
    shape("rect", { x, y, width, height, rx: height / 2 }),
    shape("text", { x: x + width / 2, y: y + height / 2 + 4, "text-anchor": "middle", class: "title" }, title),
  );
  made.addEventListener("click", () => open(one.at));
  return made;
}

function arrowShape(one: Arrow): SVGGElement {
  const points = one.points.map(([x, y]) => `${x},${y}`).join(" ");
  const [x, y] = one.labelAt;
  const begin = one.isReset && one.points[0] ? [shape("circle", { cx: one.points[0][0] - 5, cy: one.points[0][1], r: 5 })] : [];
  const made = shape(
    "g",
    { class: `net${one.at ? " linked" : ""}` },
    shape("title", {}, one.conditions),
    shape("polyline", { points, class: "reach" }),
    shape("polyline", { points }),
    shape("polygon", { points: head(one.points) }),
    ...begin,
    shape("text", { x, y, "text-anchor": "middle", class: "pin" }, one.label),
  );
  made.addEventListener("click", () => open(one.at));
  return made;
}

/** The three corners of the head of an arrow. */
function head(points: Arrow["points"]): string {
  const [x, y] = points.at(-1) ?? [0, 0];
  const [fromX, fromY] = points.at(-2) ?? [0, 0];
  const angle = Math.atan2(y - fromY, x - fromX);
  const corner = (turn: number) => `${x - ARROW * Math.cos(angle + turn)},${y - ARROW * Math.sin(angle + turn)}`;
  return `${x},${y} ${corner(0.45)} ${corner(-0.45)}`;
}

function tables(machine: StateMachineView): Node {
  const { states, transitions, resetState } = machine;
  const name = (number: number) => states[number]?.name ?? "";
  const stateRows = states.map((one, number) => {
    const note = number === resetState ? t("after reset") : one.reachable === false ? t("never reached") : "";
    return row(linked(one.name, one.at), one.value, note);
  });
  const rows = transitions.map((one) => row(name(one.source), name(one.target), linked(conditionText(one), one.at)));
  return element(
    "details",
    {},
    element("summary", {}, t("As a table: {0} states, {1} transitions", states.length, transitions.length)),
    table([t("State"), t("Value"), t("Note")], stateRows),
    table([t("From"), t("To"), t("If")], rows),
  );
}

function linked(text: string, at: FileRange | null): Node | string {
  return at ? linkButton(text, () => open(at)) : text;
}
