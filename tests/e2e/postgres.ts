import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { installed, ROOT } from "./installation.ts";

/** A PostgreSQL of the test's own, as `tests/support/service/postgres.py` starts one, with an empty database. */
export class Postgres implements AsyncDisposable {
  /** Of the database. */
  readonly url: string;
  private readonly process: ChildProcess;

  private constructor(url: string, process: ChildProcess) {
    this.url = url;
    this.process = process;
  }

  /** Starts it; returns the reason if it can't be started here. */
  static async start(): Promise<Postgres | string> {
    const python = join(dirname(installed().benchwright), "python");
    const child = spawn(python, ["-m", "tests.support.service.postgres"], { cwd: ROOT, stdio: ["pipe", "pipe", "pipe"] });
    const said: string[] = [];
    child.stderr.on("data", (part: Buffer) => said.push(part.toString()));
    for await (const line of createInterface({ input: child.stdout })) return new Postgres(line, child);
    return said.join("").trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.stdin!.end();
    await ended;
  }
}
