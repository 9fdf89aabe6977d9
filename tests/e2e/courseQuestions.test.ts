import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import type { Browser, Page } from "playwright-core";
import { faultsOfPage } from "./accessibility.ts";
import { BenchService } from "./benchService.ts";
import { loggedIn } from "./editorInBrowser.ts";
import { filesHolding } from "./foundFiles.ts";
import { ARTIFACTS } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { signedIn } from "./signIn.ts";

const TITLE = "Evicting a dirty line";
const STATEMENT = "A write-back cache evicts a dirty line. What has to happen first?";
const OPTIONS = { A: "The line is read again", B: "The line is written to the next level", C: "The tag is cleared", D: "Its set is locked" };
const EXPLANATION = "The next level has an old copy, which would be the only one left.";
const CHECKS = 5;
const FIGURE = "A cache between a core and memory";
/** A PNG of one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** A model on loopback that chooses an option that is wrong. */
const model = createServer((request, response) => {
  request.resume().on("end", () => {
    const content = JSON.stringify({ reason: "A clear tag frees it.", answer: "C" });
    const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 0, model: "wrong", choices }));
  });
});

let service: BenchService | undefined;
after(async () => {
  model.close();
  await service?.[Symbol.asyncDispose]();
});

scenario(
  "an author writes a question, two models answer it wrongly, two reviewers accept it, and a student solves it from the pack",
  {
    skip: ONLY_NIGHTLY,
    before: async (folder) => {
      if (!model.listening) await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
      const models = join(folder, "models.toml");
      const tables = ["small", "smaller"].map((name) => `[[model]]\nname = "${name}"\nmodel = "${name}"\nbase_url = "${url}"\nimages = true\n`);
      await writeFile(models, tables.join("\n"));
      await service?.[Symbol.asyncDispose]();
      service = await BenchService.open(folder, { questionModels: models });
      await loggedIn(folder, service, service.url, "Stu");
    },
  },
  async ({ editor, folder }) => {
    assert.ok(service);
    const browser = editor.page.context().browser()!;
    const owner = await enter(browser, service, service.ownersInvitation, "Carver Mead", "light");
    await owner.getByRole("link", { name: "Questions" }).click();
    await checked(owner);
    await owner.getByLabel("Title of the pack").fill("Questions of our course");
    await owner.getByRole("button", { name: "Collect questions" }).click();
    await owner.getByRole("link", { name: "Write a question" }).waitFor();
    await checked(owner);

    const author = await enter(browser, service, service.invitation, "Ada Lovelace", "dark");
    await write(author);
    await author.getByRole("button", { name: "Try it on models" }).click();
    await author.getByText("2 of 2 models wrong").waitFor();
    assert.equal(await author.getByRole("cell", { name: "C, wrong" }).count(), 2);
    await checked(author, "question-tried");
    await author.getByRole("button", { name: "Send it to reviewers" }).click();
    await author.getByText("in review").waitFor();

    for (const [name, scheme] of [["Grace Hopper", "dark"], ["Barbara Liskov", "light"]] as const) {
      const invitation = (await service.run("course", "invite", "arch", "--role", "grader")).split(/\s+/).at(-1)!;
      await review(await enter(browser, service, invitation, name, scheme));
    }
    await author.reload();
    await author.getByText("accepted", { exact: false }).first().waitFor();
    await author.getByRole("link", { name: "1 notice" }).click();
    await author.getByText("was accepted by its reviewers").waitFor();
    await checked(author, "notices");
    await author.getByRole("button", { name: "Mark all as read" }).click();
    await author.getByRole("link", { name: "Notices" }).waitFor();
    await author.getByRole("link", { name: TITLE }).click();
    await author.getByRole("button", { name: "Begin a free-response question from it" }).click();
    await author.getByText("Free response, version 1").waitFor();
    // In the form, and in its preview.
    await author.getByRole("img", { name: FIGURE }).nth(1).waitFor();
    await checked(author, "question-twin");

    await owner.reload();
    await owner.getByRole("row", { name: "1 Ada Lovelace 2 1" }).waitFor();
    await owner.getByText("agreed on 1 of 1 versions").waitFor();
    await checked(owner, "questions-standing");
    await owner.getByRole("button", { name: "Publish 1 question as version 1" }).click();
    await owner.getByText("is published, version 1").waitFor();
    await owner.getByRole("link", { name: "Computer architecture" }).click();
    await owner.getByRole("link", { name: "New assignment" }).click();
    await owner.getByLabel("Pack", { exact: true }).selectOption("arch-questions");
    await owner.getByRole("button", { name: "Show its problems" }).click();
    await owner.getByRole("button", { name: "Assign" }).click();
    await owner.getByRole("rowheader", { name: "Questions of our course" }).waitFor();

    await editor.openBenchwrightView();
    await editor.command("Benchwright: Refresh Problem List");
    await editor.filterProblems(TITLE);
    await editor.openProblem(TITLE);
    const form = await editor.webview("input[type=radio]");
    await editor.sees(form.locator("main"), /A\s+The line is read again/);
    const statement = await editor.webview(`img[alt='${FIGURE}']`);
    await statement.locator("img").evaluate((image: HTMLImageElement) => image.decode());
    await editor.startClock();
    await editor.focusForm(form);
    await editor.page.keyboard.press("ArrowDown");
    await form.locator("input[value=B]:checked").waitFor();
    assert.deepEqual(await filesHolding(join(folder, "home", "workspaces"), [EXPLANATION]), []);
    await editor.save();
    await editor.sees(form.locator("[role=status]"), /is correct/);
    await editor.picture("question-from-the-course");
  },
);

