import type { BrowserContext, Page } from "playwright-core";

/** Something that came from a service, a page or a browser's store. */
export interface Received {
  readonly from: string;
  readonly text: string;
}

/** Everything that a browser receives and keeps. */
export class ReceivedByBrowser {
  private context: BrowserContext | undefined;
  private readonly texts: Received[] = [];
  private readonly waiting = new Set<Promise<void>>();

  /** Listens from now on; so it has to be before the first page is opened. */
  readonly watch = (context: BrowserContext): void => {
    this.context = context;
    context.on("response", (response) => {
      const reading = response
        .body()
        .then((body) => this.keep(response.url(), body))
        // A redirection has none, and that of a page that is gone can't be read.
        .catch(() => undefined)
        .finally(() => this.waiting.delete(reading));
      this.waiting.add(reading);
    });
    context.on("page", (page) => this.listen(page));
    context.on("console", (message) => this.keep("the console", message.text()));
  };

  /** What was received, and what is in the browser's stores by now. */
  async all(): Promise<readonly Received[]> {
    await Promise.all(this.waiting);
    this.keep("cookies, local storage and IndexedDB", JSON.stringify(await this.context!.storageState({ indexedDB: true })));
    for (const page of this.context!.pages()) {
      for (const frame of page.frames()) {
        const stored = await frame.evaluate(() => JSON.stringify(Object.entries(sessionStorage))).catch(() => "");
        this.keep(`session storage of ${frame.url()}`, stored);
        this.keep(`the page ${frame.url()}`, await frame.content().catch(() => ""));
      }
    }
    return this.texts;
  }

  private listen(page: Page): void {
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => this.keep(`web socket ${socket.url()}`, payload)),
    );
  }

  private keep(from: string, content: string | Buffer): void {
    this.texts.push({ from, text: typeof content === "string" ? content : content.toString("latin1") });
  }
}
