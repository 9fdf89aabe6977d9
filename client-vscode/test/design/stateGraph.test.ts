import assert from "node:assert/strict";
import { test } from "node:test";
import ELK from "elkjs/lib/elk.bundled.js";
import type { StateMachineView } from "../../src/generated/protocol.ts";
import { stateDrawing, stateGraph } from "../../src/design/stateGraph.ts";

const state = (name: string, reachable = true) => ({ name, value: "2'b00", at: null, reachable });
const way = (source: number, target: number, condition = "") => ({ source, target, condition, at: null });
const MACHINE: StateMachineView = {
  ...{ path: "m.state", name: "state", type: "state_t", clock: "clk", edge: "posedge", declared: null, complete: true },
  ...{ reset: "rst_n", resetActive: 0, resetAsynchronous: true, resetState: 0 },
  states: [state("IDLE"), state("RUN"), state("LOST", false)],
  transitions: [way(0, 1, "go"), way(0, 0, "!go"), way(1, 0, "stop"), way(1, 0, "!stop && sel == 2'b11"), way(2, 0)],
};

test("all transitions between two states are one arrow, with the condition or their number", () => {
  const labels = stateGraph(MACHINE).edges?.map(({ sources, targets, labels }) => [...sources, ...targets, labels?.[0]?.text]);
  assert.deepEqual(labels, [
    ["s0", "s1", "go"],
    ["s0", "s0", "!go"],
    ["s1", "s0", "2 conditions"],
    ["s2", "s0", undefined],
    ["reset", "s0", "!rst_n"],
  ]);
});

test("a drawing has a place for every state and a line for every arrow, with all its conditions", async () => {
  const drawing = stateDrawing(MACHINE, await new ELK().layout(stateGraph(MACHINE)));
  assert.deepEqual(drawing.states.map(({ title, isReset, isUnreachable }) => [title, isReset, isUnreachable]), [
    ["IDLE", true, false],
    ["RUN", false, false],
    ["LOST", false, true],
  ]);
  assert.ok(drawing.arrows.every(({ points }) => points.length >= 2));
  assert.equal(drawing.arrows[2]?.conditions, "stop\n!stop && sel == 2'b11");
  assert.equal(drawing.arrows[3]?.conditions, "always");
  const overlaps = drawing.states.flatMap((one, number) => drawing.states.slice(number + 1).filter((other) => one.x === other.x && one.y === other.y));
  assert.deepEqual(overlaps, []);
});

test("a long condition is cut on its arrow, and whole beside it", () => {
  const condition = `a == ${"b".repeat(60)}`;
  const graph = stateGraph({ ...MACHINE, transitions: [way(0, 1, condition)] });
  assert.equal(graph.edges?.[0]?.labels?.[0]?.text?.length, 32);
});
