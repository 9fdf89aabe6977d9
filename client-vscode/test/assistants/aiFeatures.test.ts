import assert from "node:assert/strict";
import { test } from "node:test";
import { AI_SETTINGS, isAiExtension, isOn, switchedOff } from "../../src/assistants/aiFeatures.ts";

const setting = (key: string) => AI_SETTINGS.find((one) => one.key === key)!;

test("a feature is on unless its setting switches it off", () => {
  assert.equal(isOn(setting("editor.inlineSuggest.enabled"), true), true);
  assert.equal(isOn(setting("editor.inlineSuggest.enabled"), false), false);
  assert.equal(isOn(setting("chat.disableAIFeatures"), false), true);
  assert.equal(isOn(setting("chat.disableAIFeatures"), true), false);
  assert.equal(isOn(setting("github.copilot.enable"), { "*": false, systemverilog: true }), true);
  assert.equal(isOn(setting("github.copilot.enable"), { "*": false }), false);
});

test("switching off reaches every language that a setting names", () => {
  const copilot = setting("github.copilot.enable");
  const off = switchedOff(copilot, { "*": true, systemverilog: true, plaintext: false });
  assert.deepEqual(off, { "*": false, systemverilog: false, plaintext: false });
  assert.equal(isOn(copilot, off), false);
  for (const one of AI_SETTINGS) assert.equal(isOn(one, switchedOff(one, undefined)), false, one.key);
});

test("extensions that write code by a model are known by id or by what they say of themselves", () => {
  assert.equal(isAiExtension("GitHub.copilot", ["Other"]), true);
  assert.equal(isAiExtension("someone.new", ["Programming Languages", "AI"]), true);
  assert.equal(isAiExtension("mshr-h.veriloghdl", ["Programming Languages"]), false);
  assert.equal(isAiExtension("someone.odd", undefined), false);
});
