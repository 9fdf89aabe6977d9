import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OPERATING_SYSTEM } from "../operatingSystem.ts";

const COMPLETE = "complete.json";
const OWNER = "installing";

/** An environment of Python with Benchwright in it, made by the extension. */
export interface Environment {
  readonly folder: string;
  readonly version: string;
  /** Milliseconds since 1970 at which it was complete. */
  readonly completedAt: number;
}

/**
 * The environments that the extension has made, each in a folder of its own.
 *
 * An environment can't be moved, so it is made in its final folder; a file that is written last says that it is
 * complete. What was interrupted has no such file: it is never used, and removed at the next installation.
 */
export class Environments {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** The newest complete environment. */
  get newest(): Environment | undefined {
    return this.complete().sort((one, other) => other.completedAt - one.completedAt)[0];
  }

  /** The `benchwright` program of the newest environment, if there is one. */
  get command(): string | undefined {
    const command = this.newest && OPERATING_SYSTEM.programIn(this.newest.folder, "benchwright");
    return command !== undefined && existsSync(command) ? command : undefined;
  }

  /** A new, empty folder for an environment. */
  async begin(version: string): Promise<string> {
    await mkdir(this.root, { recursive: true });
    const folder = await mkdtemp(join(this.root, `${version}-`));
    await writeFile(join(folder, OWNER), String(process.pid));
    return folder;
  }

  /** Declares an environment complete; from now on it is the newest. */
  async finish(folder: string, version: string): Promise<void> {
    const completedAt = Math.max(Date.now(), (this.newest?.completedAt ?? 0) + 1);
    await writeFile(join(folder, COMPLETE), JSON.stringify({ version, completedAt }));
    await rm(join(folder, OWNER), { force: true });
  }

  async remove(folder: string): Promise<void> {
    await rm(join(folder, COMPLETE), { force: true });
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Removes all but the newest environment, and what no living process is installing. */
  async removeOld(): Promise<void> {
    const newest = this.newest?.folder;
    const old = this.folders().filter((folder) => folder !== newest && !isOwned(folder));
    // A server that still runs may hold its files, on Windows at least: the next installation tries again.
    await Promise.allSettled(old.map((folder) => this.remove(folder)));
  }

  private complete(): Environment[] {
    return this.folders().flatMap((folder) => {
      const marker = readMarker(join(folder, COMPLETE));
      return marker ? [{ folder, ...marker }] : [];
    });
  }

  private folders(): string[] {
    try {
      return readdirSync(this.root).map((name) => join(this.root, name));
    } catch {
      return [];
    }
  }
}

function readMarker(path: string): Pick<Environment, "version" | "completedAt"> | undefined {
  try {
    const { version, completedAt } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    return typeof version === "string" && typeof completedAt === "number" ? { version, completedAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process that still runs is making this environment. */
function isOwned(folder: string): boolean {
  try {
    return process.kill(Number(readFileSync(join(folder, OWNER), "utf8")), 0);
  } catch {
    return false;
  }
}
