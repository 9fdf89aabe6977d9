import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { faultsInLooks, faultsOfPage, LOOK_NAMES, LOOKS, WIDTHS } from "./accessibility.ts";
import { BenchService } from "./benchService.ts";
import { Demo } from "./demo.ts";
import { ARTIFACTS, installed } from "./installation.ts";
import { ONLY_NIGHTLY, twice } from "./scenario.ts";
import { signedIn } from "./signIn.ts";

const launched = (): Promise<Browser> => chromium.launch({ executablePath: installed().chromium, args: ["--no-sandbox"] });

test("a teacher finds problems by words, reads one, and assigns what is ticked; tables are sorted by keyboard", (context) => twice(context, assignedByWords));

async function assignedByWords(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "benchwright-picker-"));
  await using service = await BenchService.open(folder, {});
  const browser = await launched();
  try {
    const page = await signedIn(browser, service.url, service.ownersInvitation, "Carver Mead", { timezoneId: "America/New_York" });
    await page.goto(`${service.url}/courses/arch`);
    await page.getByRole("link", { name: "New assignment" }).click();
    const choices = page.locator(".choices > li");
    const status = page.getByRole("status");
    const whole = await choices.count();
    await status.getByText(`None ticked: all ${whole} are assigned`).waitFor();
    await page.getByRole("searchbox", { name: "Find" }).fill("fifo design");
    await status.getByText(`; 1 shown`).waitFor();
    const choice = choices.filter({ visible: true });
    await choice.getByText("Preview").click();
    await choice.getByText("To be written:").waitFor();
    assert.deepEqual(await faultsOfPage(page), []);
    await choice.getByRole("checkbox").check();
    await status.getByText(`1 of ${whole} ticked; 1 shown`).waitFor();

    // What is wrong is said at its field, and nothing that was chosen is lost.
    await page.getByLabel("Due", { exact: true }).fill("2030-01-15T18:00");
    await page.getByLabel("Closes").fill("2030-01-14T18:00");
    await page.getByRole("button", { name: "Assign" }).click();
    await page.getByRole("alert").getByRole("link", { name: /does not close before it is due/ }).click();
    assert.equal(await page.evaluate<string>("document.activeElement.id"), "closes");
    assert.match(await page.getByLabel("Closes").getAttribute("aria-describedby") ?? "", /closes-error/);
    assert.deepEqual(await faultsInLooks(page, ["dark"], [390]), []);
    await page.getByLabel("Closes").fill("");
    await page.getByRole("button", { name: "Assign" }).click();
    await page.getByRole("row", { name: /1 at once 2030-01-15 18:00 EST/ }).waitFor();

    await service.run("course", "assign", "arch", "starter", "--title", "A whole pack");
    await page.reload();
    const titles = (): Promise<string[]> => page.locator("tbody th a").allInnerTexts();
    const head = page.getByRole("columnheader", { name: "Problems" });
    await head.getByRole("button").focus();
    const [first, second] = await titles();
    for (const [order, sorted] of [["ascending", [first, second]], ["descending", [second, first]]] as const) {
      await page.keyboard.press("Enter");
      assert.equal(await head.getAttribute("aria-sort"), order);
      assert.deepEqual(await titles(), sorted);
    }
    assert.deepEqual(await faultsInLooks(page, ["contrast"], [390]), []);
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const STAFF = ["", "assignments/new", "progress", "grades", "answers", "appeals", "late-days", "items", "questions", "questions/new", "people", "audit", "settings", "copy"];

test("no page of a course has a fault in any colours and widths", { skip: ONLY_NIGHTLY, timeout: 900_000 }, async () => {
  const pictures = join(ARTIFACTS, "course-pages");
  await rm(pictures, { recursive: true, force: true });
  await mkdir(pictures, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "benchwright-looks-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const demo = stack.use(await Demo.open());
  const service = stack.use(await BenchService.open(folder, {}));
  await service.run("course", "assign", "arch", "starter", "--title", "Week 1", "--due", "2100-01-01T00:00:00");
  const browser = stack.adopt(await launched(), (started) => started.close());
  const faults: string[] = [];
  const look = async (page: Page, name: string): Promise<void> => {
    faults.push(...(await faultsInLooks(page, LOOK_NAMES, WIDTHS)));
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia(LOOKS.light);
      await page.screenshot({ path: join(pictures, `${name}-${width}.png`) });
    }
  };
  const teacher = await signedIn(browser, demo.url, demo.code, "Professor");
  const open = (place: string): Promise<unknown> => teacher.goto(`${demo.url}/courses/demo${place && `/${place}`}`);
  await look(teacher, "courses");
  for (const place of STAFF) {
    await open(place);
    await look(teacher, `teacher-${place.replaceAll("/", "-") || "course"}`);
  }
  for (const [name, place, link] of [
    ["work", "progress", "a[href*='/attempts/']"],
    ["grade", "grades", "td a"],
    ["item", "items", "tbody th a"],
    ["assignment", "", "tbody th a"],
    ["problem", "assignments/new", "[data-content] a"],
  ] as const) {
    await open(place);
    await teacher.goto(`${demo.url}${await teacher.locator(link).first().getAttribute("href")}`);
    await look(teacher, `teacher-${name}`);
  }
  await open("items");
  await teacher.getByRole("link", { name: "Saturating up/down counter" }).click();
  await teacher.getByRole("link", { name: "Solutions that are alike" }).click();
  await teacher.getByRole("region", { name: "Pairs" }).waitFor();
  await look(teacher, "teacher-alike");
  await teacher.getByRole("region", { name: "Pairs" }).getByRole("link").first().click();
  const sides = teacher.locator(".sides > section");
  await sides.first().waitFor();
  await look(teacher, "teacher-alike-pair");
  await teacher.setViewportSize({ width: 1024, height: 900 });
  const [first, second] = [await sides.first().boundingBox(), await sides.last().boundingBox()];
  assert.equal(first!.y, second!.y, "Two solutions are beside each other.");
  for (const place of ["notices", "privacy", "accessibility"]) {
    await teacher.goto(`${demo.url}/${place}`);
    await look(teacher, place);
  }
  const student = await signedIn(browser, service.url, service.invitation, "Ada Lovelace");
  for (const [name, link] of [["course", "h2 a"], ["own", "h3 a"], ["problem", "tbody th a"]] as const) {
    await student.goto(`${service.url}${await student.locator(`main ${link}`).first().getAttribute("href")}`);
    await look(student, `student-${name}`);
  }
  assert.deepEqual(faults, []);
});
