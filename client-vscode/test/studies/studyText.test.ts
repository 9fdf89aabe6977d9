import assert from "node:assert/strict";
import { test } from "node:test";
import {
  conditionSentence,
  deliverySentences,
  informationSentence,
  progressText,
  recordingSentence,
  runsLeft,
  taskFacts,
  taskSteps,
} from "../../src/studies/studyText.ts";
import { resultsPage } from "../../src/runs/resultsPage.ts";
import { attempt, study } from "../samples.ts";

test("practice is not counted among the tasks", () => {
  assert.equal(progressText({ practice: true, position: 0, total: 3 }), "Practice");
  assert.equal(progressText({ practice: false, position: 2, total: 3 }), "Task 2 of 3");
  assert.equal(progressText({ practice: false, position: null, total: 3 }), "");
});

test("a condition without help says so, and one with help names it", () => {
  assert.match(conditionSentence({ solver: "human", assistants: [] }), /without help from an AI model/);
  assert.equal(
    conditionSentence({ solver: "human+copilot", assistants: ["github.copilot", "benchwright"] }),
    "In this task you may use github.copilot and Benchwright's own completion.",
  );
});

test("each recording level says what it keeps of the text", () => {
  assert.match(recordingSentence("timing"), /No text and no file name/);
  assert.match(recordingSentence("edits"), /None of the text/);
  assert.match(recordingSentence("full"), /every change to the files/);
});

test("where data go is told by name", () => {
  assert.match(informationSentence({ kind: "stays", value: "", text: "" }), /stays on this machine/);
  assert.match(informationSentence({ kind: "written", value: "/media/lab", text: "" }), /written to \/media\/lab/);
  assert.match(informationSentence({ kind: "time", value: "2 h 20 min", text: "" }), /at most 2 h 20 min/);
});

test("what is left of runs never falls below nothing", () => {
  const left = (kind: string, runs: number, runsAllowed: number | null) => runsLeft({ kind, runs, runsAllowed });
  assert.deepEqual([left("design", 2, 3), left("design", 4, 3), left("design", 4, null), left("question", 2, 3)], [1, 0, undefined, undefined]);
});

test("the rules of a task tell limits, and that saving alone runs nothing", () => {
  const facts = Object.fromEntries(taskFacts(study(), attempt({ runs: 1, runsAllowed: 3, timeLimitS: 1800 })));
  assert.equal(facts["Task clock"], "running");
  assert.match(facts["Time limit"]!, /^30:00/);
  assert.equal(facts["Runs of the tests"], "1 of 3");
  assert.match(facts.Saving!, /does not run the tests/);
  const free = Object.fromEntries(taskFacts(study({ timeLimitS: null, runsAllowed: null }), undefined));
  assert.equal(free["Time limit"], "no limit");
  assert.equal(free.Saving, undefined);
});

test("a question in a study is scored in one way, and no page of it speaks of running tests", () => {
  const question = study({ problemKind: "question", feedback: "full" });
  const status = attempt({ state: "running", kind: "question", study: "pilot", runsAllowed: 3 });
  const facts = Object.fromEntries(taskFacts(question, status));
  assert.deepEqual(Object.keys(facts), ["Task clock", "Time limit", "Results"]);
  assert.equal(facts.Results, "whether the answer is correct");
  assert.equal(Object.fromEntries(taskFacts({ ...question, feedback: "none" }, status)).Results, "not shown in this study");
  assert.deepEqual(taskSteps(status).map(([, command]) => command), ["showTask", "submit", "pause", "abandon"]);
  assert.deepEqual(resultsPage(status).actions.map(({ command }) => command), ["submit"]);
  assert.deepEqual(taskSteps({ ...status, kind: "design" }).map(([, command]) => command), ["showTask", "run", "submit", "pause", "abandon"]);
});

test("records that could not be handed in are said to be kept, and to be tried again", () => {
  const told = "The database can't be reached.";
  const waiting = deliverySentences({ dataTo: "/media/lab", delivery: { arrived: false, tries: 2, told } });
  assert.match(waiting.join(" "), /not delivered yet, after 2 attempts.*kept on this machine.*tries again/);
  assert.equal(waiting.at(-1), told);
  const there = deliverySentences({ dataTo: "/media/lab", delivery: { arrived: true } });
  assert.deepEqual(there, ["Your records were written to /media/lab."]);
  assert.deepEqual(deliverySentences({ dataTo: "nowhere", delivery: null }), []);
});
