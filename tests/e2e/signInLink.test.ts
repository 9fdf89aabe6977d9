import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { BenchService } from "./benchService.ts";
import type { Editor } from "./editor.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { signInHere } from "./signIn.ts";

const NAME = "Ada Lovelace";

scenario(
  "Open in VS Code on a course's page signs the editor in once it is confirmed, and its assignments are in the problem list",
  { skip: ONLY_NIGHTLY },
  async ({ editor, folder }) => {
    await using service = await BenchService.open(folder, {});
    await service.run("course", "assign", "arch", "starter", "--title", "Week 1", "--due", "2100-01-01T00:00:00");
    const sheet = editor.page.locator(".pane-body .monaco-list-row", { hasText: "Week 1" });
    const page = await editor.page.context().newPage();
    await signInHere(page, service.url, service.invitation, NAME);
    await page.getByRole("link", { name: "Computer architecture" }).click();
    const link = await linkOf(page);
    await editor.page.bringToFront();

    // Whoever is asked and says no is as before.
    await open(editor, link);
    await editor.sees(editor.dialog(), `Sign in at ${service.url}? Go on only if you have just opened this link`);
    await editor.picture("sign-in-link-question");
    await editor.confirm("Cancel");
    await editor.dialog().waitFor({ state: "hidden" });
    await editor.openBenchwrightView();
    await editor.sees(editor.problem("Saturating up/down counter"), "Saturating");
    assert.equal(await sheet.count(), 0);
    assert.equal(await editor.notification("Signed in as").count(), 0);

    await open(editor, link);
    await editor.confirm("Sign In");
    await editor.notification(`Signed in as ${NAME}: Computer architecture`).waitFor();
    await editor.sees(sheet, /0\/\d+ passed · due Jan 1, 2100/);
    await editor.picture("sign-in-link");

    // It has signed in once; the page has another when it is loaded again.
    await open(editor, link);
    await editor.confirm("Sign In");
    await editor.notification("This link was used").waitFor();
    await page.reload();
    assert.notEqual(await linkOf(page), link);
  },
);

async function linkOf(page: Page): Promise<string> {
  const link = await page.getByRole("link", { name: "Open in VS Code" }).getAttribute("href");
  assert.ok(link);
  return link;
}

/** Opens a link as the operating system lets an editor open it, and lets the extension have it. */
async function open(editor: Editor, link: string): Promise<void> {
  await editor.command("Developer: Open URL");
  await editor.answer(link);
  await editor.sees(editor.dialog(), "Benchwright");
  await editor.confirm("Open");
}
