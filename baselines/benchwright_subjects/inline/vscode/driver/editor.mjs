// What one does in the measured editor: open, write, ask for an offer, take it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Chromium } from "./chromium.mjs";
import { startCodeServer } from "./codeServer.mjs";
import { drawn, watch } from "./ghostText.mjs";
import { Probe } from "./probe.mjs";

const ORIGIN = "http://benchwright.localhost";
const KEY = { key: "F9", code: "F9", windowsVirtualKeyCode: 120, modifiers: 1 | 2 | 8 };
const KEY_MS = 2000;
const SETTLE_MS = 150;
const DRAW_MS = 1000;
const MOST_TRIES = 5;
const MOST_STEPS = 2000;
/** Some next edits only lead to the place of another one. */
const MOST_JUMPS = 3;
const SUGGEST = "editor.action.inlineSuggest";

export class Editor {
  #probe;
  #page;
  #path;
  /** As the driver knows it. */
  #text;

  /** Starts one with extensions; the one of this name is measured. */
  static async start({ codeServer, chromium, extension: extensions, name: measured, probe, settings, visible }) {
    const editor = new Editor();
    const home = process.env.HOME;
    const own = JSON.parse(await readFile(new URL("../probe/package.json", import.meta.url), "utf8"));
    editor.#probe = await Probe.listen();
    const { port, cookie } = await startCodeServer({
      command: codeServer,
      home,
      extensions: [...extensions, probe],
      settings,
      driver: (folder) =>
        writeFile(join(folder, `${own.publisher}.${own.name}-${own.version}`, "driver.json"), JSON.stringify(editor.#probe.place), {
          mode: 0o600,
        }),
    });
    const address = `${ORIGIN}/?folder=${encodeURIComponent(process.cwd())}`;
    editor.#page = await Chromium.open(chromium, join(home, "chromium"), address, port, cookie, visible);
    await editor.#probe.arrived;
    const { isThere } = await editor.#probe.ask("extension", { id: measured });
    if (!isThere) throw new Error(`the editor does not load ${measured}`);
    return editor;
  }

  /** Waits until its window is closed, so that all it keeps is written. */
  async closed() {
    await this.#page.ended;
  }

  async open(path) {
    await this.#probe.ask("open", { path });
    this.#path = path;
    this.#text = (await this.#probe.ask("read")).text;
  }

  /** Brings the document to a text and the cursor to an offset; answers whether somebody else had changed it before. */
  async write(text, cursor) {
    const wasChanged = !(await this.isUntouched());
    await this.#probe.ask("write", { text, cursor });
    this.#text = text;
    return wasChanged;
  }

  /** Whether the document is as the driver left it. */
  async isUntouched() {
    return (await this.#probe.ask("read")).text === this.#text;
  }

  /** Asks for an offer at the cursor; `text` is null if there is none. Times in milliseconds after the command. */
  async ask(isExplicit, timeoutMs) {
    await this.#focus();
    await this.#command(`${SUGGEST}.hide`);
    await this.#page.evaluate(`(${watch})()`);
    const answered = await within(timeoutMs, this.#command(`${SUGGEST}.trigger`, { explicit: isExplicit }));
    if (answered === undefined) {
      await this.stop();
      return { text: null, isElsewhere: false, timing: { answered: null, drawn: null } };
    }
    const { start, end } = answered;
    const timing = { answered: end - start, drawn: null };
    let state = await this.#state();
    if (state === "nothing") {
      // Now and then it is drawn a moment after the command has resolved.
      await sleep(SETTLE_MS);
      state = await this.#state();
    }
    if (state !== "shown") return { text: null, isElsewhere: state === "elsewhere", timing };
    const seen = await this.#page.evaluate(`(${drawn})(${DRAW_MS})`);
    if (seen === null) return { text: null, isElsewhere: true, timing };
    return { text: seen.text, isElsewhere: false, timing: { ...timing, drawn: seen.at - start } };
  }

  /** Stops a question that is under way. */
  async stop() {
    await this.#command(`${SUGGEST}.hide`);
  }

  /** Takes what is offered, or of its beginning as many lines and words as come to a text; answers what is there then. */
  async take(text, offered) {
    const before = await this.#probe.ask("read");
    const wanted = text === null ? Infinity : solid(text).length;
    const ends = text === null ? [] : lineEnds(offered);
    let now = before;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const taken = solid(now.text.slice(before.cursor, now.cursor)).length;
      if (taken >= wanted) break;
      const isLine = ends.some((end) => end > taken && end <= wanted);
      const command = text === null ? "commit" : isLine ? "acceptNextLine" : "acceptNextWord";
      await this.#focus();
      await this.#command(`${SUGGEST}.${command}`);
      const after = await this.#probe.ask("read");
      const isOver = text === null || after.text === now.text;
      now = after;
      if (isOver) break;
    }
    this.#text = now.text;
    return now;
  }

  /**
   * Makes the next edit that the extension proposes; null if there is none. Only its text afterwards says what it is:
   * whoever does not want it writes the text as it was. `text` is null if it is in another file, or changes nothing.
   */
  async nextEdit(timeoutMs) {
    let isThere = false;
    for (let jumps = 0; jumps < MOST_JUMPS; jumps += 1) {
      const found = await this.ask(false, timeoutMs);
      // Where a jump has led, it may be offered at the cursor.
      if (!found.isElsewhere && !(isThere && found.text !== null)) break;
      isThere = true;
      if (!(await this.isUntouched())) return { text: null, isChanged: true };
      await this.#command(`${SUGGEST}.jump`);
      await this.#command(`${SUGGEST}.commit`);
      const { path, text } = await this.#probe.ask("read");
      if (path !== this.#path) {
        await this.#probe.ask("open", { path: this.#path });
        break;
      }
      if (text !== this.#text) {
        this.#text = text;
        return { text };
      }
    }
    return isThere ? { text: null } : null;
  }

  /** A picture of the editor as PNG. */
  picture() {
    return this.#page.picture();
  }

  #command(command, argument) {
    return this.#probe.ask("execute", { command, argument });
  }

  async #focus() {
    for (let tries = 0; (await this.#state()) === "unfocused"; tries += 1) {
      if (tries === MOST_TRIES) throw new Error("the editor does not take the focus");
      await this.#command("workbench.action.focusActiveEditorGroup");
    }
  }

  /** Which of the probe's key bindings applies: the editor tells its context keys in no other way. */
  async #state() {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const fired = this.#probe.key();
      await this.#page.press(KEY);
      const name = await within(KEY_MS, fired);
      if (name !== undefined) return name;
    }
    throw new Error("the editor does not answer its keys");
  }
}

/** What a promise comes to; undefined if it takes longer. */
async function within(timeoutMs, promise) {
  const over = new AbortController();
  try {
    return await Promise.race([promise, sleep(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined)]);
  } finally {
    over.abort();
  }
}

/** Without white space, which editors set as they like. */
function solid(text) {
  return text.replaceAll(/\s+/g, "");
}

/** How many solid characters there are up to the end of each line. */
function lineEnds(text) {
  let count = 0;
  return text.split("\n").map((line) => (count += solid(line).length));
}
