import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface LanguageConfiguration {
  readonly indentationRules: { readonly increaseIndentPattern: string };
  readonly folding: { readonly markers: { readonly start: string; readonly end: string } };
}

const configuration = JSON.parse(readFileSync(new URL("../languages/verilog.json", import.meta.url), "utf8")) as LanguageConfiguration;
const deeper = new RegExp(configuration.indentationRules.increaseIndentPattern);
const { start, end } = configuration.folding.markers;

for (const line of [
  "always_ff @(posedge clk) begin : count",
  "module top #(",
  "  case (state)",
  "  fork",
  "function automatic logic f(input logic a);",
]) {
  test(`the line after "${line}" is indented`, () => assert.match(line, deeper));
}

for (const line of [
  "if (a) begin b = c; end",
  "assign a = b;  // begin",
  "typedef class packet;",
  "import bus_pkg::*;",
  "disable fork;",
  "wait fork;",
  "logic endings;",
]) {
  test(`the line after "${line}" is not indented`, () => assert.doesNotMatch(line, deeper));
}

test("regions and conditional text can be folded", () => {
  for (const line of ["// region ports", "//#region", "  `ifdef SYNTHESIS"]) assert.match(line, new RegExp(start));
  for (const line of ["// endregion", "`endif // SYNTHESIS"]) assert.match(line, new RegExp(end));
  assert.doesNotMatch("// regional", new RegExp(start));
});