async function enter(
  browser: Browser,
  { url }: BenchService,
  invitation: string,
  name: string,
  colorScheme: "light" | "dark",
): Promise<Page> {
  const page = await signedIn(browser, url, invitation, name, { colorScheme });
  await page.getByRole("link", { name: "Computer architecture" }).click();
  return page;
}

async function checked(page: Page, picture?: string): Promise<void> {
  assert.deepEqual(await faultsOfPage(page), []);
  if (picture) await page.screenshot({ path: join(ARTIFACTS, `${picture}.png`), fullPage: true });
}

async function write(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Questions" }).click();
  await page.getByRole("link", { name: "Write a question" }).click();
  await checked(page, "question-form");
  await page.getByLabel("Title").fill(TITLE);
  await page.getByLabel("Question", { exact: true }).fill(STATEMENT);
  for (const [letter, text] of Object.entries(OPTIONS)) await page.getByLabel(`Option ${letter}`).fill(text);
  await page.getByLabel("Right option").selectOption("B");
  await page.getByLabel("Explanation").fill(EXPLANATION);
  await page.getByLabel("Figure 1", { exact: true }).setInputFiles({ name: "cache.png", mimeType: "image/png", buffer: PICTURE });
  await page.getByLabel("What figure 1 shows").fill(FIGURE);
  await page.getByLabel("I wrote this question").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Multiple choice, version 1, draft").waitFor();
  await checked(page);
}

async function review(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Questions" }).click();
  await page.getByRole("link", { name: "Review 1 question" }).click();
  await page.getByText(STATEMENT).waitFor();
  await page.getByRole("img", { name: FIGURE }).waitFor();
  assert.doesNotMatch(await page.content(), new RegExp(`${EXPLANATION}|Ada`));
  await checked(page);
  await page.getByLabel("B", { exact: true }).check();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText(EXPLANATION).waitFor();
  const boxes = page.getByRole("group", { name: "What holds" }).getByRole("checkbox");
  assert.equal(await boxes.count(), CHECKS);
  for (const box of await boxes.all()) await box.check();
  await checked(page, "question-review");
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByText("There is no question for you to review.").waitFor();
}
