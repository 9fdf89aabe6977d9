import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstanceView } from "../../src/generated/protocol.ts";
import { instanceDescription, instanceIcon, instanceSpoken, instanceTooltip } from "../../src/language/instanceLabel.ts";

const START = { line: 0, character: 0 };

function instance(other: Partial<InstanceView> = {}): InstanceView {
  return {
    path: "top.u_core.g[2].u_alu",
    name: "g[2].u_alu",
    module: "alu",
    kind: "module",
    parameters: [
      { name: "W", value: "8" },
      { name: "T", value: "logic[3:0]" },
    ],
    instantiated: { uri: "file:///core.sv", start: START, end: START },
    declared: { uri: "file:///alu.sv", start: START, end: START },
    hasChildren: false,
    viewed: false,
    ...other,
  };
}

test("a row has the module and its parameters beside the name", () => {
  assert.equal(instanceDescription(instance()), "alu · W = 8, T = logic[3:0]");
  assert.equal(instanceDescription(instance({ parameters: [] })), "alu");
  assert.equal(instanceDescription(instance({ name: "alu", parameters: [] })), "");
});

test("a screen reader says what an instance is, and whether its module is viewed as it", () => {
  assert.equal(instanceSpoken(instance()), "g[2].u_alu, instance of the module alu, W = 8, T = logic[3:0]");
  assert.match(instanceSpoken(instance({ viewed: true })), /, its module is viewed as this instance$/);
  assert.equal(instanceSpoken(instance({ name: "top", instantiated: null, parameters: [] })), "top, top module");
  assert.match(instanceSpoken(instance({ kind: "unknown" })), /instance of alu, which no file declares/);
});

test("the tooltip begins with the whole path and has a line for each parameter", () => {
  assert.equal(instanceTooltip(instance()), "top.u_core.g[2].u_alu\nModule: alu (module)\nW = 8\nT = logic[3:0]");
});

test("interfaces, unknown modules and viewed instances have icons of their own", () => {
  const icons = [{}, { kind: "interface" }, { kind: "unknown" }, { viewed: true }].map((one) => instanceIcon(instance(one)));
  assert.equal(new Set(icons).size, icons.length);
});
