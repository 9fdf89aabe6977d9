import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellView, SchematicView } from "../../src/generated/protocol.ts";
import { drawing, layoutGraph } from "../../src/design/schematicGraph.ts";

const port = (name: string, direction: string, constant = "") => ({ name, direction, width: 4, constant });
const cell = (name: string, type: string): CellView => ({
  name,
  type,
  isInstance: name !== "",
  ports: [port("A", "input"), port("B", "input", "4'b0001"), port("Y", "output")],
  at: null,
});
const view = (targets: number): SchematicView => ({
  module: "m",
  instance: "m",
  ports: [port("in", "input"), port("out", "output")],
  cells: Array.from({ length: targets }, (_, number) => cell(number === 0 ? "u_first" : "", number === 0 ? "leaf" : "add")),
  connections: [
    ...Array.from({ length: targets }, (_, number) => ({
      source: { cell: null, port: "in" },
      target: { cell: number, port: "A" },
      net: "in",
      width: 4,
      at: null,
    })),
    { source: { cell: 0, port: "Y" }, target: { cell: null, port: "out" }, net: "", width: 2, at: null },
  ],
});

test("cells and ports of the module are boxes, and every connection leads from one pin to another", () => {
  const graph = layoutGraph(view(2));
  assert.deepEqual(graph.children?.map(({ id }) => id), ["c0", "c1", "m0", "m1"]);
  const ends = graph.edges?.map(({ sources, targets }) => [...sources, ...targets]);
  assert.deepEqual(ends, [["m0.0", "c0.0"], ["m0.0", "c1.0"], ["c0.2", "m1.0"]]);
});

test("a net with many loads is named at their pins instead of drawn", () => {
  const graph = layoutGraph(view(20));
  assert.equal(graph.edges?.length, 1);
  const drawn = drawing(view(20), graph);
  assert.equal(drawn.boxes[0]?.pins[0]?.label, "A ← in");
  assert.equal(drawn.boxes[0].pins[1]?.label, "B = 4'b0001");
  assert.deepEqual(drawn.lines.map(({ width }) => width), [2]);
});

test("an instance has its name, a cell of Yosys's its type", () => {
  const boxes = drawing(view(2), layoutGraph(view(2))).boxes.map(({ title, subtitle, kind }) => [title, subtitle, kind]);
  assert.deepEqual(boxes, [
    ["u_first", "leaf", "instance"],
    ["add", "", "cell"],
    ["in [4]", "", "port"],
    ["out [4]", "", "port"],
  ]);
});
