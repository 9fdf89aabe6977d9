import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chromium, type Locator } from "playwright-core";
import { faultsOfPage } from "./accessibility.ts";
import { BenchService } from "./benchService.ts";
import { ARTIFACTS, installed } from "./installation.ts";
import { ONLY_NIGHTLY, twice } from "./scenario.ts";
import { signedIn } from "./signIn.ts";

test("a teacher says which models may help, a student reads it, and axe finds nothing on their pages", (context) => twice(context, modelsThatMayHelp));

async function modelsThatMayHelp(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "benchwright-pages-"));
  await using service = await BenchService.open(folder, {});
  await service.run("course", "assign", "arch", "starter", "--title", "Week 1", "--due", "2100-01-01T00:00:00");
  const browser = await chromium.launch({ executablePath: installed().chromium, args: ["--no-sandbox"] });
  try {
    const teacher = await signedIn(browser, service.url, service.ownersInvitation, "Carver Mead", { colorScheme: "light" });
    await teacher.getByRole("link", { name: "Computer architecture" }).click();
    assert.deepEqual(await faultsOfPage(teacher), []);
    await teacher.getByRole("link", { name: "Week 1" }).click();
    await teacher.getByLabel("Help by models").selectOption({ label: "only the extensions below" });
    await teacher.getByRole("button", { name: "Change" }).click();
    await teacher.getByRole("alert").getByText("at least one").waitFor();
    assert.deepEqual(await faultsOfPage(teacher), []);
    await teacher.getByLabel("Extensions that may help").fill("github.copilot");
    await teacher.getByLabel("The same once it is closed").selectOption("messages");
    await teacher.getByRole("button", { name: "Change" }).click();
    await teacher.getByText("These assistants may help, and no others: github.copilot.").waitFor();

    const student = await signedIn(browser, service.url, service.invitation, "Ada Lovelace", { colorScheme: "dark" });
    await student.getByRole("link", { name: "Computer architecture" }).click();
    await student.getByText("These assistants may help, and no others: github.copilot.").waitFor();
    assert.deepEqual(await faultsOfPage(student), []);
    await student.getByRole("main").getByRole("link", { name: "Week 1" }).click();
    await student.getByText("The course's staff compare it with this.").waitFor();
    assert.deepEqual(await faultsOfPage(student), []);

    for (const path of ["progress", "grades", "items"]) {
      await teacher.goto(`${service.url}/courses/arch/${path}`);
      assert.deepEqual(await faultsOfPage(teacher), []);
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

test("an author leaves a question half written, and finds it again; its preview follows, also into another format", { skip: ONLY_NIGHTLY ?? false }, (context) => twice(context, halfWrittenQuestion));

async function halfWrittenQuestion(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "benchwright-question-"));
  await using service = await BenchService.open(folder, {});
  const browser = await chromium.launch({ executablePath: installed().chromium, args: ["--no-sandbox"] });
  try {
    const owner = await signedIn(browser, service.url, service.ownersInvitation, "Carver Mead", { colorScheme: "light" });
    await owner.goto(`${service.url}/courses/arch/questions`);
    await owner.getByLabel("Title of the pack").fill("Questions of our course");
    await owner.getByRole("button", { name: "Collect questions" }).click();

    const author = await signedIn(browser, service.url, service.invitation, "Ada Lovelace", { colorScheme: "dark" });
    await author.goto(`${service.url}/courses/arch/questions/new`);
    const preview = author.locator("[data-part=preview]");
    await author.getByLabel("Title").fill("Dirty lines");
    await author.getByLabel("Question", { exact: true }).fill("What is **written** back?");
    await author.getByLabel("Option B").fill("A dirty line");
    await author.getByLabel("Right option").selectOption("B");
    await preview.locator("strong", { hasText: "written" }).waitFor();
    await preview.getByText("A dirty line").waitFor();
    await author.getByLabel("What figure 1 shows").fill("A cache");
    await author.getByLabel("Figure 1", { exact: true }).setInputFiles({ name: "a.png", mimeType: "image/png", buffer: PICTURE });
    await preview.getByRole("img", { name: "A cache" }).waitFor();
    assert.deepEqual(await faultsOfPage(author), []);
    await author.evaluate("scrollTo(0, 0)");
    await author.screenshot({ path: join(ARTIFACTS, "question-unfinished.png"), fullPage: true });

    await author.reload();
    assert.equal(await author.getByLabel("Option B").inputValue(), "A dirty line");
    await author.getByLabel("Figure 1", { exact: true }).setInputFiles({ name: "a.png", mimeType: "image/png", buffer: PICTURE });
    await author.getByLabel("Format").selectOption({ label: "Free response" });
    assert.equal(await author.getByLabel("Model answer").inputValue(), "A dirty line");
    assert.equal(await author.getByLabel("Title").inputValue(), "Dirty lines");
    await preview.getByLabel("Your answer").waitFor();
    await preview.getByRole("img", { name: "A cache" }).waitFor();
    await author.getByLabel("Model answer").fill("A dirty line is.");

    // Left at once: what was typed last is on its way.
    await author.getByRole("link", { name: "Questions", exact: true }).first().click();
    await author.getByRole("link", { name: "Dirty lines" }).click();
    assert.equal(await author.getByLabel("Model answer").inputValue(), "A dirty line is.");
    await author.getByLabel("Format").selectOption({ label: "Multiple choice" });
    await author.getByLabel("Option B").waitFor();
    assert.equal(await author.getByLabel("Option B").inputValue(), "A dirty line");
    assert.equal(await author.getByLabel("Right option").inputValue(), "B");

    for (const letter of "ACD") await author.getByLabel(`Option ${letter}`).fill(`Option of ${letter}`);
    await author.getByLabel("Explanation").fill("The level below has an old copy.");
    await author.getByLabel("What figure 1 shows").fill("");
    await author.getByLabel("I wrote this question").check();
    await author.getByRole("button", { name: "Save", exact: true }).click();
    await author.getByText("Multiple choice, version 1").waitFor();
    assert.deepEqual(await faultsOfPage(author), []);

    // A saved question takes another format just as well, in place.
    await author.getByLabel("Explanation").fill("Memory has an old copy.");
    await author.getByLabel("Format").selectOption({ label: "Open-ended" });
    await author.getByLabel("Model answer").waitFor();
    assert.equal(await author.getByLabel("Model answer").inputValue(), "A dirty line");
    assert.equal(await author.getByLabel("Explanation").inputValue(), "Memory has an old copy.");
    await author.getByLabel("Point 1", { exact: true }).fill("It is written.");
    await author.getByRole("button", { name: "Save a new version" }).click();
    await author.getByText("Open-ended, version 2").waitFor();
    await author.getByLabel("Format").selectOption({ label: "Multiple choice" });
    await author.getByLabel("Option C").waitFor();
    assert.equal(await author.getByLabel("Option C").inputValue(), "Option of C");
    assert.equal(await author.getByLabel("Right option").inputValue(), "B");
    assert.deepEqual(await faultsOfPage(author), []);
    await author.screenshot({ path: join(ARTIFACTS, "question-of-another-format.png"), fullPage: true });
    await author.getByRole("button", { name: "Save a new version" }).click();
    await author.getByText("Multiple choice, version 3").waitFor();
    await author.getByRole("link", { name: "Questions", exact: true }).first().click();
    await author.getByRole("rowheader", { name: "Dirty lines" }).waitFor();
    assert.equal(await author.getByRole("heading", { name: "Unfinished" }).count(), 0);
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A PNG of one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

const STUDY = `
study: counters
title: A study of counters
problems: [starter/saturating-counter]
conditions: [{name: alone, solver: human}]
participants: 2
randomisation: {seed: 7}
forecasts: []
self_estimates: []
consent: {version: "1", text: "You agree that what you type here is sent to the lab."}
analysis: {primary: time}
data: {to: service}
`;

test("a study's page follows what happens by itself: focus stays, and a screen reader hears of it", { skip: ONLY_NIGHTLY ?? false }, (context) => twice(context, followedPage));

async function followedPage(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "benchwright-watch-"));
  await using service = await BenchService.conduct(folder, "counters", STUDY);
  const browser = await chromium.launch({ executablePath: installed().chromium, args: ["--no-sandbox"] });
  try {
    const page = await signedIn(browser, service.url, service.ownersInvitation, "Carver Mead", { colorScheme: "dark" });
    await page.getByRole("link", { name: "A study of counters" }).click();
    const rows = page.getByRole("region", { name: "Participants" }).locator("tbody tr");
    assert.deepEqual(await wheresOf(rows), ["free", "free"]);
    await page.evaluate("window.notLoadedAgain = true");
    await page.getByLabel("Stuck or silent after so many minutes").focus();

    // Somebody takes a place; the page is not touched.
    const headers = { "Content-Type": "application/json" };
    const send = (path: string, body: object, token = ""): Promise<Response> =>
      fetch(`${service.url}/api/v1/${path}`, {
        method: "POST",
        headers: token ? { ...headers, Authorization: `Bearer ${token}` } : headers,
        body: JSON.stringify(body),
      });
    const joined = (await (await send("join", { code: service.invitation, name: "Ada" })).json()) as { token: string };
    assert.equal((await send("studies", {}, joined.token)).status, 200);
    await page.locator("tbody td", { hasText: "joined" }).waitFor();
    assert.deepEqual((await wheresOf(rows)).sort(), ["free", "joined"]);
    assert.equal(await page.evaluate<boolean>("window.notLoadedAgain"), true);
    assert.equal(await page.evaluate<string>("document.activeElement.id"), "stuck");
    assert.deepEqual(await faultsOfPage(page), []);

    // Nobody has to guess why nothing changes any more.
    const trouble = page.locator("[data-trouble]");
    await page.context().setOffline(true);
    await trouble.getByText("The service can't be reached. The page tries again.").waitFor();
    await page.context().setOffline(false);
    await trouble.filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function wheresOf(rows: Locator): Promise<string[]> {
  return (await rows.locator("td:nth-child(2)").allInnerTexts()).map((text) => text.trim());
}
