import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { faultsOfPages, namelessControls, wideFrames } from "./accessibility.ts";
import type { Editor } from "./editor.ts";
import { ARTIFACTS } from "./installation.ts";
import type { Session } from "./session.ts";

/** The smallest screen that we support. */
export const SMALL = { width: 1024, height: 700 };

const LARGE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Numbered pictures of a session; whatever a picture shows must be accessible. */
export class Album {
  private readonly faults = new Set<string>();
  private readonly folder: string;
  private readonly editor: Editor;
  private number = 0;

  private constructor(editor: Editor, folder: string) {
    this.editor = editor;
    this.folder = folder;
  }

  /** Opens an empty album in a window of the smallest screen. */
  static async start(session: Session, name: string): Promise<Album> {
    const folder = join(ARTIFACTS, name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await session.editor.page.setViewportSize(SMALL);
    return new Album(session.editor, folder);
  }

  /** Takes a picture. */
  async take(name: string): Promise<void> {
    const { page } = this.editor;
    await this.check(name);
    for (const fault of await namelessControls(page)) this.faults.add(`${name}: ${fault}`);
    await page.screenshot({ path: this.path(name) });
  }

  /** The same place in the dark, in both high contrasts, on a large screen and a telephone, and as at 200 % on the small screen. */
  async takeHard(name: string): Promise<void> {
    const { page } = this.editor;
    const looks = [
      { suffix: "contrast", theme: "hc-light", forcedColors: "active", colorScheme: "light" },
      { suffix: "contrast-dark", theme: "hc-black", forcedColors: "active", colorScheme: "dark" },
      { suffix: "dark", theme: "vs-dark", forcedColors: "none", colorScheme: "dark" },
    ] as const;
    for (const { suffix, theme, ...look } of looks) {
      await this.look(theme, look);
      await this.take(`${name}-${suffix}`);
      await this.checkWidths(`${name}-${suffix}`);
    }
    await this.look("vs", { forcedColors: "none", colorScheme: "light" });
    await this.checkWidths(name);
    await page.setViewportSize({ width: SMALL.width / 2, height: SMALL.height / 2 });
    await this.take(`${name}-zoom-200`);
    await page.setViewportSize(SMALL);
    // The side bar got narrower; a double click on its edge gives it its width back.
    const { x, width } = (await page.locator(".part.sidebar").boundingBox())!;
    await page.mouse.dblclick(x + width + 2, SMALL.height / 3);
    await page.mouse.move(SMALL.width / 2, 0);
  }

  /** Keeps a picture that was taken elsewhere. */
  async keep(name: string, picture: Buffer): Promise<void> {
    await writeFile(this.path(name), picture);
  }

  /** Notes faults that were seen elsewhere. */
  note(faults: readonly string[]): void {
    for (const fault of faults) this.faults.add(fault);
  }

  /** Fails with everything that was found. */
  close(): void {
    assert.deepEqual([...this.faults], []);
  }

  /** On a large screen, and on a telephone, where nobody has room for the side bar. */
  private async checkWidths(name: string): Promise<void> {
    const { page } = this.editor;
    await page.setViewportSize(LARGE);
    await this.check(`${name}-${LARGE.width}`);
    const sideBar = page.locator(".part.sidebar");
    const hasSideBar = await sideBar.isVisible();
    if (hasSideBar) await page.keyboard.press("Control+B");
    await sideBar.waitFor({ state: "hidden" });
    await page.setViewportSize(PHONE);
    await this.check(`${name}-${PHONE.width}`);
    await page.screenshot({ path: join(this.folder, `${name}-${PHONE.width}.png`) });
    await page.setViewportSize(SMALL);
    if (hasSideBar) await page.keyboard.press("Control+B");
  }

  private async check(name: string): Promise<void> {
    await this.settle();
    const { page } = this.editor;
    for (const fault of [...(await faultsOfPages(page)), ...(await wideFrames(page))]) this.faults.add(`${name}: ${fault}`);
  }

  /** As an operating system that asks for these colours. */
  private async look(theme: string, asked: Parameters<Page["emulateMedia"]>[0]): Promise<void> {
    const { page } = this.editor;
    await page.emulateMedia(asked);
    await page.locator(`.monaco-workbench.${theme}`).first().waitFor();
  }

  private path(name: string): string {
    this.number += 1;
    return join(this.folder, `${String(this.number).padStart(2, "0")}-${name}.png`);
  }

  /** Columns are laid out again a little after a change. */
  private async settle(): Promise<void> {
    await this.editor.page.waitForTimeout(700);
  }
}
