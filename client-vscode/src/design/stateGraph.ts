import { t } from "@vscode/l10n";
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { FileRange, StateMachineView, TransitionView } from "../generated/protocol.ts";

/** A state of a drawing; lengths in pixels at 100 %. */
export interface StateBox {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isReset: boolean;
  readonly isUnreachable: boolean;
  readonly at: FileRange | null;
}

/** All transitions from one state to another as one arrow. */
export interface Arrow {
  readonly points: readonly Point[];
  readonly label: string;
  readonly labelAt: Point;
  /** All conditions, one per line. */
  readonly conditions: string;
  readonly isReset: boolean;
  readonly at: FileRange | null;
}

type Point = readonly [number, number];

/** A state machine with the place of everything. */
export interface StateDrawing {
  readonly width: number;
  readonly height: number;
  readonly states: readonly StateBox[];
  readonly arrows: readonly Arrow[];
}

const LETTER = 7;
const HEIGHT = 34;
const LONGEST_LABEL = 32;
const RESET = "reset";

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "POLYLINE",
  "elk.layered.spacing.nodeNodeBetweenLayers": "36",
  "elk.spacing.nodeNode": "40",
  "elk.spacing.edgeLabel": "4",
  "elk.layered.spacing.edgeNodeBetweenLayers": "18",
  "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",
  "elk.edgeLabels.inline": "false",
};

/** What ELK lays out: states by their number, the reset, and one edge for all transitions between two states. */
export function stateGraph(machine: StateMachineView): ElkNode {
  const nodes = machine.states.map(({ name }, number): ElkNode => {
    return { id: `s${number}`, width: Math.max(60, name.length * LETTER + 28), height: HEIGHT };
  });
  const edges = arrowsOf(machine).map(({ source, target, label }, number): ElkExtendedEdge => {
    const labels = label ? [{ id: `l${number}`, text: label, width: label.length * LETTER, height: 14 }] : [];
    return { id: `e${number}`, sources: [`s${source}`], targets: [`s${target}`], labels };
  });
  if (machine.resetState !== null) {
    nodes.push({ id: RESET, width: 14, height: 14, layoutOptions: { "elk.layered.layering.layerConstraint": "FIRST" } });
    const label = resetLabel(machine);
    const labels = [{ id: "lr", text: label, width: label.length * LETTER, height: 14 }];
    edges.push({ id: RESET, sources: [RESET], targets: [`s${machine.resetState}`], labels });
  }
  return { id: "machine", layoutOptions: OPTIONS, children: nodes, edges };
}

/** The drawing of a state machine that ELK has laid out. */
export function stateDrawing(machine: StateMachineView, laidOut: ElkNode): StateDrawing {
  const placed = new Map((laidOut.children ?? []).map((node) => [node.id, node]));
  const states = machine.states.map(({ name, at, reachable }, number): StateBox => {
    const { x = 0, y = 0, width = 0, height = 0 } = placed.get(`s${number}`) ?? {};
    return { title: name, x, y, width, height, isReset: number === machine.resetState, isUnreachable: reachable === false, at };
  });
  const known = arrowsOf(machine);
  const arrows = (laidOut.edges ?? []).map((edge): Arrow => {
    const points = (edge.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
      [startPoint, ...bendPoints, endPoint].map(({ x, y }): Point => [x, y]),
    );
    const { text = "", x = 0, y = 0, width = 0 } = edge.labels?.[0] ?? {};
    const drawn = { points, label: text, labelAt: [x + width / 2, y + 11] as const };
    if (edge.id === RESET) return { ...drawn, conditions: text, isReset: true, at: machine.declared };
    const { conditions = "", at = null } = known[Number(edge.id.slice(1))] ?? {};
    return { ...drawn, conditions, isReset: false, at };
  });
  return { width: laidOut.width ?? 0, height: laidOut.height ?? 0, states, arrows };
}

interface Merged {
  readonly source: number;
  readonly target: number;
  readonly label: string;
  readonly conditions: string;
  readonly at: FileRange | null;
}

/** One arrow for all transitions between two states. */
function arrowsOf({ transitions }: StateMachineView): Merged[] {
  const between = new Map<string, TransitionView[]>();
  for (const one of transitions) {
    const key = `${one.source} ${one.target}`;
    between.set(key, [...(between.get(key) ?? []), one]);
  }
  return [...between.values()].flatMap((all): Merged[] => {
    const [first] = all;
    if (!first) return [];
    const { source, target } = first;
    const at = all.find((one) => one.at !== null)?.at ?? null;
    return [{ source, target, label: label(all.map(({ condition }) => condition)), conditions: all.map(conditionText).join("\n"), at }];
  });
}

function label(conditions: readonly string[]): string {
  const [first = ""] = conditions;
  if (conditions.length > 1) return t("{0} conditions", conditions.length);
  return first.length > LONGEST_LABEL ? `${first.slice(0, LONGEST_LABEL - 1)}…` : first;
}

/** The condition of a transition in words. */
export function conditionText({ condition }: TransitionView): string {
  return condition || t("always");
}

/** The signal that resets a machine, with its level where that is 0. */
export function resetLabel({ reset, resetActive }: StateMachineView): string {
  return resetActive === 0 ? `!${reset}` : (reset ?? "");
}
