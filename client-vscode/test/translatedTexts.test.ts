import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { config } from "@vscode/l10n";
import type { ReplayView } from "../src/generated/protocol.ts";
import { attempt, study } from "./samples.ts";

// Constants of the modules are made of translated words, so the language comes first.
const bundle = JSON.parse(readFileSync(new URL("../l10n/bundle.l10n.de.json", import.meta.url), "utf8")) as Record<string, string>;
config({ contents: bundle });
const { answerLength } = await import("../src/answerFile.ts");
const { doctorPage, serverMissingPage } = await import("../src/doctorPage.ts");
const { markText, stretches } = await import("../src/replayText.ts");
const { conditionSentence, deliverySentences, progressText, taskFacts } = await import("../src/studyText.ts");

test("an edit is told by its length and origin in the order of the language", () => {
  const edit = { seq: 1, atS: 0, kind: "edit", path: "rtl/a.sv", length: 42 } as const;
  assert.equal(markText({ ...edit, origin: "paste" }), "rtl/a.sv: 42 Zeichen: eingefügt");
  assert.equal(markText({ ...edit, origin: "completion", length: 1 }), "rtl/a.sv: 1 Zeichen: Vervollständigung eines Assistenten");
  assert.equal(markText({ ...edit, origin: "typed", length: 0 }), "rtl/a.sv: Text gelöscht: getippt");
});

test("a run's outcome is translated, a person's reason for a pause is not", () => {
  const view: Pick<ReplayView, "runs" | "pauses"> = {
    runs: [
      { fromS: 5, toS: 6, what: "failed" },
      { fromS: 7, toS: 8, what: "" },
    ],
    pauses: [{ fromS: 1, toS: 2, what: "coffee" }],
  };
  assert.deepEqual(
    stretches(view as ReplayView).map(({ text }) => text),
    ["Pause (coffee): 00:01 bis 00:02", "Lauf 1, nicht bestanden: 00:05 bis 00:06", "Lauf 2, ohne Ergebnis: 00:07 bis 00:08"],
  );
});

test("a study's rules, conditions and deliveries are whole sentences of the language", () => {
  const facts = Object.fromEntries(taskFacts(study(), attempt({ runs: 1, runsAllowed: 3, timeLimitS: 1800 })));
  assert.equal(facts["Uhr der Aufgabe"], "läuft");
  assert.equal(facts.Testläufe, "1 von 3");
  assert.equal(facts.Zeitlimit, "30:00 aktive Zeit; Pausen zählen nicht");
  assert.equal(progressText({ practice: false, position: 2, total: 3 }), "Aufgabe 2 von 3");
  const names = conditionSentence({ solver: "human+copilot", assistants: ["a.b", "c.d", "benchwright"] });
  assert.equal(names, "In dieser Aufgabe dürfen Sie Folgendes verwenden: a.b, c.d und die Vervollständigung von Benchwright.");
  const delivered = (tries: number) => deliverySentences({ dataTo: "/lab", delivery: { arrived: false, tries, told: "No." } });
  assert.match(delivered(1)[0]!, /^Ihre Aufzeichnungen sind nach einem Versuch noch nicht übermittelt\. Es geht nichts verloren/);
  assert.match(delivered(2)[0]!, /nach 2 Versuchen/);
});

test("the doctor's page numbers its steps, and keeps what the server says", () => {
  assert.match(serverMissingPage("It failed."), /^It failed\.$[^]*^1\. Führen[^]*^5\. Startet/m);
  const item = { name: "bwrap", status: "missing", version: null, path: null, neededFor: "hidden tests", hint: "install it" };
  assert.match(doctorPage({ ok: false, items: [item] }), /^- \*\*bwrap\*\* \(fehlt\): benötigt für hidden tests\. Install it\.$/m);
});

test("one word and several words differ", () => {
  assert.equal(answerLength({ words: 1, tokens: 2 }), "1 Wort, 2 Tokens");
});
