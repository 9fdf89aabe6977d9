import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { CellEnd, CellView, FileRange, PortView, SchematicView } from "../generated/protocol.ts";

/** A box of a drawing; lengths in pixels at 100 %. */
export interface Box {
  readonly kind: "cell" | "instance" | "port";
  readonly title: string;
  readonly subtitle: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly pins: readonly Pin[];
  readonly at: FileRange | null;
}

export interface Pin {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly isRight: boolean;
}

export interface Line {
  readonly points: readonly (readonly [number, number])[];
  readonly net: string;
  readonly width: number;
  readonly at: FileRange | null;
}

/** A schematic with the place of everything. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** A net that drives more pins than this, such as a clock, is named at each of them and not drawn. */
const MOST_DRAWN = 8;
const LETTER = 7;
const PIN = 16;
const TITLE = 34;

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.spacing.nodeNodeBetweenLayers": "30",
  "elk.spacing.nodeNode": "18",
  // These trade some crossings for time: large drawings are laid out in seconds.
  "elk.layered.thoroughness": "1",
  "elk.layered.layering.strategy": "LONGEST_PATH",
  "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",
  "elk.layered.nodePlacement.strategy": "SIMPLE",
  "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
};

/** What ELK lays out: cells by their number, ports of the module after them. */
export function layoutGraph(view: SchematicView): ElkNode {
  const { cells, ports, connections } = view;
  const named = namedNets(view);
  const nodes = [...cells.map((cell, number) => cellNode(cell, number, named)), ...ports.map((port, number) => portNode(port, number, named))];
  const places = new Map(ports.map(({ name }, number) => [name, number]));
  const id = ({ cell, port }: CellEnd) => (cell === null ? `m${places.get(port) ?? 0}.0` : `c${cell}.${pinNumber(cells[cell], port)}`);
  const edges = connections.flatMap(({ source, target }, number): ElkExtendedEdge[] =>
    named.has(key(target)) ? [] : [{ id: `e${number}`, sources: [id(source)], targets: [id(target)] }],
  );
  return { id: "module", layoutOptions: OPTIONS, children: nodes, edges };
}

function pinNumber(cell: CellView | undefined, port: string): number {
  return cell?.ports.findIndex(({ name }) => name === port) ?? 0;
}

/** The names of the nets at pins where no line is drawn. */
function namedNets({ cells, connections }: SchematicView): Map<string, string> {
  const fanOut = new Map<string, number>();
  for (const { source } of connections) fanOut.set(key(source), (fanOut.get(key(source)) ?? 0) + 1);
  const wide = connections.filter(({ source }) => (fanOut.get(key(source)) ?? 0) > MOST_DRAWN);
  return new Map(
    wide.map(({ source, target, net }) => {
      const cell = source.cell === null ? undefined : cells[source.cell];
      return [key(target), net || `${cell ? cellTitle(cell) : ""}.${source.port}`];
    }),
  );
}

function key({ cell, port }: CellEnd): string {
  return `${cell ?? "m"}.${port}`;
}

function cellNode(cell: CellView, number: number, named: ReadonlyMap<string, string>): ElkNode {
  const sides = [false, true].map((right) => cell.ports.filter((port) => isRight(port) === right));
  const widest = sides.map((side) => Math.max(0, ...side.map((port) => pinLabel(port, named.get(`${number}.${port.name}`)).length)));
  const title = Math.max(cellTitle(cell).length, cellSubtitle(cell).length);
  const width = Math.max(title, (widest[0] ?? 0) + (widest[1] ?? 0) + 2) * LETTER + 12;
  const height = TITLE + PIN * Math.max(1, ...sides.map((side) => side.length));
  const counts = [0, 0];
  return {
    id: `c${number}`,
    width,
    height,
    layoutOptions: { "elk.portConstraints": "FIXED_POS" },
    ports: cell.ports.map((port, pin) => {
      const right = isRight(port);
      const y = TITLE + PIN * (counts[Number(right)] ?? 0) + PIN / 2 - 2;
      counts[Number(right)] = (counts[Number(right)] ?? 0) + 1;
      return { id: `c${number}.${pin}`, x: right ? width : 0, y, width: 0, height: 0, layoutOptions: { "elk.port.side": right ? "EAST" : "WEST" } };
    }),
  };
}

function portNode(port: PortView, number: number, named: ReadonlyMap<string, string>): ElkNode {
  const isOutput = port.direction === "output";
  const width = portLabel(port, named.get(`m.${port.name}`)).length * LETTER + 16;
  return {
    id: `m${number}`,
    width,
    height: 22,
    layoutOptions: { "elk.portConstraints": "FIXED_POS", "elk.layered.layering.layerConstraint": isOutput ? "LAST" : "FIRST" },
    ports: [{ id: `m${number}.0`, x: isOutput ? 0 : width, y: 11, width: 0, height: 0, layoutOptions: { "elk.port.side": isOutput ? "WEST" : "EAST" } }],
  };
}

/** The drawing of a schematic that ELK has laid out. */
export function drawing(view: SchematicView, laidOut: ElkNode): Drawing {
  const count = view.cells.length;
  const named = namedNets(view);
  const boxes = (laidOut.children ?? []).map((node, number): Box => {
    const { x = 0, y = 0, width = 0, height = 0 } = node;
    const place = { x, y, width, height };
    const cell = view.cells[number];
    if (number < count && cell) {
      const pins = cell.ports.map((port, pin): Pin => {
        const at = node.ports?.[pin];
        return { label: pinLabel(port, named.get(`${number}.${port.name}`)), x: x + (at?.x ?? 0), y: y + (at?.y ?? 0), isRight: isRight(port) };
      });
      const kind = cell.isInstance ? "instance" : "cell";
      return { kind, title: cellTitle(cell), subtitle: cellSubtitle(cell), ...place, pins, at: cell.at };
    }
    const port = view.ports[number - count];
    const net = port && named.get(`m.${port.name}`);
    return { kind: "port", title: port ? portLabel(port, net) : "", subtitle: "", ...place, pins: [], at: null };
  });
  const lines = (laidOut.edges ?? []).map((edge): Line => {
    const connection = view.connections[Number(edge.id.slice(1))];
    const points = (edge.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
      [startPoint, ...bendPoints, endPoint].map(({ x, y }): [number, number] => [x, y]),
    );
    return { points, net: connection?.net ?? "", width: connection?.width ?? 1, at: connection?.at ?? null };
  });
  return { width: laidOut.width ?? 0, height: laidOut.height ?? 0, boxes, lines };
}

function isRight({ direction }: PortView): boolean {
  return direction === "output";
}

function pinLabel({ name, constant }: PortView, net = ""): string {
  if (net) return `${name} ← ${net}`;
  return constant ? `${name} = ${constant}` : name;
}

function portLabel({ name, width }: PortView, net = ""): string {
  if (net && net !== name) return `${name} ← ${net}`;
  return width > 1 ? `${name} [${width}]` : name;
}

export function cellTitle({ name, type }: CellView): string {
  return name || type;
}

function cellSubtitle({ name, type }: CellView): string {
  return name ? type : "";
}
