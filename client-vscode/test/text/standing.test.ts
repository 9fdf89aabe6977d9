import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { statusText } from "../../src/assistants/chatText.ts";
import type { StandingView } from "../../src/generated/protocol.ts";
import { resultText } from "../../src/text/numberText.ts";
import { problemDescription, problemTooltip } from "../../src/problems/problemLabel.ts";
import { resultsPage } from "../../src/runs/resultsPage.ts";
import { newerRunNote, STANDINGS, standingIcon, standingText } from "../../src/text/standing.ts";
import { attempt, number, problem, verdict, view } from "../samples.ts";

/** Each state as the server says it; a test of the server's checks the file. */
const VIEWS = JSON.parse(readFileSync(new URL("standings.json", import.meta.url), "utf8")) as StandingView[];

for (const shown of VIEWS) {
  test(`every page says “${shown.short}” with the server's words, sign and run`, () => {
    const { standing, sign, run, headline } = shown;
    const words = standingText(shown);
    assert.equal(words, [sign, standing].filter(Boolean).join(" ") + (run === null ? "" : `, run ${run}`));
    // My Numbers, the problem list and its details, the chat, and the results.
    assert.equal(resultText(number({ view: shown })), words);
    assert.ok(problemTooltip(problem({ state: standing, sign, run: run ?? null })).split("\n").includes(`State: ${words}`));
    assert.ok(problemDescription(problem({ state: standing })).startsWith(standing));
    const page = resultsPage(attempt({ view: shown, verdict: verdict({ number: 3, log: "of run 3" }) }));
    assert.deepEqual([page.headline, page.sign], [headline, run === null ? "" : sign]);
    assert.equal(page.log, run === 3 ? "of run 3" : "", "what is known of another run is not shown");
    const told = statusText({ state: "running", runs: 3, view: { headline, ...(run == null ? {} : { run }) } });
    assert.equal(told.includes(headline), run !== null);
  });
}

test("each standing has an icon of its own", () => {
  assert.equal(new Set(STANDINGS.map(standingIcon)).size, STANDINGS.length);
  assert.ok(VIEWS.every(({ standing }) => STANDINGS.includes(standing)));
});

test("what shows an older run says that there is a newer one", () => {
  assert.equal(newerRunNote(3, view({ run: 4, newestRun: 4 })), "Run 4 is newer: this is about run 3.");
  assert.deepEqual([newerRunNote(4, view()), newerRunNote(null, view()), newerRunNote(1, view({ newestRun: null }))], ["", "", ""]);
});
