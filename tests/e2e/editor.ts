import assert from "node:assert/strict";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { ARTIFACTS } from "./installation.ts";

const SECONDS = 1000;

/** How long anything may take, in seconds; far more than it takes, also on a machine with much else to do. */
const PATIENCE = 90;
export const PATIENCE_MS = PATIENCE * SECONDS;

const TEST_ICONS = {
  passed: "codicon-testing-passed-icon",
  failed: "codicon-testing-failed-icon",
  errored: "codicon-testing-error-icon",
  skipped: "codicon-testing-skipped-icon",
  running: "codicon-modifier-spin",
};

/** What a person does and sees in the editor. */
export class Editor {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    // Of the other pages, too, that its person opens.
    page.context().setDefaultTimeout(PATIENCE_MS);
  }

  async untilReady(): Promise<void> {
    await this.page.locator(".monaco-workbench .activitybar").waitFor({ timeout: 2 * PATIENCE_MS });
  }

  /** Runs a command of the palette by its whole title. */
  async command(title: string): Promise<void> {
    // Right after the editor's start the palette does not know the extension's commands yet.
    await this.pick("F1", `>${title}`, title);
  }

  /** Waits until the palette offers a command of this whole title, or offers none. */
  async offers(title: string, isOffered: boolean): Promise<void> {
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({
      has: this.page.locator(".label-name").filter({ hasText: new RegExp(`^${title}$`) }),
    });
    await this.tryAgain(`The palette ${isOffered ? "does not offer" : "offers"} ${title}.`, async (timeout) => {
      await this.page.keyboard.press("F1");
      await this.write(`>${title}`, timeout);
      // Without a command of that title it offers similar ones, or says that there is none.
      await this.choices().first().waitFor({ timeout });
      await this.page.waitForTimeout(500);
      assert.equal(await row.first().isVisible(), isOffered);
    });
    await this.page.keyboard.press("Escape");
    await this.quickInput().waitFor({ state: "hidden" });
  }

  /** Runs a command until it shows what it is to show: one that a page interrupts as it takes the focus is lost. */
  async commandShows(title: string, place: Locator): Promise<void> {
    await this.untilShown(place, () => this.command(title));
  }

  /** Answers the list at the top of the window, which some keys open, with the first row that holds a text. */
  private async pick(keys: string, asked: string, text: string): Promise<void> {
    const row = this.chosen(text);
    await this.tryAgain(`The editor does not offer ${text}.`, async (timeout) => {
      await this.page.keyboard.press(keys);
      await this.write(asked, timeout);
      await row.waitFor({ timeout });
      await this.accept(timeout);
    });
    await row.waitFor({ state: "hidden" });
  }

  /** Starts the clock; a palette that is opened while the columns are still laid out may be closed again, unheard. */
  async startClock(): Promise<void> {
    // A study may hide the time.
    const running = this.statusBar("clock").filter({ hasText: /\d\d:\d\d|Running/ });
    await this.tryAgain("The clock did not start.", async (timeout) => {
      await this.command("Benchwright: Start the Clock");
      await running.waitFor({ timeout: 2 * timeout });
    });
  }

  /** Does what makes the editor show something, again if need be: a key is lost while the focus is on its way. */
  private async untilShown(place: Locator, act: (timeout: number) => Promise<void>): Promise<void> {
    await this.tryAgain(`The editor does not show ${place.toString()}.`, async (timeout) => {
      await act(timeout);
      await place.waitFor({ timeout });
    });
  }

  /** Does something again and again until it succeeds, each time with more patience. */
  private async tryAgain(complaint: string, act: (timeout: number) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const done = await act(3 * tries * SECONDS).then(
        () => true,
        () => false,
      );
      if (done) return;
      assert.ok(tries < 8, complaint);
      await this.page.keyboard.press("Escape");
    }
  }

  private quickInput(): Locator {
    return this.page.locator(".quick-input-widget input").first();
  }

  /** Writes into the box at the top; keys would go into a file that takes the focus at that moment. */
  private async write(text: string, timeout?: number): Promise<void> {
    await this.quickInput().waitFor({ ...(timeout && { timeout }) });
    await this.quickInput().evaluate(
      (input: HTMLInputElement, value) => {
        input.value = value;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      },
      text,
      { ...(timeout && { timeout }) },
    );
  }

  /** Takes what is in the box at the top; fails where it was closed meanwhile: a key would go into a file then. */
  private async accept(timeout?: number): Promise<void> {
    await this.quickInput().evaluate(
      (input: HTMLInputElement) => {
        if (!input.checkVisibility()) throw new Error("The box was closed.");
        // One that stays open may have lost the focus.
        input.focus();
        const enter = { key: "Enter", code: "Enter", keyCode: 13, which: 13, bubbles: true, cancelable: true };
        input.dispatchEvent(new KeyboardEvent("keydown", enter));
      },
      undefined,
      { ...(timeout && { timeout }) },
    );
  }

  /** Answers the input box that is open. */
  async answer(text: string): Promise<void> {
    const input = this.quickInput();
    await this.write(text);
    await this.accept();
    await input.waitFor({ state: "hidden" });
  }

  /** Answers the box at the top once it asks this; another may follow at once. */
  async answerTo(asked: string, text: string): Promise<void> {
    await this.page.locator(".quick-input-widget .quick-input-message", { hasText: asked }).waitFor();
    await this.write(text);
    await this.accept();
  }

  /** Chooses the first row with a text from the list that is open: its rows come later than itself. */
  async choose(text: string): Promise<void> {
    await this.write(text);
    await this.chosen(text).waitFor();
    await this.accept();
    // Another box may follow at once.
    await this.chosen(text).waitFor({ state: "hidden" });
  }

  /** Runs a command and chooses from the list that it opens; a page that takes the focus meanwhile closes the list. */
  async commandAndChoose(title: string, text: string): Promise<void> {
    const row = this.chosen(text);
    await this.tryAgain(`${title} does not offer ${text}.`, async (timeout) => {
      await this.command(title);
      await this.write(text, timeout);
      await row.waitFor({ timeout });
      await this.accept(timeout);
    });
    await row.waitFor({ state: "hidden" });
  }

  /** Leaves in the problem list what holds some words; a page that takes the focus meanwhile closes the input box. */
  async filterProblems(words: string): Promise<void> {
    // The box fills itself with the last filter once it is there, perhaps over what was written already.
    const said = this.page.locator(".pane-header", { hasText: "Problem List" }).locator(".description");
    const filtered = said.filter({ hasText: `“${words}”` });
    await this.tryAgain("The problem list can't be filtered.", async (timeout) => {
      await this.command("Benchwright: Filter Problems…");
      await this.write(words, timeout);
      await this.accept(timeout);
      await this.quickInput().waitFor({ state: "hidden", timeout });
      await filtered.waitFor({ state: "attached", timeout });
    });
  }

  /** Confirms the dialog that is open, or about to be, with its button of this name. */
  async confirm(button: string): Promise<void> {
    await this.dialog().getByRole("button", { name: button }).press("Enter");
  }

  async openBenchwrightView(): Promise<void> {
    const list = this.page.locator(".pane-header", { hasText: "Problem List" });
    // A click on the icon of the view that is shown would hide it.
    if (!(await list.isVisible())) {
      await this.page.locator(".activitybar a.action-label[aria-label^='Benchwright']").click();
    }
    await list.waitFor();
  }

  /** A row of the problem list. */
  problem(title: string): Locator {
    return this.page.locator(".pane-body .monaco-list-row", { hasText: title }).first();
  }

  /** Waits until the problem list is no longer the one of the last time. */
  async listIsRead(): Promise<void> {
    await this.listOfLastTime().waitFor({ state: "hidden" });
  }

  /** What the problem list says while it is the one of the last time. */
  listOfLastTime(): Locator {
    return this.page.locator(".pane-body .message", { hasText: "As it was when you left it." });
  }

  async openProblem(title: string): Promise<void> {
    await this.problem(title).click();
  }

  /** The text editor that shows a file. */
  file(name: string): Locator {
    return this.page.locator(`.editor-instance .monaco-editor[data-uri$="/${name}"]`);
  }

  /** Puts a text in the place of the whole file, as a paste does. */
  async pasteOver(name: string, text: string): Promise<void> {
    await this.focusFile(name);
    await this.paste(text);
  }

  /** Puts a text in the place of all that the file that has the focus holds. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Control+V");
    await this.page.keyboard.press("Control+Home");
  }

  /** Types at the end of a line, counted from 1. */
  async typeAtLine(name: string, line: number, text: string): Promise<void> {
    await this.goToPlace(name, `:${line}`);
    await this.page.keyboard.press("End");
    await this.page.keyboard.type(text);
  }

  /** Saves the file that has the focus. */
  async save(): Promise<void> {
    await this.page.keyboard.press("Control+S");
  }

  /** Goes to the first column of editors, which shows the file. */
  async focusFile(name: string): Promise<void> {
    await this.untilShown(this.focused(name), () => this.page.keyboard.press("Control+1"));
  }

  /** Waits until the keyboard is in a form of the first column, going there as a person would if it went elsewhere. */
  async focusForm(form: FrameLocator): Promise<void> {
    const field = form.locator("input:focus, textarea:focus");
    await this.tryAgain("The keyboard did not get into the form.", async (timeout) => {
      if (!(await field.isVisible())) await this.page.keyboard.press("Control+1");
      await field.waitFor({ timeout });
    });
  }

  /** Opens a file of the folder by its name. */
  async openFile(name: string): Promise<void> {
    await this.pick("Control+P", name, name);
    await this.focusFile(name);
  }

  /** Rows of the list that is open at the top. */
  choices(): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row");
  }

  /** The row that Enter takes, if it holds a text: before a list is filtered, that is its first one. */
  private chosen(text: string): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text });
  }

  /** Waits until the keyboard is in a file's text. */
  async hasFocus(name: string): Promise<void> {
    await this.focused(name).waitFor();
  }

  private focused(name: string): Locator {
    return this.page.locator(`.editor-instance .monaco-editor.focused[data-uri$="/${name}"]`);
  }

  /** Puts the cursor into a file at a line and column, counted from 1. */
  async goTo(name: string, line: number, column: number): Promise<void> {
    await this.goToPlace(name, `:${line}:${column}`);
  }

  private async goToPlace(name: string, place: string): Promise<void> {
    // A page that opens meanwhile takes the focus, and closes the input box.
    await this.tryAgain(`The cursor does not get to ${place} in ${name}.`, async (timeout) => {
      await this.focusFile(name);
      await this.page.keyboard.press("Control+G");
      await this.write(place, timeout);
      await this.accept(timeout);
      // As long as it is there, it may take the next Enter.
      await this.quickInput().waitFor({ state: "hidden", timeout });
      await this.focused(name).waitFor({ timeout });
    });
  }

  /** Opens what is said of the completion that is chosen. */
  async showCompletionDetails(): Promise<void> {
    await this.page.locator(".suggest-widget.visible .monaco-list-row").first().waitFor();
    await this.page.keyboard.press("Control+Space");
    await this.page.locator(".suggest-details").waitFor();
  }

  /** Takes a completion that is offered. */
  async complete(title: RegExp): Promise<void> {
    const row = this.page.locator(".suggest-widget.visible .monaco-list-row", { hasText: title }).first();
    await row.click();
    await row.waitFor({ state: "hidden" });
  }

  /** Takes a quick fix at the cursor. */
  async fix(title: string): Promise<void> {
    const row = this.page.locator(".action-widget .action", { hasText: title }).first();
    await this.untilShown(row, () => this.page.keyboard.press("Control+."));
    await row.click();
    await row.waitFor({ state: "hidden" });
  }

  /** What is shown of the name at the cursor. */
  async hover(): Promise<Locator> {
    const box = this.page.locator(".monaco-hover:not(.hidden) .hover-contents").first();
    await this.untilShown(box, async () => {
      await this.page.keyboard.press("Control+K");
      await this.page.keyboard.press("Control+I");
    });
    return this.page.locator(".monaco-hover:not(.hidden)");
  }

  /** Gives the name at the cursor another. */
  async rename(name: string): Promise<void> {
    const field = this.page.locator(".rename-box input");
    await this.untilShown(field, () => this.page.keyboard.press("F2"));
    await field.fill(name);
    await this.page.keyboard.press("Enter");
    await field.waitFor({ state: "hidden" });
  }

  /** Clicks on a code lens that leads to a list of places; returns the list. */
  async placesOf(lens: string): Promise<Locator> {
    const list = this.page.locator(".peekview-widget .ref-tree .monaco-list-row");
    await this.untilShown(list.first(), (timeout) => this.codeLens().filter({ hasText: lens }).click({ timeout }));
    return list;
  }

  /** Shows the hierarchy of instances, which is folded at first. */
  async showInstances(): Promise<void> {
    await this.command("Explorer: Focus on Instance Hierarchy View");
  }

  /** A row of the hierarchy of instances. */
  instance(name: string): Locator {
    const rows = this.page.locator(".pane", { hasText: "Instance Hierarchy" }).locator(".monaco-list-row");
    return rows.filter({ has: this.page.getByText(name, { exact: true }) }).first();
  }

  /** Shows what is below a row of the hierarchy of instances. */
  async unfold(name: string): Promise<void> {
    await this.instance(name).locator(".monaco-tl-twistie").click();
  }

  /** Runs what the context menu of a row offers. */
  async inMenuOf(row: Locator, title: string): Promise<void> {
    const entry = this.page.locator(".context-view .action-label", { hasText: title });
    await this.tryAgain(`The menu does not let ${title} be chosen.`, async (timeout) => {
      // A menu that is still open from before would get this click.
      await this.page.keyboard.press("Escape");
      await row.click({ button: "right", timeout });
      await entry.waitFor({ timeout });
      // In its first moments a menu takes no click.
      await this.page.waitForTimeout(500);
      await entry.click({ timeout });
      await entry.waitFor({ state: "hidden", timeout });
    });
  }

  /** What the file that has the focus consists of. */
  async outline(): Promise<Locator> {
    await this.untilShown(this.choices().first(), () => this.page.keyboard.press("Control+Shift+O"));
    return this.choices();
  }

  squiggles(): Locator {
    return this.page.locator(".monaco-editor .squiggly-error");
  }

  /** The status bar's count of errors and warnings. */
  problemCount(): Locator {
    return this.page.locator('.statusbar-item[id="status.problems"]');
  }

  /** Rows of the Problems panel. */
  problemsPanel(): Locator {
    return this.page.locator(".markers-panel .monaco-list-row");
  }

  async openProblemsPanel(): Promise<void> {
    if (!(await this.page.locator(".markers-panel").isVisible())) await this.page.keyboard.press("Control+Shift+M");
    await this.page.locator(".markers-panel").waitFor();
  }

  async closePanel(): Promise<void> {
    const panel = this.page.locator(".part.panel");
    if (await panel.isVisible()) await this.page.keyboard.press("Control+J");
    await panel.waitFor({ state: "hidden" });
  }

  codeLens(): Locator {
    return this.page.locator(".monaco-editor .codelens-decoration a");
  }

  /** An item of ours in the status bar. */
  statusBar(item: "clock" | "proof" | "servedModels" | "verdict"): Locator {
    return this.page.locator(`.statusbar-item[id="benchwright.benchwright.${item}"]`);
  }

  /** Waits until the hidden tests have stopped, as they must within seconds of being cancelled. */
  async notRunning(): Promise<void> {
    await this.page.locator('[id="benchwright.benchwright.verdict"][aria-label*=" is running"]').waitFor({
      state: "detached",
      timeout: 20 * SECONDS,
    });
  }

  /** Rows of ours in the Test Explorer; in a state, as the icon tells it. */
  testItem(state?: keyof typeof TEST_ICONS): Locator {
    const rows = this.page.locator(".test-explorer .monaco-list-row", { hasText: "Hidden tests" });
    return state ? rows.filter({ has: this.page.locator(`.computed-state.${TEST_ICONS[state]}`) }) : rows;
  }

  /** The page inside the webview that holds a text. */
  async webview(selector: string, seconds = PATIENCE): Promise<FrameLocator> {
    const deadline = Date.now() + seconds * SECONDS;
    while (Date.now() < deadline) {
      const names = await this.page
        .locator("iframe.webview")
        .evaluateAll((frames) => frames.map((frame) => frame.getAttribute("name") ?? ""))
        // While the window loads another folder there is no page to ask.
        .catch(() => []);
      // By its name, because the places of frames change when others come and go.
      for (const name of names) {
        const frame = this.page
          .locator(`iframe.webview[name="${name}"]`)
          .contentFrame()
          .locator("iframe#active-frame")
          .contentFrame();
        if (
          (await frame
            .locator(selector)
            .count()
            .catch(() => 0)) > 0
        )
          return frame;
      }
      await this.page.waitForTimeout(200);
    }
    throw new Error(`No webview shows ${selector}. The window shows: ${await this.summary()}`);
  }

  /** Titles and messages in the window and how many pages it has, for the log of a failure. */
  private async summary(): Promise<string> {
    const places = this.page.locator(".composite.title h2, .pane-header h3, .tab .label-name, .notification-list-item-message");
    const shown = await places.allInnerTexts().catch(() => []);
    const pages = await this.page.locator("iframe.webview").count();
    return `${shown.filter(Boolean).join(" | ")}; ${pages} webviews`;
  }

  notification(text: string): Locator {
    return this.page.locator(".notification-list-item, .notification-toast", { hasText: text }).first();
  }

  dialog(): Locator {
    return this.page.locator(".monaco-dialog-box");
  }

  /** Waits until a place shows a text. */
  async sees(place: Locator, text: string | RegExp, seconds = PATIENCE): Promise<void> {
    const deadline = Date.now() + seconds * SECONDS;
    let seen = "nothing";
    while (Date.now() < deadline) {
      const texts = await place.allInnerTexts();
      seen = texts.map((part) => part.replaceAll("\u00a0", " ")).join("\n") || "nothing";
      if (typeof text === "string" ? seen.includes(text) : text.test(seen)) return;
      await this.page.waitForTimeout(150);
    }
    assert.fail(`Expected to see ${text} within ${seconds} s, but saw: ${seen}`);
  }

  /** Waits until a screen reader would read a text at a place. */
  async hears(place: Locator, text: RegExp, seconds = PATIENCE): Promise<void> {
    const deadline = Date.now() + seconds * SECONDS;
    let heard = "nothing";
    while (Date.now() < deadline) {
      if ((await place.count()) > 0) heard = (await place.first().getAttribute("aria-label")) ?? "nothing";
      if (text.test(heard)) return;
      await this.page.waitForTimeout(150);
    }
    assert.fail(`Expected to hear ${text} within ${seconds} s, but heard: ${heard}`);
  }

  /** Goes to another tab of the browser, until something is so. */
  async lookAway(until: () => Promise<void>): Promise<void> {
    const context = this.page.context();
    const tools = await context.newCDPSession(this.page);
    // Playwright lets every page believe that it has the focus.
    await tools.send("Emulation.setFocusEmulationEnabled", { enabled: false });
    const other = await context.newPage();
    await other.bringToFront();
    await until();
    await other.close();
    await this.page.bringToFront();
  }

  async widenSideBar(pixels: number): Promise<void> {
    const box = await this.page.locator(".part.sidebar").boundingBox();
    assert.ok(box);
    const [x, y] = [box.x + box.width, box.y + box.height / 2];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + pixels, y, { steps: 5 });
    await this.page.mouse.up();
    await this.page.mouse.move(x + 2 * pixels, y);
    await this.page.waitForTimeout(500);
  }

  async picture(name: string): Promise<Buffer> {
    return this.page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
  }
}
