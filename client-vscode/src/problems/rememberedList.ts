import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { PackSummary } from "../generated/protocol.ts";

/** The problem list as the server gave it last, in a file. */
export class RememberedList {
  private readonly file: string;
  private readonly home: string;
  private written = "";

  /** @param home Benchwright's home folder: another one has other problems. */
  constructor(file: string, home: string) {
    this.file = file;
    this.home = home;
  }

  /** The list; undefined if there is none that can be shown. */
  async read(): Promise<readonly PackSummary[] | undefined> {
    try {
      const { home, packs } = JSON.parse(await readFile(this.file, "utf8")) as { home: string; packs: readonly PackSummary[] };
      return home === this.home && packs.length > 0 ? packs : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps a list; one that can't be written is loaded again next time. */
  async write(packs: readonly PackSummary[]): Promise<void> {
    const text = JSON.stringify({ home: this.home, packs });
    if (text === this.written) return;
    this.written = text;
    try {
      await mkdir(dirname(this.file), { recursive: true });
      await writeFile(this.file, text);
    } catch {
      this.written = "";
    }
  }
}
