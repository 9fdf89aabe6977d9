import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { faultsOfPages, namelessControls, wideFrames } from "./accessibility.ts";
import type { Editor } from "./editor.ts";
import { ARTIFACTS } from "./installation.ts";
import type { Session } from "./session.ts";

/** The smallest screen that we support. */
export const SMALL = { width: 1024, height: 700 };

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
    await this.settle();
    for (const fault of [...(await faultsOfPages(page)), ...(await namelessControls(page)), ...(await wideFrames(page))]) {
      this.faults.add(`${name}: ${fault}`);
    }
    await page.screenshot({ path: this.path(name) });
  }

  /** The same place as at 200 % on the small screen, and in high contrast. */
  async takeHard(name: string): Promise<void> {
    const { page } = this.editor;
    await this.contrast("active");
    await this.take(`${name}-contrast`);
    await this.contrast("none");
    await page.setViewportSize({ width: SMALL.width / 2, height: SMALL.height / 2 });
    await this.take(`${name}-zoom-200`);
    await page.setViewportSize(SMALL);
  }

  /** Keeps a picture that was taken elsewhere. */
  async keep(name: string, picture: Buffer): Promise<void> {
    await writeFile(this.path(name), picture);
  }

  /** Fails with everything that was found. */
  close(): void {
    assert.deepEqual([...this.faults], []);
  }

  /** As an operating system that asks for high contrast. */
  private async contrast(wanted: "active" | "none"): Promise<void> {
    const { page } = this.editor;
    await page.emulateMedia({ forcedColors: wanted });
    await page.locator(`.monaco-workbench.${{ active: "hc-light", none: "vs" }[wanted]}`).first().waitFor();
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
