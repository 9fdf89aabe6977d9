import type { FrameLocator, Locator } from "playwright-core";
import type { Editor } from "./editor.ts";

/** What a participant fills in: values of number fields, texts, and chosen values of radio buttons, by field. */
export type Said = Readonly<Record<string, string>>;

/** Somebody who takes part in a study, in the editor. */
export class Participant {
  private readonly editor: Editor;

  constructor(editor: Editor) {
    this.editor = editor;
  }

  /** Waits for the study's page with a heading, and for the keyboard to be in it. */
  async page(heading: string | RegExp): Promise<FrameLocator> {
    const words = typeof heading === "string" ? `h1:text-is(${JSON.stringify(heading)})` : `h1:text-matches("${heading.source}")`;
    const page = await this.editor.webview(`main > p + ${words}`);
    await page.locator("main :focus").waitFor();
    return page;
  }

  /** Goes from field to field with the Tab key until one has the focus, as people without a mouse do. */
  async tabTo(wanted: Locator): Promise<void> {
    await wanted.waitFor();
    for (let tries = 0; tries < 40; tries += 1) {
      if (await wanted.evaluate((element) => element.matches(":focus"))) return;
      await this.tabFrom(wanted);
    }
    throw new Error(`The Tab key does not lead to ${wanted.toString()}.`);
  }

  /** Presses Tab, and waits until it has worked: the form is a process of its own, which may be late. */
  private async tabFrom(form: Locator): Promise<void> {
    const before = await form.evaluateHandle(({ ownerDocument }) => ownerDocument.activeElement);
    await this.editor.page.keyboard.press("Tab");
    for (let tries = 0; tries < 50; tries += 1) {
      if (await form.evaluate(({ ownerDocument }, was) => ownerDocument.activeElement !== was, before)) return;
      await this.editor.page.waitForTimeout(50);
    }
  }

  /** Fills in a form by keyboard alone and sends it. */
  async fillIn(page: FrameLocator, said: Said): Promise<void> {
    const { keyboard } = this.editor.page;
    for (const [name, value] of Object.entries(said)) {
      const radio = page.locator(`input[type=radio][name="${name}"]`);
      if ((await radio.count()) === 0) {
        await this.tabTo(page.locator(`[name="${name}"]`));
        await keyboard.type(value);
        continue;
      }
      await this.tabTo(radio.first());
      await keyboard.press("Space");
      for (let tries = 0; !(await page.locator(`input[name="${name}"][value="${value}"]`).isChecked()); tries += 1) {
        if (tries > 10) throw new Error(`The arrow keys do not lead to ${value} of ${name}.`);
        await keyboard.press("ArrowDown");
      }
    }
    await keyboard.press("Control+Enter");
  }

  /** Presses a button of the page by keyboard. */
  async press(page: FrameLocator, label: string): Promise<void> {
    await this.tabTo(page.getByRole("button", { name: label, exact: true }));
    await this.editor.page.keyboard.press("Enter");
  }

  /** The item in the status bar that says that a study records. */
  recording(): Locator {
    return this.editor.page.locator(`.statusbar-item[id="benchwright.benchwright.study"]`);
  }
}
