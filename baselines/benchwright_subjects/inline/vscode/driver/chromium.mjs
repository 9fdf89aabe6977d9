// A Chromium with one page, driven over a pipe (Chrome DevTools Protocol): no port that others could reach.
import { spawn } from "node:child_process";

const FLAGS = [
  "--remote-debugging-pipe",
  // Inside bubblewrap no other sandbox can be made; the page is the measured editor.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--no-default-browser-check",
  "--password-store=basic",
];
/** High, so that no line of an offer is left undrawn. */
const WITHOUT_WINDOW = ["--headless=new", "--window-size=1600,2400"];
const WITH_WINDOW = ["--window-size=1400,1000"];

export class Chromium {
  #pending = new Map();
  #number = 0;
  #rest = Buffer.alloc(0);
  #session;

  /**
   * Starts it with a profile and opens an address with a cookie. Without a window it reaches nothing but the editor;
   * with one, somebody signs in, which takes other addresses.
   */
  static async open(program, profile, address, port, cookie, isVisible) {
    const found = new Chromium();
    const { host } = new URL(address);
    const others = isVisible ? "" : ", MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";
    const rules = `--host-resolver-rules=MAP ${host}:80 127.0.0.1:${port}${others}`;
    const flags = [...FLAGS, ...(isVisible ? WITH_WINDOW : WITHOUT_WINDOW), rules, `--user-data-dir=${profile}`];
    found.process = spawn(program, [...flags, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    found.ended = new Promise((resolve) => found.process.once("exit", resolve));
    found.process.stdio[3].on("error", () => undefined);
    found.process.stdio[4].on("data", (chunk) => found.#take(chunk));
    const started = await Promise.race([
      found.#send("Target.getTargets"),
      new Promise((_, reject) => found.process.once("error", reject)),
      new Promise((_, reject) => found.process.once("exit", (code) => reject(new Error(`Chromium ended (${code})`)))),
    ]);
    const { targetId } = started.targetInfos.find(({ type }) => type === "page");
    found.#session = (await found.#send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    if (!isVisible) await found.#send("Emulation.setFocusEmulationEnabled", { enabled: true });
    await found.#send("Network.setCookie", { ...cookie, url: address });
    await found.#send("Page.navigate", { url: address });
    return found;
  }

  /** The value of an expression in the page, awaited. */
  async evaluate(expression) {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", options);
    if (exceptionDetails) throw new Error(`the page: ${exceptionDetails.text}`);
    return result.value;
  }

  /** Presses a key. */
  async press(key) {
    await this.#send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }

  /** A picture of the page as PNG. */
  async picture() {
    return Buffer.from((await this.#send("Page.captureScreenshot")).data, "base64");
  }

  #send(method, params = {}) {
    this.#number += 1;
    const id = this.#number;
    const message = { id, method, params, ...(this.#session && { sessionId: this.#session }) };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, method });
      this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    });
  }

  #take(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(0); end >= 0; end = this.#rest.indexOf(0)) {
      const { id, result, error } = JSON.parse(this.#rest.subarray(0, end).toString());
      this.#rest = this.#rest.subarray(end + 1);
      const waiting = this.#pending.get(id);
      this.#pending.delete(id);
      if (error) waiting?.reject(new Error(`${waiting.method}: ${error.message}`));
      else waiting?.resolve(result);
    }
  }
}
