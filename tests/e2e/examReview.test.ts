import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { faultsOfPages } from "./accessibility.ts";
import { listProblems } from "./commandLine.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";

const FORM = `# What we said on Monday stays.
decision = "open"
findings = ["Is B right?"]
format = "multiple-choice"
answer = ""
points = 2

[choices]
A = "Flash"
B = "SRAM"
`;
/** A white page of one pixel. */
const PAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJggg==";

const examOf = (folder: string): string => join(folder, "midterm");

async function writeExam(folder: string): Promise<void> {
  const exam = examOf(folder);
  const items = ["1", "2"].map((label) => ({ label, format: "multiple-choice" }));
  await mkdir(exam, { recursive: true });
  await writeFile(join(exam, "items.json"), JSON.stringify({ made_from: "test", items }));
  await writeFile(join(exam, "exam.toml"), 'title = "Midterm"\nlicense = "CC-BY-4.0"\nsource = "exam.pdf"\n');
  for (const { label } of items) {
    const question = join(exam, "items", label);
    await mkdir(join(question, "solution"), { recursive: true });
    await writeFile(join(question, "statement.md"), `# Question ${label}\n\nWhich memory is *volatile*?\n`);
    await writeFile(join(question, "solution", "solution.md"), "SRAM loses its data.\n");
    await writeFile(join(question, "review.toml"), FORM);
    await writeFile(join(question, "page-1.png"), Buffer.from(PAGE, "base64"));
  }
}

async function writeForms(folder: string, form: string): Promise<void> {
  for (const label of ["1", "2"]) await writeFile(join(examOf(folder), "items", label, "review.toml"), form);
}

scenario(
  "the author of an exam accepts one question, leaves out the other, and makes a pack, by keyboard",
  { skip: ONLY_NIGHTLY, before: writeExam, opened: examOf },
  async ({ editor, folder }) => {
    const { keyboard } = editor.page;
    const first = join(examOf(folder), "items", "1");

    // What the form would refuse is marked in the files too.
    await writeForms(folder, FORM.replace('"open"', '"accepted"'));
    await editor.openFile("review.toml");
    await editor.openProblemsPanel();
    await editor.sees(editor.problemsPanel(), "answer: is empty");
    await editor.picture("exam-review-file");
    await writeForms(folder, FORM);
    await editor.sees(editor.page.locator(".markers-panel"), "No problems have been detected");
    await editor.closePanel();

    await editor.openFile("exam.toml");
    await editor.command("Benchwright: Review Questions of an Exam…");
    const view = await editor.webview("form.exam-form #statement");
    await editor.sees(view.locator("nav"), /Question 1 \(undecided, 1 thing to check\)/);
    await editor.picture("exam-review");
    assert.deepEqual(await faultsOfPages(editor.page), []);

    // Without an answer it can't be accepted, and the keyboard is where it is missing.
    await view.locator("#statement").focus();
    await keyboard.press("Control+Enter");
    await editor.sees(view.locator("[role=status]"), /Not saved\. answer: is empty/);
    await view.locator("#answer:focus[aria-invalid]").waitFor();
    await editor.picture("exam-review-refused");
    assert.deepEqual(await faultsOfPages(editor.page), []);
    await view.locator("#answer").selectOption("B");
    await keyboard.press("Control+Enter");
    await editor.sees(view.locator("h2"), "Question 2");
    assert.equal(await readFile(join(first, "review.toml"), "utf8"), FORM.replace('"open"', '"accepted"').replace('answer = ""', 'answer = "B"'));

    await editor.command("Preferences: Toggle between Light/Dark Themes");
    await view.locator("#pack").fill("midterm");
    await keyboard.press("Enter");
    await editor.sees(view.locator("[role=status]"), /There is no pack yet\. 1 of 2 questions are not decided on: 2\./);
    await editor.picture("exam-review-other-theme");
    assert.deepEqual(await faultsOfPages(editor.page), []);

    // What another editor wrote is not written over.
    const second = join(examOf(folder), "items", "2", "statement.md");
    await writeFile(second, "# Question 2\n\nTyped elsewhere.\n");
    await view.getByRole("button", { name: "Leave Out" }).click();
    await editor.sees(view.locator("[role=status]"), /changed elsewhere/);
    await view.getByRole("button", { name: "Reload" }).click();
    await editor.sees(view.locator(".form-preview").first(), "Typed elsewhere.");
    await view.getByRole("button", { name: "Leave Out" }).click();
    await editor.sees(view.locator("nav"), /Question 2 \(left out\)/);
    await view.locator("#pack").focus();
    await keyboard.press("Enter");
    await editor.sees(view.locator("[role=status]"), "1 question is in the pack midterm.");
    assert.ok((await listProblems(folder)).some(({ problem }) => problem.startsWith("midterm/")));
  },
);
