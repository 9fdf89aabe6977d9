import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chromium, type Browser, type Page } from "playwright-core";
import { faultsOfPage } from "./accessibility.ts";
import { BenchService } from "./benchService.ts";
import { installed } from "./installation.ts";

type Scheme = "light" | "dark";

async function signedIn(browser: Browser, service: BenchService, invitation: string, name: string, colorScheme: Scheme): Promise<Page> {
  const context = await browser.newContext({ bypassCSP: true, colorScheme });
  const page = await context.newPage();
  await page.goto(`${service.url}/sign-in`);
  await page.getByLabel("Invitation or token").fill(invitation);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Computer architecture" }).click();
  return page;
}

test("a teacher says which models may help, a student reads it, and axe finds nothing on their pages", async () => {
  const folder = await mkdtemp(join(tmpdir(), "benchwright-pages-"));
  await using service = await BenchService.open(folder, {});
  await service.run("course", "assign", "arch", "starter", "--title", "Week 1", "--due", "2100-01-01T00:00:00");
  const browser = await chromium.launch({ executablePath: installed().chromium, args: ["--no-sandbox"] });
  try {
    const teacher = await signedIn(browser, service, service.ownersInvitation, "Carver Mead", "light");
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

    const student = await signedIn(browser, service, service.invitation, "Ada Lovelace", "dark");
    await student.getByText("These assistants may help, and no others: github.copilot.").waitFor();
    assert.deepEqual(await faultsOfPage(student), []);
    await student.getByRole("link", { name: "passed in Week 1" }).click();
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
});
