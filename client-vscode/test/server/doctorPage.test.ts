import assert from "node:assert/strict";
import { test } from "node:test";
import { doctorPage, serverMissingPage } from "../../src/server/doctorPage.ts";

const OK = {
  name: "iverilog",
  status: "ok",
  version: "12.0",
  path: "/usr/bin/iverilog",
  neededFor: "hidden tests",
  hint: null,
};

test("everything found needs no next steps", () => {
  const page = doctorPage({ ok: true, items: [OK] });
  assert.doesNotMatch(page, /Next steps/);
  assert.match(page, /^\| iverilog \| ok \| 12\.0 \| hidden tests \|$/m);
});

test("what is missing comes first, with what it disables and the next step", () => {
  const missing = { ...OK, name: "bwrap", status: "missing", version: null, path: null, hint: "Install bubblewrap." };
  const page = doctorPage({ ok: false, items: [OK, missing] });
  assert.match(page, /^- \*\*bwrap\*\* \(missing\): needed for hidden tests\. Install bubblewrap\.$/m);
  assert.ok(page.indexOf("bwrap") < page.indexOf("| iverilog"));
});

test("a hint is a sentence, with commands as code", () => {
  const hint = "none is set up: see `docs/a_b.md`, or `benchwright judge grade` for *people*";
  const page = doctorPage({ ok: true, items: [{ ...OK, status: "warning", hint }] });
  assert.ok(
    page.includes("hidden tests. None is set up: see `docs/a_b.md`, or `benchwright judge grade` for \\*people\\*.\n"),
    page,
  );
});

test("a single backtick in a hint is no markup", () => {
  const page = doctorPage({ ok: true, items: [{ ...OK, status: "warning", hint: "the `path" }] });
  assert.ok(page.includes("hidden tests. The \\`path.\n"), page);
});

test("markup in a text is shown, not followed", () => {
  const page = doctorPage({ ok: true, items: [{ ...OK, version: "<img src=x> | [a](b)\nnext" }] });
  assert.match(page, /\\<img src=x\\> \\\| \\\[a\\\]\(b\) next/);
});

test("without a server the page names the setting and the way to install", () => {
  const page = serverMissingPage("It did not start (tried: /x/benchwright).");
  assert.match(page, /\.\/run/);
  assert.match(page, /benchwright\.server\.command/);
  assert.match(page, /\/x\/benchwright/);
});
