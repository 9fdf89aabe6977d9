import type { Locator, Page } from "playwright-core";

interface Task {
  readonly name: string;
  readonly most: number;
  readonly clicks: number;
  readonly keys: number;
  readonly texts: number;
  readonly seconds: number;
}

/** Somebody who sees the program for the first time: each click, key and text is counted, and nothing is thought about. */
export class Stranger {
  private readonly page: Page;
  private readonly tasks: Task[];
  private clicks = 0;
  private keys = 0;
  private texts = 0;

  /** @param tasks What several strangers have done. */
  constructor(page: Page, tasks: Task[] = []) {
    this.page = page;
    this.tasks = tasks;
  }

  /** The same notes at another page. */
  at(page: Page): Stranger {
    return new Stranger(page, this.tasks);
  }

  /** Does a task, and notes what it took. */
  async task(name: string, most: number, play: () => Promise<void>): Promise<void> {
    [this.clicks, this.keys, this.texts] = [0, 0, 0];
    const begun = performance.now();
    await play();
    const seconds = (performance.now() - begun) / 1000;
    this.tasks.push({ name, most, clicks: this.clicks, keys: this.keys, texts: this.texts, seconds });
  }

  async click(place: Locator): Promise<void> {
    this.clicks += 1;
    await place.click();
  }

  /** Presses a key, or several at once. */
  async press(keys: string): Promise<void> {
    this.keys += 1;
    await this.page.keyboard.press(keys);
  }

  /** Writes or pastes a text, which counts once however long it is. */
  async write(act: () => Promise<void>): Promise<void> {
    this.texts += 1;
    await act();
  }

  /** Types a line and presses Enter, once what is to be chosen is there. */
  async type(line: string, chosen?: Locator): Promise<void> {
    await this.write(() => this.page.keyboard.type(line));
    await chosen?.waitFor();
    await this.press("Enter");
  }

  /** Tasks that took more steps than they may. */
  excess(): string[] {
    return this.tasks.filter((task) => steps(task) > task.most).map((task) => `${task.name}: ${steps(task)} steps, ${task.most} at most`);
  }

  /** All that was counted. */
  table(): string {
    const rows = this.tasks.map((task) => [
      task.name,
      ...[task.clicks, task.keys, task.texts].map(String),
      `${steps(task)} of ${task.most}`,
      task.seconds.toFixed(1),
    ]);
    return [["task", "clicks", "keys", "texts", "steps", "seconds"], ...rows]
      .map(([name, ...cells]) => name!.padEnd(34) + cells.map((cell) => cell.padStart(10)).join(""))
      .join("\n");
  }
}

function steps({ clicks, keys, texts }: Task): number {
  return clicks + keys + texts;
}
