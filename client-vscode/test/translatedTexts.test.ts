import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { config } from "@vscode/l10n";
import type { ReplayView } from "../src/generated/protocol.ts";
import { attempt, study } from "./samples.ts";

// Constants of the modules are made of translated words, so the language comes first.
const bundle = JSON.parse(readFileSync(new URL("../l10n/bundle.l10n.de.json", import.meta.url), "utf8")) as Record<string, string>;
config({ contents: bundle });
const { answerLength } = await import("../src/questions/answerFile.ts");
const { statusText } = await import("../src/assistants/chatText.ts");
const { doctorPage, serverMissingPage } = await import("../src/server/doctorPage.ts");
const { explain } = await import("../src/installation/failures.ts");
const { progressOf } = await import("../src/installation/installer.ts");
const { instanceSpoken } = await import("../src/language/instanceLabel.ts");
const { toggleSummary } = await import("../src/runs/ownTestText.ts");
const { markText, stretches } = await import("../src/attempts/replayText.ts");
const { conditionSentence, deliverySentences, progressText, taskFacts } = await import("../src/studies/studyText.ts");

test("an edit is told by its length and origin in the order of the language", () => {
  const edit = { seq: 1, atS: 0, kind: "edit", path: "rtl/a.sv", length: 42 } as const;
  assert.equal(markText({ ...edit, origin: "paste" }), "rtl/a.sv: 42 Zeichen: eingefügt");
  assert.equal(markText({ ...edit, origin: "completion", length: 1 }), "rtl/a.sv: 1 Zeichen: Vervollständigung eines Assistenten");
  assert.equal(markText({ ...edit, origin: "typed", length: 0 }), "rtl/a.sv: Text gelöscht: getippt");
});

test("a run's outcome is translated, a person's reason for a pause is not", () => {
  const view: Pick<ReplayView, "runs" | "pauses"> = {
    runs: [
      { fromS: 5, toS: 6, what: "failed", run: 1 },
      { fromS: 7, toS: 8, what: "superseded", run: 2 },
    ],
    pauses: [{ fromS: 1, toS: 2, what: "coffee" }],
  };
  assert.deepEqual(
    stretches(view as ReplayView).map(({ text }) => text),
    ["Pause (coffee): 00:01 bis 00:02", "Lauf 1, nicht bestanden: 00:05 bis 00:06", "Lauf 2, überholt: 00:07 bis 00:08"],
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
  assert.equal(answerLength({ words: 1 }), "1 Wort");
});

test("a status in the chat has the server's word for its state and the numbers in sentences of the language", () => {
  const text = statusText({ state: "running", runs: 2, runs_allowed: 5, active_s: 61 });
  assert.equal(text, "- Zustand: läuft\n- Läufe der verborgenen Tests: 2 von 5\n- Arbeitszeit: 1 Minute 1 Sekunde");
});

test("what pip does is told in the language, what it prints of other words is not", () => {
  assert.equal(progressOf("Collecting rich>=13 (from benchwright)"), "rich>=13 wird ermittelt…");
  assert.equal(progressOf("Installing collected packages: rich"), "Pakete werden installiert…");
  assert.equal(progressOf("constructor rich"), undefined);
  assert.match(explain("packages", "No matching distribution found for rich==1", "benchwright"), /^Der Paketindex bietet rich==1 nicht an/);
});

test("an instance is told with the language's words around the names of the design", () => {
  const start = { line: 0, character: 0 };
  const at = { uri: "file:///a.sv", start, end: start };
  const instance = { path: "top.u", name: "u", module: "alu", kind: "module", parameters: [], hasChildren: false, viewed: true };
  const told = instanceSpoken({ ...instance, instantiated: at, declared: at });
  assert.equal(told, "u, Instanz von module alu, das Modul wird als diese Instanz angesehen");
});

test("a line of bits that never moved is one message, also when it is cut", () => {
  const bits = Array.from({ length: 7 }, (_, bit) => ({ name: `q[${bit}]`, line: 0, count: 0 }));
  assert.equal(toggleSummary(bits).name, "Nie umgeschaltet: q[0], q[1], q[2], q[3], q[4] und 2 weitere");
});
