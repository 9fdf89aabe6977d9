import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chromium, type Locator } from "playwright-core";
import { faultsOfPage } from "./accessibility.ts";
import { BenchService } from "./benchService.ts";
import { installed } from "./installation.ts";
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
