import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { PATIENCE_MS } from "./editor.ts";

/** A browser's page that is signed in at a service; without the pages' policy, so that axe can look at them. */
export async function signedIn(
  browser: Browser,
  url: string,
  invitation: string,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ bypassCSP: true, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await signInHere(page, url, invitation, name);
  return page;
}

/** Signs a page in at a service. */
export async function signInHere(page: Page, url: string, invitation: string, name: string): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.getByLabel("Invitation or token").fill(invitation);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Your courses" }).waitFor();
}
