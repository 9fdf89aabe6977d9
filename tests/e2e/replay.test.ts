import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { faultsOfPage } from "./accessibility.ts";
import { Demo } from "./demo.ts";
import { ARTIFACTS, ROOT, installed } from "./installation.ts";
import { ONLY_NIGHTLY } from "./scenario.ts";
import { signedIn } from "./signIn.ts";

const COPIER = "Sophie Wilson";
const ASSISTED = "Grace Hopper";

async function openAttempt(page: Page, url: string, student: string): Promise<void> {
  await page.goto(`${url}/courses/demo/progress`);
  await page.locator("tr", { hasText: student }).locator("a[href*=saturating-counter]").click();
  await page.getByRole("heading", { name: `${student}: Saturating up/down counter` }).waitFor();
}

test("staff replay an attempt by keyboard, and a screen reader says when and what", { skip: ONLY_NIGHTLY, timeout: 900_000 }, async () => {
  await using stack = new AsyncDisposableStack();
  const { url, code } = stack.use(await Demo.open());
  const browser = stack.adopt(await chromium.launch({ executablePath: installed().chromium, args: ["--no-sandbox"] }), (launched) =>
    launched.close(),
  );
  const page = await signedIn(browser, url, code, "Professor", { colorScheme: "dark", viewport: { width: 1200, height: 1250 } });
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => request.url().startsWith(url) || wrong.push(request.url()));

  await openAttempt(page, url, COPIER);
  const slider = page.getByRole("slider", { name: "Moment of the attempt" });
  const said = (): Promise<string | null> => slider.getAttribute("aria-valuetext");
  const says = (words: string): Promise<void> => page.locator(`input[aria-valuetext*="${words}"]`).waitFor();
  const status = page.locator(".replay [role=status]");
  const code_ = page.getByRole("region", { name: "Text of the file at this moment" });
  await says("submitted");
  await page.keyboard.press("Tab");
  await slider.focus();
  await page.keyboard.press("Home");
  await says("the problem was opened");
  assert.doesNotMatch(await code_.innerText(), /my own solution/);
  await page.keyboard.press("ArrowRight");
  await says("the clock was started");
  await page.keyboard.press("ArrowRight");
  await says("characters pasted");
  assert.match((await said()) ?? "", /second.*rtl\/sat_counter\.sv: \d+ characters pasted/);
  assert.match(await code_.innerText(), /my own solution/);
  assert.ok(await code_.locator(".from-p.comment").count());
  assert.match(await page.locator(".legend li", { hasText: "pasted" }).innerText(), /pasted: [1-9]/);
  await page.keyboard.press("ArrowLeft");
  await says("the clock was started");
  assert.doesNotMatch(await code_.innerText(), /my own solution/);

  await page.getByRole("button", { name: "Next mark" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await status.filter({ hasText: /run 1 failed, \d+ of \d+ tests/ }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Back" }).focus();
  await page.keyboard.press("Enter");
  await status.filter({ hasText: "pasted" }).waitFor({ state: "attached" });
  await slider.focus();
  await page.keyboard.press("Home");
  await says("the problem was opened");
  await page.getByLabel("Speed").selectOption("60");
  await page.getByRole("button", { name: "Play" }).focus();
  await page.keyboard.press("Enter");
  await status.filter({ hasText: "The attempt has ended." }).waitFor({ state: "attached" });
  await says("submitted");
  assert.deepEqual(await faultsOfPage(page), []);

  await openAttempt(page, url, ASSISTED);
  await says("submitted");
  await page.emulateMedia({ colorScheme: "light" });
  assert.ok(await code_.locator(".from-a").count());
  await page.getByText("Runs, pastes, completions and pauses").click();
  assert.deepEqual(await faultsOfPage(page), []);
  await code_.evaluate((shown) => (shown.scrollTop = shown.scrollHeight / 3));
  if (process.env.UPDATE_SCREENSHOT) await keepAsDocumentation(page, url);
  assert.deepEqual(wrong, []);

  const plain = await signedIn(browser, url, code, "Professor", { javaScriptEnabled: false, bypassCSP: false });
  await openAttempt(plain, url, COPIER);
  await plain.getByText("Replay", { exact: true }).click();
  await plain.getByRole("link", { name: "The text at the end" }).click();
  await plain.getByText("// my own solution").waitFor();
});

/** Takes the pictures of how-to/teach-a-course.md that show one attempt and the course. */
async function keepAsDocumentation(page: Page, url: string): Promise<void> {
  const keep = async (name: string): Promise<void> =>
    writeFile(join(ROOT, "docs", "images", `${name}.png`), await page.screenshot());
  await keep("course-replay");
  await page.setViewportSize({ width: 1024, height: 900 });
  await page.evaluate("scrollTo(0, 0)");
  await keep("course-attempt");
  await page.setViewportSize({ width: 1024, height: 620 });
  for (const [place, heading] of [
    ["progress", "Progress"],
    ["grades", "Grades"],
    ["items", "How good the problems are"],
    ["assignments/new", "New assignment"],
  ] as const) {
    await page.goto(`${url}/courses/demo/${place}`);
    await page.getByRole("heading", { name: heading }).waitFor();
    await keep(`course-${place.split("/").at(-1)!}`);
  }
  await page.goto(`${url}/courses/demo/items`);
  await page.getByRole("link", { name: "Saturating up/down counter" }).click();
  await page.getByRole("link", { name: "Solutions that are alike" }).click();
  while (await page.getByText("still being compared").isVisible()) await page.reload();
  await page.setViewportSize({ width: 1024, height: 700 });
  await keep("course-alike");
  await page.getByRole("link", { name: COPIER }).first().click();
  await page.locator(".match").first().waitFor();
  assert.deepEqual(await faultsOfPage(page), []);
  await page.setViewportSize({ width: 1440, height: 700 });
  await page.screenshot({ path: join(ARTIFACTS, "course-alike-pair.png") });
}
