import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Request } from "playwright-core";
import { CodeServer } from "./codeServer.ts";
import { Editor } from "./editor.ts";
import { ARTIFACTS, installed } from "./installation.ts";

export interface SessionOptions {
  /** The folder to open; else that of all workspaces. */
  readonly opened?: string;
  readonly settings?: object;
  /** Variables of the editor; else the one that leads to Benchwright's home. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Gets the browser's context before the first page is opened. */
  readonly watch?: (context: BrowserContext) => void;
}

/** One person's editing session, in folders of its own: the editor, its browser, Benchwright's home. */
export class Session {
  readonly folder: string;
  readonly workspaces: string;
  readonly editor: Editor;
  /** Addresses on other machines that the browser asked for. */
  readonly strangers: readonly string[];
  private readonly codeServer: CodeServer;
  private readonly browser: Browser;

  private constructor(folder: string, codeServer: CodeServer, browser: Browser, editor: Editor, strangers: string[]) {
    this.folder = folder;
    this.workspaces = join(homeOf(folder), "workspaces");
    this.codeServer = codeServer;
    this.browser = browser;
    this.editor = editor;
    this.strangers = strangers;
  }

  /** Makes the folders of a session that has not begun yet. */
  static async prepare(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "benchwright-e2e-"));
    const data = join(homeOf(folder), "data");
    const command = join(folder, "benchwright");
    await mkdir(data, { recursive: true });
    await mkdir(join(homeOf(folder), "workspaces"), { recursive: true });
    await mkdir(ARTIFACTS, { recursive: true });
    await mkdir(messagesOf(folder));
    await writeFile(command, tapped(installed().benchwright, messagesOf(folder)), { mode: 0o755 });
    await writeFile(join(data, "server-command"), `${command}\n`);
    return folder;
  }

  /** Opens a folder, or else that of all workspaces, in a new editor. */
  static async begin(folder: string, options: SessionOptions = {}): Promise<Session> {
    const home = homeOf(folder);
    const environment = options.environment ?? { BENCHWRIGHT_HOME: home };
    const codeServer = await CodeServer.start(join(folder, "editor"), environment, options.settings);
    let browser: Browser | undefined;
    try {
      browser = await launch();
      const context = await browser.newContext({
        viewport: { width: 1600, height: 900 },
        permissions: ["clipboard-read", "clipboard-write"],
      });
      options.watch?.(context);
      const page = await context.newPage();
      const editor = new Editor(page);
      const strangers: string[] = [];
      page.on("requestfailed", (request) => strangers.push(...strange(request)));
      page.on("response", (response) => {
        // A webview's files have an address on the internet, but the editor's service worker answers for it.
        if (!response.fromServiceWorker()) strangers.push(...strange(response.request()));
      });
      const opened = options.opened ?? join(home, "workspaces");
      await page.goto(`${codeServer.url}/?folder=${encodeURIComponent(opened)}`);
      await editor.untilReady();
      return new Session(folder, codeServer, browser, editor, strangers);
    } catch (error) {
      await browser?.close();
      await codeServer.stop();
      throw error;
    }
  }

  /** Closes the browser and the editor, so that everything they write is written. */
  async close(): Promise<void> {
    await this.browser.close();
    await this.codeServer.stop();
  }

  async end(): Promise<void> {
    await this.close();
    if (!process.env.KEEP_SESSION) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Benchwright's home of a session. */
export function homeOf(folder: string): string {
  return join(folder, "home");
}

/** Where the messages between editor and server are kept, byte for byte. */
export function messagesOf(folder: string): string {
  return join(folder, "messages");
}

function tapped(benchwright: string, messages: string): string {
  const [to, from, errors] = ["to-server", "from-server", "errors"].map((name) => join(messages, name));
  return `#!/bin/sh\ntee -a '${to}' | '${benchwright}' "$@" 2>>'${errors}' | tee -a '${from}'\n`;
}

/** Starts a browser that reaches nobody outside this machine. */
export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: installed().chromium,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

function strange(request: Request): string[] {
  const { protocol, hostname } = new URL(request.url());
  return protocol.startsWith("http") && hostname !== "127.0.0.1" ? [request.url()] : [];
}
